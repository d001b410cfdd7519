"""What a detector says about one answer: scores for its tokens, spans, sentences and paragraphs, and a verdict.

Positions are half-open and count characters (Unicode code points) of the answer exactly as given, so that
`answer[start:end] == text` for every part. Scores lie in [0, 1]; higher means more likely hallucinated.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, paragraphs, sentences
from ragcortex.checks import check_known, check_parts, check_places, check_score, check_text
from ragcortex.errors import InputError, ReadingError
from ragcortex.report_parts import (
    UNJUDGED,
    VERDICTS,
    DetectorInfo,
    Evidence,
    FlaggedSpan,
    Mark,
    Note,
    ParagraphScore,
    SentenceNote,
    SentenceScore,
    State,
    Thresholds,
    TokenScore,
    Unjudged,
    Verdict,
    check_signals,
)
from ragcortex.sentence_states import highest_part, judged_sentences
from ragcortex.span_reasons import explained_spans
from ragcortex.spans import unsupported_ranges, without_spill, word_scores

__all__ = [
    "SCHEMA",
    "UNJUDGED",
    "VERDICTS",
    "DetectorInfo",
    "Evidence",
    "FlaggedSpan",
    "Mark",
    "Note",
    "ParagraphScore",
    "Report",
    "SentenceNote",
    "SentenceScore",
    "State",
    "Thresholds",
    "TokenScore",
    "Unjudged",
    "Verdict",
    "build_report",
    "unjudged_report",
]

SCHEMA: Final = "ragcortex.report/1"


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one answer.

    Attributes:
        answer: the text judged; every range counts its characters.
        verdict: grounded, review or hallucinated; no_claim or not_verifiable where the answer was not judged.
        score: the answer's score; None exactly where it was not judged.
        tokens, spans, sentences, paragraphs: the parts, in order, without overlap.
        detector: who judged.
        notes: what the reader of the report should know.
        thresholds: what scores were compared with; None exactly where the answer was not judged.
        id, question: carried through from the input.
        signals: named measures of the whole answer, of a witness that gives some.

    Raises:
        InputError: naming the field, if a part is not the answer's text at its range, out of order or overlapping,
            or if a score, verdict, state or reason is not one of those allowed.
    """

    answer: str
    verdict: Verdict
    score: float | None
    tokens: tuple[TokenScore, ...]
    spans: tuple[FlaggedSpan, ...]
    sentences: tuple[SentenceScore, ...]
    paragraphs: tuple[ParagraphScore, ...]
    detector: DetectorInfo
    notes: tuple[Note, ...] = ()
    id: str | None = None
    question: str | None = None
    thresholds: Thresholds | None = None
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_text("answer", self.answer)
        check_text("id", self.id, optional=True)
        check_text("question", self.question, optional=True)
        check_known("verdict", self.verdict, VERDICTS)
        check_score("score", self.score, optional=True)
        for name, kind in zip(_PARTS, _PART_TYPES, strict=True):
            check_parts(name, getattr(self, name), kind)
            check_places(name, getattr(self, name), self.answer)
        check_parts("notes", self.notes, Note)
        check_signals(self.signals)
        if not isinstance(self.detector, DetectorInfo):
            raise InputError("detector", f"must be DetectorInfo, got {type(self.detector).__name__}")
        if self.thresholds is not None and not isinstance(self.thresholds, Thresholds):
            raise InputError("thresholds", f"must be Thresholds or None, got {type(self.thresholds).__name__}")
        self._check_judged()

    def _check_judged(self) -> None:
        judged = self.verdict not in UNJUDGED
        for name in ("score", "thresholds"):
            if (getattr(self, name) is not None) != judged:
                expected = "given" if judged else "null"
                raise InputError(name, f"must be {expected} where the verdict is {self.verdict}")
        for name in ("tokens", "spans"):
            if getattr(self, name) and not judged:
                raise InputError(name, f"must be empty where the verdict is {self.verdict}")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, as docs/report.md and report.schema.json describe; 6 decimals a score."""
        from ragcortex.rendering.json import to_dict

        return to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return the report as JSON text: one line without `indent`, and safe to print (no control characters)."""
        from ragcortex.rendering.json import to_json

        return to_json(self, indent)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Report":
        """Return the report that `to_dict` wrote; fields that a later version added are ignored.

        Raises:
            InputError: naming the field that is missing, of the wrong type, or contradicts the others.
        """
        from ragcortex.rendering.json import from_dict

        return from_dict(values)

    def to_text(self, *, width: int = 80, color: bool = False, unicode: bool = True) -> str:
        """Return the report for a terminal of `width` columns; without `color` the spans are put in brackets."""
        from ragcortex.rendering.terminal import TerminalStyle, render_text

        return render_text(self, TerminalStyle(width=width, color=color, unicode=unicode))

    def print(self, stream: TextIO | None = None) -> None:
        """Print the report on a text stream (standard output), as far as it and the environment allow."""
        from ragcortex.rendering.terminal import print_report

        print_report(self, stream)

    def to_html(self) -> str:
        """Return the report as one self-contained page: no scripts, nothing loaded from elsewhere."""
        from ragcortex.rendering.html import render_page

        return render_page(self)

    def _repr_html_(self) -> str:
        from ragcortex.rendering.html import render_fragment

        return render_fragment(self)


_PARTS: Final = ("tokens", "spans", "sentences", "paragraphs")
_PART_TYPES: Final = (TokenScore, FlaggedSpan, SentenceScore, ParagraphScore)


