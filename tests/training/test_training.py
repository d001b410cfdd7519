"""Training on a tiny reader: every choice made on groups that the heads have not seen, and nothing silent."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from labelled_answers import labelled_answers
from sklearn.metrics import roc_auc_score

from ragcortex.bundle import Bundle
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.recipes import Head, Recipe, recipe, recipes
from ragcortex.errors import InputError, TrainingError
from ragcortex.evaluation.cross_validation import predict
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.readers.store import ReadingStore
from ragcortex.smoothing import Smoothing
from ragcortex.training import TrainingOptions, fit, layer_candidates, stored_readings, train
from ragcortex.training.tables import labels_of, sample_within, token_table

FAST = TrainingOptions(layers=(2, 4), validation_fraction=0.3, n_seeds=1)


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ReadingStore:
    return ReadingStore(tmp_path_factory.mktemp("readings"))


@pytest.fixture(scope="module")
def bundle(reader: Reader, store: ReadingStore) -> Bundle:
    return train(
        labelled_answers(), reader, recipe("cortex"), store, name="lamps", data="made-up answers", options=FAST
    )


def test_a_trained_detector_finds_the_kind_of_hallucination_it_was_trained_on(
    reader: Reader, store: ReadingStore
) -> None:
    simple = Recipe(
        "simple", "logistic regression on the state", (Head("state", ("hidden",), "logistic", {"C": 100.0}),)
    )
    bundle = train(labelled_answers(), reader, simple, store, name="lamps", data="made up", options=FAST)
    unseen = labelled_answers(n_groups=10, seed=7)
    predictions = predict(unseen, InternalDetector(bundle, reader), store)
    labels = np.concatenate([labels_of(e, reader.read_one(e, bundle.spec())) for e in unseen])
    assert roc_auc_score(labels, np.concatenate([one.raw for one in predictions])) > 0.7
    assert roc_auc_score([e.label for e in unseen], [one.answer_score for one in predictions]) > 0.7


def test_saving_and_loading_changes_no_score(bundle: Bundle, reader: Reader, tmp_path: Path) -> None:
    bundle.save(tmp_path / "lamps", card="# lamps\n")
    loaded = Bundle.load(tmp_path / "lamps")
    example = labelled_answers()[1]
    before, after = (InternalDetector(one, reader).check_example(example) for one in (bundle, loaded))
    assert before == after


def test_training_twice_gives_the_same_detector(reader: Reader, store: ReadingStore, bundle: Bundle) -> None:
    again = train(
        labelled_answers(), reader, recipe("cortex"), store, name="lamps", data="made-up answers", options=FAST
    )
    for one, other in zip(bundle.heads, again.heads, strict=True):
        for name, array in one.scorer.arrays().items():
            np.testing.assert_array_equal(array, other.scorer.arrays()[name])
    assert again.smoothing == bundle.smoothing
    assert again.calibration == bundle.calibration


def test_the_order_of_rows_does_not_decide_who_is_held_out(reader: Reader, store: ReadingStore) -> None:
    seen: list[set[str | None]] = []
    for examples in (labelled_answers(), labelled_answers()[::-1]):
        source = stored_readings(examples, reader, recipe("scalars").spec((2,)), store)
        calls: list[list[int]] = []

        def spying(indices: list[int], /, source: object = source, calls: list[list[int]] = calls) -> object:
            calls.append(list(indices))
            return source(indices)  # type: ignore[operator]

        fit(examples, spying, recipe("scalars"), (2,), FAST, data="made up", reader_fingerprint="0" * 64)  # type: ignore[arg-type]
        seen.append({examples[index].group for index in calls[-1]})
    assert seen[0] == seen[1]


def test_heads_never_see_a_validation_group(reader: Reader, store: ReadingStore) -> None:
    examples = labelled_answers()
    source = stored_readings(examples, reader, recipe("cortex").spec((2, 4)), store)
    read: list[list[int]] = []

    def spying(indices: list[int], /) -> object:
        read.append(list(indices))
        return source(indices)

    fit(examples, spying, recipe("cortex"), (2, 4), FAST, data="made up", reader_fingerprint="0" * 64)  # type: ignore[arg-type]
    training = {examples[index].group for index in read[0]}
    validation = {examples[index].group for index in read[-1]}
    assert training
    assert validation
    assert not training & validation


def test_the_layer_is_the_one_with_the_best_validation_precision(bundle: Bundle) -> None:
    by_layer = bundle.training["validation_ap_by_layer"]
    assert set(by_layer) == {"2", "4"}
    chosen = {head.layer for head in bundle.heads if head.layer}
    assert chosen == {int(max(by_layer, key=lambda layer: by_layer[layer]))}


def test_a_head_may_take_the_second_best_layer(reader: Reader, store: ReadingStore) -> None:
    made = recipe("cortex-ensemble")
    fitted = train(labelled_answers(), reader, made, store, name="two layers", data="made up", options=FAST)
    by_layer = fitted.training["validation_ap_by_layer"]
    first, second = sorted(by_layer, key=lambda layer: -by_layer[layer])
    ranks = {head.name: head.layer_rank for head in made.heads}
    assert set(ranks.values()) == {0, 1}
    for head in fitted.heads:
        assert head.layer == (0 if head.name == "scalars" else int((first, second)[ranks[head.name]]))


def test_the_usual_smoothing_is_taken_where_asked_for(reader: Reader, store: ReadingStore) -> None:
    made = recipe("cortex-states")
    chosen, usual = (
        train(
            labelled_answers(),
            reader,
            made,
            store,
            name="x",
            data="made up",
            options=replace(FAST, smoothing=smoothing),
        )
        for smoothing in ("chosen", "usual")
    )
    assert chosen.smoothing.method == "window_mean"
    assert (usual.smoothing, usual.answer_smoothing) == (Smoothing.persistence(0.993), Smoothing.persistence(0.93))
    for name, array in chosen.heads[0].scorer.arrays().items():
        np.testing.assert_array_equal(array, usual.heads[0].scorer.arrays()[name])
    with pytest.raises(InputError, match="smoothing: must be chosen or usual, got 'none'"):
        replace(FAST, smoothing="none")  # type: ignore[arg-type]


def test_heads_beyond_the_candidate_layers_are_left_out_and_that_is_said(reader: Reader, store: ReadingStore) -> None:
    said: list[str] = []
    options = replace(FAST, layers=(4,))
    fitted = train(
        labelled_answers(), reader, recipe("cortex-ensemble"), store, name="one layer", data="made up",
        options=options, report=said.append,
    )  # fmt: skip
    assert [head.name for head in fitted.heads] == ["comparison", "scalars", "local_change", "state", "sequence"]
    assert "head state_second is left out: it takes 2 candidate layers, not 1" in said


@pytest.mark.parametrize("name", [one.name for one in recipes()])
def test_every_recipe_trains_and_checks(name: str, reader: Reader, store: ReadingStore) -> None:
    fitted = train(labelled_answers(), reader, recipe(name), store, name=name, data="made up", options=FAST)
    assert (fitted.reader is None) == (name == "reference-gain")
    report = InternalDetector(fitted, reader).check("Which?", ["The lamp is green."], "The lamp is purple and gold.")
    assert report.score is not None
    assert 0 <= report.score <= 1


def test_answer_labels_alone_serve_for_thresholds_only(reader: Reader, store: ReadingStore) -> None:
    unknown = [
        replace(example, spans=None, group=f"{example.group} again")
        for example in labelled_answers()
        if example.label == 1
    ]
    with_unknown = train(
        [*labelled_answers(), *unknown], reader, recipe("scalars"), store, name="x", data="made up", options=FAST
    )
    n_all = with_unknown.training["n_training_answers"] + with_unknown.training["n_validation_answers"]
    assert with_unknown.training["n_examples"] == 60
    assert n_all < 60


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None, "spans": None}, "example 0-0 has neither a label nor spans; label it or leave it out"),
        (
            {"label": 1, "spans": None},
            "no example with known spans (or label 0) is left on one side of the validation split; "
            "0 of 40 examples have them",
        ),
        ({"group": "one"}, "holding out needs at least 2 groups, the data has 1; label more sources"),
    ],
)
def test_data_that_cannot_train_is_refused(
    change: dict[str, object], message: str, reader: Reader, store: ReadingStore
) -> None:
    examples = [replace(example, **change) for example in labelled_answers()]  # type: ignore[arg-type]
    with pytest.raises(TrainingError) as raised:
        train(examples, reader, recipe("scalars"), store, name="x", data="made up", options=FAST)
    assert str(raised.value) == message


def test_layers_beyond_the_reader_are_refused(reader: Reader) -> None:
    with pytest.raises(InputError) as raised:
        layer_candidates(recipe("cortex"), reader, TrainingOptions(layers=(2, 9)))
    assert str(raised.value) == "layers: the reader has 4 layers, got 9"
    with pytest.raises(InputError, match=r"^layers: must be layer numbers from 1 on, got \(0,\)$"):
        TrainingOptions(layers=(0,))
    with pytest.raises(InputError, match=r"^seeds: must be at least 1, got 0$"):
        TrainingOptions(n_seeds=0)


def test_candidate_layers_follow_the_depth() -> None:
    assert recipe("cortex").layer_candidates(30) == (15, 20, 25, 30)
    assert recipe("cortex-paper").layer_candidates(32) == (32,)
    assert Recipe("x", "", (Head("h", ("delta",)),)).layer_candidates(1) == (1,)


def test_the_token_table_stacks_tokens_of_all_answers(reader: Reader, store: ReadingStore) -> None:
    examples = labelled_answers(n_groups=3)
    source = stored_readings(examples, reader, recipe("cortex").spec((2,)), store)
    table = token_table(examples, source, [1, 5], ("delta", "residual"), 2)
    readings = list(source([1, 5]))
    assert table.lengths == tuple(len(reading.tokens) for reading in readings)
    assert table.X.shape == (sum(table.lengths), 64)
    np.testing.assert_array_equal(
        table.y, np.concatenate([labels_of(examples[i], r) for i, r in zip((1, 5), readings, strict=True)])
    )


def test_tokens_without_known_spans_have_no_labels(reader: Reader) -> None:
    example = Example("Q?", labelled_answers()[0].references, "Unknown.", id="u", label=1)
    reading = Reading(reader.tokenize(example.answer), (), 0)
    with pytest.raises(TrainingError, match=r"^example 'u' has no known spans, so its tokens have no labels$"):
        labels_of(example, reading)


def test_a_sample_stays_within_its_tokens() -> None:
    examples = labelled_answers()
    chosen = sample_within(examples, range(len(examples)), 100, seed=0)
    assert chosen == sorted(set(chosen))
    assert sum(len(examples[index].answer) for index in chosen) <= 400
    assert sample_within(examples, range(4), 10**6, seed=0) == [0, 1, 2, 3]
