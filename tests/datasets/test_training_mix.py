"""The training mixture, from rows written by hand in the schema of the annotated data; and its command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragcortex.datasets.claims import claim_spans
from ragcortex.datasets.jsonl import read_examples
from ragcortex.datasets.training_mix import FILES, halueval_pairs, refchecker, summedits, training_examples, wice_tokens
from ragcortex.errors import InputError
from ragcortex.example import Span

ROOT = Path(__file__).parents[2]


def row(**fields):
    base = {
        "id": "r",
        "model": "m",
        "group": "g",
        "question": None,
        "context": "The sky is blue.",
        "spans": [],
        "label": 0,
    }
    return base | fields


@pytest.fixture
def folder(tmp_path, world):
    """Return a folder with all files, their rows made of the small world."""
    rows = {name: [] for name in FILES}
    for index, example in enumerate(world[::2]):
        shared = {"group": example.group, "context": example.references[0].text, "question": example.question}
        name = example.answer.split()[0]
        rows["refchecker_dolly"].append(row(id=f"d{index}", answer=" " + example.answer, **shared))
        rows["begin"].append(
            row(id=f"b{index}", answer="ok", **shared | {"context": shared["context"].replace(".", " .")})
        )
        rows["wice_claims"].append(row(id=f"c{index}", answer="Yes. " + example.answer, **shared))
        for label, answer in enumerate(("in the north", "in the south")):
            rows["halueval_qa_sample"].append(row(id=f"h{index}{label}", answer=answer, label=label, **shared))
        edited = example.answer.replace("was", "was never", 1)
        for label, answer in enumerate((example.answer, edited)):
            extra = {"task": "summary(news)", "original": example.answer, "label": label, "answer": answer}
            rows["summedits"].append(row(id=f"s{index}{label}", **shared | {"question": None}, **extra))
        span = {"start": 0, "end": len(name)}
        rows["wice_tokens"].append(row(id=f"w{index}", answer=name + " is so.", label=1, **shared) | {"spans": [span]})
    for name, lines in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_the_mixture_has_all_origins_and_is_the_same_again(folder):
    made = training_examples(folder, seed=0, n_synthetic=40)
    origins = {example.task for example in made if not example.task.startswith("synthetic/")}
    assert origins == {"summedits", "halueval_qa", "wice_tokens", "wice_claims", "refchecker_dolly"}
    synthetic = [example for example in made if example.task.startswith("synthetic/")]
    assert 35 <= len(synthetic) <= 40
    assert sum(example.label for example in synthetic) == 20
    assert len({(example.references, example.question, example.answer) for example in made}) == len(made)
    assert all(example.spans is not None and example.label == int(bool(example.spans)) for example in made)
    assert training_examples(folder, seed=0, n_synthetic=40) == made
    assert len(training_examples(folder, seed=0, n_synthetic=0)) == len(made) - len(synthetic)


def test_a_missing_file_is_named(folder):
    (folder / "begin.jsonl").unlink()
    with pytest.raises(InputError) as caught:
        training_examples(folder, seed=0, n_synthetic=0)
    assert str(caught.value) == f"file: {folder / 'begin.jsonl'} does not exist; give the path of a JSONL file"


def test_summedits_spans_come_from_the_original():
    original = "The sky is blue today."
    rows = [
        row(label=0, answer=original, original=original),
        row(label=1, answer="The sky is green today.", original=original),
        row(label=1, answer=original, original=original),  # called wrong, but nothing differs
        row(label=1, answer="A sea was green yesterday and so red.", original=original),  # rewritten all over
    ]
    assert [[example.spans for example in unit] for unit in summedits(rows)][:2] == [[()], [(Span(11, 16),)]]


def test_halueval_pairs_are_of_like_length_and_complete():
    rows = [
        row(group="a", label=0, answer="Rome"),
        row(group="a", label=1, answer="Old Paris"),
        row(group="b", label=0, answer="Rome"),
        row(group="b", label=1, answer="It was in Paris then."),
        row(group="c", label=0, answer="Rome"),
    ]
    assert [[(e.answer, e.spans) for e in unit] for unit in halueval_pairs(rows)] == [
        [("Rome", ()), ("Old Paris", (Span(0, 9),))]
    ]


def test_long_articles_are_left_out_and_leading_blanks_do_not_shift_spans():
    rows = [
        row(label=1, answer=" Rome is old.", spans=[{"start": 1, "end": 5}]),
        row(label=1, answer="Rome", spans=[{"start": 0, "end": 4}], context="word " * 700),
        row(label=1, answer="Rome", spans=[{"start": 0, "end": 4}], unlocated=1),
    ]
    ((example,),) = wice_tokens(rows)
    assert (example.answer, example.spans) == ("Rome is old.", (Span(0, 4),))


def test_claims_are_placed_where_the_answer_says_them():
    answer = "Rome was founded by twins. Its harbour lies in Ostia, near the sea."
    spans = claim_spans(answer, ["Rome | harbour lies in | Ostia"])
    assert [answer[span.start : span.end] for span in spans] == ["Ostia"]
    assert claim_spans(answer, ["Rome | has | seven hills"]) is None
    assert claim_spans(answer, []) is None
    assert claim_spans(answer, ["of | the | a"]) is None


def test_refchecker_answers_have_spans_where_their_claims_can_be_placed():
    claims = [
        {"claim": "sky | is | green", "label": "Contradiction"},
        {"claim": "sky | is | wide", "label": "Entailment"},
    ]
    unplaced = [{"claim": "moon | shines over | cities", "label": "Neutral"}]
    made = refchecker(
        [
            row(answer="The sky is blue."),
            row(answer="The sky is green and wide.", label=1, claims=claims),
            row(answer="The sky is green.", label=1, claims=unplaced),
            row(answer="The sky is red.", label=None),
        ]
    )
    assert [(example.task, example.spans, example.label) for example in made] == [
        ("refchecker_dolly", (), 0),
        ("refchecker_claims", (Span(11, 16),), 1),
        ("refchecker_dolly", None, 1),
        ("refchecker_dolly", None, None),
    ]


def run(*arguments):
    command = [sys.executable, str(ROOT / "benchmarks" / "make_training_data.py"), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )


def test_the_command_writes_rows_and_prints_a_table(folder, tmp_path):
    out = tmp_path / "train.jsonl"
    done = run("--data", folder, "--out", out, "--n-synthetic", 12)
    assert (done.returncode, done.stderr) == (0, "")
    assert "synthetic/insertion" in done.stdout
    assert read_examples(out) == training_examples(folder, seed=0, n_synthetic=12)


def test_the_command_reports_a_missing_folder_in_one_line(tmp_path):
    done = run("--data", tmp_path / "none", "--out", tmp_path / "train.jsonl")
    path = tmp_path / "none" / "summedits.jsonl"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: file: {path} does not exist; give the path of a JSONL file\n"
