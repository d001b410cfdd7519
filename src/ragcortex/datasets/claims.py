"""Where a claim, given as "subject | relation | object", stands in an answer."""

from collections.abc import Sequence

from ragcortex.align import Range, sentences, words
from ragcortex.datasets.text_pool import content_words
from ragcortex.example import Span

_MIN_OBJECT_SHARE = 0.6
_MIN_CLAIM_SHARE = 0.5
_MAX_GAP_WORDS = 4


def claim_spans(answer: str, claims: Sequence[str]) -> tuple[Span, ...] | None:
    """Return the spans of the claims' objects, each in the sentence that says most of its claim, overlaps merged.

    None if there is no claim, or one of them cannot be placed: a claim that is only implied, or too much reworded.
    """
    found: list[Range] = []
    for claim in claims:
        place = _place(answer, claim)
        if place is None:
            return None
        found.append(place)
    if not found:
        return None
    merged: list[Range] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(Span(start, end) for start, end in merged)


def _place(answer: str, claim: str) -> Range | None:
    wanted = content_words(claim)
    thing = content_words(claim.rsplit("|", 1)[-1])
    if not wanted or not thing:
        return None
    best: tuple[float, Range] | None = None
    for start, end in sentences(answer):
        said = content_words(answer[start:end])
        share = len(wanted & said) / len(wanted)
        if len(thing & said) / len(thing) >= _MIN_OBJECT_SHARE and share >= _MIN_CLAIM_SHARE:
            place = _run(answer, (start, end), thing)
            if place is not None and (best is None or share > best[0]):
                best = (share, place)
    return best[1] if best else None


def _run(answer: str, sentence: Range, thing: frozenset[str]) -> Range | None:
    """Return the run of words in a sentence that has most of the object's words, without long gaps in it."""
    start, end = sentence
    tokens = [(start + first, start + last) for first, last in words(answer[start:end])]
    hits = [index for index, (first, last) in enumerate(tokens) if content_words(answer[first:last]) & thing]
    runs: list[list[int]] = []
    for index in hits:
        if runs and index - runs[-1][-1] <= _MAX_GAP_WORDS:
            runs[-1].append(index)
        else:
            runs.append([index])
    if not runs:
        return None
    longest = max(runs, key=len)
    held = frozenset[str]().union(*(content_words(answer[slice(*tokens[index])]) for index in longest)) & thing
    return (tokens[longest[0]][0], tokens[longest[-1]][1]) if len(held) / len(thing) >= _MIN_OBJECT_SHARE else None
