"""Results by task, generator, answer length, number of references, and type of hallucination.

Every slice has its own intervals, drawn from its own sources. A slice by type holds all grounded units and those that a
span of the type touches, so a unit of two types counts for both; the other hallucinated units are not in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_known
from ragcortex.errors import InputError
from ragcortex.evaluation.levels import Indices, Level, LevelUnits, UnitIndex
from ragcortex.evaluation.metrics import Metric, ranking_metrics
from ragcortex.evaluation.operating_points import NOTHING_FLAGGED, per_unit, rate_of, ratio, undefined
from ragcortex.evaluation.resampled_ranking import RankedUnits
from ragcortex.evaluation.resampling import Estimate, Resamples
from ragcortex.example import Example

Aspect = Literal["task", "generator", "answer length", "references", "type"]
ASPECTS: Final[tuple[Aspect, ...]] = get_args(Aspect)
NOT_GIVEN: Final = "not given"
_MOST_COUNTED: Final = 5
_MANY: Final = 10


@dataclass(frozen=True, slots=True)
class Slice:
    """The results on one part of the units.

    Attributes:
        aspect: what the units are divided by.
        value: which of its values this part has; NOT_GIVEN where the data do not say.
        n_answers: how many answers its units come from.
        average_precision: with n, base rate and interval.
        auroc: likewise.
        recall: the share of its hallucinated units that is found at the validation threshold.
    """

    aspect: Aspect
    value: str
    n_answers: int
    average_precision: Estimate
    auroc: Estimate
    recall: Estimate


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The slices of one method by one aspect, in the order of their values.

    Attributes:
        aspect: what the units are divided by.
        level: what a unit is.
        slices: one a value.
        reason: why there are no slices; None where there are some.
    """

    aspect: Aspect
    level: Level
    slices: tuple[Slice, ...]
    reason: str | None = None

    def __post_init__(self) -> None:
        if bool(self.slices) == (self.reason is not None):
            raise InputError("reason", f"must be given exactly where there are no slices, got {self.reason!r}")


def breakdown(
    index: UnitIndex,
    units: LevelUnits,
    aspect: Aspect,
    thresholds: npt.ArrayLike | None,
    *,
    seed: int,
    n_resamples: int,
) -> Breakdown:
    """Return a method's results divided by one aspect.

    Args:
        index: of the data set.
        units: the method's units, made by this index.
        aspect: one of ASPECTS.
        thresholds: one for all units, or one a unit; None where none could be chosen.
        seed: of the bootstrap.
        n_resamples: how many resamples to draw in each slice.

    Raises:
        InputError: the aspect is unknown, the units are of another index, or n_resamples is below 1.
    """
    check_known("aspect", aspect, ASPECTS)
    if not np.array_equal(index.answers(units.level), units.answers):
        raise InputError("units", f"must be of this index, which has {len(index.answers(units.level))} of them")
    cuts = None if thresholds is None else per_unit(thresholds, len(units))
    flagged = None if cuts is None else units.scores >= cuts
    if aspect == "type":
        return _by_type(index, units, flagged, seed, n_resamples)
    values, order = _values(index.examples, aspect)
    homes = np.array([order.index(value) for value in values], dtype=np.intp)[units.answers]
    found = []
    for position, value in enumerate(order):
        rows = np.flatnonzero(homes == position)
        if len(rows):
            resamples = Resamples(units.groups[rows], seed=seed, n_resamples=n_resamples)
            found.append(_slice(aspect, value, units, rows, flagged=flagged, resamples=resamples))
    return Breakdown(aspect, units.level, tuple(found), None if found else "nothing is labelled")


def quartile_names(lengths: Sequence[int]) -> tuple[list[str], list[str]]:
    """Return the name of each answer's quartile of length, and all names in order.

    Equal lengths are in the same quartile, so that there may be fewer than four, and of unequal sizes.

    >>> quartile_names([10, 20, 30, 40])
    (['10 characters', '20 characters', '30 characters', '40 characters'], \
['10 characters', '20 characters', '30 characters', '40 characters'])
    """
    array = np.asarray(lengths, dtype=np.intp)
    if not len(array):
        return [], []
    edges = np.quantile(array, [0.25, 0.5, 0.75])
    quartiles = np.searchsorted(edges, array, side="left")
    names = {}
    for quartile in np.unique(quartiles).tolist():
        low, high = int(array[quartiles == quartile].min()), int(array[quartiles == quartile].max())
        names[quartile] = f"{low:,} characters" if low == high else f"{low:,}–{high:,} characters"
    return [names[quartile] for quartile in quartiles.tolist()], list(names.values())


def _values(examples: Sequence[Example], aspect: Aspect) -> tuple[list[str], list[str]]:
    """Return the value of each answer, and all values in the order in which to show them."""
    if aspect == "answer length":
        return quartile_names([len(example.answer) for example in examples])
    if aspect == "references":
        counts = [len(example.references) for example in examples]
        named = {count: _count_name(count) for count in sorted(set(counts))}
        return [named[count] for count in counts], list(dict.fromkeys(named.values()))
    given = [example.task if aspect == "task" else example.generator for example in examples]
    order = sorted({value for value in given if value is not None})
    return [NOT_GIVEN if value is None else value for value in given], list(dict.fromkeys([*order, NOT_GIVEN]))


def _count_name(count: int) -> str:
    if count <= _MOST_COUNTED:
        return str(count)
    return f"{_MOST_COUNTED + 1}–{_MANY}" if count <= _MANY else f"more than {_MANY}"


def _by_type(
    index: UnitIndex, units: LevelUnits, flagged: npt.NDArray[np.bool_] | None, seed: int, n_resamples: int
) -> Breakdown:
    found = []
    for name in index.span_types():
        rows = np.flatnonzero((units.labels == 0) | index.touched(units.level, name))
        resamples = Resamples(units.groups[rows], seed=seed, n_resamples=n_resamples)
        found.append(
            _slice("type", NOT_GIVEN if name is None else name, units, rows, flagged=flagged, resamples=resamples)
        )
    return Breakdown("type", units.level, tuple(found), None if found else "no span is marked as hallucinated")


def _slice(
    aspect: Aspect,
    value: str,
    units: LevelUnits,
    rows: Indices,
    *,
    flagged: npt.NDArray[np.bool_] | None,
    resamples: Resamples,
) -> Slice:
    scores, labels = units.scores[rows], units.labels[rows]
    metrics = ranking_metrics(scores, labels)
    draws = RankedUnits(scores, labels).draws(resamples)
    truth = labels == 1
    if flagged is None:
        nothing = Metric(None, len(rows), rate_of(labels), "no threshold could be chosen")
        recall = undefined(nothing, resamples.n_groups)
    else:
        missing = None if truth.any() else "nothing is labelled hallucinated"
        recall = ratio(resamples, flagged[rows] & truth, truth, truth, otherwise=NOTHING_FLAGGED, reason=missing)
    return Slice(
        aspect=aspect,
        value=value,
        n_answers=len(np.unique(units.answers[rows])),
        average_precision=draws.average_precision.estimate(metrics.average_precision),
        auroc=draws.auroc.estimate(metrics.auroc),
        recall=recall,
    )
