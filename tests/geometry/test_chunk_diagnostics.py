from itertools import combinations

import numpy as np
import pytest

from ragcortex.errors import InputError
from ragcortex.geometry.chunk_diagnostics import Coarseness, _pairs, coarseness


def vectors(n: int, spread: float, seed: int = 0) -> np.ndarray:
    around = np.ones(16) + spread * np.random.default_rng(seed).normal(size=(n, 16))
    return (around / np.linalg.norm(around, axis=1, keepdims=True)).astype(np.float32)


def test_few_chunks_are_all_compared_as_a_loop_does() -> None:
    unit = vectors(20, 0.5)
    cosines = [
        float(unit[first].astype(float) @ unit[second].astype(float)) for first, second in combinations(range(20), 2)
    ]
    found = coarseness(unit)
    assert found.n_pairs == 190
    assert found.mean == pytest.approx(np.mean(cosines), abs=1e-6)
    assert found.share_above == np.mean(np.array(cosines) > 0.9)


def test_many_chunks_are_sampled_as_a_loop_does() -> None:
    unit = vectors(200, 0.5)
    first, second = _pairs(200, 1000, 3)
    assert not (first == second).any()
    assert set(range(200)) == set(first) | set(second)
    above = sum(
        float(unit[one].astype(float) @ unit[other].astype(float)) > 0.9
        for one, other in zip(first, second, strict=True)
    )
    found = coarseness(unit, seed=3)
    assert (found.n_pairs, found.share_above) == (1000, above / 1000)
    assert found == coarseness(unit, seed=3)
    assert found != coarseness(unit, seed=4)
    everything = coarseness(unit, n_pairs=200 * 199 // 2)
    assert found.mean == pytest.approx(everything.mean, abs=0.01)


def test_what_a_person_reads() -> None:
    coarse = coarseness(vectors(100, 0.05))
    assert coarse.too_coarse
    assert coarse.sentence == (
        "The chunks are too coarse to tell apart: 100% of 1,000 pairs of chunks have a cosine above 0.9 (mean 1.00). "
        "Build the corpus with smaller chunks (a lower max_chars), or with an embedding model that separates these "
        "texts better."
    )
    fine = coarseness(np.eye(16, dtype=np.float32))
    assert fine == Coarseness(
        0.0, 0.9, 0.0, 120, False,
        "The chunks can be told apart: 0% of 120 pairs of chunks have a cosine above 0.9 (mean 0.00).",
    )  # fmt: skip


@pytest.mark.parametrize(("n", "number"), [(0, "no chunk"), (1, "only one chunk")])
def test_fewer_than_two_chunks_tell_nothing(n: int, number: str) -> None:
    assert coarseness(vectors(n, 0.5)) == Coarseness(
        None, 0.9, None, 0, False, f"Whether the chunks are too coarse cannot be told: there is {number}."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_pairs": 0}, "n_pairs: must be a whole number from 1 on, got 0"),
        ({"seed": -1}, "seed: must be a whole number from 0 on, got -1"),
        ({"threshold": 2.0}, "threshold: must be a number in [-1, 1], got 2.0"),
    ],
)
def test_arguments_are_checked(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        coarseness(vectors(3, 0.5), **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"share_above": None}, "share_above: must be null exactly where there are no pairs, got None"),
        ({"mean": 2.0}, "mean: must be a number in [-1, 1], got 2.0"),
        ({"too_coarse": True}, "too_coarse: must be whether share_above is above 0.5, got True"),
    ],
)
def test_results_check_themselves(fields: dict[str, object], message: str) -> None:
    values = {"share_above": 0.1, "threshold": 0.9, "mean": 0.2, "n_pairs": 5, "too_coarse": False, "sentence": "x"}
    with pytest.raises(InputError) as caught:
        Coarseness(**{**values, **fields})  # type: ignore[arg-type]
    assert str(caught.value) == message
