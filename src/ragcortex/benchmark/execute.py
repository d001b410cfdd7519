"""One benchmark run from its configuration to its results folder, and two folders compared."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragcortex.benchmark.assemble import assemble
from ragcortex.benchmark.config import BenchmarkConfig
from ragcortex.benchmark.costs import ReadingCost, reading_costs
from ragcortex.benchmark.data import read_data
from ragcortex.benchmark.example_answers import example_answers
from ragcortex.benchmark.predictions import FOLDER as PREDICTIONS_FOLDER
from ragcortex.benchmark.predictions import write_predictions
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.files import write_json
from ragcortex.benchmark.results.report_page import (
    EXAMPLES_FILE,
    EXAMPLES_PAGE,
    PICTURES_FOLDER,
    TABLES_FOLDER,
    write_report,
)
from ragcortex.benchmark.run import BenchmarkRun, run
from ragcortex.errors import StoreError
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

Progress = Callable[[str], None]


def execute(
    config: BenchmarkConfig,
    data_path: str | None,
    folder: Path,
    store: ReadingStore,
    *,
    command: str,
    report: Progress = lambda _: None,
) -> RunDocument:
    """Run a configuration and write its results folder; interrupted, the same call goes on where it stopped.

    Args:
        config: what to run.
        data_path: where the official files are; None takes the configuration's path.
        folder: of the results; what an earlier run reported in it goes, its scores are used again.
        store: of readings.
        command: the one line that runs it again.
        report: called with lines of progress.

    Raises:
        InputError: the configuration, the data or the reader's name is wrong.
        ModelError: the reader cannot be loaded.
        ReadingError, TrainingError, StoreError: reading, splitting or writing fails.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {str(folder)!r} cannot be made: {error.strerror or error}") from error
    data = read_data(config.data, data_path, config.protocol.seeds[0])
    report(f"{len(data.examples):,} answers of {data.name}")
    wanted = config.reader
    reader = Reader.load(
        wanted.id,
        device=wanted.device,
        dtype=wanted.dtype,
        options=ReaderOptions(window=wanted.window, batch_tokens=wanted.batch_tokens),
    )
    finished = run(config, data, reader, store, folder, report=report)
    costs = _costs(finished, reader, folder, report)
    assembled = assemble(finished, reader, costs, command=command, report=report)
    _clear(folder)
    write_report(assembled.document, folder, example_answers(assembled, config.examples))
    write_predictions(assembled, folder)
    return assembled.document


def _clear(folder: Path) -> None:
    """Remove what an earlier run reported: a table of methods that are not in this one would be taken for its own."""
    for name in (TABLES_FOLDER, PICTURES_FOLDER, PREDICTIONS_FOLDER):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (EXAMPLES_PAGE, EXAMPLES_FILE):
        (folder / name).unlink(missing_ok=True)


def _costs(finished: BenchmarkRun, reader: Reader, folder: Path, report: Progress) -> dict[ReadingSpec, ReadingCost]:
    """Return what reading costs, measured once and kept in the folder; nothing where nothing is to be timed."""
    n = finished.config.costs
    specs = list(dict.fromkeys(method.spec for method in finished.methods if method.failure is None))
    if not n or not specs:
        return {}
    file = folder / "reading_costs.json"
    basis = [finished.data.digest, n, reader.device, reader.options.batch_tokens, reader.key()]
    names = {spec: repr(spec) for spec in specs}
    kept = _kept_costs(file, basis)
    if not all(name in kept for name in names.values()):
        report(f"timing {len(specs)} kinds of reading on {n} answers")
        examples = finished.data.examples
        costs = reading_costs(reader, examples[:: max(1, len(examples) // n)][:n], specs)
        kept = {repr(spec): cost for spec, cost in costs.items()}
        write_json(file, {"basis": basis, "costs": {name: dataclasses.asdict(cost) for name, cost in kept.items()}})
    return {spec: kept[name] for spec, name in names.items()}


def _kept_costs(file: Path, basis: list[Any]) -> dict[str, ReadingCost]:
    """Return the costs in a file, by spec; none where it is of other things, missing or damaged: then they are new."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        if values["basis"] != basis:
            return {}
        return {name: ReadingCost(**cost) for name, cost in values["costs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
