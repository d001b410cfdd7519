"""What a report says of each sentence: its score and state, and what the notes of its statements add."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, sentences
from ragcortex.contributions import StretchContributions
from ragcortex.report_parts import UNJUDGED, FlaggedSpan, Mark, SentenceNote, SentenceScore, State
from ragcortex.spans import highest_score


def judged_sentences(
    text: str,
    by_character: npt.NDArray[np.float64],
    spans: tuple[FlaggedSpan, ...],
    marks: Sequence[Mark],
    notes: Sequence[SentenceNote],
    *,
    contributions: StretchContributions | None = None,
) -> tuple[SentenceScore, ...]:
    """Return the sentences of an answer with their scores and states, and the evidence and signals of their notes.

    Contributions are those of the highest-scored note; where none has a score, those of the highest-scored word.

    Args:
        text: the answer.
        by_character: the score of each of its characters, -1 where it belongs to no word that was judged.
        spans: what is marked in it.
        marks: why; a sentence is contradicted where one of them says so.
        notes: on statements; a sentence takes those of all statements in it.
        contributions: of the highest-scored word in a stretch.
    """
    judged = []
    for start, end in sentences(text):
        is_marked = any(span.start < end and start < span.end for span in spans)
        score = highest_part(by_character, spans, notes, (start, end))
        within = [note for note in notes if note.start < end and start < note.end]
        state = _state((start, end), score, is_marked, marks, within)
        is_judged = state not in UNJUDGED
        judged.append(
            SentenceScore(
                start,
                end,
                text[start:end],
                score if is_judged else None,
                state,
                tuple(dict.fromkeys(evidence for note in within for evidence in note.evidence)),
                merged_signals(within),
                _contributions((start, end), within, contributions) if is_judged else {},
            )
        )
    return tuple(judged)


def merged_signals(notes: Sequence[SentenceNote]) -> dict[str, float]:
    """Return the mean of each signal over the notes that have it."""
    names = dict.fromkeys(name for note in notes for name in note.signals)
    values = {name: [note.signals[name] for note in notes if name in note.signals] for name in names}
    return {name: sum(found) / len(found) for name, found in values.items()}


def _contributions(
    place: Range, notes: Sequence[SentenceNote], words: StretchContributions | None
) -> Mapping[str, float]:
    scored = [(note.score, note) for note in notes if note.score is not None]
    if scored:
        return max(scored, key=lambda one: one[0])[1].contributions
    return {} if words is None else words.within(*place)


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
