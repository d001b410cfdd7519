"""What a comparison with a table found: checked when built, with a JSON form.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_places, check_position, check_range, check_text
from ragcortex.errors import InputError
from ragcortex.geometry.facts.fact import FACT_KINDS, FactKind

SCHEMA: Final = "ragcortex.table/1"
CellState = Literal["confirmed", "contradicted", "unknown"]
CellReason = Literal[
    "equal", "differs", "denied", "no_row", "no_column", "column_unclear", "more_precise", "derived", "negated",
]  # fmt: skip
TableStatus = Literal["grounded", "hallucinated", "not_verifiable"]
CELL_STATES: Final[tuple[str, ...]] = get_args(CellState)
CELL_REASONS: Final[tuple[str, ...]] = get_args(CellReason)
_REASONS_OF: Final = {
    "confirmed": ("equal",),
    "contradicted": ("differs", "denied"),
    "unknown": ("no_row", "no_column", "column_unclear", "more_precise", "derived", "negated"),
}


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell: its row from 0, the line of the file it ends on (None for a query), its column and its text there."""

    row: int
    line: int | None
    column: str
    text: str

    def __post_init__(self) -> None:
        check_position("row", self.row)
        if self.line is not None:
            check_position("line", self.line)
        check_text("column", self.column, filled=True)
        check_text("text", self.text, filled=True)


@dataclass(frozen=True, slots=True)
class FactCheck:
    """One amount, date or time of the answer, compared with the table.

    Attributes:
        start, end, text: where it stands: `answer[start:end] == text`.
        kind: what kind of fact it is.
        state: confirmed (a cell says the same), contradicted, or unknown.
        reason: equal; differs (no cell of the rows and columns in question says the same); denied (the sentence denies
            what the cell says); no_row (the sentence names no row); no_column (no column of that kind); column_unclear
            (a column of that kind, but nothing says that the sentence is about it); more_precise (than the cell);
            derived (a sum, difference or multiple of cells); negated (the sentence denies it, and no cell says it).
        cell: the cell that confirms it, or the nearest one of those that contradict it; None where unknown.
        n_rows: how many rows were in question.
    """

    start: int
    end: int
    text: str
    kind: FactKind
    state: CellState
    reason: CellReason
    cell: TableCell | None
    n_rows: int

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_known("kind", self.kind, FACT_KINDS)
        check_known("state", self.state, CELL_STATES)
        check_known("reason", self.reason, _REASONS_OF[self.state])
        check_position("n_rows", self.n_rows)
        if (self.cell is None) != (self.state == "unknown"):
            raise InputError("cell", f"must be given exactly where the state is not unknown, got {self.state}")


@dataclass(frozen=True, slots=True)
class TableReport:
    """An answer compared with a table.

    Attributes:
        answer: the answer exactly as given.
        checks: its amounts, dates and times, by position.
        source: what the table is called.
        n_rows: how many rows the table has.
    """

    answer: str
    checks: tuple[FactCheck, ...]
    source: str
    n_rows: int

    def __post_init__(self) -> None:
        check_text("answer", self.answer)
        check_parts("checks", self.checks, FactCheck)
        check_places("checks", self.checks, self.answer)
        check_text("source", self.source, filled=True)
        check_position("n_rows", self.n_rows)

    def count(self, state: CellState) -> int:
        """Return how many facts have this state."""
        return sum(check.state == state for check in self.checks)

    @property
    def status(self) -> TableStatus:
        """Hallucinated if a fact is contradicted, grounded if all are confirmed, else not verifiable."""
        if self.count("contradicted"):
            return "hallucinated"
        return "grounded" if self.checks and not self.count("unknown") else "not_verifiable"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "schema": SCHEMA,
            "status": self.status,
            "counts": {state: self.count(state) for state in get_args(CellState)},
            "answer": self.answer,
            "checks": [_check(each) for each in self.checks],
            "table": {"source": self.source, "n_rows": self.n_rows},
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)


def _check(check: FactCheck) -> dict[str, Any]:
    cell = check.cell
    return {
        "start": check.start,
        "end": check.end,
        "text": check.text,
        "kind": check.kind,
        "state": check.state,
        "reason": check.reason,
        "cell": cell and {"row": cell.row, "line": cell.line, "column": cell.column, "text": cell.text},
        "n_rows": check.n_rows,
    }
