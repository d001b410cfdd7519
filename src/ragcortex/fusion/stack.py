"""The two linear models of the fusion, one on the other: of tokens and of statements."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ragcortex.errors import InputError
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS, statement_signals
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, TokenSignals, Values
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import any_of, with_findings
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.score_arrays import exact_fields
from ragcortex.smoothing import Smoothing

SPEAKS: Final = 0.6
"""The least score of a statement with a finding that speaks for itself: enough to be flagged; the rest is weighed."""


@dataclass(frozen=True, slots=True, eq=False)
class StackScores:
    """What the models say of one answer, before probabilities are calibrated; all in [0, 1].

    Attributes:
        raw, tokens: the T tokens' scores before and after smoothing, shape (T,).
        statements: the scores of the m statements that claim something, shape (m,).
        answer: that at least one of them is hallucinated: 1 − Π (1 − statement); 0 where it claims nothing.
        statement_values: the statements' signals, shape (m, n).
    """

    raw: Values
    tokens: Values
    statements: Values
    answer: float
    statement_values: Values


@dataclass(frozen=True, slots=True)
class FusionStack:
    """How signals become scores.

    Attributes:
        tokens: over `TOKEN_SIGNALS`.
        smoothing: of the tokens' scores.
        statements: over `STATEMENT_SIGNALS`.
    """

    tokens: LinearModel
    smoothing: Smoothing
    statements: LinearModel

    def __post_init__(self) -> None:
        for name, expected in _NAMES.items():
            if getattr(self, name).names != expected:
                raise InputError(name, f"must have the signals {', '.join(expected)}")

    def score_tokens(self, signals: TokenSignals) -> tuple[Values, Values]:
        """Return the scores of the tokens before and after smoothing, each of shape (T,)."""
        raw = self.tokens.probabilities(signals.values)
        return raw, np.asarray(self.smoothing.apply(raw), dtype=np.float64)

    def score(self, signals: TokenSignals, evidence: GeometricEvidence) -> StackScores:
        """Return the scores of an answer, of its statements and of its tokens.

        A statement has at least SPEAKS where a finding speaks for itself (`geometry.judgement.speaks_for_itself`).
        """
        raw, tokens = self.score_tokens(signals)
        values = statement_signals(signals, tokens, evidence)
        statements = with_findings(self.statements.probabilities(values), evidence, SPEAKS)
        return StackScores(raw, tokens, statements, any_of(statements), values)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {name: getattr(self, name).to_dict() for name in _PARTS}

    @classmethod
    def from_dict(cls, data: object, place: str) -> "FusionStack":
        """Return the stack that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or unusable; the message names it.
        """
        values = exact_fields(data, _PARTS, place)
        models = {name: LinearModel.from_dict(values[name], names, f"{place}.{name}") for name, names in _NAMES.items()}
        return cls(smoothing=Smoothing.from_dict(values["smoothing"]), **models)


_NAMES: Final = {"tokens": TOKEN_SIGNALS, "statements": STATEMENT_SIGNALS}
_PARTS: Final = ("tokens", "smoothing", "statements")
