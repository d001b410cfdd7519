"""RAGLens: direction, chance, windows, what is kept on disk, and a real reader end to end."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_readings import PlantedStore, halves, planted_answers, planted_bench, pooled, shuffled
from sklearn.metrics import roc_auc_score

from labelled_sources import labelled_sources
from ragcortex.benchmark.method import FoldData, Workbench, checked
from ragcortex.benchmark.methods.kept import kept_arrays
from ragcortex.benchmark.methods.raglens import RaglensMethod, window_states
from ragcortex.detectors.scoring import combine_blocks
from ragcortex.errors import InputError, StoreError, TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

pytest.importorskip("interpret")

FAST: dict[str, Any] = {"latents_per_dimension": 4, "n_active": 4, "n_epochs": 8, "n_features": 12, "n_bags": 1}


def fitted_on(
    folder: Path, examples: Sequence[Any], options: dict[str, Any] = FAST, **store: Any
) -> tuple[Workbench, list[int], Any]:
    bench = planted_bench(folder, examples, PlantedStore(2, **store))
    fold, test = halves(examples)
    return bench, test, RaglensMethod(**options).fit(bench, fold)


def test_planted_tokens_and_answers_are_ranked_higher(tmp_path: Path) -> None:
    bench, test, fitted = fitted_on(tmp_path, planted_answers(180))
    scores = [checked(one, RaglensMethod.card, 12) for one in fitted.score(bench, test)]
    assert roc_auc_score(*pooled(bench, test, scores)) > 0.9
    assert roc_auc_score(bench.answer_labels(test), [one.answer for one in scores]) > 0.9
    assert fitted.choices["layer"] == 2
    assert fitted.choices["n_latents"] == 48
    assert 0 < fitted.choices["validation_unexplained_variance"] < 1


def test_labels_that_say_nothing_give_chance(tmp_path: Path) -> None:
    bench, test, fitted = fitted_on(tmp_path, shuffled(planted_answers(240)))
    scores = list(fitted.score(bench, test))
    assert abs(roc_auc_score(bench.answer_labels(test), [one.answer for one in scores]) - 0.5) < 0.2
    assert abs(roc_auc_score(*pooled(bench, test, scores)) - 0.5) < 0.2


def test_scores_by_hand_and_by_the_rule_of_windows(tmp_path: Path) -> None:
    """Every token takes the window that grounds it best; the answer is of those windows' features."""
    bench, test, fitted = fitted_on(
        tmp_path, planted_answers(120), n_windows=2, n_pieces=3, grounded_later=("zz0", "zz1")
    )
    readings = bench.readings(test, ReadingSpec(layers=(2,)))
    for reading, one in zip(readings, fitted.score(bench, test), strict=True):
        assert one.tokens is not None
        by_block = [
            fitted.scorer.predict_proba(fitted.coder.transform(block.ref.hidden[2])[:, fitted.selected])[:, 1]
            for block in reading.blocks
        ]
        np.testing.assert_allclose(one.tokens, combine_blocks(reading.blocks, by_block, 12), atol=1e-6)
        windows = window_states(reading, 2)
        best = []
        for place in range(12):
            features = [fitted.coder.transform(states[place : place + 1])[:, fitted.selected] for states in windows]
            best.append(min(features, key=lambda row: fitted.scorer.predict_proba(row)[0, 1]))
        answer = fitted.scorer.predict_proba(np.max(best, axis=0))[0, 1]
        assert one.answer == pytest.approx(answer, abs=1e-5)


