"""Self-consistency: answers are sampled to the same source, and each sentence is compared with them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import numpy as np

from ragcortex.benchmark.answer_sentences import scored_sentences, spread
from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.method import FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.asking import AskingMethod, by_source
from ragcortex.benchmark.sample_disagreement import (
    Disagreement,
    EmbeddingDisagreement,
    PromptDisagreement,
    UnigramDisagreement,
)
from ragcortex.benchmark.unanswered import Unanswered, Unparsable
from ragcortex.benchmark.writers import EndpointWriter, ReaderWriter, SampleFile, Writer, WriterKind
from ragcortex.benchmark.yes_no import SELF_CHECK, EndpointJudge, Judge, JudgementFile, ReaderJudge
from ragcortex.checks import check_known
from ragcortex.errors import InputError
from ragcortex.readers.generation import Sampling

Variant = Literal["unigram-max", "unigram-mean", "embedding", "prompt"]
_FOLDER: Final = "self-consistency"
_PAPER: Final = "SelfCheckGPT (Manakul, Liusie and Gales, EMNLP 2023), "
_VARIANTS: Final[dict[str, tuple[str, str]]] = {
    "unigram-max": (
        "the least likely word of a sentence in a unigram model of the samples",
        "section 5.3, max of −log p; the answer itself is counted once, as there; words without punctuation",
    ),
    "unigram-mean": (
        "the mean −log probability of a sentence's words in a unigram model of the samples",
        "section 5.3, mean of −log p; the answer itself is counted once, as there; words without punctuation",
    ),
    "embedding": (
        "one minus the best cosine with a sentence of each sample, mean over samples",
        "section 5.1, with sentence embeddings for BERTScore",
    ),
    "prompt": (
        "a model is asked whether each sample supports the sentence, mean over samples",
        f"section 5.5, wording {SELF_CHECK.name} {SELF_CHECK.digest}",
    ),
}


class SelfConsistency(AskingMethod):
    """Samples of the benchmark's own reader, a weak writer where it is small, or of a chat endpoint.

    Args:
        variant: how disagreement is measured.
        n_samples: answers sampled a source.
        temperature, top_p, max_new_tokens: how they are sampled; an endpoint counts its own tokens.
        writer: `reader` or `endpoint`; who samples, and in the variant `prompt` also who is asked.
        url, model: of the endpoint; by default `RAGCORTEX_CHAT_URL` and `RAGCORTEX_CHAT_MODEL`.
        embedder: for the variant `embedding`, as `RAGCORTEX_EMBEDDER` names it.
        unparsable: in the variant `prompt`, what an answer that is neither Yes nor No means: `error`, or `half` for a
            score of 0.5.
    """

    def __init__(
        self,
        *,
        variant: Variant = "unigram-max",
        n_samples: int = 5,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 160,
        writer: WriterKind = "reader",
        url: str | None = None,
        model: str | None = None,
        embedder: str = "embedded",
        unparsable: Unparsable = "error",
    ) -> None:
        check_known("variant", variant, tuple(_VARIANTS))
        if isinstance(n_samples, bool) or not isinstance(n_samples, int) or n_samples < 1:
            raise InputError("n_samples", f"must be a whole number from 1 on, got {n_samples!r}")
        super().__init__(writer, url, model, unparsable)
        self._variant, self._n_samples, self._embedder = variant, n_samples, embedder
        self._sampling = Sampling(temperature, top_p, max_new_tokens)
        summary, where = _VARIANTS[variant]
        self.card = MethodCard(
            name=_FOLDER,
            title=f"Self-consistency ({variant})",
            summary=summary,
            source=f"{_PAPER}{where}; {n_samples} samples at temperature {temperature:g}, written by "
            + ("the reader" if self._endpoint is None else self._endpoint.model)
            + ", where the paper samples the model that wrote the answer",
            training="none",
            scale="probability" if variant == "prompt" else "any",
            level="sentence",
            answer_score="the mean score of its sentences",
        )

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the measure with the samples there are already; there is nothing to learn."""
        folder = bench.folder / _FOLDER
        writer: Writer = ReaderWriter(bench.reader)
        judge: Judge = ReaderJudge(bench.reader)
        if self._endpoint is not None:
            writer, judge = EndpointWriter(self._endpoint), EndpointJudge(self._endpoint)
        samples = SampleFile(writer, self._n_samples, self._sampling, bench.seed, KeyedRows(folder / "samples.jsonl"))
        disagreement: Disagreement
        if self._variant == "prompt":
            rows = KeyedRows(folder / "judgements.jsonl")
            unanswered = Unanswered(self.card.name, rows, self._unparsable)
            disagreement = PromptDisagreement(JudgementFile(judge, rows), unanswered)
        elif self._variant == "embedding":
            disagreement = EmbeddingDisagreement(self._embedder, KeyedRows(folder / "embedding.jsonl"))
        else:
            disagreement = UnigramDisagreement(self._variant == "unigram-max")
        return _FittedSelfConsistency(self.card.name, samples, disagreement)


class _FittedSelfConsistency(FittedMethod):
    def __init__(self, name: str, samples: SampleFile, disagreement: Disagreement) -> None:
        self._name, self._samples, self._disagreement = name, samples, disagreement
        self.choices: dict[str, Any] = {}

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield each sentence's disagreement with the samples, given to its tokens, and their mean for the answer.

        Where a source's references needed several windows, the window that agrees best counts. Raises what the writer
        does, and ReadingError where a question got no usable answer and that counts as an error.
        """
        groups = by_source(bench, indices)
        scored: dict[int, MethodScores] = {}
        for number, (members, windows) in enumerate(
            zip(groups.values(), self._samples.of(list(groups)), strict=True), 1
        ):
            for index in members:
                answer = bench.examples[index].answer
                ranges = scored_sentences(answer)
                pieces = [answer[start:end] for start, end in ranges]
                scores = np.min(
                    [self._disagreement.scores(pieces, [one.text for one in window]) for window in windows],
                    axis=0,
                )
                scored[index] = MethodScores(spread(bench.tokens(index), ranges, scores), float(scores.mean()))
            bench.report(f"{self._name}: {number:,} of {len(groups):,} sources")
        self.choices |= self._disagreement.settle()
        yield from (scored[index] for index in indices)
