"""What becomes of an input row: one output row, with the report or with what is wrong."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragcortex.errors import InputError, RagcortexError

if TYPE_CHECKING:
    from ragcortex.datasets.jsonl import Row
    from ragcortex.detectors.detector import Detector


@dataclass(slots=True)
class Tally:
    """How the rows came out so far: verdicts of the reports, and errors."""

    verdicts: Counter[str] = field(default_factory=Counter)
    n_errors: int = 0

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.verdicts.total() + self.n_errors

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one output row."""
        if "error" in row:
            self.n_errors += 1
        else:
            self.verdicts[row["report"]["verdict"]] += 1

    def include(self, other: "Tally") -> None:
        """Count what another tally has counted."""
        self.verdicts.update(other.verdicts)
        self.n_errors += other.n_errors


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return output rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def scored(detector: "Detector", group: "Sequence[Row]") -> list[dict[str, Any]]:
    """Return one output row an input row, in order; a bad row takes its place with its error."""
    outcomes = detector.check_many([row.example for row in group if row.example is not None])
    lines = []
    for row in group:
        outcome = next(outcomes) if row.example is not None else None
        error = row.error if outcome is None else outcome.error
        if outcome is not None and outcome.report is not None:
            lines.append(_identity(row) | {"report": outcome.report.to_dict()})
        elif error is not None:
            lines.append(_identity(row, failed=True) | {"error": _described(error)})
    return lines


def _identity(row: "Row", *, failed: bool = False) -> dict[str, Any]:
    """Return what tells a row from others: its id, and the line it stands on where it has no id or is wrong."""
    return {"id": row.id, "line": row.line} if failed or row.id is None else {"id": row.id}


def _described(error: RagcortexError) -> dict[str, str]:
    if isinstance(error, InputError):
        return {"field": error.field, "message": error.message}
    return {"field": "reader", "message": str(error)}
