"""`ragcortex calibrate`: labelled answers in, thresholds out, and stale ones refused by `check`."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import REFERENCE, Command, read_lines, write_lines

from ragcortex.calibration import f1_threshold
from ragcortex.errors import EXIT_INPUT, EXIT_MODEL, EXIT_OK
from tiny_bert import save_tiny_bert

HARBOUR = "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks."
DETAILS = ("", " Sailors like it.", " It is open to visitors in summer.", " The keeper sold postcards and tea there.")
TEXTS = (REFERENCE, HARBOUR)
GEOMETRY = ("--witness", "geometry")


def labelled(number: int, **fields: Any) -> dict[str, Any]:
    """Return a row whose answer is wrong (52 instead of 41) where the number is even; answers of a source differ."""
    wrong = number % 2 == 0
    answer = f"The lighthouse stands {52 if wrong else 41} metres above the sea.{DETAILS[number // 2 % 4]}"
    return {
        "id": str(number),
        "question": "How high is it?",
        "references": [REFERENCE],
        "answer": answer,
        "label": int(wrong),
        "group": f"source-{number // 4}",
    } | fields


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("embedders") / "first-bert", TEXTS, seed=1)


@pytest.fixture(scope="session")
def other_embedder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("embedders") / "second-bert", TEXTS, seed=2)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "rows.jsonl", [labelled(number) for number in range(24)])


@pytest.fixture
def checked(tmp_path: Path) -> list[object]:
    return [
        "check", "--witness", "geometry", "--calibration", tmp_path / "calibration.json", "--answer",
        "The lighthouse stands 41 metres above the sea.", "--format", "json",
    ]  # fmt: skip


def test_thresholds_are_those_of_the_scores_that_a_check_gives(
    command: Command, rows: Path, embedder: Path, tmp_path: Path
) -> None:
    out, picture, reports = tmp_path / "calibration.json", tmp_path / "scores.png", tmp_path / "reports.jsonl"
    result = command("calibrate", *GEOMETRY, rows, "--out", out, "--embedder", embedder, "--picture", picture)

    assert result.code == EXIT_OK, result.err
    lines = result.out.splitlines()
    assert lines[0] == (
        "24 labelled answers from 6 sources: 12 hallucinated (label 1, the positive class), 12 grounded (label 0)"
    )
    assert [line.split()[0] for line in lines[1:7]] == ["threshold", "precision", "recall", "F1", "AUROC", "false"]
    assert lines[7] == (
        "warning: only 12 answers are hallucinated (label 1); with fewer than 100 of a class the threshold is "
        "unreliable, label more"
    )
    assert lines[10].split() == ["score", "grounded", "n=12", "hallucinated", "n=12"]
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")

    values = json.loads(out.read_text(encoding="utf-8"))
    assert values["data"] == "rows.jsonl (24 rows): 12 hallucinated and 12 grounded answers"
    assert values["embedder"]["id"] == "first-bert"
    assert values["corpus_fingerprint"] is None
    assert values["review_threshold"] == min(values["threshold"], values["report"]["threshold_interval"]["low"])
    assert result.err.splitlines()[-2:] == [
        f"calibration written to {out}: hallucinated from {values['threshold']:.3f}, review from "
        f"{values['review_threshold']:.3f}, with the embedder 'first-bert'",
        f"use it: ragcortex check --witness geometry --calibration {out} --reference FILE --answer FILE",
    ]

    scored = command(
        "score", rows, "--out", reports, "--witness", "geometry", "--calibration", out, "--embedder", embedder
    )
    assert scored.code == EXIT_OK, scored.err
    judged = [row["report"] for row in read_lines(reports)]
    expected = f1_threshold([one["score"] for one in judged], [int(n % 2 == 0) for n in range(24)])
    assert values["threshold"] == pytest.approx(expected.threshold, abs=1e-6)
    assert judged[0]["thresholds"]["hallucinated"] == pytest.approx(values["threshold"], abs=1e-6)
    assert judged[0]["thresholds"]["review"] == pytest.approx(values["review_threshold"], abs=1e-6)
    assert judged[0]["detector"]["calibration"] == values["data"]


def test_the_same_rows_give_the_same_file(command: Command, rows: Path, embedder: Path, tmp_path: Path) -> None:
    out = tmp_path / "calibration.json"
    first = command("calibrate", *GEOMETRY, rows, "--out", out, "--embedder", embedder, "--json")
    written = out.read_bytes()
    again = command("calibrate", *GEOMETRY, rows, "--out", out, "--embedder", embedder, "--json")

    assert (first.code, again.code) == (EXIT_OK, EXIT_OK)
    assert first.out.encode() == again.out.encode() == written == out.read_bytes()


def test_an_embedder_needs_a_calibration_of_its_own(
    command: Command, rows: Path, embedder: Path, other_embedder: Path, checked: list[object]
) -> None:
    calibration = rows.with_name("calibration.json")
    command("calibrate", *GEOMETRY, rows, "--out", calibration, "--embedder", embedder)
    checked += ["--reference", REFERENCE]
    used = command(*checked, "--embedder", embedder)
    assert used.code == EXIT_OK, used.err
    assert json.loads(used.out)["detector"]["reader"] == "first-bert"

    without = [part for part in checked if part not in ("--calibration", calibration)]
    refused = command(*without, "--embedder", embedder)
    assert (refused.code, refused.err) == (
        EXIT_MODEL,
        "ragcortex: the thresholds of 'geometry' were set with another embedder than 'first-bert', whose similarities "
        "lie elsewhere; run `ragcortex calibrate --witness geometry` with it and give the "
        "calibration\n",
    )

    stale = command(*checked, "--embedder", other_embedder)
    assert stale.code == EXIT_MODEL
    assert " is stale, its thresholds do not hold any more: changed the embedder (first-bert " in stale.err
    assert ", now second-bert " in stale.err
    assert stale.err.endswith(
        "; run `ragcortex calibrate --witness geometry` again, or go back to what was calibrated\n"
    )


def test_a_corpus_that_was_chunked_anew_makes_a_calibration_stale(
    command: Command, embedder: Path, checked: list[object], tmp_path: Path
) -> None:
    document, corpus, out = tmp_path / "notes.txt", tmp_path / "corpus", tmp_path / "calibration.json"
    document.write_text(f"{REFERENCE}\n\n{HARBOUR}", encoding="utf-8")
    rows = write_lines(tmp_path / "bare.jsonl", [labelled(number, references=[]) for number in range(12)])
    build = ("corpus", "build", document, "--out", corpus, "--embedder", embedder)
    assert command(*build).code == EXIT_OK

    result = command("calibrate", *GEOMETRY, rows, "--out", out, "--corpus", corpus, "--embedder", embedder)
    assert result.code == EXIT_OK, result.err
    values = json.loads(out.read_text(encoding="utf-8"))
    facts = json.loads(command("corpus", "info", corpus, "--json").out)
    assert (values["corpus_fingerprint"], values["chunking"]) == (facts["fingerprint"], facts["chunking"])
    assert result.err.splitlines()[-1].endswith(f"--calibration {out} --corpus {corpus} --answer FILE")

    checked += ["--corpus", corpus, "--embedder", embedder]
    assert command(*checked).code == EXIT_OK
    assert command(*build, "--max-chars", "80", "--overwrite").code == EXIT_OK
    stale = command(*checked)
    assert stale.code == EXIT_MODEL
    assert "changed the chunking's max_chars (300, now 80), the chunking's min_chars (150, now 40)" in stale.err
    assert f" and the corpus ({facts['fingerprint'][:12]}…, now " in stale.err

    given = write_lines(tmp_path / "given.jsonl", [labelled(number) for number in range(2)])
    refused = command("calibrate", *GEOMETRY, given, "--out", out, "--corpus", corpus, "--embedder", embedder)
    assert (refused.code, refused.err.splitlines()) == (
        EXIT_INPUT,
        [
            f"{given}, line 1: has references of its own, although answers are checked against a corpus",
            f"{given}, line 2: has references of its own, although answers are checked against a corpus",
            "ragcortex: data: 2 of 2 rows cannot be used (listed above); correct them, or leave them out with "
            "--skip-bad-rows",
        ],
    )


def test_what_cannot_be_used_is_counted(command: Command, rows: Path, embedder: Path, tmp_path: Path) -> None:
    more = [
        labelled(30, label=None), labelled(31, references=[" "]), "{",
        labelled(32, answer="I do not know."), labelled(33, answer="Hello!"),
    ]  # fmt: skip
    write_lines(rows, [labelled(number) for number in range(24)] + more)
    out = tmp_path / "calibration.json"
    refused = command("calibrate", *GEOMETRY, rows, "--out", out, "--embedder", embedder)
    assert refused.code == EXIT_INPUT
    assert f"{rows}, line 25: has neither a label nor spans\n" in refused.err
    assert not out.exists()

    result = command("calibrate", *GEOMETRY, rows, "--out", out, "--embedder", embedder, "--skip-bad-rows")
    assert result.code == EXIT_OK, result.err
    assert result.err.splitlines()[:2] == [
        "left out 3 rows: 1 without label or spans, 1 without an answer or references, 1 unreadable",
        "left out 2 answers that claim nothing",
    ]
    assert result.out.startswith("24 labelled answers from 6 sources: ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [labelled(number) for number in range(0, 8, 2)],
            "a threshold needs grounded and hallucinated examples, but none of 4 is grounded (label 0); give labelled "
            "validation data with both",
        ),
        (
            [labelled(0, answer="I do not know."), labelled(1, answer="Thank you.")],
            "data: none of 2 answers has a score to set a threshold by",
        ),
    ],
)
def test_rows_that_give_no_threshold_are_refused(
    command: Command, embedder: Path, lines: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    rows = write_lines(tmp_path / "rows.jsonl", lines)
    result = command("calibrate", *GEOMETRY, rows, "--out", tmp_path / "calibration.json", "--embedder", embedder)

    assert (result.code, result.out, result.err.splitlines()[-1]) == (EXIT_INPUT, "", f"ragcortex: {message}")
    assert not (tmp_path / "calibration.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.jsonl", "--out", "c.json"], "file: no.jsonl does not exist; give the path of a JSONL file"),
        (["rows.jsonl", "--out", "."], "out: '.' is a folder; give the name of a file"),
        (["rows.jsonl", "--out", "rows.jsonl"], "out: 'rows.jsonl' exists and is no calibration; give another file"),
        (["rows.jsonl", "--out", "c.json", "--picture", "c.svg"], "picture: must end in .png, got 'c.svg'"),
        (
            ["rows.jsonl", "--out", "c.png", "--picture", "./c.png"],
            "picture: 'c.png' is another file of this command; give another name",
        ),
        (
            ["rows.jsonl", "--out", "c.json", "--picture", "no/c.png"],
            "picture: folder 'no' does not exist; make it first",
        ),
        (["rows.jsonl", "rows.jsonl", "--out", "c.json"], "data: the same file is given twice"),
        (
            ["rows.jsonl", "--out", "c.json", "--corpus", "none"],
            "data: 24 of 24 rows cannot be used (the first 20 are listed above); correct them, or leave them out with "
            "--skip-bad-rows",
        ),
        (
            ["bare.jsonl", "--out", "c.json", "--corpus", "none"],
            "corpus: there is no folder 'none'; make it with `ragcortex corpus build PATH… --out none`",
        ),
    ],
)
def test_bad_arguments_are_one_sentence(
    command: Command, rows: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(rows.parent)
    write_lines(rows.parent / "bare.jsonl", [labelled(0, references=[])])
    result = command("calibrate", *GEOMETRY, *arguments)

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err.splitlines()[-1] == f"ragcortex: {message}"
