"""`ragcortex data`: the list, a card, a download checked, and rows written in our own form."""

import json

import pytest
from cli_helpers import Command, read_lines, write_lines

from ragcortex.datasets.jsonl import read_examples
from ragcortex.errors import EXIT_INPUT, EXIT_OK

ANSWER = "It opened in 1875."


@pytest.fixture
def ragtruth(tmp_path):
    """Return a folder with RAGTruth's two files: four sources, each answered by two models, one label out of place."""
    sources, responses = [], []
    for number in range(4):
        passages = f"passage 1:Bridge {number} opened in 1874.\n\n"
        info = {"question": "When?", "passages": passages}
        sources.append({"source_id": f"s{number}", "task_type": "QA", "source": "x", "source_info": info, "prompt": ""})
        for model in ("gpt", "llama"):
            start = 12 if (number, model) == (0, "gpt") else 13
            label = {"start": start, "end": start + 4, "text": "1875", "label_type": "Evident Conflict"}
            responses.append(
                {
                    "id": f"{number}-{model}",
                    "source_id": f"s{number}",
                    "model": model,
                    "labels": [label] if model == "gpt" else [],
                    "split": "test" if number == 3 else "train",
                    "quality": "good",
                    "response": ANSWER,
                }
            )
    write_lines(tmp_path / "source_info.jsonl", sources)
    write_lines(tmp_path / "response.jsonl", responses)
    return tmp_path


@pytest.fixture
def own(tmp_path):
    """Return a file of rows of one's own."""
    rows = [
        {"id": f"r{n}", "references": ["x"], "answer": " It is.", "label": n % 2, "split": "test"} for n in range(4)
    ]
    return write_lines(tmp_path / "own.jsonl", rows)


def test_list_is_a_table(command: Command) -> None:
    result = command("data", "list")
    lines = result.out.splitlines()

    assert (result.code, result.err) == (EXIT_OK, "")
    assert lines[0].split("  ")[0] == "name"
    assert [line.split()[0] for line in lines[1:]] == [
        "ragtruth", "hallurag", "halueval", "true", "summedits", "wice", "mushroom", "uhgeval", "jsonl",
    ]  # fmt: skip
    assert lines[1].split("  ")[0] == "ragtruth"
    assert " MIT " in lines[1]
    assert lines[1].endswith("https://github.com/ParticleMedia/RAGTruth")
    assert len({line.index(cell) for line, cell in zip(lines[:2], ("licence", "MIT"), strict=True)}) == 1


def test_list_as_json(command: Command) -> None:
    listed = json.loads(command("data", "list", "--json").out)

    assert listed["schema"] == "ragcortex.data/1"
    wice = next(one for one in listed["datasets"] if one["name"] == "wice")
    assert (wice["levels"], wice["languages"], len(wice["files"])) == (["span", "answer"], ["en"], 9)
    assert wice["options"] == [
        "part=claim|subclaim|tokens (default claim)",
        "evidence=article|supporting (default article)",
    ]


def test_show_is_the_card(command: Command) -> None:
    result = command("data", "show", "halueval")

    assert (result.code, result.err) == (EXIT_OK, "")
    assert "licence       MIT\n" in result.out
    assert "checksums     git ids at commit b7253db3cdaa0ab2c382f92b26b390109174f77e\n" in result.out
    assert "file          data/general_data.json  4,507 rows  4b395488fcbe333702cf8ab07b5a3cf192fae424\n" in result.out
    assert "--option      part=qa|dialogue|summarization|general\n--option      seed=N (default 0)\n" in result.out
    assert "checksums     none published\n" in command("data", "show", "true").out


def test_check_says_what_is_there(command: Command, own) -> None:
    result = command("data", "check", "jsonl", own)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert result.out == (
        f"{own}: 4 rows; checksum none published\ntest: 4 answers of 4 sources, 2 hallucinated (50.0 %), 0 spans\n"
    )


def test_check_of_another_file_fails_after_saying_what_is_there(command: Command, ragtruth) -> None:
    result = command("data", "check", "ragtruth", ragtruth, "--option", "validation=0")
    url = "https://github.com/ParticleMedia/RAGTruth"

    assert result.code == EXIT_INPUT
    assert result.out.splitlines()[2:] == [
        "train: 5 answers of 3 sources, 2 hallucinated (40.0 %), 2 spans",
        "test: 2 answers of 1 source, 1 hallucinated (50.0 %), 1 span",
        "dropped: 1 row: label text not at its offsets (0-gpt)",
    ]
    assert result.err.splitlines() == [
        f"problem: {ragtruth / 'response.jsonl'} has 8 rows where 17,790 are published; get it again from {url}",
        f"problem: {ragtruth / 'source_info.jsonl'} has 4 rows where 2,965 are published; get it again from {url}",
        f"ragcortex: download: 2 things are wrong with {ragtruth}, listed above",
    ]


