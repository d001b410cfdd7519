"""What a method of the benchmark is: fitted on some answers of a data set, it scores others.

Every method is given the same answers, the same reader, the same splits and the same store of readings, and returns
raw scores only. Smoothing, thresholds and figures are the protocol's, so that no method is smoothed or thresholded by a
rule of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ragcortex.align import AnswerTokens, token_labels
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.errors import ReadingError, TrainingError
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.readers.store import ReadingStore
from ragcortex.score_arrays import Floats, Labels, finite_scores, probability_scores


@dataclass(frozen=True, slots=True)
class MethodScores:
    """What a method says of one answer; higher = more likely hallucinated.

    Attributes:
        tokens: one raw score a token, float64 (T,), finite; None where the method scores whole answers only.
        answer: the score of the answer; None where it is the highest smoothed token score. At least one is given.
    """

    tokens: Floats | None
    answer: float | None = None

    def __post_init__(self) -> None:
        if self.tokens is None and self.answer is None:
            raise ReadingError("a method must score the tokens of an answer, or the answer, or both")
        if self.tokens is not None:
            object.__setattr__(self, "tokens", finite_scores(self.tokens, "tokens"))
        if self.answer is not None:
            object.__setattr__(self, "answer", float(finite_scores([self.answer], "answer")[0]))


@dataclass(frozen=True, slots=True)
class Workbench:
    """What every method works with.

    Attributes:
        examples: all answers of the data set, labelled; methods are given positions in it.
        reader: the model that reads.
        store: keeps readings, so that all methods share them.
        folder: where a method may keep what is costly to make again, in a sub-folder of its own name.
        seed: of everything random.
        n_networks: networks averaged a head.
        layers: candidate layers for methods that choose one; None takes each method's own.
        report: called with a line of progress now and then.
    """

    examples: tuple[Example, ...]
    reader: Reader
    store: ReadingStore = field(repr=False)
    folder: Path
    seed: int = 0
    n_networks: int = 1
    layers: tuple[int, ...] | None = None
    report: Callable[[str], None] = field(default=lambda _: None, repr=False)
    _tokens: dict[int, AnswerTokens] = field(default_factory=dict, init=False, repr=False, compare=False)

    def readings(self, indices: Sequence[int], spec: ReadingSpec) -> Iterator[Reading]:
        """Yield the readings of these answers, in this order, from the store where they are there."""
        return self.store.read(self.reader, [self.examples[index] for index in indices], spec)

    def tokens(self, index: int) -> AnswerTokens:
        """Return the tokens of an answer, made once for all methods."""
        if index not in self._tokens:
            self._tokens[index] = self.reader.tokenize(self.examples[index].answer)
        return self._tokens[index]

    def token_labels(self, index: int) -> Labels:
        """Return the label of each token of an answer, int8 (T,).

        Raises:
            TrainingError: its spans are not known.
        """
        example = self.examples[index]
        if example.known_spans is None:
            raise TrainingError(f"example {example.id!r} has no known spans, so its tokens have no labels")
        return token_labels(self.tokens(index), example.known_spans)

    def with_known_spans(self, indices: Sequence[int]) -> list[int]:
        """Return those of the answers whose tokens have labels."""
        return [index for index in indices if self.examples[index].known_spans is not None]

    def answer_labels(self, indices: Sequence[int]) -> Labels:
        """Return the label of each of these answers, int8 (n,).

        Raises:
            TrainingError: one has no label.
        """
        labels = [self.examples[index].answer_label for index in indices]
        if None in labels:
            missing = self.examples[indices[labels.index(None)]].id
            raise TrainingError(f"example {missing!r} has no label; leave it out or label it")
        return np.array(labels, dtype=np.int8)


@dataclass(frozen=True, slots=True)
class FoldData:
    """The answers a method is fitted with in one fold: positions among the workbench's examples.

    Attributes:
        number: which fold, from 0; with official splits there is one.
        training: to fit on.
        validation: to choose on (layer, stopping, hyper-parameters); no source is also in training or in test.
    """

    number: int
    training: tuple[int, ...]
    validation: tuple[int, ...]


class FittedMethod(ABC):
    """A method fitted in one fold.

    Attributes:
        choices: what was chosen on validation data, for the record; JSON values.
    """

    choices: Mapping[str, Any] = {}

    @abstractmethod
    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield what the method says of each of these answers, in this order."""


class BenchmarkMethod(ABC):
    """A method before it is fitted.

    Attributes:
        card: what a table says of it.
        surroundings: what its scores depend on beside its options, the reader and the answers (a file's content, an
            endpoint, another model), as JSON values: scores made in other surroundings are not taken for its own.
        runs_model: whether it runs a model by itself, beside the readings that all methods share: then its cost cannot
            be parted into reading and scoring.
        seen: data sets, as the catalogue names them, on whose answers it was fitted before: it is not run on them.
    """

    card: MethodCard
    surroundings: Mapping[str, Any] = {}
    runs_model: bool = False
    seen: Collection[str] = ()

    @abstractmethod
    def spec(self, reader: Reader) -> ReadingSpec:
        """Return what it needs of the two passes: the protocol reads the union for all methods once.

        A method that reads nothing (or reads by itself) returns an empty spec.
        """

    @abstractmethod
    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the method fitted on the fold's training answers, its choices made on validation answers.

        Raises:
            TrainingError: the answers do not suffice.
        """


def checked(scores: MethodScores, card: MethodCard, n_tokens: int) -> MethodScores:
    """Return the scores, proven to be what the card promises.

    Raises:
        ReadingError: token scores are missing, too many or too few, or not probabilities where the card says so.
    """
    if scores.tokens is None:
        if card.level != "answer":
            raise ReadingError(f"{card.name}: scores {card.level}s by its card, but gave no token scores")
        return scores
    if len(scores.tokens) != n_tokens:
        raise ReadingError(f"{card.name}: expected {n_tokens} scores, one a token, got {len(scores.tokens)}")
    if card.scale == "probability":
        probability_scores(scores.tokens, card.name)
    return scores
