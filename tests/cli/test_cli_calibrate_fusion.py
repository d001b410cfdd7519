"""`ragcortex calibrate` of both witnesses: what it prints, writes and refuses, and that `check` takes it."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import ANSWER, REFERENCE, Command, checked, read_lines, use_words, write_lines
from fusion_rows import labelled_rows

from ragcortex.errors import EXIT_INPUT, EXIT_MODEL, EXIT_OK, EXIT_SOME_ROWS_FAILED
from ragcortex.fusion.model import FusionModel


@pytest.fixture(autouse=True)
def words_for_the_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_words(monkeypatch, tmp_path / "model")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "rows.jsonl", labelled_rows())


def test_calibrate_refits_and_check_names_the_data(
    command: Command, mine: list[object], trained: tuple[Path, int], rows: Path, tmp_path: Path
) -> None:
    out, picture = tmp_path / "support.json", tmp_path / "reliability.png"
    result = command("calibrate", rows, "--out", out, "--picture", picture, "--flagged", "0.1", *mine)
    assert result.code == EXIT_OK, result.err
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")
    lines = result.out.splitlines()
    assert lines[0] == (
        "30 labelled answers from 15 sources: 15 hallucinated (label 1, the positive class), 15 grounded (label 0)"
    )
    words = [line.split()[0] for line in lines[1:]]
    assert words[:11] == [
        "statement", "precision", "recall", "false", "answer", "precision", "recall", "F1", "calibration", "answers",
        "statements",
    ]  # fmt: skip
    assert lines[12:] == [
        f"warning: only 15 answers are {kind}; with fewer than 30 of a class figures are rough, label more"
        for kind in ("hallucinated", "grounded")
    ]

    model = FusionModel.load(out)
    assert model.name == "support"
    assert model.training == {"data": model.calibration.data, "begun_with": "mine"}
    assert model.calibration.data == "rows.jsonl (30 rows): 15 hallucinated and 15 grounded answers"
    assert model.figures["statements"]["threshold"] == model.statement_threshold
    assert model.figures["statements"]["false_positive_rate"] <= 0.1
    assert f"{model.statement_threshold:.3f}" in lines[1]
    assert result.err.splitlines()[-1] == (
        f"use it: ragcortex check --detector {trained[0]} --calibration {out} --reference FILE --answer FILE"
    )

    report = checked(command, "--calibration", out, *mine)
    assert (report["detector"]["name"], report["detector"]["calibration"]) == ("support", model.calibration.data)

    again = command("calibrate", rows, "--out", out, "--name", "other", "--json", *mine)
    assert json.loads(again.out) == json.loads(out.read_text(encoding="utf-8"))
    assert json.loads(again.out)["name"] == "other"


def test_labels_alone_are_enough_to_calibrate(command: Command, mine: list[object], tmp_path: Path) -> None:
    bare = [
        {name: value for name, value in row.items() if name != "spans"} | {"label": int(bool(row["spans"]))}
        for row in labelled_rows()
    ]
    rows = write_lines(tmp_path / "bare.jsonl", bare)
    result = command("calibrate", rows, "--out", tmp_path / "own.json", *mine)
    assert result.code == EXIT_OK, result.err
    assert "warning: no hallucinated span is marked: the weights of statements stay as they are, " in result.out
    assert "share of the 15 hallucinated answers' highest statements that are flagged" in result.out


def test_answers_that_cannot_be_used_are_listed(command: Command, mine: list[object], tmp_path: Path) -> None:
    extra = [
        {"id": "polite", "references": [REFERENCE], "answer": "Thank you!", "label": 0},
        {"references": [REFERENCE], "answer": "I do not know.", "label": 0},
        {"id": "long", "question": "why " * 2000, "references": [REFERENCE], "answer": ANSWER, "label": 1},
    ]
    rows = write_lines(tmp_path / "rows.jsonl", [*labelled_rows(), *extra])
    result = command("calibrate", rows, "--out", tmp_path / "own.json", *mine)
    assert result.code == EXIT_OK, result.err
    listed = [line for line in result.err.splitlines() if line.startswith("left out")]
    assert listed[0] == "left out row 'polite': it claims nothing, or there is nothing to check it against"
    assert listed[1] == "left out usable row 32: it claims nothing, or there is nothing to check it against"
    assert listed[2].startswith("left out row 'long': question: ")
    assert listed[3] == "left out 3 answers of 33 that cannot be used"
    assert result.out.startswith("30 labelled answers from 15 sources: ")

    nothing = command("calibrate", write_lines(rows, extra[:2]), "--out", tmp_path / "own.json", *mine)
    assert nothing.code == EXIT_INPUT
    assert nothing.err.endswith("ragcortex: data: none of 2 answers can be used to calibrate by\n")


def test_a_calibration_of_other_witnesses_is_refused(
    command: Command, mine: list[object], rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "own.json"
    assert command("calibrate", rows, "--out", out, *mine).code == EXIT_OK
    values = json.loads(out.read_text(encoding="utf-8"))
    values["geometry_fingerprint"] = "0" * 64
    out.write_text(json.dumps(values), encoding="utf-8")
    usual = ("check", "--reference", REFERENCE, "--answer", ANSWER, *mine, "--calibration")

    stale = command(*usual, out)
    assert (stale.code, stale.err) == (
        EXIT_MODEL,
        f"ragcortex: the calibration '{out}' is stale: it was made with other witnesses than those of 'mine'; run "
        "`ragcortex calibrate` again\n",
    )
    missing = command(*usual, tmp_path / "no.json")
    assert (missing.code, missing.err) == (
        EXIT_MODEL,
        f"ragcortex: calibration '{tmp_path / 'no.json'}' does not exist; run `ragcortex calibrate` to make one\n",
    )
    geometric = tmp_path / "geometric.json"
    assert command("calibrate", rows, "--out", geometric, "--witness", "geometry").code == EXIT_OK
    other = command(*usual, geometric)
    assert other.code == EXIT_MODEL
    assert other.err.startswith(f"ragcortex: calibration '{geometric}' is none of both witnesses: fusion.")


def test_against_a_corpus(command: Command, mine: list[object], tmp_path: Path) -> None:
    from made_embedder import WordEmbedder
    from ragcortex.geometry.corpus import Corpus

    shelf = tmp_path / "shelf"
    shelf.mkdir()
    bare = []
    for row in labelled_rows():
        (shelf / f"{row['group']}.txt").write_text(" ".join(row["references"]))
        bare.append(row | {"references": []})
    Corpus.build([shelf], out=tmp_path / "corpus", embedder=WordEmbedder())
    rows, own = write_lines(tmp_path / "bare.jsonl", bare), tmp_path / "own.json"
    result = command("calibrate", rows, "--out", own, "--corpus", tmp_path / "corpus", *mine)
    assert result.code == EXIT_OK, result.err
    assert result.out.startswith("30 labelled answers from 15 sources: ")
    options = ["--corpus", tmp_path / "corpus", "--calibration", own, *mine]
    checked = command("check", "--answer", "The battery lasts 36 hours.", "--format", "json", *options)
    assert checked.code == EXIT_OK, checked.err
    assert [span["text"] for span in json.loads(checked.out)["spans"]] == ["36"]

    mixed = write_lines(tmp_path / "mixed.jsonl", [bare[0], labelled_rows()[1]])
    scored = command("score", mixed, "--out", tmp_path / "out.jsonl", *options)
    assert scored.code == EXIT_SOME_ROWS_FAILED
    assert read_lines(tmp_path / "out.jsonl")[1]["error"]["field"] == "references"


SPANLESS = [row | {"spans": None, "label": int(bool(row["spans"]))} for row in labelled_rows()]
NO_FUSION = (
    "witness: 'both' needs a fusion of both, and 'cortex' is a detector that reads only; `ragcortex train --fusion` "
    "makes one"
)


@pytest.mark.parametrize(
    ("lines", "arguments", "message"),
    [
        (
            SPANLESS,
            ["train", "--flagged", "0.1"],
            "flagged: goes with --fusion; a detector that reads only has a token threshold instead",
        ),
        (SPANLESS, ["train", "--fusion", "--flagged", "1"], "flagged: must be a share between 0 and 1, got 1"),
        (SPANLESS, ["calibrate", "--flagged", "0"], "flagged: must be a share between 0 and 1, got 0"),
        (
            SPANLESS,
            ["calibrate", "--witness", "geometry", "--name", "x"],
            "name: goes with --witness both, got 'x' with --witness geometry",
        ),
        (SPANLESS, ["calibrate", "--detector", "cortex"], NO_FUSION),
        (
            labelled_rows()[:8],
            ["train", "--fusion"],
            "a fusion is fitted on 5 folds of sources, and there are 4; label answers to more",
        ),
        (
            labelled_rows()[::2],
            ["train", "--fusion"],
            "a fusion needs grounded and hallucinated answers, got 0 hallucinated of 15; label more answers",
        ),
        (
            SPANLESS,
            ["train", "--fusion"],
            "a fusion needs answers whose hallucinated spans are marked, and no span is; give `spans` with the rows",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_before_anything_is_read(
    command: Command, tmp_path: Path, lines: list[dict[str, Any]], arguments: list[str], message: str
) -> None:
    verb, *options = arguments
    result = command(verb, write_lines(tmp_path / "rows.jsonl", lines), "--out", tmp_path / "new", *options)
    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")
    assert not (tmp_path / "new").exists()
