"""`train --fusion`, then what takes what it wrote: `check`, `score`, `detectors`, `evaluate`."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from cli_helpers import (
    ANSWER,
    EXECUTABLE,
    REFERENCE,
    SCHEMA,
    Command,
    Result,
    checked,
    read_lines,
    use_words,
    write_lines,
)
from fusion_rows import labelled_rows
from test_cli_score import stop_after

from ragcortex.errors import EXIT_INPUT, EXIT_MODEL, EXIT_OK
from ragcortex.fusion.model import FusionModel


@pytest.fixture(autouse=True)
def words_for_the_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_words(monkeypatch, tmp_path / "model")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "rows.jsonl", labelled_rows())


def test_train_writes_a_folder_that_holds_both(trained: tuple[Path, int]) -> None:
    folder, code = trained
    assert code == EXIT_OK
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert found == [
        "README.md", "fusion.json", "internal/README.md", "internal/detector.json", "internal/heads.safetensors",
    ]  # fmt: skip
    assert not [path for path in folder.parent.iterdir() if path.name.startswith(".")]
    model = FusionModel.load(folder / "fusion.json")
    assert (model.name, model.internal, model.training["licences"]) == ("mine", "internal", ["CC0-1.0"])
    assert model.calibration.data == "five-fold scores of rows.jsonl (30 rows)"
    assert (model.calibration.n_answers, model.calibration.n_hallucinated) == (30, 15)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# mine\n")
    assert str(folder.parent) not in card


def test_check_takes_it_and_names_both_witnesses(command: Command, mine: list[object]) -> None:
    report = checked(command, *mine)
    assert report["verdict"] == "hallucinated"
    assert "52" in [span["text"] for span in report["spans"]]
    detector = report["detector"]
    assert (detector["name"], detector["witness"], detector["embedder"]) == ("mine", "both", "words")
    assert checked(command, *mine) == report


@pytest.mark.parametrize(
    ("witness", "said"), [("both", "both"), ("cascade", "cascade"), ("internal", "internal"), ("geometry", "geometry")]
)
def test_each_witness_can_be_asked(command: Command, mine: list[object], witness: str, said: str) -> None:
    options = [] if witness == "geometry" else mine
    assert checked(command, "--witness", witness, *options)["detector"]["witness"] == said


@pytest.mark.parametrize("ending", ["txt", "html"])
def test_explain_shows_what_each_signal_adds(command: Command, mine: list[object], tmp_path: Path, ending: str) -> None:
    texts = []
    for extra in ([], ["--explain"]):
        out = tmp_path / f"report{len(texts)}.{ending}"
        result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--out", out, *extra, *mine)
        assert result.code == EXIT_OK, result.err
        texts.append(out.read_text(encoding="utf-8"))
    assert len(texts[1]) > len(texts[0])
    shown = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--explain", *mine).out
    plain = command("check", "--reference", REFERENCE, "--answer", ANSWER, *mine).out
    assert len(shown) > len(plain)


def test_a_missing_witness_fails_only_where_both_are_required(
    command: Command, mine: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragcortex.errors import ReadingError
    from ragcortex.readers.reader import Reader

    def broken(*_: object) -> None:
        raise ReadingError("the reader is broken")

    monkeypatch.setattr(Reader, "read", broken)
    report = checked(command, *mine)
    assert report["notes"][0]["code"] == "witness_missing"
    strict = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--strict", *mine)
    assert (strict.out, strict.err) == ("", "ragcortex: the reader is broken\n")


def score(command: Command, rows: Path, *options: object) -> Result:
    result = command("score", rows, "--out", rows.with_name("out.jsonl"), "--batch-size", "7", *options)
    assert result.code == EXIT_OK, result.err
    return result


def test_a_cascade_says_what_it_saved(command: Command, mine: list[object], rows: Path) -> None:
    both = score(command, rows, *mine)
    assert "answers read" not in both.err
    reports = {each["id"]: each["report"] for each in read_lines(rows.with_name("out.jsonl"))}
    assert len(reports) == 30

    cascade = score(command, rows, "--overwrite", "--witness", "cascade", *mine)
    saved = [
        note["code"] == "decided_by_geometry"
        for each in read_lines(rows.with_name("out.jsonl"))
        for note in each["report"]["notes"][:1]
    ]
    n_read = 30 - sum(saved)
    assert cascade.err.endswith(
        f"; {n_read} of 30 answers read ({1 - n_read / 30:.0%} decided by the geometric witness alone)\n"
    )


def test_another_witness_or_calibration_does_not_take_up_a_run(
    command: Command, mine: list[object], rows: Path, tmp_path: Path
) -> None:
    out, calibration = rows.with_name("out.jsonl"), tmp_path / "own.json"
    assert command("calibrate", rows, "--out", calibration, *mine).code == EXIT_OK
    stop_after(14, command, "score", rows, "--out", out, "--batch-size", "7", *mine)
    for options in (["--witness", "cascade"], ["--strict"], ["--calibration", calibration], ["--window", "512"]):
        refused = command("score", rows, "--out", out, *options, *mine)
        assert refused.code == EXIT_INPUT
        assert refused.err.startswith(f"ragcortex: out: '{out}' is the unfinished output of another run (not the same:")
    taken_up = score(command, rows, *mine)
    assert taken_up.err.startswith("going on after 14 of 30 rows\n")


def test_detectors_evaluate_and_train_know_it(
    command: Command, mine: list[object], rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(str(mine[1]))
    assert command("detectors", "info", folder).out.startswith("# mine\n\nA ragcortex detector, version 1: both witne")
    out, store = tmp_path / "results.json", tmp_path / "readings"
    evaluated = command("evaluate", rows, *mine, "--resamples", "5", "--store", store, "--out", out)
    assert evaluated.code == EXIT_OK, evaluated.err
    method = json.loads(out.read_text(encoding="utf-8"))["method"]
    assert (method["name"], method["reader"], method["embedder"]) == ("mine", "tiny-llama", "words")
    inside = command(
        "evaluate", rows, *mine[2:], "--detector", folder / "internal", "--resamples", "5", "--store", store
    )
    assert "mine-internal" in inside.out

    refused = command("train", rows, "--out", folder, "--fusion")
    assert refused.err == f"ragcortex: out: folder '{folder}' holds a detector; give --overwrite to replace it\n"
    refused = command("train", rows, "--out", folder, "--overwrite")
    assert refused.err == (
        f"ragcortex: out: folder '{folder}' holds a fusion, which only its like replaces; give another one\n"
    )

    monkeypatch.setattr("ragcortex.detectors.registry._BUNDLES", folder.parent)
    listed = command("detectors", "list")
    assert listed.out == (
        "mine  version 1, both witnesses: reads with `internal`, compares facts; calibrated on five-fold scores of "
        "rows.jsonl (30 rows)\n"
    )


def test_a_damaged_fusion_is_named(
    command: Command, mine: list[object], trained: tuple[Path, int], tmp_path: Path
) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(trained[0], copy)
    detector = copy / "internal" / "detector.json"
    detector.write_text(detector.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--detector", copy, *mine[2:])
    assert result.code == EXIT_MODEL
    assert result.err.startswith(
        "ragcortex: the fusion 'mine' was fitted on another version of the detector 'internal' "
    )


def test_the_default_is_named_once() -> None:
    from ragcortex.cli import options, witness
    from ragcortex.detectors import detector
    from ragcortex.training.fusion import FLAGGED

    assert witness.DEFAULT_DETECTOR == detector.DEFAULT_DETECTOR
    assert f"[default: {FLAGGED}]" in options.FlaggedOption.__metadata__[0].help


@pytest.mark.weights
def test_the_installed_command_checks_with_both_witnesses() -> None:
    arguments = ["check", "--reference", REFERENCE, "--answer", ANSWER, "--format", "json"]
    run = subprocess.run([EXECUTABLE, *arguments], capture_output=True, check=True, text=True, stdin=subprocess.DEVNULL)
    report = json.loads(run.stdout)
    jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert (report["verdict"], run.stderr) == ("hallucinated", "")
    assert [span["text"] for span in report["spans"]] == ["52 metres"]
    assert (report["detector"]["witness"], report["detector"]["embedder"]) == ("both", "embedded")
