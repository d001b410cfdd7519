"""The signals of a text among chunks, each against a plain loop over the chunks."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.search import Neighbours, search
from ragcortex.geometry.similarity import DENSITY_RADIUS, TOP_K, SimilaritySignals, similarity_signals


def vectors(n: int, dimension: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    raw = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    norms = np.linalg.norm(raw, axis=1).astype(np.float32)
    return raw / norms[:, None], norms


def signals_of(
    unit: np.ndarray, norms: np.ndarray, matrix: np.ndarray, matrix_norms: np.ndarray, *, k: int, radius: float
) -> tuple[SimilaritySignals, ...]:
    return similarity_signals(unit, norms, search(unit, matrix, k, radius=radius), matrix, matrix_norms)


def plain_signals(
    text: list[float], norm: float, chunks: list[list[float]], chunk_norms: list[float], *, k: int, radius: float
) -> SimilaritySignals:
    """The table of signals, one chunk after the other."""
    cosines = [sum(a * b for a, b in zip(text, chunk, strict=True)) for chunk in chunks]
    order = sorted(range(len(chunks)), key=lambda index: (-cosines[index], index))[:k]
    top = [cosines[index] for index in order]
    weights = [math.exp(cosine - top[0]) for cosine in top]
    mean = sum(top) / len(top)
    nearest = order[0]
    return SimilaritySignals(
        max_similarity=top[0],
        weighted_similarity=sum(s * w for s, w in zip(top, weights, strict=True)) / sum(weights),
        spread=sum((cosine - mean) ** 2 for cosine in top) / len(top),
        density=sum(1 - cosine <= radius for cosine in cosines),
        euclidean_distance=math.dist(
            [value * norm for value in text], [value * chunk_norms[nearest] for value in chunks[nearest]]
        ),
        nearest=nearest,
    )


@given(
    n_chunks=st.integers(1, 40),
    n_texts=st.integers(1, 4),
    k=st.integers(1, 12),
    radius=st.sampled_from([0.1, 0.25, 0.7, 1.0]),
    seed=st.integers(0, 10_000),
)
def test_every_signal_is_that_of_the_plain_loop(n_chunks: int, n_texts: int, k: int, radius: float, seed: int) -> None:
    # Three dimensions, so that some chunks lie near and some far.
    unit, norms = vectors(n_texts, 3, seed)
    matrix, matrix_norms = vectors(n_chunks, 3, seed + 1)
    found = signals_of(unit, norms, matrix, matrix_norms, k=k, radius=radius)
    for index, one in enumerate(found):
        expected = plain_signals(
            unit[index].tolist(), float(norms[index]), matrix.tolist(), matrix_norms.tolist(), k=k, radius=radius
        )
        assert one.nearest == expected.nearest
        assert one.density == expected.density
        for name in ("max_similarity", "weighted_similarity", "spread", "euclidean_distance"):
            assert getattr(one, name) == pytest.approx(getattr(expected, name), abs=2e-6)


def test_hand_worked_signals() -> None:
    # Cosines 0.8, 0.6 and 0; w = 1, e^-0.2; the raw text is (2, 0), the raw nearest chunk 5 · (0.8, 0.6) = (4, 3).
    unit, norms = np.array([[1, 0]], np.float32), np.array([2], np.float32)
    matrix = np.array([[0, 1], [0.8, 0.6], [0.6, 0.8]], np.float32)
    (found,) = signals_of(unit, norms, matrix, np.array([1, 5, 1], np.float32), k=2, radius=0.25)
    assert found.max_similarity == pytest.approx(0.8, abs=1e-7)
    assert found.weighted_similarity == pytest.approx((0.8 + 0.6 * math.exp(-0.2)) / (1 + math.exp(-0.2)), abs=1e-7)
    assert found.spread == pytest.approx(0.01, abs=1e-7)
    assert found.density == 1
    assert found.euclidean_distance == pytest.approx(math.sqrt(2**2 + 3**2), abs=1e-6)
    assert found.nearest == 1


def test_euclidean_distance_depends_on_length_and_no_cosine_does() -> None:
    unit, _ = vectors(1, 8, 0)
    matrix, matrix_norms = vectors(20, 8, 1)
    short, long = (
        signals_of(unit, np.array([norm], np.float32), matrix, matrix_norms, k=5, radius=0.25)[0] for norm in (1, 9)
    )
    assert short.euclidean_distance < long.euclidean_distance
    for name in ("max_similarity", "weighted_similarity", "spread", "density", "nearest"):
        assert getattr(short, name) == getattr(long, name)


def test_a_flat_profile_has_no_spread_and_the_weighted_similarity_of_its_chunks() -> None:
    unit, norms = np.array([[1, 0, 0]], np.float32), np.ones(1, np.float32)
    around = [[0.6, 0.8 * math.cos(turn), 0.8 * math.sin(turn)] for turn in range(8)]
    (found,) = signals_of(unit, norms, np.array(around, np.float32), np.ones(8, np.float32), k=8, radius=0.25)
    assert found.spread == pytest.approx(0, abs=1e-12)
    assert found.weighted_similarity == pytest.approx(0.6, abs=1e-6)


def test_one_chance_hit_moves_the_weighted_similarity_less_than_the_highest() -> None:
    unit, norms = np.array([[1, 0]], np.float32), np.ones(1, np.float32)
    far = [[0.3, math.sqrt(1 - 0.09)]] * 9
    (found,) = signals_of(unit, norms, np.array([[1, 0], *far], np.float32), np.ones(10, np.float32), k=10, radius=0.25)
    assert found.max_similarity == 1
    assert found.weighted_similarity < 0.5


def test_a_chunk_equal_to_the_text_has_similarity_one_and_not_a_little_more() -> None:
    for seed in range(50):
        unit, norms = vectors(1, 384, seed)
        (found,) = signals_of(unit, norms, unit, norms, k=5, radius=0.25)
        assert 1 - 1e-6 < found.max_similarity <= 1


def test_the_density_counts_all_chunks_within_the_radius_and_not_only_the_top_k() -> None:
    unit, norms = np.array([[1, 0]], np.float32), np.ones(1, np.float32)
    matrix = np.repeat(np.array([[1, 0], [0, 1]], np.float32), [30, 10], axis=0)
    (found,) = signals_of(unit, norms, matrix, np.ones(40, np.float32), k=TOP_K, radius=DENSITY_RADIUS)
    assert found.density == 30


def test_without_chunks_there_is_nothing_to_compare_with() -> None:
    unit, norms = vectors(2, 4, 0)
    with pytest.raises(InputError, match=r"^references: hold no text to compare with$"):
        signals_of(unit, norms, np.zeros((0, 4), np.float32), np.zeros(0, np.float32), k=5, radius=0.25)


def test_signals_are_finite_numbers() -> None:
    message = "max_similarity: the signals must be finite, got (0.5, nan, 0.0, 1.0)"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        SimilaritySignals(0.5, float("nan"), 0.0, 3, 1.0, 0)


def test_no_array_is_changed() -> None:
    unit, norms = vectors(3, 6, 2)
    matrix, matrix_norms = vectors(9, 6, 3)
    neighbours = search(unit, matrix, 5)
    copies = [array.copy() for array in (unit, norms, matrix, matrix_norms, neighbours.similarities)]
    similarity_signals(unit, norms, neighbours, matrix, matrix_norms)
    for array, copy in zip((unit, norms, matrix, matrix_norms, neighbours.similarities), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert isinstance(neighbours, Neighbours)
