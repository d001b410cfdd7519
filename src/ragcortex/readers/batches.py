"""Which sequences are read together in one forward pass, and in which way."""

from collections.abc import Iterator, Sequence
from typing import Literal

from ragcortex.readers.forward import same_depth
from ragcortex.readers.packed_row import packed_rows
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

Way = Literal["packed", "padded", "continued"]


def batches(
    sequences: Sequence[TokenSequence], spec: ReadingSpec, batch_tokens: int, n_layers: int, *, packs: bool
) -> Iterator[tuple[list[int], Way]]:
    """Yield the indices of sequences to be read together, each index once, and in which way.

    Args:
        sequences: what is read, with and without references.
        spec: what is needed.
        batch_tokens: how many tokens one pass has; see `ReaderOptions`.
        n_layers: of the reader.
        packs: whether several sequences are put into one row, where like prefixes stand once.
    """
    if packs and same_depth(spec, n_layers):
        kinds = [list(range(len(sequences)))]
    else:  # one kind of pass ends earlier, or each needs a batch of its own
        kinds = [[i for i, one in enumerate(sequences) if (one.references is None) == bare] for bare in (False, True)]
    for kind in kinds:
        some = [sequences[index] for index in kind]
        if packs:
            # A row has room for several answers behind the longest prefix, or nothing of a long source is shared.
            room = max(batch_tokens, max(map(len, some), default=0) + batch_tokens // 2)
            found = packed_rows([(one.prefix, one.answer) for one in some], room)
        else:
            found = _by_length(some, batch_tokens)
        for batch in found:
            yield [kind[index] for index in batch], "packed" if packs else "padded"


def batches_by_prefix(sequences: Sequence[TokenSequence], batch_tokens: int) -> Iterator[tuple[list[int], Way]]:
    """Yield indices of sequences behind one prefix, at most `batch_tokens` padded answer tokens (or one) a batch."""
    members: dict[tuple[int, ...], list[int]] = {}
    for index, sequence in enumerate(sequences):
        members.setdefault(sequence.prefix, []).append(index)
    for own in members.values():
        answers = [TokenSequence((), sequences[index].answer, None) for index in own]
        for batch in _by_length(answers, batch_tokens):
            yield [own[place] for place in batch], "continued"


def _by_length(sequences: Sequence[TokenSequence], batch_tokens: int) -> Iterator[list[int]]:
    """Yield indices of sequences of like length, at most `batch_tokens` padded tokens (or one sequence) a batch."""
    batch: list[int] = []
    for index in sorted(range(len(sequences)), key=lambda index: len(sequences[index])):
        if batch and len(sequences[index]) * (len(batch) + 1) > batch_tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
