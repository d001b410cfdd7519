"""Two results folders compared, answer by answer where both have predictions of the same answers."""

from pathlib import Path

from ragcortex.benchmark.predictions import FOLDER as PREDICTIONS_FOLDER
from ragcortex.benchmark.predictions import read_predictions
from ragcortex.benchmark.results.compare_runs import compare_runs
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import Level, Smoothing
from ragcortex.benchmark.results.run_comparison import RunComparison
from ragcortex.evaluation.levels import LevelUnits


def compare_folders(first: Path, second: Path) -> RunComparison:
    """Return how two results folders compare, answer by answer where both have predictions of the same answers.

    Raises:
        StoreError: a folder holds no finished run, or its predictions are damaged.
        InputError: its document is damaged.
    """
    documents = RunDocument.read(first), RunDocument.read(second)
    if not all((folder / PREDICTIONS_FOLDER).is_dir() for folder in (first, second)):
        return compare_runs(*documents)
    saved = read_predictions(first), read_predictions(second)

    def paired(method: str, level: Level, smoothing: Smoothing) -> tuple[LevelUnits, LevelUnits] | None:
        if level not in ("token", "answer") or any(method not in one.scores for one in saved):
            return None
        units = [one.units(method, level, smoothing) for one in saved]
        return None if units[0] is None or units[1] is None else (units[0], units[1])

    same = saved[0].digest == saved[1].digest and saved[0].ids == saved[1].ids
    return compare_runs(*documents, paired=paired) if same else compare_runs(*documents)
