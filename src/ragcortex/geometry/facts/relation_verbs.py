"""The verbs of a sentence that say who does what to whom."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, cast

import regex

from ragcortex.geometry.facts.fact import Language
from ragcortex.geometry.facts.relation_grammar_words import COMPARATIVES, GRAMMARS
from ragcortex.geometry.facts.relation_parts import Entry, Token
from ragcortex.geometry.facts.relation_words import SENSES
from ragcortex.geometry.facts.terms import stem

# Italian and Portuguese have no stemmer here: their verbs are beginnings of words.
_BY_BEGINNING: Final = ("it", "pt")
_NEGATED_WITHIN: Final = 4
_GERMAN_VERB: Final = ("en", "ern")


def verbs(tokens: Sequence[Token], language: str) -> Iterator[tuple[int, Entry]]:
    """Yield the place of each verb of the table that no negation stands before, with each of its entries."""
    table, negations = _table(language), GRAMMARS[language].negations
    for index, token in enumerate(tokens):
        if not token.stems:
            continue
        keys = _beginnings(language).findall(token.word) if language in _BY_BEGINNING else token.stems[-1:]
        for entry in table.get(keys[0], ()) if keys else ():
            if not any(before.word in negations for before in tokens[max(0, index - _NEGATED_WITHIN) : index + 2]):
                yield index, entry


def may_relate(stems: frozenset[str], language: Language) -> bool:
    """Return whether a text of these stems can have a verb of the table at all."""
    return not _table(language).keys().isdisjoint(stems)


@cache
def beginning(language: str) -> "regex.Pattern[str]":
    """Return the pattern of what begins an Italian or Portuguese verb or comparison, anywhere in a text."""
    words = GRAMMARS[language]
    listed = "|".join(sorted(map(regex.escape, _table(language)), key=lambda key: (-len(key), key)))
    compared = "|".join(sorted(words.more | words.less | COMPARATIVES))
    return regex.compile(rf"\b(?:{listed}|(?:{compared})\b)", flags=regex.IGNORECASE)


@cache
def _beginnings(language: str) -> "regex.Pattern[str]":
    listed = "|".join(sorted(map(regex.escape, _table(language)), key=lambda key: (-len(key), key)))
    return regex.compile(rf"\A(?:{listed})")


@cache
def _table(language: str) -> Mapping[str, tuple[Entry, ...]]:
    """Return the entries of each verb by its stem, in Italian and Portuguese by its beginning."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for line in SENSES[language].strip().splitlines():
        sense, _, listed = line.partition(": ")
        for word in listed.split():
            plain, _, preposition = word.removeprefix("-").partition(">")
            verb, _, particle = plain.partition("+")
            is_noun = language == "de" and bool(preposition) and not verb.endswith(_GERMAN_VERB)
            entry = Entry(sense, particle, _forms(preposition, language), word.startswith("-"), is_noun)
            key = verb if language in _BY_BEGINNING else stem(verb, cast(Language, language))
            found[key].append(entry)
    return {key: tuple(entries) for key, entries in found.items()}


def _forms(preposition: str, language: str) -> frozenset[str]:
    """Return a preposition with its contractions («de», «du», «des»)."""
    if not preposition:
        return frozenset()
    words = GRAMMARS[language]
    for forms in (words.within, words.direct, frozenset(("von", "vom"))):
        if preposition in forms:
            return forms
    return frozenset((preposition,))
