"""`ragcortex benchmark`: the list, a run as a user types it, what it prints, and two runs compared."""

import json
from pathlib import Path

import pytest
from cli_helpers import Command

from labelled_sources import labelled_sources
from ragcortex.benchmark.config_file import ready_made
from ragcortex.benchmark.registry import METHODS
from ragcortex.datasets.jsonl import to_row, write_rows
from ragcortex.errors import EXIT_INPUT, EXIT_OK, EXIT_SOME_ROWS_FAILED

CONFIG = """
title = "A trial"
examples = 2

[data]
name = "jsonl"

[reader]
id = "READER"
dtype = "float32"

[protocol]
folds = 3
reference = "nll"
n_resamples = 20

[[methods]]
name = "nll"

[[methods]]
name = "reference-gain"

[[methods]]
name = "comparison"
label = "signals: Δ"
group = "ablation"
options = { features = ["delta"], layer = LAYER }
"""


@pytest.fixture
def trial(tmp_path: Path, tiny_reader_folder: Path) -> Path:
    """Return a folder with a configuration and labelled rows."""
    text = CONFIG.replace("READER", str(tiny_reader_folder)).replace("LAYER", "3")
    (tmp_path / "trial.toml").write_text(text, encoding="utf-8")
    write_rows(tmp_path / "answers.jsonl", map(to_row, labelled_sources(9)))
    return tmp_path


def test_the_list_names_methods_and_configurations(command: Command) -> None:
    result = command("benchmark", "list", "--json")
    assert result.code == EXIT_OK
    listed = json.loads(result.out)
    assert (set(listed["methods"]), listed["configs"]) == (set(METHODS), ready_made())
    table = command("benchmark", "--list")
    assert table.code == EXIT_OK
    assert all(name in table.out for name in (*METHODS, *ready_made()))


def test_a_run_prints_its_main_table_and_writes_the_rest(command: Command, trial: Path) -> None:
    out = trial / "out"
    result = command(
        "benchmark", "run", str(trial / "trial.toml"), "--rows", str(trial / "answers.jsonl"), "--out", str(out),
        "--sources", "8",
    )  # fmt: skip
    assert result.code == EXIT_OK, result.err
    assert "Hallucination detection on" in result.out
    assert "NLL" in result.out
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "ragcortex benchmark run trial.toml --rows FILE --sources 8" in report
    assert str(trial) not in report
    assert len(result.out.splitlines()) < len(report.splitlines())
    compared = command("benchmark", "compare", str(out), str(out))
    assert compared.code == EXIT_OK
    assert "NLL" in compared.out
    written = command("benchmark", "compare", str(out), str(out), "--out", str(trial / "c.json"))
    assert written.code == EXIT_OK
    assert json.loads((trial / "c.json").read_text(encoding="utf-8"))


def test_a_failed_ablation_is_said_and_sets_the_exit_code(command: Command, trial: Path) -> None:
    config = trial / "trial.toml"
    config.write_text(config.read_text(encoding="utf-8").replace("layer = 3", "layer = 99"), encoding="utf-8")
    result = command(
        "benchmark", "run", str(config), "--rows", str(trial / "answers.jsonl"), "--out", str(trial / "out")
    )
    assert result.code == EXIT_SOME_ROWS_FAILED
    assert "signals: Δ failed: layers: the reader has 4 layers, got 99" in result.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "nowhere.toml"), "config: file 'nowhere.toml' does not exist"),
        (("run", "ragtruth-qa-embedded"),
         "data: is missing: give the path of ragtruth with --data, or of its rows with --rows"),
        (("run", "ragtruth-qa-embedded", "--data", "a", "--rows", "b"),
         "rows: cannot be given with --data; the answers come from one of them"),
        (("run", "ragtruth-qa-embedded", "--only", "nl"),
         "only: 'nl' is not in this configuration; did you mean 'nll'?"),
        (("run", "ragtruth-qa-embedded", "--scores", "tool.jsonl"), "scores: must be TITLE=FILE, got 'tool.jsonl'"),
        (("compare", "a", "b", "--out", "c.txt"), "out: must end in .md or .json, got 'c.txt'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(command: Command, arguments: tuple[str, ...], sentence: str) -> None:
    result = command("benchmark", *arguments)
    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert sentence in result.err


def test_another_tools_scores_stand_in_the_table(command: Command, trial: Path) -> None:
    rows = [
        {"id": one.id, "row": number, "answer": float(one.answer_label or 0), "spans": None, "sentences": None,
         "error": None, "seconds": 0.0}
        for number, one in enumerate(labelled_sources(9), 1)
    ]  # fmt: skip
    (trial / "tool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = command(
        "benchmark", "run", str(trial / "trial.toml"), "--rows", str(trial / "answers.jsonl"), "--out",
        str(trial / "out"), "--only", "nll", "--scores", f"Tool 1.0={trial / 'tool.jsonl'}",
    )  # fmt: skip
    assert result.code == EXIT_OK, result.err
    report = (trial / "out" / "report.md").read_text(encoding="utf-8")
    assert "--only nll --scores 'Tool 1.0=tool.jsonl'" in report
    (row,) = [line for line in report.splitlines() if line.startswith("| Tool 1.0") and "1.000" in line][:1]
    assert row.count("1.000") >= 2
