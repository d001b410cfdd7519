"""UHGEval from its official files: keywords placed in order, the true continuation when asked."""

import pytest
from official_helpers import marked, told, write_json_lines

from ragcortex.datasets.uhgeval import FILES, keyword_spans, load
from ragcortex.errors import InputError


def row(identifier="num_1", annotations=("大桥<sep>合理", "1875年<sep>不合理，应为1874年"), **fields):
    return {
        "id": identifier,
        "headLine": "大桥通车",
        "broadcastDate": "2015-01-01 00:00:00",
        "type": "num",
        "newsBeginning": "  大桥今天通车。",
        "hallucinatedContinuation": "𠮷大桥于1875年建成。",
        "generatedBy": "Model_7B",
        "annotations": list(annotations),
        "realContinuation": "大桥于1874年建成。",
        "newsRemainder": "大桥于1874年建成。它是红色的。",
    } | fields


def test_unreasonable_keywords_are_spans(tmp_path):
    write_json_lines(tmp_path / FILES[1], [row(annotations=[])])
    write_json_lines(tmp_path / FILES[0], [row()], mark=True)
    loaded = load(tmp_path)
    (example,) = loaded.examples

    assert (marked(loaded, "num_1"), example.label) == (["1875年"], 1)
    assert (example.question, example.generator, example.task, example.group) == (
        "大桥通车",
        "Model_7B",
        "num",
        "num_1",
    )
    assert [(r.id, r.text) for r in example.references] == [
        ("beginning", "  大桥今天通车。"),
        ("remainder", "大桥于1874年建成。它是红色的。"),
    ]


def test_the_true_continuation_is_in_the_same_split(tmp_path):
    file = write_json_lines(tmp_path / "dataset_uhgeval_full.jsonl", [row(f"num_{index}") for index in range(60)])
    plain, both = load(file, seed=1), load(file, seed=1, real=True)

    assert both.examples[:60] == plain.examples
    assert both.splits[:60] == plain.splits == both.splits[60:]
    assert [(e.id, e.label, e.spans) for e in both.examples[60:61]] == [("num_0-real", 0, ())]
    assert both.shared_groups() == ()


@pytest.mark.parametrize(
    ("answer", "judged", "places"),
    [
        ("甲乙甲", [("甲", False), ("乙", False), ("甲", True)], [(2, 3)]),
        ("甲乙甲", [("甲", True), ("乙", False)], [(0, 1)]),
        ("甲乙甲", [("甲", True), ("甲", True)], [(0, 1), (2, 3)]),
        ("甲乙丙", [("丙", False), ("乙", True)], [(1, 2)]),  # out of order, but there once
        ("甲乙", [("甲", False), ("甲乙", True)], [(0, 2)]),  # overlaps the one before
        ("甲乙甲", [("乙", False), ("丁", False), ("乙", True)], [(1, 2)]),  # a reasonable one may be missing
    ],
)
def test_keywords_are_placed_in_order(answer, judged, places):
    assert [(span.start, span.end) for span in keyword_spans(answer, judged)] == places


def test_keywords_that_cannot_be_placed_drop_the_row(tmp_path):
    rows = [
        row("a"),
        row("b", annotations=["隧道<sep>不合理"]),
        row("c", hallucinatedContinuation="甲乙甲丙", annotations=["丙<sep>合理", "甲<sep>不合理"]),
        row("d", newsBeginning=" ", newsRemainder=""),
        row("e", hallucinatedContinuation=" \n", annotations=[]),
        row("a"),
    ]
    loaded = load(write_json_lines(tmp_path / "rows.jsonl", rows), real=True)

    assert [e.id for e in loaded.examples] == ["a", "a-real"]
    assert told(loaded.dropped) == {
        "keyword not in the answer, or at several places out of order": 2,
        "no reference that is not blank": 1,
        "blank answer": 1,
        "repeats the id of an earlier row": 1,
    }


@pytest.mark.parametrize("annotation", ["大桥", "<sep>合理", "大桥<sep>可疑", ""])
def test_other_annotations_are_refused(tmp_path, annotation):
    file = write_json_lines(tmp_path / "rows.jsonl", [row(annotations=[annotation])])
    with pytest.raises(InputError) as error:
        load(file)
    assert str(error.value) == f"annotations[0]: must be a keyword, <sep> and 合理 or 不合理 ({file}, line 1)"


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert str(error.value) == (f"path: {tmp_path} holds no {FILES[0]} or {FILES[1]}; give the folder of the download")
