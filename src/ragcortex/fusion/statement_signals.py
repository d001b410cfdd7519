"""Named signals of each statement of an answer that claims something, from its tokens' scores and its evidence."""

from typing import Final

import numpy as np

from ragcortex.errors import ReadingError
from ragcortex.fusion.token_signals import FINDING_KINDS, TokenSignals, Values, logit
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence

STATEMENT_SIGNALS: Final = (
    "highest_token", "mean_token", "contradicted_figure", "contradicted_name", "contradicted_polarity",
    "absent_figure", "absent_name", "pieced", "distance", "uncovered",
)  # fmt: skip
_FINDINGS: Final = STATEMENT_SIGNALS[2:8]


def statement_signals(signals: TokenSignals, scores: Values, evidence: GeometricEvidence) -> Values:
    """Return the signals of the m statements that claim something: float64, shape (m, 10), NaN where one is missing.

    highest_token, mean_token: highest and mean logit of its tokens' fused scores. contradicted_figure … pieced: 1 where
    it has such a finding. distance: 1 − max_similarity. uncovered: 1 − covered. The geometric witness's own score of
    the statement is not among them: every token has it.

    Args:
        signals: of the answer's T tokens.
        scores: their fused scores, shape (T,), in [0, 1].
        evidence: what the geometric witness saw.

    Raises:
        ReadingError: the scores are not one a token.
    """
    if scores.shape != (len(signals.tokens),):
        raise ReadingError(f"token scores must have shape ({len(signals.tokens)},), got {scores.shape}")
    logits = logit(scores)
    rows = [_row(one, logits[signals.statements == number]) for number, one in enumerate(evidence.claims)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(STATEMENT_SIGNALS))


def _row(one: StatementEvidence, logits: Values) -> tuple[float, ...]:
    kinds = {f"{finding.relation}_{FINDING_KINDS[finding.reason]}" for finding in one.findings}
    if any(finding.relation == "pieced" for finding in one.findings):
        kinds.add("pieced")
    return (
        float(logits.max()) if len(logits) else np.nan,
        float(logits.mean()) if len(logits) else np.nan,
        *(float(name in kinds) for name in _FINDINGS),
        np.nan if one.similarity is None else 1 - one.similarity.max_similarity,
        1 - one.covered,
    )
