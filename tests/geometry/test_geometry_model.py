"""The score model on disk: a bit-equal round trip, a fingerprint over what changes a score, and strict loading."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_geometry import made_model
from ragcortex.errors import BundleError, InputError, StoreError
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.model import DEFAULT, FILE_NAME, GeometryModel
from ragcortex.geometry.statement_features import STATEMENT_FEATURES
from ragcortex.geometry.witness import WitnessOptions
from ragcortex.geometry.word_features import FEATURES
from ragcortex.smoothing import Smoothing


def test_round_trip_is_bit_equal(tmp_path: Path) -> None:
    model = made_model()
    model.save(tmp_path / "new" / "folder")
    back = GeometryModel.load(tmp_path / "new" / "folder")
    assert back == model
    assert back.fingerprint == model.fingerprint
    for mine, theirs, names in (
        (model.words, back.words, FEATURES),
        (model.statements, back.statements, STATEMENT_FEATURES),
    ):
        values = np.random.default_rng(0).normal(size=(20, len(names)))
        assert theirs.probabilities(values).tobytes() == mine.probabilities(values).tobytes()
    back.save(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == (tmp_path / "new" / "folder" / FILE_NAME).read_bytes()


def test_the_fingerprint_covers_what_makes_a_score_and_nothing_else() -> None:
    model = made_model()
    words = replace(model.words, intercept=model.words.intercept + 1e-9)
    for other in (
        replace(model, words=words),
        replace(model, smoothing=Smoothing.window_max(3)),
        replace(model, options=WitnessOptions(top_k=11)),
        replace(model, embedder_fingerprint="another"),
    ):
        assert other.fingerprint != model.fingerprint
    calibration = replace(model.calibration, token_threshold=0.25)
    for other in (
        replace(model, name="other"),
        replace(model, version="2"),
        replace(model, training="else"),
        replace(model, calibration=calibration),
        # Who compares takes the chunking from the corpus, which may have its own.
        replace(model, chunking=Chunking(max_chars=400)),
    ):
        assert other.fingerprint == model.fingerprint


def damaged(*path: str, value: Any = ...) -> Callable[[dict[str, Any]], None]:
    def damage(document: dict[str, Any]) -> None:
        place = document
        for step in path[:-1]:
            place = place[step]
        if value is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = value

    return damage


REFIT = "the bundle is damaged or of another version, fit it again"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damaged("training"), f"geometry.training: is missing; {REFIT}"),
        (
            damaged("schema", value="ragcortex.geometry/2"),
            "geometry.schema: must be 'ragcortex.geometry/1', got 'ragcortex.geometry/2'; another version wrote this "
            "model",
        ),
        (damaged("name", value=" "), "geometry.name: must not be blank"),
        (damaged("version", value=1), "geometry.version: must be a string, got int"),
        (
            damaged("wrods", value={}),
            "geometry.wrods: is not a known field; the nearest known field is 'words'",
        ),
        (damaged("words", "intercept", value=None), "geometry.words.intercept: must be a number, got None"),
        (
            damaged("statements", value=[]),
            "geometry.statements: expected an object, got list; the bundle is damaged, fit it again",
        ),
        (damaged("options", "top_k", value=3), "geometry.options.top_k: must be a whole number from 5 on, got 3"),
        (
            damaged("options", "k", value=3),
            "geometry.options.k: is not a known field; known are top_k, density_radius, support_threshold",
        ),
        (
            damaged("options", value=None),
            "geometry.options: expected an object, got NoneType; the bundle is damaged, fit it again",
        ),
        (
            damaged("chunking", "max_chars", value=0),
            "geometry.chunking.max_chars: must be a whole number from 1 on, got 0",
        ),
        (damaged("calibration", "date", value="soon"), "calibration.date: must be a day as YYYY-MM-DD, got 'soon'"),
    ],
)
def test_a_damaged_model_is_refused(damage: Callable[[dict[str, Any]], None], message: str, tmp_path: Path) -> None:
    made_model().save(tmp_path)
    document = json.loads((tmp_path / FILE_NAME).read_text())
    damage(document)
    (tmp_path / FILE_NAME).write_text(json.dumps(document))
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        GeometryModel.load(tmp_path)


def test_features_of_another_version_are_refused(tmp_path: Path) -> None:
    made_model().save(tmp_path)
    document = json.loads((tmp_path / FILE_NAME).read_text())
    document["words"]["features"].reverse()
    (tmp_path / FILE_NAME).write_text(json.dumps(document))
    with pytest.raises(BundleError, match=r"^geometry\.words\.features must be content, novel, .*, got \["):
        GeometryModel.load(tmp_path)


def test_a_model_of_other_features_cannot_be_built() -> None:
    model = made_model()
    with pytest.raises(InputError, match=r"^words: must have the features content, novel, .*, got highest_word, "):
        replace(model, words=model.statements)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "folder '{folder}' is no detector: it has no geometry.json"),
        (b"{", "geometry.json in '{folder}' cannot be read as JSON: "),
        (b'{"schema": NaN}', "geometry.json in '{folder}' cannot be read as JSON: NaN is not a JSON number"),
        (b"[]", "geometry.json in '{folder}' must hold a JSON object, got list"),
        (b"\xff\xfe", "geometry.json in '{folder}' cannot be read as JSON: "),
    ],
)
def test_a_file_that_is_no_model_is_named(content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(BundleError, match=f"^{re.escape(message.format(folder=tmp_path))}"):
        GeometryModel.load(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = f"the model cannot be written to '{tmp_path / 'file'}': File exists"
    with pytest.raises(StoreError, match=f"^{re.escape(message)}$"):
        made_model().save(tmp_path / "file")


def test_the_shipped_model_is_for_the_embedded_encoder_and_can_be_read_by_people() -> None:
    from ragcortex.geometry.embedders import embedded

    model = GeometryModel.load()
    assert model.embedder_fingerprint != ""
    assert DEFAULT.stat().st_size < 50_000
    assert model.calibration.review_threshold <= model.calibration.hallucinated_threshold
    assert model.calibration.n_hallucinated > 0
    assert embedded.EMBEDDED == "embedded"