def test_check_as_json(command: Command, ragtruth) -> None:
    result = command("data", "check", "ragtruth", ragtruth, "--option", "validation=0", "--json")
    found = json.loads(result.out)

    assert (result.code, found["whole"], len(found["problems"])) == (EXIT_INPUT, False, 2)
    assert found["files"][0] | {"problem": None} == {
        "name": str(ragtruth / "response.jsonl"),
        "found": True,
        "n_rows": 8,
        "expected_rows": 17_790,
        "checksum": "wrong",
        "problem": None,
    }
    assert found["splits"][0] == {
        "split": "train",
        "n_answers": 5,
        "n_hallucinated": 2,
        "n_unlabelled": 0,
        "n_spans": 2,
        "n_groups": 3,
    }
    assert found["dropped"] == [{"reason": "label text not at its offsets", "n": 1, "ids": ["0-gpt"]}]
    assert (found["notes"], found["groups_in_several_splits"]) == ([], 0)


def test_one_problem_is_one_sentence(command: Command, tmp_path) -> None:
    result = command("data", "check", "wice", tmp_path / "none")

    assert (result.code, result.out.count("not there")) == (EXIT_INPUT, 9)
    assert result.err == (
        f"ragcortex: download: {tmp_path / 'none'} does not exist; give the folder of the download, which holds "
        "data/entailment_retrieval/claim/*.jsonl; get it from https://github.com/ryokamoi/wice\n"
    )


def test_convert_writes_what_other_commands_read(command: Command, ragtruth, tmp_path) -> None:
    out = tmp_path / "rows.jsonl"
    result = command("data", "convert", "ragtruth", ragtruth, out, "--option", "validation=0", "--split", "train")

    assert (result.code, result.out) == (EXIT_OK, "")
    assert result.err == f"dropped: 1 row: label text not at its offsets (0-gpt)\n5 rows written to {out}\n"
    examples = read_examples(out)
    assert [(e.group, e.generator, e.label) for e in examples][:2] == [("s0", "llama", 0), ("s1", "gpt", 1)]
    assert read_lines(out)[1] == {
        "id": "1-gpt",
        "question": "When?",
        "references": [{"id": "passage 1", "text": "passage 1:Bridge 1 opened in 1874.", "source": None}],
        "answer": ANSWER,
        "spans": [{"start": 13, "end": 17, "type": "Evident Conflict"}],
        "label": 1,
        "group": "s1",
        "generator": "gpt",
        "task": "QA",
        "dataset": "ragtruth",
        "split": "train",
    }
    again = command("data", "convert", "jsonl", out, tmp_path / "again.jsonl")
    assert again.code == EXIT_OK
    assert read_examples(tmp_path / "again.jsonl") == examples


def test_convert_spreads_answer_labels_when_asked(command: Command, own, tmp_path) -> None:
    out = tmp_path / "rows.jsonl"
    assert command("data", "convert", "jsonl", own, out, "--answer-spans").code == EXIT_OK
    assert [row.get("spans") for row in read_lines(out)] == [
        None, [{"start": 1, "end": 7, "type": "whole answer"}], None, [{"start": 1, "end": 7, "type": "whole answer"}],
    ]  # fmt: skip


def test_convert_replaces_nothing_unasked(command: Command, own, tmp_path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text("mine\n")
    result = command("data", "convert", "jsonl", own, out)

    assert (result.code, out.read_text()) == (EXIT_INPUT, "mine\n")
    assert result.err == f"ragcortex: out: '{out}' exists; replace it with --overwrite\n"
    assert command("data", "convert", "jsonl", own, out, "--overwrite").code == EXIT_OK
    assert len(read_lines(out)) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "ragtruht"], "name: there is no data set 'ragtruht'; did you mean 'ragtruth'?"),
        (["check", "jsonl", "{own}", "--option", "x"], "option: must be NAME=VALUE, got 'x'"),
        (["check", "jsonl", "{own}", "--option", "x=1"], "option: jsonl has no option 'x'; it has none"),
        (
            ["convert", "jsonl", "{own}", "{folder}/o.jsonl", "--split", "dev"],
            "split: must be one of train, validation, test, got 'dev'",
        ),
        (
            ["convert", "jsonl", "{own}", "{folder}/o.jsonl", "--split", "train"],
            "split: jsonl has no row in 'train'; its splits are: test",
        ),
        (["convert", "jsonl", "{own}", "{folder}"], "out: '{folder}' is a folder; give the name of a file"),
        (
            ["convert", "jsonl", "{folder}/none", "{folder}/o.jsonl"],
            "path: {folder}/none does not exist; give the folder of the download, which holds a file ending in .jsonl",
        ),
    ],
)
def test_errors_are_one_sentence(command: Command, own, tmp_path, arguments, message) -> None:
    result = command("data", *(argument.format(own=own, folder=tmp_path) for argument in arguments))

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err == f"ragcortex: {message.format(own=own, folder=tmp_path)}\n"
    assert not (tmp_path / "o.jsonl").exists()
