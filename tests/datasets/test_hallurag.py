"""HalluRAG from its official files: sentence labels by the official rule, and pickles of which nothing can run."""

import itertools
import os
import pickle

import numpy as np
import pytest
from official_helpers import marked, told, write_array

from ragcortex.datasets.hallurag import chunks, load, sentence_label
from ragcortex.errors import InputError

ANSWER = "It opened in 1874. It is 52 m long."
FIRST, SECOND = "It opened in 1874.", ANSWER
QUESTION = "When did it open?"
PROMPT = (
    f"Use the context.\nQuestion: {QUESTION} \nContext: ### Chunk 1: Bridge\nIt opened\nin 1874.\n\n"
    "### Chunk 2: River\nIt floods. ### Chunk 9: no heading\n\n \nAnswer:"
)
OTHER_PROMPT = (
    f"Your knowledge is limited to this:\n### Chunk 1: Bridge\nIt opened.\n\n### Chunk 2: River\nIt floods.\n\n\n"
    f"QUESTION: {QUESTION}\nBRIEF ANSWER:"
)
FAILURES = [
    f"{name}_fail{kind}" for name in ("conflicting", "grounded", "no_clear_answer") for kind in ("", "_content")
]


def judged(conflicting=False, grounded=True, factual=True, unclear=False, **fields):
    return (
        dict.fromkeys(FAILURES, False)
        | {
            "conflicting": conflicting,
            "grounded": grounded,
            "has_factual_information": factual,
            "no_clear_answer": unclear,
            "llm_eval": {},
        }
        | fields
    )


def entry(*sentences, answerable=True, qna="378_0", prompt=PROMPT, answer=ANSWER, quantization=None, model="org/model"):
    return {
        "model": model,
        "quantization": quantization,
        "prompt": {
            "qna_id": qna,
            "answerable": answerable,
            "passage": {"question": QUESTION},
            "rag_prompt": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": prompt}],
        },
        "sentence_data": [
            {"target": None, "cum_sentence": text, "internal_states": {"layer_50": [0.1]}, "pred": pred}
            for text, pred in sentences
        ],
        "llm_response": answer,
    }


GOOD, WRONG = judged(), judged(grounded=False)


@pytest.fixture
def write(tmp_path):
    """Return a function that pickles entries as an official file and returns the folder."""

    def written(entries, name="test_org_model.pickle"):
        folder = tmp_path / "data" / "HalluRAG"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(pickle.dumps(entries, protocol=pickle.HIGHEST_PROTOCOL))
        return tmp_path

    return written


def test_sentences_become_spans(write):
    folder = write([entry((FIRST, GOOD), (SECOND, WRONG))])
    refusal = judged(factual=False, unclear=True)
    write([entry((ANSWER, refusal), quantization="int8", answerable=False, qna="9_1")], "train_x.pickle")
    loaded = load(folder)
    train, test = loaded.examples

    assert loaded.splits == ("train", "test")
    assert (marked(loaded, "378_0/answerable/org/model"), test.spans[0].type) == (["It is 52 m long."], "Baseless")
    assert (test.label, test.group, test.generator, test.task) == (1, "378_0", "org/model", "answerable")
    assert [(r.id, r.text) for r in test.references] == [
        ("chunk 1", "Bridge\nIt opened\nin 1874."),
        ("chunk 2", "River\nIt floods. ### Chunk 9: no heading"),
    ]
    assert (train.id, train.label, train.spans) == ("9_1/unanswerable/org/model (int8)", 0, ())
    assert loaded.dropped == ()


def test_chunks_of_the_other_prompts():
    assert [c.text for c in chunks(OTHER_PROMPT, QUESTION)] == ["Bridge\nIt opened.", "River\nIt floods."]
    assert chunks("Answer {this}: " + QUESTION, QUESTION) == ()


def official_rule(answerable, judged):
    """The rule as the official scripts write it out, case by case."""
    if any(judged[name] for name in FAILURES):
        return None
    conflicting, grounded = judged["conflicting"], judged["grounded"]
    factual, unclear = judged["has_factual_information"], judged["no_clear_answer"]
    if None in (conflicting, grounded, factual, unclear) or (grounded and factual and unclear):
        return None
    if answerable:
        cases = ((conflicting, 1), (factual and grounded, 0), (unclear, 1), (factual, 1), (True, 0))
    else:
        cases = ((conflicting, 1), (factual and not grounded, 1), (unclear, 0), (factual, None), (True, 0))
    return next(label for holds, label in cases if holds)


def test_the_label_of_a_sentence_is_that_of_the_official_rule():
    values = (False, True, None)
    for answerable, *four in itertools.product((False, True), *[values] * 4):
        for failed in (None, *FAILURES):
            one = judged(*four) | ({failed: True} if failed else {})
            assert sentence_label(answerable, one) == official_rule(answerable, one), (answerable, one)


