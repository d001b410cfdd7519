"""RAGTruth from its official files: three tasks, offsets that must fit, and what is dropped or left out."""

from collections import Counter

import pytest
from official_helpers import marked, told, write_json_lines

from ragcortex.datasets.ragtruth import load
from ragcortex.datasets.ragtruth_sources import passages
from ragcortex.errors import InputError

PASSAGES = "passage 1:The bridge opened in 1874.\n\npassage 2:It is 41 m long.\n\npassage 3:It is red.\n\n"
SHOP = {
    "name": "Café Lune",
    "hours": {"Monday": "8:0-17:0"},
    "attributes": {"OutdoorSeating": False, "WiFi": None, "Ambience": {"casual": True}},
    "business_stars": 4.5,
    "review_info": [{"review_stars": 2.0, "review_date": "2020-01-02", "review_text": "Slow."}],
}


def source(identifier, task="QA", info=None):
    default = {"QA": {"question": "When?", "passages": PASSAGES}, "Summary": "An article.", "Data2txt": SHOP}
    return {
        "source_id": identifier,
        "task_type": task,
        "source": "hand",
        "source_info": default[task] if info is None else info,
        "prompt": "…",
    }


def label(start, end, text, **fields):
    return {"start": start, "end": end, "text": text, "meta": "", "label_type": "Evident Conflict"} | fields


def response(identifier, source_id="s", labels=(), **fields):
    return {
        "id": identifier,
        "source_id": source_id,
        "model": "gpt-4-0613",
        "temperature": 0.7,
        "labels": list(labels),
        "split": "test",
        "quality": "good",
        "response": "It opened in 1875.",
    } | fields


@pytest.fixture
def write(tmp_path):
    """Return a function that writes the two official files and returns their folder."""

    def written(responses, sources=None, **options):
        write_json_lines(tmp_path / "dataset" / "response.jsonl", responses, **options)
        write_json_lines(tmp_path / "dataset" / "source_info.jsonl", sources or [source("s")], **options)
        return tmp_path

    return written


def test_answers_to_questions(write):
    loaded = load(write([response("1", labels=[label(13, 17, "1875")]), response("2", model="llama-2-7b-chat")]))
    first, second = loaded.examples

    assert (first.question, first.group, first.task, first.generator) == ("When?", "s", "QA", "gpt-4-0613")
    assert [(r.id, r.text) for r in first.references] == [
        ("passage 1", "passage 1:The bridge opened in 1874."),
        ("passage 2", "passage 2:It is 41 m long."),
        ("passage 3", "passage 3:It is red."),
    ]
    assert (marked(loaded, "1"), first.spans[0].type, first.label) == (["1875"], "Evident Conflict", 1)
    assert (second.spans, second.label, loaded.splits) == ((), 0, ("test", "test"))


def test_summaries_and_business_data(write):
    loaded = load(
        write(
            [response("1", "a"), response("2", "b")],
            [source("a", "Summary"), source("b", "Data2txt")],
        )
    )
    article, business = loaded.examples

    assert (article.task, article.question, [r.text for r in article.references]) == ("Summary", None, ["An article."])
    assert [(r.id, r.text) for r in business.references] == [
        (
            "facts",
            "name: Café Lune\nhours, Monday: 8:0-17:0\nattributes, OutdoorSeating: false\nattributes, WiFi: null\n"
            "attributes, Ambience, casual: true\nbusiness_stars: 4.5",
        ),
        ("review 1", "review_stars: 2.0\nreview_date: 2020-01-02\nreview_text: Slow."),
    ]


@pytest.mark.parametrize(
    "text",
    [PASSAGES, "Before.\n\n" + PASSAGES, "No heading at all.", "passage 1:See\npassage 7: of it.\n\npassage 2:x"],
)
def test_passages_lose_nothing(text):
    assert "".join("".join(p.text for p in passages(text)).split()) == "".join(text.split())


def test_a_heading_counts_only_in_its_turn():
    text = "passage 1:See\npassage 7: of it, or passage 2: here.\n\npassage 2:x"
    assert [p.id for p in passages(text)] == ["passage 1", "passage 2"]
    assert [p.id for p in passages("Before.\n" + text)] == [None, "passage 1", "passage 2"]


@pytest.mark.parametrize(
    "wrong",
    [label(12, 16, "1875"), label(13, 17, "1876"), label(13, 99, "1875"), label(-5, -1, "1875"), label(13, 13, "")],
)
def test_a_label_that_does_not_fit_drops_its_row(write, wrong):
    loaded = load(write([response("1"), response("2", labels=[label(0, 2, "It"), wrong])]))

    assert [example.id for example in loaded.examples] == ["1"]
    assert [(n.reason, n.n, n.ids) for n in loaded.dropped] == [("label text not at its offsets", 1, ("2",))]


def test_offsets_count_characters_and_others_only_when_asked(write):
    answer = "😀 It opened in 1875."  # the emoji is one character and two UTF-16 units
    characters = response("characters", labels=[label(15, 19, "1875")], response=answer)
    units = response("units", labels=[label(16, 20, "1875")], response=answer)
    folder = write([characters, units])

    loaded = load(folder)
    assert (marked(loaded, "characters"), told(loaded.dropped)) == (
        ["1875"],
        {"label text not at its offsets, but there with offsets=utf16": 1},
    )
    loaded = load(folder, offsets="utf16")
    assert (marked(loaded, "units"), told(loaded.dropped)) == (
        ["1875"],
        {"label text not at its offsets, but there with offsets=characters": 1},
    )


