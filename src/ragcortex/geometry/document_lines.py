"""Lines that a printer or an editor has wrapped: whether a line goes on in the next one."""

from typing import Final

import regex

# A sentence or clause ends here, so the line is complete whatever follows.
_COMPLETE = regex.compile(r"[.!?:;…。！？：；｡।॥؟۔][\"'”’»)\]）」』]*$")
_ITEM = regex.compile(r"[-*•‣◦–—#>|]\s|[-*•‣◦]|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s")
UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}"
_ENDS_UNSPACED = regex.compile(rf"[{UNSPACED}、，]$")
_BEGINS_LOWER = regex.compile(r"[\"'“‘«(\[]*\p{Ll}")
_WRAP_WIDTH: Final = 50  # shorter lines are lists and verse rather than wrapped prose
_UNSPACED_WRAP_WIDTH: Final = 20
_FULL: Final = 0.8  # a wrapped line is nearly as long as the longest one


def goes_on(line: str, following: str, longest: int) -> bool:
    """Return whether the sentence of `line` goes on in the line after it.

    It does where the line has no mark at its end and the next one begins in lower case, or where the line is about as
    long as the longest one; never into a list item or a table row.

    Args:
        line: a line without surrounding white space, not empty.
        following: the next line, likewise.
        longest: length of the longest line of the same paragraph or page.

    >>> goes_on("The lighthouse at Cape Arden", "was built in 1874.", 28)
    True
    """
    if _COMPLETE.search(line) or _ITEM.match(following) or " | " in line or " | " in following:
        return False
    if _BEGINS_LOWER.match(following):
        return True
    if line[-1].isdigit() and following[0].isdigit():  # rows of a table of numbers
        return False
    widest = _UNSPACED_WRAP_WIDTH if _ENDS_UNSPACED.search(line) else _WRAP_WIDTH
    return longest >= widest and len(line) >= _FULL * longest
