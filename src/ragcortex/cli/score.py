"""`ragcortex score`: any number of rows, one output row each, resumable."""

import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import cannot_write, check_writable, plural, say, write_data
from ragcortex.cli.inputs import STANDARD_INPUT
from ragcortex.cli.options import DetectorOption, DeviceOption, DtypeOption, ReaderOption, WindowOption
from ragcortex.cli.resume import InputFile, RowFile, Run, Tally, json_lines
from ragcortex.cli.witness import (
    CalibrationOption,
    CorpusOption,
    EmbedderOption,
    StrictOption,
    WitnessOption,
    WitnessOptions,
    load_witness,
    run_identity,
)
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import EXIT_OK, EXIT_SOME_ROWS_FAILED, InputError, RagcortexError

if TYPE_CHECKING:
    from ragcortex.datasets.jsonl import Row
    from ragcortex.detectors.detector import Detector

_STANDARD_OUTPUT = "-"
Rows = Sequence[Mapping[str, Any]]
Write = Callable[[Rows], None]


def score(
    *,
    input: Annotated[
        str, typer.Argument(metavar="IN.jsonl", help="Rows, one JSON object a line; - is standard input.")
    ],
    out: Annotated[str, typer.Option("--out", metavar="OUT.jsonl", help="Where to write; - is standard output.")],
    detector: DetectorOption = DEFAULT_DETECTOR,
    reader: ReaderOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
    witness: WitnessOption = None,
    corpus: CorpusOption = None,
    calibration: CalibrationOption = None,
    embedder: EmbedderOption = None,
    strict: StrictOption = False,
    batch_size: Annotated[
        int, typer.Option("--batch-size", metavar="N", min=1, help="Rows read, and written, together.")
    ] = 16,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start again although OUT.jsonl exists.")] = False,
    fail_on_error: Annotated[
        bool, typer.Option("--fail-on-error/--no-fail-on-error", help="Exit with 5 if a row failed.")
    ] = True,
) -> int:
    """Check every row of a JSONL file; resumable.

    Interrupted, the same command goes on where it stopped.
    """
    asked = WitnessOptions(witness, detector, reader, device, dtype, window, corpus, calibration, embedder, strict)
    asked.check()
    job = Job(partial(load_witness, asked, group_size=batch_size), detector, batch_size, corpus is not None)
    if _is_stream(input) or _is_stream(out):
        tally = _score_stream(input, out, job, overwrite=overwrite)
    else:
        tally = _score_file(Path(input), Path(out), job, overwrite=overwrite)
    return EXIT_SOME_ROWS_FAILED if tally.n_errors and fail_on_error else EXIT_OK


@dataclass(frozen=True, slots=True)
class Job:
    """How rows are scored: what loads the detector, what it was loaded by, rows a group, and whether by a corpus."""

    load: "Callable[[], Detector]"
    source: str
    group_size: int
    against_corpus: bool


def _score_file(source: Path, out: Path, job: Job, *, overwrite: bool) -> Tally:
    """Score a file into a file, going on where an interrupted run stopped."""
    from ragcortex.datasets.jsonl import read_rows

    if out.exists() and source.exists() and out.samefile(source):
        raise InputError("out", f"{str(out)!r} is the input itself; give another file")
    with RowFile(out, overwrite=overwrite) as target:
        content = InputFile.of(source)
        detector = job.load()
        n_before = target.begin(Run(input_sha256=content.sha256, **run_identity(detector, job.source)))  # type: ignore[arg-type]
        if n_before:
            say(f"going on after {n_before:,} of {plural(content.n_rows, 'row')}")
        started = time.monotonic()
        try:
            rows = islice(read_rows(source, without_references=job.against_corpus), n_before, None)
            _score(detector, rows, target.write, job.group_size, total=content.n_rows, completed=n_before)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"after {target.tally.n_rows:,} of {plural(content.n_rows, 'row')}; the same command goes on from there"
            ) from None
        target.finish()
    _summarise(target.tally, n_before, time.monotonic() - started, detector)
    return target.tally


