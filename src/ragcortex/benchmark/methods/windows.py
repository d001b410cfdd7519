"""Values of every answer token in each window of the references, where a score is made of more than one block.

The rule is that of `detectors.scoring.combine_blocks`, which takes scores block by block: each token is decided by the
pieces' `keep` rule, and takes the lowest score over the windows: it is grounded if any window grounds it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ragcortex.benchmark.method import Workbench
from ragcortex.errors import ReadingError, TrainingError
from ragcortex.readers.reading import Block, Floats, Reading, ReadingSpec
from ragcortex.score_arrays import Floats as Scores
from ragcortex.score_arrays import Labels

BlockValues = Callable[[Block], Floats]


def measure(name: str) -> BlockValues:
    """Return what takes a measure of the pass with references, (n, ...), from a block."""

    def values(block: Block) -> Floats:
        if name not in block.ref.measures:
            raise ReadingError(f"the reading holds no measure {name!r}; read it with a spec that names it")
        return block.ref.measures[name]

    return values


def by_window(reading: Reading, values: BlockValues) -> list[Floats]:
    """Return the values of all T answer tokens, (T, ...), once for each window of the references.

    A token read in two pieces of the answer is taken from the one that decides it.
    """
    return [
        np.concatenate([values(b)[b.keep - b.start :] for b in reading.blocks if b.window == window])
        for window in range(reading.n_windows)
    ]


def lowest(windows: Sequence[Floats | Scores]) -> Scores:
    """Return each token's lowest score over the windows, float64 (T,)."""
    scores: Scores = np.min([np.asarray(window, dtype=np.float64) for window in windows], axis=0)
    return scores


def token_rows(
    bench: Workbench, indices: Sequence[int], spec: ReadingSpec, values: BlockValues
) -> tuple[Floats, Labels]:
    """Return features (n, columns) and labels (n,) of the tokens of these answers, for training.

    Answers without known spans are left out. A token read in several windows of the references is taken from the
    first, as detectors are trained.

    Raises:
        TrainingError: no answer is left.
    """
    known = bench.with_known_spans(indices)
    if not known:
        raise TrainingError(f"none of these {len(indices)} answers has known spans, so no token has a label")
    features, labels = [], []
    for index, reading in zip(known, bench.readings(known, spec), strict=True):
        features.append(by_window(reading, values)[0])
        labels.append(bench.token_labels(index))
    return np.concatenate(features), np.concatenate(labels)
