"""Grids of cases: small answers whose right verdict is known, one JSON object a line.

A row has `question`, `references`, `answer`, `spans` (what has to be marked, as `start` and `end`) and `expect`: a
verdict, or one with `_or_unverified` behind it where `not_verifiable` is right as well.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragcortex.example import Example
from ragcortex.report import Report


def read_cases(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a grid, in order."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def case_example(row: Mapping[str, Any]) -> Example:
    """Return what a detector is given of a row."""
    return Example.of(row["question"], row["references"], row["answer"])


def as_expected(row: Mapping[str, Any], report: Report) -> bool:
    """Return whether the verdict is the right one and, where something is wrong, all of that is touched by a span."""
    expected, _, unverified = row["expect"].partition("_or_")
    if unverified and report.verdict == "not_verifiable":
        return True
    touched = all(
        any(span.start < wanted["end"] and wanted["start"] < span.end for span in report.spans)
        for wanted in row["spans"]
    )
    return bool(report.verdict == expected and (expected != "hallucinated" or touched))
