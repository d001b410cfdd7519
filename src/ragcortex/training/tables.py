"""From labelled examples and their readings to the features and labels of tokens."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragcortex.align import token_labels
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.readers.store import ReadingStore
from ragcortex.scorers.token_table import TokenTable
from ragcortex.signals.features import features

Labels = npt.NDArray[np.int8]


class ReadingSource(Protocol):
    """Where readings come from, so that nothing has to hold all of them at once."""

    def __call__(self, indices: Sequence[int], /) -> Iterable[Reading]:
        """Yield the readings of these examples, in this order."""


def stored_readings(
    examples: Sequence[Example], reader: Reader, spec: ReadingSpec, store: ReadingStore
) -> ReadingSource:
    """Return a source of readings that are on disk, or read and kept when they are first asked for."""

    def source(indices: Sequence[int], /) -> Iterable[Reading]:
        return store.read(reader, [examples[index] for index in indices], spec)

    return source


def labels_of(example: Example, reading: Reading) -> Labels:
    """Return the label of each token, int8 (T,).

    Raises:
        TrainingError: the example's spans are not known.
    """
    if example.known_spans is None:
        raise TrainingError(f"example {example.id!r} has no known spans, so its tokens have no labels")
    return token_labels(reading.tokens, example.known_spans)


def token_table(
    examples: Sequence[Example],
    source: ReadingSource,
    indices: Sequence[int],
    names: tuple[str, ...],
    layer: int,
) -> TokenTable:
    """Return the features and labels of all tokens of these examples.

    A token read in several windows of the references is taken from the first.
    """
    rows, labels = [], []
    for index, reading in zip(indices, source(indices), strict=True):
        known = labels_of(examples[index], reading)
        for block in reading.blocks:
            if block.window == 0:
                rows.append(features(block, names, layer)[block.keep - block.start :])
                labels.append(known[block.keep : block.stop])
    return TokenTable(np.concatenate(rows), np.concatenate(labels), tuple(map(len, labels)))


def sample_within(examples: Sequence[Example], indices: Sequence[int], n_tokens: int, seed: int) -> list[int]:
    """Return a seeded sample of the indices whose answers have about `n_tokens` tokens (of four characters) at most."""
    order = np.random.default_rng(seed).permutation(len(indices))
    sizes = np.cumsum([len(examples[indices[position]].answer) / 4 for position in order])
    kept = order[: max(2, int(np.searchsorted(sizes, n_tokens, side="right")))]
    return [indices[position] for position in sorted(kept.tolist())]
