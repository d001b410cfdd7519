"""A folder with one output file a partition, written whole, and what an interrupted run is taken up again by.

    run.json               what decides every row
    part-000042.jsonl      the rows of partition 42 (or .parquet, as the input)
    part-000042.done.json  how they came out; written last, so that a partition with it is finished

A partition that is scored twice, because a worker died or a run was interrupted, gives the same file again: no row is
lost and none is doubled.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragcortex.engines.partitions import Format, Partition
from ragcortex.engines.rows import Tally, json_lines
from ragcortex.errors import InputError
from ragcortex.whole_files import write_whole

_SCHEMA: Final = "ragcortex.parts/1"
_RUN: Final = "run.json"
_NAMES: Final = {"input_sha256": "input", "rows_each": "rows a partition"}


@dataclass(frozen=True, slots=True)
class PartFolder:
    """Where the partitions of one run are written.

    Attributes:
        path: the folder; it can be reached under this path by every worker.
        format: of the files.
    """

    path: Path
    format: Format

    def begin(self, run: Mapping[str, Any], *, overwrite: bool) -> None:
        """Make the folder, or check that what is in it is an earlier part of the same run.

        Args:
            run: everything that decides what the rows hold.
            overwrite: remove what another run has written.

        Raises:
            InputError: the folder holds another run or other files, or it cannot be made.
        """
        advice = "give --overwrite to start again, or another --out"
        if self.path.exists() and not self.path.is_dir():
            raise InputError("out", f"{str(self.path)!r} is a file; with --engine ray, give the name of a folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            present = sorted(path.name for path in self.path.iterdir())
        except OSError as error:
            raise InputError("out", f"folder {str(self.path)!r} cannot be made: {error.strerror}") from None
        if _RUN in present and not overwrite:
            difference = _difference(_read_json(self.path / _RUN), run)
            if difference is not None:
                raise InputError("out", f"{str(self.path)!r} holds another run (not the same: {difference}); {advice}")
            return
        foreign = [name for name in present if name != _RUN and not name.startswith(("part-", ".part-", f".{_RUN}"))]
        if foreign or (present and not overwrite):
            raise InputError("out", f"{str(self.path)!r} holds {(foreign or present)[0]!r} already; {advice}")
        for name in present:
            (self.path / name).unlink()
        self._write(_RUN, {"schema": _SCHEMA, **run})

    def finished(self, partition: Partition) -> Tally | None:
        """Return how a partition's rows came out, None if it is not finished."""
        counts = _read_json(self._done(partition))
        try:
            tally = Tally(Counter({str(name): int(n) for name, n in counts["verdicts"].items()}), int(counts["errors"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        return tally if self.file(partition).is_file() and tally.n_rows == partition.n_rows else None

    def write(self, partition: Partition, rows: Sequence[Mapping[str, Any]]) -> Tally:
        """Write all rows of a partition and return how they came out.

        Raises:
            StoreError: they cannot be written.
        """
        tally = Tally()
        for row in rows:
            tally.add(row)
        content = json_lines(rows).encode("utf-8") if self.format == "jsonl" else _parquet_bytes(rows)
        path = self.file(partition)
        write_whole(path, content, f"{str(path)!r} cannot be written", "; the same command goes on from there")
        self._write(self._done(partition).name, {"verdicts": tally.verdicts, "errors": tally.n_errors})
        return tally

    def file(self, partition: Partition) -> Path:
        """Return the file of a partition's rows."""
        return self.path / f"part-{partition.number:06d}.{self.format}"

    def _done(self, partition: Partition) -> Path:
        return self.path / f"part-{partition.number:06d}.done.json"

    def _write(self, name: str, values: Mapping[str, Any]) -> None:
        path = self.path / name
        write_whole(path, json.dumps(values, indent=2).encode(), f"{str(path)!r} cannot be written")


def _difference(recorded: Mapping[str, Any], run: Mapping[str, Any]) -> str | None:
    """Return in words what differs from a recorded run, None if nothing does."""
    if recorded.get("schema") != _SCHEMA:
        return "its format"
    differing = [_NAMES.get(name, name) for name, value in run.items() if recorded.get(name) != value]
    return ", ".join(differing) or None


def _read_json(path: Path) -> Mapping[str, Any]:
    """Return the object in a file, an empty one where there is none or it is damaged."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _parquet_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a Parquet file with a row's id, its line, its verdict and score, and the report or the error as JSON."""
    import pyarrow
    from pyarrow.parquet import write_table

    text, columns = pyarrow.string(), list[dict[str, Any]]()
    for row in rows:
        report, error = row.get("report"), row.get("error")
        columns.append(
            {
                "id": row.get("id"),
                "line": row.get("line"),
                "verdict": None if report is None else report["verdict"],
                "report": None if report is None else json.dumps(report, ensure_ascii=False, allow_nan=False),
                "error": None if error is None else json.dumps(error, ensure_ascii=False),
            }
        )
    schema = pyarrow.schema(
        [("id", text), ("line", pyarrow.int64()), ("verdict", text), ("report", text), ("error", text)]
    )
    sink = pyarrow.BufferOutputStream()
    write_table(pyarrow.Table.from_pylist(columns, schema=schema), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content
