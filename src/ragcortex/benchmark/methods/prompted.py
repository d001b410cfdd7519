"""Prompted verification: a model is asked whether the references support each sentence, and the whole answer."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ragcortex.benchmark.answer_sentences import scored_sentences, spread
from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.method import FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.asking import AskingMethod, by_source
from ragcortex.benchmark.unanswered import Unanswered, Unparsable
from ragcortex.benchmark.writers import Source, WriterKind
from ragcortex.benchmark.yes_no import ANSWER, SENTENCE, EndpointJudge, Judge, JudgementFile, ReaderJudge

_NAME: Final = "prompted-verification"


class PromptedVerification(AskingMethod):
    """Asks the benchmark's own reader, a weak judge where it is small, or a chat endpoint.

    Args:
        writer: `reader` or `endpoint`.
        url, model: of the endpoint; by default `RAGCORTEX_CHAT_URL` and `RAGCORTEX_CHAT_MODEL`.
        max_tokens: an endpoint may write this many tokens.
        log_probs: ask an endpoint for the probabilities of its first token; they are used where it gives them.
        unparsable: what an answer that is neither Yes nor No means: `error`, or `half` for a score of 0.5.
    """

    def __init__(
        self,
        *,
        writer: WriterKind = "reader",
        url: str | None = None,
        model: str | None = None,
        max_tokens: int = 16,
        log_probs: bool = True,
        unparsable: Unparsable = "error",
    ) -> None:
        super().__init__(writer, url, model, unparsable)
        self._max_tokens, self._log_probs = max_tokens, log_probs
        self.card = MethodCard(
            name=_NAME,
            title="Prompted verification",
            summary="a model is asked whether the references support each sentence, and the whole answer",
            source="common practice (a language model as judge); P(No) of P(Yes) + P(No), wording "
            f"{SENTENCE.name} {SENTENCE.digest} and {ANSWER.name} {ANSWER.digest}; the judge is "
            + ("the reader" if self._endpoint is None else f"{self._endpoint.model} at an endpoint"),
            training="none",
            scale="probability",
            level="sentence",
            answer_score="what the model says of the whole answer",
        )

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the judge with what it has said already; there is nothing to learn."""
        judge: Judge = ReaderJudge(bench.reader)
        if self._endpoint is not None:
            judge = EndpointJudge(self._endpoint, max_tokens=self._max_tokens, log_probs=self._log_probs)
        rows = KeyedRows(bench.folder / _NAME / "judgements.jsonl")
        return _FittedPrompted(JudgementFile(judge, rows), self._unparsable)


class _FittedPrompted(FittedMethod):
    def __init__(self, file: JudgementFile, unparsable: Unparsable) -> None:
        self._file, self._unparsable = file, unparsable
        self.choices: dict[str, Any] = {"wording": [SENTENCE.digest, ANSWER.digest], "n_unanswered": 0}

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the probability of No to each sentence's question, given to its tokens, and to the whole answer's.

        All answers to one source are asked together. Raises what `Judge.judge` does; ReadingError where an answer was
        neither Yes nor No and that counts as an error.
        """
        unanswered = Unanswered(_NAME, self._file.rows, self._unparsable)
        groups = by_source(bench, indices)
        scored: dict[int, MethodScores] = {}
        for number, (source, members) in enumerate(groups.items(), 1):
            scored |= self._of_source(bench, source, members, unanswered)
            bench.report(f"{_NAME}: {number:,} of {len(groups):,} sources")
        unanswered.settle()
        self.choices["n_unanswered"] += unanswered.n_unanswered
        yield from (scored[index] for index in indices)

    def _of_source(
        self, bench: Workbench, source: Source, members: Sequence[int], unanswered: Unanswered
    ) -> dict[int, MethodScores]:
        answers = {index: bench.examples[index].answer for index in members}
        ranges = {index: scored_sentences(answer) for index, answer in answers.items()}
        pieces = [answers[index][start:end] for index in members for start, end in ranges[index]]
        evidence, question = source.references, source.question
        sentences = iter(self._file.of(SENTENCE, evidence, question, pieces))
        whole = self._file.of(ANSWER, evidence, question, [answers[index].strip() for index in members])
        found = {}
        for index, judgement in zip(members, whole, strict=True):
            scores = [unanswered.score(next(sentences)) for _ in ranges[index]]
            tokens = spread(bench.tokens(index), ranges[index], scores)
            found[index] = MethodScores(tokens, unanswered.score(judgement))
        return found
