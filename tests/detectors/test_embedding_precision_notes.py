"""What reports, consistency and corpora say and store where an embedder computes in bfloat16."""

from pathlib import Path
from typing import Any

import pytest
from test_internal_detector import gain_bundle

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.geometry import corpus as corpora
from ragcortex.geometry.consistency import consistency
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.cross_language import language_pair_fitness
from ragcortex.geometry.documents import Document
from ragcortex.readers.reader import Reader
from ragcortex.report import Report

TEXTS = ("The lighthouse at Cape Arden was built in 1874.", "The bakery opens at six and sells rye bread.")
NOTE = (
    "Embedded in bfloat16, which is coarser than the float32 the geometric scores were fitted on: similarities "
    "and scores may differ in the third decimal, and with them what lies at a threshold."
)


class HalfEmbedder(WordEmbedder):
    """Says that it computes in bfloat16."""

    dtype = "bfloat16"


def precision(report: Report) -> list[str]:
    return [note.text for note in report.notes if note.code == "precision"]


@pytest.mark.parametrize(
    "answer", ["The lighthouse was built in 1874.", "The lighthouse was built in 1902.", "Der Turm ist hoch und rot."]
)
def test_every_report_judged_with_it_says_so(answer: str) -> None:
    for embedder, expected in ((WordEmbedder(), []), (HalfEmbedder(), [NOTE])):
        detector = GeometricDetector(made_model(), embedder)
        assert precision(detector.check(None, list(TEXTS), answer)) == expected


def test_passages_that_are_looked_up_with_it_are_noted(tiny_reader_folder: Path) -> None:
    plain = InternalDetector(gain_bundle(), Reader.load(str(tiny_reader_folder)))
    for embedder, expected in ((WordEmbedder(), []), (HalfEmbedder(), [NOTE])):
        found = RetrievingDetector(plain, Corpus.in_memory(tuple(map(Reference, TEXTS)), embedder), k=1)
        assert precision(found.check_example(Example(None, (), "The bakery sells rye bread."))) == expected


def test_sampled_answers_compared_with_it_are_noted() -> None:
    for embedder, expected in ((WordEmbedder(), []), (HalfEmbedder(), ["precision"])):
        found = consistency(["It was built in 1874.", "It was built in 1902."], embedder)
        assert [note.code for note in found.notes if note.code == "precision"] == expected


def test_trials_of_languages_are_not_taken_from_the_other_precision() -> None:
    whole, half = WordEmbedder(fingerprint="f1" * 32), HalfEmbedder(fingerprint="f1" * 32)
    language_pair_fitness(whole, "en", "de")
    language_pair_fitness(half, "en", "de")
    assert half.n_embedded == whole.n_embedded > 0


# What lies on disk is float32.


def documents(*texts: str) -> list[Document]:
    return [Document(text[:30], text) for text in texts]


def test_a_corpus_is_not_stored_in_it(tmp_path: Path) -> None:
    message = (
        "embedder: must compute in float32, in which a corpus is stored, got bfloat16; load it with dtype='float32', "
        "or leave RAGCORTEX_EMBEDDER_DTYPE out for this; what is stored may be searched in either"
    )
    with pytest.raises(InputError) as caught:
        Corpus.build(documents(TEXTS[0]), out=tmp_path / "corpus", embedder=HalfEmbedder())
    assert str(caught.value) == message
    assert not (tmp_path / "corpus").exists()
    Corpus.build(documents(TEXTS[0]), out=tmp_path / "corpus", embedder=WordEmbedder())
    opened = Corpus.open(tmp_path / "corpus", embedder=HalfEmbedder())
    with pytest.raises(InputError) as caught:
        opened.add(documents(TEXTS[1]))
    assert str(caught.value) == message
    assert opened.search(["The lighthouse"], 1).indices.tolist() == [[0]]


def test_a_corpus_loads_float32_by_itself_for_what_it_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `RAGCORTEX_EMBEDDER_DTYPE=bfloat16` a corpus is searched in that, and built and extended in float32."""
    loaded: list[Any] = []

    def load(_source: str, *, dtype: str | None = None, **_: object) -> WordEmbedder:
        loaded.append(dtype)
        return WordEmbedder() if dtype == "float32" else HalfEmbedder()

    monkeypatch.setattr(corpora, "load_embedder", load)
    Corpus.build(documents(TEXTS[0]), out=tmp_path / "corpus", embedder="words")
    opened = Corpus.open(tmp_path / "corpus")
    assert opened.search(["The lighthouse"], 1).indices.tolist() == [[0]]
    extended = opened.add(documents(TEXTS[1]))
    assert extended.n_chunks == 2
    assert isinstance(extended.embedder, HalfEmbedder)
    assert loaded == ["float32", None, "float32"]
