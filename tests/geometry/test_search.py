"""Search among the chunks, beside a loop over pairs."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry import search as search_module
from ragcortex.geometry.search import Floats, Neighbours, search, warm


def unit_rows(n: int, dimension: int, seed: int) -> Floats:
    rows = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit.astype(np.float32)


def naive(
    queries: Floats, matrix: Floats, k: int, radius: float
) -> tuple[list[list[int]], list[list[float]], list[int]]:
    """Compare each pair on its own and sort everything."""
    indices, similarities, n_close = [], [], []
    for query in queries:
        cosines = [float(np.dot(query.astype(np.float64), row.astype(np.float64))) for row in matrix]
        order = sorted(range(len(cosines)), key=lambda index: (-cosines[index], index))[:k]
        indices.append(order)
        similarities.append([cosines[index] for index in order])
        n_close.append(sum(cosine >= 1 - radius for cosine in cosines))
    return indices, similarities, n_close


@settings(max_examples=40, deadline=None)
@given(
    m=st.integers(0, 4),
    n=st.integers(0, 30),
    dimension=st.integers(2, 9),
    k=st.integers(1, 35),
    seed=st.integers(0, 99),
)
def test_it_finds_what_a_loop_over_pairs_finds(m: int, n: int, dimension: int, k: int, seed: int) -> None:
    queries, matrix = unit_rows(m, dimension, seed), unit_rows(n, dimension, seed + 1000)
    found = search(queries, matrix, k, radius=0.4)
    indices, similarities, n_close = naive(queries, matrix, k, 0.4)

    assert found.indices.tolist() == indices
    assert found.indices.shape == (m, min(k, n))
    assert found.n_close.tolist() == n_close
    np.testing.assert_allclose(found.similarities, np.array(similarities).reshape(m, min(k, n)), atol=2e-6)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 12))
def test_equal_chunks_come_by_their_number(choices: list[int], k: int) -> None:
    # Rows of a few kinds only, so that most similarities are exactly equal: cosines 1, 0.6, 0, −1 with the query.
    kinds = np.array([[1, 0], [0.6, 0.8], [0, 1], [-1, 0]], dtype=np.float32)
    found = search(kinds[:1], kinds[choices], k)
    expected = sorted(range(len(choices)), key=lambda index: (choices[index], index))[:k]

    assert found.indices[0].tolist() == expected
    assert (np.diff(found.similarities[0]) <= 0).all()


def test_the_radius_includes_its_edge() -> None:
    # Cosines 1, 0.75 and 0.5 with the query, exactly.
    matrix = np.array([[1, 0], [0.75, np.sqrt(1 - 0.75**2)], [0.5, np.sqrt(0.75)]], dtype=np.float32)
    query = matrix[:1]
    assert [search(query, matrix, 1, radius=radius).n_close[0] for radius in (0, 0.25, 0.3, 0.5, 2)] == [1, 2, 2, 3, 3]


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, matrix = unit_rows(23, 16, 1), unit_rows(50, 16, 2)
    whole = search(queries, matrix, 7)
    monkeypatch.setattr(search_module, "_BLOCK_CELLS", 120)  # two queries at a time
    blocked = search(queries, matrix, 7)

    assert blocked.indices.tolist() == whole.indices.tolist()
    np.testing.assert_allclose(blocked.similarities, whole.similarities, atol=1e-6)
    assert blocked.n_close.tolist() == whole.n_close.tolist()


def test_a_memory_mapped_matrix_gives_the_same(tmp_path: Path) -> None:
    matrix = unit_rows(300, 24, 3)
    np.save(tmp_path / "matrix.npy", matrix)
    mapped = np.load(tmp_path / "matrix.npy", mmap_mode="r")
    warm(mapped)
    first, second = search(matrix[:5], matrix, 4), search(mapped[:5], mapped, 4)

    assert first.indices.tobytes() == second.indices.tobytes()
    assert first.similarities.tobytes() == second.similarities.tobytes()
    assert type(second.similarities) is np.ndarray


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": np.zeros(3, np.float32)}, "queries: must be float32 of shape (n, d), got float32 of shape (3,)"),
        ({"matrix": np.zeros((2, 3))}, "matrix: must be float32 of shape (n, d), got float64 of shape (2, 3)"),
        ({"queries": np.zeros((1, 4), np.float32)}, "queries: must have the chunks' dimension 3, got 4"),
        ({"k": 0}, "k: must be a whole number from 1 on, got 0"),
        ({"radius": -0.1}, "radius: must be a cosine distance in [0, 2], got -0.1"),
        ({"radius": float("nan")}, "radius: must be a cosine distance in [0, 2], got nan"),
    ],
)
def test_wrong_arguments_are_named(changes: dict[str, object], message: str) -> None:
    arguments = {"queries": np.zeros((1, 3), np.float32), "matrix": np.zeros((2, 3), np.float32), "k": 1} | changes
    with pytest.raises(InputError) as error:
        search(**arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_neighbours_check_themselves() -> None:
    with pytest.raises(InputError) as error:
        Neighbours(np.zeros((2, 3), np.intp), np.zeros((2, 2), np.float32), np.zeros(2, np.intp))
    assert str(error.value) == "similarities: must be float32 of shape (2, 3), got float32 of shape (2, 2)"
