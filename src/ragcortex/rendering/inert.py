"""Foreign text made safe to show: what would move a cursor, hide or reorder text is shown by its code point."""

import re

_LINE_BREAK = re.compile(r"\r\n|[\x0b\x0c\x85\u2028\u2029]")
# Control characters but tab and line feed, and the marks that reorder what follows them (bidirectional overrides).
_ACTIVE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def inert(text: str) -> str:
    """Return the text with line breaks as line feeds and each active character as its code point in angle brackets.

    Joiners, combining marks and the plain direction marks stay, since scripts and emoji need them.

    >>> inert("a\\x1b[1m")
    'a<U+001B>[1m'
    """
    return _ACTIVE.sub(lambda match: f"<U+{ord(match[0]):04X}>", _LINE_BREAK.sub("\n", text))


def inert_line(text: str) -> str:
    """Return the inert text on one line: every run of white space is one space."""
    return " ".join(inert(text).split())
