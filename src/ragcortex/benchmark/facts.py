"""What a run was made with, and on which answers."""

import os
import platform
from pathlib import Path

from ragcortex.benchmark.held_out import HeldOutAnswers
from ragcortex.benchmark.results.document import DataFacts, Environment
from ragcortex.benchmark.run import BenchmarkRun
from ragcortex.evaluation.levels import LEVELS
from ragcortex.readers._hf import library_versions
from ragcortex.readers.reader import Reader


def environment(reader: Reader) -> Environment:
    """Return the machine, the libraries and the reader, without any name or path of the machine."""
    identity = reader.identity
    return Environment(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        processor=_processor() if reader.device == "cpu" else f"{_processor()}, {_accelerator()}",
        n_cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        libraries=library_versions(),
        reader_id=identity.id,
        reader_fingerprint=identity.fingerprint,
        reader_dtype=reader.dtype,
        n_reader_parameters=reader.n_parameters,
    )


def data_facts(run: BenchmarkRun, answers: HeldOutAnswers) -> DataFacts:
    """Return what was scored and how it was split."""
    protocol, index = run.config.protocol, answers.answers.index
    split = (
        f"{protocol.folds}-fold cross-validation by source"
        if protocol.split == "cross-validation"
        else "the data set's official split"
    )
    rates: dict[str, float | None] = {}
    for level in LEVELS:
        labels = index.labels(level)
        rates[level] = float(labels.mean()) if len(labels) else None
    tasks = {example.task for example in answers.examples}
    return DataFacts(
        name=run.data.title,
        task=tasks.pop() if len(tasks) == 1 else None,
        fingerprint=run.data.digest,
        n_answers=len(answers.positions),
        n_sources=int(index.groups.max()) + 1,
        split=f"{split}, seed {answers.seed}",
        n_training=tuple(len(fold.data.training) for fold in answers.folds),
        n_validation=tuple(len(fold.data.validation) for fold in answers.folds),
        base_rates=rates,  # type: ignore[arg-type]  # the levels of evaluation are among those of figures
        dropped=dict(run.data.dropped),
    )


def _processor() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (names[0] if names else "") or platform.processor() or platform.machine()


def _accelerator() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "an accelerator"
