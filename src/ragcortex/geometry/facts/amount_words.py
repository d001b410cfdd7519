"""Numbers in English, German, French and Spanish words: text2num reads them, this finds where they may stand."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

import regex

from ragcortex.geometry.facts.amount_digits import EXACT, fraction
from ragcortex.geometry.facts.amount_numeral import Numeral
from ragcortex.geometry.facts.amount_vocabulary import Vocabulary
from ragcortex.geometry.facts.amount_words_germanic import ENGLISH, GERMAN
from ragcortex.geometry.facts.amount_words_romance import FRENCH, SPANISH
from ragcortex.geometry.facts.fact import Language

_BUILDERS: Final[dict[str, Callable[[], Vocabulary]]] = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}
# Spellings that text2num does not know, or knows as something else.
_SPELLINGS: Final = {
    **dict.fromkeys(("eine", "einen", "einem", "einer", "eines"), "ein"),
    "dreissig": "dreißig",
    "veintiún": "veintiuno",
    "tercer": "tercero",
    "fourty": "forty",
}
_MAGNITUDES: Final = frozenset({"hundred", "thousand", "cent", "cents", "mille", "mil"})
_JOINTS: Final = (" and ", " et ", " y ")
_BETWEEN_WORDS: Final = regex.compile(r"[\s-]+")
_WORD: Final = regex.compile(r"[^\s-]+(?:-[^\s-]+)*|-")


@dataclass(frozen=True, slots=True)
class _Token:
    """One word, as text2num wants it."""

    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, _: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def word_numerals(text: str, language: Language) -> Iterator[Numeral]:
    """Yield the numbers written with words, by position; nothing for Chinese and Japanese."""
    if language not in _BUILDERS:
        return
    vocabulary = _vocabulary(language)
    position = 0
    while match := vocabulary.start.search(text, position):
        found = _fixed(text, match.start(), vocabulary) or tuple(_read(text, match.start(), vocabulary, language))
        yield from found
        position = max(match.end(), found[-1].end if found else 0)


@cache
def _vocabulary(language: Language) -> Vocabulary:
    """Compile the patterns of a language, when it is first needed."""
    return _BUILDERS[language]()


def _fixed(text: str, start: int, vocabulary: Vocabulary) -> tuple[Numeral, ...]:
    """Return the fraction, half, dozen or other set phrase that starts here, if any."""
    phrase = vocabulary.fraction.match(text, start)
    if phrase:
        above = vocabulary.numerators[phrase["above"].casefold()]
        below = vocabulary.denominator(phrase["below"])
        return (Numeral(start, phrase.end("below"), fraction(above, below), form="words"),)
    for pattern, value in vocabulary.phrases:
        if fixed := pattern.match(text, start):
            # A half is one only of something («half an hour»); what it halves is not part of it.
            end = fixed.end("number") if "number" in pattern.groupindex else fixed.end()
            groups = pattern.groupindex
            return (Numeral(start, end, value, ordinal="rank" in groups, form="words", needs_unit="unit" in groups),)
    return ()


def _read(text: str, start: int, vocabulary: Vocabulary, language: Language) -> Iterator[Numeral]:
    run = vocabulary.run.match(text, start)
    if run is None:
        return
    for first, last, value, ordinal in _parsed(run[0].casefold(), language):
        begin, end = start + first, start + last
        piece = text[begin:end]
        if ordinal and (vocabulary.no_ordinal.match(piece) or _is_no_ordinal(text, begin, end, vocabulary)):
            continue
        if not ordinal and vocabulary.no_number.match(text, begin):
            continue
        if not ordinal and vocabulary.magnitude_alone.fullmatch(piece):
            article = vocabulary.article.search(text, max(0, begin - 8), begin)
            if article is None:
                continue
            begin = article.start()
        yield Numeral(
            begin, end, value, ordinal=ordinal, form="words", needs_unit=vocabulary.one.fullmatch(piece) is not None,
            scale=_scale(piece, value, vocabulary),
        )  # fmt: skip


def _is_no_ordinal(text: str, start: int, end: int, vocabulary: Vocabulary) -> bool:
    return (
        vocabulary.before_no_ordinal.search(text, max(0, start - 16), start) is not None
        or vocabulary.after_no_ordinal.match(text, end) is not None
    )


def _scale(piece: str, value: Decimal, vocabulary: Vocabulary) -> Decimal:
    """Return the magnitude of the last word («thousand»), so that «five to ten thousand» begins at 5,000."""
    last = _BETWEEN_WORDS.split(piece)[-1].casefold()
    scale = vocabulary.word_magnitudes.get(last, Decimal(1))
    return scale if EXACT.remainder(value, scale) == 0 else Decimal(1)


@lru_cache(maxsize=4096)
def _parsed(run: str, language: Language) -> tuple[tuple[int, int, Decimal, bool], ...]:
    """Return start, end, value and whether it ranks, of each number in a run of number words."""
    from text_to_num import find_numbers  # type: ignore[import-untyped]

    words = list(_WORD.finditer(run))
    tokens = [_Token(_SPELLINGS.get(word[0], word[0])) for word in words]
    found: list[tuple[int, int, Decimal, bool]] = []
    for number in find_numbers(tokens, language, threshold=0.0):
        start, end = words[number.start].start(), words[number.end - 1].end()
        if found and run[start:end] in _MAGNITUDES and run[found[-1][1] : start].isspace():
            # «one hundred and two | hundred»: the «and» stood between two numbers.
            joint = max((run.rfind(word, 0, start) for word in _JOINTS), default=-1)
            if joint > found[-1][0]:
                cut = joint + run[joint + 1 :].index(" ") + 2
                return _parsed(run[:joint], language) + tuple(
                    (first + cut, last + cut, value, ordinal)
                    for first, last, value, ordinal in _parsed(run[cut:], language)
                )
        digits = regex.sub(r"[^0-9.,].*$", "", number.text).rstrip(".,")
        found.append((start, end, Decimal(digits.replace(",", ".")), bool(number.is_ordinal)))
    return tuple(found)
