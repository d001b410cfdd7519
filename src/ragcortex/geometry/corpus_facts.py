"""Whether two chunks that are alike state the same facts: only then may one stand for the other."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact, Marker, Name

# Of more values, the texts are about different things.
_MOST_EXCHANGED: Final = 2


@dataclass(frozen=True, slots=True)
class _Stated:
    """The facts of a chunk, without their order and place.

    Attributes:
        values: amounts in base units, dates and times, in normal form.
        names: proper names.
        markers: negations, quantifiers, conditions, causal and modal words, by sense and number.
        n_negations: how many of the markers are negations.
    """

    values: frozenset[object]
    names: frozenset[tuple[str, ...]]
    markers: frozenset[tuple[str, str, int]]
    n_negations: int


def facts_differ(first: str, second: str) -> bool:
    """Return whether a fact of one text is missing in the other: to merge them would lose it."""
    return first != second and _stated(first) != _stated(second)


def facts_disagree(first: str, second: str) -> bool:
    """Return whether two texts that are alike speak of the same names and can hardly both be right.

    Each has one or two amounts, dates or times that the other lacks, or they are negated a different number of times. A
    text that only says more than the other does not disagree with it, nor does one about another name, nor other rows
    of a table of numbers.
    """
    one, other = _stated(first), _stated(second)
    if one.names != other.names:
        return False
    lacking = (len(one.values - other.values), len(other.values - one.values))
    exchanged = min(lacking) > 0 and max(lacking) <= _MOST_EXCHANGED
    return exchanged or (one.values == other.values and one.n_negations != other.n_negations)


@lru_cache(maxsize=4096)
def _stated(text: str) -> _Stated:
    from ragcortex.geometry.facts.extract import facts_of

    facts = facts_of(text)
    markers = Counter((fact.kind, fact.value.sense) for fact in facts if isinstance(fact.value, Marker))
    return _Stated(
        values=frozenset(_normal(fact) for fact in facts if isinstance(fact.value, Amount | CalendarDate | ClockTime)),
        names=frozenset(fact.value.words for fact in facts if isinstance(fact.value, Name)),
        markers=frozenset((kind, sense, n) for (kind, sense), n in markers.items()),
        n_negations=sum(n for (kind, _), n in markers.items() if kind == "negation"),
    )


def _normal(fact: Fact) -> object:
    """Return an amount in base units, whatever the unit it is written in; «about 5» counts as 5."""
    value = fact.value
    if not isinstance(value, Amount):
        return value
    bound = "exact" if value.bound == "about" else value.bound
    return fact.kind == "ordinal", value.dimension, *value.base, bound
