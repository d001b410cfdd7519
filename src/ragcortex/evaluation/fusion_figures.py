"""What labelled answers say of a fusion refitted on them: thresholds, their figures, and calibration before and after.

The positive class is «hallucinated» (label 1). Scores are held out: of weights refitted without the answers to the same
source. Thresholds and probabilities were chosen on those very scores, so figures lean to the good side, the fewer
answers the more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ragcortex.calibration import ThresholdChoice
from ragcortex.evaluation.reliability import Reliability, reliability
from ragcortex.fusion.judgement import probabilities_of
from ragcortex.fusion.model import FusionModel
from ragcortex.geometry.calibration_bootstrap import LEVEL, FigureInterval, resampled_intervals
from ragcortex.score_arrays import Floats, Labels
from ragcortex.splits import group_indices
from ragcortex.training.fusion import HeldOut

# With fewer answers of a class than this, one answer more or less moves every figure.
ENOUGH: Final = 30
_LEVELS: Final = ("answers", "statements")
_SHARES: Final = {
    "precision": "share of the flagged answers that are hallucinated",
    "recall": "share of the hallucinated answers that are flagged",
    "f1": "harmonic mean of both",
}


@dataclass(frozen=True, slots=True)
class FusionFigures:
    """The figures of a refitted fusion on the answers it was refitted on.

    Attributes:
        n_groups: how many sources the answers come from.
        answers: the answer threshold and what it does.
        intervals: of the answer threshold's `precision`, `recall` and `f1`, at 95 %, drawing whole sources.
        statements: the statement threshold and what it does.
        has_spans: whether hallucinated spans are known; if not, each answer's highest statement stands for it.
        before: by `answers` and `statements`, the probabilities of the fusion that was begun with.
        after: likewise the held-out ones of the refitted fusion.
    """

    n_groups: int
    answers: ThresholdChoice
    intervals: Mapping[str, FigureInterval]
    statements: ThresholdChoice
    has_spans: bool
    before: Mapping[str, Reliability]
    after: Mapping[str, Reliability]

    __hash__ = None  # type: ignore[assignment]  # it holds mappings

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes the figures doubtful, in sentences."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        n_hallucinated = self.answers.n_positive
        for n, kind in ((n_hallucinated, "hallucinated"), (self.answers.n - n_hallucinated, "grounded")):
            if n < ENOUGH:
                yield f"only {n} answers are {kind}; with fewer than {ENOUGH} of a class figures are rough, label more"
        if not self.has_spans:
            yield (
                "no hallucinated span is marked: the weights of statements stay as they are, and each answer's highest "
                "statement was taken for the statement threshold"
            )

    def lines(self) -> tuple[str, ...]:
        """Return the figures for a person, a line at a time."""
        answers, statements = self.answers, self.statements
        n_grounded = answers.n - answers.n_positive
        part = "statements" if self.has_spans else "answers' highest statements"
        return (
            f"{answers.n:,} labelled answers from {self.n_groups:,} sources: {answers.n_positive:,} hallucinated "
            f"(label 1, the positive class), {n_grounded:,} grounded (label 0)",
            f"statement threshold  {statements.threshold:.3f}",
            f"  precision          {_share(statements.precision)}: share of the flagged {part} that are hallucinated",
            f"  recall             {statements.recall:.3f}: share of the {statements.n_positive:,} hallucinated {part} "
            "that are flagged",
            f"  false alarms       {statements.false_positive_rate:.3f}: share of the "
            f"{statements.n - statements.n_positive:,} grounded {part} that are flagged",
            f"answer threshold     {answers.threshold:.3f}",
            *(
                f"  {_title(name):<18} {_share(getattr(answers, name))}   ({_shown(self.intervals[name])}): {meaning}"
                for name, meaning in _SHARES.items()
            ),
            "calibration error    before     after",
            *(
                f"  {level:<18} {self.before[level].ece:.3f}      {self.after[level].ece:.3f}"
                for level in _LEVELS
            ),
            *(f"warning: {sentence}" for sentence in self.warnings),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values, for the field `figures` of the fusion."""
        return {
            "n_sources": self.n_groups,
            "answers": _choice(self.answers)
            | {f"{name}_interval": [one.low, one.high] for name, one in self.intervals.items()},
            "statements": _choice(self.statements),
            "spans_known": self.has_spans,
            "calibration_error": {
                level: {"before": round(self.before[level].ece, 4), "after": round(self.after[level].ece, 4)}
                for level in _LEVELS
            },
            "warnings": list(self.warnings),
        }

    def panels(self) -> dict[str, dict[str, Reliability]]:
        """Return what a reliability picture shows: before and after, of answers and of statements."""
        return {level: {"before": self.before[level], "after": self.after[level]} for level in _LEVELS}


def fusion_figures(
    begun: FusionModel, refitted: FusionModel, judged: HeldOut, *, seed: int = 0, n_resamples: int = 1000
) -> FusionFigures:
    """Return the figures of a fusion on the answers it was refitted on.

    Args:
        begun: the fusion that was begun with.
        refitted: what came out.
        judged: the answers with their held-out scores, as `training.refit.refit_fusion` returns them.
        seed: of the resamples.
        n_resamples: how many.

    Raises:
        TrainingError: a class is missing.
        InputError: n_resamples is below 1.
    """
    own = tuple(begun.stack.score(row.signals, row.evidence) for row in judged.rows)
    before = _probabilities(begun, HeldOut(judged.rows, own))
    after = _probabilities(refitted, judged)
    scores, labels = after["answers"]
    groups = group_indices([row.example.group for row in judged.rows])
    threshold = refitted.calibration.hallucinated_threshold
    intervals = resampled_intervals(scores, labels, groups, threshold, seed=seed, n_resamples=n_resamples)
    known = [row.statement_labels() for row in judged.rows]
    return FusionFigures(
        n_groups=len(set(groups.tolist())),
        answers=ThresholdChoice.at(scores, labels, threshold),
        intervals={name: intervals[name] for name in _SHARES},
        statements=ThresholdChoice.at(*after["statements"], threshold=refitted.statement_threshold),
        has_spans=any(own is not None and bool(own.any()) for own in known),
        before={level: reliability(*pair) for level, pair in before.items()},
        after={level: reliability(*pair) for level, pair in after.items()},
    )


def _probabilities(model: FusionModel, judged: HeldOut) -> dict[str, tuple[Floats, Labels]]:
    """Return the probabilities that a report would hold, with their labels, by level."""
    scores = []
    for row, one in zip(judged.rows, judged.scores, strict=True):
        statements, answer = probabilities_of(one, row.evidence, model)
        scores.append(replace(one, statements=statements, answer=answer))
    shown = HeldOut(judged.rows, tuple(scores))
    return {level: shown.level(level) for level in _LEVELS}


def _choice(choice: ThresholdChoice) -> dict[str, float | int | None]:
    names = ("threshold", "precision", "recall", "f1", "false_positive_rate", "n", "n_positive")
    return {name: getattr(choice, name) for name in names}


def _title(name: str) -> str:
    return "F1" if name == "f1" else name


def _share(value: float | None) -> str:
    return "–    " if value is None else f"{value:.3f}"


def _shown(interval: FigureInterval) -> str:
    if interval.low is None or interval.high is None:
        return f"no interval: {interval.reason}"
    return f"{LEVEL * 100:.0f} % {interval.low:.3f} to {interval.high:.3f}"
