"""Grounded answers to start from: real ones, real ones lengthened from their references, and extractive ones."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ragcortex.datasets.draft import Draft
from ragcortex.datasets.extractive import extract
from ragcortex.datasets.surface import insert_sentence, laid_out
from ragcortex.datasets.text_pool import SentencePool, is_prose, sentence_texts
from ragcortex.example import Example, Reference

_MEDIAN_WORDS, _SPREAD, _MIN_WORDS, _MAX_WORDS = 85, 0.5, 15, 190
_MAX_REFERENCE_WORDS = 420
_WINDOW_WORDS = (120, 300)
_SHORT_WORDS, _PASSAGE_WORDS = 150, (20, 160)
_MAX_SHARE_OF_REFERENCES = 0.65
_ADDED_PASSAGE_RATE = 0.35
_REFUSAL = regex.compile(
    r"\b(?:no (?:information|mention)|(?:not|n't) (?:provide|mention|specif|contain|state|have enough|answer)\w*|"
    r"unable to|(?:cannot|can't) (?:answer|determine)|sorry|apologi[sz]e)\b",
    flags=regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Base:
    """A grounded answer and what it rests on.

    Attributes:
        source: the example it comes from.
        references: the passages, perhaps cut to a window, or with passages of other sources beside them.
        answer: the grounded answer.
        groups: the sources of all the references.
        is_extractive: whether the answer consists of sentences of the references only.
    """

    source: Example
    references: tuple[Reference, ...]
    answer: str
    groups: frozenset[str]
    is_extractive: bool

    @property
    def text(self) -> str:
        """All references as one text."""
        return "\n".join(reference.text for reference in self.references)


class BaseBuilder:
    """Makes bases from examples, with passages near their topic from a pool of other examples beside them."""

    def __init__(self, examples: Sequence[Example], pool: SentencePool) -> None:
        self._pool = pool
        self._passages: dict[str, Reference] = {}
        for example in examples:
            for reference in example.references:
                if example.group and _PASSAGE_WORDS[0] <= len(reference.text.split()) <= _PASSAGE_WORDS[1]:
                    self._passages.setdefault(example.group, reference)

    def build(self, source: Example, rng: random.Random, *, extractive: bool, target: int | None = None) -> Base | None:
        """Return a grounded answer of about `target` words (a random usual length if None), or None if none is to
        be had from this source.
        """
        n_words = target or _usual_length(rng)
        if extractive:
            return self._extractive(source, n_words, rng)
        return self._real(source, n_words, rng, exact=target is not None) if has_real_answer(source) else None

    def _real(self, source: Example, n_words: int, rng: random.Random, *, exact: bool) -> Base | None:
        references, groups = self._with_others(source, source.references, rng, rate=_ADDED_PASSAGE_RATE)
        draft = Draft(tidied(source.answer))
        count = len(draft.answer.split())
        if exact and count > 1.25 * n_words + 4:
            return None
        missing = min(n_words, _most_words(source.references)) - count
        if missing > 12 and (exact or rng.random() < 0.6):
            texts = [tidied(reference.text) for reference in source.references]
            for sentence in extract(texts, source.question, missing, rng, avoid=draft.answer, preferred={*texts}):
                draft = insert_sentence(draft, sentence, rng, marked=False) or draft
        return Base(source, references, draft.answer, groups, is_extractive=False)

    def _extractive(self, source: Example, n_words: int, rng: random.Random) -> Base | None:
        windows = [_window(reference, rng) for reference in source.references]
        own = tuple(window for window in windows if window is not None)
        short = sum(len(reference.text.split()) for reference in own) < _SHORT_WORDS
        references, groups = self._with_others(source, own, rng, rate=0.9 if short else _ADDED_PASSAGE_RATE)
        texts = [reference.text for reference in references]
        pieces = extract(
            texts,
            source.question,
            min(n_words, _most_words(references)),
            rng,
            preferred={tidied(reference.text) for reference in own},
        )
        if len(pieces) < 2:
            return None
        return Base(source, references, laid_out(pieces, rng), groups, is_extractive=True)

    def _with_others(
        self, source: Example, own: Sequence[Reference], rng: random.Random, *, rate: float
    ) -> tuple[tuple[Reference, ...], frozenset[str]]:
        """Return the references with up to three near passages of other sources among them, and all their sources."""
        groups = {source.group or ""}
        texts = [reference.text for reference in own]
        room = _MAX_REFERENCE_WORDS - sum(len(text.split()) for text in texts)
        added: list[Reference] = []
        if rng.random() < rate:
            wanted = rng.choice((1, 2, 2, 3))
            query = f"{source.question or ''} {' '.join(texts)[:1200]}"
            for item in self._pool.near(query, excluded_groups=groups, limit=60):
                passage = self._passages.get(item.group)
                if len(added) == wanted:
                    break
                if passage is None or item.group in groups or len(passage.text.split()) > room:
                    continue
                groups.add(item.group)
                added.append(passage)
                room -= len(passage.text.split())
        merged = [*own, *added]
        rng.shuffle(merged)
        return tuple(Reference(tidied(reference.text)) for reference in merged), frozenset(groups)


def tidied(text: str) -> str:
    """Return the text without surrounding white space, leading stops, trailing spaces on lines, and doubled spaces."""
    text = regex.sub(r"^[\s,;:.]+|\s+$", "", text)
    text = regex.sub(r"[ \t]+(?=\n)", "", regex.sub(r"[ \t\xa0]{2,}", " ", text))
    return str(regex.sub(r"\n{3,}", "\n\n", text))


def _usual_length(rng: random.Random) -> int:
    length = round(_MEDIAN_WORDS * math.exp(rng.gauss(0, _SPREAD)))
    return min(max(length, _MIN_WORDS), _MAX_WORDS)


def _most_words(references: Sequence[Reference]) -> int:
    return round(_MAX_SHARE_OF_REFERENCES * sum(len(reference.text.split()) for reference in references))


def has_real_answer(source: Example) -> bool:
    """Return whether the source's own answer is grounded, long enough to build on, and not a refusal."""
    n_reference = sum(len(reference.text.split()) for reference in source.references)
    long_enough = len(source.answer.split()) >= _MIN_WORDS and n_reference <= _MAX_REFERENCE_WORDS
    return source.label == 0 and long_enough and _REFUSAL.search(source.answer) is None


def _window(reference: Reference, rng: random.Random) -> Reference | None:
    """Return the reference, or a run of its sentences if it is long; None if no part of it is running text."""
    found = [sentence for sentence in sentence_texts(reference.text) if len(sentence.split()) >= 4]
    total = sum(len(sentence.split()) for sentence in found)
    n_words = rng.randint(*_WINDOW_WORDS)
    if total <= n_words + 60:
        return reference
    starts = [index for index, sentence in enumerate(found) if is_prose(sentence)]
    if not starts:
        return None
    first = rng.choice(starts[: max(1, len(starts) * 3 // 4)])
    kept: list[str] = []
    for sentence in found[first:]:
        if sum(len(piece.split()) for piece in kept) + len(sentence.split()) > n_words:
            break
        kept.append(sentence)
    return Reference(" ".join(kept)) if kept else None
