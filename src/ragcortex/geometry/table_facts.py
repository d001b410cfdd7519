"""The facts of one sentence against the rows it is about: confirmed, contradicted or unknown, and by which cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final

from ragcortex.geometry.consistency_values import agree
from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact, FactValue, Marker
from ragcortex.geometry.table_columns import Column, Value, assigned, compatible, in_column, named, values_of
from ragcortex.geometry.table_parts import CellReason, CellState, FactCheck, TableCell
from ragcortex.geometry.table_rows import Mention, rows_of, subjects
from ragcortex.geometry.table_source import Table
from ragcortex.geometry.table_values import FactsOf

# Sums and differences of many cells hit any figure by chance.
_MOST_DERIVED: Final = 12
_DATE_PARTS: Final = ("year", "month", "day")


@dataclass(frozen=True)
class Situation:
    """A sentence and what it is compared with."""

    table: Table
    columns: tuple[Column, ...]
    text: str
    offset: int
    mentions: tuple[Mention, ...]
    negations: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    facts_of: FactsOf

    @cached_property
    def usable(self) -> tuple[Column, ...]:
        """The columns that can confirm something: all but those whose cells name the rows in this sentence."""
        naming = {column for mention in self.mentions for column in mention.columns}
        return tuple(column for column in self.columns if column.index not in naming)

    @cached_property
    def names(self) -> tuple[tuple[int, Column], ...]:
        """Where the sentence names columns."""
        taken = [(mention.start, mention.end) for mention in self.mentions]
        return named(self.text, self.usable, taken)

    def values(self, rows: frozenset[int]) -> tuple[Value, ...]:
        """Return all values of the rows' usable cells, by row and column."""
        return tuple(
            value
            for row in sorted(rows)
            for column in self.usable
            for value in values_of(self.table, row, column, self.facts_of)
        )

    def denied(self, fact: Fact) -> bool:
        """Return whether a negation of the sentence covers the fact."""
        scopes = (marker.value.scope for marker in self.negations if isinstance(marker.value, Marker))
        return any(scope is not None and scope[0] <= fact.start and fact.end <= scope[1] for scope in scopes)


def rows_of_facts(
    facts: Sequence[Fact], mentions: Sequence[Mention], rows: frozenset[int]
) -> tuple[frozenset[int], ...]:
    """Return for each fact the rows it is about.

    A sentence that names several rows is read in pieces where names and facts alternate: each fact belongs to the name
    before it («the tent costs 249, the bag 89») or, where the first fact comes first, to the one after it («249 for the
    tent and 89 for the bag»). Elsewhere («tent and bag cost 249 and 89») every fact may be about any of the rows.
    """
    named_rows = subjects(mentions)
    if not named_rows:
        return (rows,) * len(facts)
    others = [mention for mention in mentions if mention not in named_rows]
    places = [mention.start for mention in named_rows]
    if places[0] < facts[0].start and _alternate(places, facts):
        chosen = [max(m for m in range(len(places)) if places[m] < fact.start) for fact in facts]
    elif places[0] > facts[0].start and _alternate([-place for place in reversed(places)], list(reversed(facts)), -1):
        chosen = [min(m for m in range(len(places)) if places[m] > fact.start) for fact in facts]
    else:
        return (rows,) * len(facts)
    return tuple(rows_of((*others, named_rows[index])) or rows for index in chosen)


def _alternate(places: Sequence[int], facts: Sequence[Fact], sign: int = 1) -> bool:
    """Return whether a fact follows each place before the next one does."""
    starts = [sign * fact.start for fact in facts]
    ends = [*places[1:], float("inf")]
    return all(any(place < start < end for start in starts) for place, end in zip(places, ends, strict=True))


def fact_check(situation: Situation, rows: Sequence[frozenset[int]]) -> list[FactCheck]:
    """Return one check a fact of the sentence, positions counted in the answer."""
    of_rows = {each: situation.values(each) for each in set(rows)}
    candidates = [
        [value for value in of_rows[each] if compatible(fact, value)]
        for fact, each in zip(situation.facts, rows, strict=True)
    ]
    columns = [frozenset(value.column.index for value in values) for values in candidates]
    plain = assigned(situation.facts, situation.names, columns)
    found = []
    for fact, mine, values, column in zip(situation.facts, rows, candidates, plain, strict=True):
        kept = values if column is None else [value for value in values if value.column.index == column]
        state, reason, value = _judged(situation, fact, mine, kept, values)
        cell = None if value is None else _cell(situation.table, value)
        start, end = fact.start + situation.offset, fact.end + situation.offset
        found.append(FactCheck(start, end, fact.text, fact.kind, state, reason, cell, len(mine)))
    return found


