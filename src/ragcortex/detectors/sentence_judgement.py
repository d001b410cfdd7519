"""What is said of one sentence of an answer that still grows, taken from a report on the stretch that it ends."""

from dataclasses import dataclass, replace
from typing import Any, Final

from ragcortex.align import Range
from ragcortex.detectors.provisional.judge import Look
from ragcortex.rendering.json import span_values, token_values
from ragcortex.report import Evidence, FlaggedSpan, State, TokenScore

# Of several states that parts of a sentence have, the first is the sentence's.
_WORST_FIRST: Final[tuple[State, ...]] = ("contradicted", "unsupported", "not_verifiable", "supported", "no_claim")
_MARKED: Final = ("contradicted", "unsupported")


@dataclass(frozen=True, slots=True)
class SentenceJudgement:
    """One sentence that has ended, and what is said of it then; positions count characters of the answer.

    Attributes:
        number: which sentence of the answer, from 0 on.
        start, end, text: where it stands.
        state: as of `SentenceScore`; None where nothing can be said before the answer's end.
        score: in [0, 1]; None where it was not judged or holds no word.
        spans: what is marked in it; the first may begin before it.
        tokens: those that share a character with it.
        evidence: the text of the references nearest to it.
    """

    number: int
    start: int
    end: int
    text: str
    state: State | None = None
    score: float | None = None
    spans: tuple[FlaggedSpan, ...] = ()
    tokens: tuple[TokenScore, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_unsupported(self) -> bool:
        """Whether something in it is marked."""
        return self.state in _MARKED

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; spans and tokens are as in a report."""
        return {
            "number": self.number,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "state": self.state,
            "score": None if self.score is None else round(self.score, 6),
            "spans": [span_values(span) for span in self.spans],
            "tokens": [token_values(token) for token in self.tokens],
        }


def sentence_judgement(number: int, text: str, place: Range, look: Look | None) -> SentenceJudgement:
    """Return what a look at a stretch of the answer says of one sentence in it.

    Args:
        number: of the sentence.
        text: the answer so far.
        place: where the sentence stands in it.
        look: at a stretch that holds it; None if nothing can be said yet.
    """
    start, end = place
    bare = SentenceJudgement(number, start, end, text[start:end])
    if look is None:
        return bare
    low, high = start - look.start, end - look.start
    report = look.report
    parts = [one for one in report.sentences if one.start < high and low < one.end]
    spans = [one for one in report.spans if one.start < high and low < one.end]
    # A sentence of the report may hold more than this one: what is marked elsewhere in it is not this one's.
    states = {one.state if spans or one.state not in _MARKED else "supported" for one in parts}
    scores = [one.score for one in parts if one.score is not None]
    return replace(
        bare,
        state=next((state for state in _WORST_FIRST if state in states), "no_claim"),
        score=max(scores, default=None),
        spans=tuple(_moved(span, look.start) for span in spans),
        tokens=tuple(
            replace(one, start=one.start + look.start, end=one.end + look.start)
            for one in report.tokens
            if one.start < high and low < one.end
        ),
        evidence=tuple(dict.fromkeys(evidence for one in parts for evidence in one.evidence)),
    )


def _moved(span: FlaggedSpan, by: int) -> FlaggedSpan:
    differences = tuple(replace(one, start=one.start + by, end=one.end + by) for one in span.differences)
    return replace(span, start=span.start + by, end=span.end + by, differences=differences)
