"""Statements: the pieces of a text that can each be true or false by itself, and where they stand."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import regex

from ragcortex.align import Range, claim_words, sentences, strip_range

# A new statement starts after a semicolon or a colon, or after a comma with «and» or «but»; CJK marks of the same kind.
_CUT: Final = regex.compile(
    r"[;:](?=\s)|[；：]|,(?=\s+(?:and|but|while|whereas|und|aber|während|et|mais|tandis que|y|pero|mientras)\s)"
    r"|，(?=(?:而|但|并且|而且|同时))|、(?=(?:しかし|また))",
    flags=regex.IGNORECASE,
)
# Fewer words are a heading, a list of names or the tail of a phrase rather than a statement of their own.
_LEAST_WORDS: Final = 4


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Range, ...]:
    """Return the ranges of the statements of a text: its sentences, divided where an independent part starts.

    Together they hold every character of the text that is not white space, in order and without overlap.

    >>> [text[a:b] for text in ["Items go back in 30 days; orders above $50 ship free."] for a, b in statements(text)]
    ['Items go back in 30 days;', 'orders above $50 ship free.']
    """
    found: list[Range] = []
    for start, end in sentences(text):
        cuts = [start + match.end() for match in _CUT.finditer(text[start:end])]
        found += _joined(text, start, end, cuts)
    return tuple(found)


def _joined(text: str, start: int, end: int, cuts: Sequence[int]) -> list[Range]:
    """Return the pieces between the cuts, a piece of too few words joined to the one before it (the first: after)."""
    pieces: list[Range] = []
    first = start
    for cut in (*cuts, end):
        enough = len(claim_words(text[first:cut])) >= _LEAST_WORDS and len(claim_words(text[cut:end])) >= _LEAST_WORDS
        if cut == end or enough:
            stripped = strip_range(text, first, cut)
            if stripped is not None:
                pieces.append(stripped)
            first = cut
    return pieces
