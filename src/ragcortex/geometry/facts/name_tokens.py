"""The words of a European text with what their shape and place say: capital, acronym, beginning of a sentence."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from ragcortex.geometry.facts.fact import Fact, Language, Name
from ragcortex.geometry.facts.name_places import fold, name_words
from ragcortex.geometry.facts.name_words import ABBREVIATIONS, OPENERS, TITLES, UNITS

_WORD: Final = regex.compile(
    r"(?:\p{Lu}\.){2,}(?!\p{L})|\p{Lu}\.(?=\s?\p{Lu})|(?<!\p{N})\p{N}{0,8}\p{L}[\p{L}\p{M}\p{N}]*(?:(?:[-‐‑'’&.]|&)(?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]+)*"
)
_ELISION: Final = regex.compile(r"(?:[ldjnmtscLDJNMTSC]|[Qq]u|[Jj]usqu|[Ll]orsqu|[Pp]uisqu)['’](?=\p{L})")
_POSSESSIVE: Final = regex.compile(r"['’]s$|['’]$")
_START: Final = regex.compile(
    r"(?:\A|[.!?…:;]+[\"'”’»)\]*_]*\s+|[\n\r\u2028\u2029|]\s*)(?:[-*•–—#>|]+\s*|\(?\d{1,3}[.)]\s+|[\"'“„‘«(\[¿¡*_]+\s*)*"
)
_INNER_CAPITAL: Final = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}?")
_ROMAN: Final = regex.compile(r"[IVXLCM]+(?:e|er|ère|ème|nde?)?")
# Headings, bold text, labels before a colon and bullets of capitalised words only: capitals say nothing there.
_BULLET: Final = r"[ \t]*(?:[-*•–—]|\d{1,3}[.)])[ \t]+"
_HEADING: Final = regex.compile(
    rf"(?m)^[ \t]*#.*$|\*\*[^*\n]+\*\*|^[^\n.!?]{{1,80}}:[ \t]*$|^{_BULLET}[^\n.!?:]{{1,60}}:(?=\s)"
    rf"|^{_BULLET}(?:\p{{Lu}}[\p{{L}}\p{{N}}-]*[ \t]*){{1,6}}$"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word: `text` without elided article and possessive ending, `folded` without case and diacritics.

    Attributes:
        start, end: its range in the text.
        capital: it has an upper-case letter that is not only there because a sentence begins.
        acronym: it is written in capitals («EU», «COVID-19») or has one inside («iPhone»).
        opens: it is the first word of a sentence, bullet, table cell or quotation, or stands in a heading.
        possessive: «'s» follows.
    """

    start: int
    end: int
    text: str
    folded: str
    capital: bool
    acronym: bool
    opens: bool
    possessive: bool

    @property
    def is_title(self) -> bool:
        """Whether it is a person's title («Dr», «Frau»)."""
        return self.folded.replace(".", "") in TITLES


def tokens_of(text: str, language: Language) -> list[Token]:
    """Return the words of the text in order."""
    starts = {match.end() for match in _START.finditer(text)}
    headed = bytearray(len(text))
    for match in _HEADING.finditer(text):
        headed[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
    tokens: list[Token] = []
    for start, end, word in _words(text, language):
        previous = tokens[-1] if tokens else None
        opens = start in starts and (
            previous is None or fold(word) in OPENERS or not _abbreviates(text, previous, start)
        )
        plain = _POSSESSIVE.sub("", word)
        acronym = is_acronym(plain)
        tokens.append(
            Token(
                start,
                start + len(plain),
                plain,
                fold(plain).strip("."),
                capital=plain[0].isupper() or acronym,
                acronym=acronym,
                opens=opens or bool(headed[start]),
                possessive=plain != word or text[end : end + 1] in ("'", "’"),
            )
        )
    return tokens


def is_roman(word: str) -> bool:
    """Return whether a word may be a Roman number («IV»), which alone names nothing."""
    return _ROMAN.fullmatch(word) is not None


@lru_cache(maxsize=16384)
def is_acronym(word: str) -> bool:
    """Return whether the shape of a word makes it a name: «EU», «U.S.», «COVID-19», «iPhone», «McDonald», not «NOT»."""
    if word.islower():
        return False
    if word in UNITS or word.rstrip(".") in UNITS or is_roman(word):
        return False
    letters = [sign for sign in word if sign.isalpha()]
    upper = sum(sign.isupper() for sign in letters)
    if upper < 2 or len(letters) < 2:
        return upper == 1 and not word[0].isupper() and word[0].isalpha() and len(word) > 2 and "." not in word
    if upper == len(letters) or any(sign.isdigit() for sign in word):
        shouted = len(letters) > 3 or word not in ("US", "IT", "WHO", "UN", "AS")
        return not (shouted and fold(word) in OPENERS)
    return _INNER_CAPITAL.search(word) is not None


def fact_of(text: str, tokens: list[Token]) -> Fact | None:
    """Return the name that a run of words makes, None where no word is left of it."""
    words = tuple(part for token in tokens for part in name_words(token.text))
    if not words:
        return None
    start, end = tokens[0].start, tokens[-1].end
    return Fact("name", start, end, text[start:end], Name(words))


def _words(text: str, language: Language) -> Iterator[tuple[int, int, str]]:
    for match in _WORD.finditer(text):
        start, end = match.span()
        elision = _ELISION.match(text, start, end) if language == "fr" else None
        if elision is not None:
            yield start, elision.end(), text[start : elision.end()]
            start = elision.end()
        yield start, end, text[start:end]


def _abbreviates(text: str, previous: Token, start: int) -> bool:
    """Whether the dot before `start` ends an abbreviation or initial and no sentence."""
    gap = text[previous.end : start]
    if gap.strip() not in ("", "."):
        return False
    initial = previous.text.endswith(".") or (len(previous.text) == 1 and previous.text.isupper())
    return initial or previous.folded in ABBREVIATIONS or (previous.is_title and previous.capital)
