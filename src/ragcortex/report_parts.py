"""The parts of a report, each checked when it is built.

Positions are half-open and count characters (Unicode code points); scores lie in [0, 1], higher is more likely
hallucinated.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_position, check_range, check_score, check_text
from ragcortex.errors import InputError

Verdict = Literal["grounded", "review", "hallucinated", "no_claim", "not_verifiable"]
Unjudged = Literal["no_claim", "not_verifiable"]
State = Literal["supported", "contradicted", "unsupported", "not_verifiable", "no_claim"]
Witness = Literal["internal", "geometry"]
WITNESSES: Final[tuple[str, ...]] = get_args(Witness)
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


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a stretch of the answer counts as unsupported, whatever its words score; a report attaches it to a span.

    `contradicted` says that the evidence states otherwise. `binding` marks make a span of their own where no span is;
    `score` is the least that a span with such a mark has.
    """

    start: int
    end: int
    reason: str
    evidence: tuple[Evidence, ...] = ()
    contradicted: bool = False
    binding: bool = False
    score: float = 0.0

    def __post_init__(self) -> None:
        _check_place(self.start, self.end)
        check_known("reason", self.reason, REASONS)
        check_score("score", self.score)
        check_parts("evidence", self.evidence, Evidence)
        if self.contradicted and not self.evidence:
            raise InputError("evidence", "must be given where the references say otherwise")


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
    """One sentence; its score is None where it was not judged or holds no word.

    `evidence` is the text of the references nearest to it; `signals` are named measures of a witness that gives some.
    """

    start: int
    end: int
    text: str
    score: float | None
    state: State
    evidence: tuple[Evidence, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_parts("evidence", self.evidence, Evidence)
        check_signals(self.signals)
        check_known("state", self.state, STATES)
        check_score("score", self.score, optional=True)
        if self.score is None and self.state not in UNJUDGED:
            raise InputError("score", f"must be a number where the state is {self.state}, got null")


@dataclass(frozen=True, slots=True)
class SentenceNote:
    """What a witness says of one statement of the answer; a sentence takes the notes of all statements in it.

    `status` is given where the statement was not judged: it claims nothing, or could not be verified. `score` is given
    by a witness that scores statements as a whole; it stands for those of the statement's words.
    """

    start: int
    end: int
    evidence: tuple[Evidence, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)
    status: Unjudged | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        _check_place(self.start, self.end)
        check_score("score", self.score, optional=True)
        check_parts("evidence", self.evidence, Evidence)
        check_signals(self.signals)
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


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """Who judged: the detector, the model it judged with, and the data its thresholds were set on (None if none).

    `witness` says what that model is: a reader (`internal`) or an embedding model (`geometry`).
    """

    name: str
    version: str
    reader: str
    reader_fingerprint: str
    calibration: str | None
    witness: Witness = "internal"

    def __post_init__(self) -> None:
        for name in ("name", "version", "reader", "reader_fingerprint"):
            check_text(name, getattr(self, name), filled=True)
        check_text("calibration", self.calibration, optional=True)
        check_known("witness", self.witness, WITNESSES)


def _check_place(start: object, end: object) -> None:
    check_position("start", start)
    if not isinstance(end, int) or isinstance(end, bool) or end <= start:  # type: ignore[operator]
        raise InputError("end", f"must be a whole number greater than start={start}, got {end!r}")


def check_signals(signals: object) -> None:
    """Refuse what is not a mapping of names to finite numbers."""
    if not isinstance(signals, Mapping):
        raise InputError("signals", f"must be an object of names and numbers, got {type(signals).__name__}")
    for name, value in signals.items():
        check_text("signals", name, filled=True)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise InputError(f"signals.{name}", f"must be a finite number, got {value!r}")


def merged_signals(notes: Sequence[SentenceNote]) -> dict[str, float]:
    """Return the mean of each signal over the notes that have it."""
    names = dict.fromkeys(name for note in notes for name in note.signals)
    values = {name: [note.signals[name] for note in notes if name in note.signals] for name in names}
    return {name: sum(found) / len(found) for name, found in values.items()}
