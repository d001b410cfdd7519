"""From signals to probabilities of tokens, statements and the answer, and what each signal adds to them."""

from dataclasses import dataclass

import numpy as np

from ragcortex.fusion.model import FusionModel
from ragcortex.fusion.stack import StackScores
from ragcortex.fusion.token_signals import TokenSignals, Values
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import with_findings


@dataclass(frozen=True, slots=True, eq=False)
class FusedScores:
    """Probabilities that the parts of one answer are hallucinated.

    Attributes:
        raw, tokens: the probabilities of the T tokens before and after smoothing, no higher than their statement's;
            shape (T,).
        token_contributions: what each token signal adds to a token's log-odds, before smoothing and that limit; shape
            (T, 16).
        statements: the probabilities of the m statements that claim something, at least the threshold where a finding
            speaks for itself; shape (m,).
        statement_contributions: what each statement signal adds to a statement's log-odds, shape (m, 10).
        answer: the probability that the answer has a hallucination; 0 where it claims nothing.
    """

    raw: Values
    tokens: Values
    token_contributions: Values
    statements: Values
    statement_contributions: Values
    answer: float


def fuse(signals: TokenSignals, evidence: GeometricEvidence, model: FusionModel) -> FusedScores:
    """Return the probabilities of an answer's parts.

    Args:
        signals: of the answer's tokens.
        evidence: what the geometric witness saw of it.
        model: how both become probabilities.
    """
    scores = model.stack.score(signals, evidence)
    slopes = {level: model.probabilities[level].slope for level in ("tokens", "statements")}
    statements, answer = probabilities_of(scores, evidence, model)
    # A token of no statement that claims something (number -1) takes the last limit, which is none.
    limits = np.append(statements, 1.0)[signals.statements]
    return FusedScores(
        raw=np.minimum(model.probabilities["tokens"].apply(scores.raw), limits),
        tokens=np.minimum(model.probabilities["tokens"].apply(scores.tokens), limits),
        token_contributions=slopes["tokens"] * model.stack.tokens.contributions(signals.values),
        statements=statements,
        statement_contributions=slopes["statements"] * model.stack.statements.contributions(scores.statement_values),
        answer=answer,
    )


def probabilities_of(scores: StackScores, evidence: GeometricEvidence, model: FusionModel) -> tuple[Values, float]:
    """Return the probabilities of the m statements that claim something, shape (m,), and of the answer.

    A statement with a finding that speaks for itself has at least the threshold.
    """
    statements = model.probabilities["statements"].apply(scores.statements)
    statements = with_findings(statements, evidence, model.statement_threshold)
    return statements, answer_probability(model, scores.answer, statements)


def answer_probability(model: FusionModel, any_statement: float, statements: Values) -> float:
    """Return the probability that an answer has a hallucination, which is no less than that any statement has one.

    Args:
        model: with the probabilities of answers.
        any_statement: the stack's score of the answer, in [0, 1].
        statements: the probabilities of its m statements, shape (m,); without any, 0 is returned.
    """
    if not len(statements):
        return 0.0
    return float(max(model.probabilities["answers"].apply([any_statement])[0], statements.max()))
