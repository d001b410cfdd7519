"""Reasons, texts of references and contributions in words, as the terminal and the page show them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.rendering.explanations import (
    ASCII_SIGNS,
    EVIDENCE_ROOM,
    Signs,
    evidence_fragments,
    explain_contributions,
    explain_reasons,
    name_evidence,
)
from ragcortex.report import Difference, Evidence, FlaggedSpan, Report

TEXT = Evidence(0, 100, 135, "The tower stands in Paris (France).")
PARIS = Evidence(0, 120, 125, "Paris")
BERLIN = Difference(20, 26, "Berlin", PARIS, "entity")


def shown(make: Callable[..., Report], **changes: Any) -> tuple[Report, FlaggedSpan]:
    report = make("The tower stands in Berlin.", ["Berlin"])
    span = replace(report.spans[0], **({"reasons": ("entity",), "evidence": (TEXT,)} | changes))
    return replace(report, spans=(span,)), span


def test_a_reason_with_its_pieces(make: Callable[..., Report]) -> None:
    report, span = shown(make, differences=(BERLIN,))
    assert explain_reasons(report, span, Signs()) == "a name differs: «Berlin» in the answer, «Paris» in the reference"
    assert (
        explain_reasons(report, span, ASCII_SIGNS) == 'a name differs: "Berlin" in the answer, "Paris" in the reference'
    )
    assert name_evidence(report, span, TEXT) == "reference 1"
    other = replace(TEXT, reference=2, source="guide.pdf")
    assert name_evidence(report, span, other) == "nearest is reference 3, guide.pdf"


def test_each_reason_differs_for_itself(make: Callable[..., Report]) -> None:
    """One reason is contradicted, and no reference has the other fact."""
    report, span = shown(make, reasons=("number", "entity", "low_support"), differences=(BERLIN,))
    assert explain_reasons(report, span, Signs()) == (
        "no reference has this number; a name differs: «Berlin» in the answer, «Paris» in the reference; "
        "no reference says this"
    )


def test_several_references_and_pieces(make: Callable[..., Report]) -> None:
    other = replace(TEXT, reference=2)
    again = Difference(20, 23, "Ber", replace(PARIS, reference=2), "entity")
    report, span = shown(make, evidence=(TEXT, other), differences=(BERLIN, BERLIN, again))
    assert explain_reasons(report, span, Signs()) == (
        "a name differs: «Berlin» in the answer, «Paris» in reference 1; «Ber» in the answer, «Paris» in reference 3"
    )


def test_pieces_without_a_reason_come_last(make: Callable[..., Report]) -> None:
    report, span = shown(make, differences=(replace(BERLIN, reason=None),))
    assert explain_reasons(report, span, Signs()) == (
        "a name differs; «Berlin» in the answer, «Paris» in the reference"
    )


def test_what_no_reference_has(make: Callable[..., Report]) -> None:
    report, span = shown(make)
    assert explain_reasons(report, span, Signs()) == "no reference has this name"
    assert name_evidence(report, span, TEXT) == "nearest is reference 1"
    report, span = shown(make, reasons=("stitched",))
    assert name_evidence(report, span, TEXT) == "reference 1"


def test_a_long_piece_is_cut_visibly(make: Callable[..., Report]) -> None:
    long = Evidence(0, 0, 500, "word " * 100)
    report, span = shown(make, evidence=(long,), differences=(replace(BERLIN, evidence=long),))
    words = explain_reasons(report, span, Signs())
    assert words == f"a name differs: «Berlin» in the answer, «{' '.join(['word'] * 16)}…» in the reference"


def test_fragments_of_a_short_text_are_all_of_it() -> None:
    fragments = evidence_fragments(TEXT, (BERLIN, BERLIN), EVIDENCE_ROOM, Signs())
    assert [(one.text, one.is_piece) for one in fragments] == [
        ("The tower stands in ", False),
        ("Paris", True),
        (" (France).", False),
    ]
    other = replace(BERLIN, evidence=replace(PARIS, reference=1))
    assert [(one.text, one.is_piece) for one in evidence_fragments(TEXT, (other,), 99, Signs())] == [(TEXT.text, False)]


def test_a_long_text_is_cut_around_the_piece() -> None:
    text = "many words before " * 9 + "the tower in Paris" + " and many words behind" * 9
    at = text.index("Paris")
    evidence = Evidence(0, 7, 7 + len(text), text)
    difference = replace(BERLIN, evidence=Evidence(0, 7 + at, 12 + at, "Paris"))
    fragments = evidence_fragments(evidence, (difference,), 60, Signs())
    assert "".join(one.text for one in fragments) == "… the tower in Paris and many words behind and many words…"
    assert [one.text for one in fragments if one.is_piece] == ["Paris"]
    assert (
        "".join(one.text for one in evidence_fragments(evidence, (), 30, ASCII_SIGNS))
        == "many words before many words..."
    )


@given(
    st.text(st.sampled_from("ab e\u0301\U0001f469\u200d世"), min_size=1, max_size=80),
    st.integers(0, 79),
    st.integers(1, 80),
    st.integers(1, 40),
)
def test_any_cut(text: str, start: int, length: int, room: int) -> None:
    """What is shown is whole graphemes in a row, with the start of the piece, and an ellipsis for what is left out."""
    start = min(start, len(text) - 1)
    end = min(len(text), start + length)
    difference = replace(BERLIN, evidence=Evidence(0, start, end, text[start:end]))
    fragments = evidence_fragments(Evidence(0, 0, len(text), text), (difference,), room, Signs())
    whole = "".join(one.text for one in fragments)
    bare = whole.removeprefix("… ").removesuffix("…")
    assert bare
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    places = [at for at in range(len(text)) if text.startswith(bare, at) and {at, at + len(bare)} <= boundaries]
    assert places
    assert any(one.is_piece and text[start:end].startswith(one.text[0]) for one in fragments)
    assert whole.startswith("… ") or text.startswith(bare)
    assert whole.endswith("…") or text.endswith(bare)
    if len(text) <= room:
        assert whole == text


def test_contributions_in_words() -> None:
    assert explain_contributions({"b": -1.0, "a": 1.0, "max_similarity": 0.05}, Signs()) == (
        "a +1.00, b −1.00, similarity to the nearest text +0.05"
    )
    assert explain_contributions({"a": 2.0, "b": 0.04, "c": -0.04}, Signs()) == "a +2.00"
    assert explain_contributions({"b": -0.04, "c": -0.04}, ASCII_SIGNS) == "others -0.08"
    assert explain_contributions({"b": -0.001}, Signs()) == "others +0.00"
    assert explain_contributions({}, Signs()) == ""


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 5), min_size=1))
def test_contributions_shown_add_up(contributions: dict[str, float]) -> None:
    parts = explain_contributions(contributions, ASCII_SIGNS).split(", ")
    values = [float(part.rpartition(" ")[2]) for part in parts]
    sizes = [abs(value) for value, part in zip(values, parts, strict=True) if not part.startswith("others")]
    assert sizes == sorted(sizes, reverse=True)
    assert abs(sum(values) - sum(contributions.values())) <= 0.005 * (len(parts) + 1) + 1e-9
