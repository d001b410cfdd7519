"""Named signals of each token of an answer, from what the reader and the geometric witness say of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens
from ragcortex.errors import ReadingError
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.facts.finding import Finding
from ragcortex.geometry.judgement import GeometricScores
from ragcortex.readers.reading import Reading
from ragcortex.signals.local import local_mean

Values = npt.NDArray[np.float64]

READER_SIGNALS: Final = ("reader", "reader_near", "reader_around")
GEOMETRY_SIGNALS: Final = (
    "word", "word_near", "statement", "contradicted_figure", "contradicted_name", "contradicted_polarity",
    "absent_figure", "absent_name", "between_words",
)  # fmt: skip
TOKEN_SIGNALS: Final = (*READER_SIGNALS, *GEOMETRY_SIGNALS)
# Which of the finding signals a finding's reason belongs to.
FINDING_KINDS: Final = {
    "number": "figure", "date": "figure", "unit": "figure", "entity": "name", "negation": "polarity",
    "condition": "polarity", "role": "polarity", "stitched": "polarity",
}  # fmt: skip

# Scores nearer to 0 or 1 than this count as this near, so that their logits stay finite.
_MARGIN: Final = 1e-4
_NEAR: Final = 9
_AROUND: Final = 25
_NEAR_WORDS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class TokenSignals:
    """The signals of an answer's tokens.

    Attributes:
        tokens: the answer and its T tokens.
        values: float64, shape (T, 12), columns as `TOKEN_SIGNALS` names them; NaN where a witness says nothing:
            reader: logit of the reader's raw score. reader_near, reader_around: its means over 9 and 25 tokens.
            word, statement: logits of the geometric scores of the word and the statement it belongs to.
            word_near: mean over 5 words.
            contradicted_figure, contradicted_name, contradicted_polarity, absent_figure, absent_name: 1 in a finding.
            between_words: 1 for a token of no word, which takes the lower of its neighbours' word scores.
        statements: which of the m statements that claim something each token is in; shape (T,), intp, -1 for none.
    """

    tokens: AnswerTokens
    values: Values
    statements: npt.NDArray[np.intp]

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if self.values.shape != (n, len(TOKEN_SIGNALS)) or self.statements.shape != (n,):
            raise ReadingError(
                f"token signals must have shape ({n}, {len(TOKEN_SIGNALS)}) with {n} statements, got "
                f"{self.values.shape} and {self.statements.shape}"
            )
        if np.isinf(self.values).any():
            raise ReadingError("token signals must be finite, or NaN where a witness says nothing")


def logit(scores: npt.ArrayLike) -> Values:
    """Return log(p / (1 − p)) of scores kept 1e-4 away from 0 and 1; float64 of their shape."""
    clipped = np.clip(np.asarray(scores, dtype=np.float64), _MARGIN, 1 - _MARGIN)
    found: Values = np.log(clipped / (1 - clipped))
    return found


def token_signals(
    tokens: AnswerTokens,
    reading: Reading | None,
    raw: Values | None,
    evidence: GeometricEvidence | None,
    scores: GeometricScores | None,
    *,
    unfit: frozenset[int] = frozenset(),
) -> TokenSignals:
    """Return the signals of an answer's tokens.

    Args:
        tokens: the answer and its T tokens.
        reading, raw: what the reader said and the head's raw scores of it, shape (T,); None where it could not read.
        evidence, scores: what the geometric witness saw; None where it could not look.
        unfit: numbers of the statements in a language that the embedder does not know: their scores say nothing.

    Raises:
        ReadingError: a shape does not fit, or the reading is of other tokens.
    """
    missing = np.full((len(tokens), len(TOKEN_SIGNALS)), np.nan)
    if reading is not None and raw is not None:
        if reading.tokens != tokens:
            raise ReadingError(f"the reading is of {len(reading.tokens)} other tokens than the {len(tokens)} given")
        missing[:, : len(READER_SIGNALS)] = _reader_values(reading, raw)
    owners = np.full(len(tokens), -1, dtype=np.intp)
    if evidence is not None and scores is not None:
        if scores.raw.shape != (len(scores.words),) or scores.statements.shape != (len(evidence.claims),):
            raise ReadingError(
                f"geometric scores must be of {len(scores.words)} words and {len(evidence.claims)} statements, got "
                f"{scores.raw.shape} and {scores.statements.shape}"
            )
        owners = _owners(tokens, evidence)
        missing[:, len(READER_SIGNALS) :] = _geometry_values(tokens, evidence, scores, owners, unfit)
    return TokenSignals(tokens, missing, owners)


def _reader_values(reading: Reading, raw: Values) -> Values:
    """Return the columns of the reader, float64 (T, 3)."""
    if raw.shape != (len(reading.tokens),):
        raise ReadingError(f"raw scores must have shape ({len(reading.tokens)},), got {raw.shape}")
    own = logit(raw)
    near, around = (local_mean(own.astype(np.float32), width) for width in (_NEAR, _AROUND))
    return np.stack([own, near, around], axis=1).astype(np.float64)


def _owners(tokens: AnswerTokens, evidence: GeometricEvidence) -> npt.NDArray[np.intp]:
    """Return the number of the statement with claims that each token begins or ends in, -1 for none."""
    claims = evidence.claims
    starts = [one.start for one in claims]
    owners = np.full(len(tokens), -1, dtype=np.intp)
    for index, (start, end) in enumerate(tokens.ranges):
        near = bisect_left(starts, max(end, start + 1)) - 1
        if near >= 0 and start < claims[near].end:
            owners[index] = near
    return owners


def _geometry_values(
    tokens: AnswerTokens,
    evidence: GeometricEvidence,
    scores: GeometricScores,
    owners: npt.NDArray[np.intp],
    unfit: frozenset[int],
) -> Values:
    """Return the columns of the geometric witness, float64 (T, 9); NaN outside statements that claim something."""
    words = scores.words.ranges
    ends = [end for _, end in words]
    word = logit(scores.raw)
    near = local_mean(word.astype(np.float32), _NEAR_WORDS).astype(np.float64) if len(word) else word
    statement = logit(scores.statements)
    found = np.full((len(tokens), len(GEOMETRY_SIGNALS)), np.nan)
    for index, (start, end) in enumerate(tokens.ranges):
        owner = int(owners[index])
        if owner < 0:
            continue
        at = bisect_right(ends, start)
        inside = at < len(words) and words[at][0] < end
        around = slice(at, at + 1) if inside else slice(max(at - 1, 0), at + 1)
        known = () if owner in unfit else (word[around].min(), near[around].min(), statement[owner])
        findings = _finding_values(evidence.claims[owner].findings, start, end)
        found[index] = (*(known or (np.nan, np.nan, np.nan)), *findings, float(not inside))
    return found


def _finding_values(findings: Sequence[Finding], start: int, end: int) -> tuple[float, ...]:
    """Return for each of the five finding signals whether a finding of that kind covers a part of the range."""
    kinds = {(one.relation, FINDING_KINDS[one.reason]) for one in findings if one.start < end and start < one.end}
    return tuple(
        float(kind in kinds)
        for kind in (
            ("contradicted", "figure"), ("contradicted", "name"), ("contradicted", "polarity"), ("absent", "figure"),
            ("absent", "name"),
        )
    )  # fmt: skip