def build_report(
    tokens: AnswerTokens,
    raw: npt.NDArray[np.floating[Any]],
    scores: npt.NDArray[np.floating[Any]],
    answer_score: float,
    *,
    thresholds: Thresholds,
    detector: DetectorInfo,
    notes: Iterable[Note] = (),
    question: str | None = None,
    id: str | None = None,
    reason: str = "low_reference_influence",
    marks: Sequence[Mark] = (),
    sentence_notes: Sequence[SentenceNote] = (),
    signals: Mapping[str, float] | None = None,
) -> Report:
    """Return the report of a judged answer.

    The pieces of one character become one token with their highest score. A sentence's, a paragraph's and a span's
    score is the highest of the tokens that belong to a word in it and of the spans that overlap it, None where it has
    no word; words at its edge that only a wrong neighbour raised (`spans.without_spill`), and those of statements that
    a note says were not judged, count for none; where notes score statements, those scores stand for their words' in
    sentences and paragraphs. A sentence is unsupported where a span overlaps it, contradicted where
    a mark says so, no_claim where it has no word or all its notes say so, not_verifiable where one does, else
    supported.
    The verdict is grounded below the review threshold, hallucinated from the hallucinated one on if a passage is
    marked, else review.

    Args:
        tokens: the answer and its T tokens.
        raw: the scorer's scores, shape (T,), in [0, 1].
        scores: the smoothed scores, shape (T,), in [0, 1].
        answer_score: in [0, 1]; compared with the thresholds for the verdict.
        thresholds: from which score on a token is marked and an answer is reviewed or counted as hallucinated.
        detector, notes, question, id, signals: carried through to the report.
        reason: why a span is marked that no mark explains.
        marks: reasons and evidence for spans; binding ones make a span of their own where none is.
        sentence_notes: evidence and signals of sentences, found by their ranges.

    Raises:
        ReadingError: an array has another shape than (T,), or a score is not a number in [0, 1].
    """
    text = tokens.text
    units, membership = tokens.units()
    unit_raw, unit_scores = (
        _per_unit(name, values, membership, len(units)) for name, values in (("raw", raw), ("smoothed", scores))
    )
    if not 0 <= answer_score <= 1:
        raise ReadingError(f"the answer score must be a number in [0, 1], got {answer_score!r}")
    by_character = word_scores(text, units, unit_scores)
    ranges, spilled = without_spill(text, unsupported_ranges(text, units, unit_scores, thresholds.token))
    unjudged = [(note.start, note.end) for note in sentence_notes if note.status is not None]
    for start, end in (*spilled, *unjudged):
        by_character[start:end] = -1.0
    spans = explained_spans(text, by_character, ranges, marks, reason=reason, least=thresholds.token)
    return Report(
        answer=text,
        verdict=_verdict(answer_score, thresholds, marked=bool(spans)),
        score=float(answer_score),
        tokens=tuple(
            TokenScore(start, end, text[start:end], score, before)
            for (start, end), score, before in zip(units, unit_scores.tolist(), unit_raw.tolist(), strict=True)
        ),
        spans=spans,
        sentences=judged_sentences(text, by_character, spans, marks, sentence_notes),
        paragraphs=tuple(
            ParagraphScore(start, end, text[start:end], highest_part(by_character, spans, sentence_notes, (start, end)))
            for start, end in paragraphs(text)
        ),
        detector=detector,
        notes=tuple(notes),
        id=id,
        question=question,
        thresholds=thresholds,
        signals=signals or {},
    )


def unjudged_report(
    answer: str,
    verdict: Unjudged,
    notes: Iterable[Note],
    detector: DetectorInfo,
    *,
    question: str | None = None,
    id: str | None = None,
) -> Report:
    """Return the report of an answer that was not judged: a status and no score, for the whole and each sentence.

    Args:
        answer: the answer, which may be empty.
        verdict: `no_claim` if it states nothing, `not_verifiable` if it cannot be judged; the notes say why.
        notes, detector, question, id: carried through to the report.

    Raises:
        InputError: the verdict is another one.
    """
    check_known("verdict", verdict, UNJUDGED)
    return Report(
        answer=answer,
        verdict=verdict,
        score=None,
        tokens=(),
        spans=(),
        sentences=tuple(
            SentenceScore(start, end, answer[start:end], None, verdict) for start, end in sentences(answer)
        ),
        paragraphs=tuple(ParagraphScore(start, end, answer[start:end], None) for start, end in paragraphs(answer)),
        detector=detector,
        notes=tuple(notes),
        id=id,
        question=question,
    )


def _verdict(score: float, thresholds: Thresholds, *, marked: bool) -> Verdict:
    """Return the verdict; without a marked passage an answer is at most for review, since there is nothing to show."""
    if score < thresholds.review:
        return "grounded"
    return "hallucinated" if marked and score >= thresholds.hallucinated else "review"


def _per_unit(
    name: str, values: npt.NDArray[np.floating[Any]], membership: npt.NDArray[np.intp], n_units: int
) -> npt.NDArray[np.float64]:
    if values.shape != membership.shape:
        raise ReadingError(f"the {name} scores must have shape {membership.shape}, one a token, got {values.shape}")
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        raise ReadingError(
            f"the {name} scores must be numbers in [0, 1], got {float(values[wrong[0]])!r} at token {wrong[0]}"
        )
    highest = np.zeros(n_units, dtype=np.float64)
    np.maximum.at(highest, membership, values)
    return highest
