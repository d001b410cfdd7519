"""A whole run on a tiny reader: the folder it writes, what a second run does, and what a failing method does."""

import json
from pathlib import Path

import numpy as np
import pytest
from labelled_sources import labelled_sources

from ragcortex.benchmark.config import BenchmarkConfig
from ragcortex.benchmark.config_file import config_of
from ragcortex.benchmark.execute import execute
from ragcortex.benchmark.predictions import read_predictions
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.datasets.jsonl import to_row, write_rows
from ragcortex.readers.store import ReadingStore

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


def _config(reader: Path, methods: list[dict], **changes: object) -> BenchmarkConfig:
    return config_of(
        {
            "title": "A trial",
            "data": {"name": "jsonl"},
            "reader": {"id": str(reader), "dtype": "float32"},
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
    document = execute(_config(tiny_reader_folder, METHODS), "trial", str(data), folder, store)
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
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "ragcortex benchmark run trial --data PATH" in report
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
    again = execute(_config(tiny_reader_folder, METHODS), "trial", str(data), folder, store, report=lines.append)
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

    config = _config(tiny_reader_folder, METHODS)
    with pytest.raises(KeyboardInterrupt):
        execute(config, "trial", str(data), tmp_path, store, report=interrupt)
    kept = {path.name for path in (tmp_path / "scores").rglob("*.safetensors")}
    assert kept
    again = execute(config, "trial", str(data), tmp_path, store)
    assert [method.figures for method in again.methods] == [method.figures for method in document.methods]


def test_a_method_that_fails_is_a_row_with_its_reason(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    _, _, store = finished
    methods = [{"name": "nll"}, {"name": "cortex-tuned", "options": {"layers": [9]}}]
    document = execute(_config(tiny_reader_folder, methods), "trial", str(data), tmp_path, store)
    assert document.methods[0].failure is None
    assert document.methods[1].failure is not None
    assert "layers" in document.methods[1].failure
    assert document.methods[1].failure in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_scores_do_not_depend_on_the_other_methods(
    finished: tuple[Path, RunDocument, ReadingStore], data: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    folder, _, store = finished
    execute(_config(tiny_reader_folder, METHODS).only(["cortex-tuned"]), "trial", str(data), tmp_path, store)
    both = [read_predictions(one).scores["cortex-tuned"]["token_raw"] for one in (folder, tmp_path)]
    np.testing.assert_array_equal(*both)


def test_several_seeds_have_their_spread_told(data: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    config = _config(
        tiny_reader_folder, METHODS[:1], protocol={"folds": 3, "seeds": [0, 1], "n_resamples": 20}, costs=0
    )
    document = execute(config, "trial", str(data), tmp_path / "run", ReadingStore(tmp_path / "readings"))
    assert [(one.method, one.seed) for one in document.repeats] == [("nll", 0), ("nll", 1)]
    written = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    assert written["config"]["protocol"]["seeds"] == [0, 1]
