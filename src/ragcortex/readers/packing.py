"""Several answers behind one prefix in one sequence, mathematically the same as one sequence an answer.

The prefix (question and references) stands once; each answer's positions go on from its end, and an answer's token sees
the prefix and the earlier tokens of its own answer only. Answers of one source cost its prefix once, with gradients.
"""

from dataclasses import dataclass
from typing import Any

import torch

from ragcortex.errors import ModelError, ReadingError
from ragcortex.readers._hf import decoder, one_line
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packed_layout import laid_out, layout_of, placeholder_masks, unpackable
from ragcortex.readers.packed_row import PackedRow


@dataclass(frozen=True, slots=True)
class Pack:
    """A prefix and the answers that follow it, each as if it were the only one.

    Attributes:
        prefix: token ids, at least one.
        answers: token ids of each answer, at least one answer and one token each.
    """

    prefix: tuple[int, ...]
    answers: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.prefix or not self.answers or not all(self.answers):
            raise ReadingError("a pack needs a prefix and at least one answer, each of at least one token")

    def __len__(self) -> int:
        return len(self.prefix) + sum(map(len, self.answers))


def pack_states(stack: Any, pack: Pack) -> list[torch.Tensor]:
    """Return the final states (T, d) of each answer's tokens, after the final norm; gradients flow if they are on.

    Args:
        stack: the decoder layers with embeddings and final norm, as `_hf.decoder` returns them; with more than one
            answer its attention is that of `attention.register`.
        pack: one answer works with every architecture; several need `check_packable`.
    """
    device = next(stack.parameters()).device
    row = PackedRow()
    for answer in pack.answers:
        row.add(pack.prefix, answer)
    inputs = {"input_ids": torch.tensor([row.ids], device=device), "use_cache": False}
    if len(pack.answers) == 1:
        states = stack(**inputs).last_hidden_state[0]
    else:
        config = stack.config.get_text_config()
        layout = layout_of(row.segments(), config, str(device))
        inputs |= {"position_ids": layout.positions(), "attention_mask": placeholder_masks(config, str(device))}
        with laid_out(layout):
            states = stack(**inputs).last_hidden_state[0]
    return [states[place.start : place.stop] for place in row.places]


def check_packable(stack: Any) -> None:
    """Prove on a few tokens that this architecture reads a pack as it reads its answers one by one.

    Raises:
        ModelError: it does not; answers have to be read one a sequence.
    """
    config = stack.config.get_text_config()
    name = f"{type(stack).__name__} ({config.model_type})"
    remedy = "read one answer a sequence (pack=False)"
    obstacle = unpackable(config)
    if obstacle is not None:
        raise ModelError(f"{name} has {obstacle}, so it cannot be packed; {remedy}")
    pack = Pack((3, 4, 5), ((6, 7, 8), (9, 8, 7)))
    try:
        with torch.no_grad():
            packed = pack_states(stack, pack)
            single = [pack_states(stack, Pack(pack.prefix, (answer,)))[0] for answer in pack.answers]
    except (RuntimeError, TypeError, ValueError, KeyError, AttributeError, IndexError) as error:  # unknown signatures
        raise ModelError(f"{name} cannot be packed: {one_line(error)}; {remedy}") from error
    tolerance = 1e-4 if packed[0].dtype == torch.float32 else 5e-2
    for together, alone in zip(packed, single, strict=True):
        # Numbers that are not finite are the reading's to report; they say nothing about packing.
        scale = float(alone.abs().nan_to_num(0.0, posinf=0.0).max())
        if not torch.allclose(together, alone, atol=tolerance * scale, rtol=0, equal_nan=True):
            raise ModelError(f"{name} reads packed answers differently from single ones; {remedy}")


def can_pack(loaded: LoadedModel) -> bool:
    """Return whether `check_packable` finds nothing against packed rows of this model."""
    try:
        check_packable(decoder(loaded.model))
    except ModelError:
        return False
    return True
