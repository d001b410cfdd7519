"""A whole run on a tiny reader: the folder it writes, what a second run does, and what a failing method does."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from labelled_sources import labelled_sources
from ragcortex.benchmark.config import BenchmarkConfig
from ragcortex.benchmark.config_file import config_of
from ragcortex.benchmark.execute import execute
from ragcortex.benchmark.methods.probes import FeatureMethod
from ragcortex.benchmark.predictions import read_predictions
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.datasets.jsonl import to_row, write_rows
from ragcortex.readers.store import ReadingStore

COMMAND = "ragcortex benchmark run trial.toml --rows FILE"
METHODS = [
    {"name": "nll"},
    {"name": "reference-gain"},
    {"name": "cortex-tuned", "options": {"layers": [2, 3]}},
    {"name": "comparison", "label": "signals: Δ", "group": "ablation", "options": {"features": ["delta"], "layer": 3}},
    {"name": "comparison", "label": "cortex-tuned@2", "group": "layer-sweep", "options": {"layer": 2}},
    {"name": "comparison", "label": "cortex-tuned@3", "group": "layer-sweep", "options": {"layer": 3}},
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("data") / "answers.jsonl"
    write_rows(file, map(to_row, labelled_sources(9)))
    return file


def _config(rows: Path, folder: Path, methods: list[dict], **changes: object) -> BenchmarkConfig:
    return config_of(
        {
            "title": "A trial",
            "data": {"name": "jsonl", "rows": str(rows)},
            "reader": {"id": str(folder), "dtype": "float32"},
            "protocol": {"folds": 3, "reference": "nll", "n_resamples": 20},
            "methods": methods,
            "costs": 1,
            "examples": 2,
            **changes,
        }
    )


@pytest.fixture(scope="module")
def finished(
    data: Path, tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, RunDocument, ReadingStore]:
    folder = tmp_path_factory.mktemp("run") / "results"
    store = ReadingStore(tmp_path_factory.mktemp("readings"))
    document = execute(_config(data, tiny_reader_folder, METHODS), None, folder, store, command=COMMAND)
    return folder, document, store


def test_the_folder_holds_everything(finished: tuple[Path, RunDocument, ReadingStore]) -> None:
    folder, document, _ = finished
    assert RunDocument.read(folder) == document
    assert [method.name for method in document.methods] == ["nll", "reference-gain", "cortex-tuned"]
    assert all(method.failure is None for method in document.methods)
    assert [one.variant for one in document.ablations] == ["Δ"]
    layers = [sweep for sweep in document.sweeps if sweep.parameter == "layer"]
    assert {sweep.settings for sweep in layers} == {(2.0, 3.0)}
    assert {one.method for one in document.comparisons} == {"reference-gain", "cortex-tuned"}
    for name in ("report.md", "index.html", "examples.html", "tables/figures.csv", "reading_costs.json"):
        assert (folder / name).stat().st_size > 0
    generators = [one for one in document.breakdowns if one.dimension == "generator" and one.method == "nll"]
    assert {one.group for one in generators} == {"one", "two", "three"}
    assert {(figure.level, figure.metric) for figure in generators[0].figures} >= {
        ("token", "auroc"),
        ("answer", "auroc"),
    }
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert COMMAND in report
    assert all(method.title in report for method in document.methods)
    assert str(folder) not in report


def test_predictions_are_those_that_the_figures_are_of(finished: tuple[Path, RunDocument, ReadingStore]) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    folder, document, _ = finished
    saved = read_predictions(folder)
    for method in document.methods:
        for level in ("token", "answer"):
            units = saved.units(method.name, level)
            assert units is not None
            found = {name: method.figure(level, "smoothed", name).value for name in ("average_precision", "auroc")}
            assert found["average_precision"] == pytest.approx(average_precision_score(units.labels, units.scores))
            assert found["auroc"] == pytest.approx(roc_auc_score(units.labels, units.scores))


def test_a_second_run_fits_nothing_and_gives_the_same(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path
) -> None:
    folder, document, store = finished
    before = {path: path.stat().st_mtime_ns for path in (folder / "scores").rglob("*.safetensors")}
    lines: list[str] = []
    again = execute(
        _config(data, tiny_reader_folder, METHODS), None, folder, store, command=COMMAND, report=lines.append
    )
    assert {path: path.stat().st_mtime_ns for path in (folder / "scores").rglob("*.safetensors")} == before
    assert again.methods == document.methods
    assert not [line for line in lines if line.startswith(("read ", "head ", "timing"))]


def test_an_interrupted_run_goes_on(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    _, document, store = finished
    heads = 0

    def interrupt(line: str) -> None:
        nonlocal heads
        heads += line.startswith("head ")
        if heads == 2:
            raise KeyboardInterrupt

    config = _config(data, tiny_reader_folder, METHODS)
    with pytest.raises(KeyboardInterrupt):
        execute(config, None, tmp_path, store, command=COMMAND, report=interrupt)
    kept = {path.name for path in (tmp_path / "scores").rglob("*.safetensors")}
    assert kept
    again = execute(config, None, tmp_path, store, command=COMMAND)
    assert [method.figures for method in again.methods] == [method.figures for method in document.methods]


def test_a_method_that_fails_is_a_row_with_its_reason(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    _, _, store = finished
    methods = [{"name": "nll"}, {"name": "cortex-tuned", "options": {"layers": [9]}}]
    document = execute(_config(data, tiny_reader_folder, methods), None, tmp_path, store, command=COMMAND)
    assert document.methods[0].failure is None
    assert document.methods[1].failure is not None
    assert "layers" in document.methods[1].failure
    assert document.methods[1].failure in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_scores_do_not_depend_on_the_other_methods(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    folder, _, store = finished
    execute(_config(data, tiny_reader_folder, METHODS).only(["cortex-tuned"]), None, tmp_path, store, command=COMMAND)
    both = [read_predictions(one).scores["cortex-tuned"]["token_raw"] for one in (folder, tmp_path)]
    np.testing.assert_array_equal(*both)


def test_several_seeds_have_their_spread_told(data: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    config = _config(
        data, tiny_reader_folder, METHODS[:1], protocol={"folds": 3, "seeds": [0, 1], "n_resamples": 20}, costs=0
    )
    document = execute(config, None, tmp_path / "run", ReadingStore(tmp_path / "readings"), command=COMMAND)
    assert [(one.method, one.seed) for one in document.repeats] == [("nll", 0), ("nll", 1)]
    written = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    assert written["config"]["protocol"]["seeds"] == [0, 1]


def test_memory_that_runs_out_is_a_reason_and_the_others_go_on(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fit(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 2.00 GiB.")

    _, _, store = finished
    monkeypatch.setattr(FeatureMethod, "fit", fit)
    config = _config(data, tiny_reader_folder, METHODS[:2], protocol={"folds": 3, "n_resamples": 20})
    document = execute(config, None, tmp_path, store, command=COMMAND)
    assert [method.failure for method in document.methods] == ["OutOfMemoryError: CUDA out of memory.", None]


def test_a_later_run_leaves_nothing_of_an_earlier_one(data: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    store = ReadingStore(tmp_path / "readings")
    folder = tmp_path / "run"
    execute(_config(data, tiny_reader_folder, METHODS[:2]), None, folder, store, command=COMMAND)
    assert (folder / "predictions" / "reference-gain.safetensors").is_file()
    execute(_config(data, tiny_reader_folder, METHODS[:1], examples=0), None, folder, store, command=COMMAND)
    assert sorted(path.name for path in (folder / "predictions").iterdir()) == [
        "_labels.safetensors",
        "nll.safetensors",
    ]
    assert not (folder / "examples.html").exists()


def test_equal_methods_are_fitted_once(data: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    options = {"features": ["delta"], "layer": 3}
    methods = [
        {"name": "nll"},
        *(
            {"name": "comparison", "label": label, "group": "ablation", "options": options}
            for label in ("a: b", "c: d")
        ),
    ]
    lines: list[str] = []
    config, store = _config(data, tiny_reader_folder, methods, costs=0), ReadingStore(tmp_path / "readings")
    execute(config, None, tmp_path / "run", store, command=COMMAND, report=lines.append)
    assert len([line for line in lines if line.startswith("head ")]) == 3


def test_costs_of_another_precision_are_not_taken(data: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    store = ReadingStore(tmp_path / "readings")
    timed = []
    for dtype in ("float32", "bfloat16", "bfloat16"):
        lines: list[str] = []
        config = _config(data, tiny_reader_folder, METHODS[:1], reader={"id": str(tiny_reader_folder), "dtype": dtype})
        execute(config, None, tmp_path / "run", store, command=COMMAND, report=lines.append)
        timed.append(any(line.startswith("timing") for line in lines))
    assert timed == [True, True, False]


def test_a_method_that_saw_the_data_is_not_measured_on_them(
    data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    methods = [{"name": "nll"}, {"name": "geometry"}]
    config = _config(data, tiny_reader_folder, methods, data={"name": "halueval", "rows": str(data)}, costs=0)
    document = execute(config, None, tmp_path / "run", ReadingStore(tmp_path / "readings"), command=COMMAND)
    assert document.methods[1].failure == "it was fitted on answers of HaluEval, so it is not measured on them"
