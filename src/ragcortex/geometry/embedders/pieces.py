"""Texts beyond a model's limit: cut between sentences or words into pieces that fit, and their vectors pooled."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, sentences, words
from ragcortex.checks import check_text
from ragcortex.errors import InputError, ReadingError
from ragcortex.geometry.embedders.embedder import Embeddings


def cut(text: str, ranges: Sequence[Range], sizes: Sequence[int] | None, room: int) -> tuple[Range, ...]:
    """Return the pieces of a text as half-open ranges of its units (tokens or characters), each at most `room` long.

    Every unit is in exactly one piece, in order. A piece ends after the last sentence that fits if that fills half of
    the room, else after the last word that fits, else after the last unit; never inside a grapheme, unless one
    grapheme alone is larger than the room.

    Args:
        text: the text.
        ranges: one character range a unit, as `align.token_ranges` gives them: equal or disjoint, in order.
        sizes: how much of the room each unit takes, 1 each if None.
        room: the most that a piece may hold, at least 1.

    Raises:
        InputError: a single unit is larger than the room.
    """
    if not ranges:
        return ()
    reached = np.fromiter(accumulate(sizes or [1] * len(ranges), initial=0), dtype=np.int64)
    if int(np.diff(reached).max()) > room:
        raise InputError("text", f"has a unit of size {int(np.diff(reached).max())}, larger than the room of {room}")
    if reached[-1] <= room:
        return ((0, len(ranges)),)
    return _cut(_boundary_ranks(text, ranges), reached, room)


def _cut(ranks: npt.NDArray[np.int8], reached: npt.NDArray[np.int64], room: int) -> tuple[Range, ...]:
    """Return the pieces; `ranks[i]` is how good a cut before unit i is, `reached[i]` the size of the units before."""
    pieces: list[Range] = []
    first, n_units = 0, len(reached) - 1
    while reached[n_units] - reached[first] > room:
        last = int(np.searchsorted(reached, reached[first] + room, side="right")) - 1
        half = int(np.searchsorted(reached, reached[first] + room // 2, side="left"))
        end = last
        for rank, earliest in ((3, half), (2, half), (2, first + 1), (1, first + 1)):
            found = np.flatnonzero(ranks[max(earliest, first + 1) : last + 1] >= rank)
            if len(found):
                end = max(earliest, first + 1) + int(found[-1])
                break
        pieces.append((first, end))
        first = end
    return (*pieces, (first, n_units))


def _boundary_ranks(text: str, ranges: Sequence[Range]) -> npt.NDArray[np.int8]:
    """Return for each unit how good a cut before it is: 3 between sentences, 2 between words, 1 between graphemes."""
    starts = np.fromiter((start for start, _ in ranges), dtype=np.int64, count=len(ranges))
    ranks = np.ones(len(ranges), dtype=np.int8)
    ranks[~_inside(starts, words(text))] = 2
    ranks[~_inside(starts, sentences(text))] = 3
    ranks[1:][starts[1:] == starts[:-1]] = 0
    return ranks


def _inside(positions: npt.NDArray[np.int64], parts: Sequence[Range]) -> npt.NDArray[np.bool_]:
    """Return which positions lie strictly inside one of the parts, which are in order and disjoint."""
    if not parts:
        return np.zeros(len(positions), dtype=np.bool_)
    bounds = np.array(parts, dtype=np.int64)
    index = np.searchsorted(bounds[:, 0], positions, side="left") - 1
    inside: npt.NDArray[np.bool_] = (index >= 0) & (positions < bounds[index, 1])
    return inside


def pooled(
    vectors: npt.NDArray[np.float32], owners: Sequence[int], weights: Sequence[int], n_texts: int
) -> npt.NDArray[np.float32]:
    """Return one raw vector a text: the mean of its pieces' vectors, weighted by their sizes.

    Args:
        vectors: unnormalised vectors of the pieces, float32, shape (pieces, dimension).
        owners: for each piece the index of its text; every text has at least one.
        weights: for each piece its size.
        n_texts: the number of texts.

    Returns:
        float32, shape (texts, dimension); the vector of a text of one piece is that piece's, bit for bit.
    """
    if len(vectors) == n_texts and list(owners) == list(range(n_texts)):
        return vectors
    totals = np.zeros(n_texts)
    sums = np.zeros((n_texts, vectors.shape[1]))
    owner, weight = np.asarray(owners, dtype=np.intp), np.asarray(weights, dtype=np.float64)
    np.add.at(totals, owner, weight)
    with np.errstate(invalid="ignore"):  # what is not finite is refused by `normalised`
        np.add.at(sums, owner, vectors * weight[:, None])
    means = (sums / totals[:, None]).astype(np.float32)
    alone = np.bincount(owner, minlength=n_texts)[owner] == 1
    means[owner[alone]] = vectors[alone]
    return means


def normalised(vectors: npt.NDArray[np.float32], embedder: str) -> Embeddings:
    """Return raw vectors (float32, shape (n, dimension)) as unit vectors and their lengths.

    Args:
        vectors: one a text, in order.
        embedder: whose they are, for the message.

    Raises:
        ReadingError: a vector is not finite or has no length; the message names the embedder and the first such text.
    """
    norms = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    bad = np.flatnonzero(~(np.isfinite(vectors).all(axis=1) & (norms > 0)))
    if len(bad):
        first = int(bad[0])
        what = "has no length" if np.isfinite(vectors[first]).all() else "is not finite"
        raise ReadingError(
            f"embedder {embedder!r} gave a vector that {what}, for texts[{first}] ({len(bad):,} of {len(vectors):,} "
            "texts): its weights are damaged, or its numbers overflow; fetch it anew, or take another embedder"
        )
    return Embeddings((vectors / norms[:, None]).astype(np.float32), norms.astype(np.float32))


def check_texts(texts: Sequence[str]) -> None:
    """Refuse what is not a list of texts of which none is blank.

    Raises:
        InputError: naming the text by its index.
    """
    if isinstance(texts, str):
        raise InputError("texts", "must be a list of texts, got str")
    for index, text in enumerate(texts):
        check_text(f"texts[{index}]", text, filled=True)
