"""Proper names of a text, with few false ones: a name that is none would become a false alarm.

English, French and Spanish names are capitalised words, without those that only begin a sentence; German ones need
better reason, since all its nouns are capitalised; Chinese and Japanese ones are known places, transliterations, Latin
words and words with the ending of a place or institution.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_words import word_set
from ragcortex.geometry.facts.fact import Fact, Language, Name
from ragcortex.geometry.facts.name_cjk import cjk_names
from ragcortex.geometry.facts.name_compare import same_name
from ragcortex.geometry.facts.name_german import german_names
from ragcortex.geometry.facts.name_places import adjectives, is_place
from ragcortex.geometry.facts.name_tokens import Token, fact_of, is_roman, tokens_of
from ragcortex.geometry.facts.name_words import (
    COMMON_CAPITALS,
    CONNECTORS,
    FIRST_NAMES,
    OPENERS,
    SECOND_CONNECTORS,
    UNITS,
    calendar_words,
)

__all__ = ["names", "same_name"]

_NUMBER: Final = regex.compile(
    r" (?!(?:1[0-9]|20)\d\d\b)(\d{1,4}[a-zA-Z]?)(?=$|[.,;:!?)]|\s+(?:is|was|are|were|has|had|will|can|and|or|from"
    r"|in|with|to|est|a|et|es|fue|y)\b|\s\p{Lu})(?![.,]\d)"
)
# What follows a name that begins a sentence: what only persons, firms and places do or are.
_AFTER_SUBJECT: Final = regex.compile(
    r",? (?:(?:was|were) (?:born|founded|elected|appointed|awarded|married|educated)|died|wrote|developed|founded"
    r"|invented|discovered|announced|launched|acquired|bought|sold|owns|owned|beat|defeated|merged|sued|hired|employs"
    r"|succeeded|invaded|won|became|studied|graduated|moved|joined|said|says|told|argued|proposed"
    r"|published|designed|built|composed|painted|directed|played|is (?:the|an?) (?:[\p{L}-]+ ){0,3}(?:city|town|village"
    r"|capital|country|state|company|firm|author|writer|physicist|scientist|river|island|singer|actor|actress|politician)"
    r"|est (?:née?|mort|la capitale|une ville|un pays)|a (?:fondé|inventé|écrit|découvert|conçu)|naquit|nació|murió"
    r"|fundó|inventó|escribió|descubrió|es (?:la capital|una ciudad|un país))\b"
)
_APOSTROPHE: Final = regex.compile("['’]")
_NEVER_WITH_NUMBER: Final = word_set("option section chapter figure step article table page part appendix volume no nr")


def names(text: str, language: Language, known: frozenset[str] = frozenset()) -> tuple[Fact, ...]:
    """Return the proper names of the text as facts of kind «name», in order and without overlap.

    Args:
        text: the text the names are looked for in.
        language: its language.
        known: words seen in lower case elsewhere (in the references, say), case-folded: their capitalised form is no
            name, as in «the Company».

    Titles, leading articles and possessive endings are no part of a name; months and weekdays are none.

    >>> [fact.value.words for fact in names("It was designed by Dr. Gustave Eiffel's firm.", "en")]
    [('gustave', 'eiffel')]
    """
    if language in ("zh", "ja"):
        return cjk_names(text, language)
    tokens = tokens_of(text, language)
    common = known | {token.folded for token in tokens if not token.capital}
    found = german_names(text, tokens, common) if language == "de" else _capitalised(text, tokens, language, common)
    found += _lower_adjectives(text, tokens, language, found)
    return tuple(sorted(found, key=lambda fact: fact.start))


def _capitalised(text: str, tokens: list[Token], language: Language, common: frozenset[str] | set[str]) -> list[Fact]:
    inside = {token.folded for token in tokens if token.capital and not token.opens}
    facts = []
    for run in _runs(text, tokens, language):
        name = _widened(text, tokens, _trimmed(run, common))
        if not name or not _is_name(text, name, common, inside):
            continue
        fact = fact_of(text, name)
        if fact is not None:
            facts.append(_with_number(text, name, fact))
    return facts


def _runs(text: str, tokens: list[Token], language: Language) -> Iterator[list[Token]]:
    """Capitalised words in a row, with connectors between them; months, weekdays and titles part the runs."""
    run: list[Token] = []
    pending: list[Token] = []
    for token in tokens:
        joins = run and _touches(text, (pending or run)[-1], token)
        if token.capital and _counts(token, language):
            if (run and not joins) or (run and token.opens and not token.acronym):
                yield run
                run = []
            run = [*run, *(pending if run else []), token]
            pending = []
        elif joins and _connects(token, run, pending):
            pending.append(token)
        else:
            if run:
                yield run
            run, pending = [], []
    if run:
        yield run


def _counts(token: Token, language: Language) -> bool:
    if token.folded in calendar_words(language) or token.is_title or token.text in UNITS:
        return False
    if _APOSTROPHE.search(token.text) and _APOSTROPHE.split(token.folded)[0] in OPENERS:
        return False  # «I'm», «Don't»
    return len(token.text.rstrip(".")) > 1 or token.text.endswith(".")


def _connects(token: Token, run: list[Token], pending: list[Token]) -> bool:
    """Whether a lower-case word may go on inside the name, as «of the» in «House of the People»."""
    word = token.folded.replace("’", "'")
    if pending:
        return len(pending) == 1 and word in SECOND_CONNECTORS
    is_person = run[0].folded in FIRST_NAMES or run[0].text.endswith(".")
    return word in CONNECTORS and not (word == "of" and is_person and len(run) > 1)


def _touches(text: str, before: Token, token: Token) -> bool:
    """Whether only a space (or an abbreviation's dot, or nothing) is between two words."""
    gap = text[before.end : token.start]
    return gap in (" ", "\u00a0", "") or (gap == ". " and len(before.text) <= 3) or (gap == " & ")


def _trimmed(run: list[Token], common: frozenset[str] | set[str]) -> list[Token]:
    """The run without words before it that only begin the sentence or are common capitalised words."""
    while (
        run
        and not run[0].acronym
        and (
            run[0].folded in OPENERS
            or not run[0].capital
            or (run[0].opens and len(run) > 1 and run[0].folded in common)
        )
    ):
        run = run[1:]
    return run


def _widened(text: str, tokens: list[Token], name: list[Token]) -> list[Token]:
    """The name with a lower-case word after it that makes it a place («Union européenne», «Nations unies»)."""
    if not name or name[-1].text.isupper():
        return name
    position = bisect_right(tokens, name[-1].start, key=lambda token: token.start)
    following = tokens[position : position + 1]
    if not following or following[0].capital or not _touches(text, name[-1], following[0]):
        return name
    wider = [*name, *following]
    return wider if is_place(" ".join(token.text for token in wider)) else name


def _is_name(text: str, name: list[Token], common: frozenset[str] | set[str], inside: set[str]) -> bool:
    words = [token for token in name if token.capital and not is_roman(token.text)]
    if all(len(token.text.rstrip(".")) < 2 for token in words):  # numbers and initials
        return False
    if any(token.acronym and len(token.text) < 4 for token in words):
        return any(token.folded not in COMMON_CAPITALS for token in words)
    place = is_place(" ".join(token.text for token in name))
    if place or any(is_place(token.text) for token in words):
        return True
    if all(token.folded in common or token.folded in COMMON_CAPITALS for token in words):
        return False
    if any(token.acronym for token in words) or not name[0].opens:
        return True
    return len(words) > 1 or _begins_as_subject(text, name[0], inside)


def _begins_as_subject(text: str, token: Token, inside: set[str]) -> bool:
    if token.folded in inside or token.folded in FIRST_NAMES or token.possessive:
        return True
    return _AFTER_SUBJECT.match(text, token.end) is not None


def _with_number(text: str, name: list[Token], fact: Fact) -> Fact:
    """Add the number of «Boeing 747» or «iPhone 15», but no year and nothing that is counted."""
    last = name[-1]
    alone = len(name) == 1 and last.opens and not last.acronym
    if alone or last.possessive or last.folded in _NEVER_WITH_NUMBER or is_place(last.text):
        return fact
    match = _NUMBER.match(text, fact.end)
    if match is None or not isinstance(fact.value, Name):
        return fact
    value = Name((*fact.value.words, match[1].casefold()))
    return Fact("name", fact.start, match.end(1), text[fact.start : match.end(1)], value)


def _lower_adjectives(text: str, tokens: list[Token], language: Language, found: list[Fact]) -> list[Fact]:
    """German «französisch», French «allemand», Spanish «chino», which stand for their country."""
    known = adjectives(language)
    taken = [(fact.start, fact.end) for fact in found]
    facts = []
    for token in tokens:
        if token.folded in known and not any(low < token.end and token.start < high for low, high in taken):
            fact = fact_of(text, [token])
            if fact is not None:
                facts.append(fact)
    return facts
