"""Grounded answers made of sentences of the references, lightly reworded: long answers that are all supported."""

import random
from collections.abc import Callable, Sequence, Set

import regex

from ragcortex.datasets.lexicon import CONTRACTIONS, SYNONYMS
from ragcortex.datasets.text_pool import (
    content_words,
    coverage,
    is_prose,
    leans_back,
    sentence_texts,
    starts_with_pronoun,
)

_PARENTHESIS = regex.compile(r" \([^()]*\)")
_LEADING_TIME = regex.compile(
    r"(?P<time>In (?:[A-Z]\w+ )?\d{4}), (?P<rest>(?:he|she|it|they|the|a|an)\b[^;:]*)\.", regex.I
)
_GROUPED = regex.compile(r"(?<![\d,.$€£])\d{1,3}(?:,\d{3})+(?![\d,.])")
_SECOND_CLAUSE = regex.compile(r"(?P<first>[^;]{30,}); (?P<second>\p{Ll}[^;]{30,}\.)")
_REWORD_RATE = 0.5
_MAX_SENTENCES = 9


def usable_sentences(passages: Sequence[str]) -> list[list[str]]:
    """Return for each passage its sentences that can stand in an answer, in order, each text once.

    A sentence that leans on the one before ("He was born …") is kept only directly behind a usable one.
    """
    seen: set[str] = set()
    found: list[list[str]] = []
    for passage in passages:
        kept: list[str] = []
        previous_usable = False
        for sentence in sentence_texts(passage):
            usable = is_prose(sentence) and sentence not in seen
            if usable and (previous_usable or not starts_with_pronoun(sentence)):
                kept.append(sentence)
                seen.add(sentence)
            else:
                usable = False
            previous_usable = usable
        found.append(kept)
    return found


def extract(
    passages: Sequence[str],
    question: str | None,
    n_words: int,
    rng: random.Random,
    *,
    avoid: str = "",
    preferred: Set[str] = frozenset(),
) -> list[str]:
    """Return sentences of the passages, about `n_words` words in all, in reading order and reworded a little.

    Sentences near the question come first in half of the calls, chance decides in the others; those of `preferred`
    passages come before the others. What `avoid` already says is not said again. Empty if no sentence is usable.
    """
    keyed = [
        (passage, index, sentence)
        for passage, kept in enumerate(usable_sentences(passages))
        for index, sentence in enumerate(kept)
    ]
    asked = content_words(question or "")
    by_question = rng.random() < 0.5
    said = content_words(avoid)
    rank = {
        item: (len(content_words(item[2]) & asked) if by_question else 0)
        + (passages[item[0]] in preferred)
        + rng.random()
        for item in keyed
    }
    chosen: set[tuple[int, int, str]] = set()
    total = 0
    for item in sorted(keyed, key=rank.__getitem__, reverse=True):
        leans = starts_with_pronoun if passages[item[0]] in preferred else leans_back
        run = _with_antecedents(item, keyed, leans)
        if leans(run[0][2]):
            continue
        fresh = [piece for piece in run if piece not in chosen]
        n_fresh = sum(len(piece[2].split()) for piece in fresh)
        if len(chosen) + len(fresh) > _MAX_SENTENCES or total + n_fresh > 1.2 * n_words + 5:
            continue
        if any(coverage(piece[2], said) > 0.6 for piece in fresh):
            continue
        chosen.update(fresh)
        total += n_fresh
        if total >= 0.85 * n_words:
            break
    return [reworded(sentence, rng) for _, _, sentence in sorted(chosen)]


def _with_antecedents(
    item: tuple[int, int, str], keyed: Sequence[tuple[int, int, str]], leans: Callable[[str], bool]
) -> list[tuple[int, int, str]]:
    by_place = {(passage, index): (passage, index, sentence) for passage, index, sentence in keyed}
    run = [item]
    while leans(run[0][2]) and (run[0][0], run[0][1] - 1) in by_place:
        run.insert(0, by_place[run[0][0], run[0][1] - 1])
    return run


def reworded(sentence: str, rng: random.Random) -> str:
    """Return the sentence with some meaning-preserving changes: contractions, synonyms, plain numbers, word order."""
    if rng.random() < _REWORD_RATE:
        sentence = _PARENTHESIS.sub("", sentence)
    if rng.random() < _REWORD_RATE:
        sentence = _GROUPED.sub(lambda match: match[0].replace(",", ""), sentence)
    match = _LEADING_TIME.fullmatch(sentence)
    if match is not None and rng.random() < _REWORD_RATE:
        rest = match["rest"]
        sentence = f"{rest[0].upper()}{rest[1:]} in{match['time'][2:]}."
    match = _SECOND_CLAUSE.fullmatch(sentence)
    if match is not None and rng.random() < _REWORD_RATE:
        second = match["second"]
        sentence = f"{match['first']}. {second[0].upper()}{second[1:]}"
    used = 0
    for old, new in rng.sample([*CONTRACTIONS, *SYNONYMS], len(CONTRACTIONS) + len(SYNONYMS)):
        if used < 2 and rng.random() < _REWORD_RATE:
            changed = regex.sub(rf"(?<![\w'’-]){regex.escape(old)}(?![\w'’-])", new, sentence)
            used += changed != sentence
            sentence = changed
    return sentence
