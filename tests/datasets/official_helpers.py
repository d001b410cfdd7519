"""Helpers of the loaders' tests: files in the official formats, written by hand."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragcortex.datasets.loaded import LoadedDataset, RowNote


def write_json_lines(path: Path, rows: Sequence[Any], *, mark: bool = False) -> Path:
    """Write one JSON object a line (a string as it is), after a byte-order mark if asked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + "".join(f"{line}\n" for line in lines).encode())
    return path


def write_array(path: Path, rows: Sequence[Any]) -> Path:
    """Write a JSON array."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def write_table(path: Path, rows: Sequence[dict[str, Any]], *, mark: bool = False) -> Path:
    """Write a table with an index column without a name, as pandas does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, ["", *rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"": index, **row} for index, row in enumerate(rows))
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + stream.getvalue().encode())
    return path


def marked(loaded: LoadedDataset, identifier: str) -> list[str]:
    """Return the text of each span of an example."""
    example = next(example for example in loaded.examples if example.id == identifier)
    return [example.answer[span.start : span.end] for span in example.spans or ()]


def told(notes: tuple[RowNote, ...]) -> dict[str, int]:
    """Return how many rows each reason has."""
    return {note.reason: note.n for note in notes}
