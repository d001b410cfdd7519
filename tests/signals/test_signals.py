"""Signals against plain loops, an example worked by hand, and the columns of the feature sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ragcortex.errors import InputError, ReadingError
from ragcortex.readers.reading import Block, Floats, PassArrays, ReadingSpec
from ragcortex.signals.delta import delta, propagated, residual
from ragcortex.signals.features import SCALAR_WIDTHS, feature_set, features, spec_for
from ragcortex.signals.likelihood import negative_log_likelihood, reference_gain
from ragcortex.signals.local import local_mean

VALUES = st.floats(-100, 100, width=32)


def _random(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.fixture
def block() -> Block:
    def pass_of(seed: int) -> PassArrays:
        attention = np.tril(np.abs(_random(seed + 4, 6, 6)))
        return PassArrays(
            {3: _random(seed, 6, 2), 5: _random(seed + 1, 6, 2)},
            -np.abs(_random(seed + 2, 6)),
            np.abs(_random(seed + 3, 6)),
            attention,
            np.abs(_random(seed + 5, 6)),
        )

    noref = pass_of(50)
    return Block(0, 6, 0, 0, pass_of(0), PassArrays(noref.hidden, noref.log_prob, noref.entropy))


def test_residual_worked_by_hand() -> None:
    deltas = np.array([[1, 0], [0, 2], [4, 4]], np.float32)
    attention = np.array([[0.9, 0, 0], [0.5, 0.3, 0], [0.25, 0.5, 0.1]], np.float32)
    # Δ̄_1 = 0; Δ̄_2 = .5 (1, 0); Δ̄_3 = .25 (1, 0) + .5 (0, 2). The diagonal (.9, .3, .1) does not count.
    np.testing.assert_array_equal(propagated(deltas, attention), [[0, 0], [0.5, 0], [0.25, 1]])
    np.testing.assert_array_equal(residual(deltas, attention), [[1, 0], [-0.5, 2], [3.75, 3]])


@given(data=st.data(), n=st.integers(1, 7), d=st.integers(1, 4))
def test_comparison_equals_loops(data: st.DataObject, n: int, d: int) -> None:
    ref = data.draw(hnp.arrays(np.float32, (n, d), elements=VALUES))
    noref = data.draw(hnp.arrays(np.float32, (n, d), elements=VALUES))
    attention = data.draw(hnp.arrays(np.float32, (n, n), elements=st.floats(0, 1, width=32)))
    kept = [array.copy() for array in (ref, noref, attention)]
    deltas = delta(ref, noref)
    expected_propagated = np.zeros((n, d))
    for i in range(n):
        for k in range(d):
            assert deltas[i, k] == ref[i, k] - noref[i, k]
            for j in range(i):
                expected_propagated[i, k] += float(attention[i, j]) * float(deltas[j, k])
    np.testing.assert_allclose(propagated(deltas, attention), expected_propagated, atol=1e-3)
    np.testing.assert_allclose(residual(deltas, attention), deltas - expected_propagated, atol=1e-3)
    for array, before in zip((ref, noref, attention), kept, strict=True):
        np.testing.assert_array_equal(array, before)
    assert {array.dtype for array in (deltas, propagated(deltas, attention), residual(deltas, attention))} == {
        np.dtype(np.float32)
    }


@given(
    values=hnp.arrays(np.float32, hnp.array_shapes(min_dims=1, max_dims=2, max_side=30), elements=VALUES),
    half=st.integers(0, 20),
)
def test_local_mean_equals_a_loop(values: Floats, half: int) -> None:
    width = 2 * half + 1
    got = local_mean(values, width)
    expected = [values[max(0, i - half) : i + half + 1].astype(np.float64).mean(axis=0) for i in range(len(values))]
    np.testing.assert_allclose(got, expected, atol=1e-4)
    assert got.dtype == np.float32
    assert got.shape == values.shape


def test_local_mean_of_width_one_is_a_copy() -> None:
    values = _random(0, 5)
    got = local_mean(values, 1)
    np.testing.assert_allclose(got, values, rtol=1e-6)
    assert not np.shares_memory(got, values)


@pytest.mark.parametrize("width", [0, 2, -1])
def test_local_mean_needs_an_odd_width(width: int) -> None:
    with pytest.raises(ReadingError) as caught:
        local_mean(_random(0, 5), width)
    assert str(caught.value) == f"the width of a local mean must be odd and at least 1, got {width}"


def test_likelihoods() -> None:
    ref, noref = np.array([-0.5, -3.0], np.float32), np.array([-2.5, -1.0], np.float32)
    np.testing.assert_array_equal(negative_log_likelihood(ref), [0.5, 3.0])
    # The first token is supported by the references (−2), the second would rather be without them (+2).
    np.testing.assert_array_equal(reference_gain(ref, noref), [-2.0, 2.0])


def test_columns_and_their_order(block: Block) -> None:
    ref, noref = block.ref, block.noref
    deltas = ref.hidden[3] - noref.hidden[3]
    names = ("hidden", "delta", "residual", "hidden_noref", "hidden_mean9", "delta_mean9", "reference_gain", "scalars")
    columns = features(block, names, 3)
    gain = noref.log_prob - ref.log_prob
    scalars = np.stack(
        [ref.log_prob, noref.log_prob, ref.entropy, noref.entropy, ref.reference_attention, gain], axis=1
    )
    expected = [
        ref.hidden[3],
        deltas,
        residual(deltas, ref.attention),
        noref.hidden[3],
        local_mean(ref.hidden[3], 9),
        local_mean(deltas, 9),
        gain[:, None],
        scalars,
        local_mean(scalars, 9),
        local_mean(scalars, 25),
    ]
    np.testing.assert_array_equal(columns, np.concatenate(expected, axis=1))
    assert columns.dtype == np.float32
    assert SCALAR_WIDTHS == (9, 25)
    likelihoods = features(block, ("negative_log_likelihood", "entropy"), 3)
    np.testing.assert_array_equal(likelihoods, np.stack([-ref.log_prob, ref.entropy], axis=1))
    np.testing.assert_array_equal(features(block, ("hidden",), 5), ref.hidden[5])


def test_what_feature_sets_need() -> None:
    assert spec_for(("hidden",), (3, 5)) == ReadingSpec(layers=(3, 5))
    assert spec_for(("delta", "residual"), (3,)) == ReadingSpec(layers=(3,), attention_layers=None)
    assert spec_for(("reference_gain",), (3,)) == ReadingSpec(log_probs=True)
    assert spec_for(("scalars",), (3,)) == ReadingSpec(attention_layers=None, log_probs=True)
    assert spec_for(("scalars", "hidden_noref"), (2,)) == ReadingSpec((2,), False, None, None, True)
    assert spec_for((), ()) == ReadingSpec()


def test_a_feature_set_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        feature_set("deltas")
    assert str(caught.value) == (
        "features: 'deltas' is not a feature set; there are attention_away, delta, delta_mean9, entropy, hidden, "
        "hidden_mean9, "
        "hidden_noref, negative_log_likelihood, reference_gain, residual, scalars"
    )


@pytest.mark.parametrize(
    ("name", "missing"), [("residual", "attention"), ("scalars", "log_prob"), ("reference_gain", "log_prob")]
)
def test_a_reading_without_what_is_needed(name: str, missing: str) -> None:
    states = PassArrays({1: _random(0, 3, 2)})
    with pytest.raises(InputError) as caught:
        features(Block(0, 3, 0, 0, states, states), (name,), 1)
    assert str(caught.value) == (f"features: the reading holds no {missing}; read it with the spec of these features")


def test_attention_away_is_what_does_not_fall_on_the_references(block: Block) -> None:
    reference_attention = np.array([0.9, 0.5, 0.0, 0.25, 1.0, 0.1], np.float32)
    reading = Block(0, 6, 0, 0, PassArrays({}, None, None, block.ref.attention, reference_attention), PassArrays({}))
    columns = features(reading, ("attention_away",), 3)
    assert columns.dtype == np.float32
    assert columns.shape == (6, 1 + len(SCALAR_WIDTHS))
    expected = [1 - mass for mass in reference_attention]
    np.testing.assert_allclose(columns[:, 0], expected, atol=1e-7)
    # Both windows, 9 and 25, hold less than all six tokens only for the narrower one's edges.
    means = [np.mean(expected[max(0, i - 4) : i + 5]) for i in range(6)]
    np.testing.assert_allclose(columns[:, 1], means, atol=1e-6)
    np.testing.assert_allclose(columns[:, 2], np.full(6, np.mean(expected)), atol=1e-6)
    assert spec_for(("attention_away",), (3,)) == ReadingSpec(layers=(), attention_layers=None, log_probs=False)
