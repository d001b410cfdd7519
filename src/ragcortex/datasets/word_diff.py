"""Hallucinated spans of an edited answer, found by comparing its words with those of the supported original."""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from ragcortex.align import Range, words
from ragcortex.example import Span

# An unchanged word this short between two changed ones ("of", "the") is taken as part of the same change.
_BRIDGE_CHARS = 3
_SENTENCE_BREAK = re.compile(r"[.!?](?=\s)|\n")


def changed_spans(original: str, edited: str) -> tuple[Span, ...]:
    """Return the spans of `edited` that differ from `original`, in order and disjoint.

    Inserted and replaced words are a span, together with the gaps between them. Where words were only left out, the
    words on both sides of the cut (of the same sentence) are one span, since that is where the meaning changed. Case,
    hyphens and punctuation do not count; currency, percent and mathematical signs do. Equal texts give no span.

    >>> edited = "It opened in Rome in 1901."
    >>> [edited[span.start : span.end] for span in changed_spans("It opened in Paris in 1900.", edited)]
    ['Rome', '1901']
    """
    before, after = _units(original), _units(edited)
    old, new = [_key(original, unit) for unit in before], [_key(edited, unit) for unit in after]
    changed: list[Range] = []
    for tag, first, last in _opcodes(old, new):
        if tag == "equal" or not after:
            continue
        changed.append(_around_cut(first, edited, after) if tag == "delete" else (first, last))
    return tuple(Span(after[first][0], after[last - 1][1]) for first, last in _bridged(changed, edited, after))


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return tag and range in `new` of each change; what both begin and end with is equal whatever difflib finds."""
    shortest = min(len(old), len(new))
    head = next((index for index in range(shortest) if old[index] != new[index]), shortest)
    tail = next((index for index in range(shortest - head) if old[-1 - index] != new[-1 - index]), shortest - head)
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return [(tag, head + first, head + last) for tag, _, _, first, last in matcher.get_opcodes()]


def _around_cut(index: int, text: str, units: Sequence[Range]) -> Range:
    """Return the index range of the words on both sides of a cut before unit `index`, within one sentence."""
    if index == 0:
        return 0, 1
    if index == len(units) or _SENTENCE_BREAK.search(text, units[index - 1][1], units[index][0]):
        return index - 1, index
    return index - 1, index + 1


def _bridged(changed: Sequence[Range], text: str, units: Sequence[Range]) -> list[Range]:
    """Join index ranges that touch or have one short unchanged word between them."""
    joined: list[Range] = []
    for first, last in changed:
        if joined and (first <= joined[-1][1] or _is_bridge(units[joined[-1][1] : first], text)):
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _is_bridge(between: Sequence[Range], text: str) -> bool:
    if len(between) != 1:
        return False
    start, end = between[0]
    return end - start <= _BRIDGE_CHARS and text[start:end].isalpha()


def _units(text: str) -> list[Range]:
    """Return the ranges of words, and of signs that change a meaning (€, %, +, °) in the gaps between them."""
    units: list[Range] = []
    position = 0
    for start, end in (*words(text), (len(text), len(text))):
        units.extend((index, index + 1) for index in range(position, start) if _is_sign(text[index]))
        units.extend(_parts(text, start, end))
        position = end
    return units


def _parts(text: str, start: int, end: int) -> list[Range]:
    """Return a word's ranges between its hyphens, so that "well-known" and "well known" are the same words."""
    cuts = [start, *(index + 1 for index in range(start, end) if text[index] == "-"), end + 1]
    return [(first, last - 1) for first, last in pairwise(cuts) if last - 1 > first]


def _is_sign(character: str) -> bool:
    return character in "%‰°" or unicodedata.category(character) in {"Sc", "Sm"}


def _key(text: str, unit: Range) -> str:
    return text[unit[0] : unit[1]].casefold()
