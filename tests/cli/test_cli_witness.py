"""`check` and `score` with the geometric witness and with a corpus, as a person uses them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from cli_helpers import ANSWER, EXECUTABLE, REFERENCE, Command, Result, read_lines, row, use_words, write_lines
from test_cli_score import stop_after

from made_embedder import WordEmbedder
from ragcortex.errors import (
    EXIT_FAILED_ON,
    EXIT_INPUT,
    EXIT_MODEL,
    EXIT_NOTHING_TO_CHECK,
    EXIT_OK,
    EXIT_SOME_ROWS_FAILED,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "src" / "ragcortex" / "report.schema.json").read_text())
DOCUMENTS = {
    "lighthouse.txt": REFERENCE,
    "harbour.txt": "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks.",
    "museum.txt": "The museum shows paintings of sailors, and old maps that were drawn by hand on board.",
}


@pytest.fixture(autouse=True)
def words_for_the_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let commands in this process load the made embedder and its score model instead of the shipped ones."""
    use_words(monkeypatch, tmp_path / "model")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    from ragcortex.geometry.corpus import Corpus

    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name, text in DOCUMENTS.items():
        (shelf / name).write_text(text)
    Corpus.build([shelf], out=tmp_path / "corpus", embedder=WordEmbedder())
    return tmp_path / "corpus"


@pytest.fixture
def check(command: Command) -> Callable[..., Result]:
    return lambda *arguments: command("check", "--witness", "geometry", "--answer", ANSWER, *arguments)


def test_text_names_what_differs(check: Callable[..., Result]) -> None:
    result = check("--question", "How high is it?", "--reference", REFERENCE)
    lines = [line.strip() for line in result.out.splitlines()]

    assert (result.code, result.err) == (EXIT_OK, "")
    assert "It was built in 1874. It stands ⟦52⟧ metres above the sea." in lines
    assert any(line.startswith("a number differs: «52» in the answer, «41") for line in lines)
    assert any(line.startswith("reference 1") and "41" in line for line in lines)
    assert any(line.startswith("Verdict: Hallucinated, score 0.9") for line in lines)
    assert "Detector made 1, thresholds set on twelve hand-written answers" in lines
    assert "\x1b" not in result.out


def test_json_keeps_the_schema_and_holds_the_signals(check: Callable[..., Result]) -> None:
    result = check("--reference", REFERENCE, "--format", "json")
    report = json.loads(result.out)

    assert (result.code, result.err) == (EXIT_OK, "")
    jsonschema.validate(report, SCHEMA)
    assert report["spans"][0]["text"] == "52"
    assert report["spans"][0]["reasons"] == ["number"]
    assert report["spans"][0]["differences"][0]["evidence"]["text"].startswith("41")
    assert report["signals"]["support_rate"] <= 1
    assert report["sentences"][1]["state"] == "contradicted"
    assert report["detector"]["reader"] == "words"


