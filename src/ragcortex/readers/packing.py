"""Several answers behind one prefix in one sequence, mathematically the same as one sequence an answer.

The prefix (question and references) stands once; each answer's positions go on from its end, and an answer's token sees
the prefix and the earlier tokens of its own answer only. Answers of one source cost its prefix once, with gradients.

transformers takes a mask of four dimensions as it is; models whose layers differ in kind take one a kind. With
gradients, where every layer sees everything, the attention is computed in blocks instead: see `pack_attention`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch

from ragcortex.errors import ModelError, ReadingError
from ragcortex.readers._hf import one_line
from ragcortex.readers.pack_attention import in_blocks

_FULL: Final = "full_attention"
_SLIDING: Final = "sliding_attention"
# Rotary embeddings whose frequencies depend on the longest position in the batch, which packing changes.
_LENGTH_DEPENDENT_ROPES: Final = frozenset({"dynamic", "longrope"})


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

    @property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """The half-open rows of each answer in the packed sequence."""
        rows, start = [], len(self.prefix)
        for answer in self.answers:
            rows.append((start, start + len(answer)))
            start += len(answer)
        return tuple(rows)


def pack_states(stack: Any, pack: Pack, *, blocks: bool = True) -> list[torch.Tensor]:
    """Return the final states (T, d) of each answer's tokens, after the final norm; gradients flow if they are on.

    Args:
        stack: the decoder layers with embeddings and final norm, as `_hf.decoder` returns them.
        pack: one answer needs no mask and works with every architecture; several need `check_packable`.
        blocks: compute attention in blocks where that is faster; without, behind a mask.
    """
    device = next(stack.parameters()).device
    ids = torch.tensor([[*pack.prefix, *(token for answer in pack.answers for token in answer)]], device=device)
    positions = torch.tensor([_positions(pack)], device=device)
    inputs = {"input_ids": ids, "position_ids": positions, "use_cache": False}
    if len(pack.answers) == 1:
        states = stack(**inputs).last_hidden_state[0]
    else:
        masks = _masks(pack, positions[0], stack.config.get_text_config())
        mask: Any = masks if len(masks) > 1 else next(iter(masks.values()))
        faster = blocks and set(masks) == {_FULL} and device.type == "cpu"
        with in_blocks(pack.rows if faster else None):
            states = stack(**inputs, attention_mask=mask).last_hidden_state[0]
    return [states[first:last] for first, last in pack.rows]


def check_packable(stack: Any) -> None:
    """Prove on a few tokens that this architecture reads a pack as it reads its answers one by one.

    Raises:
        ModelError: it does not; answers have to be read one a sequence.
    """
    config = stack.config.get_text_config()
    name = f"{type(stack).__name__} ({config.model_type})"
    remedy = "read one answer a sequence (pack=False)"
    kinds = set(_layer_kinds(config)) - {_FULL, _SLIDING}
    if kinds:
        raise ModelError(f"{name} has layers of the kind {', '.join(sorted(kinds))}, which cannot be packed; {remedy}")
    ropes = _rope_types(config) & _LENGTH_DEPENDENT_ROPES
    if ropes:
        raise ModelError(
            f"{name} has rotary embeddings of the kind {', '.join(sorted(ropes))}, which depend on the longest "
            f"sequence and cannot be packed; {remedy}"
        )
    pack = Pack((3, 4, 5), ((6, 7, 8), (9, 8, 7)))
    try:
        with torch.no_grad():
            packed = pack_states(stack, pack)
            single = [pack_states(stack, Pack(pack.prefix, (answer,)))[0] for answer in pack.answers]
    except (RuntimeError, TypeError, ValueError, KeyError, AttributeError, IndexError) as error:  # unknown signatures
        raise ModelError(f"{name} cannot be packed: {one_line(error)}; {remedy}") from error
    tolerance = 1e-4 if packed[0].dtype == torch.float32 else 5e-2
    for together, alone in zip(packed, single, strict=True):
        if not torch.allclose(together, alone, atol=tolerance * float(alone.abs().max()), rtol=0, equal_nan=True):
            raise ModelError(f"{name} reads packed answers differently from single ones; {remedy}")


def _positions(pack: Pack) -> list[int]:
    start = len(pack.prefix)
    return [*range(start), *(start + offset for answer in pack.answers for offset in range(len(answer)))]


def _masks(pack: Pack, positions: torch.Tensor, config: Any) -> dict[str, torch.Tensor]:
    """Return what each kind of layer may see, bool (1, 1, L, L): True where row sees column."""
    owner = torch.zeros(len(pack), dtype=torch.long, device=positions.device)
    for number, (first, last) in enumerate(pack.rows, start=1):
        owner[first:last] = number
    visible = (owner[None, :] == owner[:, None]) | (owner[None, :] == 0)
    visible &= positions[None, :] <= positions[:, None]
    masks = {}
    for kind in set(_layer_kinds(config)):
        near = positions[:, None] - positions[None, :] < config.sliding_window if kind == _SLIDING else True
        masks[kind] = (visible & near)[None, None]
    return masks


def _layer_kinds(config: Any) -> list[str]:
    """Return the kind of attention of each layer, as transformers names them."""
    kinds = getattr(config, "layer_types", None)
    if kinds:
        return list(kinds)[: config.num_hidden_layers]
    return [_SLIDING if getattr(config, "sliding_window", None) is not None else _FULL]


def _rope_types(config: Any) -> set[str]:
    """Return the kinds of rotary embedding, of which a model may have one a kind of layer."""
    parameters: Mapping[str, Any] = getattr(config, "rope_parameters", None) or {}
    nested = [value for value in parameters.values() if isinstance(value, Mapping)]
    return {str(one.get("rope_type", "default")) for one in (nested or [parameters])}
