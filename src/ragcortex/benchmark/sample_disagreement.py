"""How far each sentence of an answer is from answers sampled to the same source: the measures of SelfCheckGPT.

Source: Manakul, Liusie and Gales, "SelfCheckGPT", EMNLP 2023, sections 5.1, 5.3 and 5.5. A sample that says nothing
supports nothing: its disagreement is 1, and it adds no counts to the unigram model.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.answer_sentences import scored_sentences, word_list
from ragcortex.benchmark.keyed_rows import KeyedRows, key_of
from ragcortex.benchmark.unanswered import Unanswered
from ragcortex.benchmark.yes_no import SELF_CHECK, JudgementFile
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.embedder import FLOAT32
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.score_arrays import Floats


class Disagreement(ABC):
    """One measure."""

    @abstractmethod
    def scores(self, sentences: Sequence[str], samples: Sequence[str]) -> Floats:
        """Return one score a sentence of the answer, float64 (S,); higher = further from the samples."""

    def settle(self) -> dict[str, Any]:
        """Return what is to be recorded once everything is scored.

        Raises:
            ReadingError: something could not be scored.
        """
        return {}


class UnigramDisagreement(Disagreement):
    """Negative log-probability (nats) of a sentence's words, in lower case, under a unigram model.

    Args:
        largest: take the largest of a sentence's words, else their mean.
    """

    def __init__(self, largest: bool) -> None:
        self._largest = largest

    def scores(self, sentences: Sequence[str], samples: Sequence[str]) -> Floats:
        """Return max or mean of −log p, from 0 on; see `unigram_surprises`."""
        surprises = unigram_surprises(sentences, samples)
        return np.array([max(values) if self._largest else sum(values) / len(values) for values in surprises])


class EmbeddingDisagreement(Disagreement):
    """One minus the best cosine with a sentence of a sample, mean over the samples, in [0, 2]; kept on disk.

    Args:
        embedder: as `RAGCORTEX_EMBEDDER` names it; loaded on first use.
        rows: where scores are kept.
    """

    def __init__(self, embedder: str, rows: KeyedRows) -> None:
        self._source, self._rows = embedder, rows

    @cached_property
    def _embedder(self) -> RememberingEmbedder:
        return RememberingEmbedder(load_embedder(self._source, dtype=FLOAT32))

    def scores(self, sentences: Sequence[str], samples: Sequence[str]) -> Floats:
        """Return the scores; see `embedding_scores`."""
        identity = asdict(self._embedder.identity)
        key = key_of({"embedder": identity, "sentences": list(sentences), "samples": list(samples)})
        row = self._rows.get(key)
        if row is None:
            pieces = [_sentences(text) for text in samples if text.strip()]
            texts = [*sentences, *(piece for sample in pieces for piece in sample)]
            unit = self._embedder.embed(texts).unit.astype(np.float64)
            ends = np.cumsum([len(sentences), *(len(sample) for sample in pieces)])
            own, *others = np.split(unit, ends[:-1])
            silent = [unit[:0]] * (len(samples) - len(pieces))
            row = {"scores": embedding_scores(own, [*others, *silent]).tolist()}
            self._rows.add(key, row)
        return np.array(row["scores"], dtype=np.float64)


class PromptDisagreement(Disagreement):
    """The probability that a sample does not support a sentence, as a model says, mean over the samples."""

    def __init__(self, file: JudgementFile, unanswered: Unanswered) -> None:
        self._file, self._unanswered = file, unanswered

    def scores(self, sentences: Sequence[str], samples: Sequence[str]) -> Floats:
        """Return the means, in [0, 1]; a sample's line breaks are spaces, as in the released code."""
        total = np.zeros(len(sentences))
        for sample in samples:
            if not sample.strip():
                total += 1
                continue
            judgements = self._file.of(SELF_CHECK, [sample.replace("\n", " ").strip()], None, sentences)
            total += [self._unanswered.score(judgement) for judgement in judgements]
        return np.clip(total / len(samples), 0, 1)

    def settle(self) -> dict[str, Any]:
        """Return how many questions got no usable answer; see `Disagreement`."""
        self._unanswered.settle()
        return {"wording": SELF_CHECK.digest, "n_unanswered": self._unanswered.n_unanswered}


def unigram_surprises(sentences: Sequence[str], samples: Sequence[str]) -> list[list[float]]:
    """Return −log p of each word of each sentence under the unigram counts of all samples and of the answer itself.

    Counting the answer is the smoothing of the definition: no word of it has probability 0. Texts are counted a
    sentence at a time, as in the released code.

    >>> unigram_surprises(["red"], ["red blue blue"])[0][0] == math.log(4 / 2)
    True
    """
    answer = [word_list(sentence) for sentence in sentences]
    sampled = [word_list(sentence) for text in samples if text.strip() for sentence in _sentences(text)]
    counts = Counter(word for words in (*answer, *sampled) for word in words)
    total = counts.total()
    return [[math.log(total / counts[word]) for word in words] for words in answer]


def embedding_scores(own: npt.NDArray[np.float64], samples: Sequence[npt.NDArray[np.float64]]) -> Floats:
    """Return 1 − max over a sample's sentences of the cosine, mean over samples, float64 (S,).

    Args:
        own: unit vectors of the answer's sentences (S, d).
        samples: unit vectors (K, d) of each sample's sentences; K may be 0, whose best cosine is taken to be 0.
    """
    best = [(own @ vectors.T).max(axis=1) if len(vectors) else np.zeros(len(own)) for vectors in samples]
    return np.asarray(1 - np.mean(best, axis=0), dtype=np.float64)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in scored_sentences(text)]
