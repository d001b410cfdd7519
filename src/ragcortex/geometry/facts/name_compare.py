"""Whether two names name the same: word for word, a part of each other, initials, or one place in two languages."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import regex

from ragcortex.geometry.facts.fact import Name
from ragcortex.geometry.facts.name_places import places_of
from ragcortex.geometry.facts.name_words import CONNECTORS, SECOND_CONNECTORS

_SMALL: Final[frozenset[str]] = CONNECTORS | SECOND_CONNECTORS | {
    "and", "und", "y", "et", "for", "fur", "pour", "para", "&", "i", "e",
}  # fmt: skip
_CJK: Final = regex.compile(r"[\p{Han}\p{Katakana}\p{Hiragana}ー]+")
# After a Chinese or Japanese place name: city, province, county, country, people, language.
_CJK_ENDING: Final = regex.compile(r"(?<=..)(?:市|省|県|县|都|府|州|国|國|人|语|語|さん|氏|社|株式会社|公司)$")


@lru_cache(maxsize=16384)
def same_name(a: Name, b: Name) -> bool:
    """Return whether two names may name the same person, place or thing. Symmetric.

    They do if their words are equal; if they name one place («Deutschland», «German», «德国»); if the words of one are
    among those of the other in order («Smith», «J. Smith», «John Smith»); or if one is the initials of the other
    («EU»). Names of two places that are known to differ are never the same («Guinea», «Papua New Guinea»).

    >>> same_name(Name(("eu",)), Name(("european", "union"))), same_name(Name(("paris",)), Name(("lyon",)))
    (True, False)
    """
    if a.words == b.words:
        return True
    here, there = _places(a.words), _places(b.words)
    if here and there:
        return bool(here & there)
    short, long = sorted((a.words, b.words), key=len)
    if _within(short, long) or _are_initials(short, long):
        return True
    return _cjk_within(a.words, b.words)


def _places(words: tuple[str, ...]) -> frozenset[str]:
    found = places_of(words)
    if found or len(words) != 1 or not _CJK.fullmatch(words[0]):
        return found
    return places_of((_CJK_ENDING.sub("", words[0]),))


def _within(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the words of `short` are words of `long` in order, at least one of them written out and telling."""
    position, telling = 0, False
    for word in short:
        while position < len(long) and not _same_word(word, long[position]):
            position += 1
        if position == len(long):
            return False
        written_out = min(len(word), len(long[position])) > 1 or word.isdecimal() or not word.isascii()
        telling = telling or (written_out and word not in _SMALL)
        position += 1
    return telling


def _same_word(a: str, b: str) -> bool:
    """Equal, an initial of the other, or with the s of a German genitive or a plural."""
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    if len(short) == 1 and short.isalpha() and short.isascii():
        return long.startswith(short)
    return len(short) >= 4 and long == short + "s"


def _are_initials(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether `short` is one word of the first letters of `long`, small words counted or left out."""
    if len(short) != 1 or len(long) < 2 or not short[0].isalpha():
        return False
    every = "".join(word[0] for word in long)
    telling = "".join(word[0] for word in long if word not in _SMALL)
    return len(short[0]) >= 2 and short[0] in (every, telling)


def _cjk_within(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether one Chinese or Japanese name is a part of the other: scripts without spaces have no words to match."""
    one, other = sorted(("".join(a), "".join(b)), key=len)
    if not _CJK.fullmatch(one) or not _CJK.fullmatch(other):
        return False
    core = _CJK_ENDING.sub("", one)
    return len(core) >= 2 and (other.startswith(core) or (len(core) >= 3 and core in other))
