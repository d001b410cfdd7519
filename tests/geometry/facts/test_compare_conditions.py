"""Quantifiers, conditions and modality: a claim that holds more widely than its reference, and claims that do not."""

import pytest
from comparing import found, is_binding, touched

WRONG = [
    (
        "en",
        "Bicycles are carried free except between 7 and 9 am.",
        "Bicycles are carried free at all times.",
        "at all times",
    ),
    ("en", "Support answers e-mails from Monday to Friday.", "Support answers e-mails every day.", "every day"),
    ("de", "Die Nachtabfahrt ist nur freitags geöffnet.", "Die Nachtabfahrt ist täglich geöffnet.", "täglich"),
    (
        "fr",
        "L'entrée coûte 7 €. Elle est gratuite pour les enfants de moins de 10 ans.",
        "L'entrée est gratuite pour tous les visiteurs.",
        "tous les visiteurs",
    ),
    (
        "es",
        "Sierra Clara vende el 65 % de su aceite en el extranjero.",
        "Sierra Clara vende todo su aceite en el extranjero.",
        "todo",
    ),
    ("zh", "门票每张35元，65岁以上老人免票。", "所有游客都免票。", "所有游客"),
    ("ja", "サウナは16歳以上の方のみ利用できます。", "サウナは誰でも利用できます。", "誰でも"),
    (
        "en",
        "The tenant pays for minor repairs; the landlord pays for all other repairs.",
        "The landlord pays for all repairs, however small.",
        "all repairs",
    ),
    (
        "en",
        "Applicants who do not speak English must also pass the CELT test.",
        "All applicants must pass the CELT test.",
        "All applicants",
    ),
    (
        "en",
        "Unopened items may be returned within 30 days.",
        "Every item may be returned within 30 days.",
        "Every item",
    ),
    ("en", "Contact with acids may cause a fire.", "Contact with acids always causes a fire.", "always"),
    ("en", "Some trails are closed in winter.", "All trails are closed in winter.", "All trails"),
    (
        "en",
        "A loan can be renewed twice unless another reader has reserved the item.",
        "A loan can be renewed twice.",
        "renewed",
    ),
    ("en", "Orders above $50 ship free.", "Orders ship free.", "ship free"),
]
RIGHT = [
    (
        "en",
        "Bicycles are carried free except between 7 and 9 am.",
        "Bicycles are carried free, but not between 7 and 9 am.",
    ),
    ("en", "All trails are closed in winter.", "All trails are closed in winter."),
    ("en", "Support answers e-mails every day.", "Support answers e-mails daily."),
    ("ja", "サウナは16歳以上の方のみ利用できます。", "サウナを利用できるのは16歳以上の方のみです。"),
    ("en", "Some trails are closed in winter.", "Some of the trails are closed in winter."),
    (
        "en",
        "A loan can be renewed twice unless another reader has reserved the item.",
        "Unless somebody has reserved it, a loan can be renewed twice.",
    ),
    ("en", "All visitors get a map. Visitors over 60 get a seat.", "All visitors get a map."),
    ("en", "When he was four he lost part of a finger.", "He did not have all 10 fingers."),
    ("en", "All employees, except trainees, get a bonus.", "All employees except trainees get a bonus."),
    ("en", "They all enjoyed some time off.", "They all enjoyed time off."),
    (
        "en",
        "Tarn will play in the All Stars game as part of the preparations.",
        "Tarn will play in the All Stars game.",
    ),
    ("fr", "Elle est gratuite pour tous les visiteurs.", "Tous les visiteurs entrent gratuitement."),
]


@pytest.mark.parametrize(("language", "reference", "answer", "wanted"), WRONG)
def test_a_dropped_limit_is_found_at_its_place(language, reference, answer, wanted):
    assert touched(language, reference, answer, wanted, reasons={"condition", "date"}), found(
        language, reference, answer
    )


@pytest.mark.parametrize(("language", "reference", "answer"), RIGHT)
def test_a_claim_within_its_limits_is_no_finding(language, reference, answer):
    assert not [one for one in found(language, reference, answer) if is_binding(one)]


def test_another_sentence_without_the_limit_settles_it():
    references = ["Unopened items may be returned within 30 days.", "Every item may be returned within 30 days."]
    assert not found("en", references, "Every item may be returned within 30 days.")
