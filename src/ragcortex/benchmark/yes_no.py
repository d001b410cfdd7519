"""Asking a model whether a text supports a statement: the wording, and what an answer says.

A score is the probability that the answer is No, given that it is Yes or No: 1 = not supported.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import regex

from ragcortex.benchmark.chat_endpoint import ChatAnswer, ChatEndpoint
from ragcortex.benchmark.keyed_rows import KeyedRows, key_of
from ragcortex.benchmark.writers import PARALLEL_REQUESTS
from ragcortex.checks import check_score
from ragcortex.errors import InputError
from ragcortex.readers.generation import option_log_probs, worded
from ragcortex.readers.prompts import SEPARATOR, Prompter
from ragcortex.readers.reader import Reader

_SPELLINGS: Final = {"yes": ("Yes", " Yes", "yes", " yes"), "no": ("No", " No", "no", " no")}
_WORD: Final = regex.compile(r"[\s\"'*`]*(yes|no)[\s\"'*`.!]*", regex.IGNORECASE)
# One word first, then a reason that does not hold the other one.
_WORD_AND_REASON: Final = regex.compile(r"[\s\"'*`]*(yes|no)[\"'*`]*[,.:;\n–—](.*)", regex.IGNORECASE | regex.DOTALL)
_FENCE: Final = regex.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """One wording of the question; its digest is part of every key, so that another wording is asked anew.

    Attributes:
        name: for people.
        evidence: what stands before the text that must support the statement.
        statement: what stands before the statement.
        ask: the question itself, last.
    """

    name: str
    evidence: str
    statement: str
    ask: str

    @property
    def digest(self) -> str:
        """The first 12 digits of the SHA-256 of the wording."""
        return hashlib.sha256("\0".join((self.name, self.evidence, self.statement, self.ask)).encode()).hexdigest()[:12]

    def after_evidence(self, question: str | None, statement: str) -> str:
        """Return what follows the evidence: the user's question where there is one, the statement, what is asked."""
        user = [f"Question: {question}"] if question and question.strip() else []
        return SEPARATOR.join([*user, self.statement + statement, self.ask])

    def whole(self, evidence: Sequence[str], question: str | None, statement: str) -> str:
        """Return the whole message."""
        return self.evidence + SEPARATOR.join([*evidence, self.after_evidence(question, statement)])


