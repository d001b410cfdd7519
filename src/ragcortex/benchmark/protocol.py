"""Splits by source: which answers a method is fitted on, which it chooses on, and which it is tested on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.config import ProtocolConfig
from ragcortex.benchmark.method import FoldData
from ragcortex.errors import InputError, TrainingError
from ragcortex.example import Example
from ragcortex.splits import folds, group_indices, holdout

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold: what a method is fitted with, and the answers it is tested on.

    Raises:
        TrainingError: a part is empty.
    """

    data: FoldData
    test: tuple[int, ...]

    def __post_init__(self) -> None:
        parts = {"training": self.data.training, "validation": self.data.validation, "test": self.test}
        for name, indices in parts.items():
            if not indices:
                raise TrainingError(f"fold {self.data.number + 1} has no {name} answers; give more sources")


def make_folds(
    examples: Sequence[Example], splits: Sequence[str | None], protocol: ProtocolConfig, seed: int
) -> list[Fold]:
    """Return the folds of a run; no source is in two parts of one fold.

    Args:
        examples: the answers.
        splits: the official part of each: `train`, `validation`, `test`, or None.
        protocol: how to split.
        seed: of everything drawn.

    Raises:
        TrainingError: there are too few sources.
        InputError: official parts are asked for and there are none, or a source is in two of them.
    """
    if protocol.split == "official":
        return [_official(examples, splits, protocol, seed)]
    strata = [example.answer_label for example in examples]
    fold_of = folds([example.group for example in examples], protocol.folds, seed, strata=strata)
    return [
        _fold(
            number,
            np.flatnonzero(fold_of != number),
            np.flatnonzero(fold_of == number),
            examples=examples,
            protocol=protocol,
            seed=seed,
        )
        for number in range(protocol.folds)
    ]


def _official(examples: Sequence[Example], splits: Sequence[str | None], protocol: ProtocolConfig, seed: int) -> Fold:
    part = np.array([name or "" for name in splits])
    for name in ("train", "test"):
        if not (part == name).any():
            raise InputError(
                "protocol.split", f"is official, but no answer is in the {name} part; use cross-validation"
            )
    groups = group_indices([example.group for example in examples])
    training, validation, test = (np.flatnonzero(part == name) for name in ("train", "validation", "test"))
    for first, second, names in (
        (training, test, "training and test"), (validation, test, "validation and test"),
        (training, validation, "training and validation"),
    ):  # fmt: skip
        shared = set(groups[first].tolist()) & set(groups[second].tolist())
        if shared:
            raise InputError("group", f"of {len(shared)} sources is in both {names}; the official split leaks")
    if len(validation):
        return Fold(FoldData(0, _tuple(training), _tuple(validation)), _tuple(test))
    return _fold(0, training, test, examples=examples, protocol=protocol, seed=seed)


def _fold(
    number: int,
    fitting: Indices,
    test: Indices,
    *,
    examples: Sequence[Example],
    protocol: ProtocolConfig,
    seed: int,
) -> Fold:
    """Return a fold whose validation answers are whole sources taken from those to be fitted on."""
    groups = [examples[index].group for index in fitting]
    strata = [examples[index].answer_label for index in fitting]
    held_out = holdout(groups, protocol.validation, seed, strata)
    return Fold(FoldData(number, _tuple(fitting[~held_out]), _tuple(fitting[held_out])), _tuple(test))


def _tuple(indices: Indices) -> tuple[int, ...]:
    return tuple(indices.tolist())