@pytest.mark.parametrize(
    ("pred", "kind"),
    [
        (judged(conflicting=True), "Conflict"),
        (judged(grounded=False), "Baseless"),
        (judged(factual=False, unclear=True), "No clear answer"),
    ],
)
def test_the_type_of_a_span_says_why(write, pred, kind):
    (example,) = load(write([entry((ANSWER, pred))])).examples
    assert [span.type for span in example.spans] == [kind]


@pytest.mark.parametrize(
    ("target", "spans"), [("hallucinated", [ANSWER]), (1, [ANSWER]), ("non-hallucinated", []), (0, [])]
)
def test_the_stored_target_counts_without_judgements(write, target, spans):
    one = entry((ANSWER, None))
    one["sentence_data"][0]["target"] = target
    loaded = load(write([one]))

    assert marked(loaded, "378_0/answerable/org/model") == spans
    assert all(span.type is None for span in loaded.examples[0].spans)


def test_rows_that_cannot_be_used_are_counted(write):
    rows = [
        entry((ANSWER, GOOD)),
        entry((ANSWER, GOOD)),
        entry((FIRST, GOOD), (SECOND, judged(grounded_fail=True)), qna="1"),
        entry((FIRST, GOOD), (FIRST, GOOD), qna="2"),
        entry(("It closed.", GOOD), qna="3"),
        entry((FIRST, GOOD), qna="4"),
        entry((ANSWER, GOOD), qna="5", prompt="No chunks."),
        entry(qna="6", answer=" "),
    ]
    folder = write(rows)
    reasons = {
        "repeats the id of an earlier row": 1,
        "sentences not one after the other in the answer": 2,
        "sentences do not reach the end of the answer": 1,
        "chunks not found in the prompt": 1,
        "blank answer": 1,
    }

    assert told(load(folder).dropped) == reasons | {"sentence without a valid label": 1}
    kept = load(folder, unlabelled="grounded")
    assert told(kept.dropped) == reasons
    assert told(kept.notes) == {"sentence without a valid label counted as grounded": 1}
    assert marked(kept, "1/answerable/org/model") == []


def test_the_same_list_as_json_will_do(tmp_path):
    file = write_array(tmp_path / "val_x.json", [entry((ANSWER, WRONG))])
    for path in (file, tmp_path):
        loaded = load(path)
        assert (loaded.splits, loaded.examples[0].label) == (("validation",), 1)


def test_numbers_of_numpy_are_read_and_its_arrays_are_not(write):
    one = entry((ANSWER, GOOD | {"grounded": np.bool_(False)}))
    one["prompt"]["qna_id"] = np.int64(7)
    one["sentence_data"][0]["target"] = np.float64(0.5)
    one["sentence_data"][0]["internal_states"] = {"layer": np.zeros(3, np.float16)}
    (example,) = load(write([one])).examples

    assert (example.group, example.label) == ("7", 1)


class Harmful:
    """Would run a command if its pickle were trusted."""

    def __reduce__(self):
        return os.system, ("exit 7",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps([Harmful()]), "file: {file} holds posix.system, which is not plain data; it was not read"),
        (pickle.dumps([eval]), "file: {file} holds builtins.eval, which is not plain data; it was not read"),
        (
            pickle.dumps([np.datetime64("2020-01-01")]),
            "file: {file} holds a numpy scalar that is no number; it was not read",
        ),
        (pickle.dumps({"a": 1}), "file: {file} must hold a list of answers, got dict"),
        (pickle.dumps([1]), "row: must be an object, got int ({file}, row 1)"),
        (
            pickle.dumps([{"a": 1}])[:-3],
            "file: {file} is no pickle that can be read (UnpicklingError); download it again",
        ),
        (b"", "file: {file} is no pickle that can be read (EOFError); download it again"),
    ],
)
def test_nothing_but_plain_data_is_read(tmp_path, content, message):
    file = tmp_path / "test_x.pickle"
    file.write_bytes(content)
    with pytest.raises(InputError) as error:
        load(file)
    assert str(error.value) == message.format(file=file)


def test_what_is_refused(write, tmp_path):
    folder = write([entry((ANSWER, GOOD))])
    with pytest.raises(InputError) as error:
        load(folder, unlabelled="keep")
    assert str(error.value) == "unlabelled: must be one of drop, grounded, got 'keep'"
    odd = write_array(tmp_path / "all.json", [entry((ANSWER, GOOD))])
    with pytest.raises(InputError) as error:
        load(odd)
    assert str(error.value) == (f"path: {odd} must be named train_…, val_… or test_…, as the official files are")
    with pytest.raises(InputError) as error:
        load(tmp_path / "data" / "none")
    assert "does not exist; give the folder of the download, which holds train_*.pickle or" in str(error.value)
