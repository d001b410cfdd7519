"""Mu-SHROOM from its official files: hard and soft labels, offsets in characters, pages of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from official_helpers import marked, told, write_json_lines

from ragcortex.datasets.mushroom import load
from ragcortex.errors import InputError

ANSWER = "😀 It opened in 1875."  # 1875 is 15..19 in characters, 16..20 in UTF-16 units


def row(identifier="tst-en-1", hard=((15, 19),), soft=((2, 4, 1 / 3), (15, 17, 1.0), (17, 19, 2 / 3)), **fields):
    return {
        "id": identifier,
        "lang": "EN",
        "model_input": "When did it open?",
        "model_output_text": ANSWER,
        "model_id": "org/model",
        "soft_labels": [{"start": start, "prob": prob, "end": end} for start, end, prob in soft],
        "hard_labels": [list(pair) for pair in hard],
        "model_output_tokens": ["…"],
        "model_output_logits": [0.1],
    } | fields


def test_hard_labels(tmp_path):
    write_json_lines(tmp_path / "val" / "mushroom.de-val.v2.jsonl", [row("val-de-1", lang="DE")], mark=True)
    write_json_lines(tmp_path / "val" / "mushroom.en-tst.v1.jsonl", [row(), row("tst-en-2", hard=())])
    loaded = load(tmp_path / "val")

    assert loaded.splits == ("validation", "test", "test")
    assert [marked(loaded, e.id) for e in loaded.examples] == [["1875"], ["1875"], []]
    first = loaded.examples[0]
    assert (first.question, first.generator, first.task, first.references) == (
        "When did it open?",
        "org/model",
        "de",
        (),
    )
    assert [e.label for e in loaded.examples] == [1, 1, 0]
    assert len({e.group for e in loaded.examples}) == 1  # the same question
    assert [e.task for e in load(tmp_path, language="De").examples] == ["de"]  # one folder further up will do


@pytest.mark.parametrize(
    ("threshold", "texts"),
    [(None, ["1875"]), (0.5, ["1875"]), (0.2, ["It", "1875"]), (0.7, ["18"]), (2 / 3, ["18"]), (1, [])],
)
def test_soft_labels_above_a_threshold(tmp_path, threshold, texts):
    file = write_json_lines(tmp_path / "mushroom.en-val.v2.jsonl", [row()])
    assert marked(load(file, threshold=threshold), "tst-en-1") == texts


@given(
    ranges=st.lists(st.tuples(st.integers(0, 19), st.integers(1, 6), st.sampled_from([0.2, 0.5, 0.8])), max_size=6),
    threshold=st.sampled_from([0.0, 0.4, 0.5, 0.9]),
)
def test_spans_mark_what_any_label_marks(tmp_path_factory, ranges, threshold):
    soft = [(start, min(start + length, len(ANSWER)), prob) for start, length, prob in ranges]
    file = write_json_lines(tmp_path_factory.mktemp("m") / "mushroom.en-val.v2.jsonl", [row(soft=soft)])
    (example,) = load(file, threshold=threshold).examples

    wanted = {index for start, end, prob in soft if prob > threshold for index in range(start, end)}
    assert [index for span in example.spans for index in range(span.start, span.end)] == sorted(wanted)


def test_offsets_in_other_units_are_read_only_when_asked(tmp_path):
    file = write_json_lines(tmp_path / "mushroom.en-tst.v1.jsonl", [row(hard=[(16, 20)])])

    assert marked(load(file), "tst-en-1") == ["875."]  # nothing in the row says that this is wrong
    assert marked(load(file, offsets="utf16"), "tst-en-1") == ["1875"]


def test_rows_that_cannot_be_used_are_counted(tmp_path):
    train = {k: v for k, v in row("train-en-1").items() if not k.endswith("labels")}
    rows = [
        row(),
        row(),
        row("a", hard=[(15, 99)]),
        row("b", hard=[(5, 5)]),
        row("c", model_output_text=" ", hard=[]),
        train,
        row("d", hard_labels=None),
    ]
    loaded = load(write_json_lines(tmp_path / "mushroom.en-tst.v1.jsonl", rows))

    assert [e.id for e in loaded.examples] == ["tst-en-1"]
    assert told(loaded.dropped) == {
        "repeats the id of an earlier row": 1,
        "label outside the answer": 2,
        "blank answer": 1,
        "no hard_labels": 2,
    }


def test_pages_of_ones_own_are_the_references(tmp_path):
    rows = [row(wikipedia_url="https://x/Bridge"), row("tst-en-2"), row("tst-en-3", wikipedia_url="https://x/No")]
    file = write_json_lines(tmp_path / "mushroom.en-tst.v1.jsonl", rows)
    pages = write_json_lines(
        tmp_path / "pages.jsonl",
        [{"wikipedia_url": "https://x/Bridge", "text": "It opened in 1874."}, {"id": "tst-en-2", "text": "A page."}],
    )
    loaded = load(file, pages=str(pages))

    assert [[r.text for r in e.references] for e in loaded.examples] == [["It opened in 1874."], ["A page."]]
    assert [e.group for e in loaded.examples] == ["https://x/Bridge", "When did it open?"]
    assert told(loaded.dropped) == {"page not in the file of pages": 1}


def test_the_split_is_in_the_name_or_the_id(tmp_path):
    rows = [row("val-en-1"), row("tst-en-1"), row("x1")]
    assert load(write_json_lines(tmp_path / "mine.jsonl", rows)).splits == ("validation", "test", None)


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ({"hard_labels": [[1, 2, 3]]}, {}, "hard_labels[0]: must be [start, end], got [1, 2, 3] ({file}, line 1)"),
        ({"hard_labels": [[1, True]]}, {}, "hard_labels[0]: must be [start, end], got [1, True] ({file}, line 1)"),
        (
            {"soft_labels": [{"start": 1, "end": 2}]},
            {"threshold": 0.5},
            "soft_labels[0].prob: is missing; the row has start, end; is this the official file? ({file}, line 1)",
        ),
        ({}, {"threshold": 1.5}, "threshold: must be a number in [0, 1] or null, got 1.5"),
        ({}, {"offsets": "bytes"}, "offsets: must be one of characters, utf16, got 'bytes'"),
        ({}, {"language": "fr"}, "examples: of mushroom are none: its files hold no row"),
    ],
)
def test_what_is_refused(tmp_path, fields, options, message):
    file = write_json_lines(tmp_path / "mushroom.en-tst.v1.jsonl", [row(**fields)])
    with pytest.raises(InputError) as error:
        load(file, **options)
    assert str(error.value) == message.format(file=file)


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert str(error.value) == f"path: {tmp_path} holds no mushroom.*.jsonl; give the folder of the download"
