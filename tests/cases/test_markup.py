"""U5: citation markers, bold, bullets, tables and JSON, as answer or as reference, hide no fact and claim nothing."""

import json

import pytest

from made_detectors import geometric
from ragcortex.report import Report

PROSE = "The tower of Arden was built in 1874 by the architect Mary Holt. Its height is 41 metres."
RECORD = {"name": "tower of Arden", "height": "41 metres", "built": 1874, "architect": "Mary Holt"}
JSON = json.dumps(RECORD)
INDENTED = json.dumps(RECORD, indent=2)
TABLE = (
    "| name | height | built |\n|---|---|---|\n"
    "| tower of Arden | 41 metres | 1874 |\n| bridge of Lyle | 52 metres | 1902 |"
)
BULLETS = "- The tower was built in **1874** [1].\n- Its height is **41 metres** (Holt, 2020).\n- See [2, 3]."
NUMBERED = "1. The tower was built in `1874`.\n2. Its height is __41__ metres."


def check(reference: str, answer: str) -> Report:
    report = geometric().check(None, [reference], answer)
    for part in (*report.tokens, *report.spans, *report.sentences):
        assert answer[part.start : part.end] == part.text
    return report


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        *((PROSE, answer) for answer in (JSON, INDENTED, BULLETS, NUMBERED)),
        *((reference, PROSE) for reference in (JSON, INDENTED)),
        *((text, text) for text in (JSON, INDENTED, TABLE, BULLETS, NUMBERED)),
        (TABLE, "The tower of Arden is 41 metres high and was built in 1874."),
    ],
)
def test_a_fact_in_any_form_is_contradicted_nowhere(reference: str, answer: str) -> None:
    report = check(reference, answer)
    assert not any(span.reasons[0] in ("number", "date", "entity", "role") for span in report.spans)
    assert not any(sentence.state == "contradicted" for sentence in report.sentences)


@pytest.mark.parametrize(("right", "wrong"), [("1874", "1902"), ("41", "43")])
@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        *((PROSE, answer) for answer in (JSON, INDENTED, BULLETS, NUMBERED)),
        *((text, text) for text in (JSON, INDENTED, BULLETS, NUMBERED)),
    ],
)
def test_a_changed_fact_in_any_form_is_marked_at_its_place(reference: str, answer: str, right: str, wrong: str) -> None:
    changed = answer.replace(right, wrong)
    report = check(reference, changed)
    place = changed.index(wrong)
    assert any(span.start <= place < span.end for span in report.spans)
    assert not any(
        span.start <= changed.index(mark) < span.end for span in report.spans for mark in ("[1]",) if mark in changed
    )


def test_a_cell_of_another_row_is_marked() -> None:
    report = check(TABLE, "The tower of Arden is 52 metres high and was built in 1874.")
    assert [span.text for span in report.spans] == ["52 metres"]


@pytest.mark.parametrize(
    "pointer",
    ["[3]", "[1, 2]", "(Holt, 2020)", "See [2, 3].", "See (Holt, 2020; Arden, 2018).", "See also [2].", "Cf. [3]"],
)
def test_markers_beside_a_claim_claim_nothing_and_are_never_marked(pointer: str) -> None:
    plain = check(PROSE, "Its height is 41 metres.")
    beside = check(PROSE, f"Its height is 41 metres.\n\n{pointer}")
    assert beside.verdict == plain.verdict
    assert beside.score == pytest.approx(plain.score, abs=1e-6)
    assert beside.signals["support_rate"] == plain.signals["support_rate"]
    assert not [span for span in beside.spans if span.end > len("Its height is 41 metres.")]


@pytest.mark.parametrize("pointer", ["[3]", "(Holt, 2020)", "See [2].", "Siehe auch [2].", "Voir [2].", "参见[2]。"])
def test_markers_alone_claim_nothing(pointer: str) -> None:
    report = check(PROSE, pointer)
    assert (report.verdict, report.score) == ("no_claim", None)
