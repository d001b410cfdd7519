"""Reliability on cases worked by hand, against a slow loop, and as a picture."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.reliability import Bin, Reliability, reliability
from ragcortex.evaluation.reliability_picture import render_reliability_png

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=60)


def slow_bins(probabilities: list[float], labels: list[int], n_bins: int) -> list[tuple[int, float, float]]:
    """Return count, mean probability and share of positives of each bin that holds something, by a plain loop."""
    found = []
    for index in range(n_bins):
        low, high = index / n_bins, (index + 1) / n_bins
        own = [
            (p, label)
            for p, label in zip(probabilities, labels, strict=True)
            if low <= p < high or (index == n_bins - 1 and p == 1)
        ]
        if own:
            found.append((len(own), sum(p for p, _ in own) / len(own), sum(y for _, y in own) / len(own)))
    return found


def test_reliability_by_hand():
    # Bin 0: 0.1 and 0.3, none positive: |0.2 − 0| over two. Bin 1: 0.5 (on the edge) and 1.0, one of two positive:
    # |0.75 − 0.5| over two. ECE = (2 · 0.2 + 2 · 0.25) / 4.
    found = reliability([0.1, 1.0, 0.3, 0.5], [0, 1, 0, 0], n_bins=2)
    assert [one.n for one in found.bins] == [2, 2]
    assert found.bins[0].mean_probability == pytest.approx(0.2)
    assert found.bins[1] == Bin(2, 0.75, 0.5)
    assert (found.n, found.ece) == (4, pytest.approx(0.225))


def test_empty_bins_hold_nothing():
    found = reliability([0.95], [1])
    assert found.bins[:9] == (Bin(0, None, None),) * 9
    assert found.bins[9] == Bin(1, 0.95, 1.0)
    assert found.ece == pytest.approx(0.05)


@given(PAIRS, st.integers(1, 15))
def test_the_loop_agrees(pairs, n_bins):
    probabilities, labels = [p for p, _ in pairs], [y for _, y in pairs]
    found = reliability(probabilities, labels, n_bins)
    expected = slow_bins(probabilities, labels, n_bins)
    filled = [one for one in found.bins if one.n]
    assert [one.n for one in filled] == [n for n, _, _ in expected]
    assert [one.mean_probability for one in filled] == pytest.approx([mean for _, mean, _ in expected])
    assert [one.share_positive for one in filled] == pytest.approx([share for _, _, share in expected])
    slow = sum(n * abs(mean - share) for n, mean, share in expected) / len(pairs)
    assert found.ece == pytest.approx(slow)
    assert 0 <= found.ece <= 1


@given(PAIRS, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_one_bin_compares_the_means(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    first, second = (reliability([p for p, _ in one], [y for _, y in one]) for one in (pairs, shuffled))
    assert first.ece == pytest.approx(second.ece)
    values, labels = np.array(pairs).T
    assert reliability(values, labels, 1).ece == pytest.approx(abs(values.mean() - labels.mean()))


def test_certainty_that_is_right_has_no_error():
    assert reliability([0, 1, 1, 0], [0, 1, 1, 0]).ece == 0
    assert reliability([0, 1], [1, 0]).ece == 1


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([], []), InputError, "probabilities: must not be empty; there is nothing to compare with labels"),
        (
            ([0.5, 1.5], [0, 1]),
            ReadingError,
            "probabilities: expected numbers in [0, 1], got 1.5 at position 1; whatever made these scores is at fault, "
            "and nothing was computed from them",
        ),
        (
            ([0.5, float("nan")], [0, 1]),
            ReadingError,
            "probabilities: expected finite numbers, got nan at position 1; whatever made these scores is at fault, "
            "and nothing was computed from them",
        ),
        (([0.5], [0, 1]), InputError, "labels: must be one label a score, expected shape (1,), got (2,)"),
        (([0.5], [2]), InputError, "labels: must each be 0 (grounded) or 1 (hallucinated)"),
        (([0.5], [1], 0), InputError, "n_bins: must be a whole number from 1 on, got 0"),
        (([0.5], [1], 2.0), InputError, "n_bins: must be a whole number from 1 on, got 2.0"),
        (([0.5], [1], True), InputError, "n_bins: must be a whole number from 1 on, got True"),
    ],
)
def test_what_is_no_probability_is_refused(arguments, kind, message):
    with pytest.raises(kind) as error:
        reliability(*arguments)
    assert str(error.value) == message


def test_parts_check_themselves():
    for arguments, message in (
        ((-1, 0.5, 0.5), "n: must be a whole number, 0 or more, got -1"),
        ((0, 0.5, None), "mean_probability: must be null exactly where the bin is empty, got 0.5 with n=0"),
        ((2, 0.5, None), "share_positive: must be null exactly where the bin is empty, got None with n=2"),
        ((2, 1.5, 0.5), "mean_probability: must be a number in [0, 1] or null, got 1.5"),
    ):
        with pytest.raises(InputError) as error:
            Bin(*arguments)
        assert str(error.value) == message
    with pytest.raises(InputError) as error:
        Reliability((Bin(0, None, None),))
    assert str(error.value) == "bins: must hold at least one probability"
    with pytest.raises(InputError) as error:
        Reliability([Bin(1, 0.5, 0.0)])
    assert str(error.value).startswith("bins: must be a tuple of Bin, got [")


def spread(seed: int) -> Reliability:
    rng = np.random.default_rng(seed)
    values = rng.beta(0.6, 1.5, 400)
    return reliability(values, rng.random(400) < values**2)


def test_the_picture_is_a_png_of_its_size_and_the_same_each_time():
    from PIL import Image

    panels = {name: {"before": spread(1), "after": spread(2)} for name in ("answers", "statements")}
    first = render_reliability_png(panels, title="Probabilities")
    assert first == render_reliability_png(panels, title="Probabilities")
    with Image.open(io.BytesIO(first)) as image:
        assert (image.format, image.size) == ("PNG", (1350, 900))
        assert "Software" not in image.info
    one = render_reliability_png({"answers": {"held out": spread(1)}}, title="Probabilities", dots_per_inch=50)
    with Image.open(io.BytesIO(one)) as image:
        assert image.size == (450, 300)


def test_a_picture_of_nothing_is_refused():
    for panels, counts in (({}, []), ({"answers": {}}, [0]), ({"answers": {str(n): spread(n) for n in range(4)}}, [4])):
        with pytest.raises(InputError) as error:
            render_reliability_png(panels, title="none")
        assert str(error.value) == f"panels: must each hold 1 to 3 series, got {counts}"
