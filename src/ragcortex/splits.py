"""Splits that never put rows of one group (one source) on both sides.

scikit-learn's StratifiedGroupKFold is not used because it refuses rare labels, balances no row counts without labels,
and takes groups in an order that a seed can hardly change.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError, TrainingError
from ragcortex.score_arrays import Floats


def group_indices(groups: Sequence[str | None]) -> npt.NDArray[np.intp]:
    """Return one index a row, equal for rows of one group; each row without a group is a group of its own.

    Named groups come first, in the order of their names, so that the order of rows does not matter.

    >>> group_indices(["b", None, "a", "b"]).tolist()
    [1, 2, 0, 1]
    """
    names = {name: index for index, name in enumerate(sorted({name for name in groups if name is not None}))}
    indices = np.empty(len(groups), dtype=np.intp)
    n_groups = len(names)
    for row, name in enumerate(groups):
        if name is None:
            indices[row] = n_groups
            n_groups += 1
        else:
            indices[row] = names[name]
    return indices


def holdout(
    groups: Sequence[str | None], fraction: float, seed: int, strata: Sequence[object] | None = None
) -> npt.NDArray[np.bool_]:
    """Return True for the rows held out: about `fraction` of them, in whole groups, at least one group on each side.

    Args:
        groups: the group of each row, None where it has none.
        fraction: the share of rows to hold out, in (0, 1).
        seed: decides which groups.
        strata: a label a row, to be held out in the same share as far as groups allow.

    Raises:
        InputError: fraction is out of range, or strata are not one a row.
        TrainingError: there are fewer than two groups.
    """
    if not 0 < fraction < 1:
        raise InputError("fraction", f"must lie between 0 and 1, both excluded, got {fraction!r}")
    indices, counts = _counts(groups, strata)
    if len(counts) < 2:
        raise TrainingError(f"holding out needs at least 2 groups, the data has {len(counts)}; label more sources")
    side = _assign(counts, np.array([1 - fraction, fraction]), seed)
    for empty in (0, 1):
        if not (side == empty).any():
            side[np.argmin(counts[:, 0])] = empty
    return np.asarray(side[indices] == 1)


def folds(
    groups: Sequence[str | None], n: int, seed: int, *, strata: Sequence[object] | None = None
) -> npt.NDArray[np.intp]:
    """Return the fold, 0 to n − 1, of each row: whole groups, balanced by rows and by strata, no fold empty.

    Args:
        groups: the group of each row, None where it has none.
        n: how many folds, at least 2.
        seed: decides which groups go together.
        strata: a label a row, to be spread evenly as far as groups allow.

    Raises:
        InputError: n is below 2, or strata are not one a row.
        TrainingError: there are fewer groups than folds.
    """
    if n < 2:
        raise InputError("n", f"must be at least 2 folds, got {n!r}")
    indices, counts = _counts(groups, strata)
    if len(counts) < n:
        raise TrainingError(f"{n} folds need at least {n} groups, the data has {len(counts)}; use fewer folds")
    return _assign(counts, np.full(n, 1 / n), seed)[indices]


def _counts(groups: Sequence[str | None], strata: Sequence[object] | None) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the group index of each row, and how many rows, and rows of each stratum, each group has."""
    indices = group_indices(groups)
    n_groups = int(indices.max()) + 1 if len(indices) else 0
    columns = [np.bincount(indices, minlength=n_groups)]
    if strata is not None:
        if len(strata) != len(groups):
            raise InputError("strata", f"must be one a row, expected {len(groups)}, got {len(strata)}")
        keys = [repr(stratum) for stratum in strata]
        for key in sorted(set(keys)):
            rows = np.array([other == key for other in keys])
            columns.append(np.bincount(indices[rows], minlength=n_groups))
    return indices, np.stack(columns, axis=1).astype(np.float64)


def _assign(counts: Floats, shares: Floats, seed: int) -> npt.NDArray[np.intp]:
    """Return a part for each group, so that part k gets about shares[k] of every column of `counts`.

    Groups are placed one at a time, each where it raises Σ load² / share least (loads as shares of their column's
    total; that sum is smallest when every part has its share). Large groups come first, since small ones can even out
    what they leave; sizes within a factor of two count as equal, so that the seed matters.
    """
    rng = np.random.default_rng(seed)
    weights = counts / counts.sum(axis=0)
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(-np.floor(np.log2(counts[shuffled, 0])), kind="stable")]
    loads = np.zeros((len(shares), counts.shape[1]))
    parts = np.empty(len(counts), dtype=np.intp)
    for group in order:
        added = weights[group]
        cost = ((2 * loads + added) @ added) / shares
        best = int(np.argmin(cost))
        loads[best] += added
        parts[group] = best
    return parts
