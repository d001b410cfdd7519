"""The parts of a report, each checked when it is built.

Positions are half-open and count characters (Unicode code points); scores lie in [0, 1], higher is more likely
hallucinated.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from ragcortex.calibration import Calibration
from ragcortex.checks import (
    check_known,
    check_numbers,
    check_parts,
    check_position,
    check_range,
    check_score,
    check_text,
)
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
    """Text of one reference that bears on a part of the answer.

    `reference` is its index (the document's, where a corpus was asked), the range counts its characters, and `source`
    is what the reference says of its origin: its source, else its id.
    """

    reference: int
    start: int
    end: int
    text: str
    source: str | None = None

    def __post_init__(self) -> None:
        check_position("reference", self.reference)
        check_range(self.start, self.end, self.text)
        check_text("source", self.source, optional=True)

    def holds(self, piece: "Evidence") -> bool:
        """Return whether a piece of the same reference lies in this text, at its place."""
        inside = self.reference == piece.reference and self.start <= piece.start and piece.end <= self.end
        return inside and self.text[piece.start - self.start : piece.end - self.start] == piece.text


@dataclass(frozen=True, slots=True)
class Difference:
    """A piece of the answer, and the exact piece of a reference that it differs from.

    `reason` is what kind of difference it is; None where that is not said.
    """

    start: int
    end: int
    text: str
    evidence: Evidence
    reason: str | None = None

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        if not isinstance(self.evidence, Evidence):
            raise InputError("evidence", f"must be Evidence, got {type(self.evidence).__name__}")
        if self.reason is not None:
            check_known("reason", self.reason, REASONS)


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a stretch of the answer counts as unsupported, whatever its words score; a report attaches it to a span.

    `evidence` is the text of the references nearest to it, whole sentences; each of the `differences` overlaps the mark
    and gives a piece of that evidence. `contradicted` says that the evidence states otherwise. `binding` marks make a
    span of their own where no span is; `score` is the least that a span with such a mark has.
    """

    start: int
    end: int
    reason: str
    evidence: tuple[Evidence, ...] = ()
    contradicted: bool = False
    binding: bool = False
    score: float = 0.0
    differences: tuple[Difference, ...] = ()

    def __post_init__(self) -> None:
        _check_place(self.start, self.end)
        check_known("reason", self.reason, REASONS)
        check_score("score", self.score)
        check_parts("evidence", self.evidence, Evidence)
        _check_differences(self, (self.reason,))
        if self.contradicted and not self.evidence:
            raise InputError("evidence", "must be given where the references say otherwise")


@dataclass(frozen=True, slots=True)
class FlaggedSpan:
    """A stretch of whole words that the references do not support, why, and what they say instead.

    `evidence` is the text of the references nearest to it, whole sentences; each of the `differences` overlaps the span
    and gives a piece of that evidence. `contributions` say what named signals add to the log-odds of its
    highest-scored word.
    """

    start: int
    end: int
    text: str
    score: float
    reasons: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    differences: tuple[Difference, ...] = ()
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_score("score", self.score)
        check_parts("reasons", self.reasons, str)
        check_parts("evidence", self.evidence, Evidence)
        if not self.reasons:
            raise InputError("reasons", f"must name at least one of {', '.join(REASONS)}")
        for index, reason in enumerate(self.reasons):
            check_known(f"reasons[{index}]", reason, REASONS)
        _check_differences(self, self.reasons)
        check_numbers("contributions", self.contributions)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One sentence; its score is None where it was not judged or holds no word.

    `evidence` is the text of the references nearest to it; `signals` are named measures of a witness that gives some,
    and `contributions` what named signals add to the log-odds of its score.
    """

    start: int
    end: int
    text: str
    score: float | None
    state: State
    evidence: tuple[Evidence, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_parts("evidence", self.evidence, Evidence)
        check_numbers("signals", self.signals)
        check_numbers("contributions", self.contributions)
        check_known("state", self.state, STATES)
        check_score("score", self.score, optional=True)
        if self.score is None and self.state not in UNJUDGED:
            raise InputError("score", f"must be a number where the state is {self.state}, got null")


@dataclass(frozen=True, slots=True)
class SentenceNote:
    """What a witness says of one statement of the answer; a sentence takes the notes of all statements in it.

    `status` is given where the statement was not judged: it claims nothing, or could not be verified. `score` is given
    by a witness that scores statements as a whole; it stands for those of the statement's words, and `contributions`
    say what named signals add to its log-odds.
    """

    start: int
    end: int
    evidence: tuple[Evidence, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)
    status: Unjudged | None = None
    score: float | None = None
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _check_place(self.start, self.end)
        check_score("score", self.score, optional=True)
        check_parts("evidence", self.evidence, Evidence)
        check_numbers("signals", self.signals)
        check_numbers("contributions", self.contributions)
        if self.contributions and self.score is None:
            raise InputError("contributions", "must be empty where the statement has no score")
        if self.status is not None:
            check_known("status", self.status, UNJUDGED)


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

    @classmethod
    def of(cls, calibration: Calibration) -> "Thresholds":
        """Return those of a calibration."""
        return cls(calibration.token_threshold, calibration.review_threshold, calibration.hallucinated_threshold)


def _check_place(start: object, end: object) -> None:
    check_position("start", start)
    if not isinstance(end, int) or isinstance(end, bool) or end <= start:  # type: ignore[operator]
        raise InputError("end", f"must be a whole number greater than start={start}, got {end!r}")


def _check_differences(part: Mark | FlaggedSpan, reasons: tuple[str, ...]) -> None:
    """Refuse differences that lie elsewhere, give no piece of the part's evidence, or another reason than the part."""
    check_parts("differences", part.differences, Difference)
    for index, one in enumerate(part.differences):
        place = f"differences[{index}]"
        if one.end <= part.start or part.end <= one.start:
            raise InputError(place, f"must overlap the range {part.start}..{part.end}, got {one.start}..{one.end}")
        if not any(text.holds(one.evidence) for text in part.evidence):
            raise InputError(f"{place}.evidence", "must be a piece of one of the texts in evidence, at its place")
        if one.reason is not None:
            check_known(f"{place}.reason", one.reason, reasons)
