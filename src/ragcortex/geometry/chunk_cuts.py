"""Cutting a sentence that is too long for one chunk: at clauses, else between words, never inside a grapheme."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

import regex

from ragcortex.align import Range, snap_to_graphemes, strip_range, words

_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}]")
# Where to cut, best first; a number stays with what stands before and after it, as «5.9 million» is not «5.9».
_CUTS: Final = (
    regex.compile(r"\n\s*+|[,;:…–—][\"'”’»)\]]*\s+|[，、；：…][”’」』）]*\s*"),
    regex.compile(r"(?<=[^\s\p{N}\p{Sc}])\s++(?![\p{N}\p{Sc}%])"),
    regex.compile(r"\s++"),
)
_N_LEVELS: Final = len(_CUTS) + 1
_KEPT_TOGETHER = regex.compile(r"[\p{N}\p{Sc}.,%]")


class Width:
    """Widths of ranges of one text: its characters, a CJK one counted `cjk_weight` times.

    >>> Width("km 世界", 2)(0, 5)
    7
    """

    def __init__(self, text: str, cjk_weight: int) -> None:
        self.cjk_weight = cjk_weight
        self._extra = cjk_weight - 1
        self._cjk = [] if text.isascii() or not self._extra else [match.start() for match in _CJK.finditer(text)]

    def __call__(self, start: int, end: int) -> int:
        """Return the width of `start..end`."""
        if not self._cjk:
            return end - start
        return end - start + self._extra * (bisect_left(self._cjk, end) - bisect_left(self._cjk, start))


def cut(text: str, start: int, end: int, limit: int, width: Width) -> Iterator[Range]:
    """Yield pieces of `start..end` in order, each at most `limit` wide unless it is a single grapheme.

    Together they contain every character of the range that is not white space; none is blank.

    Args:
        text: the text.
        start: where the sentence begins, not inside a grapheme.
        end: where it ends, likewise.
        limit: the widest piece, from 1 on.
        width: measures ranges of the text.
    """
    for first, last in _pieces(text, start, end, limit, width):
        stripped = strip_range(text, first, last)
        if stripped is not None:
            yield snap_to_graphemes(text, *stripped)


def _pieces(text: str, start: int, end: int, limit: int, width: Width, *, level: int = 0) -> Iterator[Range]:
    """Pack the parts between the cuts of one level; a part that is too wide by itself is cut at the next level."""
    if level == _N_LEVELS:
        yield from _grapheme_pieces(text, start, end, limit, width)
        return
    first = packed = start
    for position in (*_positions(text, start, end, level), end):
        if width(first, position) > limit and first < packed:
            yield first, packed
            first = packed
        if width(first, position) > limit:
            yield from _pieces(text, first, position, limit, width, level=level + 1)
            first = position
        packed = position
    if first < packed:
        yield first, packed


def _positions(text: str, start: int, end: int, level: int) -> Iterator[int]:
    """Yield where the range may be cut at this level, ascending and strictly inside it."""
    if level < len(_CUTS):
        ascii_only = text.isascii()  # then white space taken as a whole never ends inside a grapheme
        for match in _CUTS[level].finditer(text, start, end):
            position = match.end() if ascii_only else snap_to_graphemes(text, match.end(), match.end())[1]
            if start < position < end:
                yield position
        return
    for first, _ in words(text[start:end]):
        position = start + first
        if first and not _KEPT_TOGETHER.match(text, position - 1) and not _KEPT_TOGETHER.match(text, position):
            yield position


def _grapheme_pieces(text: str, start: int, end: int, limit: int, width: Width) -> Iterator[Range]:
    while start < end:
        last = min(start + limit, end)
        while (excess := width(start, last) - limit) > 0 and last > start + 1:
            last = max(start + 1, last - -(-excess // width.cjk_weight))
        last = snap_to_graphemes(text, last, last)[0]
        if last <= start:
            last = snap_to_graphemes(text, start, start + 1)[1]
        yield start, last
        start = last
