"""Methods over states and scalars: direction, chance on shuffled labels, windows, and a real reader end to end."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_readings import (
    PlantedStore,
    halves,
    planted_answers,
    planted_bench,
    pooled,
    shuffled,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from labelled_sources import labelled_sources
from ragcortex.benchmark.method import BenchmarkMethod, FoldData, Workbench, checked
from ragcortex.benchmark.methods.ablations import ABLATIONS, ablation, layer_sweep
from ragcortex.benchmark.methods.probes import (
    FeatureMethod,
    LastTokenProbe,
    entropy,
    nll,
    probe_methods,
    recipe_method,
)
from ragcortex.detectors.recipes import recipe
from ragcortex.detectors.scoring import combine_blocks
from ragcortex.errors import TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore
from ragcortex.signals.features import features
from ragcortex.training import TrainingOptions, fit

MADE: dict[str, Callable[[], BenchmarkMethod]] = {one.card.name: (lambda m=one: m) for one in probe_methods()}
MADE |= {
    f"ablation-{name}": (lambda n=name: ablation(n))
    for name in (*ABLATIONS, "layer-2", "attention-layer-1", "attention-head-0")
}
# What the others change, made readings do not have.
PLANTED = [*(one.card.name for one in probe_methods() if one.card.level == "token"),
           "ablation-delta", "ablation-residual", "ablation-h-ref", "ablation-logistic"]  # fmt: skip
BLIND = "ablation-h-noref"
"""It sees only the pass in which nothing is planted."""


def at_layer(name: str) -> int:
    return 4 if name in ("cortex-paper", "saplma-original") else 2


def scored(name: str, folder: Path, *, chance: bool = False, **store: Any) -> tuple[Workbench, list[int], list[Any]]:
    """Return the workbench of made readings, the answers scored, and the scores of a method fitted on others."""
    examples = shuffled(planted_answers(240)) if chance else planted_answers(90)
    bench = planted_bench(folder, examples, PlantedStore(at_layer(name), **store))
    fold, test = halves(examples)
    method = MADE[name]()
    scores = [
        checked(one, method.card, len(bench.tokens(index)))
        for index, one in zip(test, method.fit(bench, fold).score(bench, test), strict=True)
    ]
    return bench, test, scores


@pytest.mark.parametrize("name", PLANTED)
def test_planted_tokens_are_ranked_higher(name: str, tmp_path: Path) -> None:
    assert roc_auc_score(*pooled(*scored(name, tmp_path))) > 0.9


@pytest.mark.parametrize("name", ["linear-probe", "saplma", "cortex-tuned", "scalars"])
def test_labels_that_say_nothing_give_chance(name: str, tmp_path: Path) -> None:
    assert abs(roc_auc_score(*pooled(*scored(name, tmp_path, chance=True))) - 0.5) < 0.12


def test_what_is_told_with_references_only_is_not_in_the_other_pass(tmp_path: Path) -> None:
    assert abs(roc_auc_score(*pooled(*scored(BLIND, tmp_path))) - 0.5) < 0.2


@pytest.mark.parametrize("chance", [False, True])
def test_the_last_token_tells_of_the_answer(chance: bool, tmp_path: Path) -> None:
    bench, test, scores = scored("saplma-original", tmp_path, chance=chance)
    area = roc_auc_score(bench.answer_labels(test), [one.answer for one in scores])
    assert abs(area - 0.5) < 0.25 if chance else area > 0.9
    assert all(one.tokens is None for one in scores)


@pytest.mark.parametrize("name", ["linear-probe", "saplma", "cortex-tuned", "reference-gain", "nll", "entropy"])
def test_a_token_is_grounded_if_any_window_grounds_it(name: str, tmp_path: Path) -> None:
    """«zz0» is grounded by the second window: it scores low, although the first window says otherwise."""
    bench, test, scores = scored(name, tmp_path, n_windows=2, n_pieces=3, grounded_later=("zz0",))
    by_word: dict[str, list[float]] = {"zz0": [], "zz1": [], "others": []}
    for index, one in zip(test, scores, strict=True):
        words = bench.examples[index].answer.split(" ")
        for word, value in zip(words, one.tokens, strict=True):
            by_word[word if word in by_word else "others"].append(value)
    assert np.median(by_word["zz0"]) < np.percentile(by_word["others"], 95) < np.median(by_word["zz1"])


def test_the_last_token_is_grounded_if_any_window_grounds_it(tmp_path: Path) -> None:
    bench, test, once = scored("saplma-original", tmp_path)
    _, _, again = scored("saplma-original", tmp_path, n_windows=2, grounded_later=("zz0", "zz1", "zz2"))
    invented = bench.answer_labels(test) == 1
    assert np.median(np.array([one.answer for one in once])[invented]) > 0.8
    assert np.median(np.array([one.answer for one in again])[invented]) < 0.4


@pytest.mark.parametrize(("method", "feature"), [(nll(), "negative_log_likelihood"), (entropy(), "entropy")])
def test_a_feature_is_scored_as_it_is(method: FeatureMethod, feature: str, tmp_path: Path) -> None:
    """The lowest over windows, by a loop; scores above 1 are not cut."""
    store = PlantedStore(n_windows=2, n_pieces=2, grounded_later=("zz1",))
    bench = planted_bench(tmp_path, planted_answers(8), store)
    spec = method.spec(bench.reader)
    highest = 0.0
    fitted = method.fit(bench, FoldData(0, (), ()))
    for reading, one in zip(bench.readings(range(8), spec), fitted.score(bench, range(8)), strict=True):
        expected = np.full(len(reading.tokens), np.inf)
        for block in reading.blocks:
            values = features(block, (feature,), 0)[:, 0]
            for place in range(block.keep, block.stop):
                expected[place] = min(expected[place], values[place - block.start])
        assert one.tokens is not None
        np.testing.assert_allclose(one.tokens, expected, rtol=0, atol=1e-12)
        highest = max(highest, expected.max())
    assert highest > 1


def test_linear_probe_is_scikit_learns_on_the_best_layer(tmp_path: Path) -> None:
    examples = planted_answers(90)
    bench = planted_bench(tmp_path, examples, PlantedStore(3))
    fold, test = halves(examples)
    fitted = recipe_method("linear-probe").fit(bench, fold)
    assert fitted.choices["layer"] == 3
    assert set(fitted.choices["validation_ap_by_layer"]) == {"2", "3", "4"}

    def states(indices: Any) -> Any:
        found = bench.readings(indices, ReadingSpec(layers=(3,)))
        return np.concatenate([reading.blocks[0].ref.hidden[3] for reading in found]).astype(np.float64)

    scaler = StandardScaler().fit(states(fold.training))
    model = LogisticRegression(C=0.01, class_weight="balanced", max_iter=300)
    model.fit(scaler.transform(states(fold.training)), np.concatenate([bench.token_labels(i) for i in fold.training]))
    expected = model.predict_proba(scaler.transform(states(test)))[:, 1]
    got = np.concatenate([one.tokens for one in fitted.score(bench, test) if one.tokens is not None])
    np.testing.assert_allclose(got, expected, atol=1e-3)


def test_a_recipe_is_fitted_as_a_detector_is(tmp_path: Path) -> None:
    """On the same split, `training.fit` and the method give the same heads, bit for bit."""
    examples = planted_answers(60)
    bench = planted_bench(tmp_path, examples, seed=3, n_networks=2)
    made = recipe("cortex-tuned")
    layers = (2, 3)
    options = TrainingOptions(layers=layers, n_seeds=2, seed=3)
    of_detector = fit(
        examples, lambda indices: bench.readings(indices, made.spec(layers)), made, layers, options,
        data="made", reader_fingerprint="0" * 64,
    )  # fmt: skip
    validation = sorted(of_detector.validation_raws)
    training = [index for index in range(60) if index not in of_detector.validation_raws]
    fitted = recipe_method("cortex-tuned", layers=[2, 3]).fit(bench, FoldData(0, tuple(training), tuple(validation)))
    for one, other in zip(of_detector.heads, fitted.heads, strict=True):  # type: ignore[attr-defined]
        assert (one.layer, one.features) == (other.layer, other.features)
        for name, array in one.scorer.arrays().items():
            np.testing.assert_array_equal(array, other.scorer.arrays()[name])
    for index, one in zip(validation, fitted.score(bench, validation), strict=True):
        np.testing.assert_array_equal(one.tokens, of_detector.validation_raws[index])


def test_layers_are_the_methods_the_workbenchs_or_the_recipes(tmp_path: Path) -> None:
    bench = planted_bench(tmp_path, planted_answers(60), layers=(1, 2))
    fold, _ = halves(bench.examples)
    reader = bench.reader
    assert recipe_method("saplma").spec(reader).layers == (2, 3, 4)
    assert recipe_method("saplma", layers=[2, 1]).spec(reader).layers == (1, 2)
    assert recipe_method("cortex-paper").spec(reader).layers == (4,)
    assert LastTokenProbe().spec(reader).layers == (1, 4)
    tried = recipe_method("linear-probe").fit(bench, fold).choices["validation_ap_by_layer"]
    assert set(tried) == {"1", "2"}
    assert recipe_method("cortex-paper").fit(bench, fold).choices == {"layer": 4}
    assert ablation("layer-3").fit(bench, fold).choices == {"layer": 3}
    assert [one.spec(reader).layers for one in layer_sweep([1, 4])] == [(1,), (4,)]


@pytest.fixture(scope="module")
def real_bench(tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    folder = tmp_path_factory.mktemp("bench")
    reader = Reader.load(str(tiny_reader_folder))
    return Workbench(labelled_sources(), reader, ReadingStore(folder / "readings"), folder, layers=(2, 3))


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_real_reader_end_to_end(name: str, real_bench: Workbench) -> None:
    method = MADE[name]()
    fold = FoldData(0, tuple(range(15)), tuple(range(15, 21)))
    test = range(21, 30)
    scores = list(method.fit(real_bench, fold).score(real_bench, test))
    for index, one in zip(test, scores, strict=True):
        checked(one, method.card, len(real_bench.tokens(index)))
    if name in ("cortex-tuned", "saplma-original"):
        again = list(MADE[name]().fit(real_bench, fold).score(real_bench, test))
        for one, other in zip(scores, again, strict=True):
            np.testing.assert_array_equal(one.tokens, other.tokens)
            assert one.answer == other.answer


def test_data_that_cannot_train(tmp_path: Path) -> None:
    examples = tuple(replace(one, spans=None, label=1) for one in planted_answers(6))
    bench = planted_bench(tmp_path, examples)
    fold = FoldData(2, (0, 1, 2), (3, 4))
    with pytest.raises(TrainingError) as caught:
        recipe_method("saplma").fit(bench, fold)
    assert str(caught.value) == (
        "no training answer of fold 2 has known spans (or label 0), so there are no token labels; "
        "use a method that needs none, or data with spans"
    )
    with pytest.raises(TrainingError) as caught:
        LastTokenProbe().fit(bench, fold)
    assert str(caught.value) == (
        "choosing the layer needs both labels among the validation answers of fold 2, got [1]; "
        "give it more validation answers, or one layer"
    )


def test_the_rule_of_windows_is_the_detectors(tmp_path: Path) -> None:
    bench = planted_bench(tmp_path, planted_answers(60), PlantedStore(n_windows=2, n_pieces=2, grounded_later=("zz0",)))
    fold, test = halves(bench.examples)
    fitted: Any = recipe_method("linear-probe", [2]).fit(bench, fold)
    (head,) = fitted.heads
    for reading, one in zip(bench.readings(test, fitted.spec), fitted.score(bench, test), strict=True):
        scores = [head.scorer.predict_proba(block.ref.hidden[2])[:, 1] for block in reading.blocks]
        np.testing.assert_array_equal(one.tokens, combine_blocks(reading.blocks, scores, len(reading.tokens)))
