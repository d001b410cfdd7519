"""Offsets that count UTF-16 code units, as JavaScript does, as offsets that count characters, as Python does."""

from typing import Final, Literal, get_args

OffsetUnit = Literal["characters", "utf16"]
OFFSET_UNITS: Final[tuple[OffsetUnit, ...]] = get_args(OffsetUnit)


def characters_before(text: str, n_units: int) -> int | None:
    """Return how many characters the first `n_units` UTF-16 code units of a text are.

    None if the text is shorter, or the place lies inside a character (those beyond U+FFFF are two units each).

    >>> characters_before("a😀b", 3), characters_before("a😀b", 2)
    (2, None)
    """
    if n_units < 0:
        return None
    n_characters = units = 0
    for character in text:
        if units >= n_units:
            break
        units += 1 + (ord(character) > 0xFFFF)
        n_characters += 1
    return n_characters if units == n_units else None


def character_range(text: str, start: int, end: int, unit: OffsetUnit) -> tuple[int, int] | None:
    """Return a range in characters, None if it is empty, backwards or not inside the text."""
    first, last = (
        (start, end) if unit == "characters" else (characters_before(text, start), characters_before(text, end))
    )
    if first is None or last is None or not 0 <= first < last <= len(text):
        return None
    return first, last
