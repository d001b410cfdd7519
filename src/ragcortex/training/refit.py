"""Refits a fusion on labelled answers of a user's own: weights of statements, probabilities and thresholds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ragcortex.detectors.fused import FusedDetector
from ragcortex.errors import RagcortexError, TrainingError
from ragcortex.example import Example
from ragcortex.fusion.model import FusionModel
from ragcortex.fusion.stack import FusionStack
from ragcortex.fusion.token_signals import Values
from ragcortex.splits import folds
from ragcortex.training.fusion import FLAGGED, N_FOLDS, FusionRow, HeldOut, calibrated

# How firmly the weights of statements stay where they are: as if by so many answers that speak for each of them.
_STRENGTH: Final = 10.0


@dataclass(frozen=True, slots=True)
class Unused:
    """A labelled answer that could not be used, and why."""

    example: Example
    reason: str


def witnessed_rows(detector: FusedDetector, examples: Iterable[Example]) -> tuple[list[FusionRow], list[Unused]]:
    """Return what both witnesses say of labelled answers, and which answers could not be used.

    Args:
        detector: with the witnesses.
        examples: with labels or spans.
    """
    rows: list[FusionRow] = []
    unused: list[Unused] = []
    for example in examples:
        if example.answer_label is None:
            unused.append(Unused(example, "it has no label"))
            continue
        try:
            row = detector.row(example)
        except RagcortexError as error:
            unused.append(Unused(example, str(error)))
            continue
        if row is None:
            unused.append(Unused(example, "it claims nothing, or there is nothing to check it against"))
        else:
            rows.append(FusionRow(example, row.signals, row.evidence, row.geometric_score))
    return rows, unused


def refit_fusion(
    model: FusionModel, rows: Sequence[FusionRow], *, name: str, data: str, flagged: float = FLAGGED, seed: int = 0
) -> tuple[FusionModel, HeldOut]:
    """Return the fusion refitted on labelled answers, and the scores that its thresholds were chosen on.

    The witnesses and the weights of token signals stay as they are; the weights of statement signals move as far as the
    answers ask for where spans are known; probabilities and thresholds are chosen anew, on scores by weights that were
    refitted without the answers to the same source. Some 100 to 200 answers are enough.

    Args:
        model: the fusion to begin with.
        rows: what both witnesses say of the answers.
        name: of the fusion that comes out.
        data: what the answers are, in words.
        flagged: at most this share of the grounded statements is flagged.
        seed: of the folds.

    Raises:
        TrainingError: a class is missing, or there are fewer than five sources.
    """
    labels = [row.label for row in rows]
    if not 0 < sum(labels) < len(labels):
        raise TrainingError(
            f"calibrating needs grounded and hallucinated answers, got {sum(labels)} hallucinated of {len(labels)} "
            "that can be used; label more answers"
        )
    # Signals of statements come of the tokens' model, which stays: they are the same for every refitted stack.
    values = [model.stack.score(row.signals, row.evidence).statement_values for row in rows]
    fold = folds([row.example.group for row in rows], N_FOLDS, seed, strata=labels)
    scores = {}
    for number in range(N_FOLDS):
        train = np.flatnonzero(fold != number).tolist()
        stack = _refitted(model.stack, [rows[index] for index in train], [values[index] for index in train])
        for index in np.flatnonzero(fold == number).tolist():
            scores[index] = stack.score(rows[index].signals, rows[index].evidence)
    judged = HeldOut(tuple(rows), tuple(scores[index] for index in range(len(rows))))
    begun = replace(
        model,
        name=name,
        stack=_refitted(model.stack, rows, values),
        training={"data": data, "begun_with": model.name},
        figures={},
    )
    return calibrated(begun, judged, data, flagged), judged


def _refitted(stack: FusionStack, rows: Sequence[FusionRow], values: Sequence[Values]) -> FusionStack:
    """Return the stack with the statements' weights moved towards the rows whose spans are known.

    `values` are the signals of each row's statements.
    """
    known = [
        (own, labels) for row, own in zip(rows, values, strict=True) if (labels := row.statement_labels()) is not None
    ]
    labels_of_all = np.concatenate([labels for _, labels in known]) if known else np.zeros(0)
    if len(np.unique(labels_of_all)) < 2:
        return stack
    values_of_all = np.concatenate([own for own, _ in known])
    return replace(stack, statements=stack.statements.refit(values_of_all, labels_of_all, strength=_STRENGTH))
