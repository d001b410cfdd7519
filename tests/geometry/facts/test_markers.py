"""Markers and their scopes, by kind and language; each row is text → what must be found, in order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.facts.fact import LANGUAGES
from ragcortex.geometry.facts.markers import _TABLES, SCOPE_RULES, markers

SENSES = {
    "negation": {"not"},
    "quantifier": {"all", "most", "some", "few", "none", "only", "both", "any"},
    "condition": {"if", "unless", "except", "only_if", "until", "when"},
    "cause": {"cause"},
    "modal": {"may", "can", "must", "should", "will", "usually"},
}


def found(text, language):
    return [
        (f"{fact.kind}:{fact.value.sense}", fact.text, fact.value.scope and text[slice(*fact.value.scope)])
        for fact in markers(text, language)
    ]


NEGATIONS = [
    ("en", "Smoking is not allowed inside the tower.", "not", "allowed inside the tower"),
    ("en", "We do not ship to boxes, but we ship to homes.", "not", "ship to boxes"),
    ("en", "We don’t ship to boxes, hotels, or islands.", "don’t", "ship to boxes, hotels, or islands"),
    ("en", "No refunds are given for opened items.", "No", "refunds are given for opened items"),
    ("en", "The pool never opens in winter.", "never", "opens in winter"),
    ("en", "Entry without a ticket costs more.", "without", "a ticket costs more"),
    ("en", "Neither the pool nor the sauna is open.", "Neither", "the pool nor the sauna is open"),
    ("en", "The lamp is no longer sold.", "no longer", "sold"),
    ("en", "He came, but she did not.", "not", "she did"),
    ("de", "Rauchen ist im Turm nicht erlaubt.", "nicht", "erlaubt"),
    ("de", "Die Garantie gilt nicht.", "nicht", "Die Garantie gilt"),
    ("de", "Es gibt keinen Parkplatz.", "keinen", "Parkplatz"),
    ("de", "Das Museum öffnet nie vor neun.", "nie", "vor neun"),
    ("de", "Weder Hunde noch Katzen sind erlaubt.", "Weder", "Hunde noch Katzen sind erlaubt"),
    ("fr", "Il n'est pas permis de fumer.", "pas", "est pas permis de fumer"),
    ("fr", "Nous ne livrons jamais le lundi.", "jamais", "livrons jamais le lundi"),
    ("fr", "Il n’y a plus de places.", "plus", "y a plus de places"),
    ("fr", "Entrée sans billet.", "sans", "billet"),
    ("fr", "Il n'y a ni chauffage ni climatisation.", "ni", "y a ni chauffage ni climatisation"),
    ("es", "No se permite fumar.", "No", "se permite fumar"),
    ("es", "No enviamos nada a nadie.", "No", "enviamos nada a nadie"),
    ("es", "Nunca abrimos los lunes.", "Nunca", "abrimos los lunes"),
    ("es", "Ningún perro entra.", "Ningún", "perro entra"),
    ("zh", "塔内不允许吸烟。", "不", "允许吸烟"),
    ("zh", "本店没有停车场。", "没有", "停车场"),
    ("zh", "未拆封的商品很贵。", "未", "拆封"),
    ("zh", "请勿触摸展品。", "勿", "触摸展品"),
    ("ja", "水濡れによる故障は保証の対象外です。", "外", "水濡れによる故障は保証の対象"),
    ("ja", "雨の日は、対象になりません。", "ません", "対象になり"),
    ("ja", "これは水ではありません。", "ではありません", "これは水"),
    ("ja", "予約なしで入れます。", "なし", "予約"),
    ("ja", "未開封の商品です。", "未", "開封"),
    ("ja", "ペット不可です。", "不可", "ペット"),
    ("ja", "料金はかからず、入れます。", "ず", "料金はかから"),
]


@pytest.mark.parametrize(("language", "text", "marker", "scope"), NEGATIONS)
def test_negation(language, text, marker, scope):
    assert [row for row in found(text, language) if row[0] == "negation:not"] == [("negation:not", marker, scope)]


NO_NEGATIONS = {
    "en": """
        Not only adults but also children pay. | There is no doubt that it is old. | No more than 5 items fit.
        No, smoking is allowed. | The shop does not open until ten. | It works whether or not you pay.
        No. 5 is a room. | It is a not-for-profit group.
        Orders of not less than 5 units ship. | No matter the weather, it opens.
        The nonstop train knots notes. | No later than Monday.
    """,
    "de": """
        Nicht nur Kinder zahlen. | Es kostet nicht mehr als 5 Euro. | Nein, das ist erlaubt. | Vor allem Kinder.
        Kein Wunder, es ist alt. | Die Vernichtung der Note.
    """,
    "fr": """
        Non seulement les enfants paient. | C'est plus grand que la tour. | Le musée n'ouvre que le lundi.
        Il est sans doute vieux. | Non, il est ouvert. | Pas plus de 5 articles. | Il fait un pas en avant.
    """,
    "es": """
        No solo los niños pagan. | Sin embargo, abre. | No más de 5 piezas. | No, está abierto. | Sin duda es alto.
    """,
    "zh": """
        不仅会员可以入场。 | 不但便宜，而且好。 | 费用不超过50元。 | 无论天气如何都开放。
        南非非常大。 | 这是一座别墅。
        无线网络 | 无锡的未来 | 除非下雨 | 不锈钢 | 会员不得不排队。
    """,
    "ja": """
        会員だけでなく、一般の方も入れます。 | 会員でなければなりません。 | 雨かもしれません。 | 現金しか使えません。
        年齢に関わらず入れます。 | まもなく開館します。 | 少なくとも一人です。
        案内を行ないます。 | 無料です。
        申し訳ありませんが、休みです。 | まず入ります。 | 必ず入ります。
    """,
}
LOOK_ALIKES = [
    (code, text.strip()) for code, block in NO_NEGATIONS.items() for text in block.strip().replace("\n", "|").split("|")
]


@pytest.mark.parametrize(("language", "text"), LOOK_ALIKES)
def test_what_only_looks_like_a_negation(language, text):
    assert [row for row in found(text, language) if row[0].startswith("negation")] == []


OTHERS = [
    ("en", "All visitors must pay.", [("quantifier:all", "All", "visitors"), ("modal:must", "must", "pay")]),
    ("en", "Support answers every day.", [("quantifier:all", "every", "day")]),
    ("en", "It opens daily.", [("quantifier:all", "daily", "daily")]),
    ("en", "Most items are cheap.", [("quantifier:most", "Most", "items")]),
    ("en", "The most famous items, at most five.", []),
    ("en", "Several rooms and a few beds.", [("quantifier:some", "Several", "rooms"),
                                             ("quantifier:some", "a few", "beds")]),
    ("en", "Some 500 people came.", []),
    ("en", "Few people came.", [("quantifier:few", "Few", "people came")]),
    ("en", "Only members can enter.", [("quantifier:only", "Only", "members"), ("modal:can", "can", "enter")]),
    ("en", "Both museums are old.", [("quantifier:both", "Both", "museums")]),
    ("en", "Any item may be returned.", [("quantifier:any", "Any", "item"), ("modal:may", "may", "be returned")]),
    ("en", "There is not any fee.", [("negation:not", "not", "any fee")]),
    ("en", "None of the items are cheap.", [("negation:not", "None", "of the items are cheap"),
                                            ("quantifier:none", "None", "of the items are cheap")]),
    ("en", "Items may be returned if they are unopened, says Ann.",
     [("modal:may", "may", "be returned"), ("condition:if", "if", "they are unopened")]),
    ("en", "It ships only if you pay.", [("condition:only_if", "only if", "you pay")]),
    ("en", "It is free unless it rains.", [("condition:unless", "unless", "it rains")]),
    ("en", "All pay, except children.", [("quantifier:all", "All", "pay"), ("condition:except", "except", "children")]),
    ("en", "It is valid until the end of June.", [("condition:until", "until", "the end of June")]),
    ("en", "It ships when you pay.", [("condition:when", "when", "you pay")]),
    ("en", "It burnt when the roof fell.", []),
    ("en", "As long as you pay, it ships.", [("condition:if", "As long as", "you pay")]),
    ("en", "It is free because we pay.", [("cause:cause", "because", "we pay")]),
    ("en", "Rain leads to floods; therefore, stay in.",
     [("cause:cause", "leads to", "floods"), ("cause:cause", "therefore", "stay in")]),
    ("en", "In May 1999 it may rain; May 5 was dry.", [("modal:may", "may", "rain")]),
    ("en", "A can of soda is cold.", []),
    ("en", "Usually, refunds take a week.", [("modal:usually", "Usually", "refunds take a week")]),
    ("en", "You cannot enter.", [("modal:can", "cannot", "enter"), ("negation:not", "cannot", "enter")]),
    ("en", "It will not and should stop.", [("modal:will", "will", "not and should stop"),
                                            ("negation:not", "not", "and should stop"),
                                            ("modal:should", "should", "stop")]),
    ("de", "Alle Gäste müssen zahlen.", [("quantifier:all", "Alle", "Gäste"), ("modal:must", "müssen", "zahlen")]),
    ("de", "Es ist täglich offen.", [("quantifier:all", "täglich", "täglich")]),
    ("de", "Die meisten Kunden sind alt.", [("quantifier:most", "Die meisten", "Kunden")]),
    ("de", "Nur Mitglieder dürfen rein.", [("quantifier:only", "Nur", "Mitglieder"), ("modal:may", "dürfen", "rein")]),
    ("de", "Offen, es sei denn, es regnet.", [("condition:unless", "es sei denn", "es regnet")]),
    ("de", "Alles geht zurück, außer Wäsche.", [("quantifier:all", "Alles", "geht zurück"),
                                               ("condition:except", "außer", "Wäsche")]),
    ("de", "Gratis, wenn Sie zahlen.", [("condition:if", "wenn", "Sie zahlen")]),
    ("de", "Montag bis Freitag, bis 18 Uhr.", []),
    ("de", "Zu, weil es regnet.", [("cause:cause", "weil", "es regnet")]),
    ("fr", "Tous les articles sont chers.", [("quantifier:all", "Tous", "les articles")]),
    ("fr", "Le musée n'ouvre que le lundi.", [("quantifier:only", "que", "le lundi")]),
    ("fr", "Vous ne pouvez pas fumer.", [("modal:can", "pouvez", "pas fumer"),
                                         ("negation:not", "pas", "pouvez pas fumer")]),
    ("fr", "Gratuit si l'article est neuf.", [("condition:if", "si", "l'article est neuf")]),
    ("fr", "Ouvert, sauf le lundi.", [("condition:except", "sauf", "le lundi")]),
    ("fr", "Fermé parce qu’il pleut.", [("cause:cause", "parce qu’", "il pleut")]),
    ("fr", "Il faut payer.", [("modal:must", "Il faut", "payer")]),
    ("es", "Todos los artículos son caros.", [("quantifier:all", "Todos", "los artículos")]),
    ("es", "Solo abre si llueve.", [("quantifier:only", "Solo", "abre"), ("condition:if", "si", "llueve")]),
    ("es", "Abre excepto el lunes.", [("condition:except", "excepto", "el lunes")]),
    ("es", "Cierra porque llueve.", [("cause:cause", "porque", "llueve")]),
    ("es", "Usted debe pagar.", [("modal:must", "debe", "pagar")]),
    ("zh", "所有商品均可退货。", [("quantifier:all", "所有", "商品"), ("modal:can", "可", "退货")]),
    ("zh", "每天开放。", [("quantifier:all", "每", "天")]),
    ("zh", "每位客户都来。", [("quantifier:all", "每", "位客户")]),
    ("zh", "除周一外开放。", [("condition:except", "除", "周一")]),
    ("zh", "除了周一，周二也闭馆。", []),
    ("zh", "如果下雨，闭馆。", [("condition:if", "如果", "下雨")]),
    ("zh", "因为下雨，所以闭馆。", [("cause:cause", "因为", "下雨"), ("cause:cause", "所以", "闭馆")]),
    ("zh", "会员不得不排队。", [("modal:must", "不得不", "排队")]),
    ("zh", "本店只接受现金。", [("quantifier:only", "只", "接受现金")]),
    ("ja", "すべての商品は高い。", [("quantifier:all", "すべての", "商品")]),
    ("ja", "毎日開館。", [("quantifier:all", "毎", "日")]),
    ("ja", "現金のみです。", [("quantifier:only", "のみ", "現金")]),
    ("ja", "現金しか使えません。", [("quantifier:only", "しか", "現金")]),
    ("ja", "月曜日を除き、開館。", [("condition:except", "を除き", "月曜日")]),
    ("ja", "雨の場合は中止です。", [("condition:if", "場合は", "雨の")]),
    ("ja", "雨のため、中止です。", [("cause:cause", "ため", "雨の")]),
    ("ja", "10時から18時まで開館。", []),
    ("ja", "会員でなければなりません。", [("modal:must", "なければなりません", "会員で")]),
    ("ja", "雨かもしれません。", [("modal:may", "かもしれません", "雨")]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), OTHERS)
def test_quantifiers_conditions_causes_and_modals(language, text, expected):
    assert found(text, language) == expected


@given(text=st.text(max_size=60), language=st.sampled_from(LANGUAGES))
def test_facts_are_in_order_and_their_scopes_lie_in_the_text(text, language):
    facts = markers(text, language)
    assert list(facts) == sorted(facts, key=lambda fact: (fact.start, fact.end, fact.kind))
    for fact in facts:
        assert text[fact.start : fact.end] == fact.text
        scope = fact.value.scope
        assert scope is None or (scope[1] <= len(text) and text[scope[0]].isalnum() and text[scope[1] - 1].isalnum())


@given(prefix=st.sampled_from(["", "Yes. ", "Well: ", "(x) "]))
def test_what_stands_in_another_sentence_shifts_a_fact_and_changes_nothing_else(prefix):
    text = "Opened items cannot be returned unless they are broken."
    for before, after in zip(markers(text, "en"), markers(prefix + text, "en"), strict=True):
        moved = tuple(position + len(prefix) for position in before.value.scope)
        assert (after.kind, after.start, after.value.scope) == (before.kind, before.start + len(prefix), moved)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_of_the_tables_is_well_formed(language):
    for meanings, rule, alternatives in _TABLES[language].rows:
        for meaning in meanings.split():
            kind, sense = meaning.split(":")
            assert sense in SENSES[kind]
        assert (rule in SCOPE_RULES) == bool(meanings)
        assert re.compile(alternatives).groups == 0
