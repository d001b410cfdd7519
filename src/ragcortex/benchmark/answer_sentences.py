"""The sentences of an answer that say something, and how a score of each becomes one of every token."""

from collections.abc import Sequence

import numpy as np

from ragcortex.align import AnswerTokens, Range, sentences, words
from ragcortex.errors import InputError, ReadingError
from ragcortex.score_arrays import Floats


def scored_sentences(answer: str) -> tuple[Range, ...]:
    """Return the ranges of the sentences that hold a word; of the whole text where none does.

    >>> scored_sentences("It is old. ---")
    ((0, 14),)
    >>> scored_sentences("It is old.\\n---\\nIt is high.")
    ((0, 10), (15, 26))

    Raises:
        InputError: the answer is blank.
    """
    if not answer.strip():
        raise InputError("answer", "is blank, so there is nothing to score")
    found = sentences(answer)
    return tuple(span for span in found if words(answer[slice(*span)])) or ((found[0][0], found[-1][1]),)


def word_list(text: str) -> list[str]:
    """Return the words of a text in lower case; a text without any is one word, a blank one has none.

    >>> word_list("It's 3.5 KM.")
    ["it's", '3.5', 'km']
    """
    found = [text[start:end].lower() for start, end in words(text)]
    return found or ([text.strip().lower()] if text.strip() else [])


def spread(tokens: AnswerTokens, ranges: Sequence[Range], scores: Sequence[float]) -> Floats:
    """Return each token's score, float64 (T,): that of the sentence its first character after white space is in.

    A token between two sentences has the score of the one before it, one before the first sentence that of the first.

    Raises:
        ReadingError: there is not one score a sentence, or no sentence.
    """
    if not ranges or len(ranges) != len(scores):
        raise ReadingError(f"expected one score for each of at least one sentence, got {len(scores)} for {len(ranges)}")
    starts = [start for start, _ in ranges]
    places = []
    for start, end in tokens.ranges:
        piece = tokens.text[start:end]
        places.append(start + len(piece) - len(piece.lstrip()) if piece.strip() else start)
    index = np.searchsorted(starts, places, side="right") - 1
    return np.asarray(scores, dtype=np.float64)[np.maximum(index, 0)]
