"""Names of a claim against those of the references: another name, or a known one in another's slot."""

import pytest
from comparing import found, is_binding, touched

HISTORY = (
    "Corvand Textiles was founded in Halberg in 1928 by the sisters Edith and Clara Corvand. "
    "The company moved its head office to Lindport in 1991."
)
WRONG = [
    ("en", "The castle stands in Marbury.", "The castle stands in Penrow.", "Penrow"),
    (
        "en",
        "Transfers need the written consent of Hallam Software.",
        "Transfers need the written consent of Marlow Software.",
        "Marlow Software",
    ),
    ("en", HISTORY, "Corvand Textiles was founded in Lindport in 1928.", "Lindport"),
    (
        "en",
        "The line runs from Ostwick via Marbury. On weekdays trains leave Ostwick at 6:12 and 8:42.",
        "On weekdays trains leave Marbury at 6:12 and 8:42.",
        "Marbury",
    ),
    (
        "en",
        "The club's top scorer was Jonas Eklund with 19 goals. Dario Bassi scored 14 goals.",
        "The club's top scorer was Dario Bassi.",
        "Dario Bassi",
    ),
    (
        "en",
        "The landlord is Ms Ilse Varga. The tenant is Mr Tomas Reed.",
        "The landlord is Mr Tomas Reed.",
        "Tomas Reed",
    ),
    ("fr", "Le château se trouve à Valbrune.", "Le château se trouve à Montfort.", "Montfort"),
    ("es", "La cooperativa se fundó en Villamora.", "La cooperativa se fundó en Puertoclaro.", "Puertoclaro"),
]
RIGHT = [
    ("en", HISTORY, "In 1991 the head office was moved to Lindport."),
    ("en", HISTORY, "Edith and Clara Corvand founded Corvand Textiles in Halberg."),
    (
        "en",
        "Porter was a senior prosecutor for the Director of Public Prosecutions WA.",
        "Porter was a senior prosecutor for the DPP.",
    ),
    (
        "en",
        "The villagers of Rraboshtë are known for their patriotism.",
        "The villagers of Raboshtë are known for their patriotism.",
    ),
    (
        "en",
        "The Commission is the executive of the European Union. The EC has ordered its staff to remove the app.",
        "The executive of the European Union has ordered its staff to remove the app.",
    ),
    ("en", "Corvand employs 640 people in Lindport and 275 in Halberg.", "Corvand employs 275 people in Halberg."),
    ("de", "Die Firma sitzt in Deutschland.", "Die deutsche Firma sitzt dort."),
]


@pytest.mark.parametrize(("language", "reference", "answer", "wanted"), WRONG)
def test_a_wrong_name_is_contradicted_at_its_place(language, reference, answer, wanted):
    assert touched(language, reference, answer, wanted, reasons={"entity"}), found(language, reference, answer)


@pytest.mark.parametrize(("language", "reference", "answer"), RIGHT)
def test_a_name_in_its_own_place_is_no_binding_finding(language, reference, answer):
    assert not [one for one in found(language, reference, answer) if is_binding(one)]


def test_a_name_without_a_rival_is_absent():
    (finding,) = found("en", "The castle was built of sandstone.", "The architect of the castle was Ruth Almond.")
    assert (finding.reason, finding.relation, finding.text) == ("entity", "absent", "Ruth Almond")


def test_a_name_of_the_question_is_no_finding():
    assert not found("en", "The castle is old.", "Ruth Almond is not mentioned.", "Was Ruth Almond the architect?")
