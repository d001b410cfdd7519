"""Amounts of a claim against those of the references: both sides of each kind, in several languages."""

import pytest
from comparing import found, is_binding, placed, touched

from ragcortex.geometry.facts.compare import compare

WRONG = [
    ("en", "The bridge is 412 metres long.", "The bridge is 421 metres long.", "421"),
    ("en", "The bridge is 412 metres long.", "The bridge, built of steel, is 4,120 m long.", "4,120"),
    ("de", "Das Museum zählte 2019 rund 84.000 Besucher.", "Das Museum zählte 2019 rund 48.000 Besucher.", "48.000"),
    ("fr", "Le pont mesure 412 mètres.", "Le pont mesure 214 mètres.", "214"),
    ("es", "El puente mide 412 metros.", "El puente mide 241 metros.", "241"),
    ("zh", "大桥全长412米。", "大桥全长421米。", "421"),
    ("ja", "橋の長さは412メートルです。", "橋の長さは421メートルです。", "421"),
    ("en", "The annual fee is $90.", "The annual fee is €90.", "€90"),
    ("de", "Die Garantie gilt 24 Monate.", "Die Garantie gilt 24 Jahre.", "Jahre"),
    ("ja", "保証期間は購入日から1年間です。", "保証期間は購入日から3年間です。", "3年間"),
    ("en", "Each capsule contains 40 mg of iron.", "Each capsule contains 40 g of iron.", "g"),
    ("en", "Passwords need at least 12 characters.", "Passwords need at least 8 characters.", "8"),
    ("en", "Up to 20 items may be borrowed at a time.", "Up to 25 items may be borrowed at a time.", "25"),
    # Another limit, although amounts elsewhere keep the claimed one.
    ("en", "Return items within 30 days. Parcels take 5 days.", "Return items within 60 days.", "60"),
    (
        "de",
        "Rückgabe ist binnen 30 Tagen möglich. Pakete brauchen bis zu 5 Tage.",
        "Rückgabe ist binnen höchstens 60 Tagen möglich.",
        "60",
    ),
    ("en", "Luggage of up to 20 kg is free. A suitcase weighs 4 kg.", "Luggage of up to 30 kg is free.", "30"),
    (
        "en",
        "Drivers must be at least 21 years old. Ms Reed is 40 years old.",
        "Drivers must be at least 18 years old.",
        "18",
    ),
    ("en", "The mill is 96 m high. The tower is 94 m high.", "The mill is 69 m high.", "69"),
    (
        "en",
        "North Field yielded 31 tonnes, East Field 38 tonnes and West Field 36 tonnes.",
        "Every field yielded more than 35 tonnes.",
        "more than 35 tonnes",
    ),
    ("en", "Eklund scored 19 goals. Bassi scored 14 goals.", "Eklund and Bassi scored 37 goals together.", "37"),
    ("zh", "2022年游客120万人次，2023年游客150万人次。", "2023年的游客比2022年多80万人次。", "80万"),
]
RIGHT = [
    ("en", "The four hives gave 31, 38, 36 and 33 kg.", "Each hive gave more than 30 kg.", ""),
    ("en", "Return items within 30 days. Parcels take 5 days.", "Parcels take at most a week.", ""),
    ("en", "The town has 5,900,000 inhabitants.", "About 5.9 million people live in the town.", ""),
    ("de", "Die Stadt hat 5.900.000 Einwohner.", "Die Stadt hat 5,9 Millionen Einwohner.", ""),
    ("zh", "该市有590万人口。", "该市人口约5,900,000。", ""),
    ("en", "Stir in half a teaspoon of salt.", "Stir in ½ teaspoon of salt.", ""),
    ("en", "The oil has a density of 0.87 g/cm³.", "The density of the oil is 870 kg/m³.", ""),
    ("en", "The trip takes 1 hour 35 minutes.", "The trip takes 95 minutes.", ""),
    ("en", "The rent is €840 a month, the deposit three months' rent.", "The deposit amounts to €2,520.", ""),
    ("en", "The school has 120 places, a quarter of them for boarders.", "Thirty places are for boarders.", ""),
    (
        "en",
        "A ticket costs £6.50. A card for ten visits costs £55.",
        "Ten tickets cost £65, so the card saves £10.",
        "",
    ),
    ("en", "Of 250–300 inhabitants of Lone Pine, 27 perished.", "Between 223 and 273 inhabitants survived.", ""),
    ("en", "She walked 19 km to school each weekend.", "The round trip to school was 38 km.", ""),
    ("en", "In the runoff Vale won 60% of the vote.", "Her opponent received 40% of the vote.", ""),
    ("en", "The fair lasts from 12 to 15 September.", "The fair lasts four days.", ""),
    ("fr", "La foire a lieu du 12 au 15 septembre.", "La foire dure quatre jours.", ""),
    ("en", "The shop is open from 9:00 to 17:00.", "The shop is open for 8 hours.", ""),
    ("en", "Marta Oyen was born in 1950 and died in 1993.", "Marta Oyen died at the age of 43.", ""),
    ("en", "Scores were 82%, 85% and 88%.", "All scores were between 80 and 90%.", ""),
    ("fr", "Elle est gratuite pour les enfants de moins de 10 ans.", "Un enfant de huit ans entre gratuitement.", ""),
    ("en", "Applicants need at least 60% in maths.", "With only 55% in maths you do not get in.", ""),
    ("en", "The walk takes an hour.", "There are two ways to get there.", ""),
    ("en", "The walk takes an hour.", "1. Start early.", ""),
    (
        "en",
        "The walk takes an hour.",
        "You asked about 40 guests, which the guide does not cover.",
        "Is it fit for 40 guests?",
    ),
    ("de", "Die Karte kostet £55.", "Die Karte kostet 55 Pfund.", ""),
]


@pytest.mark.parametrize(("language", "reference", "answer", "wanted"), WRONG)
def test_a_wrong_amount_is_found_at_its_place(language, reference, answer, wanted):
    assert touched(language, reference, answer, wanted), found(language, reference, answer)


@pytest.mark.parametrize(("language", "reference", "answer", "question"), RIGHT)
def test_an_amount_that_is_stated_or_follows_is_no_finding(language, reference, answer, question):
    assert not [one for one in found(language, reference, answer, question) if is_binding(one)]


def test_an_amount_of_the_question_that_a_reference_contradicts_is_found():
    reference, question = "The Lowe bridge is 412 metres long.", "Who built the 421 metre long Lowe bridge?"
    assert touched("en", reference, "The Lowe bridge is 421 metres long.", "421", question=question)


def test_the_unit_alone_is_marked_where_only_the_unit_differs():
    (finding,) = found("en", "The pool opens again in 3 days.", "The pool opens again in 3 weeks.")
    assert (finding.reason, finding.text, finding.evidence.text) == ("unit", "weeks", "3 days")


def test_an_amount_without_a_rival_is_absent():
    (finding,) = found("en", "The castle was built of sandstone.", "The castle was repaired with 60 tonnes of lead.")
    assert (finding.reason, finding.relation, finding.evidence) == ("number", "absent", None)


def test_evidence_order_changes_nothing():
    places = [*placed("The mill is 96 m high.", 0), *placed("The tower is 94 m high. It has 8 bells.", 1)]
    (claim,) = placed("The mill is 69 m high.")
    assert compare(claim, places) == compare(claim, places[::-1])


def test_a_turned_bound_is_marked_with_its_number():
    (finding,) = found("en", "Rinse the eyes for at least 15 minutes.", "Rinse the eyes for no more than 15 minutes.")
    assert (finding.text, finding.evidence.text) == ("more than 15", "15 minutes")
