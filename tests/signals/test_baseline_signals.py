"""Signals of the baselines against brute force, and worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ragcortex.errors import ReadingError
from ragcortex.readers.reading import Floats
from ragcortex.signals.llm_check import attention_scores, hidden_score, perplexity, window_entropy
from ragcortex.signals.lookback import lookback_features
from ragcortex.signals.lumina import external_context, lumina_score
from ragcortex.signals.redeep import Correlation, Selection, scaled


def _random(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@given(n=st.integers(1, 12), width=st.integers(1, 9))
def test_lookback_features_equal_a_loop(n: int, width: int) -> None:
    ratios = _random(n, n, 2, 3)
    got = lookback_features(ratios, width)
    for t in range(n):
        rows = [ratios[j].reshape(-1).astype(np.float64) for j in range(max(0, t - width + 1), t + 1)]
        np.testing.assert_allclose(got[t], sum(rows) / len(rows), atol=1e-6)
    assert got.dtype == np.float32


@pytest.mark.parametrize(("n", "d"), [(1, 5), (4, 3), (3, 9)])
def test_hidden_score_equals_the_definition(n: int, d: int) -> None:
    states = _random(0, n, d)
    z = states.astype(np.float64).T
    centring = np.eye(d) - np.ones((d, d)) / d
    singular = np.linalg.svd(z.T @ centring @ z + 0.001 * np.eye(n), compute_uv=False)
    assert hidden_score(states) == pytest.approx(np.log(singular).mean(), abs=1e-6)


def test_hidden_score_is_higher_for_states_that_spread() -> None:
    """Direction: states that repeat each other have a lower one; a token's own offset does not count."""
    spread = _random(1, 6, 20)
    assert hidden_score(spread) > hidden_score(np.repeat(spread[:1], 6, axis=0))
    assert hidden_score(spread + 3) == pytest.approx(hidden_score(spread), abs=1e-3)


def test_attention_score_of_an_answer_is_the_mean_of_its_tokens() -> None:
    logs = -np.abs(_random(2, 7, 4))
    by_head = sum(float(logs[:, head].mean(dtype=np.float64)) for head in range(4))
    assert attention_scores(logs).mean() == pytest.approx(by_head)
    np.testing.assert_allclose(attention_scores(logs), [sum(float(v) for v in row) for row in logs], rtol=1e-6)


def test_perplexity_and_window_entropy_by_hand() -> None:
    assert perplexity(np.log(np.array([0.5, 0.125], np.float32))) == pytest.approx(4.0)
    entropy = np.array([1, 2, 6, 0, 9], np.float32)
    assert window_entropy(entropy, 1) == 9
    assert window_entropy(entropy, 2) == 3, "windows (1, 2) and (6, 0); the 9 fills no window"
    assert window_entropy(entropy, 7) == pytest.approx(3.6)


def test_widths_below_one_are_refused() -> None:
    with pytest.raises(ReadingError) as caught:
        window_entropy(np.ones(3, np.float32), 0)
    assert str(caught.value) == "the width of an entropy window must be at least 1, got 0"
    with pytest.raises(ReadingError) as caught:
        lookback_features(np.ones((3, 1, 1), np.float32), 0)
    assert str(caught.value) == "the width of a lookback window must be at least 1, got 0"


@given(
    values=hnp.arrays(np.float32, (30, 3), elements=st.floats(-5, 5, width=16)),
    labels=hnp.arrays(np.int8, 30, elements=st.integers(0, 1)),
)
def test_correlation_equals_numpy(values: Floats, labels: np.ndarray) -> None:
    whole = Correlation()
    for part in (slice(0, 7), slice(7, 30)):
        whole.add(values[part], labels[part])
    got = whole.result()
    for column in range(3):
        x, y = values[:, column].astype(np.float64), labels.astype(np.float64)
        if np.std(x) > 1e-3 and np.std(y) > 0:
            assert got[column] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)
        elif np.ptp(x) == 0 or np.std(y) == 0:
            assert got[column] == 0


def test_redeep_score_by_hand_and_its_direction() -> None:
    selection = Selection((2, 0), (1,), 0.5, (0.0, 2.0), (0.0, 4.0))
    context = np.array([[1.0, 9.0, 1.0], [0.5, 9.0, 0.0]], np.float32)
    knowledge = np.array([[7.0, 2.0], [7.0, 4.0]], np.float32)
    # 2/4 − ½ · (1 + 1)/2 = 0; 4/4 − ½ · ½/2 = .875: more knowledge and less context, so more likely hallucinated.
    np.testing.assert_allclose(selection.scores(context, knowledge), [0.0, 0.875])
    np.testing.assert_array_equal(scaled(np.array([3.0, 3.0]), (3.0, 3.0)), [0, 0])


def test_discrepancy_equals_kernel_matrices() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(50, 6)).astype(np.float32)
    n, k = 40, 8

    def top() -> Floats:
        ids = np.array([rng.permutation(50)[:k] for _ in range(n)])
        return np.stack([ids, rng.dirichlet(np.ones(k + 1), n)[:, :k]], axis=1).astype(np.float32)

    one, other = top(), top()

    def kernel(a: Floats, b: Floats) -> np.ndarray:
        x, y = table[a.astype(int)].astype(np.float64), table[b.astype(int)].astype(np.float64)
        out = np.zeros((len(x), len(y)))
        for i in range(len(x)):
            for j in range(len(y)):
                out[i, j] = (1 + x[i] @ y[j] / np.linalg.norm(x[i]) / np.linalg.norm(y[j])) / 2
        return out

    got = external_context(one, other, lambda ids: table[ids])
    for t in range(n):
        (a, p), (b, q) = one[t], other[t]
        expected = p @ kernel(a, a) @ p + q @ kernel(b, b) @ q - 2 * p @ kernel(a, b) @ q
        assert got[t] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(external_context(one, one, lambda ids: table[ids]), 0, atol=1e-12)


def test_lumina_score_rises_with_knowledge_and_falls_with_context() -> None:
    scores = lumina_score(np.array([1, 2, 1], np.float32), np.array([0.0, 0.0, 1.0]), 0.5)
    np.testing.assert_allclose(scores, [0.5, 1.0, 0.0])
