"""TRUE from its tables: labels turned round, blank rows counted, sources kept whole across tables."""

import pytest
from official_helpers import told, write_table

from ragcortex.datasets.true_grounding import load
from ragcortex.errors import InputError


def row(grounding="The bridge opened in 1874.", text="It opened in 1874.", label="1", **fields):
    return {"grounding": grounding, "generated_text": text, "label": label} | fields


def test_labels_are_turned_round(tmp_path):
    rows = [
        row(model="bart"),
        row(text='It opened, 😀\nin "1875".', label="0", model=""),
        row(label="1.0", model="x"),
        row(label="0.0", model="x"),
    ]
    loaded = load(write_table(tmp_path / "frank_valid_download.csv", rows, mark=True))

    assert [e.label for e in loaded.examples] == [0, 1, 0, 1]  # 1 = consistent there, 1 = hallucinated here
    first, second = loaded.examples[:2]
    assert (first.id, first.task, first.generator, first.question) == ("frank_valid-1", "frank_valid", "bart", None)
    assert (second.answer, second.generator) == ('It opened, 😀\nin "1875".', None)
    assert [r.text for r in first.references] == ["The bridge opened in 1874."]


def test_blank_rows_are_dropped_and_counted(tmp_path):
    rows = [row(), row(grounding=" "), row(text=""), row(grounding="", text="")]
    loaded = load(write_table(tmp_path / "paws_download.csv", rows))
    assert told(loaded.dropped) == {"no reference that is not blank": 2, "blank answer": 1}


def test_a_source_is_one_group_across_tables(tmp_path):
    write_table(tmp_path / "summeval_download.csv", [row(f"Article {index}.") for index in range(50)])
    write_table(tmp_path / "qags_cnndm_download.csv", [row(f"Article  {index}. ", label="0") for index in range(50)])
    loaded = load(tmp_path)

    assert {e.task for e in loaded.examples} == {"summeval", "qags_cnndm"}
    assert len({e.group for e in loaded.examples}) == 50
    assert loaded.shared_groups() == ()
    assert [(c.split, c.n_answers) for c in loaded.counts()] == [("train", 80), ("validation", 10), ("test", 10)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(label="yes")], "label: must be 0 or 1, got 'yes' ({file}, line 2)"),
        ([row(label="")], "label: must be 0 or 1, got '' ({file}, line 2)"),
        (
            [{"grounding": "x", "label": "1"}],
            "generated_text: is missing; the row has , grounding, label; is this the official file? ({file}, line 2)",
        ),
    ],
)
def test_other_tables_are_refused(tmp_path, rows, message):
    file = write_table(tmp_path / "q2_download.csv", rows)
    with pytest.raises(InputError) as error:
        load(file)
    assert str(error.value) == message.format(file=file)


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert str(error.value) == (
        f"path: {tmp_path} holds no frank_valid_download.csv or paws_download.csv or another …_download.csv; give the "
        "folder of the download"
    )
