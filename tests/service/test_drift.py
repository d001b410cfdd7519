"""Drift of scores: hand-worked figures, an independent source, invariances, and the rolling window."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError, ReadingError
from ragcortex.service.drift import (
    LEAST,
    drift,
    kolmogorov_smirnov,
    kolmogorov_smirnov_p,
    stability_index,
)

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def test_the_stability_index_of_a_hand_worked_case() -> None:
    # Two bins cut at the median 0.25. Reference 2 and 2, recent 1 and 3, each half a score more: shares 0.5 and 0.5
    # before, 1.5/5 and 3.5/5 after: (0.3 - 0.5) ln(0.3 / 0.5) + (0.7 - 0.5) ln(0.7 / 0.5).
    found = stability_index([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.9, 0.4], n_bins=2)
    assert found == pytest.approx(-0.2 * math.log(0.6) + 0.2 * math.log(1.4))


def test_equal_quantiles_are_one_bin() -> None:
    assert stability_index([0.5] * 20, [0.5] * 40) == 0
    assert stability_index([0.5] * 20, [0.9] * 20) > 0.25


@given(SCORES, SCORES)
def test_the_distance_is_that_of_a_plain_loop(first: list[float], second: list[float]) -> None:
    def below(scores: list[float], place: float) -> float:
        return sum(score <= place for score in scores) / len(scores)

    expected = max(abs(below(first, place) - below(second, place)) for place in (*first, *second))
    assert kolmogorov_smirnov(first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_distance_and_its_probability_are_scipy_s(seed: int) -> None:
    from scipy.stats import ks_2samp

    draw = np.random.default_rng(seed)
    first, second = draw.beta(2, 3, 3_000).round(2), draw.beta(2, 3 + 0.1 * seed, 2_000).round(2)
    expected = ks_2samp(first, second, method="asymp")
    found = kolmogorov_smirnov(first, second)
    assert found == pytest.approx(expected.statistic, abs=1e-12)
    # scipy corrects its limit for the number of scores, which is large here.
    assert kolmogorov_smirnov_p(found, 3_000, 2_000) == pytest.approx(expected.pvalue, abs=0.02)


@given(st.floats(0.01, 1), st.integers(50, 5000), st.integers(50, 5000))
def test_the_probability_is_kolmogorov_s(distance: float, n: int, m: int) -> None:
    from scipy.special import kolmogorov

    x = distance * math.sqrt(n * m / (n + m))
    assert kolmogorov_smirnov_p(distance, n, m) == pytest.approx(kolmogorov(x), abs=1e-9)


@given(SCORES, SCORES)
def test_order_changes_nothing_and_equal_scores_have_not_drifted(first: list[float], second: list[float]) -> None:
    for figure in (stability_index, kolmogorov_smirnov):
        assert figure(first[::-1], second[::-1]) == pytest.approx(figure(first, second))
        assert figure(first, second) >= 0
        assert figure(first, first) == pytest.approx(0)


def test_figures_tell_shifted_scores_from_equal_ones() -> None:
    draw = np.random.default_rng(0)
    reference = draw.beta(2, 5, 400)
    same, shifted = drift(reference, draw.beta(2, 5, 400)), drift(reference, draw.beta(4, 5, 400))
    assert same is not None
    assert shifted is not None
    assert (same.n_reference, same.n_recent) == (400, 400)
    assert same.stability_index < 0.1
    assert shifted.stability_index > 0.25
    assert same.p_value > 0.01
    assert shifted.p_value < 1e-6
    assert same.distance < shifted.distance


def test_nothing_is_said_of_few_scores() -> None:
    enough, few = [0.5] * LEAST, [0.5] * (LEAST - 1)
    assert drift(enough, enough) is not None
    assert drift(few, enough) is None
    assert drift(enough, few) is None


@pytest.mark.parametrize("figure", [stability_index, kolmogorov_smirnov])
def test_scores_that_are_none_are_refused(figure) -> None:
    with pytest.raises(InputError, match=r"^scores: must be at least one on each side$"):
        figure([], [0.5])
    with pytest.raises(ReadingError):
        figure([0.5], [1.5])
    with pytest.raises(ReadingError):
        figure([float("nan")], [0.5])
