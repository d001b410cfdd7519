"""Rows to score and to train on, as files."""

import json
from pathlib import Path
from typing import Any

REFERENCE = "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea."


def scored_rows(path: Path, n: int) -> Path:
    """Write rows `row-0` and on, whose answers differ."""
    return _write(path, [
        {"id": f"row-{i}", "references": [REFERENCE], "answer": f"It was built in {1800 + i}. " * (1 + i % 3)}
        for i in range(n)
    ])  # fmt: skip


def labelled_rows(path: Path, n: int) -> Path:
    """Write rows of which every second one has a wrong height, marked."""
    rows = []
    for i in range(n):
        answer = f"Report {i}: it stands {41 + 11 * (i % 2)} metres above the sea."
        start = answer.index("it stands") + len("it stands ")
        spans = [{"start": start, "end": start + 2}] if i % 2 else []
        rows.append({"id": str(i), "references": [f"Report {i}. {REFERENCE}"], "answer": answer, "spans": spans,
                     "group": f"source-{i // 2}"})  # fmt: skip
    return _write(path, rows)


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
