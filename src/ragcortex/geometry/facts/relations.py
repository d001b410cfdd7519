"""Who does what to whom in a sentence, and what is more than what."""

from functools import lru_cache

from ragcortex.geometry.facts.extract import FactSheet
from ragcortex.geometry.facts.finding import PlacedSheet
from ragcortex.geometry.facts.relation_cjk import related_east_asian
from ragcortex.geometry.facts.relation_german import related_german
from ragcortex.geometry.facts.relation_grammar_words import COMPARATIVES, GRAMMARS
from ragcortex.geometry.facts.relation_parts import Phrase, Relation, tokens_of
from ragcortex.geometry.facts.relation_phrases import compared, related
from ragcortex.geometry.facts.relation_verbs import beginning, may_relate, verbs
from ragcortex.geometry.language import language_of

_ELIDING = ("fr", "it", "pt")


@lru_cache(maxsize=65536)
def relations_of(sheet: FactSheet) -> tuple[Relation, ...]:
    """Return the relations of a sentence, by the verbs of the table and then its comparisons.

    >>> from ragcortex.geometry.facts.extract import fact_sheet
    >>> [(one.sense, sorted(one.agent.stems)) for one in relations_of(fact_sheet("Corvand was bought by Merriton."))]
    [('acquire', ['merriton'])]
    """
    if sheet.language in ("zh", "ja"):
        return tuple(related_east_asian(sheet))
    language = _grammar_of(sheet)
    words = GRAMMARS[language]
    lowered = sheet.text.casefold()
    compares = any(f" {than}" in lowered for than in words.than) and (
        words.compares_by_ending or any(word in lowered for word in words.more | words.less | COMPARATIVES)
    )
    if language == sheet.language and not compares and not may_relate(PlacedSheet(sheet, 0).stems, sheet.language):
        return ()
    tokens = tokens_of(sheet, words, elides=language in _ELIDING)
    opener = _opener(sheet)
    found = []
    for place, entry in verbs(tokens, language):
        if language == "de":
            found.append(related_german(tokens, place, entry, words))
        else:
            found.append(related(tokens, place, entry, words, opener))
    if compares:
        found.extend(compared(tokens, words))
    return tuple(one for one in found if one is not None)


def _grammar_of(sheet: FactSheet) -> str:
    """Return the language whose grammar reads the sentence: its own, or Italian or Portuguese, which share no rules."""
    if sheet.language == "en":
        for language in ("it", "pt"):
            if beginning(language).search(sheet.text) and language_of(sheet.text) == language:
                return language
    return sheet.language


def _opener(sheet: FactSheet) -> Phrase | None:
    """Return the subject of the sentence as a phrase."""
    stems = PlacedSheet(sheet, 0).subject
    terms = [term for term in sheet.terms if term.stem in stems]
    return Phrase(terms[0].start, terms[0].end, stems) if terms else None
