"""`ragcortex score`: one output row an input row, bad rows in place, and what a second run does."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Command, read_lines, row, save_detector, write_lines

from ragcortex.errors import EXIT_INPUT, EXIT_OK, EXIT_SOME_ROWS_FAILED

Options = list[str]


@pytest.fixture
def options(tiny_reader_folder: Path, careful_detector: Path) -> Options:
    return ["--detector", str(careful_detector), "--reader", str(tiny_reader_folder), "--batch-size", "2"]


@pytest.fixture
def five_rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in.jsonl", [row(number) for number in range(5)])


def interrupted(
    command: Command, five_rows: Path, out: Path, options: Options, *, n_rows: int, torn: str = ""
) -> bytes:
    """Leave what an interrupted run leaves after `n_rows` rows, and return what the whole run writes."""
    assert command("score", five_rows, "--out", out, *options).code == EXIT_OK
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.unlink()
    stop_after(n_rows, command, "score", five_rows, "--out", out, *options)
    assert read_lines(out) == [json.loads(line) for line in lines[:n_rows]]
    with out.open("ab") as stream:
        stream.write(torn.encode())
    return whole


def stop_after(n_rows: int, command: Command, *arguments: object) -> None:
    """Run a command that gets Ctrl-C once it has written `n_rows` rows."""
    from ragcortex.cli.resume import RowFile

    own = RowFile.write

    def write(self: RowFile, rows: Any) -> None:
        own(self, rows)
        if self.tally.n_rows >= n_rows:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowFile, "write", write)
        assert command(*arguments).code == 130


def test_every_row_has_its_row_in_order_and_bad_ones_say_why(
    command: Command, options: Options, tmp_path: Path
) -> None:
    lines = [
        row(0),
        "{broken",
        "",
        row(1, id=None),
        row(2, answer=3),
        row(3, answer="  "),
        row(4, references=[]),
        "[1, 2]",
        row(5, id=17, spans=[{"start": 0, "end": 900}]),
        row(6),
    ]
    source, out = write_lines(tmp_path / "in.jsonl", lines), tmp_path / "out.jsonl"

    result = command("score", source, "--out", out, *options)
    rows = read_lines(out)

    assert result.code == EXIT_SOME_ROWS_FAILED
    assert [(each["id"], each.get("line"), "report" in each) for each in rows] == [
        ("row-0", None, True),
        (None, 2, False),
        (None, 4, True),
        ("row-2", 5, False),
        ("row-3", None, True),
        ("row-4", None, True),
        (None, 8, False),
        ("17", 9, False),
        ("row-6", None, True),
    ]
    assert rows[1]["error"]["field"] == "row"
    assert rows[3]["error"] == {"field": "answer", "message": "must be a string, got int"}
    assert rows[4]["report"]["verdict"] == "no_claim"
    assert rows[5]["report"]["verdict"] == "not_verifiable"
    assert rows[7]["error"]["field"] == "spans[0].end"
    assert result.err.startswith("scored 9 rows, in ")
    assert result.err.endswith(": 3 review, 1 no_claim, 1 not_verifiable, 4 errors\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_failed_rows_may_be_accepted(command: Command, options: Options, tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", ["{", row(0)])
    result = command("score", source, "--out", tmp_path / "out.jsonl", "--no-fail-on-error", *options)

    assert result.code == EXIT_OK


def test_a_row_longer_than_the_window_does_not_stop_the_others(
    command: Command, options: Options, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [row(0), row(1, question="why " * 2000), row(2)])
    out = tmp_path / "out.jsonl"
    result = command("score", source, "--out", out, *options)

    assert result.code == EXIT_SOME_ROWS_FAILED
    assert [each.get("error", {}).get("field") for each in read_lines(out)] == [None, "question", None]


@pytest.mark.parametrize("torn", ["", '{"id": "row-4", "rep', "\0\0\0\0", '{"id": "row-4"}\n'])
def test_an_interrupted_run_is_taken_up_without_losing_or_doubling_a_row(
    command: Command, options: Options, five_rows: Path, tmp_path: Path, torn: str
) -> None:
    out = tmp_path / "out.jsonl"
    whole = interrupted(command, five_rows, out, options, n_rows=4, torn=torn)

    result = command("score", five_rows, "--out", out, *options)

    assert result.code == EXIT_OK
    assert read_lines(out) == [json.loads(line) for line in whole.splitlines()]
    assert result.err.splitlines()[0] == "going on after 4 of 5 rows"
    assert result.err.splitlines()[1].startswith("scored 5 rows, 4 of them by the interrupted run, in ")
    assert not (tmp_path / "out.jsonl.progress.json").exists()


def test_an_interrupt_says_where_it_was(
    command: Command, options: Options, five_rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragcortex.cli.__main__ import run
    from ragcortex.cli.resume import RowFile

    def write(self: RowFile, rows: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowFile, "write", write)
        code = run(["score", str(five_rows), "--out", str(tmp_path / "out.jsonl"), *options])

    assert code == 130
    assert capsys.readouterr().err == (
        "ragcortex: interrupted after 0 of 5 rows; the same command goes on from there\n"
    )


@pytest.mark.parametrize("change", ["input", "detector", "window"])
def test_another_run_is_not_taken_up(
    command: Command, options: Options, five_rows: Path, tmp_path: Path, change: str
) -> None:
    out = tmp_path / "out.jsonl"
    interrupted(command, five_rows, out, options, n_rows=2)
    before = out.read_bytes()
    changed = list(options)
    if change == "input":
        write_lines(five_rows, [row(number) for number in range(6)])
    elif change == "detector":
        changed[1] = str(save_detector(tmp_path, "careful", 0.0, 0.9))
    else:
        changed += ["--window", "512"]
    named = {"input": "input file"}.get(change, change)

    result = command("score", five_rows, "--out", out, *changed)

    assert result.code == EXIT_INPUT
    assert result.err == (
        f"ragcortex: out: '{out}' is the unfinished output of another run (not the same: {named}); "
        "give --overwrite to start again, or another --out\n"
    )
    assert out.read_bytes() == before
    assert command("score", five_rows, "--out", out, "--overwrite", *changed).code == EXIT_OK


def test_a_damaged_sidecar_is_named(command: Command, options: Options, five_rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    interrupted(command, five_rows, out, options, n_rows=2)
    sidecar = tmp_path / "out.jsonl.progress.json"
    sidecar.write_text("{", encoding="utf-8")

    result = command("score", five_rows, "--out", out, *options)

    assert result.code == EXIT_INPUT
    assert result.err == (
        f"ragcortex: out: '{sidecar}' is damaged, so the run cannot be taken up; "
        "give --overwrite to start again, or another --out\n"
    )


def test_a_complete_output_is_not_replaced(command: Command, options: Options, five_rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    command("score", five_rows, "--out", out, *options)
    before = out.read_bytes()

    result = command("score", five_rows, "--out", out, *options)

    assert result.code == EXIT_INPUT
    assert result.err == (
        f"ragcortex: out: file '{out}' already exists and is no unfinished output of `score`; "
        "give --overwrite to start again, or another --out\n"
    )
    assert out.read_bytes() == before


def test_a_second_process_is_refused(command: Command, options: Options, five_rows: Path, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "out.jsonl"
    with out.open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        result = command("score", five_rows, "--out", out, *options)

    assert result.code == EXIT_INPUT
    assert result.err == f"ragcortex: out: '{out}' is being written by another process; wait for it\n"


def test_an_empty_file_has_an_empty_result(command: Command, options: Options, tmp_path: Path) -> None:
    source, out = write_lines(tmp_path / "in.jsonl", ["", ""]), tmp_path / "out.jsonl"
    result = command("score", source, "--out", out, *options)

    assert (result.code, out.read_bytes()) == (EXIT_OK, b"")
    assert result.err.startswith("scored 0 rows, in ")


def test_standard_output_gets_the_same_rows(
    command: Command, options: Options, five_rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    command("score", five_rows, "--out", out, *options)
    result = command("score", five_rows, "--out", "-", *options)

    assert result.code == EXIT_OK
    assert result.out == out.read_text(encoding="utf-8")
    assert result.err.startswith("from or to a pipe: an interrupted run cannot be taken up again\nscored 5 rows, in ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nowhere.jsonl", "--out", "o"],
            "input: file 'nowhere.jsonl' does not exist; give a JSONL file, one row a line",
        ),
        ([".", "--out", "o"], "input: file '.' cannot be read: Is a directory"),
        (["in.jsonl", "--out", "in.jsonl"], "out: 'in.jsonl' is the input itself; give another file"),
        (["in.jsonl", "--out", "no/o"], "out: folder 'no' does not exist; make it first"),
        (["in.jsonl", "--out", "."], "out: '.' is a folder; give the name of a file"),
        (["in.jsonl"], "Missing option '--out'; see `ragcortex score --help`"),
    ],
)
def test_bad_arguments_are_one_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "in.jsonl", [row(0)])
    result = command("score", *arguments)

    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")


def test_memory_stays_flat(tmp_path: Path) -> None:
    """The lines are counted and digested one at a time."""
    import tracemalloc

    from ragcortex.cli.resume import InputFile

    path = write_lines(tmp_path / "in.jsonl", ["x" * 10_000] * 2_000)
    tracemalloc.start()
    found = InputFile.of(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found.n_rows == 2_000
    assert peak < 1_000_000
