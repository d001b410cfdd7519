"""The tokens of several answers in one table, and batches of answers for a network that reads them in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragcortex.errors import InputError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """The tokens of several answers, one after the other, as a scorer is fitted on them.

    Attributes:
        X: features, float32 (n, columns).
        y: labels, int8 (n,).
        lengths: how many tokens each answer, or piece of a long one, has in it; they add up to n.
    """

    X: Floats
    y: Labels
    lengths: Sequence[int]

    def parts(self) -> list[Floats]:
        """Return the features of each answer."""
        return np.split(self.X, np.cumsum(self.lengths)[:-1])

    def batches(self, size: int, order: np.random.Generator) -> Iterator[tuple[Floats, Floats, Any]]:
        """Yield features (b, t, columns), labels (b, t) and which tokens there are, answers of like length together."""
        ends = np.cumsum(self.lengths)
        by_length = [index for index in np.argsort(self.lengths, kind="stable").tolist() if self.lengths[index]]
        batches = [by_length[first : first + size] for first in range(0, len(by_length), size)]
        for number in order.permutation(len(batches)).tolist():
            members = batches[number]
            longest = max(self.lengths[index] for index in members)
            features = np.zeros((len(members), longest, self.X.shape[1]), np.float32)
            labels = np.zeros((len(members), longest), np.float32)
            known = np.zeros((len(members), longest), np.bool_)
            for row, index in enumerate(members):
                own = slice(int(ends[index]) - self.lengths[index], int(ends[index]))
                features[row, : self.lengths[index]] = self.X[own]
                labels[row, : self.lengths[index]] = self.y[own]
                known[row, : self.lengths[index]] = True
            yield features, labels, known


def checked_lengths(lengths: Sequence[int] | None, n_rows: int) -> list[int]:
    """Return how many tokens each answer has; raises InputError unless they add up to the rows. None is one answer."""
    found = [n_rows] if lengths is None else [int(length) for length in lengths]
    if sum(found) != n_rows or min(found, default=0) < 0:
        raise InputError("lengths", f"must add up to the {n_rows} tokens given, got {sum(found)}")
    return found
