"""Keys and values of prefixes read before, within a bound of memory: a source's next answer costs its own tokens only.

For services and streams, where answers to one source come one after another. Within one call `packed_row` shares more.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers.cache_utils import Cache, DynamicCache

from ragcortex.errors import InputError
from ragcortex.readers.key_values import shared, with_cache
from ragcortex.readers.layer_hooks import as_floats, ended_early, keeping, stopping
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packed_row import Place
from ragcortex.readers.reading import PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence


@dataclass(frozen=True, slots=True, eq=False)
class KeptPrefix:
    """Keys and values of a prefix up to a depth.

    Attributes:
        cache: those of each layer, (1, K, P, e).
        depth: how many layers were run.
        n_bytes: what they take.
    """

    cache: Cache
    depth: int
    n_bytes: int


class KeptPrefixes:
    """The prefixes used last, as many as fit; safe to use from several threads."""

    def __init__(self, max_bytes: int) -> None:
        if max_bytes < 0:
            raise InputError("prefix_bytes", f"must be 0 or more, got {max_bytes}")
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self.n_found = 0
        self.n_read = 0
        self._kept: OrderedDict[tuple[int, ...], KeptPrefix] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, ids: tuple[int, ...], depth: int) -> KeptPrefix | None:
        """Return the prefix with these tokens if it was read as deep as that."""
        with self._lock:
            found = self._kept.get(ids)
            if found is None or found.depth < depth:
                self.n_read += 1
                return None
            self._kept.move_to_end(ids)
            self.n_found += 1
            return found

    def clear(self) -> bool:
        """Forget all prefixes, and return whether there were any."""
        with self._lock:
            had_any = bool(self._kept)
            self._kept.clear()
            self.n_bytes = 0
        return had_any

    def keep(self, ids: tuple[int, ...], prefix: KeptPrefix) -> None:
        """Keep a prefix, forgetting those not used for longest; one that alone is too large is not kept."""
        with self._lock:
            before = self._kept.pop(ids, None)
            self.n_bytes -= before.n_bytes if before is not None else 0
            if prefix.n_bytes > self.max_bytes:
                return
            self._kept[ids] = prefix
            self.n_bytes += prefix.n_bytes
            while self.n_bytes > self.max_bytes:
                _, oldest = self._kept.popitem(last=False)
                self.n_bytes -= oldest.n_bytes


def can_continue(spec: ReadingSpec) -> bool:
    """Return whether this can be read behind kept prefixes: hidden states can, before the final norm."""
    return not (spec.attends or spec.log_probs or spec.measures or spec.final_norm) and bool(spec.layers)


@torch.inference_mode()
def continued_forward(
    loaded: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec, prefixes: KeptPrefixes
) -> list[PassArrays]:
    """Return what `forward.forward` returns for sequences behind one prefix, which is read only if it is not kept.

    `spec` is one that `can_continue`.
    """
    ids = sequences[0].prefix
    prefix = kept_prefix(loaded, ids, max(spec.layers), prefixes)
    return _behind(loaded, prefix, len(ids), [sequence.answer for sequence in sequences], spec)


@torch.inference_mode()
def kept_prefix(loaded: LoadedModel, ids: tuple[int, ...], depth: int, prefixes: KeptPrefixes) -> KeptPrefix:
    """Return the keys and values of a prefix, read up to a depth now if they are not kept."""
    found = prefixes.find(ids, depth)
    if found is not None:
        return found
    cache = DynamicCache()
    with stopping(loaded.model, depth), ended_early():
        with_cache(loaded.model, cache, input_ids=torch.tensor([ids], device=loaded.device))
    layers = [layer for layer in cache.layers if layer.keys is not None and layer.keys.numel()]
    n_bytes = sum(array.nbytes for layer in layers for array in (layer.keys, layer.values))
    made = KeptPrefix(Cache(layers=layers), depth, n_bytes)
    prefixes.keep(ids, made)
    return made


def _behind(
    loaded: LoadedModel, prefix: KeptPrefix, start: int, answers: Sequence[tuple[int, ...]], spec: ReadingSpec
) -> list[PassArrays]:
    """Return the arrays of answers that follow one prefix, padded on the right, where no token sees the padding."""
    # One column more than one: with a single query transformers passes no mask, which Gemma 2's attention takes to
    # mean as many queries as keys.
    width = max(2, *map(len, answers))
    ids = torch.zeros(len(answers), width, dtype=torch.long)
    for row, answer in enumerate(answers):
        ids[row, : len(answer)] = torch.tensor(answer)
    positions = torch.arange(start, start + width, device=loaded.device)[None].expand(len(answers), -1)
    places = [Place(row, 0, len(answer), -1) for row, answer in enumerate(answers)]
    with (
        keeping(loaded.model, spec.layers, places) as kept,
        stopping(loaded.model, max(spec.layers)),
        ended_early(),
    ):
        with_cache(loaded.model, shared(prefix.cache), input_ids=ids.to(loaded.device), position_ids=positions)
    return [
        PassArrays.of_arrays({f"hidden.{layer}": as_floats(states[row]) for layer, states in kept.items()})
        for row in range(len(answers))
    ]
