"""Character offsets: tokens, graphemes, words, sentences and paragraphs of an answer. Nothing else counts offsets.

Every range is half-open, counts characters of the text exactly as given, and satisfies `0 <= start < end <= len(text)`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from ragcortex.errors import ReadingError
from ragcortex.example import Span

Range = tuple[int, int]

# One report looks at the words, sentences and graphemes of its answer and of its sentences several times.
_of_recent_texts = lru_cache(maxsize=64)

_GRAPHEME = regex.compile(r"\X")
# Characters that may join a neighbour; a text without any has a grapheme a character.
_JOINS = regex.compile(
    r"[\r\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Prepend}\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=RI}]"
)
# One character a word in scripts written without spaces; elsewhere letters and digits with inner ' ’ . , -.
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
    r"|[[\p{L}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]\p{M}*"
    r"(?:[\p{M}[\p{L}\p{N}_]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]"
    r"|['’.,\-](?=[\p{L}\p{N}]))*",
    flags=regex.V1,
)
# [3], [1, 2], [4-6]; (Holt, 2020), (Holt & Arden 2019a), (Holt et al., 2020; Arden, 2018).
_AUTHOR_YEAR = r"\p{Lu}[\p{L}’'.\-]+(?:(?:,| and| &) \p{Lu}[\p{L}’'.\-]+| et al\.)*,? (?:1[5-9]|20)\d\d[a-z]?"
_CITATION = regex.compile(rf"\[\d{{1,3}}(?:\s*[,;–\-]\s*\d{{1,3}})*\]|\({_AUTHOR_YEAR}(?:; {_AUTHOR_YEAR})*\)")
_MARKER = regex.compile(r"\s*(?:[-*•–—#>]+|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s*")
_PARAGRAPH_BREAK = regex.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+|\u2029")
# Terminators that the English rules of the sentence splitter do not know, with any closing quotes and brackets.
_FOREIGN_STOP = regex.compile(r"[。！？｡।॥؟۔።]+[”’」』）〉》\"')\]]*")
# A German ordinal («am 31. März», «im 19. Jahrhundert»), whose full stop ends no sentence.
_ORDINAL = regex.compile(
    r"\b(?:(?i:am|vom|zum|beim|der|die|das|dem|den|des|bis|ab|im) \d{1,3}\.\s+(?=\p{L})"
    r"|\d{1,2}\.\s+(?=(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\p{L}*\b|Jahrhundert))"
)
_LANGUAGE_BY_SCRIPT = (
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("zh", regex.compile(r"\p{Han}")),
    ("hi", regex.compile(r"\p{Devanagari}")),
    ("ar", regex.compile(r"\p{Arabic}")),
    ("ru", regex.compile(r"\p{Cyrillic}")),
    ("el", regex.compile(r"\p{Greek}")),
)


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """An answer and its tokens, the same in both passes.

    Attributes:
        text: the answer exactly as given.
        ids: one vocabulary id a token.
        ranges: one half-open character range a token. Together they cover the text; two ranges are either equal
            (pieces of one character) or disjoint, and none splits a grapheme.
    """

    text: str
    ids: tuple[int, ...]
    ranges: tuple[Range, ...]

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.ranges):
            raise ReadingError(f"the answer has {len(self.ids)} token ids but {len(self.ranges)} character ranges")
        position = 0
        for previous, current in zip((None, *self.ranges), self.ranges, strict=False):
            if current == previous:
                continue
            if current[0] != position or current[1] <= position:
                raise ReadingError(f"token ranges leave a gap or overlap at character {position} of the answer")
            position = current[1]
        if position != len(self.text):
            raise ReadingError(f"token ranges end at character {position}, the answer at {len(self.text)}")

    def __len__(self) -> int:
        return len(self.ids)

    def units(self) -> tuple[tuple[Range, ...], npt.NDArray[np.intp]]:
        """Return the distinct ranges in order, and for each token the index of its range (shape T)."""
        distinct = tuple(dict.fromkeys(self.ranges))
        index = {span: position for position, span in enumerate(distinct)}
        return distinct, np.array([index[span] for span in self.ranges], dtype=np.intp)


def token_ranges(text: str, offsets: Sequence[Range]) -> tuple[Range, ...]:
    """Return one character range a token from a tokenizer's raw offsets, with nothing lost, shifted or split.

    Tokenizers leave out spaces, give zero-width offsets to inserted markers, and overlapping ones to the byte pieces
    of one character. Here a character no token claims goes to the next token (the last one at the end of the text),
    a zero-width token shares its neighbour's range, and ranges that overlap or meet inside a grapheme are joined.

    >>> token_ranges("a b", [(0, 1), (2, 3)])
    ((0, 1), (1, 3))

    Raises:
        ReadingError: an offset lies outside the text, starts go backwards, or a non-empty text has no tokens.
    """
    if not offsets:
        if text:
            raise ReadingError(f"the tokenizer made no token from an answer of {len(text)} characters")
        return ()
    boundaries = _grapheme_boundaries(text)
    claimed: list[list[int]] = []
    reached = 0
    for start, end in offsets:
        if not 0 <= start <= end <= len(text):
            raise ReadingError(f"the tokenizer gave offsets {start}..{end} for an answer of {len(text)} characters")
        first = min(start, reached)
        last = max(end, first)
        if claimed and start < claimed[-1][0] and end < claimed[-1][0]:
            raise ReadingError(f"the tokenizer's offsets go backwards at character {start} of the answer")
        claimed.append([first, last])
        reached = max(reached, last)
    claimed[-1][1] = len(text)
    return _joined(claimed, boundaries)


def _joined(claimed: list[list[int]], boundaries: npt.NDArray[np.intp]) -> tuple[Range, ...]:
    """Snap ranges outwards to graphemes, give zero-width ones a neighbour's, and join those that overlap."""
    starts = boundaries[np.searchsorted(boundaries, [start for start, _ in claimed], side="right") - 1]
    ends = boundaries[np.searchsorted(boundaries, [end for _, end in claimed], side="left")]
    groups: list[list[int]] = []
    membership: list[int] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if groups and (start < groups[-1][1] or groups[-1][0] == groups[-1][1]):
            groups[-1][0] = min(groups[-1][0], start)
            groups[-1][1] = max(groups[-1][1], end)
        elif groups and start == end:
            pass
        else:
            groups.append([start, end])
        membership.append(len(groups) - 1)
    return tuple((groups[index][0], groups[index][1]) for index in membership)


