"""`ragcortex score --engine ray`: a folder of part files, scored by workers here or on a cluster."""

import dataclasses
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragcortex.cli.console import plural, say
from ragcortex.cli.score_summary import summarise
from ragcortex.cli.witness import WitnessOptions, load_witness, run_identity
from ragcortex.engines.rows import Tally

if TYPE_CHECKING:
    from ragcortex.engines.ray_engine import Load


@dataclass(frozen=True, slots=True)
class Scale:
    """Who works on what.

    Attributes:
        workers, cpus, gpus, address: see `engines.ray_engine.Workers`.
        rows_each: rows of a partition.
    """

    workers: int
    cpus: float
    gpus: float
    address: str | None
    rows_each: int


def score_with_ray(
    source: Path, out: Path, asked: WitnessOptions, scale: Scale, *, group_size: int, overwrite: bool
) -> Tally:
    """Score a file or folder into a folder, going on where an interrupted run stopped; return how all rows came out.

    Raises:
        InputError: the input cannot be read, or the folder holds something else.
        ModelError: Ray is missing, or the cluster cannot be reached.
        RagcortexError: a worker cannot load the detector, or write.
    """
    from ragcortex.engines.part_files import PartFolder
    from ragcortex.engines.partitions import partitioned
    from ragcortex.engines.ray_engine import RayEngine, ScoringTask, Workers
    from ragcortex.rendering.progress import progress

    content = partitioned(source.resolve(), scale.rows_each)
    folder = PartFolder(out.resolve(), content.format)
    load = partial(load_witness, _found_from_anywhere(asked), group_size=group_size)
    task = ScoringTask(load, folder, group_size, asked.corpus is not None)
    with RayEngine(Workers(scale.workers, scale.cpus, scale.gpus, scale.address)) as engine:
        identity = engine.ask(partial(_identity, asked.detector), load)
        folder.begin({"input_sha256": content.sha256, "rows_each": scale.rows_each, **identity}, overwrite=overwrite)
        tally, pending = Tally(), []
        for partition in content.partitions:
            finished = folder.finished(partition)
            if finished is None:
                pending.append(partition)
            else:
                tally.include(finished)
        n_before = tally.n_rows
        if n_before:
            say(f"going on after {n_before:,} of {plural(content.n_rows, 'row')}")
        started = time.monotonic()
        try:
            with progress(content.n_rows, "scoring", completed=n_before) as advance:
                for counts in engine.score(task, pending):
                    tally.include(counts)
                    advance(counts.n_rows)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"after {tally.n_rows:,} of {plural(content.n_rows, 'row')}; the same command goes on from there"
            ) from None
    summarise(tally, n_before, time.monotonic() - started)
    return tally


def _identity(source: str, load: "Load") -> dict[str, str | int]:
    """Return what decides the reports of a detector, asked where it can be loaded."""
    return run_identity(load(), source)


def _found_from_anywhere(asked: WitnessOptions) -> WitnessOptions:
    """Return the options with whole paths, since a worker has a folder of its own."""
    return dataclasses.replace(
        asked,
        detector=_whole(asked.detector) or asked.detector,
        reader=_whole(asked.reader),
        embedder=_whole(asked.embedder),
        corpus=None if asked.corpus is None else asked.corpus.resolve(),
        calibration=None if asked.calibration is None else asked.calibration.resolve(),
    )


def _whole(source: str | None) -> str | None:
    """Return the whole path of what names a file or folder, anything else as it is."""
    return str(Path(source).resolve()) if source and Path(source).exists() else source
