"""The passes over one answer that grows: keys and values are kept, so that new tokens cost themselves and no more."""

from collections.abc import Sequence

import torch

from ragcortex.readers._hf import decoder
from ragcortex.readers.growth import Growth, Part, growing
from ragcortex.readers.kept_prefixes import KeptPrefixes, kept_prefix
from ragcortex.readers.layer_hooks import as_floats, ended_early, keeping, stopping
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packed_layout import layer_windows, placeholder_masks
from ragcortex.readers.packed_row import Place
from ragcortex.readers.reading import PassArrays


class GrowingPasses:
    """Passes over one answer, each behind a prefix of its own; what is new in all of them is read in one row.

    Only hidden states are kept, before the final norm; no layer deeper than the deepest of them is run. The model is
    one that `can_pack`.
    """

    def __init__(
        self, loaded: LoadedModel, prefixes: Sequence[tuple[int, ...]], layers: Sequence[int], kept: KeptPrefixes
    ) -> None:
        """Prepare; prefixes are read with the answer's first tokens, or now where they are to be kept.

        Args:
            loaded: the model.
            prefixes: token ids, one sequence a pass, none empty.
            layers: hidden states after these layers are wanted.
            kept: where prefixes read before are found.
        """
        self._loaded = loaded
        self._layers = tuple(layers)
        self._prefixes = prefixes
        self._depth = max(1, *layers)
        self._config = loaded.model.config.get_text_config()
        self._growth = Growth(len(prefixes), layer_windows(self._config), loaded.device)
        self._has_prefixes = False
        self._n_read = 0
        if kept.max_bytes:
            self._take_kept(kept)

    def __len__(self) -> int:
        return self._n_read

    @torch.inference_mode()
    def read(self, ids: Sequence[int]) -> list[PassArrays]:
        """Return the hidden states of the answer's next tokens in each pass; of none, only prefixes are read."""
        if self._has_prefixes and not ids:
            return []
        row, positions, parts, places = list[int](), list[int](), list[Part](), list[Place]()
        for prefix in self._prefixes:
            before = len(prefix) + self._n_read if self._has_prefixes else 0
            new = [*(() if self._has_prefixes else prefix), *ids]
            parts.append(Part(len(row), len(row) + len(new), before))
            positions += range(before, before + len(new))
            row += new
            places.append(Place(0, len(row) - len(ids), len(row), -1))
        device, model = self._loaded.device, self._loaded.model
        self._growth.begin(parts)
        with (
            self._loaded.turn,
            growing(self._growth),
            keeping(model, self._layers, places) as kept,
            stopping(model, self._depth),
            ended_early(),
        ):
            decoder(model)(
                input_ids=torch.tensor([row], device=device),
                position_ids=torch.tensor([positions], device=device),
                attention_mask=placeholder_masks(self._config, device),
                use_cache=False,
            )
        self._has_prefixes = True
        self._n_read += len(ids)
        return [
            PassArrays.of_arrays({f"hidden.{layer}": as_floats(states[index]) for layer, states in kept.items()})
            for index in range(len(places))
        ]

    def cut(self, n_tokens: int) -> None:
        """Forget all tokens of the answer but the first `n_tokens`."""
        self._n_read = n_tokens

    def _take_kept(self, kept: KeptPrefixes) -> None:
        with self._loaded.turn, torch.inference_mode():
            for index, ids in enumerate(self._prefixes):
                cache = kept_prefix(self._loaded, ids, self._depth, kept).cache
                for number, layer in enumerate(cache.layers):
                    self._growth.put(index, number, layer.keys, layer.values)
        self._has_prefixes = True
