"""Which rows of a table a sentence talks about: those whose names occur in it."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.align import words
from ragcortex.errors import InputError
from ragcortex.geometry.table_source import Table
from ragcortex.geometry.table_values import FactsOf, is_value

_SAMPLE: Final = 20
_POSSESSIVES: Final = ("'s", "’s", "'", "’")
_SHORT: Final = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a text that is a cell of the table: which rows have that cell, by column."""

    start: int
    end: int
    rows: tuple[tuple[int, frozenset[int]], ...]

    @property
    def columns(self) -> frozenset[int]:
        """The columns that hold the cell."""
        return frozenset(column for column, _ in self.rows)


class RowIndex:
    """The names of a table's rows, ready to be found in texts; built once and never changed."""

    def __init__(self, table: Table, key_columns: Sequence[str] | None, facts_of: FactsOf) -> None:
        """Index the key columns; by default those whose cells are words rather than amounts or dates.

        Raises:
            InputError: a key column does not exist.
        """
        self.key_columns = _key_columns(table, key_columns, facts_of)
        self._rows: dict[tuple[str, ...], dict[int, set[int]]] = {}
        self._short: dict[tuple[str, ...], set[str]] = {}
        for row, cells in enumerate(table.rows):
            for column in self.key_columns:
                key = _key(cells[column])
                if key:
                    self._rows.setdefault(key, {}).setdefault(column, set()).add(row)
                    if sum(map(len, key)) <= _SHORT:
                        self._short.setdefault(key, set()).add(cells[column].strip())
        self._lengths = sorted({len(key) for key in self._rows}, reverse=True)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the cells that occur in a text, by position: of two that share a word the longer, then the first.

        Case makes no difference, but for cells of one or two letters, which must be written as they are («L», «a»).
        """
        ranges = words(text)
        tokens = [_folded(text[start:end]) for start, end in ranges]
        taken = [False] * len(tokens)
        found = []
        for length in self._lengths:
            for first in range(len(tokens) - length + 1):
                last = first + length
                if any(taken[first:last]):
                    continue
                key = tuple(tokens[first:last])
                columns = self._rows.get(key)
                if columns is None:
                    continue
                start, end = ranges[first][0], ranges[last - 1][1]
                if key in self._short and text[start:end] not in self._short[key]:
                    continue
                taken[first:last] = [True] * length
                rows = tuple((column, frozenset(columns[column])) for column in sorted(columns))
                found.append(Mention(start, end, rows))
        return tuple(sorted(found, key=lambda mention: mention.start))


def rows_of(mentions: Iterable[Mention]) -> frozenset[int]:
    """Return the rows that fit the mentions: any of the names in one column, and all columns together.

    Columns are taken from the rarest name on; one that would leave no row is left aside, as a word that also happens to
    be a cell.
    """
    by_column: dict[int, frozenset[int]] = {}
    for mention in mentions:
        for column, rows in mention.rows:
            by_column[column] = by_column.get(column, frozenset()) | rows
    chosen: frozenset[int] | None = None
    for _, rows in sorted(by_column.items(), key=lambda item: (len(item[1]), item[0])):
        chosen = rows if chosen is None else (chosen & rows or chosen)
    return chosen or frozenset()


def subjects(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions of the column that is named most often, if it has two different names or more; else none."""
    counts: dict[int, list[Mention]] = {}
    for mention in mentions:
        for column, _ in mention.rows:
            counts.setdefault(column, []).append(mention)
    for column, named in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0])):
        if len({dict(mention.rows)[column] for mention in named}) > 1:
            return tuple(named)
    return ()


def _key_columns(table: Table, key_columns: Sequence[str] | None, facts_of: FactsOf) -> tuple[int, ...]:
    if key_columns is not None:
        for name in key_columns:
            if name not in table.columns:
                raise InputError(
                    "key_columns", f"there is no column {name!r}; the columns are {', '.join(table.columns)}"
                )
        return tuple(sorted({table.columns.index(name) for name in key_columns}))
    return tuple(index for index in range(len(table.columns)) if _holds_words(table, index, facts_of))


def _holds_words(table: Table, column: int, facts_of: FactsOf) -> bool:
    """Return whether most of the first different cells of a column are neither amounts nor dates nor times."""
    cells: dict[str, None] = {}
    for row in table.rows:
        if row[column].strip():
            cells[row[column].strip()] = None
        if len(cells) == _SAMPLE:
            break
    n_values = sum(is_value(cell, table.decimal, table.date_format, facts_of) for cell in cells)
    return bool(cells) and 2 * n_values < len(cells)


def _key(cell: str) -> tuple[str, ...]:
    return tuple(_folded(cell[start:end]) for start, end in words(cell))


def _folded(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    for ending in _POSSESSIVES:
        folded = folded.removesuffix(ending)
    return folded
