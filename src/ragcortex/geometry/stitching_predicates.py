"""A second predicate that the references say of another subject: «The lake lies in Corr and was dammed in 1911»."""

from collections.abc import Sequence
from typing import Final

import regex

from ragcortex.geometry.facts.finding import TELLS_NOTHING, Finding, PlacedSheet
from ragcortex.geometry.facts.relation_grammar_words import GRAMMARS

_LEAST_TERMS: Final = 3
# Of what is said first, the sentences about the subject must have this share; of what is said then at most that.
_FIRST: Final = 0.6
_SAID: Final = 0.5
_AND: Final = regex.compile(r"\s(?:and|und|et|y|e)\s+(?=\p{Ll})")
_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")


def second_predicate_finding(claim: PlacedSheet, evidence: Sequence[PlacedSheet]) -> Finding | None:
    """Return a finding on the last predicate of a statement where a reference says it of another subject.

    The statement's subject is that of a sentence of one reference; another reference, which does not know it, has the
    predicate whole, said of a subject of its own. The finding is contradicted where the subject's reference has the
    predicate's first word otherwise («The band produced it themselves»), and its evidence is then that sentence.
    """
    grammar = GRAMMARS.get(claim.sheet.language)
    cuts = [match.end() for match in _AND.finditer(claim.sheet.text)]
    if grammar is None or not cuts:
        return None
    subject = claim.subject - TELLS_NOTHING
    own = frozenset(place.reference for place in evidence if subject and subject <= place.stems)
    for start in cuts:
        terms = [term for term in claim.sheet.terms if term.start >= start]
        said = frozenset(term.stem for term in terms)
        first = _WORD.match(claim.sheet.text, start)
        if len(said) < _LEAST_TERMS or said & subject or first is None:
            continue
        if first.group().casefold() in grammar.determiners | grammar.prepositions | grammar.pronouns:
            continue
        other = _said_of_another(claim, said, terms[0].stem, [one for one in evidence if one.reference not in own])
        home = [place for place in evidence if place.reference in own]
        if other is None or not home or not _is_at_home(claim, subject, said, start, home):
            continue
        span = (start, terms[-1].end)
        rival = next((one for one in home if terms[0].stem in one.stems), None)
        if rival is None:
            return claim.found("stitched", span, other)
        return claim.found("stitched", span, rival, relation="contradicted")
    return None


def _is_at_home(
    claim: PlacedSheet, subject: frozenset[str], said: frozenset[str], start: int, home: Sequence[PlacedSheet]
) -> bool:
    """Return whether the subject's references have what is said first, open a sentence with it, and lack the rest."""
    stated = frozenset(stem for place in home for stem in place.stems)
    before = claim.stems_within(0, start) - subject - said
    opens = any(place.subject & subject for place in home)
    return opens and len(before & stated) >= _FIRST * len(before) and len(said & stated) <= _SAID * len(said)


def _said_of_another(
    claim: PlacedSheet, said: frozenset[str], verb: str, elsewhere: Sequence[PlacedSheet]
) -> PlacedSheet | None:
    """Return the sentence that has the predicate whole, behind a subject that the claim does not name."""
    before: PlacedSheet | None = None
    opens = False
    for place in sorted(elsewhere, key=lambda one: (one.reference or 0, one.start)):
        if before is None or before.reference != place.reference or not place.goes_on:
            opens = before is None or before.reference != place.reference
            before = place
        owner = _owner(before, opens=opens)
        if said <= place.stems and len(owner) > 1 and not owner & claim.stems and _is_verb_there(place, verb):
            return place
    return None


def _owner(place: PlacedSheet, *, opens: bool) -> frozenset[str]:
    """Return the subject of a sentence that opens its reference or begins with a name; of «most of them» nothing."""
    subject = place.subject - TELLS_NOTHING
    terms = [term for term in place.sheet.terms if term.stem in subject]
    end = terms[-1].end if terms else 0
    some = any(fact.start < end for fact in place.facts(("quantifier",)))
    named = any(fact.start < end for fact in place.facts(("name",)))
    return subject if (opens or named) and not some else frozenset()


def _is_verb_there(place: PlacedSheet, verb: str) -> bool:
    """Return whether a word stands where a predicate begins: behind the subject, a pronoun, an auxiliary or «and»."""
    grammar = GRAMMARS[place.sheet.language]
    term = next(term for term in place.sheet.terms if term.stem == verb)
    words = [match.group().casefold() for match in _WORD.finditer(place.sheet.text, 0, term.start)]
    while words and words[-1] in grammar.skipped:
        words.pop()
        if not words:
            return False
    last = words[-1] if words else ""
    names = [one for one in place.sheet.terms if one.end <= term.start]
    follows = bool(names) and frozenset(one.stem for one in names) <= place.subject and last not in grammar.determiners
    return last in grammar.conjunctions | grammar.pronouns or follows
