"""Sentences that claim nothing, by kind and language, and their look-alikes that do claim something."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.claims import CLAIMLESS_KINDS, claims_nothing
from ragcortex.geometry.facts.fact import LANGUAGES

CLAIMLESS = {
    ("en", "refusal"): """
        Note that the passages do not provide specific instructions for grilling.
        Sorry, but there is no information regarding the footballer.
        I don't know based on the provided context.
        The passages do not mention the height of the tower.
        Unable to answer based on given passages.
        I'm sorry, but I cannot find any information about the warranty in the provided documents.
        Based on the passages, there is no information about the price.
        The height of the tower is not mentioned in the provided passages.
        Unfortunately, the context doesn't specify when the museum opens.
        The provided passages do not contain information on how to reset the password.
        I am not able to answer this question.
        This information is not available in the given context.
        I'm not sure.
        It is not specified whether pets are allowed.
        I do not have enough information to answer that question.
        There is not enough information in the passages to determine the author.
        According to the given passages, it cannot be determined who built it.
        No information about refunds is provided.
        The article doesn't say who built the tower.
        I cannot provide an answer based on the given passages.
        Sorry, I can't help with that request.
        There is no information about when the museum opens in the passages.
        The provided context does not cover shipping to Canada.
    """,
    ("en", "greeting"): """
        Hi Anna!
        Hello! How can I help?
        Hi there, thanks for reaching out.
        Good morning, how can I help you today?
        Sure!
        I'd be happy to help.
        Hello John,
        Hello! I'm your virtual assistant.
    """,
    ("en", "closing"): """
        Let me know if you need anything else.
        I hope this helps!
        Feel free to ask if you have more questions about the warranty.
        Please don't hesitate to contact us.
        If you have any further questions, please let me know.
        Have a great day!
        Is there anything else I can help you with?
        Best regards,
        Thank you for your patience.
        Thanks again!
        You're welcome!
    """,
    ("en", "question"): """
        What is your order number?
        Could you tell me which model you have?
        Would you like to know more about the opening hours?
        Do you mean the tower in Paris or the one in Las Vegas?
        And which colour do you prefer?
    """,
    ("en", "action"): """
        I have forwarded your request to support.
        I've updated your ticket.
        I have created ticket #4711 for you.
        Your request has been forwarded to our support team.
        I'll transfer you to a human agent.
        I've cancelled your order.
        I'm connecting you with a human agent now.
    """,
    ("en", "meta"): """
        ### Side effects
        **Three steps:**
        Here is a summary:
        Based on the passages, here are the steps:
        Sure, here are five tips:
        ## Overview
        **Ingredients:**
        Benefits of green tea:
        In summary,
        To return an item, follow these steps:
        Below is a brief summary of the article:
        According to the passages:
        Step-by-step instructions:
        **Key points**
        - Here are the main points:
    """,
    ("de", "refusal"): """
        Das weiß ich leider nicht.
        Dazu enthalten die Dokumente keine Informationen.
        Leider kann ich diese Frage nicht beantworten.
        Tut mir leid, dazu habe ich keine Informationen.
        Die Texte enthalten keine Angaben zur Höhe des Turms.
        Die Höhe des Turms wird in den Passagen nicht erwähnt.
        In den Dokumenten gibt es keine Angaben dazu.
    """,
    ("de", "greeting"): """
        Hallo! Wie kann ich Ihnen helfen?
        Guten Tag, vielen Dank für Ihre Anfrage.
    """,
    ("de", "closing"): """
        Ich hoffe, das hilft Ihnen weiter.
        Bei weiteren Fragen melden Sie sich gerne.
        Mit freundlichen Grüßen
        Vielen Dank für Ihre Geduld.
    """,
    ("de", "question"): """
        Wie lautet Ihre Bestellnummer?
        Können Sie mir das Modell nennen?
        Haben Sie noch weitere Fragen?
    """,
    ("de", "action"): """
        Ich habe Ihre Anfrage weitergeleitet.
        Ich habe Ihre Anfrage an den Support weitergeleitet.
        Ihre Anfrage wurde an unser Team weitergeleitet.
        Ich habe ein Ticket erstellt.
    """,
    ("de", "meta"): """
        Hier ist eine Zusammenfassung:
        Hier sind die Schritte:
        ## Überblick
        Zusammenfassend:
    """,
    ("fr", "refusal"): """
        Je ne sais pas.
        Les passages ne mentionnent pas la hauteur de la tour.
        Désolé, je ne peux pas répondre à cette question.
        Je n'ai pas d'informations à ce sujet.
        Le contexte fourni ne contient pas cette information.
        La hauteur n'est pas mentionnée dans les passages.
    """,
    ("fr", "greeting"): """
        Bonjour ! Comment puis-je vous aider ?
    """,
    ("fr", "closing"): """
        N'hésitez pas à me contacter si vous avez d'autres questions.
        J'espère que cela vous aide.
        Bonne journée !
    """,
    ("fr", "question"): """
        Quel est votre numéro de commande ?
        Pouvez-vous préciser le modèle ?
        Souhaitez-vous en savoir plus ?
    """,
    ("fr", "action"): """
        J'ai transmis votre demande au service client.
        Votre demande a été transmise au support.
        J'ai mis à jour votre dossier.
    """,
    ("fr", "meta"): """
        Voici un résumé :
        Voici les étapes :
        En résumé,
        Ingrédients :
    """,
    ("es", "refusal"): """
        No lo sé.
        Los pasajes no mencionan la altura de la torre.
        Lo siento, no puedo responder a esa pregunta.
        No tengo información sobre eso.
        No hay información sobre el precio en el contexto.
        La altura no se menciona en los pasajes.
    """,
    ("es", "greeting"): """
        ¡Hola! ¿En qué puedo ayudarle?
    """,
    ("es", "closing"): """
        Espero que esto le ayude.
        No dude en contactarnos.
        ¡Que tenga un buen día!
        Muchas gracias por su paciencia.
    """,
    ("es", "question"): """
        ¿Cuál es su número de pedido?
        ¿Quiere saber más?
    """,
    ("es", "action"): """
        He reenviado su solicitud al soporte.
        Su solicitud ha sido enviada al equipo de soporte.
        He creado un ticket para usted.
    """,
    ("es", "meta"): """
        Aquí está un resumen:
        Aquí tiene los pasos:
        En resumen,
    """,
    ("zh", "refusal"): """
        我不知道。
        抱歉，根据提供的资料无法回答该问题。
        资料中没有提到塔的高度。
        文中未提及价格。
        很抱歉，我无法确定。
        没有足够的信息来回答这个问题。
    """,
    ("zh", "greeting"): """
        您好！请问有什么可以帮您？
        好的。
    """,
    ("zh", "closing"): """
        希望对您有所帮助。
        如果您还有其他问题，请随时联系我们。
        祝您生活愉快！
        感谢您的支持！
    """,
    ("zh", "question"): """
        请问您的订单号是多少？
        您想了解哪个型号？
    """,
    ("zh", "action"): """
        已为您转接人工客服
        我已将您的请求转交给客服团队。
        您的工单已更新。
        您的反馈已提交。
    """,
    ("zh", "meta"): """
        以下是步骤：
        总结：
        步骤如下：
        注意事项：
    """,
    ("ja", "refusal"): """
        わかりません。
        申し訳ありませんが、その質問にはお答えできません。
        資料には高さについての記載がありません。
        提供された文書には価格に関する情報はありません。
        資料からはわかりません。
    """,
    ("ja", "greeting"): """
        こんにちは！どのようなご用件でしょうか？
        お問い合わせいただきありがとうございます。
    """,
    ("ja", "closing"): """
        お役に立てれば幸いです。
        他にご質問がありましたらお知らせください。
        ありがとうございます。
    """,
    ("ja", "question"): """
        ご注文番号を教えていただけますか？
        どの機種をお使いですか。
    """,
    ("ja", "action"): """
        お問い合わせを担当部署に転送しました。
        担当者にお繋ぎします。
        ご予約を変更いたしました。
    """,
    ("ja", "meta"): """
        以下は手順です。
        まとめ：
        手順は以下の通りです。
        手順：
    """,
}
CLAIMING = {
    "en": """
        two
        Three
        Common
        Details
        Conclusion
        second
        "Dear John"
        Hey June
        Can I Borrow a Dollar?
        The process of breathing involves the following steps:
        I don't know the height, but it was built in 1889.
        Hello, the tower is 330 m tall.
        Based on the passages, the tower is 330 m tall.
        The passages do not mention the height of the tower, which was built in 1889.
        The passages mention that the tower is 330 m tall.
        The museum is not open on Mondays.
        Breakfast is not included in the price.
        We do not ship to post office boxes.
        Did you know that the tower is 330 m tall?
        The tower is 330 m tall, isn't it?
        The tower is 330 m tall, right?
        Let me know if you need help, our office is open from 9 to 17.
        Feel free to call us at +1 555 0100.
        I have forwarded your request to support, who will contact you within 24 hours.
        Here is the tower, which is 330 m tall.
        Sure, the tower is in Paris.
        Smoking is allowed.
        No, smoking is not allowed.
        Yes, dogs are allowed.
        Penguins are flightless birds.
        To summarize, the tower is in Paris.
        Overview: the tower is in Paris.
        Height: 330 m
        I hope this helps, and remember that refunds take five days.
        Your refund of $50 has been sent.
        There is no fee.
        There are no pets allowed in the park.
        It is not known who built the tower because the records were burnt.
        Contact support for a refund.
        The tower has three levels:
        Shipping is free.
        The answer is 42.
        I have visited Paris.
        It is not available on Sundays.
        No refunds.
        Unfortunately, opened items are not refundable.
        Enjoy free shipping on orders above $50.
        Thank you for ordering the blue lamp, which arrives on Monday.
        All visitors must have a ticket.
        It is not available on Sundays.
        There is no information desk at the station.
        No information about the suspect was released by the police.
        We cannot provide refunds for opened items.
        We are unable to provide refunds.
        We are open on Sundays.
        We are closed on Mondays.
        We have opened a store in Paris.
        We will send you a prepaid label.
        The results do not include data from Asia.
        The case has been closed by the court.
        A case has been opened against him.
        Yes.
        No.
        Take the stone steps.
        The article does not contain nuts.
        The information desk does not open on Sundays.
        I have opened a bakery.
        The author is unknown.
        The document is not valid.
        No answer was given by the minister.
    """,
    "de": """
        Es gibt keine aktuellen Informationen über die Anzahl der Läden.
        Ich weiß die Höhe nicht, aber der Turm steht in Paris.
        Hallo, der Turm ist 330 m hoch.
        Rauchen ist nicht erlaubt.
        Laut den Dokumenten ist der Turm 330 m hoch.
        Der Turm ist 330 m hoch, oder?
        Wussten Sie, dass der Turm 330 m hoch ist?
        Es gibt keine Gebühren.
        Ja, das Museum ist offen.
        Die Höhe beträgt 330 m.
        Bei Fragen erreichen Sie uns unter 0800 123.
        Wir haben die Preise geändert.
        Nein.
        Wir haben montags geschlossen.
    """,
    "fr": """
        Je ne sais pas la hauteur, mais la tour est à Paris.
        Bonjour, la tour mesure 330 m.
        Il n'y a pas de frais.
        La tour mesure 330 m, n'est-ce pas ?
        Selon les passages, la tour mesure 330 m.
        Saviez-vous que la tour mesure 330 m ?
        Le musée n'est pas ouvert.
        Nous avons ouvert un magasin à Paris.
        Il n'y a pas de petit-déjeuner.
        Le document ne permet pas l'entrée.
        Non.
    """,
    "es": """
        No sé la altura, pero la torre está en París.
        Hola, la torre mide 330 m.
        No hay gastos de envío.
        No se permite fumar.
        La torre mide 330 m, ¿verdad?
        ¿Sabía que la torre mide 330 m?
        Según los pasajes, la torre mide 330 m.
        Hemos abierto una tienda en París.
        No se proporciona desayuno.
        No se puede devolver el artículo.
        Sí.
    """,
    "zh": """
        目前不清楚枪击事件的动机。
        我不知道高度，但它建于1889年。
        您好，塔高330米。
        塔高330米，您还需要什么吗？
        您知道塔高330米吗？
        根据资料，塔高330米。
        资料中没有提到高度，但塔位于巴黎。
        周一不开放。
        没有手续费。
        塔高330米，对吗？
        无法退款。
        材料不包含塑料。
        无法提供退款。
        我们将为您升级房间。
        是的。
    """,
    "ja": """
        高さはわかりませんが、1889年に建てられました。
        こんにちは、塔の高さは330メートルです。
        資料によると、高さは330メートルです。
        塔の高さは330メートルですよね？
        手数料はありません。
        返品はできません。
        月曜日は休館です。
        高さは330メートルではありませんか？
        作者は不明です。
        在庫は確認できません。
        はい。
        いいえ。
    """,
}


def lines(block):
    return [line.strip() for line in block.strip().splitlines()]


ALL_CLAIMLESS = [(language, kind, text) for (language, kind), block in CLAIMLESS.items() for text in lines(block)]
ALL_CLAIMING = [(language, text) for language, block in CLAIMING.items() for text in lines(block)]


@pytest.mark.parametrize(("language", "kind", "text"), ALL_CLAIMLESS)
def test_a_claimless_sentence_is_of_its_kind(language, kind, text):
    assert claims_nothing(text, language) == kind


@pytest.mark.parametrize(("language", "text"), ALL_CLAIMING)
def test_a_claim_is_never_hidden(language, text):
    assert claims_nothing(text, language) is None
    assert claims_nothing(text, None) is None


def test_every_kind_is_known_in_every_language():
    assert set(CLAIMLESS) == {(language, kind) for language in LANGUAGES for kind in CLAIMLESS_KINDS}


@pytest.mark.parametrize(("language", "kind", "text"), [row for row in ALL_CLAIMLESS if row[0] in ("en", "zh")])
def test_without_a_language_all_are_tried(language, kind, text):
    assert claims_nothing(text, None) is not None


@pytest.mark.parametrize("text", ["", "   ", "---", "**", "[3]", "😀"])
def test_what_has_no_word_claims_nothing(text):
    assert claims_nothing(text, "en") == "meta"


@pytest.mark.parametrize("wrapped", ["- {}", "1. {}", "**{}**", "> {}", "{} [3]", "  {}\n"])
def test_markdown_and_citations_change_nothing(wrapped):
    assert claims_nothing(wrapped.format("I don’t know."), "en") == "refusal"
    assert claims_nothing(wrapped.format("The tower is in Paris."), "en") is None


CLAIMS = {
    "en": " The tower is 330 m tall.", "de": " Der Turm ist 330 m hoch.", "fr": " La tour mesure 330 m.",
    "es": " La torre mide 330 m.", "zh": "塔高330米。", "ja": "塔の高さは330メートルです。",
}  # fmt: skip


@given(row=st.sampled_from(ALL_CLAIMLESS), after=st.booleans())
def test_a_claim_beside_a_phrase_is_a_claim(row, after):
    language, _, text = row
    claim = CLAIMS[language]
    assert claims_nothing(f"{text}{claim}" if after else f"{claim.strip()} {text}", language) is None


ENDED = [row for row in ALL_CLAIMLESS if row[0] == "en" and row[2][-1] in ".!?"]


@given(rows=st.lists(st.sampled_from(ENDED), min_size=1, max_size=3))
def test_claimless_sentences_together_claim_nothing(rows):
    text = " ".join(text for _, _, text in rows)
    assert len(text) > 300 or claims_nothing(text, "en") == rows[0][1]


@given(text=st.text(max_size=80), language=st.sampled_from((None, *LANGUAGES)))
def test_any_text_gets_a_kind_or_none(text, language):
    assert claims_nothing(text, language) in (None, *CLAIMLESS_KINDS)


def test_a_long_sentence_costs_little():
    claims_nothing("warm up", "en")
    text = "The museum, which is old, and the pool, which is new, are not open, and " * 4
    started = time.perf_counter()
    assert claims_nothing(text, "en") is None
    assert time.perf_counter() - started < 0.1  # a hundredfold of what it takes
