"""The content words of a text, in a form in which inflections of one word are equal."""

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import regex

from ragcortex.align import Range, claim_words
from ragcortex.checks import check_position, check_text
from ragcortex.errors import InputError
from ragcortex.geometry.facts.fact import Language
from ragcortex.geometry.facts.function_words import (
    CHINESE_FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    JAPANESE_FUNCTION_PAIRS,
)
from ragcortex.geometry.facts.spelling import american

if TYPE_CHECKING:
    from simplemma.strategies import DictionaryLookupStrategy
    from snowballstemmer.basestemmer import BaseStemmer

_SNOWBALL: Final = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
# What a word of `claim_words` is made of: letters (and digits behind a letter), or initials such as U.S.
_PART = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_](?!\w)|[^\W\d_][^\W_]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_EAST_ASIAN = regex.compile(
    r"(?P<han>[\p{Han}々]+)|(?P<katakana>[\p{Katakana}ー]+)|(?P<hiragana>\p{Hiragana}+)", flags=regex.V1
)
_LATIN_IN_EAST_ASIAN = re.compile(r"[A-Za-zÀ-ɏＡ-Ｚａ-ｚ][A-Za-zÀ-ɏＡ-Ｚａ-ｚ0-9]*")
_ACRONYM_LETTERS = 3
_COUNTERS: Final = frozenset("年月日号號時时分秒個个")
_NUMERALS: Final = frozenset("一二三四五六七八九十百千万萬億亿零〇両两兩")
# Accents that writers leave out; the tilde of ñ and the dots of ü make another letter.
_DROPPED_ACCENTS = re.compile("[\u0300\u0301\u0302\u0327]")
# A stemmer of snowballstemmer holds the word that it works on: two threads must not use it at once.
_STEMMING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Term:
    """A content word at `text[start:end]`; words with the same stem are forms of one word."""

    start: int
    end: int
    stem: str

    def __post_init__(self) -> None:
        check_position("start", self.start)
        check_position("end", self.end)
        if self.end <= self.start:
            raise InputError("end", f"must be greater than start={self.start}, got {self.end}")
        check_text("stem", self.stem, filled=True)


def terms(text: str, language: Language) -> tuple[Term, ...]:
    """Return the content words of `text` in order, without function words, numbers and citation markers.

    Words joined by a hyphen or apostrophe count one by one. Chinese and Japanese have no spaces: their terms are the
    pairs of neighbouring characters of each run of Han characters, katakana or hiragana (they overlap), a lone Han
    character, and Latin words. Left out are the hiragana right behind a Han character, which inflects it, and pairs of
    hiragana that inflect or link; numerals, counters behind a number and Chinese function characters part a run.

    >>> [term.stem for term in terms("The visitors were paying.", "en")]
    ['visitor', 'pay']
    """
    if language in ("zh", "ja"):
        return _pairs(text, language)
    function_words = FUNCTION_WORDS[language]
    shouted = text.isupper()
    found = []
    for start, end in claim_words(text):
        word = _POSSESSIVE.sub("", text[start:end])
        if word.lower().replace("’", "'") in function_words and (shouted or not _is_acronym(word)):
            continue
        for part in _PART.finditer(word):
            piece = part.group()
            if _is_acronym(piece) and not shouted:
                form = piece.replace(".", "").casefold()
            elif len(piece) > 1 and piece.lower() not in function_words:
                form = stem(piece, language)
            else:
                continue
            found.append(Term(start + part.start(), start + part.end(), form))
    return tuple(found)


def _is_acronym(word: str) -> bool:
    """Whether a word is like U.S., US or IT, which is no inflected word and not «us» or «it»."""
    return "." in word or (1 < len(word) <= _ACRONYM_LETTERS and word.isupper())


@lru_cache(maxsize=65536)
def stem(word: str, language: Language) -> str:
    """Return the form that `word` shares with its inflections: the stem of its dictionary form, case-folded.

    In Chinese and Japanese the word itself, in compatibility form. American and British spellings share a form.
    """
    plain = unicodedata.normalize("NFKC", word)
    if language in ("zh", "ja"):
        return plain.casefold()
    base = base_form(plain, language)
    with _STEMMING:
        stemmed = _stemmer(language).stemWord(base)
    return _without_accents(stemmed, language) or base


@lru_cache(maxsize=65536)
def base_form(word: str, language: Language) -> str:
    """Return the dictionary form of `word` («bought»: «buy»), case-folded; the word itself where it is not known."""
    plain = unicodedata.normalize("NFKC", word)
    base = _known_form(plain, language) or _known_form(plain.lower(), language) or plain
    if language == "en":
        return american(base.lower())
    # «geschlossene» is a form of «geschlossen», that one of «schließen». English has «founded», «found», «find».
    return (_known_form(base, language) or base).lower()


def _known_form(word: str, language: Language) -> str | None:
    return _dictionary().get_lemma(word, language)


def _without_accents(word: str, language: Language) -> str:
    if language == "de":
        return word
    return unicodedata.normalize("NFC", _DROPPED_ACCENTS.sub("", unicodedata.normalize("NFD", word)))


@lru_cache(maxsize=1)
def _dictionary() -> "DictionaryLookupStrategy":
    from simplemma.strategies import DictionaryLookupStrategy

    return DictionaryLookupStrategy()


@lru_cache(maxsize=len(_SNOWBALL))
def _stemmer(language: Language) -> "BaseStemmer":
    import snowballstemmer

    return snowballstemmer.stemmer(_SNOWBALL[language])


def _pairs(text: str, language: Language) -> tuple[Term, ...]:
    words = claim_words(text)
    kept = {position for start, end in words for position in range(start, end)}
    found = [
        Term(*match.span(), stem(match.group(), language))
        for match in _LATIN_IN_EAST_ASIAN.finditer(text)
        if match.start() in kept and len(match.group()) > 1
    ]
    for match in _EAST_ASIAN.finditer(text):
        for start, end in _runs(text, match.span(), language):
            if start in kept:
                inflects = match.lastgroup == "hiragana" and _is_han(text[max(start - 1, 0)])
                lone = match.lastgroup == "han"
                found += _pairs_of_run(text, start + inflects, end, language, lone=lone)
    return tuple(sorted(found, key=lambda term: (term.start, term.end)))


def _runs(text: str, run: Range, language: Language) -> list[Range]:
    """Return the pieces of a run between numerals and, in Chinese, between function characters."""
    parting = _NUMERALS | (CHINESE_FUNCTION_CHARACTERS if language == "zh" else frozenset())
    pieces: list[Range] = []
    start = run[0]
    for position in range(run[0], run[1] + 1):
        if position == run[1] or text[position] in parting or _counts(text, position):
            if start < position:
                pieces.append((start, position))
            start = position + 1
    return pieces


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def _counts(text: str, position: int) -> bool:
    """Whether the character belongs to the number before it («28日»)."""
    before = text[position - 1] if position else ""
    return text[position] in _COUNTERS and (before.isdigit() or before in _NUMERALS) and before != ""


def _pairs_of_run(text: str, start: int, end: int, language: Language, *, lone: bool) -> list[Term]:
    if end - start == 1:
        return [Term(start, end, stem(text[start:end], language))] if lone else []
    pairs = ((position, position + 2) for position in range(start, end - 1))
    return [
        Term(*pair, stem(text[slice(*pair)], language))
        for pair in pairs
        if text[slice(*pair)] not in JAPANESE_FUNCTION_PAIRS
    ]
