"""The fine-tuned peer under the benchmark's contract: direction, resuming, what is kept, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from labelled_sources import labelled_sources
from ragcortex.benchmark.method import FoldData, Workbench, checked
from ragcortex.benchmark.methods.token_classifier import TokenClassifierMethod
from ragcortex.benchmark.registry import make_method
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.readers import tuning
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

N_SOURCES, PER_SOURCE = 8, 3
FOLDS = tuple(
    FoldData(
        number,
        tuple(i for i in range(N_SOURCES * PER_SOURCE) if i // PER_SOURCE not in (6, 7, number)),
        (18, 19, 20, 21, 22, 23),
    )
    for number in range(2)
)
OPTIONS: dict[str, Any] = {"learning_rates": [3e-3], "n_epochs": 2, "precision": "float32", "batch_answers": 3}


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture
def bench(reader: Reader, tmp_path: Path) -> Workbench:
    examples = labelled_sources(N_SOURCES, PER_SOURCE)
    return Workbench(examples, reader, ReadingStore(tmp_path / "readings"), tmp_path / "work")


def _test(fold: FoldData) -> list[int]:
    return [i for i in range(N_SOURCES * PER_SOURCE) if i not in (*fold.training, *fold.validation)]


def _scores(bench: Workbench, fold: FoldData, **options: Any) -> dict[int, Any]:
    method = TokenClassifierMethod(**{**OPTIONS, **options})
    indices = [*fold.validation, *_test(fold)]
    found = list(method.fit(bench, fold).score(bench, indices))
    for index, one in zip(indices, found, strict=True):
        checked(one, method.card, len(bench.tokens(index)))
    return {index: one.tokens for index, one in zip(indices, found, strict=True)}


def test_higher_is_hallucinated_and_choices_are_told(bench: Workbench) -> None:
    lines: list[str] = []
    bench = replace(bench, report=lines.append)
    method = TokenClassifierMethod(**{**OPTIONS, "learning_rates": [1e-7, 3e-3], "n_epochs": 3})
    fitted = method.fit(bench, FOLDS[0])
    scored = list(fitted.score(bench, FOLDS[0].validation))
    labels = np.concatenate([bench.token_labels(index) for index in FOLDS[0].validation])
    assert roc_auc_score(labels, np.concatenate([one.tokens for one in scored])) > 0.8
    assert fitted.choices["chosen"] == 1
    assert fitted.choices["chosen_by"] == "validation token AP"
    low, high = fitted.choices["trials"]
    assert high["validation_ap"] > low["validation_ap"]
    assert high["options"]["learning_rate"] == 3e-3
    assert [epoch["number"] for epoch in high["epochs"]] == [1, 2, 3]
    assert any(line.startswith("fold 0, rate 0.003: epoch 3 of 3 done: loss 0.") for line in lines)
    assert lines[-1] == "fold 0: scoring 9 answers"


def test_an_interrupted_run_trains_only_the_folds_it_has_not_finished(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _scores(bench, FOLDS[0])
    trained: list[int] = []
    tune = tuning.tune

    def counted(*args: Any, **kwargs: Any) -> Any:
        trained.append(1)
        return tune(*args, **kwargs)

    monkeypatch.setattr(tuning, "tune", counted)
    resumed, second = _scores(bench, FOLDS[0]), _scores(bench, FOLDS[1])
    assert len(trained) == 1, "only the second fold"
    assert all(np.array_equal(first[index], resumed[index]) for index in first)
    assert second.keys() != first.keys()
    _scores(bench, FOLDS[1], n_epochs=1)
    _scores(replace(bench, seed=1), FOLDS[1])
    changed = (replace(bench.examples[0], answer=bench.examples[0].answer + " Yes.", spans=()), *bench.examples[1:])
    _scores(replace(bench, examples=changed), FOLDS[1])
    assert len(trained) == 4, "other options, seeds and answers are other scores"
    (folder,) = bench.folder.iterdir()
    assert folder.name == "token-classifier"
    assert all(file.name.startswith("fold-") for file in folder.iterdir()), "full weights are not kept"


def test_damaged_scores_are_made_anew_and_said(bench: Workbench) -> None:
    lines: list[str] = []
    bench = replace(bench, report=lines.append)
    first = _scores(bench, FOLDS[0])
    (file,) = (bench.folder / "token-classifier").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    lines.clear()
    again = _scores(bench, FOLDS[0])
    assert lines[0] == f"{file.name} cannot be read (SafetensorError), so it is made anew"
    assert all(np.array_equal(first[index], again[index]) for index in first)


def test_an_adapter_is_kept_beside_the_scores(bench: Workbench) -> None:
    _scores(bench, FOLDS[0], weights="adapter", rank=2)
    names = sorted(file.name.rsplit("-", 1)[0] for file in (bench.folder / "token-classifier").iterdir())
    assert names == ["fold-0", "weights-0"]


def test_answers_trained_on_or_blank_have_no_score(bench: Workbench) -> None:
    blank = Example("Where?", (Reference(" "),), "By the sea.", id="blank", spans=())
    unlabelled = Example("Where?", (Reference("By the sea."),), "By the sea.", id="unlabelled", label=1)
    bench = replace(bench, examples=(*bench.examples, blank, unlabelled))
    fold = replace(FOLDS[0], training=(*FOLDS[0].training, len(bench.examples) - 1))
    fitted = TokenClassifierMethod(**OPTIONS).fit(bench, fold)
    for index, name in ((fold.training[0], "1-0"), (24, "blank")):
        with pytest.raises(InputError) as error:
            next(fitted.score(bench, [index]))
        assert str(error.value) == (
            f"indices: answer '{name}' has no kept score: it was trained on in this fold, or its text or references "
            "are blank"
        )


def test_without_a_hallucination_to_validate_on_the_first_candidate_is_taken(bench: Workbench) -> None:
    fold = replace(FOLDS[0], validation=(18, 19, 21, 22))
    fitted = TokenClassifierMethod(**{**OPTIONS, "learning_rates": [1e-4, 1e-3], "n_epochs": 1}).fit(bench, fold)
    assert fitted.choices["chosen"] == 0
    assert fitted.choices["chosen_by"] == (
        "nothing: the validation answers lack hallucinated or grounded tokens, so the first candidate is taken"
    )


def test_card_registry_and_options(reader: Reader) -> None:
    method = make_method("token-classifier", {"learning_rates": [1e-5, 3e-5], "weights": "adapter", "depth": 3})
    assert isinstance(method, TokenClassifierMethod)
    assert method.card.name == "token-classifier"
    assert (method.card.level, method.card.scale, method.card.training) == ("token", "probability", "labels")
    assert method.spec(reader) == ReadingSpec()
    assert [candidate.learning_rate for candidate in method.candidates] == [1e-5, 3e-5]
    with pytest.raises(InputError) as error:
        TokenClassifierMethod(learning_rates=[])
    assert str(error.value) == "learning_rates: must hold at least one"
    with pytest.raises(InputError) as error:
        TokenClassifierMethod(precision="float16")  # type: ignore[arg-type]
    assert str(error.value) == "precision: must be bfloat16 or float32, got 'float16'"
