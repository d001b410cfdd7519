"""What the calibration page shows of a witness: reviewed answers, what thresholds do on them, and what is proposed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlalchemy.orm import Session

from ragcortex.errors import InputError, TrainingError
from ragcortex.geometry.calibration_report import CalibrationReport
from ragcortex.report import Thresholds
from ragcortex.service.calibrations import (
    FEW,
    ReviewedScore,
    list_calibrations,
    propose,
    reviewed_scores,
)
from ragcortex.service.dashboard import N_BINS, ScoreHistogram
from ragcortex.service.pages.dashboard_view import thresholds_in_force
from ragcortex.service.storage.tables import Calibration

DEFAULT: Final = 0.5
"""What is shown where no thresholds are in force and nothing was judged."""


@dataclass(frozen=True, slots=True)
class ReviewedWitness:
    """The reviewed answers of a witness, the thresholds in force for it (None if unknown), and all calibrations."""

    scores: tuple[ReviewedScore, ...]
    review: float | None
    hallucinated: float | None
    calibration: str
    calibrations: tuple[Calibration, ...]

    @property
    def n_hallucinated(self) -> int:
        """How many of the reviewed answers are hallucinated."""
        return sum(one.label for one in self.scores)

    @property
    def n_grounded(self) -> int:
        """How many of the reviewed answers are grounded."""
        return len(self.scores) - self.n_hallucinated

    @property
    def n_sampled(self) -> int:
        """How many of the reviewed answers passed, and were reviewed as a sample of those."""
        return sum(one.sampled for one in self.scores)

    @property
    def n_few(self) -> int:
        """How many answers of each class a proposal needs."""
        return FEW


def gather(session: Session, fingerprint: str) -> ReviewedWitness:
    """Return what is known of the detector with this fingerprint."""
    review, hallucinated, name = thresholds_in_force(session, fingerprint)
    scores = tuple(reviewed_scores(session, fingerprint))
    return ReviewedWitness(scores, review, hallucinated, name, tuple(list_calibrations(session)))


@lru_cache(maxsize=8)
def proposal(scores: tuple[ReviewedScore, ...]) -> CalibrationReport | None:
    """Return the threshold with the best F1 and its intervals; None where there are too few answers of a class."""
    try:
        return propose(scores)
    except (InputError, TrainingError):
        return None


def asked_thresholds(parameters: Mapping[str, str], known: ReviewedWitness) -> Thresholds:
    """Return the thresholds of a page's parameters; what is missing or out of range is that in force, else DEFAULT."""
    hallucinated = _share(parameters.get("hallucinated", ""))
    if hallucinated is None:
        hallucinated = DEFAULT if known.hallucinated is None else known.hallucinated
    review = _share(parameters.get("review", ""))
    if review is None:
        review = hallucinated if known.review is None else known.review
    return Thresholds(DEFAULT, min(review, hallucinated), hallucinated)


def reviewed_histogram(scores: Sequence[ReviewedScore]) -> ScoreHistogram:
    """Return how the scores of reviewed answers lie, by their labels."""
    counts = {0: [0] * N_BINS, 1: [0] * N_BINS}
    for one in scores:
        # Rounded first: 0.15 / 0.05 must not fall below 3.
        counts[one.label][min(N_BINS - 1, math.floor(round(one.score * N_BINS, 9)))] += 1
    return ScoreHistogram((0,) * N_BINS, tuple(counts[0]), tuple(counts[1]))


def _share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
