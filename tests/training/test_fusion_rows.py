"""Rows of the fusion: the labels of their tokens and statements, and what they are made of."""

import re

import numpy as np
import pytest

from made_geometry import made_model
from made_rows import made_reading, made_rows, relabelled
from ragcortex.errors import TrainingError
from ragcortex.example import Span
from ragcortex.geometry.judgement import score
from ragcortex.training.fusion_rows import fusion_row
from ragcortex.training.geometry import Witnessed

ROWS = made_rows()


def test_labels_are_those_of_the_spans() -> None:
    for row in ROWS:
        marked = "".join(row.example.answer[span.start : span.end] for span in row.example.spans or ())
        labels, statements = row.token_labels(), row.statement_labels()
        assert labels is not None
        assert statements is not None
        tokens = [row.example.answer[start:end] for start, end in row.signals.tokens.ranges]
        assert "".join(t for t, label in zip(tokens, labels, strict=True) if label).strip() == marked
        assert [marked in one.text for one in row.evidence.claims] == (
            statements.tolist() if marked else [True] * len(statements)
        )
        assert row.label == int(bool(marked))


def test_a_hallucinated_answer_without_spans_has_a_label_alone() -> None:
    row = relabelled(ROWS[1], spans=None)
    assert (row.label, row.token_labels(), row.statement_labels()) == (1, None, None)
    message = "example '0-0' has no label; a fusion is fitted on labelled answers"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        _ = relabelled(ROWS[0], spans=None, label=None).label


def test_a_statement_touched_by_a_span_is_hallucinated() -> None:
    row = ROWS[0]
    first, second = row.evidence.claims
    for start, end, expected in (
        (first.end - 1, first.end, [1, 0]),
        (first.end, second.start, [0, 0]),
        (first.end - 1, second.start + 1, [1, 1]),
        (second.start, second.end, [0, 1]),
    ):
        labels = relabelled(row, label=1, spans=(Span(start, end),)).statement_labels()
        assert labels is not None
        assert labels.tolist() == expected


def test_a_row_is_made_of_what_both_witnesses_say() -> None:
    row = ROWS[1]
    scores = score(row.evidence, made_model())
    rng = np.random.default_rng(0)
    reading, raw = made_reading(row.signals.tokens, rng), rng.random(len(row.signals.tokens))
    witnessed = Witnessed(row.example, row.evidence, scores.words)
    found = fusion_row(witnessed, reading, raw, scores)
    assert (found.example, found.evidence, found.geometric_score) == (row.example, row.evidence, scores.answer)
    np.testing.assert_array_equal(found.signals.values[:, 3:], row.signals.values[:, 3:])
    message = "the reading given with example '0-1' is of another answer"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        fusion_row(witnessed, made_reading(ROWS[0].signals.tokens, rng), raw, scores)
