"""An input cut into partitions: some hundred rows each, that any worker can find, read and score by itself.

JSONL is cut at line ends, Parquet at row groups. The cut depends on the input and the number of rows only, so that an
interrupted run finds the same partitions again. One file is held in memory at no time, and one partition only while it
is worked on.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ragcortex.datasets.json_lines import numbered_lines, without_mark
from ragcortex.datasets.jsonl import Row, row_of, row_of_fields
from ragcortex.errors import InputError

Format = Literal["jsonl", "parquet"]

_ANSWER: Final = "answer"


@dataclass(frozen=True, slots=True)
class Partition:
    """Some rows of one file, next to each other.

    Attributes:
        number: from 0, over all files of the input.
        path: the file.
        format: how it is read.
        start, stop: bytes of a JSONL file, rows of a Parquet file (half-open).
        first_line: the number of its first line, or row, in the file, from 1.
        n_rows: its rows; blank lines are none.
    """

    number: int
    path: str
    format: Format
    start: int
    stop: int
    first_line: int
    n_rows: int


@dataclass(frozen=True, slots=True)
class PartitionedInput:
    """All partitions of an input.

    Attributes:
        partitions: in order.
        sha256: over the files' bytes (JSONL), or their names, sizes and footers (Parquet).
        format: of every file.
    """

    partitions: tuple[Partition, ...]
    sha256: str
    format: Format

    @property
    def n_rows(self) -> int:
        """Rows of all partitions."""
        return sum(partition.n_rows for partition in self.partitions)


def partitioned(source: Path, rows_each: int) -> PartitionedInput:
    """Return the partitions of a JSONL or Parquet file, or of a folder of files of one of the two kinds.

    Args:
        source: a file ending in .jsonl, .ndjson, .json or .parquet, or a folder of such files.
        rows_each: rows a partition, at most.

    Raises:
        InputError: there is no such file, nothing in the folder, both kinds in it, or a file cannot be read.
    """
    files = _files(source)
    kinds = {path: _format(path) for path in files}
    if len(set(kinds.values())) > 1:
        raise InputError("input", f"folder {str(source)!r} holds both JSONL and Parquet; give one of the two")
    kind = kinds[files[0]]
    digest = hashlib.sha256()
    partitions: list[Partition] = []
    for path in files:
        cut = _cut_lines(path, rows_each, digest) if kind == "jsonl" else _cut_parquet(path, rows_each, digest)
        for start, stop, first_line, n_rows in cut:
            partitions.append(Partition(len(partitions), str(path), kind, start, stop, first_line, n_rows))
    return PartitionedInput(tuple(partitions), digest.hexdigest(), kind)


def rows_of(partition: Partition, *, without_references: bool = False) -> Iterator[Row]:
    """Yield the rows of a partition, in order, bad ones with their error.

    Raises:
        InputError: the file is no longer what it was when it was cut, or cannot be read.
    """
    rows = (
        _read_lines(partition, without_references)
        if partition.format == "jsonl"
        else _read_parquet(partition, without_references)
    )
    n_rows = 0
    for row in rows:
        yield row
        n_rows += 1
    if n_rows != partition.n_rows:
        raise InputError("input", f"file {partition.path!r} has changed while it was being scored; start again")


def _files(source: Path) -> list[Path]:
    if not source.exists():
        raise InputError("input", f"{str(source)!r} does not exist; give a JSONL or Parquet file, or a folder of them")
    if not source.is_dir():
        return [source]
    files = sorted(path for path in source.iterdir() if path.is_file() and not path.name.startswith((".", "_")))
    if not files:
        raise InputError("input", f"folder {str(source)!r} holds no file; give a folder of JSONL or Parquet files")
    return files


def _format(path: Path) -> Format:
    kind = path.suffix.lower()
    if kind in (".jsonl", ".ndjson", ".json"):
        return "jsonl"
    if kind in (".parquet", ".pq"):
        return "parquet"
    raise InputError(
        "input", f"file {str(path)!r} is neither JSONL nor Parquet by its name; name it .jsonl or .parquet"
    )


def _cut_lines(path: Path, rows_each: int, digest: "hashlib._Hash") -> Iterator[tuple[int, int, int, int]]:
    start, position, first_line, n_rows, number = 0, 0, 1, 0, 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                digest.update(line)
                position += len(line)
                n_rows += bool((without_mark(line) if number == 1 else line).strip())
                if n_rows == rows_each:
                    yield start, position, first_line, n_rows
                    start, first_line, n_rows = position, number + 1, 0
    except OSError as error:
        raise InputError("input", f"file {str(path)!r} cannot be read: {error.strerror}") from None
    if n_rows:
        yield start, position, first_line, n_rows


def _read_lines(partition: Partition, without_references: bool) -> Iterator[Row]:
    try:
        with Path(partition.path).open("rb") as stream:
            stream.seek(partition.start)
            content = stream.read(partition.stop - partition.start)
    except OSError as error:
        raise InputError("input", f"file {partition.path!r} cannot be read: {error.strerror}") from None
    for number, line in numbered_lines(io.BytesIO(content), partition.first_line):
        yield row_of(line, number, without_references=without_references)


def _cut_parquet(path: Path, rows_each: int, digest: "hashlib._Hash") -> Iterator[tuple[int, int, int, int]]:
    file = _parquet(path)
    if _ANSWER not in file.schema_arrow.names:
        raise InputError(
            "input", f"file {str(path)!r} has no column {_ANSWER!r}; it has {', '.join(file.schema_arrow.names)}"
        )
    digest.update(f"{path.name}\\0{path.stat().st_size}\\0{file.metadata.num_rows}\\0{file.schema_arrow}".encode())
    done = 0
    for index in range(file.metadata.num_row_groups):
        n_group = file.metadata.row_group(index).num_rows
        for start in range(done, done + n_group, rows_each):
            stop = min(start + rows_each, done + n_group)
            yield start, stop, start + 1, stop - start
        done += n_group


def _read_parquet(partition: Partition, without_references: bool) -> Iterator[Row]:
    file = _parquet(Path(partition.path))
    first = 0
    for index in range(file.metadata.num_row_groups):
        n_group = file.metadata.row_group(index).num_rows
        if first <= partition.start < first + n_group:
            table = file.read_row_group(index).slice(partition.start - first, partition.stop - partition.start)
            for number, fields in enumerate(table.to_pylist(), start=partition.first_line):
                given = {name: value for name, value in fields.items() if value is not None}
                yield row_of_fields(given, number, without_references=without_references)
            return
        first += n_group


def _parquet(path: Path):  # type: ignore[no-untyped-def]
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError("input", "is Parquet, which needs pyarrow: pip install 'ragcortex[ray]'") from None
    try:
        return ParquetFile(path)
    except (OSError, ArrowException) as error:
        raise InputError("input", f"file {str(path)!r} cannot be read as Parquet: {error}") from None
