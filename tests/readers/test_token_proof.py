"""M3: each call proves that an answer's tokens are the same in both passes; where they are not, nothing is read."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragcortex.errors import ReadingError
from ragcortex.readers.models import LoadedModel, load_model
from ragcortex.readers.packed_row import Place
from ragcortex.readers.token_batch import TokenBatch, TokenSequence, packed, padded, prove_same_answer

SEQUENCES = (
    TokenSequence((5, 6, 7, 8), (9, 10, 11), (1, 3)),
    TokenSequence((5, 8), (9, 10, 11), None),
    TokenSequence((5, 6), (12, 9), None),
)
WAYS: dict[str, Callable[[LoadedModel], TokenBatch]] = {
    "padded on the right": lambda loaded: padded(SEQUENCES, loaded, "right"),
    "padded on the left": lambda loaded: padded(SEQUENCES, loaded, "left"),
    "packed": lambda loaded: packed(SEQUENCES, loaded),
}
MESSAGE = "the answer's tokens in the model's input differ from those of the tokenised answer"


@pytest.fixture(scope="module")
def loaded(tiny_reader_folder: Path) -> LoadedModel:
    return load_model(str(tiny_reader_folder))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_made_here_is_proved(loaded: LoadedModel, way: str) -> None:
    prove_same_answer(WAYS[way](loaded), SEQUENCES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("index", range(len(SEQUENCES)))
def test_any_other_token_is_a_hard_error(loaded: LoadedModel, way: str, index: int) -> None:
    batch = WAYS[way](loaded)
    place = batch.places[index]
    for position in range(place.start, place.stop):
        ids = batch.inputs["input_ids"].clone()
        ids[place.row, position] += 1
        with pytest.raises(ReadingError, match=f"^{MESSAGE}$"):
            prove_same_answer(replace(batch, inputs={**batch.inputs, "input_ids": ids}), SEQUENCES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shift", [-1, 1])
def test_an_answer_one_token_aside_is_a_hard_error(loaded: LoadedModel, way: str, shift: int) -> None:
    batch = WAYS[way](loaded)

    def moved(place: Place) -> Place:
        return replace(place, start=place.start + shift, stop=place.stop + shift)

    with pytest.raises(ReadingError, match=f"^{MESSAGE}$"):
        prove_same_answer(replace(batch, places=[moved(place) for place in batch.places]), SEQUENCES)
