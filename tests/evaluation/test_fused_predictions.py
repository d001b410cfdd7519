"""A fusion and both of its witnesses on the same tokens, as their reports have them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.evaluation.evaluate import evaluate_scores
from ragcortex.evaluation.fused import predict_fused
from ragcortex.example import Example, Span
from ragcortex.readers.store import ReadingStore

REFERENCES = ("The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea.",)
WRONG = "It was built in 1974."
pytestmark = pytest.mark.weights


def labelled(number: int, answer: str, wrong: str | None) -> Example:
    start = answer.index(wrong) if wrong else 0
    spans = (Span(start, start + len(wrong)),) if wrong else ()
    row = {"id": str(number), "question": "What is known of it?", "references": list(REFERENCES), "answer": answer}
    return replace(Example.from_row(row), spans=spans, group=f"source-{number}")


def test_all_three_on_the_same_tokens(tmp_path: Path) -> None:
    detector = Detector.load()
    assert isinstance(detector, FusedDetector)
    examples = [
        labelled(0, WRONG, "1974"),
        labelled(1, "It stands 41 metres above the sea.", None),
        labelled(2, "I'm sorry, I cannot tell.", None),
    ]
    found = predict_fused(examples, detector, ReadingStore(tmp_path))
    assert list(found) == ["fusion", "reader", "geometry"]
    for one, other, third in zip(*found.values(), strict=True):
        assert one.tokens.ranges == other.tokens.ranges == third.tokens.ranges
    report = detector.check_example(examples[0])
    first = found["fusion"][0]
    assert first.answer_score == pytest.approx(report.score, abs=1e-4)
    scores = [token.score for token in report.tokens]
    np.testing.assert_allclose(first.smoothed, scores, atol=1e-4)
    alone = Detector.load(witness="internal")
    assert isinstance(alone, InternalDetector)
    assert found["reader"][0].answer_score == pytest.approx(alone.check_example(examples[0]).score, abs=1e-4)
    assert [one.answer_score for one in found["geometry"]] == pytest.approx(
        [detector.geometric.scores(detector.geometric.examine(example)).answer for example in examples]
    )
    assert found["fusion"][2].answer_score == 0.0
    table = evaluate_scores(found["fusion"], n_resamples=5)
    assert table.n_examples == 3
