"""The JSON of a report: its schema, its round trip, and what is refused on the way in."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ragcortex.detector_info import WITNESSES
from ragcortex.errors import InputError
from ragcortex.report import DetectorInfo, Difference, Evidence, FlaggedSpan, Note, Report, unjudged_report
from ragcortex.report_parts import REASONS, STATES, VERDICTS

SCHEMA = json.loads(files("ragcortex").joinpath("report.schema.json").read_text(encoding="utf-8"))
INFO = DetectorInfo("cortex", "0.1.0", "tiny-reader", "sha256:01", None)


def validate(document: object) -> None:
    Draft202012Validator(SCHEMA).validate(document)


def test_schema_is_a_valid_schema_and_knows_every_code() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["properties"]["verdict"]["enum"]) == VERDICTS
    assert tuple(SCHEMA["$defs"]["sentence"]["properties"]["state"]["enum"]) == STATES
    assert tuple(SCHEMA["$defs"]["span"]["properties"]["reasons"]["items"]["enum"]) == REASONS


def test_keys_and_their_order(tower: Report) -> None:
    document = tower.to_dict()
    assert list(document) == [
        "schema", "id", "verdict", "score", "question", "answer", "tokens", "spans", "sentences", "paragraphs",
        "thresholds", "detector", "notes", "signals",
    ]  # fmt: skip
    assert document["schema"] == "ragcortex.report/1"
    assert document["spans"] == [
        {
            "start": 20,
            "end": 26,
            "text": "Berlin",
            "score": 0.9,
            "reasons": ["entity"],
            "evidence": [
                {"reference": 0, "start": 0, "end": 35, "text": "The tower stands in Paris (France).", "source": None}
            ],
            "differences": [
                {
                    "start": 20,
                    "end": 26,
                    "text": "Berlin",
                    "evidence": {"reference": 0, "start": 20, "end": 25, "text": "Paris", "source": None},
                    "reason": "entity",
                }
            ],
            "contributions": {"reference_gain": 1.5, "max_similarity": -0.75, "spread": 0.01},
        }
    ]
    assert document["thresholds"] == {"token": 0.5, "review": 0.45, "hallucinated": 0.8}


def test_schema_describes_exactly_what_is_written(tower: Report) -> None:
    """Fields may be added to the contract, but not written without being described."""
    document = tower.to_dict()
    described = SCHEMA["$defs"]
    assert list(document) == list(SCHEMA["properties"]) == SCHEMA["required"]
    for name, kind in (("tokens", "token"), ("spans", "span"), ("sentences", "sentence"), ("paragraphs", "paragraph")):
        assert list(document[name][0]) == list(described[kind]["properties"]) == described[kind]["required"]
    assert list(document["spans"][0]["evidence"][0]) == list(described["evidence"]["properties"])
    difference = described["difference"]
    assert list(document["spans"][0]["differences"][0]) == list(difference["properties"]) == difference["required"]
    assert difference["properties"]["reason"]["enum"] == [*REASONS, None]
    assert tuple(described["detector"]["properties"]["witness"]["enum"]) == WITNESSES
    for name in ("thresholds", "detector"):
        assert list(document[name]) == list(described[name]["properties"]) == described[name]["required"]


@pytest.mark.parametrize("name", ["tower", "hostile"])
def test_round_trip_and_schema(name: str, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    for text in (report.to_json(), report.to_json(indent=2)):
        document = json.loads(text)
        assert document == report.to_dict()
        validate(document)
        assert Report.from_dict(document) == report


@pytest.mark.parametrize("verdict", ["no_claim", "not_verifiable"])
@pytest.mark.parametrize("answer", ["", "Sorry. I cannot say."])
def test_round_trip_without_a_score(verdict: Any, answer: str) -> None:
    report = unjudged_report(answer, verdict, [Note("why", "Because.")], INFO)
    document = json.loads(report.to_json())
    validate(document)
    assert document["score"] is None
    assert document["thresholds"] is None
    assert Report.from_dict(document) == report


def test_scores_have_six_decimals_and_a_second_trip_changes_nothing(make: Callable[..., Report]) -> None:
    report = make("One two.", score=1 / 3)
    document = report.to_dict()
    assert document["score"] == 0.333333
    assert Report.from_dict(document).to_dict() == document


def test_text_is_one_line_without_active_characters(hostile: Report) -> None:
    text = hostile.to_json()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
    assert json.loads(text)["answer"] == hostile.answer


def test_line_separators_do_not_break_a_row(make: Callable[..., Report]) -> None:
    text = make("One\u2028two\x85three 世界").to_json()
    assert len(text.splitlines()) == 1
    assert "世界" in text


def test_fields_of_later_versions_are_ignored(tower: Report) -> None:
    document = tower.to_dict() | {"cost": 3}
    document["tokens"][0]["colour"] = "red"
    validate(document)
    assert Report.from_dict(document) == tower


def test_a_report_of_an_earlier_version_still_loads(tower: Report) -> None:
    document = tower.to_dict()
    for part in (*document["spans"], *document["sentences"]):
        del part["contributions"]
    del document["spans"][0]["differences"]
    for name in ("embedder", "embedder_fingerprint"):
        del document["detector"][name]
    loaded = Report.from_dict(document)
    assert (loaded.spans[0].evidence, loaded.spans[0].differences) == (tower.spans[0].evidence, ())
    assert [dict(part.contributions) for part in (*loaded.spans, *loaded.sentences)] == [{}] * 4
    assert loaded.detector == tower.detector
    assert "a name differs\n       reference 1: The tower stands in Paris (France).\n" in loaded.to_text()


@pytest.mark.parametrize("witness", ["both", "cascade"])
def test_round_trip_of_two_models(tower: Report, witness: Any) -> None:
    both = replace(tower.detector, witness=witness, embedder="tiny-encoder", embedder_fingerprint="sha256:02")
    report = replace(tower, detector=both)
    document = json.loads(report.to_json())
    validate(document)
    assert Report.from_dict(document) == report


def test_json_is_never_cut(tower: Report) -> None:
    long = replace(tower.spans[0].evidence[0], end=5035, text="The tower stands in Paris (France)." + "x" * 5000)
    report = replace(tower, spans=(replace(tower.spans[0], evidence=(long,)),))
    assert Report.from_dict(json.loads(report.to_json())) == report


def test_whole_numbers_are_scores_too(make: Callable[..., Report]) -> None:
    document = make("One.", score=1.0).to_dict() | {"score": 1}
    assert Report.from_dict(document).score == 1.0


def _set(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *parents, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
        target: Any = document
        for step in parents:
            target = target[step]
        target[last] = value

    return change


def _drop(path: str) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *parents, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
        target: Any = document
        for step in parents:
            target = target[step]
        del target[last]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_drop("schema"), "schema: is missing"),
        (
            _set("schema", "ragcortex.report/2"),
            "schema: must be 'ragcortex.report/1', got 'ragcortex.report/2'; another version wrote this report",
        ),
        (_drop("tokens/1/raw"), "tokens[1].raw: is missing"),
        (_set("tokens", {}), "tokens: must be a list, got dict"),
        (_set("tokens/0", 3), "tokens[0]: must be a JSON object, got int"),
        (_set("tokens/0/score", 1.5), "tokens[0].score: must be a number in [0, 1], got 1.5"),
        (_set("tokens/0/score", "0.5"), "tokens[0].score: must be a number in [0, 1], got '0.5'"),
        (_set("tokens/0/score", True), "tokens[0].score: must be a number in [0, 1], got True"),
        (_set("tokens/0/start", 0.0), "tokens[0].start: must be a whole number from 0 on, got 0.0"),
        (_set("tokens/0/text", "the"), "tokens[0].text: is not the answer's text at 0..3"),
        (_set("spans/0/reasons", "entity"), "spans[0].reasons: must be a list, got str"),
        (_set("spans/0/reasons/0", "mood"), f"spans[0].reasons[0]: must be one of {', '.join(REASONS)}, got 'mood'"),
        (_drop("spans/0/evidence/0/text"), "spans[0].evidence[0].text: is missing"),
        (
            _set("spans/0/evidence/0/reference", -1),
            "spans[0].evidence[0].reference: must be a whole number from 0 on, got -1",
        ),
        (
            _set("sentences/0/score", None),
            "sentences[0].score: must be a number where the state is contradicted, got null",
        ),
        (
            _set("spans/0/differences/0/evidence/text", "Milan"),
            "spans[0].differences[0].evidence: must be a piece of one of the texts in evidence, at its place",
        ),
        (_drop("spans/0/differences/0/evidence/end"), "spans[0].differences[0].evidence.end: is missing"),
        (
            _set("spans/0/differences/0/text", "Munich"),
            "spans[0].differences[0].text: is not the answer's text at 20..26",
        ),
        (_set("spans/0/differences", {}), "spans[0].differences: must be a list, got dict"),
        (_set("spans/0/contributions/spread", "1"), "spans[0].contributions.spread: must be a finite number, got '1'"),
        (
            _set("sentences/1/contributions", []),
            "sentences[1].contributions: must be an object of names and numbers, got list",
        ),
        (_set("detector/embedder", "e"), "detector.embedder: must be null where the witness is internal, got 'e'"),
        (_set("thresholds/review", 0.9), "thresholds.review: must be at most hallucinated (0.8), got 0.9"),
        (_set("thresholds", None), "thresholds: must be given where the verdict is hallucinated"),
        (_set("detector", None), "detector: must be a JSON object, got NoneType"),
        (_set("detector/reader", 7), "detector.reader: must be a string, got int"),
        (_set("notes/0/code", " "), "notes[0].code: must not be blank"),
        (_set("verdict", ["grounded"]), f"verdict: must be one of {', '.join(VERDICTS)}, got ['grounded']"),
        (_set("question", 3), "question: must be a string or null, got int"),
    ],
)
def test_what_is_refused(tower: Report, change: Callable[[dict[str, Any]], None], message: str) -> None:
    document = tower.to_dict()
    change(document)
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Report.from_dict(document)


def test_not_an_object() -> None:
    with pytest.raises(InputError, match=r"^report: must be a JSON object, got list$"):
        Report.from_dict([])  # type: ignore[arg-type]


def test_the_documented_span_is_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    span = json.loads(block)
    Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": "#/$defs/span"}).validate(span)
    (evidence,) = (Evidence(**values) for values in span["evidence"])
    (difference,) = span["differences"]
    piece = Evidence(**difference["evidence"])
    read = Difference(difference["start"], difference["end"], difference["text"], piece, difference["reason"])
    place = (span["start"], span["end"], span["text"], span["score"])
    assert FlaggedSpan(*place, tuple(span["reasons"]), (evidence,), (read,)).differences == (read,)