SENTENCE: Final = Question(
    "verify-sentence/1",
    "References:\n",
    "Sentence: ",
    "Is this sentence supported by the references? Answer Yes or No.",
)
ANSWER: Final = Question(
    "verify-answer/1",
    "References:\n",
    "Answer: ",
    "Is everything in this answer supported by the references? Answer Yes or No.",
)
# The published wording of SelfCheckGPT (prompt); its context is one sampled answer, with spaces for line breaks.
SELF_CHECK: Final = Question(
    "selfcheck-prompt/1",
    "Context: ",
    "Sentence: ",
    "Is the sentence supported by the context above? Answer Yes or No.\n\nAnswer: ",
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model said of one statement.

    Attributes:
        score: the probability of No in [0, 1]; None where nothing usable was said.
        said: the model's words, or the error; empty where probabilities were read off the model itself.
    """

    score: float | None
    said: str = ""

    def __post_init__(self) -> None:
        check_score("score", self.score, optional=True)


class Judge(Protocol):
    """Something that says whether evidence supports statements."""

    def key(self) -> Mapping[str, Any]:
        """Return everything about it that changes what it says, as JSON values."""

    def judge(
        self, asked: Question, evidence: Sequence[str], question: str | None, statements: Sequence[str]
    ) -> Iterator[Judgement]:
        """Yield a judgement of each statement, in order."""


class ReaderJudge:
    """The benchmark's own reader, by its probabilities of Yes and No as the next token; evidence is read once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._prompters: dict[str, Prompter] = {}

    def key(self) -> Mapping[str, Any]:
        """Return the reader's fingerprint, precision, window, template and libraries."""
        return self._reader.key()

    def judge(
        self, asked: Question, evidence: Sequence[str], question: str | None, statements: Sequence[str]
    ) -> Iterator[Judgement]:
        """Yield judgements; evidence beyond the window is read in windows, of which one that supports is enough.

        Raises:
            InputError: a statement leaves no room for evidence in the window.
            ReadingError: the reader's numbers are not finite.
        """
        if asked.digest not in self._prompters:
            self._prompters[asked.digest] = worded(
                self._reader, f"{asked.evidence}{{references}}{SEPARATOR}{{question}}"
            )
        yes, no = (self._options(word) for word in ("yes", "no"))
        prompts = self._prompts(
            self._prompters[asked.digest],
            evidence,
            [asked.after_evidence(question, statement) for statement in statements],
            max(map(len, yes + no)),
        )
        log_probs = option_log_probs(self._reader, [ids for windows in prompts for ids in windows], yes + no)
        for_yes, for_no = (
            np.logaddexp.reduce(part, axis=1) for part in (log_probs[:, : len(yes)], log_probs[:, len(yes) :])
        )
        scores = np.exp(for_no - np.logaddexp(for_yes, for_no))
        first = 0
        for windows in prompts:
            yield Judgement(float(scores[first : first + len(windows)].min()))
            first += len(windows)

    def _options(self, word: str) -> list[tuple[int, ...]]:
        """Return the token ids of the spellings of a word: those of one token where there are any."""
        spelled = list(dict.fromkeys(self._reader.tokenize(spelling).ids for spelling in _SPELLINGS[word]))
        return [ids for ids in spelled if len(ids) == 1] or spelled

    def _prompts(
        self, prompter: Prompter, evidence: Sequence[str], texts: Sequence[str], n_answer: int
    ) -> list[list[tuple[int, ...]]]:
        """Return the prompts of each text, one a window; windows are the same for all texts, so that they share them.

        The room for evidence is what the longest text leaves of the window.
        """
        frames = [len(prompter.prefix(text, ["."]).ids) for text in texts]
        room = self._reader.window - n_answer - max(frames, default=0)
        return [
            [prefix.ids for prefix in prompter.windows(text, evidence, room + frame)]
            for text, frame in zip(texts, frames, strict=True)
        ]


class EndpointJudge:
    """A chat model, by its log-probabilities of the first token where it gives them, else by the word it writes."""

    def __init__(self, endpoint: ChatEndpoint, *, max_tokens: int = 16, log_probs: bool = True) -> None:
        self._endpoint, self._max_tokens, self._log_probs = endpoint, max_tokens, log_probs

    def key(self) -> Mapping[str, Any]:
        """Return the endpoint's address and model, and how it is asked."""
        return {
            "endpoint": self._endpoint.shown,
            "model": self._endpoint.model,
            "max_tokens": self._max_tokens,
            "log_probs": self._log_probs,
        }

    def judge(
        self, asked: Question, evidence: Sequence[str], question: str | None, statements: Sequence[str]
    ) -> Iterator[Judgement]:
        """Yield judgements; what is no Yes or No, or is refused as too long, has no score and says why.

        Raises:
            ModelError: the endpoint fails.
        """
        with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:
            yield from pool.map(self._one, [asked.whole(evidence, question, statement) for statement in statements])

    def _one(self, text: str) -> Judgement:
        try:
            answer = self._endpoint.ask(
                text, temperature=0.0, top_p=1.0, max_tokens=self._max_tokens, first_token=self._log_probs
            )
        except InputError as error:
            return Judgement(None, str(error))
        return Judgement(score_of(answer), answer.text)


def score_of(answer: ChatAnswer) -> float | None:
    """Return P(No) / (P(Yes) + P(No)) of an answer, 1.0 or 0.0 where it is only words, None where it is neither.

    >>> score_of(ChatAnswer("No.", True)), score_of(ChatAnswer('{"supported": true}', True))
    (1.0, 0.0)
    >>> score_of(ChatAnswer("Yes and no", True)) is None
    True
    """
    if answer.first_token is not None:
        totals = {"yes": 0.0, "no": 0.0}
        for token, log_prob in answer.first_token.items():
            if token.strip().lower() in totals:
                totals[token.strip().lower()] += math.exp(log_prob)
        if sum(totals.values()) > 0:
            return totals["no"] / (totals["yes"] + totals["no"])
    supported = _supported(answer.text)
    return None if supported is None else float(not supported)


def _supported(text: str) -> bool | None:
    """Return what a text says: one word, one word with a reason, or a JSON object with `supported` or `answer`."""
    whole = _WORD.fullmatch(text)
    if whole:
        return bool(whole[1].lower() == "yes")
    reasoned = _WORD_AND_REASON.fullmatch(text)
    if reasoned:
        word = reasoned[1].lower()
        other = "no" if word == "yes" else "yes"
        return None if regex.search(rf"\b{other}\b", reasoned[2], regex.IGNORECASE) else word == "yes"
    fenced = _FENCE.fullmatch(text)
    try:
        document = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or len(document.keys() & {"supported", "answer"}) != 1:
        return None
    value = document.get("supported", document.get("answer"))
    if isinstance(value, bool):
        return value
    known = _WORD.fullmatch(value) if isinstance(value, str) else None
    return None if known is None else bool(known[1].lower() == "yes")


@dataclass(frozen=True, slots=True)
class JudgementFile:
    """Judgements on disk, each made once; those without a score are asked again by the next run."""

    judge: Judge
    rows: KeyedRows

    def of(
        self, asked: Question, evidence: Sequence[str], question: str | None, statements: Sequence[str]
    ) -> list[Judgement]:
        """Return a judgement of each statement, in order; what is not on disk is asked, and kept as soon as it is."""
        keys = [self._key(asked, evidence, question, statement) for statement in statements]
        missing = {key: text for key, text in zip(keys, statements, strict=True) if not self._scored(key)}
        if missing:
            found = self.judge.judge(asked, evidence, question, list(missing.values()))
            for (key, text), judgement in zip(missing.items(), found, strict=True):
                row = {"asked": asked.name, "statement": text, "score": judgement.score, "said": judgement.said}
                self.rows.add(key, row)
        return [_judgement(self.rows.get(key)) for key in keys]

    def _scored(self, key: str) -> bool:
        row = self.rows.get(key)
        return row is not None and row["score"] is not None

    def _key(self, asked: Question, evidence: Sequence[str], question: str | None, statement: str) -> str:
        return key_of(
            {
                "judge": dict(self.judge.key()),
                "asked": asked.digest,
                "evidence": list(evidence),
                "question": question,
                "statement": statement,
            }
        )


def _judgement(row: Mapping[str, Any] | None) -> Judgement:
    assert row is not None, "a judgement is kept before it is looked up"
    return Judgement(row["score"], row["said"])
