"""Grids of cases: small answers with a known right verdict, and whether a report gives it."""

import json
from pathlib import Path
from typing import Any

from ragcortex.align import sentences
from ragcortex.example import Example
from ragcortex.report import Report

GRID = Path(__file__).parents[1] / "cases" / "grid.jsonl"


def rows(path: Path = GRID) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def example(row: dict[str, Any]) -> Example:
    return Example.of(row["question"], row["references"], row["answer"])


def as_expected(row: dict[str, Any], report: Report) -> bool:
    """Return whether the verdict is the right one and, where something is wrong, that is marked."""
    expected, _, unverified = row["expect"].partition("_or_")
    if unverified and report.verdict == "not_verifiable":
        return True
    touched = all(
        any(span.start < wanted["end"] and wanted["start"] < span.end for span in report.spans)
        for wanted in row["spans"]
    )
    return report.verdict == expected and (expected != "hallucinated" or touched)


def marked_neighbours(row: dict[str, Any], report: Report) -> list[str]:
    """Return the sentences of a wrong answer that are marked although nothing in them is wrong."""
    return [
        report.answer[start:end]
        for start, end in sentences(report.answer)
        if row["spans"]
        and any(span.start < end and start < span.end for span in report.spans)
        and not any(wanted["start"] < end and start < wanted["end"] for wanted in row["spans"])
    ]
