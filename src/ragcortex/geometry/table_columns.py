"""Which columns of a table a fact may be compared with, and which of them a sentence names."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ragcortex.align import Range, words
from ragcortex.errors import InputError
from ragcortex.geometry.consistency_values import comparable
from ragcortex.geometry.facts.fact import Amount, CalendarDate, Fact, FactValue
from ragcortex.geometry.table_source import Table
from ragcortex.geometry.table_values import ColumnUnit, FactsOf, cell_values, header_unit, header_words, unit_called

_STEM: Final = 4
_MOST_ENDING: Final = 3
_LEAST_YEAR, _LAST_YEAR = 1000, 2100


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header's words, the unit of its numbers (None without one), whether those are years."""

    index: int
    header: str
    words: tuple[str, ...]
    unit: ColumnUnit | None
    years: bool
    tolerance: Decimal


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a cell: where it stands and what it says."""

    row: int
    column: Column
    text: str
    value: FactValue


def columns_of(table: Table, tolerances: dict[str, Decimal], facts_of: FactsOf) -> tuple[Column, ...]:
    """Return the columns of a table; a unit that the table was given goes before one in the header.

    Raises:
        InputError: a unit that the table was given is unknown.
    """
    given = dict(table.units)
    found = []
    for index, header in enumerate(table.columns):
        unit = _given_unit(header, given[header], facts_of) if header in given else header_unit(header, facts_of)
        cells = [row[index].strip() for row in table.rows if row[index].strip()]
        years = unit is None and bool(cells) and all(_is_year(cell) for cell in cells)
        found.append(Column(index, header, header_words(header), unit, years, tolerances.get(header, Decimal(0))))
    return tuple(found)


def _given_unit(header: str, text: str, facts_of: FactsOf) -> ColumnUnit:
    unit = unit_called(text, facts_of)
    if unit is None:
        raise InputError("units", f"{text!r} of column {header!r} is no unit that is known; give kg, EUR, %")
    return unit


def values_of(table: Table, row: int, column: Column, facts_of: FactsOf) -> tuple[Value, ...]:
    """Return what a cell says; the figure of a column of years is a number and a year."""
    text = table.rows[row][column.index]
    values = cell_values(text, column.unit, table.decimal, table.date_format, facts_of)
    if column.years and values:
        values = (*values, CalendarDate(year=int(text)))
    return tuple(Value(row, column, text.strip(), value) for value in values)


def compatible(fact: Fact, value: Value) -> bool:
    """Return whether a fact can be compared with a value: by dimension, or both bare numbers, dates or times.

    A bare number may be that of a column with a unit («costs 249»); a sum of money that of a price without a currency.
    """
    if comparable(fact.value, value.value):
        return True
    if not isinstance(fact.value, Amount) or not isinstance(value.value, Amount):
        return False
    if fact.value.dimension is None:
        return True
    unit = value.column.unit
    return value.value.dimension is None and unit is not None and unit.dimension == fact.value.dimension


def in_column(fact: Fact, value: Value) -> FactValue:
    """Return the value in the fact's own unit where the column has no currency of its own, else as it is."""
    theirs, ours = value.value, fact.value
    unpriced = value.column.unit is not None and value.column.unit.unit is None
    if unpriced and isinstance(theirs, Amount) and isinstance(ours, Amount) and theirs.dimension is None and ours.unit:
        return Amount(theirs.low, theirs.high, ours.unit, ours.dimension, ours.factor, theirs.bound)
    return theirs


def named(text: str, columns: Sequence[Column], taken: Sequence[Range]) -> tuple[tuple[int, Column], ...]:
    """Return where a text names columns, by position.

    A word that several of the columns share names none of them («date» beside order date and delivery date). Words need
    not be equal: «weighs» names a weight, «prices» a price.
    """
    owners: dict[str, set[int]] = {}
    for column in columns:
        for word in column.words:
            owners.setdefault(word, set()).add(column.index)
    found: dict[tuple[int, int], Column] = {}
    ranges = [(start, end) for start, end in words(text) if not any(a < end and start < b for a, b in taken)]
    folded = text.casefold()
    for column in columns:
        for word in column.words:
            if len(owners[word]) > 1:
                continue
            if not word.isascii() and len(folded) == len(text) and _is_unspaced(word):
                position = folded.find(word)
                if position >= 0:
                    found[(position, column.index)] = column
            for start, end in ranges:
                if _alike(text[start:end].casefold(), word):
                    found[(start, column.index)] = column
    return tuple((position, column) for (position, _), column in sorted(found.items(), key=lambda item: item[0]))


def assigned(
    facts: Sequence[Fact], names: Sequence[tuple[int, Column]], candidates: Sequence[frozenset[int]]
) -> tuple[int | None, ...]:
    """Return for each fact of a sentence the column it is said of, or None where that is not plain.

    It is plain where each fact has just one of its columns named between the fact before and itself («price 249,
    shipping 4.90»), or each between itself and the next («249 for the price, 4.90 for shipping»).
    """
    edges = [0, *(fact.end for fact in facts)], [*(fact.start for fact in facts), 10**9]
    before = [_one(names, edges[0][index], fact.start, candidates[index]) for index, fact in enumerate(facts)]
    after = [_one(names, fact.end, edges[1][index + 1], candidates[index]) for index, fact in enumerate(facts)]
    single = len(facts) == 1
    for choice, other in ((before, after), (after, before)):
        if all(choice) and not (single and other[0] and other[0] != choice[0]):
            return tuple(next(iter(each)) if each is not None and len(each) == 1 else None for each in choice)
    return (None,) * len(facts)


def _one(
    names: Sequence[tuple[int, Column]], start: int, end: int, candidates: frozenset[int]
) -> frozenset[int] | None:
    found = frozenset(
        column.index for position, column in names if start <= position < end and column.index in candidates
    )
    return found or None


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    shared = 0
    for one, two in zip(word, other, strict=False):
        if one != two:
            break
        shared += 1
    return shared >= _STEM and max(len(word), len(other)) - shared <= _MOST_ENDING


def _is_unspaced(word: str) -> bool:
    return any("\u3040" <= character <= "\u9fff" for character in word)


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdecimal() and _LEAST_YEAR <= int(cell) <= _LAST_YEAR
