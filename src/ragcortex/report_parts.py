"""The parts of a report, each checked when it is built.

Positions are half-open and count characters (Unicode code points); scores lie in [0, 1], higher is more likely
hallucinated.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_position, check_range, check_score, check_text
from ragcortex.errors import InputError

Verdict = Literal["grounded", "review", "hallucinated", "no_claim", "not_verifiable"]
Unjudged = Literal["no_claim", "not_verifiable"]
State = Literal["supported", "contradicted", "unsupported", "not_verifiable", "no_claim"]
VERDICTS: Final[tuple[str, ...]] = get_args(Verdict)
UNJUDGED: Final[tuple[str, ...]] = get_args(Unjudged)
STATES: Final[tuple[str, ...]] = get_args(State)
REASONS: Final = (
    "number", "date", "unit", "entity", "negation", "condition", "role",
    "low_support", "low_reference_influence", "stitched", "conflicting_references",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TokenScore:
    """One token (all the pieces of a character count as one): its smoothed score, and the raw one before smoothing."""

    start: int
    end: int
    text: str
    score: float
    raw: float

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_score("score", self.score)
        check_score("raw", self.raw)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text of one reference that bears on a span: `reference` is its index, the range counts its characters."""

    reference: int
    start: int
    end: int
    text: str

    def __post_init__(self) -> None:
        check_position("reference", self.reference)
        check_range(self.start, self.end, self.text)


@dataclass(frozen=True, slots=True)
class FlaggedSpan:
    """A stretch of whole words that the references do not support, why, and what they say instead."""

    start: int
    end: int
    text: str
    score: float
    reasons: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_score("score", self.score)
        check_parts("reasons", self.reasons, str)
        check_parts("evidence", self.evidence, Evidence)
        if not self.reasons:
            raise InputError("reasons", f"must name at least one of {', '.join(REASONS)}")
        for index, reason in enumerate(self.reasons):
            check_known(f"reasons[{index}]", reason, REASONS)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One sentence; its score is None where it was not judged or holds no word."""

    start: int
    end: int
    text: str
    score: float | None
    state: State

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_known("state", self.state, STATES)
        check_score("score", self.score, optional=True)
        if self.score is None and self.state not in UNJUDGED:
            raise InputError("score", f"must be a number where the state is {self.state}, got null")


@dataclass(frozen=True, slots=True)
class ParagraphScore:
    """One paragraph; its score is None where it was not judged or holds no word."""

    start: int
    end: int
    text: str
    score: float | None

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_score("score", self.score, optional=True)


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader of a report should know (references read in windows, say): a stable code and a sentence."""

    code: str
    text: str

    def __post_init__(self) -> None:
        check_text("code", self.code, filled=True)
        check_text("text", self.text, filled=True)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which score on a token is marked, an answer needs review, and an answer counts as hallucinated."""

    token: float
    review: float
    hallucinated: float

    def __post_init__(self) -> None:
        for name in ("token", "review", "hallucinated"):
            check_score(name, getattr(self, name))
        if self.review > self.hallucinated:
            raise InputError("review", f"must be at most hallucinated ({self.hallucinated}), got {self.review}")


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """Who judged: the detector, the reader it read with, and the data its thresholds were set on (None if none)."""

    name: str
    version: str
    reader: str
    reader_fingerprint: str
    calibration: str | None

    def __post_init__(self) -> None:
        for name in ("name", "version", "reader", "reader_fingerprint"):
            check_text(name, getattr(self, name), filled=True)
        check_text("calibration", self.calibration, optional=True)
