"""What place a name names: territories, languages and cities of CLDR in six languages, and our short lists.

CLDR has names of territories and languages; of cities only those that stand for a time zone, about four hundred.
"""

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_words import EUROPEAN, word_set
from ragcortex.geometry.facts.fact import LANGUAGES, Language
from ragcortex.geometry.facts.name_demonyms import (
    CITIES,
    COUNTRY_ALIASES,
    DEMONYMS,
    ENDINGS,
    GERMAN_ADJECTIVE_ENDINGS,
    GERMAN_NOUN_ENDINGS,
    LANGUAGE_OF_COUNTRY,
)

_MARKS: Final = regex.compile(r"\p{M}+")
_BETWEEN_WORDS: Final = regex.compile(r"[\s\-‐‑–・·]+")
_POSSESSIVE: Final = regex.compile(r"['’]s?$")
_ASIDE: Final = regex.compile(r"\s*[（(].*?[)）]")
# Of CLDR's regions: continents, beside the countries and the two unions of COUNTRY_ALIASES.
_CONTINENTS: Final = frozenset({"150", "142", "002", "019", "009", "003", "005"})
_NO_PLACE: Final = frozenset({"ZZ", "XA", "XB", "EZ", "QO"})
# Time zones whose city is a common word or no city.
_NO_CITY: Final = word_set(
    """
    Center Troll Wake Easter Midway Enderbury Chatham Reunion Christmas Cocos Eastern Central Palmer Davis Casey
    Mawson Rothera Unknown GMT UTC Knox Marengo Petersburg Vevay Vincennes Winamac Beulah New_Salem Nome Eucla
    Currie
    """
)

_CLEAR_SHORT: Final = word_set(
    """
    asia cuba fiji iraq iran laos mali oman peru kuba irak lima baku gaza oslo prag riga rome roma wien kyiv kiev
    kiew köln koln bonn lyon genf bern kobe togo asie seul
    """
)
# Places and peoples whose name is also a word of a language we read.
_ALSO_WORDS: Final = word_set(
    """
    polish turkey china nice reading buffalo phoenix mobile orange victoria florence valence jersey guinea panama
    japan indiana inder colonia granada santiago
    """
) - {"china", "japan", "panama", "victoria", "florence", "santiago"}


@lru_cache(maxsize=16384)
def fold(text: str) -> str:
    """Return the text in lower case, without diacritics, full-width letters as usual ones; Japanese voicing is kept.

    >>> fold("Genève"), fold("STRASSE") == fold("Straße")
    ('geneve', True)
    """
    plain = unicodedata.normalize("NFKC", text)
    if plain.isascii():
        return plain.casefold()
    parts = (sign if "\u3040" <= sign <= "\u30ff" else _without_marks(sign) for sign in plain)
    return unicodedata.normalize("NFC", "".join(parts)).casefold()


def places_of(words: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of the places that folded words may name («territory:FR»), none where they are not known.

    Adjectives, inhabitants and languages have the key of their country: «French» that of «France».
    """
    return _places().get(" ".join(words), frozenset())


@lru_cache(maxsize=16384)
def is_place(word: str) -> bool:
    """Return whether a word as written is the name of a place or its people, clear enough without other evidence.

    Four letters or fewer («UN», «EU», «Rom») must be in capitals or be longer words in no language we read.
    """
    if not places_of(name_words(word)):
        return False
    plain = word.replace(".", "")
    return (
        plain.isupper() or plain.casefold() in _CLEAR_SHORT or (len(plain) > 4 and plain.casefold() not in _ALSO_WORDS)
    )


@cache
def adjectives(language: Language) -> frozenset[str]:
    """Return the folded adjectives of countries that the language writes in lower case; none for English."""
    if language == "en":
        return frozenset()
    return frozenset(
        fold(word) for _, of, word in _demonyms() if of == language and word[0].islower() and len(word) >= 5
    )


@cache
def cjk_places() -> tuple[str, ...]:
    """Return the Chinese and Japanese names of places, of two characters or more, longest first."""
    cjk = regex.compile(r"[\p{Han}\p{Katakana}\p{Hiragana}ー・·]{2,}")
    return tuple(sorted((name for name in _places() if cjk.fullmatch(name)), key=lambda name: (-len(name), name)))


def _without_marks(sign: str) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFD", sign))


@cache
def _places() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, name in (*_territories(), *_languages(), *_zone_cities(), *_listed()):
        words = name_words(name)
        if words:
            found.setdefault(" ".join(words), set()).add(key)
    return {name: frozenset(keys) for name, keys in found.items()}


@lru_cache(maxsize=16384)
def name_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a name: split at spaces, hyphens and middle dots, without dots and possessive 's.

    >>> name_words("Jean-Paul Sartre's"), name_words("U.S.")
    (('jean', 'paul', 'sartre'), ('us',))
    """
    words = []
    for word in _BETWEEN_WORDS.split(fold(text)):
        plain = _POSSESSIVE.sub("", word).strip("'’\".,;:!?()[]").replace(".", "")
        if plain:
            words.append(plain)
    return tuple(words)


def _territories() -> Iterator[tuple[str, str]]:
    from babel import Locale

    for language in LANGUAGES:
        for code, name in Locale.parse(language).territories.items():
            country = len(code) == 2 and code not in _NO_PLACE
            if country or code in _CONTINENTS:
                yield f"territory:{code}", _ASIDE.sub("", name)


def _languages() -> Iterator[tuple[str, str]]:
    from babel import Locale

    for language in LANGUAGES:
        names = Locale.parse(language).languages
        for code, territory in LANGUAGE_OF_COUNTRY.items():
            if code in names:
                yield f"territory:{territory}", names[code]


def _zone_cities() -> Iterator[tuple[str, str]]:
    from babel import Locale

    zones = {language: Locale.parse(language).time_zones for language in LANGUAGES}
    for zone in sorted(set().union(*zones.values())):
        area, _, last = zone.partition("/")
        if area in ("Etc", "Antarctica") or last.split("/")[-1] in _NO_CITY or "/North_Dakota/" in zone:
            continue
        names = {known[zone].get("city") for known in zones.values() if zone in known}
        for name in sorted(filter(None, names | {last.split("/")[-1].replace("_", " ")})):
            yield f"city:{zone}", _ASIDE.sub("", name)


def _listed() -> Iterator[tuple[str, str]]:
    for code, names in COUNTRY_ALIASES.items():
        yield from ((f"territory:{code}", name) for name in names.split(","))
    for code, _, word in _demonyms():
        yield f"territory:{code}", word
    for names in CITIES:
        yield from ((f"city:{names.split(',')[0]}", name) for name in names.split(","))


def _demonyms() -> Iterator[tuple[str, Language, str]]:
    """Each adjective and inhabitant with its territory and language."""
    for code, stems_of_languages in DEMONYMS.items():
        for language, stems, endings in zip(EUROPEAN, stems_of_languages.split("|"), ENDINGS, strict=True):
            for stem in stems.split(","):
                for ending in _german_endings(stem) if language == "de" else endings:
                    # A short stem alone is no word («chin», «rus»); English forms are written out.
                    if ending or len(stem) > 4 or language == "en":
                        yield code, language, stem + ending


def _german_endings(stem: str) -> tuple[str, ...]:
    if stem[0].isupper():
        return GERMAN_NOUN_ENDINGS
    return GERMAN_ADJECTIVE_ENDINGS if stem in ("deutsch", "schweizer") else ENDINGS[1]
