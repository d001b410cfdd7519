"""Trivial controls: what position, length, novelty of words and the generator's name alone would achieve.

A detector that does not beat them has learnt the habits of the data. Each control gives a ranking value of any scale,
higher = more likely hallucinated, for every token and, where that means something, for every answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, token_labels, words
from ragcortex.errors import InputError
from ragcortex.example import Example, Span
from ragcortex.score_arrays import Floats, Labels

GENERATOR_IDENTITY: Final = "generator identity"
LEAST_GROUPS_PER_GENERATOR: Final = 10
"""Generators seen in fewer sources are taken together: their own rate would be little more than their own labels."""


@dataclass(frozen=True, slots=True)
class Control:
    """One trivial control over all answers.

    Attributes:
        name: what it looks at.
        tokens: one value a token for each answer; None where it says nothing about tokens.
        answers: one value an answer, shape (n_answers,); None where it says nothing about answers.
        reason: why `tokens` or `answers` is missing; None where neither is.
    """

    name: str
    tokens: tuple[Floats, ...] | None
    answers: Floats | None
    reason: str | None = None


def positions(tokens: Sequence[AnswerTokens]) -> Control:
    """Return how many tokens come before the token."""
    values = tuple(np.arange(len(answer), dtype=np.float64) for answer in tokens)
    return Control("position in the answer", values, None, "an answer has no position")


def relative_positions(tokens: Sequence[AnswerTokens]) -> Control:
    """Return the share of the answer, in [0, 1), that comes before the token."""
    values = tuple(np.arange(len(answer), dtype=np.float64) / max(len(answer), 1) for answer in tokens)
    return Control("relative position in the answer", values, None, "an answer has no position")


def answer_lengths(tokens: Sequence[AnswerTokens]) -> Control:
    """Return the number of tokens of the answer, for each of its tokens and for the answer."""
    lengths = np.array([len(answer) for answer in tokens], dtype=np.float64)
    return Control("answer length", tuple(np.full(int(length), length) for length in lengths), lengths)


def word_novelty(examples: Sequence[Example], tokens: Sequence[AnswerTokens]) -> Control:
    """Return 1 for a token of a word that stands in no reference, else 0; for an answer the share of such words.

    Words are compared case-folded. An answer without words has the share 0.
    """
    by_token, by_answer = [], []
    for example, answer in zip(examples, tokens, strict=True):
        known = {word for reference in example.references for word in _folded_words(reference.text)}
        ranges = words(example.answer)
        novel = [Span(start, end) for start, end in ranges if example.answer[start:end].casefold() not in known]
        by_token.append(token_labels(answer, novel).astype(np.float64))
        by_answer.append(len(novel) / len(ranges) if ranges else 0.0)
    return Control("word absent from the references", tuple(by_token), np.array(by_answer, dtype=np.float64))


def _folded_words(text: str) -> set[str]:
    return {text[start:end].casefold() for start, end in words(text)}


def generator_rates(
    examples: Sequence[Example],
    tokens: Sequence[AnswerTokens],
    labels_by_answer: Sequence[Labels | None],
    answer_labels: Sequence[int | None],
    groups: npt.NDArray[np.intp],
) -> Control:
    """Return the rate of hallucinated tokens, and of hallucinated answers, of the answer's generator.

    The rates include the row's own source. Leaving it out would rank the rows of one generator backwards by their own
    labels (a clean source leaves a higher rate behind), down to an AUROC of 0 for a single generator; with at least
    LEAST_GROUPS_PER_GENERATOR sources each, the order of the generators hardly depends on one source.

    Args:
        examples: the answers with their generators.
        tokens: their tokens.
        labels_by_answer: the labels of each answer's tokens, None where they are not known.
        answer_labels: the label of each answer, None where it is not known.
        groups: the source of each answer as an index, shape (n_answers,).
    """
    name = GENERATOR_IDENTITY
    kinds = _generator_kinds(examples, groups)
    if len(set(kinds)) < 2:
        few = f"fewer than two generators are named in {LEAST_GROUPS_PER_GENERATOR} sources or more"
        return Control(name, None, None, few)
    n_marked = [0 if labels is None else int(labels.sum()) for labels in labels_by_answer]
    n_tokens = [0 if labels is None else len(labels) for labels in labels_by_answer]
    token_rates = _rates(kinds, n_marked, n_tokens)
    answer_rates = _rates(
        kinds, [label or 0 for label in answer_labels], [label is not None for label in answer_labels]
    )
    by_token = tuple(np.full(len(answer), token_rates[kind]) for answer, kind in zip(tokens, kinds, strict=True))
    return Control(name, by_token, np.array([answer_rates[kind] for kind in kinds]))


def _generator_kinds(examples: Sequence[Example], groups: npt.NDArray[np.intp]) -> list[str | None]:
    """Return the generator of each answer, None for all those that are unnamed or rare."""
    sources: dict[str, set[int]] = {}
    for example, group in zip(examples, groups.tolist(), strict=True):
        if example.generator is not None:
            sources.setdefault(example.generator, set()).add(group)
    common = {name for name, seen in sources.items() if len(seen) >= LEAST_GROUPS_PER_GENERATOR}
    return [example.generator if example.generator in common else None for example in examples]


def _rates(kinds: Sequence[str | None], counts: Sequence[int], totals: Sequence[int]) -> dict[str | None, float]:
    """Return sum(counts) / sum(totals) of each kind; a kind with no total has no rows to be ranked, and gets 0."""
    rates: dict[str | None, float] = {}
    for kind in set(kinds):
        rows = [index for index, other in enumerate(kinds) if other == kind]
        total = sum(totals[index] for index in rows)
        rates[kind] = sum(counts[index] for index in rows) / total if total else 0.0
    return rates


def trivial_controls(
    examples: Sequence[Example],
    tokens: Sequence[AnswerTokens],
    labels_by_answer: Sequence[Labels | None],
    answer_labels: Sequence[int | None],
    groups: npt.NDArray[np.intp],
) -> tuple[Control, ...]:
    """Return every control over the same answers; arguments as for `generator_rates`.

    Raises:
        InputError: the arguments do not have one entry an answer.
    """
    lengths = {len(examples), len(tokens), len(labels_by_answer), len(answer_labels), len(groups)}
    if len(lengths) != 1:
        raise InputError("examples", f"must come with tokens, labels and a group each, got {sorted(lengths)} of them")
    return (
        positions(tokens),
        relative_positions(tokens),
        answer_lengths(tokens),
        word_novelty(examples, tokens),
        generator_rates(examples, tokens, labels_by_answer, answer_labels, groups),
    )
