"""The sentences of the references seen together: all their facts, and how near two facts' places are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, cast

import regex

from ragcortex.geometry.facts.fact import Amount, CalendarDate, Fact
from ragcortex.geometry.facts.finding import PlacedSheet

AMOUNT_KINDS: Final = ("number", "quantity", "money", "percentage", "duration", "ordinal")
ABOUT_THE_SAME: Final = 0.5
_CLAUSE_END: Final = regex.compile(r"[,;:](?=\s)|[，、；：]|\s[–—-]\s")


@dataclass(frozen=True, slots=True)
class Rival:
    """A fact of a reference that stands where the claimed one should: its sentence, and how alike the two places are.

    Attributes:
        place, fact: the sentence and its fact.
        shared_near: how many of the words around the two facts are the same.
        overlap: share of the claim's content words that the sentence has, in [0, 1].
        adjacent: whether the word right before, or right after, is the same.
    """

    place: PlacedSheet
    fact: Fact
    shared_near: int
    overlap: float
    adjacent: bool = False

    @property
    def is_about_the_same(self) -> bool:
        """Whether the two places talk about one thing, so that different facts contradict each other.

        They do if most content words of the claim are in the sentence, if two of the words around the facts agree, or
        if one right before or after them does («330 metres tall», «completed in 1889»).
        """
        return self.overlap >= ABOUT_THE_SAME or self.shared_near >= 2 or self.adjacent

    @property
    def is_surely_about_the_same(self) -> bool:
        """Whether they do so beyond doubt: words around the facts agree, and more than those."""
        more = self.overlap >= ABOUT_THE_SAME
        return (self.adjacent and (more or self.shared_near >= 2)) or (more and self.shared_near >= 2)


@dataclass(frozen=True)
class Context:
    """Sentences of the references.

    Attributes:
        places: the sentences, in any order.
    """

    places: tuple[PlacedSheet, ...]

    @cached_property
    def amounts(self) -> list[tuple[PlacedSheet, Fact]]:
        """All amounts with their sentences."""
        return [(place, fact) for place in self.places for fact in place.facts(AMOUNT_KINDS)]

    @cached_property
    def years(self) -> frozenset[int]:
        """All years that dates give, the ends of stretches among them."""
        return frozenset(years_of(self.places))

    @cached_property
    def _stems(self) -> dict[int, frozenset[str]]:
        """The content words of each sentence with those of the subject that its pronoun stands for."""
        found: dict[int, frozenset[str]] = {}
        before: PlacedSheet | None = None
        subject: frozenset[str] = frozenset()
        for place in sorted(self.places, key=lambda one: (one.reference or 0, one.start)):
            if before is None or before.reference != place.reference or not place.goes_on:
                subject = place.subject
                found[id(place)] = place.stems
            else:
                found[id(place)] = place.stems | subject
            before = place
        return found

    def stems(self, place: PlacedSheet) -> frozenset[str]:
        """Return the content words of one of the sentences, with those of the subject that its pronoun stands for."""
        return self._stems[id(place)]

    def overlap(self, stems: frozenset[str], place: PlacedSheet) -> float:
        """Return the share of some content words that a sentence has; 0 where there are none."""
        return len(stems & self.stems(place)) / len(stems) if stems else 0.0

    def facts(self, *kinds: str) -> list[tuple[PlacedSheet, Fact]]:
        """Return the facts of these kinds with their sentences."""
        return [(place, fact) for place in self.places for fact in place.facts(kinds)]

    def rivals(
        self, claim: PlacedSheet, fact: Fact, kinds: Sequence[str], places: Sequence[PlacedSheet] | None = None
    ) -> list[Rival]:
        """Return the facts of these kinds in some (else all) of the sentences, that in the most similar place first."""
        here = claim.around(fact)
        found = []
        for place in self.places if places is None else places:
            others = place.facts(kinds)
            if not others:
                continue
            overlap = self.overlap(claim.stems, place)
            for other in others:
                there = place.around(other)
                shared = len(here.near & there.near)
                adjacent = _alike(here.before, there.before) or _alike(here.after, there.after)
                found.append(Rival(place, other, shared, overlap, adjacent))
        return sorted(found, key=lambda one: -(one.overlap + 0.25 * (one.shared_near + one.adjacent)))


def years_of(places: Iterable[PlacedSheet]) -> list[int]:
    """Return the years that the dates of sentences give."""
    dates = [cast(CalendarDate, fact.value) for place in places for fact in place.facts(("date",))]
    return sorted({year for date in dates for year in (date.year, date.last_year) if year is not None})


def amount_of(fact: Fact) -> Amount:
    """Return the value of a fact that is an amount."""
    return cast(Amount, fact.value)


def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Return the ranges of a sentence between its commas and other inner stops."""
    edges = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    return tuple((start, end) for start, end in pairwise(edges) if text[start:end].strip())


def _alike(first: str | None, second: str | None) -> bool:
    return first is not None and first == second
