"""Configurations: read strictly, written back whole, and those that ship are whole too."""

import re
import shutil
from pathlib import Path

import pytest

from ragcortex.benchmark.config import (
    BenchmarkConfig,
    DataConfig,
    MethodConfig,
    ProtocolConfig,
)
from ragcortex.benchmark.config_file import config_of, read_config, ready_made
from ragcortex.benchmark.methods.seen import SEEN
from ragcortex.benchmark.registry import METHODS, make_method
from ragcortex.datasets.catalogue import names
from ragcortex.detectors.registry import find_bundle, shipped
from ragcortex.errors import InputError

ROOT = Path(__file__).parents[2]
# Building blocks that the table of methods does not list.
UNLISTED = ("scalars", "comparison")

TEXT = """
title = "A trial"

[data]
name = "ragtruth"
tasks = ["QA"]

[reader]
id = "embedded"
dtype = "bfloat16"

[protocol]
folds = 3
seeds = [1, 2]
reference = "geometry"

[[methods]]
name = "geometry"

[[methods]]
name = "shipped"
label = "clean"
options = { detector = "cortex-clean" }
"""


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    file = tmp_path / "trial.toml"
    file.write_text(TEXT, encoding="utf-8")
    config = read_config(str(file))
    assert config.protocol == ProtocolConfig(folds=3, seeds=(1, 2), reference="geometry")
    assert config.data == DataConfig("ragtruth", tasks=("QA",))
    assert [method.label for method in config.methods] == ["geometry", "clean"]
    assert config.methods[1].options == {"detector": "cortex-clean"}


def test_the_json_form_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "trial.toml"
    file.write_text(TEXT, encoding="utf-8")
    config = read_config(str(file))
    assert config_of(config.to_dict()) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('title = "A trial"', ""), "title: is missing"),
        (("folds = 3", "fold = 3"), "protocol.fold: is not a field; did you mean 'folds'?"),
        (("folds = 3", 'folds = "3"'), "protocol.folds: must be int, got '3'"),
        (("folds = 3", "folds = 1"), "protocol: needs at least 2 folds, 1 network and 1 resample"),
        (("seeds = [1, 2]", "seeds = [1, 1]"),
         "protocol.seeds: must be distinct whole numbers, at least one, got [1, 1]"),
        (("seeds = [1, 2]", 'seeds = ["1"]'), "protocol.seeds: must be tuple[int, ...], got ('1',)"),
        (('reference = "geometry"', 'reference = "cortex"'),
         "protocol.reference: 'cortex' is not among the methods: geometry, clean"),
        (('label = "clean"', 'label = "geometry"'),
         "methods.label: 'geometry' is given twice; label one of them otherwise"),
        (('tasks = ["QA"]', 'tasks = "QA"'), "data.tasks: must be tuple[str, ...], got 'QA'"),
        (("[protocol]", '[protocol]\nsplit = "random"'),
         "protocol.split: must be one of cross-validation, official, got 'random'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    file = tmp_path / "trial.toml"
    file.write_text(TEXT.replace(*change), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_config(str(file))
    assert str(caught.value) == message


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^config: 'ragtruth-qa-embeded' is neither a .toml file nor ready-made; did you"
    ):
        read_config("ragtruth-qa-embeded")
    missing = str(tmp_path / "no.toml")
    with pytest.raises(InputError) as caught:
        read_config(missing)
    assert str(caught.value) == f"config: file {missing!r} does not exist"


def test_only_some_methods_can_be_kept() -> None:
    config = BenchmarkConfig(
        "t",
        DataConfig("jsonl"),
        (MethodConfig("geometry"), MethodConfig("nll")),
        protocol=ProtocolConfig(reference="nll"),
    )
    assert config.only(["geometry"]).protocol.reference is None
    assert config.only(["nll"]).protocol.reference == "nll"
    with pytest.raises(InputError, match=r"^only: 'geometri' is not in this configuration; did you mean 'geometry'\?$"):
        config.only(["geometri"])


@pytest.mark.parametrize("name", sorted(ready_made()))
def test_every_ready_made_configuration_can_be_made(name: str) -> None:
    config = read_config(name)
    assert config.title == ready_made()[name]
    for method in config.methods:
        if method.name != "scores":
            make_method(method.name, method.options)


def test_unknown_methods_and_options_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        make_method("geometri", {})
    assert str(caught.value) == "methods.name: 'geometri' is not a method; did you mean 'geometry'?"
    with pytest.raises(InputError) as caught:
        make_method("geometry", {"embeder": "x"})
    assert str(caught.value) == "methods.options: of 'geometry' have no 'embeder'; did you mean 'embedder'?"


def test_what_shipped_detectors_saw_is_known(tmp_path: Path) -> None:
    assert "ragtruth" in make_method("shipped", {"detector": "fusion"}).seen
    assert "ragtruth" not in make_method("shipped", {"detector": "fusion-clean"}).seen
    copy = tmp_path / "mine-clean"
    shutil.copytree(find_bundle("cortex"), copy)
    with pytest.raises(InputError) as caught:
        make_method("shipped", {"detector": str(copy)})
    assert str(caught.value) == (
        f"methods.options.seen: is missing: name the data sets of the catalogue on whose answers {str(copy)!r} was "
        "fitted, or []"
    )
    assert make_method("shipped", {"detector": str(copy), "seen": ["ragtruth"]}).seen == ("ragtruth",)


def test_every_shipped_detector_says_what_it_saw() -> None:
    assert set(SEEN) == set(shipped())
    assert {name for seen in SEEN.values() for name in seen} <= set(names())


def test_a_file_takes_what_it_does_not_say_from_its_base(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = 'base = "ragtruth-qa-embedded"\ntitle = "Mine"\n[protocol]\nfolds = 3\n'
    file.write_text(text, encoding="utf-8")
    base, mine = read_config("ragtruth-qa-embedded"), read_config(str(file))
    assert (mine.title, mine.protocol.folds) == ("Mine", 3)
    assert (mine.methods, mine.data, mine.protocol.reference) == (base.methods, base.data, base.protocol.reference)
    file.write_text(text.replace("ragtruth-qa-embedded", "ragtruth-qa"), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"^config: 'ragtruth-qa' is neither a .toml file nor ready-made; did you mean "
    ):
        read_config(str(file))


NEEDED = {"shipped": {"detector": "cortex-clean"}}


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"scores"}))
def test_a_card_has_the_name_a_configuration_uses(name: str) -> None:
    card = make_method(name, NEEDED.get(name, {})).card
    assert card.name == name
    assert card.source.strip()


def test_the_document_names_every_method_and_configuration() -> None:
    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert [name for name in METHODS if f"`{name}`" not in text and name not in UNLISTED] == []
    for name in ready_made():
        stem = name.replace("qwen3-8b", "").replace("mistral-7b", "")
        assert f"`{name}`" in text or f"`-{name.removeprefix(stem)}`" in text


def test_the_configuration_in_the_document_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "own.toml"
    file.write_text(block, encoding="utf-8")
    config = read_config(str(file))
    assert [(one.label, one.group) for one in config.methods] == [("nll", "main"), ("signals: Δ", "ablation")]
    assert config.protocol.seeds == (0, 1, 2)
