"""From the evidence to scores: of each word, each statement and the answer; and which findings speak for themselves."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.facts.finding import Finding
from ragcortex.geometry.model import GeometryModel
from ragcortex.geometry.statement_features import statement_features
from ragcortex.geometry.word_features import WordFeatures, word_features

Floats = npt.NDArray[np.float64]

# The least score of a statement with a finding that speaks for itself.
SPEAKS: Final = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class GeometricScores:
    """Scores of an answer's claims, all in [0, 1].

    Attributes:
        words: the n words and their features.
        raw, smoothed: their scores before and after smoothing, shape (n,).
        statements: the scores of the m statements that claim something, in their order, shape (m,).
        answer: that at least one of them is hallucinated: 1 − Π (1 − statement); 0 where none claims anything.
    """

    words: WordFeatures
    raw: Floats
    smoothed: Floats
    statements: Floats
    answer: float


def score(
    evidence: GeometricEvidence, model: GeometryModel, question_stems: frozenset[str] | None = None
) -> GeometricScores:
    """Return the scores of an answer.

    Args:
        evidence: what the witness saw.
        model: how that becomes scores.
        question_stems: stems of the question's content words; by default those that the witness saw.
    """
    words = word_features(evidence, question_stems)
    raw = model.words.probabilities(words.values)
    smoothed = np.asarray(model.smoothing.apply(raw), dtype=np.float64) if len(raw) else raw
    statements = model.statements.probabilities(statement_features(evidence, words, raw))
    statements = with_findings(statements, evidence)
    return GeometricScores(words, raw, smoothed, statements, any_of(statements))


def with_findings(statements: Floats, evidence: GeometricEvidence, least: float = SPEAKS) -> Floats:
    """Return the scores of the m statements with claims, raised to `least` where a finding speaks for itself; (m,)."""
    return np.where(spoken(evidence), np.maximum(statements, least), statements)


def spoken(evidence: GeometricEvidence) -> npt.NDArray[np.bool_]:
    """Return for each of the m statements with claims whether a finding of it speaks for itself, shape (m,)."""
    return np.array([any(map(speaks_for_itself, one.findings)) for one in evidence.claims], dtype=np.bool_)


def any_of(statements: Floats) -> float:
    """Return the probability that at least one statement is hallucinated, taking them as independent."""
    return float(1 - np.prod(1 - statements))


def speaks_for_itself(finding: Finding) -> bool:
    """Return whether a finding marks its words whatever they score.

    A contradicted fact does, and so does a figure (a number, date or unit) that no reference has; a name that no
    reference has may be another way to say what they mean, and a pieced statement may be a summary.
    """
    return finding.relation == "contradicted" or (finding.relation == "absent" and finding.reason != "entity")
