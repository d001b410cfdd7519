"""Answers of a word or two («Wednesday.»), which say something only together with their question."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from ragcortex.geometry.facts.calendar import clock_readings, contradicts, covers, date_readings
from ragcortex.geometry.facts.context import AMOUNT_KINDS, Context, amount_of
from ragcortex.geometry.facts.equality import comparable, same_amount
from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact
from ragcortex.geometry.facts.finding import TELLS_NOTHING, Finding, PlacedSheet, span_of

# A sentence answers a question if it has this share of the question's content words, and this much more than others.
_ANSWERS: Final = 0.75
_MORE: Final = 0.25
# A longer question asks for something by way of something else («the wife of the man known as …»).
_DIRECT: Final = 4
_KINDS: Final = {"date": ("date",), "time": ("time",), **dict.fromkeys(AMOUNT_KINDS, AMOUNT_KINDS)}


def short_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet]) -> Iterator[Finding]:
    """Yield the figure, date or time that is the whole answer where the sentence that answers the question has another.

    Figures that no reference has are found without this (`compare_amounts`, `compare_dates`); this finds those that
    stand in the references, but not in the one sentence that a short question asks for. A bare number says too little
    of what it counts.
    """
    facts = [fact for fact in claim.sheet.facts if fact.kind in _KINDS]
    if len(facts) != 1 or not given or claim.stems - claim.stems_within(*span_of(facts[0])):
        return
    fact = facts[0]
    asked = frozenset(stem for place in given for stem in place.stems) - TELLS_NOTHING
    ranked = sorted(((context.overlap(asked, place), place) for place in context.places), key=lambda one: -one[0])
    best = ranked[0][0] if ranked else 0.0
    bare = isinstance(fact.value, Amount) and fact.value.unit is None
    if best < _ANSWERS or len(asked) > _DIRECT or bare:
        return
    near = [place for share, place in ranked if share > best - _MORE]
    there = [(place, other) for place in near for other in place.facts(_KINDS[fact.kind])]
    known = [other.value for place in given for other in place.facts(_KINDS[fact.kind])]
    there = [(place, other) for place, other in there if other.value not in known]
    rivals = [(place, other) for place, other in there if _excludes(fact, other)]
    if rivals and len(rivals) == len(there):
        place, other = rivals[0]
        yield claim.found("number" if isinstance(fact.value, Amount) else "date", span_of(fact), place, span_of(other))


def _excludes(fact: Fact, other: Fact) -> bool:
    """Return whether two facts of one kind are alike enough to answer one question, and cannot both be its answer."""
    if isinstance(fact.value, CalendarDate):
        theirs = cast(CalendarDate, other.value)
        return not covers(fact.value, theirs) and all(contradicts(one, theirs) for one in date_readings(fact))
    if isinstance(fact.value, ClockTime):
        mine = {edge for one in clock_readings(fact) for edge in (one.first, one.last)}
        return not any(mine & {one.first, one.last} for one in clock_readings(other))
    value, theirs_amount = amount_of(fact), amount_of(other)
    alike = comparable(value, theirs_amount) and value.dimension == theirs_amount.dimension
    return alike and not same_amount(value, theirs_amount)
