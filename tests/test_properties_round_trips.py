"""What is saved is what is loaded: bundles with any names, notes and thresholds, and corpora of any texts.

Also that a corpus holds every character of every document.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made_bundle import EXAMPLE, SPEC, made_bundle
from made_embedder import WordEmbedder
from ragcortex.bundle import Bundle
from ragcortex.calibration import Calibration
from ragcortex.detectors.scoring import raw_scores
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.smoothing import Smoothing

# Json's own line separators, quotes and control characters among them.
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
SCORES = st.floats(0, 1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
NOTES = st.dictionaries(NAMES, JSON, max_size=3)
SMOOTHINGS = st.one_of(
    st.floats(0.5, 0.999).map(Smoothing.persistence),
    st.integers(1, 9).map(Smoothing.window_max),
)


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    review, hallucinated = sorted((draw(SCORES), draw(SCORES)))
    figures = draw(st.dictionaries(NAMES, SCORES, max_size=2))
    return Calibration(draw(SCORES), review, hallucinated, draw(NAMES), 10, 4, "2026-01-31", figures)


@pytest.fixture(scope="module")
def reading_and_bundle(tiny_reader_folder: Path) -> tuple[Reading, Bundle]:
    reader = Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")
    reading = reader.read_one(EXAMPLE, SPEC)
    return reading, made_bundle(reader, reading)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calibration=calibrations(), smoothings=st.tuples(SMOOTHINGS, SMOOTHINGS), notes=st.tuples(NOTES, NOTES))
def test_a_bundle_of_any_values_is_loaded_as_it_was_saved(
    reading_and_bundle: tuple[Reading, Bundle],
    tmp_path_factory: pytest.TempPathFactory,
    calibration: Calibration,
    smoothings: tuple[Smoothing, Smoothing],
    notes: tuple[dict[str, object], dict[str, object]],
) -> None:
    reading, made = reading_and_bundle
    smoothing, answer_smoothing = smoothings
    bundle = replace(
        made,
        calibration=calibration,
        smoothing=smoothing,
        answer_smoothing=answer_smoothing,
        training=notes[0],
        figures=notes[1],
    )
    folder = tmp_path_factory.mktemp("bundles") / "detector"
    bundle.save(folder, card="")
    loaded = Bundle.load(folder)
    for name in ("calibration", "smoothing", "answer_smoothing", "reader", "template"):
        assert getattr(loaded, name) == getattr(bundle, name)
    assert (dict(loaded.training), dict(loaded.figures)) == notes
    np.testing.assert_array_equal(raw_scores(reading, loaded.heads), raw_scores(reading, bundle.heads))
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    loaded.save(folder, card="")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


SENTENCES = (
    "The lighthouse at Cape Arden was built in 1874.", "The harbour of Port Lyle freezes every winter. ",
    "塔高41米。桥长52米。", "\n\n# Hours\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "بُنيت المنارة عام 1874. ",
    "👩\u200d👩\u200d👧 e\u0301 ", "\r\n- ", "\u2029", "word " * 90, "x" * 700, " ", "\t", "\x00", "\u200b",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(SENTENCES), max_size=6).map("".join), st.text(st.characters(codec="utf-8"), max_size=60)
).filter(lambda text: bool(text.strip()))
CHUNKINGS = st.builds(
    lambda widest, least, overlap: Chunking(widest, min(least, widest), overlap),
    st.integers(20, 400), st.integers(0, 100), st.integers(0, 2),
)  # fmt: skip


def documents(texts: Iterable[str]) -> list[Document]:
    return [Document(f"{number}.txt", text, f"shelf/{number}.txt") for number, text in enumerate(texts)]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), chunking=CHUNKINGS)
def test_a_corpus_of_any_texts_is_opened_as_it_was_built_and_holds_all_of_them(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], chunking: Chunking
) -> None:
    folder = tmp_path_factory.mktemp("corpora") / "corpus"
    built = Corpus.build(documents(texts), out=folder, embedder=WordEmbedder(), chunking=chunking)
    opened = Corpus.open(folder, embedder=WordEmbedder())
    for name in ("fingerprint", "documents", "chunks", "merges", "conflicts", "chunking", "identity"):
        assert getattr(opened, name) == getattr(built, name)
    assert opened.matrix.tobytes() == built.matrix.tobytes()
    assert opened.norms.tobytes() == built.norms.tobytes()

    covered: dict[int, set[int]] = {number: set() for number in range(len(texts))}
    for row in range(opened.n_chunks):
        for chunk in (opened.chunk(row), *opened.twins(row)):
            assert texts[chunk.reference][chunk.start : chunk.end] == chunk.text
            covered[chunk.reference] |= set(range(chunk.start, chunk.end))
    for number, text in enumerate(texts):
        missing = [place for place, mark in enumerate(text) if not mark.isspace() and place not in covered[number]]
        assert not missing, (number, missing)
