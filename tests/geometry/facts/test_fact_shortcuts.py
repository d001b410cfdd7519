"""What is looked for only where it may be: the shortcuts find exactly what looking everywhere finds."""

from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts import amount_masks, calendar, calendar_days, markers, units
from ragcortex.geometry.facts.fact import LANGUAGES, Language
from ragcortex.geometry.facts.unit_lexicon import unit_names

# Beginnings, middles and ends of what the shortcuts judge, besides what they must leave alone.
PIECES = (
    *("not", "Not only", "no", "No. 5", "don't", "cannot", "n't", "Nothing but", "unless", "everything", "ſome", "may"),
    *("kein", "Keine", "nicht mehr", "außer", "wenn", "ohne", "ne", "n’a", "pas", "jamais", "sauf", "plus", "qu'"),
    *("no", "nunca", "ningún", "sólo", "si", "salvo", "ni", "不", "没有", "如果", "以外", "しか", "ない", "非"),
    *("12", "5.9", "1,200", "1975", "٣", "3-5", "555-0199", "+49 30 1234567", "(030) 123 4567", "24/7", "10.0.0.1"),
    *(
        "9:30",
        "ISBN 3-16-148410-0",
        "ibanx: DE12X",
        "doi:10.1/X",
        "DOİ X",
        "A-12",
        "B12-C",
        "1) ",
        "\n2. ",
        "3、",
        "x@y.z",
    ),
    *(
        "www.a.b",
        "http://host/1",
        "shop.com/x",
        "Tel. 0301234567",
        "call 5 5 5 5 5 5 5",
        "March",
        "3 May",
        "first of June",
    ),
    *(
        "31. März",
        "janvier",
        "el 2 de mayo",
        "3月1日",
        "Monday",
        "second quarter",
        "19th century",
        "the 1990s",
        "(1914)",
    ),
    *(
        "km",
        "kg",
        "Mio.",
        "m²",
        "€",
        "euros",
        "°C",
        "miles per hour",
        "percent",
        "%",
        "円",
        "a",
        "I",
        "été",
        "-",
        "—",
        " ",
    ),
    *("'", "’", ",", ".", "(", "[3]", "\n", "e\u0301"),
)
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from((" ", "", "-", ", ")))).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)
SOME_LANGUAGE = st.sampled_from(LANGUAGES)


@given(TEXTS, SOME_LANGUAGE)
@settings(max_examples=300, deadline=None)
def test_markers_are_those_that_the_whole_pattern_finds(text: str, language: Language) -> None:
    expected = [(match.span(), match.lastgroup) for match in markers._grammar(language).pattern.finditer(text)]
    assert [(match.span(), match.lastgroup) for match in markers._matches(text, 0, language)] == expected


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_marker_of_the_tables_may_begin(language: Language) -> None:
    """Each alternative of a row that is mere words, as it is written there, is found by its first letters."""
    plain = [
        word
        for _, _, alternatives in markers._TABLES[language].rows
        if regex.fullmatch(r"[\p{L}'| -]+", alternatives)
        for word in alternatives.split("|")
    ]
    assert len(plain) > 9
    assert [word for word in plain if not markers._may_begin(word[:4], language)] == []


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_what_is_masked_is_what_the_whole_pattern_finds(text: str) -> None:
    shown = amount_masks.folded(text)
    assert amount_masks._masked_ranges(shown) == [match.span() for match in amount_masks._MASKED.finditer(shown)]


@given(TEXTS, SOME_LANGUAGE)
@settings(max_examples=150, deadline=None)
def test_dates_are_those_found_without_asking_for_digits_and_months(text: str, language: Language) -> None:
    expected = calendar.calendar_facts(text, language)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(calendar, "_DIGIT", regex.compile(""))
        patched.setattr(calendar_days, "_month", lambda _: regex.compile(""))
        assert calendar.calendar_facts(text, language) == expected


@given(TEXTS, SOME_LANGUAGE, st.data())
@settings(max_examples=150, deadline=None)
def test_units_are_those_found_without_asking_for_their_first_letters(
    text: str, language: Language, data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, len(text)))
    expected = units.unit_after(text, position, language)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(units, "_may_begin", lambda *_: True)
        assert units.unit_after(text, position, language) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_of_a_unit_may_begin(language: Language) -> None:
    names: dict[str, Any] = {**unit_names(language).exact, **unit_names(language).folded}
    for name in names:
        for written in (name, name.upper() if name in unit_names(language).folded else name):
            assert units._may_begin(f"5 {written} more", 2, language), written
            assert units._may_begin(f"5{written}", 1, language), written
