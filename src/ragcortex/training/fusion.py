"""Fits the fusion of both witnesses from labelled answers: tokens, statements, answers, probabilities, thresholds."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import token_labels
from ragcortex.calibration import Calibration, ThresholdChoice, f1_threshold, false_alarm_threshold
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.fusion.judgement import probabilities_of
from ragcortex.fusion.model import CascadeBounds, FusionModel
from ragcortex.fusion.stack import FusionStack, StackScores
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS, statement_signals
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, TokenSignals, Values
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import spoken
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.platt import PlattScaling
from ragcortex.smoothing import Smoothing, candidates, choose_smoothing
from ragcortex.splits import folds

Labels = npt.NDArray[np.int8]
N_FOLDS: Final = 5
FLAGGED: Final = 0.02
"""At most this share of the grounded statements of the answers calibrated on is flagged."""
# Share of the hallucinated, and of the grounded, answers that a cascade may get wrong by not reading them.
CASCADE_ERRORS: Final = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class FusionRow:
    """A labelled answer with what both witnesses said of it, none of them fitted on answers to its source.

    Attributes:
        example: with a label, and spans where they are known.
        signals: of its tokens.
        evidence: what the geometric witness saw.
        geometric_score: the geometric witness's score of the answer.
    """

    example: Example
    signals: TokenSignals
    evidence: GeometricEvidence
    geometric_score: float

    @property
    def label(self) -> int:
        """1 where the answer is hallucinated."""
        if self.example.answer_label is None:
            raise TrainingError(f"example {self.example.id!r} has no label; a fusion is fitted on labelled answers")
        return self.example.answer_label

    def token_labels(self) -> Labels | None:
        """Return the label of each token; None where the spans are not known."""
        spans = self.example.known_spans
        return None if spans is None else token_labels(self.signals.tokens, spans)

    def statement_labels(self) -> Labels | None:
        """Return 1 for each statement that overlaps a hallucinated span; None where the spans are not known."""
        spans = self.example.known_spans
        if spans is None:
            return None
        return np.array(
            [any(span.start < one.end and one.start < span.end for span in spans) for one in self.evidence.claims],
            dtype=np.int8,
        )


def fit_stack(rows: Sequence[FusionRow], smoothing: Smoothing) -> FusionStack:
    """Return the models fitted on labelled answers, with this smoothing.

    Raises:
        TrainingError: a class is missing at one of the levels.
    """
    spanned = [(row, known) for row in rows if (known := row.token_labels()) is not None]
    if not spanned:
        raise TrainingError("no answer has known spans; a fusion needs answers whose hallucinated spans are marked")
    tokens = LinearModel.fit(
        TOKEN_SIGNALS,
        np.concatenate([row.signals.values for row, _ in spanned]),
        np.concatenate([known for _, known in spanned]),
        balanced=True,
    )
    scores = [np.asarray(smoothing.apply(tokens.probabilities(row.signals.values))) for row in rows]
    values = [statement_signals(row.signals, one, row.evidence) for row, one in zip(rows, scores, strict=True)]
    known_values = [(v, k) for v, row in zip(values, rows, strict=True) if (k := row.statement_labels()) is not None]
    statements = LinearModel.fit(
        STATEMENT_SIGNALS, np.concatenate([v for v, _ in known_values]), np.concatenate([k for _, k in known_values])
    )
    return FusionStack(tokens, smoothing, statements)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Scores of labelled answers by models that saw no answer to their source, in the rows' order."""

    rows: tuple[FusionRow, ...]
    scores: tuple[StackScores, ...]

    def of(self, wanted: Sequence[bool]) -> "HeldOut":
        """Return the part that is wanted."""
        kept = [index for index, one in enumerate(wanted) if one]
        return HeldOut(tuple(self.rows[i] for i in kept), tuple(self.scores[i] for i in kept))

    def level(self, name: str) -> tuple[Values, Labels]:
        """Return the scores and labels of all `tokens`, `statements` or `answers` that have labels.

        Where no hallucinated answer's spans are known, each answer's highest score stands for its tokens or statements,
        with the answer's label.
        """
        if name == "answers":
            return np.array([one.answer for one in self.scores]), np.array([row.label for row in self.rows], np.int8)
        pairs = [
            (getattr(one, name), row.token_labels() if name == "tokens" else row.statement_labels())
            for row, one in zip(self.rows, self.scores, strict=True)
        ]
        known = [(scores, labels) for scores, labels in pairs if labels is not None]
        if not any(labels.any() for _, labels in known):
            return self._highest(name)
        return np.concatenate([scores for scores, _ in known]), np.concatenate([labels for _, labels in known])

    def spoken(self) -> npt.NDArray[np.bool_]:
        """Return whether a finding speaks for itself in each score of the level `statements`, in its order."""
        each = [spoken(row.evidence) for row in self.rows]
        labels = [row.statement_labels() for row in self.rows]
        if not any(known is not None and known.any() for known in labels):
            return np.array([own.any() for own in each])
        return np.concatenate([own for own, known in zip(each, labels, strict=True) if known is not None])

    def _highest(self, name: str) -> tuple[Values, Labels]:
        """Return each answer's highest score with the answer's label."""
        highest = np.array([getattr(one, name).max(initial=0.0) for one in self.scores])
        return highest, np.array([row.label for row in self.rows], np.int8)