def test_what_was_made_is_kept(tmp_path: Path) -> None:
    told: list[str] = []
    examples = planted_answers(90)
    bench = replace(planted_bench(tmp_path, examples), report=told.append)
    fold, test = halves(examples)
    first = list(RaglensMethod(**FAST).fit(bench, fold).score(bench, test))
    assert len(told) == 3
    files = sorted((tmp_path / "raglens").iterdir())
    assert [path.name.rsplit("-", 1)[0] for path in files] == [
        "autoencoder-layer2-fold0-seed0",
        "classifier-layer2-fold0-seed0",
    ]
    told.clear()
    again = list(RaglensMethod(**FAST).fit(bench, fold).score(bench, test))
    assert told == []
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.tokens, other.tokens)
        assert one.answer == other.answer
    # Other labels need another classifier, not another autoencoder; other answers need both.
    RaglensMethod(**FAST).fit(replace(bench, examples=shuffled(examples)), fold)
    assert [line.split(":")[1].split()[0] for line in told] == ["fitting"]
    told.clear()
    RaglensMethod(**FAST).fit(bench, replace(fold, training=fold.training[1:]))
    assert len(told) == 3
    # A damaged file is told of and made anew, to the same scores.
    told.clear()
    files[0].write_bytes(b"damaged")
    rebuilt = list(RaglensMethod(**FAST).fit(bench, fold).score(bench, test))
    assert told[0] == f"{files[0].name} cannot be read (SafetensorError), so it is made anew"
    assert [one.answer for one in rebuilt] == [one.answer for one in first]


def test_the_autoencoder_sees_no_label_and_no_other_answer(tmp_path: Path) -> None:
    examples = planted_answers(60)
    fold, _ = halves(examples)
    coders = []
    for number, labelled in enumerate((examples, shuffled(examples))):
        bench = planted_bench(tmp_path / str(number), labelled)
        coders.append(RaglensMethod(**FAST).fit(bench, fold).coder)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(coders[0].decoder_, coders[1].decoder_)


def test_the_layer_is_chosen_on_validation_answers(tmp_path: Path) -> None:
    _, _, fitted = fitted_on(tmp_path, planted_answers(120), {**FAST, "layers": (2, 4)})
    assert fitted.layer == 2
    assert set(fitted.choices["validation_ap_by_layer"]) == {"2", "4"}


def test_a_real_reader_end_to_end(tiny_reader_folder: Path, tmp_path: Path) -> None:
    bench = Workbench(
        labelled_sources(), Reader.load(str(tiny_reader_folder)), ReadingStore(tmp_path / "readings"), tmp_path
    )
    method = RaglensMethod(latents_per_dimension=2, n_epochs=1, n_features=20, n_bags=1)
    fitted = method.fit(bench, FoldData(0, tuple(range(15)), tuple(range(15, 21))))
    for index, one in zip(range(21, 30), fitted.score(bench, range(21, 30)), strict=True):
        checked(one, method.card, len(bench.tokens(index)))
        assert one.answer is not None


def test_options() -> None:
    reader: Any = planted_bench(Path(), ()).reader
    assert RaglensMethod().spec(reader) == ReadingSpec(layers=(2,))
    assert RaglensMethod(layers=[3, 1]).spec(reader) == ReadingSpec(layers=(1, 3))
    with pytest.raises(InputError) as deep:
        RaglensMethod(layers=[9]).spec(reader)
    assert str(deep.value) == "layers: the reader has 4 layers, got 9"
    with pytest.raises(InputError) as zero:
        RaglensMethod(layers=[0])
    assert str(zero.value) == "layers: must be layer numbers from 1 on, got (0,)"
    with pytest.raises(InputError) as none:
        RaglensMethod(n_features=0)
    assert str(none.value) == "n_features: must be at least 1, got 0"


def test_data_that_cannot_train(tmp_path: Path) -> None:
    examples = tuple(replace(one, spans=None, label=1) for one in planted_answers(6))
    bench = planted_bench(tmp_path, examples)
    with pytest.raises(TrainingError) as caught:
        RaglensMethod(**FAST, layers=(1, 2)).fit(bench, FoldData(1, (0, 1, 2), (3, 4)))
    assert str(caught.value) == (
        "choosing the layer of RAGLens needs both labels among the validation answers of fold 1, got [1]; "
        "give it more validation answers, or one layer"
    )


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "raglens").write_text("a file")
    with pytest.raises(StoreError, match=r"raglens/x-[0-9a-f]{16}\.safetensors' cannot be written: .*; give a results"):
        kept_arrays(tmp_path / "raglens" / "x", {}, lambda: {"a": np.zeros(1)}, report=lambda _: None)