def test_html_goes_into_a_file(check: Callable[..., Result], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    result = check("--reference", REFERENCE, "--out", out)

    assert (result.code, result.out) == (EXIT_OK, "")
    assert result.err.startswith("hallucinated (score 0.9")
    page = out.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "a number differs" in page


def test_the_same_command_writes_the_same_bytes(check: Callable[..., Result]) -> None:
    first, second = (check("--reference", REFERENCE, "--format", "json").out for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("answer", "fail_on", "code"),
    [
        (ANSWER, "hallucinated", EXIT_FAILED_ON),
        (ANSWER, "review", EXIT_FAILED_ON),
        ("It was built in 1874.", "review", EXIT_OK),
    ],
)
def test_the_exit_code_is_that_of_the_verdict(command: Command, answer: str, fail_on: str, code: int) -> None:
    options = ["--witness", "geometry", "--reference", REFERENCE, "--fail-on", fail_on]
    assert command("check", "--answer", answer, *options).code == code


def test_an_answer_that_claims_nothing_says_so(command: Command) -> None:
    result = command("check", "--witness", "geometry", "--reference", REFERENCE, "--answer", "Hello! How can I help?")
    assert result.code == EXIT_NOTHING_TO_CHECK
    assert result.err == "ragcortex: The answer claims nothing that references could support.\n"


def test_a_corpus_stands_for_references(check: Callable[..., Result], corpus: Path) -> None:
    report = json.loads(check("--corpus", corpus, "--format", "json").out)

    assert report["verdict"] == "hallucinated"
    (evidence,) = report["spans"][0]["evidence"]
    assert report["spans"][0]["differences"][0]["evidence"]["text"].startswith("41")
    assert evidence["source"] == "lighthouse.txt"


def test_the_internal_witness_reads_the_nearest_passages_of_a_corpus(
    command: Command, corpus: Path, tiny_reader_folder: Path, lenient_detector: Path
) -> None:
    options = ["--detector", lenient_detector, "--reader", tiny_reader_folder, "--corpus", corpus]
    result = command("check", "--answer", ANSWER, "--format", "json", *options)
    report = json.loads(result.out)

    assert (result.code, result.err, report["verdict"]) == (EXIT_OK, "", "grounded")
    assert report["notes"][0] == {
        "code": "references_from_corpus",
        "text": "Checked against the 3 passages of the corpus that are nearest to the question and the answer.",
    }


GEOMETRY = "goes with a witness that reads, got {!r} with --witness geometry"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--witness", "geometry", "--reader", "embedded"], f"reader: {GEOMETRY.format('embedded')}"),
        (["--witness", "geometry", "--window", "512"], f"window: {GEOMETRY.format(512)}"),
        (["--witness", "geometry", "--dtype", "float32"], f"dtype: {GEOMETRY.format('float32')}"),
        (["--witness", "geometry", "--detector", "cortex-clean"], f"detector: {GEOMETRY.format('cortex-clean')}"),
        (["--witness", "geometry", "--strict"], "strict: goes with two witnesses, and geometry judges alone"),
        (["--witness", "internal", "--strict"], "strict: goes with two witnesses, and internal judges alone"),
        (
            ["--witness", "internal", "--calibration", "c.json"],
            "calibration: goes with both witnesses or the geometric one; the reader has its own",
        ),
        (
            ["--detector", "cortex", "--embedder", "embedded"],
            "embedder: goes with the geometric witness or --corpus; the reader needs none",
        ),
        *(
            (
                ["--detector", "cortex", "--witness", witness],
                f"witness: '{witness}' needs a fusion of both, and 'cortex' is a detector that reads only; `ragcortex "
                "train --fusion` makes one",
            )
            for witness in ("both", "cascade")
        ),
        (
            ["--detector", "fusoin"],
            "detector: 'fusoin' is neither a shipped detector nor a folder; did you mean 'fusion'?",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["check", "score"])
def test_options_of_the_other_witness_are_refused(
    command: Command, tmp_path: Path, verb: str, arguments: list[str], message: str
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [row(0)])
    usual = {
        "check": ["--reference", REFERENCE, "--answer", ANSWER],
        "score": [str(source), "--out", str(tmp_path / "out.jsonl")],
    }[verb]
    result = command(verb, *usual, *arguments)

    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")
    assert not (tmp_path / "out.jsonl").exists()


def test_an_unknown_witness_is_refused(command: Command) -> None:
    result = command("check", "--witness", "geometri", "--reference", REFERENCE, "--answer", ANSWER)
    assert result.code == EXIT_INPUT
    assert "'geometri' is not one of 'both', 'internal', 'geometry', 'cascade'" in result.err


@pytest.mark.parametrize("witness", ["internal", "geometry"])
def test_references_and_a_corpus_exclude_each_other(command: Command, corpus: Path, witness: str) -> None:
    options = ["--witness", witness, "--corpus", corpus]
    result = command("check", "--reference", REFERENCE, "--answer", ANSWER, *options)
    message = "reference: must be left out where --corpus is given; an answer is checked against one of them"
    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")


def test_what_is_no_corpus_is_refused(check: Callable[..., Result], tmp_path: Path) -> None:
    result = check("--corpus", tmp_path / "nowhere")
    assert result.code == EXIT_INPUT
    assert result.err.count("\n") == 1
    assert str(tmp_path / "nowhere") in result.err


@pytest.mark.parametrize("witness", ["internal", "geometry"])
def test_a_corpus_of_another_embedder_is_refused(
    command: Command, corpus: Path, witness: str, tiny_reader_folder: Path, lenient_detector: Path
) -> None:
    own = ["--detector", lenient_detector, "--reader", tiny_reader_folder] if witness == "internal" else []
    options = ["--witness", witness, "--corpus", corpus, "--embedder", "another", *own]
    result = command("check", "--answer", ANSWER, *options)
    assert (result.code, result.out) == (EXIT_MODEL, "")
    assert result.err.startswith(f"ragcortex: the corpus '{corpus}' was built with the embedder 'words' (")
    assert result.err.count("\n") == 1


def test_another_embedder_needs_a_calibration(check: Callable[..., Result], tmp_path: Path) -> None:
    result = check("--reference", REFERENCE, "--embedder", "another")
    assert result.code == EXIT_MODEL
    assert result.err == (
        "ragcortex: the thresholds of 'made' were set with another embedder than 'another', whose similarities lie "
        "elsewhere; run `ragcortex calibrate --witness geometry` with it and give the calibration\n"
    )
    missing = check("--reference", REFERENCE, "--calibration", tmp_path / "c.json")
    assert missing.code == EXIT_MODEL
    assert missing.err == (
        f"ragcortex: calibration '{tmp_path / 'c.json'}' cannot be read: No such file or directory; run `ragcortex "
        "calibrate --witness geometry` to make one\n"
    )


@pytest.fixture
def five_rows(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in.jsonl", [row(number) for number in range(5)])


GEOMETRIC = ("--witness", "geometry", "--batch-size", "2")


def test_rows_are_scored_and_bad_ones_say_why(command: Command, tmp_path: Path) -> None:
    lines = [row(0), "{broken", row(1, answer="Hello!"), row(2, references=[]), row(3, answer=4)]
    out = tmp_path / "out.jsonl"
    result = command("score", write_lines(tmp_path / "in.jsonl", lines), "--out", out, *GEOMETRIC)

    assert result.code == EXIT_SOME_ROWS_FAILED
    found = [each.get("report", {}).get("verdict") or each["error"]["field"] for each in read_lines(out)]
    assert found == ["hallucinated", "row", "no_claim", "not_verifiable", "answer"]
    for each in read_lines(out):
        if "report" in each:
            jsonschema.validate(each["report"], SCHEMA)


@pytest.mark.parametrize("n_rows", [2, 4])
def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(
    command: Command, five_rows: Path, tmp_path: Path, n_rows: int
) -> None:
    out = tmp_path / "out.jsonl"
    assert command("score", five_rows, "--out", out, *GEOMETRIC).code == EXIT_OK
    whole = out.read_bytes()
    out.unlink()
    stop_after(n_rows, command, "score", five_rows, "--out", out, *GEOMETRIC)
    assert len(read_lines(out)) == n_rows
    result = command("score", five_rows, "--out", out, *GEOMETRIC)

    assert result.code == EXIT_OK
    assert result.err.startswith(f"going on after {n_rows} of 5 rows\n")
    assert out.read_bytes() == whole


def test_a_run_is_not_taken_up_by_another_witness_or_corpus(
    command: Command, five_rows: Path, corpus: Path, tiny_reader_folder: Path, lenient_detector: Path
) -> None:
    out = five_rows.with_name("out.jsonl")
    stop_after(2, command, "score", five_rows, "--out", out, *GEOMETRIC)
    written = out.read_bytes()
    internal = ["--detector", lenient_detector, "--reader", tiny_reader_folder]
    for options in (internal, [*GEOMETRIC, "--corpus", corpus]):
        result = command("score", five_rows, "--out", out, *options)
        assert result.code == EXIT_INPUT
        assert "detector" in result.err
        assert result.err.endswith("give --overwrite to start again, or another --out\n")
        assert out.read_bytes() == written


def test_rows_without_references_are_scored_against_a_corpus(command: Command, corpus: Path, tmp_path: Path) -> None:
    bare = {"id": "a", "answer": ANSWER}
    source, out = write_lines(tmp_path / "in.jsonl", [bare, row(1)]), tmp_path / "out.jsonl"
    result = command("score", source, "--out", out, *GEOMETRIC, "--corpus", corpus)

    assert result.code == EXIT_SOME_ROWS_FAILED
    first, second = read_lines(out)
    assert first["report"]["verdict"] == "hallucinated"
    assert second["error"] == {
        "field": "references",
        "message": "must be empty where a corpus is checked against; give one or the other",
    }
    without = command("score", source, "--out", tmp_path / "other.jsonl", *GEOMETRIC)
    assert without.code == EXIT_SOME_ROWS_FAILED
    assert read_lines(tmp_path / "other.jsonl")[0]["error"]["field"] == "references"


def test_the_internal_witness_scores_rows_against_a_corpus_in_groups(
    command: Command, corpus: Path, tmp_path: Path, tiny_reader_folder: Path, lenient_detector: Path
) -> None:
    lines = [{"id": "a", "answer": ANSWER}, row(1), {"id": "b", "answer": " "}, {"id": "c", "answer": "The museum."}]
    source, out = write_lines(tmp_path / "in.jsonl", lines), tmp_path / "out.jsonl"
    options = ["--detector", lenient_detector, "--reader", tiny_reader_folder, "--corpus", corpus]
    result = command("score", source, "--out", out, *options)

    assert result.code == EXIT_SOME_ROWS_FAILED
    found = {each["id"]: each.get("report", {}).get("verdict") for each in read_lines(out)}
    assert found == {"a": "grounded", "row-1": None, "b": "no_claim", "c": "grounded"}


@pytest.mark.weights
def test_the_installed_command_checks_with_the_shipped_model_and_encoder() -> None:
    arguments = ["check", "--witness", "geometry", "--reference", REFERENCE, "--answer", ANSWER, "--format", "json"]
    runs = [
        subprocess.run([EXECUTABLE, *arguments], capture_output=True, check=True, text=True, stdin=subprocess.DEVNULL)
        for _ in range(2)
    ]
    report = json.loads(runs[0].stdout)
    jsonschema.validate(report, SCHEMA)
    assert report["verdict"] == "hallucinated"
    assert [span["text"] for span in report["spans"]] == ["52"]
    assert report["detector"]["reader"] == "embedded"
    assert (runs[0].stdout, runs[0].stderr) == (runs[1].stdout, "")
