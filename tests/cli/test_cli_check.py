"""`ragcortex check`: where its texts come from, how it reports, and its exit codes."""

import io
import json
from pathlib import Path

import pytest
from cli_helpers import ANSWER, REFERENCE, Command

from ragcortex.errors import (
    EXIT_FAILED_ON,
    EXIT_INPUT,
    EXIT_MODEL,
    EXIT_NOTHING_TO_CHECK,
    EXIT_OK,
)


@pytest.fixture
def options(tiny_reader_folder: Path, lenient_detector: Path) -> list[str]:
    return ["--detector", str(lenient_detector), "--reader", str(tiny_reader_folder)]


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def given(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))

    return given


def test_texts_give_a_report_on_standard_output(command: Command, options: list[str]) -> None:
    result = command("check", "--question", "When?", "--reference", REFERENCE, "--answer", ANSWER, *options)

    assert result.code == EXIT_OK
    assert result.err == ""
    assert "Grounded" in result.out
    assert "\x1b" not in result.out


def test_files_are_read_without_their_last_line_break(command: Command, options: list[str], tmp_path: Path) -> None:
    reference, answer = tmp_path / "reference.txt", tmp_path / "answer.txt"
    reference.write_bytes(REFERENCE.encode())
    answer.write_bytes(b"\xef\xbb\xbfEins.\r\nZwei \xf0\x9f\x97\xbc.\r\n")

    result = command("check", "--reference", reference, "--answer", answer, "--format", "json", *options)
    report = json.loads(result.out)

    assert result.code == EXIT_OK
    assert report["answer"] == "Eins.\r\nZwei 🗼."
    assert "".join(token["text"] for token in report["tokens"]) == report["answer"]


def test_the_answer_may_come_from_standard_input(command: Command, options: list[str], standard_input) -> None:  # type: ignore[no-untyped-def]
    standard_input((ANSWER + "\n").encode())
    result = command("check", "--reference", REFERENCE, "--answer", "-", "--format", "json", *options)

    assert json.loads(result.out)["answer"] == ANSWER


def test_standard_input_can_be_taken_once(command: Command, standard_input) -> None:  # type: ignore[no-untyped-def]
    standard_input(b"text")
    result = command("check", "--reference", "-", "--answer", "-")

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err == "ragcortex: answer: standard input (-) was already taken by reference\n"


def test_a_row_object_may_stand_for_the_options(command: Command, options: list[str], standard_input) -> None:  # type: ignore[no-untyped-def]
    row = {"id": 7, "question": None, "references": [{"id": "p1", "text": REFERENCE}], "answer": ANSWER}
    standard_input(json.dumps(row).encode())
    result = command("check", "--input", "-", "--format", "json", *options)

    assert result.code == EXIT_OK
    assert json.loads(result.out)["id"] == "7"


@pytest.mark.parametrize(
    ("detector", "fail_on", "code"),
    [
        ("strict", "hallucinated", EXIT_FAILED_ON),
        ("strict", "review", EXIT_FAILED_ON),
        ("careful", "review", EXIT_FAILED_ON),
        ("careful", "hallucinated", EXIT_OK),
        ("lenient", "review", EXIT_OK),
        ("strict", None, EXIT_OK),
    ],
)
def test_fail_on(
    *,
    command: Command,
    request: pytest.FixtureRequest,
    tiny_reader_folder: Path,
    detector: str,
    fail_on: str | None,
    code: int,
) -> None:
    folder = request.getfixturevalue(f"{detector}_detector")
    extra = [] if fail_on is None else ["--fail-on", fail_on]
    where = ["--detector", folder, "--reader", tiny_reader_folder]

    assert command("check", "--reference", REFERENCE, "--answer", ANSWER, *extra, *where).code == code


@pytest.mark.parametrize(
    ("arguments", "verdict", "sentence"),
    [
        (
            ["--reference", REFERENCE, "--answer", " \n "],
            "no_claim",
            "The answer is blank: it claims nothing, so nothing was checked.",
        ),
        (
            ["--answer", ANSWER],
            "not_verifiable",
            "There are no references: there is nothing to check the answer against.",
        ),
        (
            ["--answer", ANSWER, "--reference", ""],
            "not_verifiable",
            "All references are blank: there is nothing to check the answer against.",
        ),
    ],
)
def test_nothing_to_check_is_a_report_a_sentence_and_a_code(
    command: Command, options: list[str], arguments: list[str], verdict: str, sentence: str
) -> None:
    result = command("check", *arguments, "--format", "json", "--fail-on", "review", *options)

    assert result.code == EXIT_NOTHING_TO_CHECK
    assert json.loads(result.out)["verdict"] == verdict
    assert result.err == f"ragcortex: {sentence}\n"


