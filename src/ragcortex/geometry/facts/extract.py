"""All facts of a text at once, and a sheet of them for comparing sentence with sentence."""

from dataclasses import dataclass
from functools import lru_cache

from ragcortex.geometry.facts.amounts import amounts
from ragcortex.geometry.facts.calendar import calendar_facts
from ragcortex.geometry.facts.fact import Fact, FactKind, Language
from ragcortex.geometry.facts.markers import markers
from ragcortex.geometry.facts.names import names
from ragcortex.geometry.facts.terms import Term, terms
from ragcortex.geometry.language import covered, language_of


@dataclass(frozen=True, slots=True)
class FactSheet:
    """What a sentence says in exact terms.

    Attributes:
        text: the sentence.
        language: its language, or the one whose rules were used where that cannot be told.
        facts: its facts by position; kinds may overlap (a name within a condition).
        terms: its content words by position, stemmed.
    """

    text: str
    language: Language
    facts: tuple[Fact, ...]
    terms: tuple[Term, ...]

    def __hash__(self) -> int:
        """Return a hash of the text and language, from which all else follows; sheets are keys of several caches."""
        return hash((self.text, self.language))

    def of_kind(self, *kinds: FactKind) -> tuple[Fact, ...]:
        """Return the facts of these kinds, by position."""
        return tuple(fact for fact in self.facts if fact.kind in kinds)


def facts_of(text: str, language: Language | None = None) -> tuple[Fact, ...]:
    """Return the facts of a text by position.

    Args:
        text: any text; offsets count its characters.
        language: whose number, date and word forms to read; by default the text's own, English where it has none of
            the six that are covered.
    """
    return fact_sheet(text, language).facts


@lru_cache(maxsize=65536)
def fact_sheet(text: str, language: Language | None = None) -> FactSheet:
    """Return the sheet of a sentence; sheets of recent sentences are remembered, as references come again and again."""
    known = language or covered(language_of(text, "en")) or "en"
    dates = calendar_facts(text, known)
    figures = amounts(text, known, taken=[(fact.start, fact.end) for fact in dates])
    found = (*dates, *figures, *names(text, known), *markers(text, known))
    return FactSheet(
        text=text,
        language=known,
        facts=tuple(sorted(found, key=lambda fact: (fact.start, fact.end, fact.kind))),
        terms=terms(text, known),
    )
