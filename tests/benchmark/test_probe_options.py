"""What probe methods read, what their cards say, and the options that are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planted_readings import planted_bench

from ragcortex.benchmark.methods.ablations import ABLATIONS, AblationOptions, ablation, comparison
from ragcortex.benchmark.methods.probes import FeatureMethod, LastTokenProbe, nll, probe_methods, recipe_method
from ragcortex.benchmark.methods.recipes import ReadingChoice
from ragcortex.benchmark.registry import METHODS, make_method
from ragcortex.errors import InputError
from ragcortex.readers.reading import ReadingSpec


def test_what_a_method_reads() -> None:
    reader: Any = planted_bench(Path(), ()).reader
    assert nll().spec(reader) == ReadingSpec(log_probs=True)
    assert recipe_method("saplma").spec(reader) == ReadingSpec(layers=(2, 3, 4))
    assert recipe_method("scalars").spec(reader) == ReadingSpec(attention_layers=None, log_probs=True)
    assert ablation("final-norm").spec(reader) == ReadingSpec((2, 3, 4), final_norm=True, attention_layers=None)
    assert ablation("attention-layer-2").spec(reader).attention_layers == (2,)
    chosen = comparison(attention_layers=[1, 3], attention_heads=[0, 2], layer=2).spec(reader)
    assert chosen == ReadingSpec((2,), attention_layers=(1, 3), attention_heads=(0, 2))
    # Nothing is read that the features do not need.
    assert comparison(features=["delta"], final_norm=True).spec(reader) == ReadingSpec((2, 3, 4), final_norm=True)
    assert ReadingChoice(True, (1,), (0,)).applied(ReadingSpec(log_probs=True)) == ReadingSpec(log_probs=True)


def test_cards() -> None:
    made = (*probe_methods(), *(ablation(name) for name in (*ABLATIONS, "layer-2", "attention-layer-1")))
    cards = {method.card.name: method.card for method in made}
    assert len(cards) == len(made)
    assert len({card.title for card in cards.values()}) == len(cards)
    assert {name for name, card in cards.items() if card.training == "none"} == {"nll", "entropy", "reference-gain"}
    assert {name for name, card in cards.items() if card.scale == "any"} == {"nll", "entropy"}
    assert {name: card.smoothing for name, card in cards.items() if card.smoothing != "persistence"} == {
        "cortex-window": "window_max",
        "cortex-states": "window_mean",
        "cortex-ensemble": "window_mean",
        "ablation-window-max": "window_max",
        "ablation-window-mean": "window_mean",
        "saplma-original": "none",
    }
    title = comparison(layer=3, final_norm=True, attention_layers=[2], attention_heads=[0, 1], smoothing="none").card
    assert title.title == (
        "mlp on [Δ; c], layer 3, after the final norm, α over layers 2, α over heads 0, 1, smoothed by none"
    )


@pytest.mark.parametrize("name", [name for name, entry in METHODS.items() if entry.module in ("probes", "raglens")])
def test_the_registry_makes_them(name: str) -> None:
    assert make_method(name, {}).card.name == name
    assert make_method("comparison", {"features": ["delta"], "layer": 3}).card.title == "mlp on [Δ], layer 3"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ablation("deltas"), "ablation: 'deltas' is not an ablation; did you mean 'delta'?"),
        (lambda: ablation("layer-0"), "ablation: 'layer-0' is not an ablation; layers count from 1"),
        (
            lambda: AblationOptions(scorer="gain"),
            "scorer: 'gain' learns nothing and is no ablation; use mlp or logistic",
        ),
        (lambda: AblationOptions(()), "features: must name at least one feature set"),
        (lambda: AblationOptions(layer=0), "layer: must be a layer number from 1 on, got 0"),
        (
            lambda: comparison(smoothing="mean"),  # type: ignore[arg-type]
            "smoothing: must be one of persistence, window_max, window_mean, none, got 'mean'",
        ),
        (lambda: recipe_method("saplma", layers=[0]), "layers: must be layer numbers from 1 on, got (0,)"),
        (lambda: LastTokenProbe([9]).spec(planted_bench(Path(), ()).reader), "layers: the reader has 4 layers, got 9"),
        (lambda: recipe_method("saplma", [9]).spec(planted_bench(Path(), ()).reader),
         "layers: the reader has 4 layers, got 9"),
        (
            lambda: FeatureMethod("hidden", nll().card),
            "feature: 'hidden' is made of hidden states and is no score of a token",
        ),
    ],
)  # fmt: skip
def test_options_that_cannot_work(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message