def _judged(
    situation: Situation, fact: Fact, rows: frozenset[int], values: Sequence[Value], everywhere: Sequence[Value]
) -> tuple[CellState, CellReason, Value | None]:
    """Return what the rows say about a fact, why, and the cell that says it."""
    if not values:
        return "unknown", "no_column" if rows else "no_row", None
    equal = [value for value in values if agree(fact.value, in_column(fact, value), value.column.tolerance)]
    exact = [value for value in equal if not _is_finer(fact.value, in_column(fact, value))]
    if exact and not (_is_bound(fact) and len(equal) < len(values)):
        return ("contradicted", "denied", exact[0]) if situation.denied(fact) else ("confirmed", "equal", exact[0])
    reason = "column_unclear" if exact else _why_open(situation, fact, values, everywhere, finer=bool(equal))
    return ("contradicted", "differs", _nearest(fact, values)) if reason is None else ("unknown", reason, None)


def _why_open(
    situation: Situation,
    fact: Fact,
    values: Sequence[Value],
    everywhere: Sequence[Value],
    *,
    finer: bool,
) -> CellReason | None:
    """Return why a fact that no cell confirms is not contradicted either; None if it is."""
    if situation.denied(fact):
        return "negated"
    if finer:
        return "more_precise"
    named_here = {column.index for _, column in situation.names}
    if _is_loose(fact, values) and not any(value.column.index in named_here for value in values):
        return "column_unclear"
    return "derived" if _is_derived(situation, fact, everywhere) else None


def _is_bound(fact: Fact) -> bool:
    """Return whether a fact leaves room («less than 200»), so that a cell of the wrong column would soon satisfy it."""
    value = fact.value
    return isinstance(value, Amount) and (value.bound in ("at_least", "at_most") or value.low < value.high)


def _is_finer(ours: FactValue, theirs: FactValue) -> bool:
    """Return whether the answer says more than the cell: a day where it has a month, a figure where it has a range."""
    match ours, theirs:
        case CalendarDate(), CalendarDate():
            return any(getattr(ours, part) is not None and getattr(theirs, part) is None for part in _DATE_PARTS)
        case Amount(), Amount():
            return theirs.bound == "exact" and theirs.low < theirs.high and ours.low == ours.high
        case ClockTime(), ClockTime():
            # Opening hours: a single time of the answer may be either end of the cell's.
            return (
                theirs.first < theirs.last and ours.first == ours.last and ours.first not in (theirs.first, theirs.last)
            )
        case _:
            return False


def _is_loose(fact: Fact, values: Sequence[Value]) -> bool:
    """Return whether a fact may well be about something the table does not hold, as no column of its kind is named.

    So are bare numbers («3 reasons»), durations in another unit than the column's («2 years» beside days of delivery),
    and dates with fewer parts than the cell's («since 1990»).
    """
    ours = fact.value
    if isinstance(ours, Amount):
        units = {value.value.unit for value in values if isinstance(value.value, Amount)}
        return ours.dimension is None or (ours.dimension == "time" and ours.unit not in units)
    if isinstance(ours, CalendarDate):
        return ours.day is None
    return False


def _is_derived(situation: Situation, fact: Fact, values: Sequence[Value]) -> bool:
    """Return whether an amount is a sum, a difference or a multiple of cells, which the table neither says nor denies.

    Multiples count only by a whole number that the sentence gives («3 nights … 267»).
    """
    ours = fact.value
    cells = [value for value in (in_column(fact, value) for value in values) if isinstance(value, Amount)]
    if not isinstance(ours, Amount) or ours.low != ours.high or len(cells) > _MOST_DERIVED:
        return False
    amounts = [cell.base[0] for cell in cells if cell.unit == ours.unit or ours.dimension != "currency"]
    wanted = ours.base[0]
    factors = {other.value.low for other in situation.facts if other is not fact and isinstance(other.value, Amount)}
    products = {amount * factor for amount in amounts for factor in factors if factor == int(factor) and factor > 1}
    pairs = {
        figure
        for index, one in enumerate(amounts)
        for two in amounts[index + 1 :]
        for figure in (one + two, abs(one - two))
    }
    return wanted in products | pairs or (len(amounts) > 1 and wanted == sum(amounts, Decimal(0)))


def _nearest(fact: Fact, values: Sequence[Value]) -> Value:
    """Return the value closest to the fact: what should have been said, most likely."""

    def distance(value: Value) -> tuple[Decimal, int, int]:
        theirs, ours = in_column(fact, value), fact.value
        gap = Decimal(0)
        if isinstance(theirs, Amount) and isinstance(ours, Amount):
            gap = abs(theirs.base[0] - ours.base[0])
        elif isinstance(theirs, CalendarDate) and isinstance(ours, CalendarDate):
            gap = Decimal(_days(theirs, ours))
        elif isinstance(theirs, ClockTime) and isinstance(ours, ClockTime):
            gap = Decimal(abs(theirs.first - ours.first))
        return gap, value.row, value.column.index

    return min(values, key=distance)


def _days(one: CalendarDate, two: CalendarDate) -> int:
    """Return roughly how many days two dates are apart, by the parts that both give."""
    pairs = ((one.year, two.year, 372), (one.month, two.month, 31), (one.day, two.day, 1))
    return abs(sum((mine - other) * days for mine, other, days in pairs if mine is not None and other is not None))


def _cell(table: Table, value: Value) -> TableCell:
    line = None if table.lines is None else table.lines[value.row]
    return TableCell(value.row, line, value.column.header, value.text)
