"""Vectors in two dimensions, for looking at them. Nothing is decided by where a point lies on the plane."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_known
from ragcortex.errors import InputError

Method = Literal["pca", "umap"]
METHODS: Final[tuple[str, ...]] = get_args(Method)
Points = npt.NDArray[np.float64]
_UMAP_NEIGHBOURS: Final = 15
_UMAP_LEAST: Final = 10
# Below this share of the vectors' own size, what is left after centring is rounding, and its directions mean nothing.
_NO_SPREAD: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Points on the plane.

    Attributes:
        points: one row a vector, float64, shape (n, 2), finite.
        method: how they came there.
        explained: share of the vectors' variance that each axis shows, each in [0, 1]; None for UMAP, which has none.
    """

    points: Points
    method: Method
    explained: tuple[float, float] | None

    def __post_init__(self) -> None:
        check_known("method", self.method, METHODS)
        points = self.points
        if not isinstance(points, np.ndarray) or points.dtype != np.float64 or points.shape[1:] != (2,):
            raise InputError("points", "must be float64 of shape (n, 2)")
        if not np.isfinite(points).all():
            raise InputError("points", "must be finite")
        if self.explained is not None and not all(0 <= share <= 1 for share in self.explained):
            raise InputError("explained", f"must be two shares in [0, 1], got {self.explained!r}")


def project(vectors: npt.ArrayLike, *, method: Method = "pca") -> Projection:
    """Return the vectors on a plane; the same vectors always come to the same place.

    PCA shows the two directions in which the vectors differ most; of each direction and its opposite it takes the one
    whose largest coefficient is positive. UMAP keeps neighbours together and nothing else: its distances, gaps and
    sizes of groups mean little.

    Args:
        vectors: finite numbers, shape (n, dimension), n and dimension at least 1. They are not changed.
        method: `pca`, or `umap` where the package umap-learn is installed.

    Raises:
        InputError: the vectors have another shape or are not finite, the method is unknown or not installed, or there
            are too few vectors for UMAP.

    Source: scikit-learn's PCA; UMAP as in McInnes, Healy and Melville, 2018 (umap-learn).
    """
    check_known("method", method, METHODS)
    array = np.asarray(vectors)
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiu":
        raise InputError(
            "vectors", f"must be numbers of shape (n, dimension), none of them 0, got {array.dtype} {array.shape}"
        )
    values = array.astype(np.float64)
    wrong = ~np.isfinite(values).all(axis=1)
    if wrong.any():
        raise InputError("vectors", f"must be finite, row {int(np.argmax(wrong))} is not")
    if method == "umap":
        return _umap(values)
    points, explained = _pca(values)
    return Projection(points, "pca", explained)


def _pca(values: Points) -> tuple[Points, tuple[float, float]]:
    from sklearn.decomposition import PCA

    n, dimension = values.shape
    points = np.zeros((n, 2))
    spread = np.abs(values - values.mean(axis=0)).max()
    if spread <= _NO_SPREAD * np.abs(values).max():
        return points, (0.0, 0.0)
    n_axes = min(2, n, dimension)
    # The covariance is small and quick to decompose where there are more vectors than dimensions.
    pca = PCA(n_components=n_axes, svd_solver="covariance_eigh" if n >= dimension else "full")
    # Fitted on values around 1, since squares of tiny ones vanish, and brought back to their size afterwards.
    points[:, :n_axes] = pca.fit_transform(values / spread) * spread
    shares = [min(max(float(share), 0.0), 1.0) for share in pca.explained_variance_ratio_]
    first, second = (*shares, 0.0)[:2]
    return points, (first, second)


def _umap(values: Points) -> Projection:
    umap = _umap_class()
    if len(values) < _UMAP_LEAST:
        raise InputError("method", f"umap needs at least {_UMAP_LEAST} vectors, got {len(values)}; use pca")
    start, explained = _pca(values)
    if explained == (0.0, 0.0):
        return Projection(start, "umap", None)
    # One job, because several threads would make the result depend on their timing.
    model = umap(
        n_components=2,
        n_neighbors=min(_UMAP_NEIGHBOURS, len(values) - 1),
        metric="cosine",
        init=start.astype(np.float32) if explained[1] > _NO_SPREAD else "random",
        random_state=0,
        n_jobs=1,
    )
    return Projection(np.asarray(model.fit_transform(values), dtype=np.float64), "umap", None)


def _umap_class() -> Callable[..., Any]:
    try:
        from umap import UMAP  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "umap":
            raise InputError(
                "method", "umap needs the package umap-learn, which is not here: `pip install umap-learn`, or use pca"
            ) from None
        raise InputError("method", f"umap cannot be used, importing umap-learn fails: {error}; use pca") from error
    return UMAP  # type: ignore[no-any-return]
