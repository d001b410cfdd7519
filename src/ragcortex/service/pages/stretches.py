"""Texts divided for showing: what is marked apart from what is not, and every piece with its place in the text.

A text is divided where it is as it is, and made inert only then, since that changes its length. Places count Unicode
code points, as everywhere in this package; scripts in a browser count UTF-16 units, so `Segment` gives them places.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from ragcortex.rendering.inert import inert

Tag = TypeVar("Tag")


@dataclass(frozen=True, slots=True)
class Piece(Generic[Tag]):
    """A stretch of a text as it is shown, and the tags of the ranges it lies in, in their order."""

    text: str
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch `start..end` of a text and what is shown for it; `exact` where that is the text's own characters."""

    start: int
    end: int
    shown: str
    exact: bool


def cut(text: str, ranges: Sequence[tuple[int, int, Tag]]) -> list[Piece[Tag]]:
    """Return the text in pieces, inert, each with the tags of all ranges that cover it; ranges may overlap."""
    clipped = [(max(0, start), min(len(text), end), tag) for start, end, tag in ranges]
    inside = [one for one in clipped if one[0] < one[1]]
    edges = sorted({0, len(text), *(start for start, _, _ in inside), *(end for _, end, _ in inside)})
    pieces = []
    for start, end in pairwise(edges):
        tags = tuple(tag for first, last, tag in inside if first <= start and end <= last)
        pieces.append(Piece(inert(text[start:end]), tags))
    return pieces


def segments(text: str) -> list[Segment]:
    """Return the text in segments: as long as can be where it is shown as it is, else one for each character replaced.

    >>> [(one.start, one.end, one.shown) for one in segments("a\\r\\nb\\x1b")]
    [(0, 1, 'a'), (1, 3, '\\n'), (3, 4, 'b'), (4, 5, '<U+001B>')]
    """
    if inert(text) == text:
        return [Segment(0, len(text), text, True)] if text else []
    found: list[Segment] = []
    begun = position = 0
    while position < len(text):
        end = position + (2 if text.startswith("\r\n", position) else 1)
        shown = inert(text[position:end])
        if shown != text[position:end]:
            if begun < position:
                found.append(Segment(begun, position, text[begun:position], True))
            found.append(Segment(position, end, shown, False))
            begun = end
        position = end
    if begun < len(text):
        found.append(Segment(begun, len(text), text[begun:], True))
    return found


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order; those that touch or overlap become one.

    >>> joined([(4, 6), (0, 2), (2, 3), (5, 9)])
    [(0, 3), (4, 9)]
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
