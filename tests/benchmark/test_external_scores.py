"""Another tool's scores are taken only when every line belongs to its row and every number is one."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.benchmark.external_scores import (
    ExternalScores,
    ScoredSpan,
    character_scores,
    read_external_scores,
)
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference

EXAMPLES = [
    Example(question="Where?", references=(Reference("In Rome."),), answer="In Paris.", id="a"),
    Example(question=None, references=(), answer="Yes. No.", id=None),
]


def line(**changes):
    fields = {"id": "a", "row": 1, "answer": 0.5, "spans": None, "sentences": None, "error": None, "seconds": 0.1}
    return fields | changes


SECOND = line(id=None, row=2, answer=None, spans=[], sentences=[{"start": 0, "end": 4, "score": -2.5}])


def written(tmp_path, *lines):
    path = tmp_path / "scores.jsonl"
    path.write_text("".join((text if isinstance(text, str) else json.dumps(text)) + "\n" for text in lines))
    return path


def test_scores_come_in_the_order_of_the_examples(tmp_path):
    spans = [{"start": 0, "end": 2, "score": 1}, {"start": 3, "end": 9, "score": 0.25}]
    first, second = read_external_scores(written(tmp_path, SECOND, "", line(spans=spans)), EXAMPLES)
    assert first == ExternalScores("a", 1, 0.5, (ScoredSpan(0, 2, 1), ScoredSpan(3, 9, 0.25)), None, None, 0.1)
    assert second == ExternalScores(None, 2, None, (), (ScoredSpan(0, 4, -2.5),), None, 0.1)


def test_a_row_with_an_error_is_returned_with_it(tmp_path):
    failed = line(answer=None, error="the tool gave up", seconds=None)
    assert read_external_scores(written(tmp_path, failed, SECOND), EXAMPLES)[0].error == "the tool gave up"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (line(id="b"), "id: must be that of the data's row 1, 'a', got 'b'"),
        (line(id=1), "id: must be a string or null, got int"),
        (line(row=3), "row: must be at most 2, the number of rows, got 3"),
        (line(row=0), "row: must be a whole number from 1 on, got 0"),
        (line(row=True), "row: must be a whole number from 1 on, got True"),
        (SECOND, "row: 2 stands twice"),
        (line(answer="0.5"), "answer: must be a finite number, got '0.5'"),
        (line(answer=True), "answer: must be a finite number, got True"),
        ('{"id": "a", "row": 1, "answer": NaN}', "row: is not JSON: NaN is not a JSON number"),
        (json.dumps(line()).replace("0.5", "1e999"), "answer: must be a finite number, got inf"),
        (line(answer=None), "answer: must be a number where error, spans and sentences are all null"),
        (line(error="failed"), "answer: must be null in a row with an error"),
        (line(answer=None, spans=[], error="failed"), "spans: must be null in a row with an error"),
        (line(answer=None, error=" "), "error: must not be blank"),
        (line(seconds=-1), "seconds: must not be negative, got -1"),
        (line(spans={}), "spans: must be a list of objects with start, end and score, or null, got {}"),
        (line(spans=[3]), "spans[0].span: must be a JSON object, got int"),
        (line(spans=[{"start": 0, "end": 1}]), "spans[0].score: is missing; null where there is nothing to say"),
        (
            line(spans=[{"start": 0, "end": 10, "score": 1}]),
            "spans[0].end: must be at most the answer's length 9, got 10",
        ),
        (
            line(sentences=[{"start": 0, "end": 10, "score": 1}]),
            "sentences[0].end: must be at most the answer's length 9, got 10",
        ),
        (
            line(spans=[{"start": 2, "end": 2, "score": 1}]),
            "spans[0].end: must be greater than start=2, got 2",
        ),
        (
            line(spans=[{"start": 0, "end": 3, "score": 1}, {"start": 2, "end": 4, "score": 1}]),
            "spans[1].start: must be at least 3, where the one before ends, got 2",
        ),
        (
            line(spans=[{"start": 0.0, "end": 3, "score": 1}]),
            "spans[0].start: must be a whole number from 0 on, got 0.0",
        ),
        (line(span=[]), "span: is not a known field; the nearest known field is 'spans'"),
        (
            line(xyz=1),
            "xyz: is not a known field; known are id, row, answer, spans, sentences, error, seconds",
        ),
        ({"row": 1}, "id: is missing; null where there is nothing to say"),
        ("[]", "row: must be a JSON object, got list"),
        ('{"id": "a", "ro', "row: is not JSON: Unterminated string starting at: line 1 column 13 (char 12)"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path, bad, message):
    path = written(tmp_path, SECOND, bad)
    with pytest.raises(InputError) as caught:
        read_external_scores(path, EXAMPLES)
    assert str(caught.value) == f"{message} ({path}, line 2)"


def test_missing_rows_are_counted_and_the_first_is_named(tmp_path):
    path = written(tmp_path, SECOND)
    with pytest.raises(InputError) as caught:
        read_external_scores(path, EXAMPLES)
    assert str(caught.value) == (
        f"scores: {path} has no line for 1 of 2 rows, first for row 1 (id 'a'); "
        "score the rest, or give the rows that were scored"
    )


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError) as caught:
        read_external_scores(tmp_path / "none.jsonl", EXAMPLES)
    assert str(caught.value) == f"scores: {tmp_path / 'none.jsonl'} cannot be read: No such file or directory"


@st.composite
def spans_and_length(draw):
    cuts = sorted(draw(st.lists(st.integers(0, 40), min_size=2, max_size=12, unique=True)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    scores = draw(st.lists(st.floats(-5, 5), min_size=len(pairs), max_size=len(pairs)))
    spans = tuple(ScoredSpan(start, end, score) for (start, end), score in zip(pairs, scores, strict=True))
    return spans, cuts[-1] + draw(st.integers(0, 5))


@given(spans_and_length())
def test_character_scores_are_those_of_a_plain_loop(case):
    spans, length = case
    expected = []
    for position in range(length):
        inside = [span.score for span in spans if span.start <= position < span.end]
        expected.append(inside[0] if inside else min([0.0, *(span.score for span in spans)]))
    assert np.array_equal(character_scores(spans, length), expected)


@given(spans_and_length())
def test_a_row_survives_being_written_and_read(case):
    scores = ExternalScores("x", 1, 0.0, case[0], (), None, 1.5)
    assert ExternalScores.from_row(json.loads(json.dumps(scores.to_row()))) == scores
