"""Numbers that are not finite, found where the reader gives them: which reader, which signal, which precision.

A number overflows where a precision is too narrow for a reader (float16 for many), and a file of weights may be
damaged. Whatever is computed from such a number means nothing, so it never leaves the reader.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ragcortex.errors import ReadingError
from ragcortex.readers.models import EMBEDDED, LoadedModel
from ragcortex.readers.reading import PassArrays
from ragcortex.readers.token_batch import TokenSequence

_SIGNALS: Final = {
    "log_prob": "the log-probabilities",
    "entropy": "the entropies",
    "attention": "the attention within the answer",
    "reference_attention": "the attention on the references",
}
_WIDER: Final = {"float16": "bfloat16 or float32", "bfloat16": "float32"}


def is_finite(arrays: PassArrays) -> bool:
    """Return whether every number of a pass is finite."""
    return all(bool(np.isfinite(array).all()) for array in arrays.arrays().values())


def each_finite(
    read: Callable[[Sequence[TokenSequence]], list[PassArrays]], sequences: Sequence[TokenSequence]
) -> list[PassArrays]:
    """Return what is read of sequences together; those whose numbers are not finite are read again, each alone.

    Attention weighs what it must not see, padding above all, with zero, and zero times infinity is not a number: a
    sequence whose own numbers are finite would fail with its neighbours.
    """
    together = read(sequences)
    if len(sequences) == 1:
        return together
    pairs = zip(sequences, together, strict=True)
    return [arrays if is_finite(arrays) else read([sequence])[0] for sequence, arrays in pairs]


def check_finite(loaded: LoadedModel, arrays: PassArrays, *, with_references: bool) -> None:
    """Refuse the arrays of a pass that hold a number that is not finite.

    Raises:
        ReadingError: naming the reader, the precision, the first signal that is not finite (the shallowest layer's
            states, if they are), how many of the answer's tokens it concerns, and what to do.
    """
    for name, array in sorted(arrays.arrays().items(), key=lambda pair: _order(pair[0])):
        rows = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
        if rows.any():
            passed = "with" if with_references else "without"
            kind = "ref" if with_references else "noref"
            raise not_finite(
                loaded,
                f"{_described(name)} ({kind}.{name}, the pass {passed} references) of {int(rows.sum()):,} of "
                f"{len(array):,} answer tokens",
            )


def not_finite(loaded: LoadedModel, signal: str) -> ReadingError:
    """Return the error that says that a reader's signal is not finite, and what to do about it.

    Args:
        loaded: the reader.
        signal: what is not finite, in words.
    """
    reader, dtype = loaded.identity.id, loaded.dtype
    return ReadingError(f"reader {reader!r} gave numbers that are not finite in {dtype}: {signal}; {_remedy(loaded)}")


def _order(name: str) -> tuple[int, int, str]:
    """Return what sorts states, by layer, before all other signals, and measures last."""
    kind, _, which = name.partition(".")
    if kind == "hidden":
        return 0, int(which), ""
    return (2, 0, which) if kind == "measure" else (1, list(_SIGNALS).index(name), "")


def _described(name: str) -> str:
    kind, _, which = name.partition(".")
    if kind == "hidden":
        return f"the states after layer {which}" if int(which) else "the embeddings (layer 0)"
    return f"the measure {which!r}" if kind == "measure" else _SIGNALS[name]


def _remedy(loaded: LoadedModel) -> str:
    """Return what to do; weights are looked through for it, which takes as long as a short reading."""
    damaged = [name for name, weight in loaded.model.named_parameters() if not bool(weight.isfinite().all())]
    wider = _WIDER.get(loaded.dtype)
    if damaged and loaded.dtype == "float16":
        return f"its weights do not fit this precision or are damaged ({_listed(damaged)}): read in {wider}"
    if damaged:
        return f"its weights are damaged ({_listed(damaged)}): {_anew(loaded)}"
    if wider is not None:
        return f"they overflow in this precision: read in {wider}"
    return f"they overflow even in this precision, so its weights are not sound: {_anew(loaded)}"


def _listed(names: list[str]) -> str:
    return names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")


def _anew(loaded: LoadedModel) -> str:
    identity = loaded.identity
    if identity.id == EMBEDDED:
        return "delete the folder `readers` in the cache and run `ragcortex models pull embedded`"
    if identity.revision is not None:
        return f"delete it from the hub's cache and run `ragcortex models pull {identity.id}`"
    return "put sound files in its place, or take another reader"
