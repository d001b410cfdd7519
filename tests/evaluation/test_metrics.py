"""Metrics on cases worked by hand, and their refusal to make up a number."""

import numpy as np
import pytest

from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.metrics import (
    Metric,
    auroc,
    average_precision,
    pooled,
    ranking_metrics,
    token_metrics,
)


def test_metrics_by_hand():
    # From the top: hit, miss, hit, miss. AP = ½ · 1/1 + ½ · 2/3 = 5/6; 3 of the 4 pairs are in order: AUROC = 3/4.
    metrics = ranking_metrics([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
    assert metrics.average_precision == Metric(pytest.approx(5 / 6), 4, 0.5)
    assert metrics.auroc == Metric(0.75, 4, 0.5)


def test_tied_scores_rank_nothing():
    assert average_precision([5, 5, 5, 5], [1, 0, 0, 0]).value == 0.25
    assert auroc([5, 5, 5, 5], [1, 0, 0, 0]).value == 0.5


def test_scores_may_have_any_scale():
    scores, labels = np.array([-3.0, 0.5, 7.0, 900.0]), [0, 1, 0, 1]
    assert ranking_metrics(scores, labels) == ranking_metrics(np.argsort(scores) / 4, labels)


@pytest.mark.parametrize(
    ("scores", "labels", "base_rate", "reason"),
    [
        ([], [], None, "nothing is labelled"),
        ([0.1, 0.2], [0, 0], 0.0, "nothing is labelled hallucinated"),
        ([0.1, 0.2], [1, 1], 1.0, "nothing is labelled grounded"),
    ],
)
def test_a_missing_class_is_a_reason_and_no_number(scores, labels, base_rate, reason):
    metrics = ranking_metrics(scores, labels)
    assert metrics.average_precision == metrics.auroc == Metric(None, len(scores), base_rate, reason)


def test_a_metric_has_either_a_value_or_a_reason():
    for value, reason in ((None, None), (0.5, "because")):
        with pytest.raises(InputError) as error:
            Metric(value, 3, 0.5, reason)
        assert str(error.value) == f"reason: must be given exactly where there is no value, got {reason!r}"


def test_tokens_are_pooled_over_answers():
    scores, labels = [[0.9, 0.8], [], [0.7, 0.1]], [[1, 0], [], [1, 0]]
    values, truth = pooled(scores, labels)
    assert values.tolist() == [0.9, 0.8, 0.7, 0.1]
    assert truth.tolist() == [1, 0, 1, 0]
    assert token_metrics(scores, labels).average_precision.value == pytest.approx(5 / 6)
    assert token_metrics([], []).auroc.reason == "nothing is labelled"


def test_unusable_input_is_refused():
    with pytest.raises(ReadingError) as error:
        auroc([0.1, np.nan], [0, 1])
    assert str(error.value) == (
        "scores: expected finite numbers, got nan at position 1; "
        "whatever made these scores is at fault, and nothing was computed from them"
    )
    with pytest.raises(InputError) as error:
        auroc([0.1, 0.2], [0, 1, 1])
    assert str(error.value) == "labels: must be one label a score, expected shape (2,), got (3,)"
    with pytest.raises(InputError) as error:
        pooled([[0.1]], [])
    assert str(error.value) == "labels: must be given for 1 answers, got 0"
    with pytest.raises(InputError) as error:
        pooled([[0.1], [0.2]], [[0], [3]])
    assert str(error.value) == "labels[1]: must each be 0 (grounded) or 1 (hallucinated)"