def held_out(rows: Sequence[FusionRow], smoothing: Smoothing, seed: int) -> HeldOut:
    """Return the scores of each row by the models of the other folds of sources."""
    fold = folds([row.example.group for row in rows], N_FOLDS, seed, strata=[row.label for row in rows])
    scores: dict[int, StackScores] = {}
    for number in range(N_FOLDS):
        stack = fit_stack([row for row, own in zip(rows, fold, strict=True) if own != number], smoothing)
        for index in np.flatnonzero(fold == number).tolist():
            scores[index] = stack.score(rows[index].signals, rows[index].evidence)
    return HeldOut(tuple(rows), tuple(scores[index] for index in range(len(rows))))


def choose_token_smoothing(rows: Sequence[FusionRow], seed: int) -> Smoothing:
    """Return the smoothing of token scores that held-out answers prefer."""
    plain = held_out(rows, Smoothing.none(), seed)
    spanned = [index for index, row in enumerate(rows) if row.example.known_spans is not None]
    labels = [known for index in spanned if (known := rows[index].token_labels()) is not None]
    return choose_smoothing([plain.scores[index].raw for index in spanned], labels, candidates("persistence"))


@dataclass(frozen=True, slots=True)
class FusionIdentity:
    """What a fusion is called and belongs to; see `FusionModel`."""

    name: str
    version: str
    internal: str
    internal_digest: str
    geometry_fingerprint: str


def fit_fusion(
    rows: Sequence[FusionRow],
    identity: FusionIdentity,
    *,
    calibrate_on: Callable[[Example], bool],
    data: str,
    training: Mapping[str, Any],
    flagged: float = FLAGGED,
    seed: int = 0,
) -> FusionModel:
    """Return the fusion fitted on labelled answers.

    Smoothing, probabilities and thresholds are chosen on scores of models that saw no answer to the same source.

    Args:
        rows: what both witnesses said, with labels.
        identity: what it is called and belongs to.
        calibrate_on: which answers probabilities and thresholds come from: those that occur as in use.
        data: what those are, in words.
        training: for the card.
        flagged: at most this share of the grounded statements of those answers is flagged.
        seed: of the folds.

    Raises:
        TrainingError: a class is missing, or fewer than five sources have labels.
    """
    smoothing = choose_token_smoothing(rows, seed)
    judged = held_out(rows, smoothing, seed).of([calibrate_on(row.example) for row in rows])
    return calibrated(
        FusionModel(
            **_identity(identity),
            stack=fit_stack(rows, smoothing),
            probabilities={level: PlattScaling.identity() for level in ("tokens", "statements", "answers")},
            statement_threshold=0.5,
            cascade=CascadeBounds(0.0, 1.0),
            calibration=Calibration(0.5, 0.5, 0.5, data, 0, 0, _today()),
            training=training,
        ),
        judged,
        data,
        flagged,
    )


