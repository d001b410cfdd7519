"""Every measure on every architecture against slow loops over a plain eager pass, and its invariances."""

from typing import Any

import numpy as np
import pytest
import torch
from plain_measures import PLAIN, plain_pass

from architectures import VOCABULARY, loaded_model, model_of
from ragcortex.errors import InputError
from ragcortex.readers.forward import forward
from ragcortex.readers.measures.icr import icr_scores
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.reading import Floats, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

NAMES = tuple(sorted(PLAIN))
SPEC = ReadingSpec(measures=NAMES)
# Absolute, float32 against float64. Divergences are differences of entropies of up to log 97.
TOLERANCE = {"icr": 2e-4, "self_attention": 1e-3, "parametric_knowledge": 1e-5, "lens_progress": 1e-5}


def _sequence(seed: int, n_prefix: int, n_answer: int) -> TokenSequence:
    ids = np.random.default_rng(seed).integers(3, VOCABULARY, n_prefix + n_answer).tolist()
    return TokenSequence(tuple(ids[:n_prefix]), tuple(ids[n_prefix:]), (2, n_prefix - 2))


ONE = _sequence(0, 30, 22)
BATCH = [ONE, _sequence(1, 6, 3), _sequence(2, 60, 25), _sequence(3, 7, 1)]


def measured(loaded: LoadedModel, *sequences: TokenSequence, side: str = "right") -> list[dict[str, Floats]]:
    return [dict(arrays.measures) for arrays in forward(loaded, sequences, SPEC, padding_side=side)]


def assert_close(got: dict[str, Floats], expected: dict[str, Any]) -> None:
    assert got.keys() == expected.keys()
    for name, array in got.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, expected[name], atol=TOLERANCE.get(name, 1e-4), rtol=2e-3, err_msg=name)


@pytest.mark.parametrize("side", ["right", "left"])
def test_measures_equal_loops_in_a_batch(architecture: str, loaded: LoadedModel, side: str) -> None:
    eager = model_of(architecture, "eager")
    for sequence, got in zip(BATCH, measured(loaded, *BATCH, side=side), strict=True):
        run = plain_pass(eager, sequence)
        assert_close(got, {name: function(run, sequence) for name, function in PLAIN.items()})


def test_measures_say_something(loaded: LoadedModel) -> None:
    """Constant measures would equal a constant reference: each varies over tokens."""
    (got,) = measured(loaded, ONE)
    for name, array in got.items():
        assert array.std(axis=0).max() > 0.05 * np.abs(array).max(), name


def test_one_measure_alone_is_the_same(loaded: LoadedModel) -> None:
    """The lens is shared by two measures: each of them must not need the other."""
    (together,) = measured(loaded, ONE)
    for name in NAMES:
        (alone,) = forward(loaded, [ONE], ReadingSpec(measures=(name,)), padding_side="right")
        assert alone.measures.keys() == {name}
        np.testing.assert_allclose(alone.measures[name], together[name], atol=1e-6)


@pytest.mark.parametrize("changed", [1, 10, 21])
def test_a_later_token_changes_nothing_before_it(loaded: LoadedModel, changed: int) -> None:
    answer = list(ONE.answer)
    answer[changed] = 3 if answer[changed] != 3 else 4
    (before,) = measured(loaded, ONE)
    (after,) = measured(loaded, TokenSequence(ONE.prefix, tuple(answer), ONE.references))
    for name, array in before.items():
        np.testing.assert_allclose(array[:changed], after[name][:changed], atol=1e-5, rtol=1e-5, err_msg=name)


def test_ranges(loaded: LoadedModel) -> None:
    for got in measured(loaded, *BATCH):
        assert got["lookback"].min() >= 0
        assert got["lookback"].max() <= 1
        assert got["self_attention"].max() <= 0
        assert got["self_attention"].min() >= -87.4
        assert got["top_entropy"].max() <= np.log(50) + 1e-5
        assert got["icr"].min() >= 0
        assert got["icr"].max() <= np.log(2)
        assert np.abs(got["external_context"]).max() <= 1 + 1e-6
        assert got["parametric_knowledge"].min() >= 0
        assert got["parametric_knowledge"].max() <= np.log(2) + 1e-6
        assert got["lens_progress"].min() >= 0


def test_rows_in_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention comes a few rows at a time, logits and the lens too: the seams must not show."""
    loaded = loaded_model("llama")
    (whole,) = measured(loaded, ONE)
    monkeypatch.setattr("ragcortex.readers.attention.MAX_SCORES", 4 * len(ONE) * 5)
    monkeypatch.setattr("ragcortex.readers.forward._LOGIT_ROWS", 3)
    monkeypatch.setattr("ragcortex.readers.measures.lens._MAX_LOGITS", 9 * VOCABULARY)
    monkeypatch.setattr("ragcortex.readers.measures.lens._BLOCK_ROWS", 2)
    (parts,) = measured(loaded, ONE)
    for name, array in whole.items():
        np.testing.assert_allclose(array, parts[name], atol=1e-5, err_msg=name)


def test_bfloat16_is_finite_and_near(architecture: str, loaded: LoadedModel) -> None:
    """Which positions are in the top 10 % may change, so only what does not hang on it is compared."""
    half = loaded_model(architecture, torch.bfloat16)
    (got,) = measured(half, ONE)
    (full,) = measured(loaded, ONE)
    for name, array in got.items():
        assert np.isfinite(array).all(), name
    assert np.abs(got["lookback"] - full["lookback"]).mean() < 0.05
    assert np.abs(got["parametric_knowledge"] - full["parametric_knowledge"]).mean() < 0.05


def test_icr_worked_by_hand() -> None:
    # Token 1 attends to tokens 0 and 1 with .25 and .75; it is moved by (2, 0); states are (1, 0) and (0, 1), so that
    # w = (2, 0). Standardised, two values are (−1, 1)/√2 and (1, −1)/√2: softmaxes (.1956, .8044) and (.8044, .1956),
    # whose mean is (½, ½). JSD = log 2 − H(.1956, .8044) = .6931 − .4942 = .1989.
    attention = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    states, moved = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    scores = icr_scores(attention, states, moved, 2)
    assert scores[0] == 0, "a token that can only attend to itself"
    p = 1 / (1 + np.exp(np.sqrt(2)))
    assert float(scores[1]) == pytest.approx(np.log(2) + p * np.log(p) + (1 - p) * np.log(1 - p), abs=1e-6)
    assert float(scores[1]) == pytest.approx(0.1989, abs=1e-4)


def test_unknown_measure_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        forward(loaded_model("llama"), [ONE], ReadingSpec(measures=("nearness",)), padding_side="right")
    assert str(caught.value) == f"measures: 'nearness' is not a measure; there are {', '.join(NAMES)}"
