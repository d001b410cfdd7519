"""Vectors on a plane: against a plain eigen-decomposition, for every shape, with one direction for each axis."""

import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragcortex.errors import InputError
from ragcortex.geometry.projection import Projection, project

HAS_UMAP = importlib.util.find_spec("umap") is not None


def made_vectors(n: int, dimension: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dimension)) * np.linspace(3, 0.5, dimension)


def plain_pca(vectors: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Eigenvectors of the covariance, entry by entry; each turned so that its largest coefficient is positive."""
    n, dimension = vectors.shape
    mean = [sum(vectors[i][a] for i in range(n)) / n for a in range(dimension)]
    covariance = np.zeros((dimension, dimension))
    for a in range(dimension):
        for b in range(dimension):
            covariance[a, b] = sum((row[a] - mean[a]) * (row[b] - mean[b]) for row in vectors) / (n - 1)
    values, directions = np.linalg.eigh(covariance)
    points = np.zeros((n, 2))
    for axis in range(2):
        direction = directions[:, -1 - axis]
        if direction[np.argmax(np.abs(direction))] < 0:
            direction = -direction
        points[:, axis] = [(row - mean) @ direction for row in vectors]
    return points, [float(values[-1 - axis] / values.sum()) for axis in range(2)]


@pytest.mark.parametrize(("n", "dimension"), [(40, 6), (5, 12), (12, 12), (2, 3)])
def test_pca_is_that_of_a_plain_decomposition(n: int, dimension: int) -> None:
    vectors = made_vectors(n, dimension)
    expected, explained = plain_pca(vectors)
    projection = project(vectors)
    n_axes = min(2, n - 1)  # two points differ in one direction only
    np.testing.assert_allclose(projection.points[:, :n_axes], expected[:, :n_axes], atol=1e-7)
    assert projection.explained == pytest.approx(explained, abs=1e-9)


def test_the_same_vectors_come_to_the_same_place() -> None:
    vectors = made_vectors(50, 8).astype(np.float32)
    before = vectors.copy()
    assert project(vectors).points.tobytes() == project(vectors.copy()).points.tobytes()
    np.testing.assert_array_equal(vectors, before)


def test_order_makes_no_difference() -> None:
    vectors = made_vectors(30, 7)
    order = np.random.default_rng(1).permutation(30)
    np.testing.assert_allclose(project(vectors[order]).points, project(vectors).points[order], atol=1e-9)


@pytest.mark.parametrize(
    "vectors",
    [[[1.0, 2.0, 3.0]], [[0.0, 0.0]], [[0.1, 0.2, 0.3]] * 7, np.full((400, 3), 0.1, np.float32)],
    ids=["one", "zero", "all the same", "the same in float32"],
)
def test_vectors_without_differences_lie_on_one_point(vectors: object) -> None:
    projection = project(vectors)  # type: ignore[arg-type]
    assert not projection.points.any()
    assert projection.explained == (0.0, 0.0)


def test_one_dimension_leaves_the_second_axis_empty() -> None:
    projection = project([[1.0], [2.0], [6.0]])
    np.testing.assert_allclose(projection.points, [[-2, 0], [-1, 0], [3, 0]])
    assert projection.explained == (1.0, 0.0)


@settings(deadline=None, max_examples=50)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 8)),
        elements=st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False),
    )
)
def test_any_vectors_have_a_place(vectors: np.ndarray) -> None:
    projection = project(vectors)
    assert projection.points.shape == (len(vectors), 2)
    assert projection.points.dtype == np.float64
    assert np.isfinite(projection.points).all()
    assert projection.explained is not None
    assert projection.explained[0] >= projection.explained[1] >= 0
    # A plane shows at most the spread that there is.
    total = ((vectors - vectors.mean(axis=0)) ** 2).sum()
    assert (projection.points**2).sum() <= total * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([1.0, 2.0], "must be numbers of shape (n, dimension), none of them 0, got float64 (2,)"),
        (np.zeros((0, 3)), "must be numbers of shape (n, dimension), none of them 0, got float64 (0, 3)"),
        ([["a", "b"]], "must be numbers of shape (n, dimension), none of them 0, got <U1 (1, 2)"),
        ([[1.0, 2.0], [float("nan"), 0.0]], "must be finite, row 1 is not"),
        ([[1.0, float("inf")]], "must be finite, row 0 is not"),
    ],
)
def test_what_cannot_be_projected(vectors: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        project(vectors)  # type: ignore[arg-type]
    assert str(caught.value) == f"vectors: {message}"


def test_an_unknown_method() -> None:
    with pytest.raises(InputError) as caught:
        project([[1.0]], method="tsne")  # type: ignore[arg-type]
    assert str(caught.value) == "method: must be one of pca, umap, got 'tsne'"


def test_umap_that_is_not_installed_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)  # an import of it now fails as if it were not there
    with pytest.raises(InputError) as caught:
        project(made_vectors(20, 4), method="umap")
    assert str(caught.value) == (
        "method: umap needs the package umap-learn, which is not here: `pip install umap-learn`, or use pca"
    )


@pytest.mark.skipif(not HAS_UMAP, reason="umap-learn is not installed")
@pytest.mark.filterwarnings("ignore::ImportWarning")  # umap-learn tells of an extra of its own that is missing
class TestUmap:
    def test_the_same_vectors_come_to_the_same_place(self) -> None:
        vectors = made_vectors(40, 8)
        first, second = (project(vectors, method="umap") for _ in range(2))
        assert first.points.tobytes() == second.points.tobytes()
        assert first.explained is None

    def test_neighbours_stay_together(self) -> None:
        rng = np.random.default_rng(0)
        centres = np.eye(10)[:2] * 5
        vectors = np.concatenate([centre + rng.normal(size=(20, 10)) * 0.1 for centre in centres])
        points = project(vectors, method="umap").points
        one, other = points[:20], points[20:]
        assert np.linalg.norm(one.mean(0) - other.mean(0)) > 2 * max(np.ptp(one, 0).max(), np.ptp(other, 0).max()) / 2

    @pytest.mark.parametrize("vectors", [np.ones((12, 4)), np.arange(1.0, 13)[:, None]], ids=["same", "one dimension"])
    def test_degenerate_vectors(self, vectors: np.ndarray) -> None:
        assert np.isfinite(project(vectors, method="umap").points).all()

    def test_too_few_vectors(self) -> None:
        with pytest.raises(InputError) as caught:
            project(made_vectors(9, 4), method="umap")
        assert str(caught.value) == "method: umap needs at least 10 vectors, got 9; use pca"


@pytest.mark.parametrize(
    ("points", "explained", "message"),
    [
        (np.zeros((2, 3)), None, "points: must be float64 of shape (n, 2)"),
        (np.zeros((2, 2), np.float32), None, "points: must be float64 of shape (n, 2)"),
        (np.full((1, 2), np.nan), None, "points: must be finite"),
        (np.zeros((1, 2)), (0.5, 1.5), "explained: must be two shares in [0, 1], got (0.5, 1.5)"),
    ],
)
def test_a_projection_checks_itself(points: np.ndarray, explained: tuple[float, float] | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Projection(points, "pca", explained)
    assert str(caught.value) == message
