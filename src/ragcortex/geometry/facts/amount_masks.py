"""What looks like a number and is none: addresses, telephone numbers, versions, identifiers, list markers."""

from collections.abc import Sequence
from typing import Final

import regex

from ragcortex.align import claim_words, words

Range = tuple[int, int]

# One character for one, so that positions stay: full-width forms, and every narrow or unbreakable space as U+00A0.
_FOLDED: Final = {
    **{0xFEE0 + code: code for code in range(0x21, 0x7F) if chr(code) not in "()[]{},!?;:\"'"},
    **dict.fromkeys((0x2007, 0x2009, 0x200A, 0x202F, 0x2008, 0x3000), 0xA0),
    0xFFE5: 0xA5, 0xFFE1: 0xA3, 0xFFE0: 0xA2, 0xFF5E: 0x7E, 0x301C: 0x7E, 0x2010: 0x2D, 0x2011: 0x2D,
}  # fmt: skip
_WIDE_MARK: Final = regex.compile(r"(?<=[0-9０-９])[，．](?=[0-9０-９])")
# Never a letter, digit, space or mark: nothing matches across it.
MASK: Final = "\x00"

_ADDRESS: Final = (
    r"https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+"
    r"|\b[a-zA-Z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|de|fr|es|cn|jp|eu|io|info|gov|edu|uk)\b(?:/\S*)?"
)
_TELEPHONE: Final = (
    r"\+[0-9][0-9 \u00a0().\-/]{6,}[0-9]"
    r"|\([0-9]{3,5}\)[ \u00a0]?[0-9]{3}[ .\-]?[0-9]{3,5}"
    r"|(?<![0-9.,])0[0-9]{2,4}[/\-][ ]?[0-9]{3,}(?:[ \-][0-9]{2,})*"
    r"|(?i:\b(?:tel|phone|fax|hotline|telefon|téléphone|teléfono|call)\b|电话|電話|热线|号码|番号)"
    r"\W{0,3}\+?[0-9][0-9 \u00a0()/.\-]{6,}"
)
# An internet address wins over a number of four groups, all below 256 («41.202.255.100»).
_IDENTIFIER: Final = (
    r"(?i:\bISBN(?:-1[03])?|\bISSN|\bDOI|\bIBAN)[: \u00a0]*[0-9A-Z][0-9A-Z \u00a0\-./]*[0-9X]"
    r"|(?<![0-9.,])[0-9]+(?:-[0-9]+){2,}(?![0-9])"
    r"|(?<![0-9.,])[0-9]{1,4}(?:/[0-9]{1,4}){2}(?![0-9])"
    r"|(?<![0-9:])[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?:[.,][0-9]+)?(?![0-9])"
    r"|(?<![0-9.,])(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}(?![0-9]|\.[0-9])"
    r"|(?<![0-9.,])(?![0-9]{1,3}(?:\.[0-9]{3})+(?![0-9.]))[0-9]+(?:\.[0-9]+){2,}(?:,[0-9]+)?"
    r"|\b(?=[\p{Lu}\d-]*\p{Lu})(?=[\p{Lu}\d-]*\d)[\p{Lu}\d]+(?:-[\p{Lu}\d]+)+\b"
    r"|\b24/7\b"
)
_LIST_MARKER: Final = r"^[ \t\u00a0]*(?:[-*•–][ \t])?[(（]?[0-9]{1,3}(?:[.)）](?=\s)|、)"
_MASKED: Final = regex.compile(f"(?m:{_LIST_MARKER})|{_ADDRESS}|{_TELEPHONE}|{_IDENTIFIER}")
# Every address, telephone number and identifier has a piece like one of these. Most texts have none, and to look for
# them alone takes a tenth of the time.
_MAY_BE_MASKED: Final = regex.compile(
    r"://|@|\.\S|\d[-/:]\s?\d|[\p{Lu}\d]-[\p{Lu}\d]|\([0-9]{3}|\+[0-9]|[0-9][0-9 \u00a0()/.\-]{6}"
    r"|[iIİı][sSſ][bBsSſ]|[iIİı][bB][aA]|[dD][oO][iIİı]"
)
_LIST_MARKERS: Final = regex.compile(f"(?m:{_LIST_MARKER})")


def masked(text: str, taken: Sequence[Range]) -> str:
    """Return the text, equally long, with full-width forms folded and all that is no amount replaced by `MASK`.

    Args:
        text: any text.
        taken: half-open ranges that other facts hold already, such as dates.
    """
    shown = folded(text)
    ranges = _masked_ranges(shown)
    ranges.extend(taken)
    if "[" in text or "(" in text:
        claims = set(claim_words(text))
        ranges.extend(span for span in words(text) if span not in claims)
    for start, end in ranges:
        shown = shown[:start] + MASK * (end - start) + shown[end:]
    return shown


def _masked_ranges(text: str) -> list[Range]:
    """Return where `_MASKED` matches, without looking for what the text cannot have."""
    pattern = _MASKED if _MAY_BE_MASKED.search(text) else _LIST_MARKERS
    return [match.span() for match in pattern.finditer(text)]


def folded(text: str) -> str:
    """Return the text, equally long, with full-width forms and narrow spaces folded.

    >>> folded("１，２００％")
    '1,200%'
    """
    if text.isascii():
        return text
    return _WIDE_MARK.sub(lambda match: "," if match[0] == "，" else ".", text).translate(_FOLDED)