def _score_stream(input: str, out: str, job: Job, *, overwrite: bool) -> Tally:
    """Score where the input or the output is a pipe, which keeps nothing that could be taken up again."""
    from ragcortex.datasets.jsonl import read_rows

    path = Path(out)
    if out != _STANDARD_OUTPUT:
        check_writable(path)
        if not overwrite and path.is_file() and path.stat().st_size:
            raise InputError("out", f"file {out!r} already exists; give --overwrite to replace it, or another --out")
    total = None if _is_stream(input) else InputFile.of(Path(input)).n_rows
    source = _standard_input() if input == STANDARD_INPUT else Path(input)
    rows = read_rows(source, without_references=job.against_corpus)
    say("from or to a pipe: an interrupted run cannot be taken up again")
    detector = job.load()
    tally = Tally()
    started = time.monotonic()
    try:
        with _writer(out, tally) as write:
            _score(detector, rows, write, job.group_size, total=total)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"after {plural(tally.n_rows, 'row')}") from None
    _summarise(tally, 0, time.monotonic() - started, detector)
    return tally


def _score(
    detector: "Detector",
    rows: "Iterator[Row]",
    write: Write,
    group_size: int,
    *,
    total: int | None,
    completed: int = 0,
) -> None:
    """Read, score and write the rows a group at a time; a bad row takes its place in the output with its error."""
    from ragcortex.rendering.progress import progress

    with progress(total, "scoring", completed=completed) as advance:
        while group := list(islice(rows, group_size)):
            outcomes = detector.check_many([row.example for row in group if row.example is not None])
            lines = []
            for row in group:
                outcome = next(outcomes) if row.example is not None else None
                error = row.error if outcome is None else outcome.error
                if outcome is not None and outcome.report is not None:
                    lines.append(_identity(row) | {"report": outcome.report.to_dict()})
                elif error is not None:
                    lines.append(_identity(row, failed=True) | {"error": _described(error)})
            write(lines)
            advance(len(lines))


def _identity(row: "Row", *, failed: bool = False) -> dict[str, Any]:
    """Return what tells a row from others: its id, and the line it stands on where it has no id or is wrong."""
    return {"id": row.id, "line": row.line} if failed or row.id is None else {"id": row.id}


def _described(error: RagcortexError) -> dict[str, str]:
    if isinstance(error, InputError):
        return {"field": error.field, "message": error.message}
    return {"field": "reader", "message": str(error)}


@contextmanager
def _writer(out: str, tally: Tally) -> Iterator[Write]:
    """Give a function that writes rows to a file or to standard output, and counts them."""
    try:
        stream = None if out == _STANDARD_OUTPUT else Path(out).open("wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise cannot_write(Path(out), error) from None

    def write(rows: Rows) -> None:
        if stream is None:
            write_data(json_lines(rows))
        else:
            stream.write(json_lines(rows).encode("utf-8"))
            stream.flush()
        for row in rows:
            tally.add(row)

    try:
        yield write
    finally:
        if stream is not None:
            stream.close()


def _summarise(tally: Tally, n_before: int, seconds: float, detector: "Detector") -> None:
    """Say how many rows came out how, those of the interrupted run included, and how fast this run was.

    A cascade says how many of this run's answers were read.
    """
    from ragcortex.detectors.fused import FusedDetector
    from ragcortex.rendering.progress import duration, rate_text
    from ragcortex.report_parts import VERDICTS

    counts = [f"{tally.verdicts[verdict]:,} {verdict}" for verdict in VERDICTS if tally.verdicts[verdict]]
    if tally.n_errors:
        counts.append(plural(tally.n_errors, "error"))
    n_now = tally.n_rows - n_before
    speed = f" ({rate_text(n_now / seconds)})" if n_now and seconds > 0 else ""
    earlier = f", {n_before:,} of them by the interrupted run" if n_before else ""
    detail = f": {', '.join(counts)}" if counts else ""
    saving = f"; {detector.saving}" if isinstance(detector, FusedDetector) and detector.cascade else ""
    say(f"scored {plural(tally.n_rows, 'row')}{earlier}, in {duration(seconds)}{speed}{detail}{saving}")


def _is_stream(value: str) -> bool:
    """Return whether a path is standard input or output, a pipe or a device: read once, or keeping nothing."""
    path = Path(value)
    return value == STANDARD_INPUT or (path.exists() and not path.is_dir() and not stat.S_ISREG(path.stat().st_mode))


def _standard_input() -> Path:
    """Return standard input as a path that can be opened."""
    path = Path("/dev/stdin")
    if not path.exists():
        raise InputError("input", "standard input cannot be read row by row on this system; give a file")
    return path
