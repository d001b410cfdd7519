"""Input embeddings of a reader's tokens."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragcortex.readers.reading import Floats

if TYPE_CHECKING:
    from ragcortex.readers.reader import Reader


def input_embeddings(reader: "Reader", ids: npt.NDArray[np.int64]) -> Floats:
    """Return the rows of the input embedding matrix of these token ids (m,), float32 (m, d)."""
    import torch

    weight = reader.loaded.model.get_input_embeddings().weight
    with torch.inference_mode():
        rows: Floats = weight[torch.from_numpy(ids).to(weight.device)].float().cpu().numpy()
    return rows
