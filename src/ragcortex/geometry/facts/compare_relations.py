"""Who does what to whom, and what is more than what, the other way round in a claim than in the references."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from ragcortex.geometry.facts.antonyms import opposed
from ragcortex.geometry.facts.calendar import contradicts
from ragcortex.geometry.facts.context import Context
from ragcortex.geometry.facts.fact import CalendarDate
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.facts.relation_parts import Phrase, Relation
from ragcortex.geometry.facts.relations import relations_of

# Of the words of a participant, or of those it is taken for, at least this share must be the same.
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Pair:
    """The content words of two participants, without those that both have («the mayor of X», «the mayor of Y»)."""

    agent: frozenset[str]
    patient: frozenset[str]


def exchanged(claim: PlacedSheet, context: Context) -> Iterator[Finding]:
    """Yield relations of a claim whose participants the references give the other way round, and nowhere as claimed."""
    for mine in relations_of(claim.sheet):
        here = _pair(mine.agent.stems, mine.patient.stems)
        if not here.agent or not here.patient:
            continue
        told = list(_told(mine, claim, context))
        if any(_agrees(here, there) for _, _, there in told):
            continue
        for place, other, there in told:
            if _is_exchanged(here, there, both_ways=mine.compares) and not _at_another_time(claim, place):
                yield claim.found("role", _span(mine), place, _span(other))
                break


def confirmed(claim: PlacedSheet, context: Context) -> tuple[int, ...]:
    """Return where the verbs of a claim begin whose participants a reference gives so: «sold to» of «bought from»."""
    found = []
    for mine in relations_of(claim.sheet):
        here = _pair(mine.agent.stems, mine.patient.stems)
        if any(_agrees(here, there) for _, _, there in _told(mine, claim, context)):
            found.append(claim.start + mine.verb)
    return tuple(found)


def _told(mine: Relation, claim: PlacedSheet, context: Context) -> Iterator[tuple[PlacedSheet, Relation, _Pair]]:
    """Yield what the references say in the sense of a claimed relation, with who they say it of."""
    for place in context.places:
        stems = context.stems(place)
        if mine.agent.stems.isdisjoint(stems) or mine.patient.stems.isdisjoint(stems):
            continue
        before = stems - place.stems
        for other in relations_of(place.sheet):
            agent, patient = other.agent.stems or before, other.patient.stems or before
            if other.compares != mine.compares:
                continue
            if other.sense == mine.sense:
                yield place, other, _pair(agent, patient)
            elif mine.compares and opposed(mine.sense, other.sense, claim.sheet.language):
                yield place, other, _pair(patient, agent)


def _pair(agent: frozenset[str], patient: frozenset[str]) -> _Pair:
    return _Pair(agent - patient, patient - agent)


def _agrees(here: _Pair, there: _Pair) -> bool:
    return bool(here.agent & there.agent and here.patient & there.patient)


def _is_exchanged(here: _Pair, there: _Pair, *, both_ways: bool) -> bool:
    """Return whether each participant is the other one there.

    Of a comparison all that is compared must be the same: «the population of X» is not X.
    """
    if here.agent & there.agent or here.patient & there.patient:
        return False
    return _covers(here.agent, there.patient, both_ways) and _covers(here.patient, there.agent, both_ways)


def _covers(one: frozenset[str], other: frozenset[str], both_ways: bool) -> bool:
    shared = len(one & other)
    least = max(len(one), len(other)) if both_ways else min(len(one), len(other))
    return shared > _MOST * least or (not both_ways and shared > 0 and shared == _MOST * least)


def _at_another_time(claim: PlacedSheet, place: PlacedSheet) -> bool:
    """Return whether the two sentences speak of dates that cannot be the same."""
    mine = [cast(CalendarDate, fact.value) for fact in claim.facts(("date",))]
    theirs = [cast(CalendarDate, fact.value) for fact in place.facts(("date",))]
    return bool(mine and theirs) and all(contradicts(one, other) for one in mine for other in theirs)


def _span(relation: Relation) -> tuple[int, int]:
    ends: tuple[Phrase, Phrase] = (relation.agent, relation.patient)
    return min(one.start for one in ends), max(one.end for one in ends)
