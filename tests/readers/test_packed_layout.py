"""What the segments of a packed row see: which of them need a mask, and that none of it shows in the states."""

from typing import Any

import numpy as np
import pytest
import torch

from architectures import CONFIGS, SLIDING_WINDOW, VOCABULARY, model_of
from ragcortex.readers._hf import decoder
from ragcortex.readers.attention import register
from ragcortex.readers.packed_layout import laid_out, layout_of, placeholder_masks
from ragcortex.readers.packed_row import PackedRow


def _ids(seed: int, n: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).integers(3, VOCABULARY, n).tolist())


OPENING, SOURCE, SHORT, ANSWER = _ids(0, 10), _ids(1, 30), _ids(2, 6), _ids(3, 12)
SEQUENCES = ((OPENING + SOURCE, ANSWER), (OPENING + SHORT, ANSWER))


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def stack(request: pytest.FixtureRequest) -> Any:
    return decoder(model_of(str(request.param), register()))


def _row() -> PackedRow:
    row = PackedRow()
    for prefix, answer in SEQUENCES:
        row.add(prefix, answer)
    return row


def test_a_source_behind_an_opening_is_read_by_plain_causality_and_gives_the_same_states(stack: Any) -> None:
    row = _row()
    layout = layout_of(row.segments(), stack.config, "cpu")
    with torch.inference_mode(), laid_out(layout):
        masks = placeholder_masks(stack.config, "cpu")
        inputs = {"input_ids": torch.tensor([row.ids]), "position_ids": layout.positions(), "attention_mask": masks}
        packed = stack(**inputs, use_cache=False).last_hidden_state[0]
    for place, (prefix, answer) in zip(row.places, SEQUENCES, strict=True):
        with torch.inference_mode():
            alone = stack(input_ids=torch.tensor([[*prefix, *answer]]), use_cache=False).last_hidden_state[0]
        expected = alone[len(prefix) :]
        scale = float(expected.abs().max())
        np.testing.assert_allclose(packed[place.start : place.stop] / scale, expected / scale, atol=1e-5, rtol=0)


def test_masks_are_made_only_where_they_are_less_work(stack: Any) -> None:
    layout = layout_of(_row().segments(), stack.config, "cpu")
    for layer in range(stack.config.num_hidden_layers):
        masked = {(one.start, one.stop): mask is not None for one, mask in layout.of_layer(layer)}
        assert list(masked) == [(0, 10), (10, 40), (40, 52), (52, 58), (58, 70)]
        if layout._windows[layer] is None:
            # The opening, and the source with more rows than there are before it; the short one has fewer.
            assert list(masked.values()) == [False, False, True, True, True]
        else:
            assert masked[0, 10] == (SLIDING_WINDOW < 10)
            assert masked[10, 40]
