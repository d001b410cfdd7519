"""LUMINA: knowledge taken from within against use made of the references, without labels."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.windows import by_window, lowest, measure
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.measures.embeddings import input_embeddings
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.signals.lumina import external_context, lumina_score
from ragcortex.splits import group_indices

_SPEC: Final = ReadingSpec(measures=("lens_progress", "top_tokens"))
_OTHER_SPEC: Final = ReadingSpec(measures=("top_tokens",))


class LUMINA(BenchmarkMethod):
    """H = λ I − (1 − λ) E of each token; of an answer, the mean over its tokens, as published.

    E compares the reader's distributions with the true references and with those of another source, drawn by seed for
    each answer. An answer whose other references do not fit the window is compared with their first window.

    Args:
        weight: λ.
    """

    card = MethodCard(
        name="lumina",
        title="LUMINA",
        summary="how late the layers come to a token, minus how much other documents would change it",
        source=(
            "Yeh, Li and Mallick 2026 (arXiv 2509.21875) and its released code: 100 likeliest tokens, cosine kernel, "
            "λ = 0.5, neither signal normalised. Ours: the last layer is normed once; other documents are another "
            "source's references, drawn by seed"
        ),
        training="none",
        scale="any",
        answer_score="mean of its tokens' raw scores",
    )

    runs_model = True

    def __init__(self, weight: float = 0.5) -> None:
        if not 0 <= weight <= 1:
            raise InputError("weight", f"must lie in [0, 1], got {weight}")
        self.weight = weight

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`; the pass with other documents is read by the method itself."""
        return _SPEC

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the score; nothing is fitted."""
        return _FittedLUMINA(self.weight)


class _FittedLUMINA(FittedMethod):
    def __init__(self, weight: float) -> None:
        self._weight = weight

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        swapped = with_other_documents(bench.examples, indices, bench.seed)
        others = bench.store.read(bench.reader, swapped, _OTHER_SPEC)
        embed = partial(input_embeddings, bench.reader)
        for reading, other in zip(bench.readings(indices, _SPEC), others, strict=True):
            elsewhere = by_window(other, measure("top_tokens"))[0]
            pairs = zip(
                by_window(reading, measure("lens_progress")), by_window(reading, measure("top_tokens")), strict=True
            )
            tokens = lowest([
                lumina_score(internal, external_context(top, elsewhere, embed), self._weight)
                for internal, top in pairs
            ])  # fmt: skip
            yield MethodScores(tokens, float(tokens.mean()))


def with_other_documents(examples: Sequence[Example], indices: Sequence[int], seed: int) -> list[Example]:
    """Return these answers with the references of another source, drawn by seed and the answer's position.

    Raises:
        InputError: every answer with references is of the same source.
    """
    groups = group_indices([example.group for example in examples])
    usable = np.array([any(r.text.strip() for r in example.references) for example in examples])
    swapped = []
    for index in indices:
        own = {reference.text for reference in examples[index].references}
        order = np.random.default_rng([seed, index]).permutation(len(examples))
        found = next(
            (o for o in order if usable[o] and groups[o] != groups[index] and _differs(examples[o], own)), None
        )
        if found is None:
            raise InputError("group", "is the same for every answer, so no other source's references can be drawn")
        example = examples[index]
        swapped.append(replace(example, references=examples[int(found)].references, spans=None, label=None, group=None))
    return swapped


def _differs(example: Example, texts: set[str]) -> bool:
    """Return whether an answer's references are others than these: one source may go by two names."""
    return {reference.text for reference in example.references}.isdisjoint(texts)
