"""JSON that Python cannot hold, or that holds what no float and no file can: refused by every reader of JSON.

A cache that is so is made anew instead.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragcortex.benchmark.chat_endpoint import ChatAnswer
from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.results.files import read_json
from ragcortex.benchmark.yes_no import score_of
from ragcortex.bundle import Bundle
from ragcortex.checks import check_numbers, check_score
from ragcortex.datasets.jsonl import read_examples, read_rows
from ragcortex.datasets.official_rows import json_rows
from ragcortex.errors import BundleError, InputError, ModelError, RagcortexError, StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.location import module_folders
from ragcortex.geometry.geometry_calibration import GeometryCalibration
from ragcortex.geometry.model import GeometryModel
from ragcortex.platt import PlattScaling
from ragcortex.readers.catalogue import readers_here
from ragcortex.readers.fingerprint import file_digest
from ragcortex.service.pages.review_form import ReviewForm
from ragcortex.service.triage import load_policies

NESTED = b"[" * 200_000
HUGE = b"1" + b"0" * 400


def refusal(kind: type[RagcortexError], action: Callable[[], Any]) -> str:
    with pytest.raises(kind) as caught:
        action()
    return str(caught.value)


# JSON nested deeper than Python's stack.

REFUSING: dict[str, tuple[str, type[RagcortexError], Callable[[Path], Any]]] = {
    "detector": ("detector.json", BundleError, lambda path: Bundle.load(path.parent)),
    "geometry": ("geometry.json", BundleError, lambda path: GeometryModel.load(path.parent)),
    "calibration": ("c.json", BundleError, GeometryCalibration.load),
    "corpus": ("corpus.json", StoreError, lambda path: Corpus.open(path.parent)),
    "rows": ("rows.jsonl", InputError, read_examples),
    "official rows": ("rows.jsonl", InputError, lambda path: list(json_rows(path))),
    "policies": ("policies.json", InputError, load_policies),
    "modules": ("modules.json", ModelError, lambda path: module_folders(path.parent)),
    "results": ("result.json", StoreError, read_json),
    "kept rows": ("kept.jsonl", StoreError, KeyedRows),
}


@pytest.mark.parametrize("name", REFUSING)
def test_json_nested_too_deeply_is_refused(name: str, tmp_path: Path) -> None:
    file, kind, read = REFUSING[name]
    path = tmp_path / file
    path.write_bytes(NESTED + b"\n")
    assert refusal(kind, lambda: read(path))


def test_caches_nested_too_deeply_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path))
    path = tmp_path / "file"
    path.write_bytes(b"x")
    digest = file_digest(path)
    for content in (
        NESTED,
        b"[]",
        json.dumps(dict.fromkeys(json.loads((tmp_path / "digests.json").read_text()))).encode(),
    ):
        (tmp_path / "digests.json").write_bytes(content)
        assert file_digest(path) == digest
    for content in (NESTED, b"[]", b"1"):
        record = tmp_path / "readers" / "gguf-x" / "source.json"
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_bytes(content)
        assert not [reader for reader in readers_here() if reader.source == "gguf"]


def test_what_a_model_answers_may_be_nested_too_deeply() -> None:
    assert score_of(ChatAnswer(NESTED.decode(), True)) is None


@pytest.mark.parametrize("marks", [NESTED.decode(), "[[1e999, 1]]", f"[[0, {HUGE.decode()}]]", '[["\\ud800", 1]]', "7"])
def test_marks_of_a_review_may_be_any_json(marks: str) -> None:
    form = ReviewForm("0" * 32, "accept", marks, (), "")
    assert refusal(InputError, lambda: form.spans(10))


# Numbers that no float holds.


def test_numbers_beyond_a_float_are_not_finite() -> None:
    huge = int(HUGE)
    assert refusal(InputError, lambda: check_score("score", huge)).startswith(
        "score: must be a number in [0, 1], got 1000"
    )
    assert refusal(InputError, lambda: check_numbers("n", {"a": -huge})).startswith("n.a: must be a finite number")
    assert refusal(InputError, lambda: PlattScaling(huge, 0.0)).startswith("slope: must be a finite number")


# Halves of characters, which JSON may hold and no file may.


def test_every_complaint_can_be_written_down() -> None:
    for error in (RagcortexError("\ud800"), StoreError("a\udfff"), InputError("\ud800", "is \udc80")):
        str(error).encode()
    error = InputError("\ud800", "is \udc80")
    assert (error.field, error.message, str(error)) == ("\\ud800", "is \\udc80", "\\ud800: is \\udc80")


def test_an_id_that_is_no_text_is_no_id(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "\\ud800", "references": [], "answer": "a"}\n{"id": "b", "\\ud800": 1}\n')
    first, second = read_rows(path)
    assert (first.id, second.id) == (None, "b")
    assert str(first.error) == "id: has a lone surrogate at character 0, which is not text"
