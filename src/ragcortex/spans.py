"""From scores per token to the stretches of the answer that are marked.

A run of tokens at or above the threshold becomes whole words, so that no reader sees half a number marked. A run never
reaches into a sentence that has no such token, and ends where its paragraph ends. Words of citation markers count as
none: they claim nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, claim_words, paragraphs, sentences, snap_to_graphemes, strip_range

# Features and smoothing look a few tokens to each side, so that a wrong sentence raises the first or last words of its
# neighbour. Up to this many words, and this share of the neighbour's words, are taken for that blur.
_SPILLED_WORDS: Final = 4
_SPILLED_SHARE: Final = 0.25


def word_scores(text: str, units: Sequence[Range], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each character's score: its token's inside a word, −1 elsewhere (shape `len(text)`, float64).

    `units` are the disjoint ranges that cover the text, `scores` one number in [0, 1] for each.
    """
    lengths = [end - start for start, end in units]
    spread = np.repeat(np.asarray(scores, dtype=np.float64), lengths)
    return np.where(_word_mask(text), spread, -1.0)


def highest_score(character_scores: npt.NDArray[np.float64], start: int, end: int) -> float | None:
    """Return the highest score of a word in `start..end`, or None if there is no word."""
    highest = float(character_scores[start:end].max(initial=-1.0))
    return None if highest < 0 else highest


def unsupported_ranges(
    text: str, units: Sequence[Range], scores: npt.NDArray[np.float64], threshold: float
) -> tuple[Range, ...]:
    """Return the ranges of the unsupported stretches, in order, disjoint, each holding at least one word.

    A stretch is a maximal run of tokens with a score of at least `threshold`, continued over tokens of white space
    alone, widened to whole words, without white space at its edges, and never splitting a grapheme. Punctuation on
    its own is no stretch. Two stretches with nothing but white space between them are one, unless a paragraph ends.
    """
    layout = _Layout(text)
    ranges: list[Range] = []
    homes: list[int] = []
    for run in _runs(text, units, scores, threshold):
        for home, (start, end) in layout.whole_words(*run):
            if ranges and homes[-1] == home and not text[ranges[-1][1] : start].strip():
                ranges[-1] = (ranges[-1][0], max(ranges[-1][1], end))
            else:
                ranges.append((start, end))
                homes.append(home)
    return tuple(ranges)


def without_spill(text: str, ranges: Sequence[Range]) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Return the ranges without what they spill into neighbouring sentences, and what was cut off.

    A range that covers at least half of the words of one sentence and, beyond its end or start, at most four words and
    a quarter of the words of another, is cut at the sentence's edge: a grounded sentence is not marked for the blur of
    a wrong one beside it.
    """
    layout = _Layout(text)
    kept: list[Range] = []
    spilled: list[Range] = []
    for start, end in ranges:
        parts = layout.parts(start, end)
        if any(part.share >= 0.5 for part in parts):
            while len(parts) > 1 and parts[0].is_spill:
                spilled.append((parts[0].start, parts[0].end))
                parts = parts[1:]
            while len(parts) > 1 and parts[-1].is_spill:
                spilled.append((parts[-1].start, parts[-1].end))
                parts = parts[:-1]
            stripped = strip_range(text, parts[0].start, parts[-1].end)
            kept.append(stripped or (start, end))
        else:
            kept.append((start, end))
    return tuple(kept), tuple(sorted(spilled))


@dataclass(frozen=True, slots=True)
class _Part:
    """What a range covers of one sentence: its characters, how many words, and which share of the sentence's words."""

    start: int
    end: int
    n_words: int
    share: float

    @property
    def is_spill(self) -> bool:
        return self.n_words <= _SPILLED_WORDS and self.share <= _SPILLED_SHARE


def _runs(text: str, units: Sequence[Range], scores: npt.NDArray[np.float64], threshold: float) -> Iterator[Range]:
    first: int | None = None
    last = 0
    for (start, end), score in zip(units, scores.tolist(), strict=True):
        if text[start:end].isspace():
            continue
        if score >= threshold:
            first = start if first is None else first
            last = end
        elif first is not None:
            yield first, last
            first = None
    if first is not None:
        yield first, last


class _Layout:
    """The words, sentences and paragraphs of a text, to be looked up by position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = claim_words(text)
        self.sentences = sentences(text)
        self.paragraph_starts = [start for start, _ in paragraphs(text)]

    def parts(self, start: int, end: int) -> list[_Part]:
        """Return what a range covers of each sentence that it has words in."""
        parts = []
        first = bisect_right(self.sentences, start, key=lambda sentence: sentence[1])
        for low, high in self.sentences[first:]:
            if low >= end:
                break
            own = self.words[
                bisect_left(self.words, low, key=lambda word: word[0]) : bisect_left(
                    self.words, high, key=lambda word: word[0]
                )
            ]
            n_covered = sum(start <= word[0] and word[1] <= end for word in own)
            if n_covered:
                parts.append(_Part(max(start, low), min(end, high), n_covered, n_covered / len(own)))
        return parts

    def whole_words(self, start: int, end: int) -> Iterator[tuple[int, Range]]:
        """Yield the paragraph's number and the widened range for each paragraph that the run has words in."""
        bounds: dict[int, list[int]] = {}
        first = bisect_right(self.sentences, start, key=lambda sentence: sentence[1])
        for index in range(first, len(self.sentences)):
            low, high = self.sentences[index]
            if low >= end:
                break
            piece = self._widened(max(start, low), min(end, high), low, high)
            if piece is not None:
                home = bisect_right(self.paragraph_starts, low)
                bounds.setdefault(home, [piece[0], piece[1]])[1] = piece[1]
        for home, (low, high) in bounds.items():
            stripped = strip_range(self.text, low, high)
            if stripped is not None:
                yield home, snap_to_graphemes(self.text, *stripped)

    def _widened(self, start: int, end: int, low: int, high: int) -> Range | None:
        """Return the range out to whole words but within the sentence `low..high`; None if it touches no word."""
        first = bisect_right(self.words, start, key=lambda word: word[1])
        last = bisect_left(self.words, end, key=lambda word: word[0]) - 1
        if first > last:
            return None
        return max(low, min(start, self.words[first][0])), min(high, max(end, self.words[last][1]))


def _word_mask(text: str) -> npt.NDArray[np.bool_]:
    mask = np.zeros(len(text), dtype=np.bool_)
    for start, end in claim_words(text):
        mask[start:end] = True
    return mask
