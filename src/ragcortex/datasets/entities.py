"""Names, numbers and dates in a text, found by their form, with a rough kind so that like is replaced by like."""

from collections import Counter
from dataclasses import dataclass

import regex

from ragcortex.align import sentences
from ragcortex.datasets.lexicon import MONTHS, NOT_NAMES, WEEKDAYS

_NAME = regex.compile(
    r"\b\p{Lu}[\p{L}\p{N}'’&-]*(?:(?: (?:of|the|de|von|van|and|for) | )\p{Lu}[\p{L}\p{N}'’&-]*)*(?: \p{N}+\b)?"
)
_POSSESSIVE = regex.compile(r"['’]s?$")
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{N}.,/:_–-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\d/:–-])|\d+(?:\.\d+)?(?![\p{L}\d/:–-]|,\d|\.\d))"
)
_PLACE_BEFORE = regex.compile(r"\b(?:in|at|near|from|outside|across)(?: the)? $")
_PERSON_BEFORE = regex.compile(
    r"\b(?:Mr\.?|Mrs\.?|Dr\.?|President|King|Queen|by|director|actor|actress|singer|author|with|starring|and) $"
)
_DEMONYM = regex.compile(r"\p{Lu}\p{Ll}+(?:ish|ese|ian|can|ean)|French|German|Greek|Dutch|Swiss|Welsh")
_ORGANISATION = regex.compile(
    r"\b(?:University|Company|Inc|Corporation|Association|Council|League|College|School|Institute|Club|Band|Church|"
    r"Museum|Department|Group|Records|Party|Committee|Society|Center|Centre)\b"
)
_CALENDAR = frozenset((*MONTHS, *WEEKDAYS))


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text of a kind: half-open character offsets, the text there, and the kind ("place", "year" …)."""

    start: int
    end: int
    text: str
    kind: str


def names(text: str) -> list[Mention]:
    """Return the names in a text: capitalised runs that are not just the first word of a sentence."""
    starts = {start for start, _ in sentences(text)}
    known = {match[0] for match in _NAME.finditer(text) if match.start() not in starts}
    found: list[Mention] = []
    for match in _NAME.finditer(text):
        start, end = match.span()
        while (first := text[start:end].split(" ", maxsplit=1)[0]) in NOT_NAMES and " " in text[start:end]:
            start += len(first) + 1
        while start < end and not text[start].isupper() and " " in text[start:end]:
            start = text.index(" ", start) + 1
        end -= len(text[start:end]) - len(_POSSESSIVE.sub("", text[start:end]))
        name = text[start:end]
        alone = " " not in name
        if (
            len(name) < 3
            or (alone and any(map(str.isdigit, name)))
            or name in NOT_NAMES
            or name in _CALENDAR
            or set(name.split()) & _CALENDAR
        ):
            continue
        if alone and start in starts and name not in known:
            continue
        found.append(Mention(start, end, name, _kind(text, start, name)))
    return found


def _kind(text: str, start: int, name: str) -> str:
    before = text[max(0, start - 20) : start]
    if _DEMONYM.fullmatch(name):
        return "demonym"
    if _ORGANISATION.search(name):
        return "organisation"
    if _PLACE_BEFORE.search(before):
        return "place"
    if name.isupper():
        return "acronym"
    n_words = len(name.split())
    if _PERSON_BEFORE.search(before) and n_words in (2, 3):
        return "person"
    return "name" if n_words == 1 else "long name"


def numbers(text: str) -> list[Mention]:
    """Return the numbers in digits, as "year", "integer" or "decimal"; list markers and parts of names are left out."""
    found: list[Mention] = []
    for match in _NUMBER.finditer(text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        if not text[line_start : match.start()].strip() and text[match.end() : match.end() + 1] in {".", ")"}:
            continue
        digits = match[0]
        if "." in digits:
            kind = "decimal"
        elif len(digits) == 4 and "1000" <= digits <= "2099":
            kind = "year"
        else:
            kind = "integer"
        found.append(Mention(match.start(), match.end(), digits, kind))
    return found


def main_entity(text: str) -> str | None:
    """Return the name that occurs most often in a text, the earliest of those; None if it has no name."""
    counts = Counter(mention.text for mention in names(text) if mention.kind not in {"demonym", "organisation"})
    return max(counts, key=counts.__getitem__) if counts else None
