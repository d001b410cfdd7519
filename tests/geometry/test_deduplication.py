from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry import deduplication
from ragcortex.geometry.deduplication import Conflict, Deduplication, Merge, near_duplicates

Floats = npt.NDArray[np.float32]


def normalised(vectors: npt.ArrayLike) -> Floats:
    array = np.asarray(vectors, dtype=np.float64)
    return (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)


def clustered(n: int, seed: int, spread: float = 0.3, dimension: int = 8) -> Floats:
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, n // 5), dimension))
    return normalised(centres[random.integers(len(centres), size=n)] + spread * random.normal(size=(n, dimension)))


def plainly(unit: Floats, threshold: float, differs: Callable[[int, int], bool]) -> Deduplication:
    """Do the same by the definition: one vector after the other, one candidate after the other."""
    kept: list[int] = []
    merges: list[Merge] = []
    conflicts: list[Conflict] = []
    for index, vector in enumerate(unit):
        cosines = {
            other: min(1.0, float(np.float32(np.dot(unit[other].astype(np.float64), vector.astype(np.float64)))))
            for other in kept
        }
        candidates = sorted((-cosine, other) for other, cosine in cosines.items() if cosine > np.float32(threshold))
        for cosine, other in candidates:
            if not differs(other, index):
                merges.append(Merge(index, other, -cosine))
                break
            conflicts.append(Conflict(other, index, -cosine))
        else:
            kept.append(index)
    return Deduplication(tuple(kept), tuple(merges), tuple(conflicts), 0)


@given(
    st.integers(0, 60),
    st.integers(0, 10_000),
    st.sampled_from([1, 7, 16, 2048]),
    st.sampled_from([0.0, 0.5, 0.9]),
    st.integers(1, 4),
)
def test_as_the_double_loop_does(n: int, seed: int, block: int, threshold: float, facts: int) -> None:
    unit = clustered(n, seed).reshape(-1, 8)
    fact = np.random.default_rng(seed + 1).integers(facts, size=n)

    def differs(first: int, second: int) -> bool:
        assert first < second
        return bool(fact[first] != fact[second])

    found = near_duplicates(unit, threshold, differs=differs, block=block, most_asked=None)
    assert found == plainly(unit, threshold, differs)


def test_repeated_texts_are_merged_into_the_first_of_them() -> None:
    unit = normalised([[1, 0], [0, 1], [1, 0], [1, 0.01], [1, 0]])
    found = near_duplicates(unit)
    assert found.kept == (0, 1)
    assert [(merge.merged, merge.kept) for merge in found.merges] == [(2, 0), (3, 0), (4, 0)]
    assert found.merges[0].similarity == 1
    assert (found.conflicts, found.n_unasked) == ((), 0)


def test_alike_texts_with_other_facts_are_kept_apart_and_reported() -> None:
    texts = [
        "The tower was finished in 1889.", "The tower was finished in 1898.", "The tower was finished in 1889!",
        "Climbing is allowed.", "Climbing is not allowed.",
    ]  # fmt: skip
    unit = normalised([[1, 0, 0], [1, 0.1, 0], [1, 0.06, 0], [0, 0, 1], [0, 0.1, 1]])

    def differs(first: int, second: int) -> bool:
        return {"1889", "not"} & set(texts[first].rstrip(".!").split()) != {"1889", "not"} & set(
            texts[second].rstrip(".!").split()
        )

    found = near_duplicates(unit, differs=differs)
    assert found.kept == (0, 1, 3, 4)
    # The third is nearer to the second, whose year differs, but says what the first does.
    assert [(merge.merged, merge.kept) for merge in found.merges] == [(2, 0)]
    assert [(conflict.first, conflict.second) for conflict in found.conflicts] == [(0, 1), (1, 2), (3, 4)]
    assert found.conflicts[0].similarity == pytest.approx(1 / np.sqrt(1.01), abs=1e-6)


def test_at_most_some_are_asked_about_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = normalised(np.ones(8) + 0.05 * np.random.default_rng(0).normal(size=(90, 8)))
    asked: list[tuple[int, int]] = []

    def differs(first: int, second: int) -> bool:
        asked.append((first, second))
        return True

    everything = near_duplicates(unit, differs=differs, most_asked=None)
    assert len(everything.conflicts) == 90 * 89 // 2
    for block, most_pairs in ((16, 2_000_000), (7, 10), (2048, 10)):
        monkeypatch.setattr(deduplication, "_MOST_PAIRS", most_pairs)
        asked.clear()
        found = near_duplicates(unit, differs=differs, most_asked=3, block=block)
        assert found.kept == tuple(range(90))
        assert len(found.conflicts) == len(asked) == 1 + 2 + 87 * 3
        assert found.n_unasked == 90 * 89 // 2 - len(asked)
        best = {second: [] for second in range(90)}
        for conflict in everything.conflicts:
            best[conflict.second].append(conflict)
        assert list(found.conflicts) == [conflict for rows in best.values() for conflict in rows[:3]]


def test_the_block_changes_nothing_and_the_vectors_are_left_alone(tmp_path: object) -> None:
    unit = clustered(300, 1, dimension=96)
    unit.flags.writeable = False
    results = {near_duplicates(unit, 0.8, block=block) for block in (1, 13, 128, 300, 4096)}
    assert len(results) == 1
    assert next(iter(results)).merges


def test_nothing_and_one() -> None:
    assert near_duplicates(np.empty((0, 4), np.float32)) == Deduplication((), (), (), 0)
    assert near_duplicates(normalised([[1, 2]])) == Deduplication((0,), (), (), 0)
    assert near_duplicates(normalised([[1, 2], [1, 2]]), 1.0).kept == (0, 1)


@pytest.mark.parametrize(
    ("unit", "options", "message"),
    [
        (np.ones((2, 2), np.float32), {}, "unit[0]: must have length 1, got 1.41421; normalise the vectors"),
        (
            np.array([[1, 0], [np.nan, 0]], np.float32),
            {},
            "unit[1]: must have length 1, got nan; normalise the vectors",
        ),
        (np.ones(2, np.float32), {}, "unit: must be a float32 array of shape (n, d), got float32 (2,)"),
        (np.ones((1, 1)), {}, "unit: must be a float32 array of shape (n, d), got float64 (1, 1)"),
        ([[1.0]], {}, "unit: must be a float32 array of shape (n, d), got list"),
        (np.ones((1, 1), np.float32), {"threshold": 2}, "threshold: must be a number in [0, 1], got 2"),
        (np.ones((1, 1), np.float32), {"block": 0}, "block: must be a whole number from 1 on, got 0"),
        (np.ones((1, 1), np.float32), {"most_asked": 0}, "most_asked: must be a whole number from 1 on, got 0"),
    ],
)
def test_arguments_are_checked(unit: Floats, options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        near_duplicates(unit, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Merge(1, 1, 0.9), "kept: must be below merged=1, got 1"),
        (lambda: Conflict(2, 1, 0.9), "first: must be below second=1, got 2"),
        (lambda: Merge(1, 0, 1.5), "similarity: must be in [-1, 1], got 1.5"),
        (lambda: Deduplication((0, 2), (), (), 0), "kept: must hold, together with the merged ones, each index once"),
        (lambda: Deduplication((1, 0), (), (), 0), "kept: and merges must be in ascending order"),
        (
            lambda: Deduplication((0,), (Merge(1, 0, 1.0), Merge(2, 1, 1.0)), (), 0),
            "merges: must name kept vectors",
        ),
    ],
)
def test_results_check_themselves(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert str(caught.value) == message
