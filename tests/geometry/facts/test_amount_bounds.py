"""Whether an amount is exact, about, at least or at most, by the words around it in each language."""

from decimal import Decimal

import pytest

from ragcortex.geometry.facts.amounts import amounts


def only(text, language="en"):
    """Return the one amount of a text."""
    found = amounts(text, language)
    assert len(found) == 1, found
    return found[0]


BOUNDS = {
    "en": {
        "about": ["about 5 km", "~5 km", "≈ 5 km", "nearly 5 km", "roughly 5 km", "5 km or so"],
        "at_least": [
            "more than 5 km",
            "over 5 km",
            "at least 5 km",
            "≥ 5 km",
            ">5 km",
            "5 km or more",
            "5+ km",
            "no less than 5 km",
            "minimum of 5 km",
        ],
        "at_most": [
            "less than 5 km",
            "under 5 km",
            "up to 5 km",
            "at most 5 km",
            "<= 5 km",
            "no more than 5 km",
            "5 km or less",
            "not exceed 5 km",
        ],
        "exact": ["5 km", "exactly 5 km", "5 km. More than that"],
    },
    "de": {
        "about": ["etwa 5 km", "rund 5 km", "ca. 5 km"],
        "at_least": ["mindestens 5 km", "mehr als 5 km", "über 5 km", "5 km oder mehr"],
        "at_most": ["höchstens 5 km", "bis zu 5 km", "weniger als 5 km", "nicht mehr als 5 km"],
        "exact": ["5 km"],
    },
    "fr": {
        "about": ["environ 5 km", "près de 5 km"],
        "at_least": ["plus de 5 km", "au moins 5 km", "5 km ou plus", "à partir de 5 km"],
        "at_most": ["moins de 5 km", "jusqu'à 5 km", "pas plus de 5 km", "au maximum 5 km"],
        "exact": ["5 km"],
    },
    "es": {
        "about": ["unos 5 km", "aproximadamente 5 km"],
        "at_least": ["más de 5 km", "al menos 5 km", "5 km o más"],
        "at_most": ["menos de 5 km", "hasta 5 km", "no más de 5 km", "como máximo 5 km"],
        "exact": ["5 km"],
    },
    "zh": {
        "about": ["约5公里", "大约有5公里", "5公里左右"],
        "at_least": ["至少5公里", "超过5公里", "5公里以上", "5多公里", "不少于5公里"],
        "at_most": ["不到5公里", "5公里以下", "5公里以内", "不超过5公里", "最多5公里"],
        "exact": ["5公里", "高达5公里"],
    },
    "ja": {
        "about": ["約5km", "およそ5km", "5km程度"],
        "at_least": ["5km以上", "少なくとも5km"],
        "at_most": ["5km以下", "5km未満", "5km以内", "最大5km"],
        "exact": ["5km"],
    },
}


@pytest.mark.parametrize(
    ("text", "language", "bound"),
    [(text, language, bound) for language, lists in BOUNDS.items() for bound, texts in lists.items() for text in texts],
)
def test_bounds(text, language, bound):
    fact = only(text, language)
    assert (fact.value.low, fact.value.unit, fact.value.bound) == (Decimal(5), "kilometre", bound)


def test_from_bounds_a_price_only():
    assert only("from $50 per night").value.bound == "at_least"
    assert amounts("up 5 percent from $50", "en")[1].value.bound == "exact"
    assert only("made from 5 parts").value.bound == "exact"
    assert [fact.value.bound for fact in amounts("fell from $50 to $40", "en")] == ["exact", "exact"]


def test_the_bound_word_is_no_part_of_the_fact():
    assert only("more than 430 metres high").text == "430 metres"