def test_labels_that_need_not_count(write):
    labels = [
        label(0, 2, "It", implicit_true=True, due_to_null=False),
        label(3, 9, "opened", implicit_true=False, due_to_null=True),
        label(13, 17, "1875", implicit_true=False, due_to_null=False),
        label(13, 17, "1875", implicit_true=False, due_to_null=False),
    ]
    folder = write([response("1", labels=labels), response("2", labels=labels[:1])])

    assert marked(load(folder), "1") == ["It", "opened", "1875"]
    assert told(load(folder).notes) == {"label given twice, counted once": 1}
    strict = load(folder, implicit_true=False, due_to_null=False)
    assert (marked(strict, "1"), strict.examples[1].label) == (["1875"], 0)
    assert told(strict.notes) == {
        "stretch not counted: implicit_true": 2,
        "stretch not counted: due_to_null": 1,
        "label given twice, counted once": 1,
    }


def test_answers_of_poor_quality_stay_unless_asked(write):
    folder = write([response("1"), response("2", quality="truncated"), response("3", quality="incorrect_refusal")])

    assert len(load(folder).examples) == 3
    assert told(load(folder, quality="good").dropped) == {"quality truncated": 1, "quality incorrect_refusal": 1}


def test_rows_that_cannot_be_used_are_counted(write):
    rows = [
        response("1"),
        response("1", response="Again."),
        response("2", response=" \n"),
        response("3", "elsewhere"),
        response("4", "empty"),
    ]
    loaded = load(write(rows, [source("s"), source("empty", info={"question": "q", "passages": " \n"})], mark=True))

    assert [example.id for example in loaded.examples] == ["1"]
    assert told(loaded.dropped) == {
        "repeats the id of an earlier row": 1,
        "blank answer": 1,
        "source not in source_info.jsonl": 1,
        "no reference that is not blank": 1,
    }


def test_validation_is_a_tenth_of_each_task_by_source(write):
    tasks = ("QA", "Summary")
    sources = [source(f"{task}{index}", task) for task in tasks for index in range(20)]
    rows = [
        response(f"{one['source_id']}-{model}", one["source_id"], split="train", model=f"m{model}")
        for one in sources
        for model in range(6)
    ]
    folder = write(rows, sources)
    both, alone = load(folder, seed=1), load(folder, seed=1, task="QA")

    assert Counter((e.task, s) for e, s in zip(both.examples, both.splits, strict=True)) == {
        (task, split): n for task in tasks for split, n in (("train", 108), ("validation", 12))
    }
    assert both.shared_groups() == ()
    assert both.of_split("validation")[:12] == alone.of_split("validation")
    assert set(load(folder, validation=0).splits) == {"train"}
    assert load(folder, seed=2).splits != both.splits


@pytest.mark.parametrize(
    ("responses", "sources", "message"),
    [
        (
            [response("1"), "{"],
            [source("s")],
            "row: is not JSON: Expecting property name enclosed in double quotes at character 2 "
            "({folder}/dataset/response.jsonl, line 2); download the file again",
        ),
        (
            [{"id": "1"}],
            [source("s")],
            "source_id: is missing; the row has id; is this the official file? "
            "({folder}/dataset/response.jsonl, line 1)",
        ),
        (
            [response("1", labels=[{"start": 0}])],
            [source("s")],
            "labels[0].end: is missing; the row has start; is this the official file? "
            "({folder}/dataset/response.jsonl, line 1)",
        ),
        (
            [response("1", split="dev")],
            [source("s")],
            "split: must be one of train, test, got 'dev' ({folder}/dataset/response.jsonl, line 1)",
        ),
        (
            [response("1")],
            [source("s"), source("s")],
            "source_id: 's' occurs twice, so its answers have no certain source "
            "({folder}/dataset/source_info.jsonl, line 2)",
        ),
        (
            [response("1")],
            [source("s") | {"task_type": "Chat"}],
            "task_type: must be one of QA, Summary, Data2txt, got 'Chat' ({folder}/dataset/source_info.jsonl, line 1)",
        ),
        (
            [response("1")],
            [source("s", info="text")],
            "source_info: must be an object, got str ({folder}/dataset/source_info.jsonl, line 1)",
        ),
        (
            [response("1", "x")],
            [source("s")],
            "examples: of ragtruth are none: all rows were dropped (1 source not in source_info.jsonl)",
        ),
    ],
)
def test_damaged_files_are_refused(write, responses, sources, message):
    folder = write(responses, sources)
    with pytest.raises(InputError) as error:
        load(folder)
    assert str(error.value) == message.format(folder=folder)


def test_unknown_options_are_refused(write):
    folder = write([response("1")])
    for options, message in (
        ({"task": "Chat"}, "task: must be one of QA, Summary, Data2txt, got 'Chat'"),
        ({"quality": "fine"}, "quality: must be one of all, good, got 'fine'"),
        ({"offsets": "bytes"}, "offsets: must be one of characters, utf16, got 'bytes'"),
    ):
        with pytest.raises(InputError) as error:
            load(folder, **options)
        assert str(error.value) == message


def test_the_first_file_or_any_folder_will_do(write, tmp_path):
    folder = write([response("1")])
    for path in (folder, folder / "dataset", folder / "dataset" / "response.jsonl"):
        assert len(load(path).examples) == 1
    with pytest.raises(InputError) as error:
        load(tmp_path / "none")
    assert str(error.value) == (
        f"path: {tmp_path / 'none'} does not exist; give the folder of the download, which holds "
        "dataset/source_info.jsonl"
    )
