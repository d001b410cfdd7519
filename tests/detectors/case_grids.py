"""The grid of cases of our own, and what in a report of a case is marked by mistake."""

from pathlib import Path
from typing import Any

from ragcortex.align import sentences
from ragcortex.report import Report

GRID = Path(__file__).parents[1] / "cases" / "grid.jsonl"


def marked_neighbours(row: dict[str, Any], report: Report) -> list[str]:
    """Return the sentences of a wrong answer that are marked although nothing in them is wrong."""
    return [
        report.answer[start:end]
        for start, end in sentences(report.answer)
        if row["spans"]
        and any(span.start < end and start < span.end for span in report.spans)
        and not any(wanted["start"] < end and start < wanted["end"] for wanted in row["spans"])
    ]
