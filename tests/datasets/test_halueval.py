"""HaluEval from its official files: two answers a row, one group a source, and labelled chat answers."""

import pytest
from official_helpers import marked, told, write_array, write_json_lines

from ragcortex.datasets.halueval import UNPLACED, load
from ragcortex.errors import InputError

QA = {
    "knowledge": "The bridge opened in 1874.",
    "question": "When did it open?",
    "right_answer": "1874",
    "hallucinated_answer": "It opened in 1875.",
}
DIALOGUE = {
    "knowledge": "The river floods in May.",
    "dialogue_history": "[Human]: When does it flood?",
    "right_response": "In May.",
    "hallucinated_response": "In June.",
}
SUMMARY = {
    "document": "A long article on a bridge.",
    "right_summary": "On a bridge.",
    "hallucinated_summary": "On a tunnel.",
}
GENERAL = {
    "ID": "1",
    "user_query": "Tell me of 😀 bridges.",
    "chatgpt_response": "😀 They float. They are red. They are red.",
    "hallucination": "yes",
    "hallucination_spans": ["They float."],
}


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the four files, the first with a byte-order mark."""
    write_json_lines(tmp_path / "data" / "qa_data.json", [QA, QA | {"question": "Which year?"}], mark=True)
    write_json_lines(tmp_path / "data" / "dialogue_data.json", [DIALOGUE])
    write_json_lines(tmp_path / "data" / "summarization_data.json", [SUMMARY])
    write_json_lines(tmp_path / "data" / "general_data.json", [GENERAL])
    return tmp_path


def test_a_row_is_two_answers_of_one_group(folder):
    loaded = load(folder, part="qa")
    right, wrong, again, _ = loaded.examples

    assert (right.id, right.answer, right.label, right.generator) == ("qa-1-right", "1874", 0, None)
    assert (wrong.id, wrong.answer, wrong.label, wrong.generator) == (
        "qa-1-hallucinated",
        "It opened in 1875.",
        1,
        None,
    )
    assert (right.question, [r.text for r in right.references]) == ("When did it open?", [QA["knowledge"]])
    assert right.group == wrong.group == again.group  # the same source text, although another row
    assert (right.known_spans, wrong.known_spans) == ((), None)


def test_all_parts_are_read(folder):
    loaded = load(folder)
    assert [(e.id, e.task) for e in loaded.examples] == [
        ("qa-1-right", "qa"),
        ("qa-1-hallucinated", "qa"),
        ("qa-2-right", "qa"),
        ("qa-2-hallucinated", "qa"),
        ("dialogue-1-right", "dialogue"),
        ("dialogue-1-hallucinated", "dialogue"),
        ("summarization-1-right", "summarization"),
        ("summarization-1-hallucinated", "summarization"),
        ("general-1", "general"),
    ]
    assert [loaded.examples[index].question for index in (4, 6, 8)] == [
        "[Human]: When does it flood?",
        None,
        "Tell me of 😀 bridges.",
    ]
    assert loaded.examples[-1].references == ()
    assert told(loaded.notes) == {"not split, since there are fewer than 10 sources": 9}


@pytest.mark.parametrize(
    ("fields", "spans", "noted"),
    [
        ({}, ["They float."], False),
        ({"hallucination": "no", "hallucination_spans": []}, [], False),
        ({"hallucination_spans": []}, None, True),
        ({"hallucination_spans": ["Incomplete answer"]}, None, True),
        ({"hallucination_spans": ["They are red."]}, None, True),  # there twice: which one is not said
        ({"hallucination_spans": ["They float.", ""]}, None, True),
    ],
)
def test_quoted_stretches_are_spans_where_they_are_there_once(tmp_path, fields, spans, noted):
    loaded = load(write_json_lines(tmp_path / "general_data.json", [GENERAL | fields]))
    (example,) = loaded.examples

    assert (example.spans if spans is None else marked(loaded, "general-1")) == spans
    assert example.label == (fields.get("hallucination") != "no")
    assert (UNPLACED in told(loaded.notes)) == noted


def test_rows_have_ids_of_their_own_whatever_the_file_says(tmp_path):
    rows = [GENERAL | {"ID": "ID"}, GENERAL | {"ID": "ID"}, {k: v for k, v in GENERAL.items() if k != "ID"}]
    loaded = load(write_array(tmp_path / "general_data.json", rows))
    assert [example.id for example in loaded.examples] == ["general-1", "general-2", "general-3"]


def test_blank_fields_are_counted(tmp_path):
    rows = [QA, QA | {"knowledge": " "}, QA | {"right_answer": ""}]
    loaded = load(write_json_lines(tmp_path / "qa_data.json", rows))

    assert told(loaded.dropped) == {"no reference that is not blank": 2, "blank answer": 1}
    assert [e.id for e in loaded.examples] == ["qa-1-right", "qa-1-hallucinated", "qa-3-hallucinated"]


def test_splits_keep_sources_whole(tmp_path):
    rows = [QA | {"knowledge": f"Fact {index // 2}."} for index in range(200)]
    loaded = load(write_json_lines(tmp_path / "qa_data.json", rows))

    assert loaded.shared_groups() == ()
    assert [(c.split, c.n_answers, c.n_hallucinated) for c in loaded.counts()] == [
        ("train", 320, 160),
        ("validation", 40, 20),
        ("test", 40, 20),
    ]


def test_what_is_refused(folder, tmp_path):
    cases = (
        ({"path": folder, "part": "chat"}, "part: must be one of qa, dialogue, summarization, general, got 'chat'"),
        (
            {"path": folder / "data" / "qa_data.json", "part": "general"},
            f"path: {folder / 'data' / 'qa_data.json'} is no file of general; its name must begin with that",
        ),
        (
            {"path": write_json_lines(tmp_path / "x" / "mine.json", [QA])},
            f"path: {tmp_path / 'x' / 'mine.json'} is no file of qa, dialogue, summarization, general; its name must "
            "begin with that",
        ),
        (
            {"path": tmp_path / "x", "part": "qa"},
            f"path: {tmp_path / 'x'} holds no data/qa_data.json; give the folder of the download",
        ),
        (
            {"path": write_json_lines(tmp_path / "y" / "qa_data.json", [QA, {"question": "?"}])},
            "knowledge: is missing; the row has question; is this the official file? "
            f"({tmp_path / 'y' / 'qa_data.json'}, line 2)",
        ),
        (
            {"path": write_json_lines(tmp_path / "z" / "general_data.json", [GENERAL | {"hallucination": "maybe"}])},
            f"hallucination: must be one of yes, no, got 'maybe' ({tmp_path / 'z' / 'general_data.json'}, line 1)",
        ),
    )
    for arguments, message in cases:
        with pytest.raises(InputError) as error:
            load(**arguments)
        assert str(error.value) == message
