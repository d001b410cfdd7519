"""Made readings in which hallucinated tokens are told by one direction of their states and by their likelihood.

They stand for a reader and its store, so that a method sees exactly what is planted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from ragcortex.align import AnswerTokens
from ragcortex.benchmark.method import FoldData, MethodScores, Workbench
from ragcortex.example import Example, Reference, Span
from ragcortex.readers.models import ReaderIdentity
from ragcortex.readers.prompts import PromptTemplate
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, PassArrays, Reading, ReadingSpec

N_LAYERS = 4
WIDTH = 12
WORDS = ("the", "lamp", "in", "hall", "is", "green", "and", "was", "bought", "new")

_IDENTITY = ReaderIdentity("words", None, "0" * 64, "words", N_LAYERS, WIDTH, 512)
_TEMPLATE = PromptTemplate("raw")


@dataclass(frozen=True)
class WordReader:
    """A reader whose tokens are words, each with the space before it; its numbers are made by `PlantedStore`."""

    identity: ReaderIdentity = _IDENTITY
    dtype: str = "float32"
    device: str = "cpu"
    window: int = 512
    template: PromptTemplate = _TEMPLATE
    key = Reader.key

    def tokenize(self, answer: str) -> AnswerTokens:
        edges = [0, *(place for place, letter in enumerate(answer) if letter == " "), len(answer)]
        ranges = tuple(pairwise(edges))
        return AnswerTokens(answer, tuple(range(len(ranges))), ranges)


class PlantedStore:
    """Makes the reading of an answer from its words: «zz…» words are hallucinated.

    Args:
        layer: the only layer whose states tell; every other one is noise.
        n_windows: windows of the references; in those after the first, words of `grounded_later` are as grounded ones.
        n_pieces: pieces the answer is read in, each sharing two tokens with the one before.
    """

    def __init__(
        self, layer: int = 2, *, n_windows: int = 1, n_pieces: int = 1, grounded_later: tuple[str, ...] = ()
    ) -> None:
        self.layer = layer
        self.n_windows = n_windows
        self.n_pieces = n_pieces
        self.grounded_later = grounded_later
        self.asked: list[ReadingSpec] = []
        self.direction = np.random.default_rng(5).normal(size=WIDTH)
        self.direction *= 6 / np.linalg.norm(self.direction)

    def read(self, reader: WordReader, examples: Sequence[Example], spec: ReadingSpec) -> Iterator[Reading]:
        self.asked.append(spec)
        for example in examples:
            yield self.reading(reader.tokenize(example.answer), spec, int(example.id or 0))

    def reading(self, tokens: AnswerTokens, spec: ReadingSpec, number: int) -> Reading:
        n = len(tokens)
        bounds = np.linspace(0, n, self.n_pieces + 1).astype(int).tolist()
        blocks = []
        for window in range(self.n_windows):
            ref, noref = self._pass(tokens, number, window), self._pass(tokens, number, -1)
            for keep, stop in pairwise(bounds):
                start = max(0, keep - 2)
                cut = slice(start, stop)
                blocks.append(
                    Block(start, stop, keep, window, _part(ref, cut, spec), _part(noref, cut, spec, attends=False))
                )
        return Reading(tokens, tuple(blocks), self.n_windows, 8)

    def _pass(self, tokens: AnswerTokens, number: int, window: int) -> PassArrays:
        """Return the whole answer's pass; window −1 is the one without references, in which nothing is told."""
        rng = np.random.default_rng([number, window + 1])
        words = [tokens.text[start:end].strip() for start, end in tokens.ranges]
        invented = np.array(
            [word.startswith("zz") and not (window > 0 and word in self.grounded_later) for word in words]
        )
        told = invented * (window >= 0)
        hidden = {layer: rng.normal(size=(len(words), WIDTH)) for layer in range(N_LAYERS + 1)}
        hidden[self.layer] += told[:, None] * self.direction
        log_prob = -1.0 - rng.random(len(words)) - 4.0 * told
        attention = np.tril(rng.random((len(words), len(words))) / (2 * len(words)))
        return PassArrays(
            {layer: states.astype(np.float32) for layer, states in hidden.items()},
            log_prob.astype(np.float32),
            (1.0 + rng.random(len(words)) + 3.0 * told).astype(np.float32),
            attention.astype(np.float32),
            (0.4 + 0.05 * rng.random(len(words)) - 0.3 * told).astype(np.float32),
        )


def _part(whole: PassArrays, cut: slice, spec: ReadingSpec, *, attends: bool = True) -> PassArrays:
    def of(values: Floats | None) -> Floats:
        assert values is not None
        return values[cut]

    pools = spec.attends and attends
    return PassArrays(
        {layer: whole.hidden[layer][cut] for layer in spec.layers},
        of(whole.log_prob) if spec.log_probs else None,
        of(whole.entropy) if spec.log_probs else None,
        of(whole.attention)[:, cut] if pools else None,
        of(whole.reference_attention) if pools else None,
    )


def planted_answers(n: int = 60, seed: int = 0) -> tuple[Example, ...]:
    """Return answers of 12 words; every second one ends with two or three invented words."""
    rng = np.random.default_rng(seed)
    examples = []
    for number in range(n):
        words = rng.choice(WORDS, size=12).tolist()
        n_invented = int(rng.integers(2, 4)) if number % 2 else 0
        words[12 - n_invented :] = [f"zz{place}" for place in range(n_invented)]
        answer = " ".join(words)
        start = answer.find("zz")
        spans = (Span(start, len(answer)),) if n_invented else ()
        examples.append(
            Example("Q?", (Reference("R."),), answer, id=str(number), spans=spans, label=len(spans), group=str(number))
        )
    return tuple(examples)


def shuffled(examples: Sequence[Example], seed: int = 0) -> tuple[Example, ...]:
    """Return the answers with spans drawn anywhere: labels that say nothing of what is planted."""
    rng = np.random.default_rng(seed)
    found = []
    for example, label in zip(examples, rng.permutation([example.label for example in examples]), strict=True):
        words = example.answer.split(" ")
        first = int(rng.integers(0, len(words) - 2))
        start = len(" ".join(words[:first])) + (first > 0)
        spans = (Span(start, start + len(" ".join(words[first : first + 2]))),) if label else ()
        found.append(replace(example, spans=spans, label=int(label)))
    return tuple(found)


def planted_bench(
    folder: Path, examples: Sequence[Example], store: PlantedStore | None = None, **more: Any
) -> Workbench:
    """Return a workbench over made readings."""
    return Workbench(tuple(examples), cast(Any, WordReader()), cast(Any, store or PlantedStore()), folder, **more)


def halves(examples: Sequence[Example]) -> tuple[FoldData, list[int]]:
    """Return a fold over the first two thirds of the answers, and the positions of the rest, to be scored."""
    n = len(examples)
    return FoldData(0, tuple(range(n // 2)), tuple(range(n // 2, 2 * n // 3))), list(range(2 * n // 3, n))


def pooled(bench: Workbench, indices: Sequence[int], scores: Sequence[MethodScores]) -> tuple[Any, Any]:
    """Return labels and scores of all tokens of these answers."""
    tokens = [one.tokens for one in scores if one.tokens is not None]
    return np.concatenate([bench.token_labels(index) for index in indices]), np.concatenate(tokens)
