"""One forward pass after another: which texts go together, and their pooled vectors before normalisation."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Row = Sequence[int]
Matrix = npt.NDArray[np.float32]

# A pass over MiniLM costs about as much as 40 more tokens on a CPU; padding beyond that is dearer than another pass.
_PASS_IN_TOKENS: Final = {"cpu": 40}
_PASS_IN_TOKENS_ELSEWHERE: Final = 4_096
_BATCH_TOKENS: Final = {"cpu": 2_048}
_BATCH_TOKENS_ELSEWHERE: Final = 16_384


def batch_tokens(device: str) -> int:
    """Return how many tokens, padding included, one pass reads at most on a device."""
    return _BATCH_TOKENS.get(device.split(":", maxsplit=1)[0], _BATCH_TOKENS_ELSEWHERE)


def plan(lengths: Sequence[int], most_tokens: int, device: str = "cpu") -> list[list[int]]:
    """Return the rows of each pass: every index once, longest rows first, padding kept below the cost of a pass.

    >>> plan([3, 90, 4, 88], most_tokens=2048)
    [[1, 3], [2, 0]]
    """
    allowed = _PASS_IN_TOKENS.get(device.split(":", maxsplit=1)[0], _PASS_IN_TOKENS_ELSEWHERE)
    batches: list[list[int]] = []
    longest, padding = 0, 0
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        padding += longest - lengths[index]
        if not batches or padding > allowed or (len(batches[-1]) + 1) * longest > most_tokens:
            batches.append([])
            longest, padding = lengths[index], 0
        batches[-1].append(index)
    return batches


def padded(modules: Sequence[Any], rows: Sequence[Row], pad_id: int, device: str) -> Matrix:
    """Return the vectors (n, dimension) that the modules make of rows of token ids, padded on the right."""
    import torch

    width = max(map(len, rows))
    ids = np.full((len(rows), width), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    features: dict[str, Any] = {
        "input_ids": torch.from_numpy(ids).to(device),
        "attention_mask": torch.from_numpy(mask).to(device),
    }
    with torch.inference_mode():
        for module in modules:
            features = module(features)
            if "token_embeddings" in features:  # what is made of a transformer's states is made in float32
                features["token_embeddings"] = features["token_embeddings"].float()
        vectors: Matrix = features["sentence_embedding"].float().cpu().numpy()
    return vectors
