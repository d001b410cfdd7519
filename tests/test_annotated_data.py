"""The annotated data, where it is at hand: every row loads or says why not, and spans lie where they should."""

from pathlib import Path

import pytest

from ragcortex.datasets.jsonl import read_rows
from ragcortex.detectors.detector import Detector
from ragcortex.settings import settings

DATA = settings().data_dir
pytestmark = [pytest.mark.data, pytest.mark.skipif(DATA is None, reason="RAGCORTEX_DATA names no folder")]

# Rows that the strict reader refuses, by file.
REFUSED: dict[str, int] = {}


@pytest.mark.parametrize("name", ["ragtruth_qa_test.jsonl", "wice_tokens.jsonl", "cliff_goyal.jsonl"])
def test_every_row_is_an_example_or_an_error_that_names_its_field(name: str) -> None:
    rows = list(read_rows(Path(DATA or ".") / name))
    refused = [row.error for row in rows if row.error is not None]
    assert len(refused) == REFUSED.get(name, 0)
    assert {error.field for error in refused} <= {"spans"}
    assert all(row.example is not None for row in rows if row.error is None)


def test_the_ragtruth_split_is_the_published_one() -> None:
    examples = [row.example for row in read_rows(Path(DATA or ".") / "ragtruth_qa_test.jsonl")]
    known = [example for example in examples if example is not None]
    assert len(known) == 900
    assert sum(example.answer_label == 1 for example in known) == 160
    assert len({example.group for example in known}) == 150


@pytest.mark.weights
def test_scores_of_hallucinated_answers_are_higher_on_average() -> None:
    examples = [row.example for row in read_rows(Path(DATA or ".") / "ragtruth_qa_test.jsonl")][:72]
    known = [example for example in examples if example is not None]
    outcomes = list(Detector.load("cortex-clean").check_many(known))
    scores: dict[int, list[float]] = {0: [], 1: []}
    for outcome in outcomes:
        assert outcome.report is not None
        scores[outcome.example.answer_label or 0].append(outcome.report.score or 0.0)
    assert sum(scores[1]) / len(scores[1]) > sum(scores[0]) / len(scores[0])
