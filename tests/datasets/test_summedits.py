"""SummEdits from its official files: labels turned round, documents as groups, edited words as spans when asked."""

import pytest
from official_helpers import marked, told, write_array

from ragcortex.datasets.summedits import NO_CHANGED_WORD, load
from ragcortex.errors import InputError


def row(identifier="n_og", label=1, summary="It opened in Rome in 1874.", **fields):
    return {
        "id": identifier,
        "doc": "The bridge in Rome opened in 1874.",
        "summary": summary,
        "label": label,
        "original_summary": "It opened in Rome in 1874.",
        "edit_types": [],
        "split": "evaluation",
    } | fields


ROWS = [
    row(),
    row("n_0", 0, "It opened in Oslo in 1875.", edit_types=["entity_modification"], split="test"),
    row("n_1", 0, "It  opened in Rome in 1874!"),
]


def test_labels_splits_and_groups(tmp_path):
    write_array(tmp_path / "data" / "summedits" / "summedits_news.json", ROWS)
    loaded = load(tmp_path)

    assert [(e.id, e.label, e.known_spans, e.generator) for e in loaded.examples] == [
        ("news/n_og", 0, (), "reference"),
        ("news/n_0", 1, None, "edited"),
        ("news/n_1", 1, None, "edited"),
    ]
    assert loaded.splits == ("validation", "test", "validation")
    assert len({e.group for e in loaded.examples}) == 1
    assert {e.task for e in loaded.examples} == {"news"}
    assert loaded.shared_groups() == (loaded.examples[0].group,)


def test_edited_words_are_spans_when_asked(tmp_path):
    loaded = load(write_array(tmp_path / "summedits_news.json", ROWS), edited_words=True)

    assert marked(loaded, "news/n_0") == ["Oslo in 1875"]  # the short word between two changed ones counts with them
    assert {span.type for span in loaded.examples[1].spans} == {"entity_modification"}
    assert loaded.examples[2].known_spans is None
    assert [(n.reason, n.ids) for n in loaded.notes] == [(NO_CHANGED_WORD, ("news/n_1",))]


def test_ids_repeat_across_domains_but_not_within(tmp_path):
    write_array(tmp_path / "summedits_news.json", [row(), row(), row("b", doc=" "), row("c", summary=" ")])
    write_array(tmp_path / "summedits_podcast.json", [row()])
    loaded = load(tmp_path)

    assert [e.id for e in loaded.examples] == ["news/n_og", "podcast/n_og"]
    assert told(loaded.dropped) == {
        "repeats the id of an earlier row": 1,
        "no reference that is not blank": 1,
        "blank answer": 1,
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": 2}, "label: must be 0 or 1, got 2 ({file}, row 1)"),
        ({"split": "train"}, "split: must be one of evaluation, test, got 'train' ({file}, row 1)"),
        ({"doc": None}, "doc: must be a string, got NoneType ({file}, row 1)"),
    ],
)
def test_other_rows_are_refused(tmp_path, changed, message):
    file = write_array(tmp_path / "summedits_news.json", [row(**changed)])
    with pytest.raises(InputError) as error:
        load(file)
    assert str(error.value) == message.format(file=file)


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert str(error.value) == (
        f"path: {tmp_path} holds no data/summedits/summedits_*.json; give the folder of the download"
    )
