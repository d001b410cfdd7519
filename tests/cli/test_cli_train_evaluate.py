"""`ragcortex train` and `ragcortex evaluate` on a handful of labelled rows."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import REFERENCE, Command, write_lines

from ragcortex.errors import EXIT_INPUT, EXIT_MODEL, EXIT_OK


def labelled(number: int, **fields: Any) -> dict[str, Any]:
    """Return a row whose answer is wrong (52 instead of 41) where the number is even."""
    wrong = number % 2 == 0
    answer = f"Report {number}: it stands {52 if wrong else 41} metres above the sea."
    start = answer.index("52") if wrong else 0
    return {
        "id": str(number),
        "question": "How high is it?",
        "references": [f"Report {number}. {REFERENCE}"],
        "answer": answer,
        "spans": [{"start": start, "end": start + 2}] if wrong else [],
        "group": f"source-{number // 2}",
        "generator": "first" if number % 4 < 2 else "second",
        "task": "qa",
    } | fields


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "rows.jsonl", [labelled(number) for number in range(24)])


@pytest.fixture
def where(tiny_reader_folder: Path, tmp_path: Path) -> list[str]:
    return ["--reader", str(tiny_reader_folder), "--store", str(tmp_path / "readings")]


def test_train_writes_a_detector_that_check_and_evaluate_take(
    command: Command, rows: Path, where: list[str], tmp_path: Path, tiny_reader_folder: Path
) -> None:
    out = tmp_path / "mine"
    result = command(
        "train", rows, "--out", out, "--recipe", "cortex-tuned", "--layers", "2,3", "--seeds", "1",
        "--validation-fraction", "0.3", "--licence", "CC0-1.0", *where,
    )  # fmt: skip

    assert result.code == EXIT_OK, result.err
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "detector.json", "heads.safetensors"]
    assert "detector 'mine' written to" in result.err
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "rows.jsonl (24 rows)" in card
    assert "CC0-1.0" in card
    assert str(tmp_path) not in card

    checked = command(
        "check", "--reference", REFERENCE, "--answer", "It is high.", "--detector", out, "--reader", tiny_reader_folder
    )
    assert checked.code == EXIT_OK

    results = tmp_path / "results"
    evaluated = command("evaluate", rows, "--detector", out, "--by", "generator", "--out", results, *where)
    assert evaluated.code == EXIT_OK, evaluated.err
    assert "## generator second" in evaluated.out
    assert (results / "results.md").read_text(encoding="utf-8") == evaluated.out
    document = json.loads((results / "results.json").read_text(encoding="utf-8"))
    assert list(document["tables"]) == ["all", "generator first", "generator second"]
    assert document["tables"]["all"]["n_examples"] == 24
    assert document["method"]["name"] == "mine"

    refused = command("check", "--reference", REFERENCE, "--answer", "High.", "--detector", out, "--reader", "no/such")
    assert refused.code == EXIT_MODEL

    again = command("train", rows, "--out", out, *where)
    assert again.err == f"ragcortex: out: folder '{out}' holds a detector; give --overwrite to replace it\n"


def test_cross_validation_judges_every_row_once(command: Command, rows: Path, where: list[str], tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    result = command(
        "evaluate", rows, "--cross-validate", "2", "--recipe", "cortex-tuned", "--layers", "2", "--seeds", "1",
        "--resamples", "20", "--keep", "task=qa,summary", "--out", out, *where,
    )  # fmt: skip

    assert result.code == EXIT_OK, result.err
    assert "cortex-tuned (2-fold)" in result.out
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["method"]["folds"] == 2
    assert document["tables"]["all"]["n_examples"] == 24

    again = command(
        "evaluate", rows, "--cross-validate", "2", "--recipe", "cortex-tuned", "--layers", "2", "--seeds", "1",
        "--resamples", "20", "--keep", "generator=first", *where,
    )  # fmt: skip
    assert "left out 12 rows: 12 not kept by --keep\n" in again.err
    assert "12 of 12 readings already on disk\n" in again.err


def test_bad_rows_are_listed_or_left_out_and_counted(
    command: Command, where: list[str], tmp_path: Path, careful_detector: Path
) -> None:
    bad = ["{", labelled(30, spans=None), labelled(31, answer=" ", spans=[]), labelled(32, references=[])]
    rows = write_lines(tmp_path / "rows.jsonl", [labelled(number) for number in range(6)] + bad)

    refused = command("evaluate", rows, "--detector", careful_detector, *where)
    assert refused.code == EXIT_INPUT
    assert refused.err.splitlines()[1:] == [
        f"{rows}, line 8: has neither a label nor spans",
        f"{rows}, line 9: The answer is blank: it claims nothing, so nothing was checked.",
        f"{rows}, line 10: There are no references: there is nothing to check the answer against.",
        "ragcortex: data: 4 of 10 rows cannot be used (listed above); "
        "correct them, or leave them out with --skip-bad-rows",
    ]

    taken = command("evaluate", rows, "--detector", careful_detector, "--skip-bad-rows", *where)
    assert taken.code == EXIT_OK, taken.err
    assert taken.err.startswith(
        "left out 4 rows: 1 unreadable, 1 without label or spans, 2 without an answer or references\n"
    )
    assert "6 answers of 3 sources" in taken.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train", "rows.jsonl", "--out", "d", "--recipe", "cortxe"],
            "recipe: 'cortxe' is not a recipe; there are ",
        ),
        (
            ["train", "rows.jsonl", "--out", "d", "--layers", "two"],
            "layers: must be auto, or layer numbers such as 20 or 15,20,25, got 'two'",
        ),
        (["train", "rows.jsonl", "--out", "d", "--layers", "0"], "layers: must be layer numbers from 1 on, got (0,)"),
        (
            ["train", "rows.jsonl", "--out", "d", "--validation-fraction", "1"],
            "validation-fraction: must lie between 0 and 1, got 1",
        ),
        (["train", "rows.jsonl", "--out", "rows.jsonl"], "out: 'rows.jsonl' is a file; give a folder"),
        (
            ["train", "rows.jsonl", "--out", "."],
            "out: folder '.' is not empty and holds no detector; give another one",
        ),
        (["train", "no.jsonl", "--out", "d"], "file: no.jsonl does not exist; give the path of a JSONL file"),
        (["train", "rows.jsonl", "rows.jsonl", "--out", "d"], "data: the same file is given twice"),
        (["train", "empty.jsonl", "--out", "d"], "data: empty.jsonl holds no row that can be used"),
        (
            ["evaluate", "rows.jsonl", "--recipe", "cortex"],
            "recipe: is fitted only with --cross-validate K; a fitted detector is named by --detector",
        ),
        (
            ["evaluate", "rows.jsonl", "--cross-validate", "2", "--detector", "cortex"],
            "detector: is already fitted and cannot be cross-validated; name a --recipe instead",
        ),
        (
            ["evaluate", "rows.jsonl", "--keep", "colour=red"],
            "keep: must be FIELD=VALUE[,VALUE] with a field of generator, task, group, got 'colour=red'",
        ),
        (
            ["evaluate", "rows.jsonl", "--keep", "generator=third"],
            "keep: no row has 'generator=third'; values of generator are: first, second",
        ),
        (["evaluate", "rows.jsonl", "--out", "rows.jsonl"], "out: file 'rows.jsonl' must end in .json or .md, "),
        (["evaluate", "rows.jsonl", "--out", "no/r.md"], "out: folder 'no' does not exist; make it first"),
    ],
)
def test_bad_arguments_are_one_sentence(
    command: Command, rows: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(rows.parent)
    write_lines(rows.parent / "empty.jsonl", [""])
    result = command(*arguments)

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err.startswith(f"ragcortex: {message}")
    assert result.err.count("\n") == 1


def test_a_layer_deeper_than_the_reader_is_refused(
    command: Command, rows: Path, where: list[str], tmp_path: Path
) -> None:
    result = command("train", rows, "--out", tmp_path / "d", "--layers", "9", *where)

    assert result.code == EXIT_INPUT
    assert result.err.endswith("ragcortex: layers: the reader has 4 layers, got 9\n")
