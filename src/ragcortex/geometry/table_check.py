"""Amounts, dates and times of an answer, checked exactly against a table of the user's own.

For answers that have a database behind them instead of documents: orders, prices, opening hours. What is compared is
exact: 12.499 is not 12.50 unless a tolerance says so.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

from ragcortex.align import claim_words, sentences
from ragcortex.checks import check_text
from ragcortex.errors import InputError
from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact
from ragcortex.geometry.table_columns import columns_of
from ragcortex.geometry.table_facts import Situation, fact_check, rows_of_facts
from ragcortex.geometry.table_parts import FactCheck, TableReport
from ragcortex.geometry.table_rows import RowIndex, rows_of
from ragcortex.geometry.table_source import Table
from ragcortex.geometry.table_values import FactsOf

__all__ = ["Table", "TableChecker", "TableReport", "check_against_table"]

_CHECKED: Final = frozenset(("number", "quantity", "money", "percentage", "duration", "date", "time"))
Tolerance = Decimal | int | str


def check_against_table(
    answer: str,
    table: Table,
    *,
    key_columns: Sequence[str] | None = None,
    tolerance: Tolerance | Mapping[str, Tolerance] = 0,
    question: str | None = None,
    facts_of: FactsOf | None = None,
) -> TableReport:
    """Return how an answer's amounts, dates and times compare with a table; see `TableChecker`."""
    checker = TableChecker(table, key_columns=key_columns, tolerance=tolerance, facts_of=facts_of)
    return checker.check(answer, question=question)


class TableChecker:
    """Compares answers with one table, whose names are indexed once.

    A sentence is about the rows whose names occur in it: cells of the key columns, case-folded, the longest first. One
    that names no row goes on about those of the sentence before, at first those of the question; a table of one row is
    always about that row. Each amount, date or time must equal a cell of those rows in a column of its kind: of the
    same dimension (by the unit in the header or in the cell), for a bare number any number, for a date any date. Where
    the sentence says plainly which of several columns or rows a fact belongs to, only that one counts.
    """

    def __init__(
        self,
        table: Table,
        *,
        key_columns: Sequence[str] | None = None,
        tolerance: Tolerance | Mapping[str, Tolerance] = 0,
        facts_of: FactsOf | None = None,
    ) -> None:
        """Index a table.

        Args:
            table: the table.
            key_columns: the columns whose cells name rows; by default those that hold words. Give them where rows are
                named by numbers (an order's number), or where a column holds words that occur anywhere.
            tolerance: by how much an amount may differ from its cell, in the unit of the column; one for all columns,
                or by header. 0 by default: equal means equal.
            facts_of: the facts of a text; by default those of `geometry.facts.extract`.

        Raises:
            InputError: a column does not exist, a unit is unknown, or a tolerance is no number from 0 on.
        """
        if facts_of is None:
            from ragcortex.geometry.facts.extract import facts_of as default

            facts_of = default
        self.table = table
        self._facts_of = facts_of
        self._columns = columns_of(table, _tolerances(tolerance, table), facts_of)
        self._index = RowIndex(table, key_columns, facts_of)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns whose cells name rows."""
        return tuple(self.table.columns[index] for index in self._index.key_columns)

    def check(self, answer: str, *, question: str | None = None) -> TableReport:
        """Return how an answer compares with the table.

        Args:
            answer: the answer; positions in the report count its characters.
            question: what it answers; the rows it names are those of an answer that names none.

        Raises:
            InputError: the answer or the question is no text.
        """
        check_text("answer", answer)
        check_text("question", question, optional=True)
        rows = frozenset((0,)) if len(self.table.rows) == 1 else frozenset()
        rows = rows_of(self._index.mentions(question or "")) or rows
        checks: list[FactCheck] = []
        for start, end in sentences(answer):
            found, rows = self._sentence(answer[start:end], start, rows)
            checks.extend(found)
        return TableReport(answer, tuple(checks), self.table.source, len(self.table.rows))

    def _sentence(self, text: str, offset: int, rows: frozenset[int]) -> tuple[list[FactCheck], frozenset[int]]:
        """Return the checks of a sentence, and the rows that the next one is about unless it names others."""
        mentions = self._index.mentions(text)
        rows = rows_of(mentions) or rows
        all_facts = self._facts_of(text)
        taken = [(mention.start, mention.end) for mention in mentions]
        facts = _checkable(text, all_facts, taken)
        if not facts:
            return [], rows
        negations = tuple(fact for fact in all_facts if fact.kind == "negation")
        situation = Situation(
            self.table, self._columns, text, offset, mentions, negations, tuple(facts), self._facts_of
        )
        of_facts = rows_of_facts(facts, mentions, rows)
        return fact_check(situation, of_facts), rows


def _checkable(text: str, facts: Sequence[Fact], taken: Sequence[tuple[int, int]]) -> list[Fact]:
    """Return the amounts, dates and times outside names and citation markers; of two that overlap the longer."""
    said = claim_words(text)
    found: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (-(fact.end - fact.start), fact.start)):
        if fact.kind not in _CHECKED or not isinstance(fact.value, (Amount, CalendarDate, ClockTime)):
            continue
        if not any(start < fact.end and fact.start < end for start, end in said):
            continue
        others = [*taken, *((other.start, other.end) for other in found)]
        if not any(start < fact.end and fact.start < end for start, end in others):
            found.append(fact)
    return sorted(found, key=lambda fact: fact.start)


def _tolerances(tolerance: Tolerance | Mapping[str, Tolerance], table: Table) -> dict[str, Decimal]:
    if not isinstance(tolerance, Mapping):
        value = _tolerance(tolerance)
        return dict.fromkeys(table.columns, value)
    for header in tolerance:
        if header not in table.columns:
            raise InputError("tolerance", f"there is no column {header!r}; the columns are {', '.join(table.columns)}")
    return {header: _tolerance(value) for header, value in tolerance.items()}


def _tolerance(value: Tolerance) -> Decimal:
    if isinstance(value, (bool, float)):
        raise InputError("tolerance", f"must be an exact number such as Decimal('0.01') or '0.01', got {value!r}")
    try:
        number = Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        raise InputError("tolerance", f"must be a number such as 0.01, got {value!r}") from None
    if not number.is_finite() or number < 0:
        raise InputError("tolerance", f"must be a finite number from 0 on, got {value!r}")
    return number
