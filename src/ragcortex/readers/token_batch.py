"""Sequences of tokens as a model takes them: padded, each in a row of its own, or packed into one row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers.attention import Rows
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packed_layout import PackedLayout, layout_of, placeholder_masks
from ragcortex.readers.packed_row import PackedRow, Place


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """A prefix and the answer's tokens; `references` is None in the pass without references."""

    prefix: tuple[int, ...]
    answer: tuple[int, ...]
    references: tuple[int, int] | None

    def __len__(self) -> int:
        return len(self.prefix) + len(self.answer)


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Sequences as the model takes them.

    Attributes:
        inputs: of the decoder.
        places: where each sequence's answer is.
        rows: what attention is shown by: see `AttentionWatch`.
        layout: what attention may see, None where transformers' masks say so.
    """

    inputs: Mapping[str, Any]
    places: Sequence[Place]
    rows: Sequence[Rows | None]
    layout: PackedLayout | None = None


def padded(sequences: Sequence[TokenSequence], loaded: LoadedModel, padding_side: str) -> TokenBatch:
    """Return the sequences in rows of their own.

    Padding on the right needs no mask: no token sees a later one. Padding on the left does, and positions are counted
    over the mask.
    """
    length = max(len(sequence) for sequence in sequences)
    ids = torch.zeros(len(sequences), length, dtype=torch.long)
    mask = torch.zeros_like(ids)
    rows, places = [], []
    for index, sequence in enumerate(sequences):
        start = length - len(sequence) if padding_side == "left" else 0
        ids[index, start : start + len(sequence)] = torch.tensor(sequence.prefix + sequence.answer)
        mask[index, start : start + len(sequence)] = 1
        first = start + len(sequence.prefix)
        last = first + len(sequence.answer)
        columns = sequence.references or (0, 0)
        rows.append(Rows((first, last), (start + columns[0], start + columns[1])))
        places.append(Place(index, first, last, first - 1))
    inputs: dict[str, Any] = {"input_ids": ids.to(loaded.device), "use_cache": False}
    if padding_side == "left":
        inputs["attention_mask"] = mask.to(loaded.device)
        inputs["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0).to(loaded.device)
    else:
        inputs["position_ids"] = torch.arange(length, device=loaded.device)[None].expand(len(sequences), -1)
    return TokenBatch(inputs, places, rows)


def packed(sequences: Sequence[TokenSequence], loaded: LoadedModel) -> TokenBatch:
    """Return the sequences in one row."""
    row = PackedRow()
    rows: list[Rows | None] = []
    for sequence in sequences:
        row.add(sequence.prefix, sequence.answer)
        span = (len(sequence.prefix), len(sequence))
        rows.append(None if sequence.references is None else Rows(span, sequence.references))
    config = loaded.model.config.get_text_config()
    layout = layout_of(row.segments(), config, loaded.device)
    inputs = {
        "input_ids": torch.tensor([row.ids], device=loaded.device),
        "position_ids": layout.positions(),
        "attention_mask": placeholder_masks(config, loaded.device),
        "use_cache": False,
    }
    return TokenBatch(inputs, row.places, rows, layout)


def prove_same_answer(batch: TokenBatch, sequences: Sequence[TokenSequence]) -> None:
    """Raise ReadingError if an answer's tokens are not where the batch says they are."""
    ids = batch.inputs["input_ids"]
    for sequence, place in zip(sequences, batch.places, strict=True):
        if tuple(ids[place.row, place.start : place.stop].tolist()) != sequence.answer:
            raise ReadingError("the answer's tokens in the model's input differ from those of the tokenised answer")
