"""What a report says of each sentence: its score and state, and what the notes of its statements add."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, sentences
from ragcortex.report_parts import (
    UNJUDGED,
    FlaggedSpan,
    Mark,
    SentenceNote,
    SentenceScore,
    State,
    merged_signals,
)
from ragcortex.spans import highest_score


def judged_sentences(
    text: str,
    by_character: npt.NDArray[np.float64],
    spans: tuple[FlaggedSpan, ...],
    marks: Sequence[Mark],
    notes: Sequence[SentenceNote],
) -> tuple[SentenceScore, ...]:
    """Return the sentences of an answer with their scores and states, and the evidence and signals of their notes.

    Args:
        text: the answer.
        by_character: the score of each of its characters, -1 where it belongs to no word that was judged.
        spans: what is marked in it.
        marks: why; a sentence is contradicted where one of them says so.
        notes: on statements; a sentence takes those of all statements in it.
    """
    judged = []
    for start, end in sentences(text):
        is_marked = any(span.start < end and start < span.end for span in spans)
        score = highest_part(by_character, spans, notes, (start, end))
        within = [note for note in notes if note.start < end and start < note.end]
        state = _state((start, end), score, is_marked, marks, within)
        judged.append(
            SentenceScore(
                start,
                end,
                text[start:end],
                None if state in UNJUDGED else score,
                state,
                tuple(dict.fromkeys(evidence for note in within for evidence in note.evidence)),
                merged_signals(within),
            )
        )
    return tuple(judged)


def _state(
    span: tuple[int, int], score: float | None, is_marked: bool, marks: Sequence[Mark], notes: Sequence[SentenceNote]
) -> State:
    contradicted = any(mark.contradicted and mark.start < span[1] and span[0] < mark.end for mark in marks)
    if is_marked:
        return "contradicted" if contradicted else "unsupported"
    if any(note.status == "not_verifiable" for note in notes):
        return "not_verifiable"
    return "no_claim" if score is None else "supported"


def highest_part(
    by_character: npt.NDArray[np.float64],
    spans: Sequence[FlaggedSpan],
    notes: Sequence[SentenceNote],
    place: Range,
) -> float | None:
    """Return the highest score in a stretch of the answer: of its words and spans; None if there is neither.

    Where notes score the statements in it, their scores stand for those of the words.
    """
    start, end = place
    scores = [note.score for note in notes if note.score is not None and note.start < end and start < note.end]
    word = highest_score(by_character, start, end)
    if not scores and word is not None:
        scores.append(word)
    scores += [span.score for span in spans if span.start < end and start < span.end]
    return max(scores) if scores else None
