"""The thresholds of a method at every level, chosen on its validation answers, and the test answers each one judges."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ragcortex.errors import InputError
from ragcortex.evaluation.levels import Indices, Level
from ragcortex.evaluation.method_scores import Smoothness, Validation, units_of
from ragcortex.evaluation.operating_points import ValidationThreshold, validation_threshold
from ragcortex.score_arrays import Floats

NO_VALIDATION: Final = "no validation answers were given"


def chosen_thresholds(
    validation: Sequence[Validation], level: Level, column: Smoothness
) -> tuple[ValidationThreshold, ...]:
    """Return the threshold with the best F1 on each part of the validation, for one level and column."""
    found = []
    for part in validation:
        scores = part.scores.column(column)
        units = None if scores is None else units_of(part.index, scores, level)
        if units is None:
            reason = f"the method gives no {column} {level} scores of the validation answers"
            found.append(ValidationThreshold(None, None, 0, reason))
        else:
            found.append(validation_threshold(units.scores, units.labels))
    return tuple(found)


def judges_of(validation: Sequence[Validation], n_answers: int) -> Indices:
    """Return the part of the validation that judges each test answer, shape (n_answers,); −1 without validation.

    Raises:
        InputError: a test answer is judged by no part or by several, or a position is not one of a test answer.
    """
    parts = np.full(n_answers, -1, dtype=np.intp)
    for position, part in enumerate(validation):
        judged = np.arange(n_answers) if part.judges is None else np.asarray(part.judges, dtype=np.intp)
        if len(judged) and (judged.min() < 0 or judged.max() >= n_answers):
            raise InputError(f"validation[{position}].judges", f"must be positions from 0 to {n_answers - 1}")
        if len(np.unique(judged)) < len(judged) or (parts[judged] >= 0).any():
            raise InputError(f"validation[{position}].judges", "must not hold an answer that is judged already")
        parts[judged] = position
    if validation and (parts < 0).any():
        missing = int((parts < 0).sum())
        raise InputError("validation", f"must judge every test answer, {missing} of {n_answers} are judged by no part")
    return parts


def thresholds_by_answer(
    thresholds: Sequence[ValidationThreshold], judges: Indices
) -> tuple[Floats | None, str | None]:
    """Return the threshold of each test answer, shape (n_answers,), or None and the reason where one is missing.

    Args:
        thresholds: one a part of the validation.
        judges: the part that judges each test answer, as `judges_of` gives it.
    """
    if not thresholds:
        return None, NO_VALIDATION
    reasons = [one.reason for one in thresholds if one.reason is not None]
    if reasons:
        return None, f"no threshold: {reasons[0]}"
    return np.array([one.threshold for one in thresholds], dtype=np.float64)[judges], None
