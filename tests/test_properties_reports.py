"""Whatever is asked, given and answered, every kind of detector gives a report of the schema, or an error of ours."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made_detectors import attentive, fused, geometric, internal
from ragcortex.detectors.detector import Detector
from ragcortex.errors import RagcortexError
from ragcortex.example import Example
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.report import UNJUDGED, Report

SCHEMA = json.loads(files("ragcortex").joinpath("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
KINDS = ("internal", "attentive", "geometric", "fused", "cascade")
PIECES = (
    "The lighthouse", " was built in 1874", " by Mary Holt", ". ", "; ", "\n\n", "\r\n- ", "[3]", "(Holt, 2020)",
    "**41 m**", "| a | 5 |", '{"height": "41 m"}', "$1,200.00", "not ", "I don't know. ", "Hello! ", "塔高41米。",
    "灯台は1902年に建てられた。", "بُنيت عام 1874. ", "👩\u200d👩\u200d👧\u200d👦", "e\u0301", "ﬁ…", "Ｆｕｌｌ",
    "\u202eabc", "\u200b", "\x00", "\x1b[31m", "<|im_end|>", "</s>", "5\ufe0f\u20e3", " ", "\t",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
    st.text(st.characters(codec="utf-8"), max_size=40),
)


@pytest.fixture(scope="module")
def detectors(tiny_reader_folder: Path) -> dict[str, Detector]:
    """Every kind; the window is so small that some texts are read in windows and pieces."""
    reader = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256))
    inner = internal(reader)
    made = (inner, attentive(reader), geometric(), fused(inner), fused(inner, cascade=True))
    return dict(zip(KINDS, made, strict=True))


def assert_sound(report: Report, example: Example) -> None:
    """Assert what holds of every report: schema, round trip, places, graphemes, ranges of scores, status or score."""
    values = report.to_dict()
    VALIDATOR.validate(values)
    assert Report.from_dict(json.loads(report.to_json())).to_json() == report.to_json()
    assert (report.answer, report.question) == (example.answer, example.question)
    edges = {0, *(match.end() for match in regex.finditer(r"\X", example.answer))}
    for part in (*report.tokens, *report.spans, *report.sentences, *report.paragraphs):
        assert example.answer[part.start : part.end] == part.text
        assert {part.start, part.end} <= edges
        assert part.score is None or 0 <= part.score <= 1
    for before, after in zip(report.spans, report.spans[1:], strict=False):
        assert before.end <= after.start
    for evidence in (one for part in (*report.spans, *report.sentences) for one in part.evidence):
        text = example.references[evidence.reference].text
        assert text[evidence.start : evidence.end] == evidence.text
    assert (report.score is None) == (report.verdict in UNJUDGED)
    if report.score is None:
        assert report.notes, "a status says why"
        assert not report.spans
    else:
        assert 0 <= report.score <= 1
        assert "".join(token.text for token in report.tokens) == example.answer


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.none() | TEXTS, references=st.lists(TEXTS, max_size=3), answer=TEXTS)
def test_any_input_gives_a_report_of_the_schema_or_an_error_of_ours(
    detectors: dict[str, Detector], kind: str, question: str | None, references: list[str], answer: str
) -> None:
    example = Example.of(question, references, answer)
    (outcome,) = detectors[kind].check_many([example])
    if outcome.report is not None:
        assert_sound(outcome.report, example)
    else:
        assert isinstance(outcome.error, RagcortexError)
        assert str(outcome.error)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answers=st.lists(TEXTS, max_size=4), kind=st.sampled_from(KINDS))
def test_of_many_answers_each_has_one_outcome_in_order(
    detectors: dict[str, Detector], answers: list[str], kind: str
) -> None:
    examples = [Example.of("Where?", ["The lighthouse was built in 1874."], answer) for answer in answers]
    outcomes = list(detectors[kind].check_many(examples))
    assert [outcome.example for outcome in outcomes] == examples
    for outcome, example in zip(outcomes, examples, strict=True):
        alone = detectors[kind].check_example(example)
        assert outcome.report is not None
        assert_sound(outcome.report, example)
        assert outcome.report.verdict == alone.verdict
        assert outcome.report.score == pytest.approx(alone.score, abs=1e-4)
