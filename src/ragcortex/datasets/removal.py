"""A supported sentence made unsupported by taking its evidence out of the references; the answer stays as it is."""

import random
from collections.abc import Sequence

from ragcortex.align import sentences
from ragcortex.datasets.surface import is_introduction, item_text
from ragcortex.datasets.text_pool import content_words, coverage
from ragcortex.example import Reference, Span

_SUPPORTS = 0.34
_MAX_LEFT = 0.5
_MAX_DROP_ELSEWHERE = 0.15
_MIN_REFERENCE_WORDS = 30
_MIN_CONTENT_WORDS = 4
_MAX_REMOVED = 3


def remove_evidence(
    answer: str, references: Sequence[Reference], rng: random.Random
) -> tuple[tuple[Reference, ...], Span] | None:
    """Return the references without the sentences behind one answer sentence, and that sentence's span.

    None if no sentence can be cut off so: its words also stand elsewhere in the references, other sentences of the
    answer lean on the same evidence, or too little of the references would be left.
    """
    ranges = [(start + item_text(answer[start:end])[0], end) for start, end in sentences(answer)]
    if len(ranges) < 2:
        return None
    order = list(range(len(ranges)))
    rng.shuffle(order)
    pieces = [
        (index, reference.text[start:end])
        for index, reference in enumerate(references)
        for start, end in sentences(reference.text)
    ]
    stems = [content_words(piece) for _, piece in pieces]
    for target in order:
        start, end = ranges[target]
        removed = _supporting(answer[start:end], stems)
        if not removed or is_introduction(answer[start:end]):
            continue
        left = frozenset[str]().union(*(words for index, words in enumerate(stems) if index not in removed))
        others = [answer[first:last] for index, (first, last) in enumerate(ranges) if index != target]
        if coverage(answer[start:end], left) > _MAX_LEFT or _lose(others, stems, left):
            continue
        kept = _without(references, pieces, removed)
        if sum(len(reference.text.split()) for reference in kept) >= _MIN_REFERENCE_WORDS:
            return kept, Span(start, end)
    return None


def _supporting(sentence: str, stems: Sequence[frozenset[str]]) -> set[int]:
    """Return the indices of the few reference sentences that share many words with the sentence; empty if many do."""
    needed = content_words(sentence)
    if len(needed) < _MIN_CONTENT_WORDS:
        return set()
    found = {index for index, words in enumerate(stems) if len(needed & words) / len(needed) >= _SUPPORTS}
    return found if len(found) <= _MAX_REMOVED else set()


def _lose(others: Sequence[str], stems: Sequence[frozenset[str]], left: frozenset[str]) -> bool:
    everything = frozenset[str]().union(*stems)
    return any(coverage(other, everything) - coverage(other, left) > _MAX_DROP_ELSEWHERE for other in others)


def _without(
    references: Sequence[Reference], pieces: Sequence[tuple[int, str]], removed: set[int]
) -> tuple[Reference, ...]:
    kept = []
    for number, reference in enumerate(references):
        text = " ".join(
            piece for index, (owner, piece) in enumerate(pieces) if owner == number and index not in removed
        )
        if text:
            kept.append(Reference(text, reference.id, reference.source))
    return tuple(kept)