def _identity(identity: FusionIdentity) -> dict[str, Any]:
    return {name: getattr(identity, name) for name in FusionIdentity.__slots__}


def calibrated(model: FusionModel, judged: HeldOut, data: str, flagged: float) -> FusionModel:
    """Return the model with probabilities and thresholds from scores of answers that it was not fitted on.

    Args:
        model: with the stack.
        judged: the answers and their scores.
        data: what they are, in words.
        flagged: at most this share of their grounded statements is flagged; where no hallucinated answer's spans are
            known, of the grounded answers.

    Raises:
        TrainingError: a class is missing.
    """
    levels = {name: judged.level(name) for name in ("tokens", "statements", "answers")}
    probabilities = {name: PlattScaling.fit(*pair) for name, pair in levels.items()}
    begun = replace(model, probabilities=probabilities)
    token = f1_threshold(probabilities["tokens"].apply(levels["tokens"][0]), levels["tokens"][1])
    statement = _statement_threshold(judged, probabilities["statements"], flagged)
    begun = replace(begun, statement_threshold=statement.threshold)
    answers = np.array([
        probabilities_of(one, row.evidence, begun)[1] for row, one in zip(judged.rows, judged.scores, strict=True)
    ])  # fmt: skip
    labels = levels["answers"][1]
    # One threshold for both: an answer with a flagged statement reaches it, and so may several suspicious ones.
    answer = ThresholdChoice.at(answers, labels, statement.threshold)
    calibration = Calibration(
        token_threshold=token.threshold,
        review_threshold=statement.threshold,
        hallucinated_threshold=statement.threshold,
        data=data,
        n_answers=len(labels),
        n_hallucinated=int(labels.sum()),
        date=_today(),
        figures={
            "token_f1": token.f1, "token_precision": token.precision or 0.0, "token_recall": token.recall,
            "statement_precision": statement.precision or 0.0, "statement_recall": statement.recall,
            "answer_f1": answer.f1, "answer_precision": answer.precision or 0.0, "answer_recall": answer.recall,
        },
    )  # fmt: skip
    return replace(begun, calibration=calibration, cascade=_cascade(judged.rows))


def _statement_threshold(judged: HeldOut, probability: PlattScaling, flagged: float) -> ThresholdChoice:
    """Return the threshold that flags at most that share of the grounded statements, those that findings flag included.

    Where findings that speak for themselves flag more than that already, the lowest that adds none.
    """
    scores, labels = judged.level("statements")
    speaking = judged.spoken()
    by_findings = float(speaking[labels == 0].mean()) if (labels == 0).any() else 0.0
    return false_alarm_threshold(np.where(speaking, 1.0, probability.apply(scores)), labels, max(flagged, by_findings))


def _cascade(rows: Sequence[FusionRow]) -> CascadeBounds:
    """Return the bounds on the geometric score outside which few answers are judged wrongly."""
    scores = np.array([row.geometric_score for row in rows])
    labels = np.array([row.label for row in rows])
    speaking = np.array([spoken(row.evidence).any() for row in rows])
    wrong, grounded = np.sort(scores[labels == 1]), np.sort(scores[(labels == 0) & speaking])[::-1]
    low = float(wrong[int(CASCADE_ERRORS * len(wrong))])
    allowed = int(CASCADE_ERRORS * (labels == 0).sum())
    high = float(np.nextafter(grounded[allowed], 2)) if allowed < len(grounded) else low
    return CascadeBounds(min(low, high), max(min(high, 1.0), low))


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