@_of_recent_texts
def _joins(text: str) -> bool:
    return "\r" in text or (not text.isascii() and _JOINS.search(text) is not None)


@_of_recent_texts
def _grapheme_boundaries(text: str) -> npt.NDArray[np.intp]:
    if not _joins(text):
        return np.arange(len(text) + 1, dtype=np.intp)
    ends = [match.end() for match in _GRAPHEME.finditer(text)]
    return np.array([0, *ends], dtype=np.intp)


def snap_to_graphemes(text: str, start: int, end: int) -> Range:
    """Return the smallest range of whole graphemes that contains `start..end`."""
    if not _joins(text):
        return start, end
    boundaries = _grapheme_boundaries(text)
    first = boundaries[np.searchsorted(boundaries, start, side="right") - 1]
    last = boundaries[np.searchsorted(boundaries, end, side="left")]
    return int(first), int(last)


def token_labels(tokens: AnswerTokens, spans: Iterable[Span]) -> npt.NDArray[np.int8]:
    """Return 1 for each token that shares a character with a hallucinated span, else 0 (shape T, int8).

    Spaces at the edges of a token do not count, so the word after a span is not labelled by its leading space.
    Source: the paper does not say how partial overlap is labelled; any overlap is our choice.
    """
    marked = np.zeros(len(tokens.text) + 1, dtype=np.int64)
    for span in spans:
        marked[span.start : span.end] = 1
    before = np.concatenate([[0], np.cumsum(marked)])
    labels = np.zeros(len(tokens), dtype=np.int8)
    for index, (start, end) in enumerate(tokens.ranges):
        start, end = strip_range(tokens.text, start, end) or (start, end)  # noqa: PLW2901
        labels[index] = before[end] > before[start]
    return labels


def strip_range(text: str, start: int, end: int) -> Range | None:
    """Return `start..end` without leading and trailing white space, or None if nothing else is there."""
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