def test_the_ending_of_out_decides_the_format(command: Command, options: list[str], tmp_path: Path) -> None:
    texts = {}
    for name in ("report.html", "report.json", "report.txt"):
        result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--out", tmp_path / name, *options)
        assert (result.code, result.out) == (EXIT_OK, "")
        assert result.err.startswith("grounded (score ")
        assert result.err.endswith(f"report written to {tmp_path / name}\n")
        texts[name] = (tmp_path / name).read_text(encoding="utf-8")

    assert texts["report.html"].startswith("<!DOCTYPE html>")
    assert json.loads(texts["report.json"])["verdict"] == "grounded"
    assert "Grounded" in texts["report.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "answer: is missing; give --answer FILE|TEXT|- or --input ROW.json"),
        (
            ["--reference", "x.txt", "--answer", "a"],
            "reference: file 'x.txt' does not exist; check the path, or give such a text through --input ROW.json",
        ),
        (
            ["--answer", "answers/one"],
            "answer: file 'answers/one' does not exist; check the path, or give such a text through --input ROW.json",
        ),
        (
            ["--reference", "https://example.org/page", "--answer", "a"],
            "reference: 'https://example.org/page' is an address and nothing is fetched; give the text or a file",
        ),
        (["--answer", "."], "answer: '.' is a folder; give a file or the text itself"),
        (
            ["--input", "row.json", "--answer", "a"],
            "input: holds the question, references and answer; give either --input or those options",
        ),
        (["--input", "row.json"], "input: file 'row.json' does not exist; give a file with one row as a JSON object"),
        (
            ["--answer", "a", "--out", "no/where.json"],
            "out: folder 'no' does not exist; make it first",
        ),
        (["--answer", "a", "--out", "."], "out: '.' is a folder; give the name of a file"),
        (["--answer", "a", "--window", "10"], "window: must be at least 256 tokens, got 10"),
        (["--answer", "a", "--question", "\udcff"], "question: has a lone surrogate at character 0, which is not text"),
    ],
)
def test_bad_input_is_one_sentence(
    *,
    command: Command,
    lenient_detector: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = command("check", *arguments, "--detector", lenient_detector)

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err == f"ragcortex: {message}\n"


@pytest.mark.parametrize("text", ["12/05/2024", "one / two", "Ends in .txt", "", "x" * 5000, "a\0b.txt c"])
def test_text_that_is_no_path_is_text(text: str) -> None:
    from ragcortex.cli.inputs import Inputs

    assert Inputs().text("answer", text) == text


def test_a_file_that_is_not_utf8_is_named(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_bytes("fünf".encode("latin-1"))
    result = command("check", "--reference", REFERENCE, "--answer", path)

    assert result.code == EXIT_INPUT
    assert result.err == f"ragcortex: answer: file '{path}' is not UTF-8: byte 2 is 0xfc; save it as UTF-8 text\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "input: must hold one row as a JSON object: Expecting property name"),
        ("[1]", "input: must hold one row as a JSON object, got list"),
        ('{"answer": "a"}\n{"answer": "b"}', "input: must hold one row as a JSON object: Extra data at character 17"),
        ('{"references": []}', "answer: is missing; every row needs the text to be judged"),
        ('{"references": [], "answer": 3}', "answer: must be a string, got int"),
        ("[" * 100_000, "input: is JSON that is nested too deeply"),
    ],
)
def test_a_bad_row_object_is_one_sentence(command: Command, tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "row.json"
    path.write_text(content, encoding="utf-8")
    result = command("check", "--input", path)

    assert result.code == EXIT_INPUT
    assert result.err.startswith(f"ragcortex: {reason}")
    assert result.err.count("\n") == 1


def test_an_unknown_detector_is_named(command: Command) -> None:
    result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--detector", "cortx")

    assert result.code == EXIT_INPUT
    assert result.err.startswith("ragcortex: detector: 'cortx' is neither a shipped detector nor a folder; ")


def test_a_missing_reader_says_how_to_get_it(command: Command, lenient_detector: Path) -> None:
    result = command(
        "check", "--reference", REFERENCE, "--answer", ANSWER, "--detector", lenient_detector, "--reader", "some/model"
    )

    assert result.code == EXIT_MODEL
    assert result.err == (
        "ragcortex: reader 'some/model' is not on this machine; fetch it with `ragcortex models pull some/model`\n"
    )


def test_a_damaged_detector_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "detector.json").write_text("{", encoding="utf-8")
    result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--detector", tmp_path)

    assert result.code == EXIT_MODEL
    assert result.err.startswith("ragcortex: detector.json in ")
    assert result.err.count("\n") == 1
