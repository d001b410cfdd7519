"""Negations and opposites: both sides of each kind, in several languages."""

import pytest
from comparing import found, is_binding, touched

WRONG = [
    ("en", "Smoking is not allowed inside the tower.", "Smoking is allowed inside the tower.", "allowed"),
    ("en", "Do not take the tablets together with alcohol.", "You can take the tablets together with alcohol.", "take"),
    (
        "de",
        "Hunde dürfen nicht in die Gondel mitgenommen werden.",
        "Hunde dürfen in die Gondel mitgenommen werden.",
        "mitgenommen",
    ),
    ("fr", "Les chiens ne sont pas admis dans les halles.", "Les chiens sont admis dans les halles.", "admis"),
    ("es", "No se admiten visitas durante la cosecha.", "Se admiten visitas durante la cosecha.", "admiten"),
    ("zh", "园内禁止携带宠物。", "园内允许携带宠物。", "允许"),
    ("ja", "浴室内での撮影は禁止されています。", "浴室内での撮影は禁止されていません。", "禁止されていません"),
    (
        "en",
        "Veltrin is a liquid. It is highly flammable and insoluble in water.",
        "Veltrin is not highly flammable.",
        "not",
    ),
    (
        "en",
        "Veltrin is a liquid. It is highly flammable and insoluble in water.",
        "Veltrin is soluble in water.",
        "soluble",
    ),
    ("en", "Take the tablet after a meal.", "Take the tablet before a meal.", "before"),
    ("en", "Dizziness is common; a rash occurs rarely.", "A rash is a common side effect.", "common"),
    (
        "en",
        "Children under 8 may only swim when accompanied by an adult.",
        "Children under 8 may swim on their own.",
        "on their own",
    ),
    ("zh", "东馆周一闭馆，其余日期开放。", "东馆周一照常开放。", "开放"),
    (
        "en",
        "The licence may not be transferred without written consent.",
        "The licence may be transferred to anyone.",
        "transferred",
    ),
]
RIGHT = [
    ("en", "Smoking is not allowed inside the tower.", "Inside the tower, smoking is not allowed."),
    ("en", "Smoking is not allowed inside the tower.", "Smoking is prohibited inside the tower."),
    ("en", "Take the tablet after a meal.", "The tablet should not be taken before the meal but after it."),
    ("en", "Do not salt the barley before it is soft.", "Wait until the barley is soft before you salt it."),
    (
        "en",
        "The licence may not be transferred without written consent.",
        "With written consent, the licence may be transferred.",
    ),
    ("en", "Not to be confused with sister company Kalitta Air.", "sister company"),
    (
        "en",
        "Since no candidate received a majority of the vote, a second round was held.",
        "Vale received most of the vote in the second round.",
    ),
    (
        "en",
        "We left out the cells by not using the voice recognition feature.",
        "It was too expensive due to the voice recognition feature.",
    ),
    ("en", "Summers are the longest season in Tarn. Winter in Tarn is mild.", "Yes, Tarn has winters."),
    ("en", "First quarter earnings were higher than a year ago.", "Earnings were higher than last year."),
    (
        "en",
        "They married shortly after his graduation in 1946.",
        "Before his graduation in 1946 he attended two colleges.",
    ),
    ("ja", "浴室内での撮影は禁止されています。", "浴室内での撮影は禁止されています。"),
    (
        "de",
        "Hunde dürfen nicht in die Gondel mitgenommen werden.",
        "In die Gondel dürfen Hunde nicht mitgenommen werden.",
    ),
    ("zh", "园内禁止携带宠物。", "园内不允许携带宠物。"),
    ("en", "The pool opens at 7:30. The pool closes at 21:00.", "The pool closes at 21:00."),
    ("en", "The pool opens at 7:30 and is shut at 21:00.", "The pool closes at 21:00."),
    ("en", "The train leaves at 8:42.", "The 8:42 train arrives later."),
    (
        "en",
        "The Suzhou style is larger than the Nanxiang style.",
        "The Nanxiang style is smaller than the Suzhou style.",
    ),
    (
        "en",
        "He does not want a long break - so will not rush himself back to action.",
        "He does not want a long break so will not rush himself back to action ahead of time.",
    ),
    ("en", "Mark Nunes, Mary's father, lost custody.", "Genevieve, Mary's mother, refused to give up her daughter."),
]


@pytest.mark.parametrize(("language", "reference", "answer", "wanted"), WRONG)
def test_a_turned_statement_is_found_at_its_place(language, reference, answer, wanted):
    assert touched(language, reference, answer, wanted, reasons={"negation"}), found(language, reference, answer)


@pytest.mark.parametrize(("language", "reference", "answer"), RIGHT)
def test_a_statement_of_the_same_polarity_is_no_finding(language, reference, answer):
    assert not [one for one in found(language, reference, answer) if is_binding(one)]


def test_a_sentence_of_the_claims_own_polarity_settles_it():
    references = ["Smoking is not allowed inside the tower.", "Smoking is allowed inside the tower of the annex."]
    assert not found("en", references, "Smoking is allowed inside the tower.")
