"""What a detector says about one answer: scores for its tokens, spans, sentences and paragraphs, and a verdict.

The parts are in `report_parts`, the whole is in `report_document`; here it is built from scores.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, Range, paragraphs, sentences
from ragcortex.checks import check_known
from ragcortex.contributions import StretchContributions, TokenContributions
from ragcortex.detector_info import DetectorInfo
from ragcortex.errors import ReadingError
from ragcortex.report_document import SCHEMA, Report
from ragcortex.report_parts import (
    UNJUDGED,
    VERDICTS,
    Difference,
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
)
from ragcortex.sentence_states import highest_part, judged_sentences
from ragcortex.span_reasons import explained_spans
from ragcortex.spans import unsupported_ranges, without_spill, word_scores

__all__ = [
    "SCHEMA",
    "UNJUDGED",
    "VERDICTS",
    "DetectorInfo",
    "Difference",
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
    "TokenContributions",
    "TokenScore",
    "Unjudged",
    "Verdict",
    "build_report",
    "unjudged_report",
    "verdict_for",
]


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
    contributions: TokenContributions | None = None,
    ranges: Sequence[Range] | None = None,
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
        sentence_notes: evidence, signals and contributions of sentences, found by their ranges; their evidence is also
            that of spans to which no mark gives any.
        contributions: what each signal adds to the log-odds of each of the T tokens; a span takes those of its
            highest-scored word, and so does a sentence that no note scores.
        ranges: what is marked apart from binding marks, in order and disjoint, by a detector that decides so itself;
            by default the words from the token threshold on.

    Raises:
        ReadingError: an array has another shape than (T,), a score is not a number in [0, 1], or there is not one row
            of contributions a token.
    """
    text = tokens.text
    units, membership = tokens.units()
    unit_raw, unit_scores = (
        _per_unit(name, values, membership, len(units)) for name, values in (("raw", raw), ("smoothed", scores))
    )
    if not 0 <= answer_score <= 1:
        raise ReadingError(f"the answer score must be a number in [0, 1], got {answer_score!r}")
    by_character = word_scores(text, units, unit_scores)
    spilled: Sequence[Range] = ()
    if ranges is None:
        ranges, spilled = without_spill(text, unsupported_ranges(text, units, unit_scores, thresholds.token))
    unjudged = [(note.start, note.end) for note in sentence_notes if note.status is not None]
    for start, end in (*spilled, *unjudged):
        by_character[start:end] = -1.0
    parts = None
    if contributions is not None:
        parts = StretchContributions(contributions, tokens, scores, by_character)
    spans = explained_spans(
        text,
        by_character,
        ranges,
        marks,
        reason=reason,
        least=thresholds.token,
        notes=sentence_notes,
        contributions=parts,
    )
    return Report(
        answer=text,
        verdict=verdict_for(answer_score, thresholds, marked=bool(spans)),
        score=float(answer_score),
        tokens=tuple(
            TokenScore(start, end, text[start:end], score, before)
            for (start, end), score, before in zip(units, unit_scores.tolist(), unit_raw.tolist(), strict=True)
        ),
        spans=spans,
        sentences=judged_sentences(text, by_character, spans, marks, sentence_notes, contributions=parts),
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


def verdict_for(score: float, thresholds: Thresholds, *, marked: bool) -> Verdict:
    """Return the verdict on an answer score.

    Without a marked passage an answer is at most for review, since there is nothing to show.
    """
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
