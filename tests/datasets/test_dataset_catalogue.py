"""The catalogue: every data set has a card and a loader, and unknown names are refused with the nearest."""

import inspect
import re

import pytest
from official_helpers import write_json_lines

from ragcortex.datasets import catalogue
from ragcortex.datasets.cards import DatasetCard, ExpectedFile
from ragcortex.datasets.catalogue import card, load_dataset, names, options_of, parse_options
from ragcortex.errors import InputError

NAMES = ("ragtruth", "hallurag", "halueval", "true", "summedits", "wice", "mushroom", "uhgeval", "jsonl")


def test_the_data_sets():
    assert names() == NAMES
    for name in NAMES:
        assert card(name).name == name
        loader = catalogue._REGISTRY[name][1]
        assert next(iter(inspect.signature(loader).parameters)) == "path"
        described = inspect.getdoc(loader)
        for option in options_of(name):
            assert re.search(rf"^ *{option.name}: ", described, re.MULTILINE), (name, option.name)
        if name != "jsonl":
            assert "official format" in inspect.getmodule(loader).__doc__


def test_published_numbers_of_rows():
    assert {name: sum(file.n_rows or 0 for file in card(name).files) for name in NAMES} == {
        "ragtruth": 17_790 + 2_965,
        "hallurag": 0,
        "halueval": 34_507,
        "true": 105_121,
        "summedits": 6_348,
        "wice": 1_967 + 5_377 + 603,
        "mushroom": 0,
        "uhgeval": 6_141,
        "jsonl": 0,
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ragtruht", "name: there is no data set 'ragtruht'; did you mean 'ragtruth'?"),
        ("HaluEval", "name: there is no data set 'HaluEval'; did you mean 'halueval'?"),
        ("zzz", f"name: there is no data set 'zzz'; known are {', '.join(NAMES)}"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(tmp_path, name, message):
    for action in (card, options_of, lambda name: load_dataset(name, tmp_path)):
        with pytest.raises(InputError) as error:
            action(name)
        assert str(error.value) == message


def test_loading_by_name(tmp_path):
    file = write_json_lines(tmp_path / "rows.jsonl", [{"references": ["x"], "answer": "y", "label": 0}])
    assert load_dataset("jsonl", str(file)).name == "jsonl"
    with pytest.raises(InputError) as error:
        load_dataset("jsonl", file, seed=1)
    assert str(error.value) == "seed: is no option of jsonl; it has none"
    with pytest.raises(InputError) as error:
        load_dataset("ragtruth", file, sed=1)
    assert str(error.value) == "sed: is no option of ragtruth; did you mean 'seed'?"


def test_options_describe_themselves():
    assert [option.describe() for option in options_of("ragtruth")] == [
        "task=QA|Summary|Data2txt",
        "quality=all|good (default all)",
        "implicit_true=true|false (default true)",
        "due_to_null=true|false (default true)",
        "validation=NUMBER (default 0.1)",
        "seed=N (default 0)",
        "offsets=characters|utf16 (default characters)",
    ]
    assert [option.describe() for option in options_of("mushroom")][:3] == [
        "threshold=NUMBER",
        "language=TEXT",
        "pages=TEXT",
    ]


def test_options_are_parsed_by_their_type():
    given = ["task=QA", "implicit_true=false", "validation=0.2", "seed=7"]
    assert parse_options("ragtruth", given) == {"task": "QA", "implicit_true": False, "validation": 0.2, "seed": 7}
    assert parse_options("mushroom", ["threshold=0.5", "pages=a=b.jsonl"]) == {"threshold": 0.5, "pages": "a=b.jsonl"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("task", "option: must be NAME=VALUE, got 'task'"),
        ("task=", "option: must be NAME=VALUE, got 'task='"),
        ("tsk=QA", "option: ragtruth has no option 'tsk'; did you mean 'task'?"),
        ("task=qa", "task: must be one of QA, Summary, Data2txt, got 'qa'"),
        ("implicit_true=1", "implicit_true: must be true or false, got '1'"),
        ("seed=1.5", "seed: must be a whole number, got '1.5'"),
        ("validation=x", "validation: must be a number, got 'x'"),
    ],
)
def test_other_options_are_refused(given, message):
    with pytest.raises(InputError) as error:
        parse_options("ragtruth", [given])
    assert str(error.value) == message


def test_cards_check_themselves():
    fields = {
        "name": "x", "title": "x", "task": "x", "levels": ("span",), "languages": ("en",), "licence": "x",
        "texts": "x", "url": "x", "files": (ExpectedFile("x"),), "version": None, "splits": "x", "citation": "x",
    }  # fmt: skip
    DatasetCard(**fields)
    for changed, message in (
        ({"licence": " "}, "licence: must not be blank"),
        ({"levels": ()}, "files: and levels must not be empty"),
        ({"version": "abc"}, "version: must be given exactly if a file has a checksum"),
    ):
        with pytest.raises(InputError) as error:
            DatasetCard(**(fields | changed))
        assert str(error.value) == message
    with pytest.raises(InputError) as error:
        ExpectedFile("x", git_blob="ABC")
    assert str(error.value) == "git_blob: must be 40 hexadecimal digits, got 'ABC'"
