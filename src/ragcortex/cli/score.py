"""`ragcortex score`: any number of rows, one output row each, resumable."""

import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragcortex.cli.console import cannot_write, check_writable, onto, plural, say, write_data
from ragcortex.cli.inputs import STANDARD_INPUT
from ragcortex.cli.options import DetectorOption, DeviceOption, DtypeOption, ReaderOption, WindowOption
from ragcortex.cli.resume import InputFile, RowFile, Run
from ragcortex.cli.score_ray import Scale, score_with_ray
from ragcortex.cli.score_summary import summarise
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
from ragcortex.engines.rows import Tally, json_lines, scored
from ragcortex.errors import EXIT_OK, EXIT_SOME_ROWS_FAILED, InputError

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
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option("--engine", help="`local` scores in this process; `ray` in workers, here or on a cluster."),
    ] = "local",
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="Workers of --engine ray. [default: 1]")
    ] = None,
    worker_cpus: Annotated[
        float | None, typer.Option("--worker-cpus", metavar="N", min=0, help="Threads of each. [default: 1]")
    ] = None,
    worker_gpus: Annotated[
        float | None,
        typer.Option("--worker-gpus", metavar="N", min=0, help="GPUs of each; 0.5 shares one. [default: 0]"),
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option("--ray-address", metavar="ADDRESS", help="A Ray cluster. [default: one started here]"),
    ] = None,
    partition_rows: Annotated[
        int | None,
        typer.Option("--partition-rows", metavar="N", min=1, help="Rows of one output file. [default: 256]"),
    ] = None,
) -> int:
    """Check every row of a JSONL file; resumable.

    Interrupted, the same command goes on where it stopped. With --engine ray, IN may be a Parquet file or a folder, and
    OUT is a folder with a file for every --partition-rows rows.
    """
    asked = WitnessOptions(witness, detector, reader, device, dtype, window, corpus, calibration, embedder, strict)
    asked.check()
    if engine == "ray":
        scale = Scale(
            workers or 1,
            1 if worker_cpus is None else worker_cpus,
            worker_gpus or 0,
            ray_address,
            partition_rows or 256,
        )
        tally = score_with_ray(Path(input), Path(out), asked, scale, group_size=batch_size, overwrite=overwrite)
        return EXIT_SOME_ROWS_FAILED if tally.n_errors and fail_on_error else EXIT_OK
    _refuse_scale(workers, worker_cpus, worker_gpus, ray_address, partition_rows)
    job = Job(partial(load_witness, asked, group_size=batch_size), detector, batch_size, corpus is not None)
    if _is_stream(input) or _is_stream(out):
        tally = _score_stream(input, out, job, overwrite=overwrite)
    else:
        tally = _score_file(Path(input), Path(out), job, overwrite=overwrite)
    return EXIT_SOME_ROWS_FAILED if tally.n_errors and fail_on_error else EXIT_OK


def _refuse_scale(*given: object) -> None:
    """Refuse options of --engine ray without it."""
    names = ("workers", "worker-cpus", "worker-gpus", "ray-address", "partition-rows")
    for name, value in zip(names, given, strict=True):
        if value is not None:
            raise InputError(name, f"goes with --engine ray, got {value!r} without it")


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
    summarise(target.tally, n_before, time.monotonic() - started, _saving(detector))
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
    summarise(tally, 0, time.monotonic() - started, _saving(detector))
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
            lines = scored(detector, group)
            write(lines)
            advance(len(lines))


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
            with onto(repr(out)):
                stream.write(json_lines(rows).encode("utf-8"))
                stream.flush()
        for row in rows:
            tally.add(row)

    try:
        yield write
    finally:
        if stream is not None:
            with suppress(OSError):  # all is written by now, or was refused
                stream.close()


def _saving(detector: "Detector") -> str:
    """Return how many of this run's answers a cascade has read; nothing for any other detector."""
    from ragcortex.detectors.fused import FusedDetector

    return f"; {detector.saving}" if isinstance(detector, FusedDetector) and detector.cascade else ""


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