@_of_recent_texts
def words(text: str) -> tuple[Range, ...]:
    """Return the ranges of the words: runs of letters and digits, one character a word in unspaced scripts.

    >>> words("It's 3.5 km, 世界")
    ((0, 4), (5, 8), (9, 11), (13, 14), (14, 15))
    """
    if not _joins(text):
        return tuple(match.span() for match in _WORD.finditer(text))
    found: list[Range] = []
    for match in _WORD.finditer(text):
        start, end = snap_to_graphemes(text, *match.span())
        if found and start < found[-1][1]:  # two letters of one grapheme, as in Thai
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


@_of_recent_texts
def claim_words(text: str) -> tuple[Range, ...]:
    """Return the ranges of the words outside citation markers such as `[3]` and `(Holt, 2020)`, which claim nothing.

    >>> claim_words("It is 41 m high [3].")
    ((0, 2), (3, 5), (6, 8), (9, 10), (11, 15))
    """
    markers = [match.span() for match in _CITATION.finditer(text)] if "[" in text or "(" in text else []
    if not markers:
        return words(text)
    return tuple(
        (start, end) for start, end in words(text) if not any(low <= start and end <= high for low, high in markers)
    )


@_of_recent_texts
def paragraphs(text: str) -> tuple[Range, ...]:
    """Return the ranges of the paragraphs (separated by blank lines), without surrounding white space."""
    edges = [(match.start(), match.end()) for match in _PARAGRAPH_BREAK.finditer(text)]
    starts = [0, *(end for _, end in edges)]
    ends = [*(start for start, _ in edges), len(text)]
    return _stripped(text, zip(starts, ends, strict=True))


@_of_recent_texts
def sentences(text: str) -> tuple[Range, ...]:
    """Return the ranges of the sentences, without surrounding white space; a line break always ends one.

    Together they contain every character of the text that is not white space. The rules for the text's main script
    come from sentencex; the terminators of other scripts end a sentence as well.
    """
    lines = [(start, _split(text[start:end])) for start, end in _lines(text)]
    found = [(start + first, start + last) for start, pieces in lines for first, last in pieces]
    return _stripped(text, _without_orphans(text, found))


def _lines(text: str) -> Iterable[Range]:
    position = 0
    for line in text.splitlines(keepends=True):
        yield position, position + len(line)
        position += len(line)


def _split(line: str) -> Iterable[Range]:
    from sentencex import get_sentence_boundaries

    language = next((code for code, script in _LANGUAGE_BY_SCRIPT if script.search(line)), "en")
    boundaries: list[dict[str, Any]] = get_sentence_boundaries(language, line)
    cuts = {boundary["end_index"] for boundary in boundaries} | {match.end() for match in _FOREIGN_STOP.finditer(line)}
    cuts -= {cut for match in _ORDINAL.finditer(line) for cut in range(match.start() + 1, match.end() + 1)}
    inside = {snap_to_graphemes(line, 0, cut)[1] for cut in cuts if 0 <= cut <= len(line)}
    return pairwise(sorted({0, len(line), *inside}))


def _without_orphans(text: str, ranges: Sequence[Range]) -> list[Range]:
    """Join pieces without a letter or digit (a bullet, a closing quote, «1.») to a neighbour on the same line."""
    joined: list[Range] = []
    pending: int | None = None
    for start, end in ranges:
        first = start if pending is None else pending
        pending = None
        piece = text[start:end]
        ends_line = piece.endswith(("\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85"))
        if _MARKER.fullmatch(piece) and not ends_line and end < len(text):
            pending = first
        elif joined and joined[-1][1] == first and not _WORD.search(piece) and not _breaks(text, first):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((first, end))
    if pending is not None:
        joined.append((pending, ranges[-1][1]))
    return joined


def _breaks(text: str, position: int) -> bool:
    return len(text[position - 1 : position + 1].splitlines()) > 1 or text[position - 1] == "\n"


def _stripped(text: str, ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges without white space at their edges, as far as that splits no grapheme."""
    stripped = (strip_range(text, start, end) for start, end in ranges)
    return tuple(snap_to_graphemes(text, *span) for span in stripped if span is not None)
