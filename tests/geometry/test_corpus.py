"""Corpora: what is built, merged and found, and that every way to the same documents gives the same corpus."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_embedder import DIMENSION, WordEmbedder
from ragcortex.errors import InputError, ModelError, ReadingError
from ragcortex.example import Reference
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_build import embed_texts
from ragcortex.geometry.corpus_facts import facts_differ, facts_disagree
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import Embeddings

LIGHTHOUSE = "The lighthouse at Cape Arden was built in 1874 and it stands 41 metres above the sea."
HARBOUR = "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks."
MUSEUM = "The museum shows paintings of sailors, and old maps that were drawn by hand on board."
TICKETS = "Tickets for adults cost twelve euros at the door, and children under six go in free."
OTHER_YEAR = LIGHTHOUSE.replace("1874", "1902")


def documents(*texts: str) -> list[Document]:
    return [Document(f"{number}.txt", text, f"shelf/{number}.txt") for number, text in enumerate(texts)]


def built(out: Path, *texts: str, embedder: WordEmbedder | None = None) -> Corpus:
    return Corpus.build(documents(*texts), out=out / "corpus", embedder=embedder or WordEmbedder())


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a corpus but the one with the date."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "corpus.json"}


def test_a_built_corpus_says_what_it_holds(tmp_path: Path) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR, MUSEUM)

    assert [document.id for document in corpus.documents] == ["0.txt", "1.txt", "2.txt"]
    assert [chunk.text for chunk in corpus.chunks] == [LIGHTHOUSE, HARBOUR, MUSEUM]
    assert corpus.matrix.shape == (3, DIMENSION)
    assert corpus.matrix.dtype == np.float32
    assert not corpus.matrix.flags.writeable
    np.testing.assert_allclose(
        corpus.matrix * corpus.norms[:, None], np.round(corpus.matrix * corpus.norms[:, None]), atol=1e-5
    )
    assert corpus.document_of(corpus.chunk(1)).source == "shelf/1.txt"
    assert corpus.chunk(1) is corpus.chunk(1)
    assert corpus.report is not None
    assert (corpus.report.n_documents, corpus.report.n_chunks, corpus.report.n_merged) == (3, 3, 0)
    assert (corpus.report.n_embedded, corpus.report.n_resumed, corpus.report.unreadable) == (3, 0, ())
    assert len(corpus.fingerprint) == 64


def test_search_finds_the_nearest_chunks_of_texts_and_of_vectors(tmp_path: Path) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR, MUSEUM)
    found = corpus.search(["Ferries in the harbour of Port Lyle", MUSEUM], 2)
    again = corpus.search(WordEmbedder().embed(["Ferries in the harbour of Port Lyle", MUSEUM]), 2)

    assert found.indices[:, 0].tolist() == [1, 2]
    assert found.similarities[1, 0] == pytest.approx(1, abs=1e-6)
    assert found.n_close.tolist() == [0, 1]
    assert again.similarities.tobytes() == found.similarities.tobytes()


def test_an_opened_corpus_is_the_one_that_was_built(tmp_path: Path) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, LIGHTHOUSE, OTHER_YEAR, HARBOUR)
    opened = Corpus.open(tmp_path / "corpus", embedder=WordEmbedder())

    assert opened.fingerprint == corpus.fingerprint
    assert opened.documents == corpus.documents
    assert opened.chunks == corpus.chunks
    assert opened.merges == corpus.merges
    assert opened.conflicts == corpus.conflicts
    assert opened.chunking == corpus.chunking
    assert opened.identity == corpus.identity
    assert opened.matrix.tobytes() == corpus.matrix.tobytes()
    assert opened.norms.tobytes() == corpus.norms.tobytes()
    opened.warm()


def test_building_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (built(tmp_path / name, LIGHTHOUSE, OTHER_YEAR, LIGHTHOUSE, HARBOUR) for name in "ab")

    assert first.fingerprint == second.fingerprint
    assert content(tmp_path / "a" / "corpus") == content(tmp_path / "b" / "corpus")


def test_where_documents_lie_is_no_part_of_the_fingerprint(tmp_path: Path) -> None:
    def fingerprint(source: str | None, text: str, name: str, chunking: Chunking, model: str) -> str:
        document = Document(name, text, source)
        embedder = WordEmbedder(fingerprint=model)
        return Corpus.build(
            [document], out=tmp_path / "corpus", embedder=embedder, chunking=chunking, overwrite=True
        ).fingerprint

    plain = fingerprint(None, MUSEUM, "a", Chunking(), "0" * 64)
    assert fingerprint("elsewhere", MUSEUM, "a", Chunking(), "0" * 64) == plain
    others = [
        fingerprint(None, HARBOUR, "a", Chunking(), "0" * 64),
        fingerprint(None, MUSEUM, "b", Chunking(), "0" * 64),
        fingerprint(None, MUSEUM, "a", Chunking(max_chars=200), "0" * 64),
        fingerprint(None, MUSEUM, "a", Chunking(), "1" * 64),
    ]
    assert len({plain, *others}) == 5


def test_repeated_text_is_merged_and_stays_on_record(tmp_path: Path) -> None:
    corpus = built(tmp_path, HARBOUR, LIGHTHOUSE, MUSEUM, LIGHTHOUSE, LIGHTHOUSE)

    assert [chunk.text for chunk in corpus.chunks] == [HARBOUR, LIGHTHOUSE, MUSEUM]
    assert [(pair.first.document, pair.second.document) for pair in corpus.merges] == [
        ("1.txt", "3.txt"), ("1.txt", "4.txt"),
    ]  # fmt: skip
    assert all(pair.similarity == pytest.approx(1, abs=1e-6) for pair in corpus.merges)
    assert [chunk.reference for chunk in corpus.twins(1)] == [3, 4]
    assert corpus.twins(0) == ()
    assert corpus.report is not None
    assert corpus.report.repeated == ("3.txt", "4.txt")
    assert corpus.report.n_embedded == 3


def test_texts_alike_with_other_facts_are_kept_and_reported(tmp_path: Path) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR, OTHER_YEAR)

    assert corpus.n_chunks == 3
    assert corpus.merges == ()
    assert [(pair.first.text, pair.second.text) for pair in corpus.conflicts] == [(LIGHTHOUSE, OTHER_YEAR)]
    assert [pair.first.source for pair in corpus.conflicts] == ["shelf/0.txt"]
    assert corpus.report is not None
    assert corpus.report.conflicts == corpus.conflicts


@pytest.mark.parametrize(
    ("first", "second", "differ", "disagree"),
    [
        ("It opened in 1874.", "It opened in 1874.", False, False),
        ("It weighs 5 kg.", "It weighs 5,000 grams.", False, False),
        ("It weighs 5 kg.", "It weighs 6 kg.", True, True),
        ("It is open.", "It is not open.", True, True),
        ("It was built in 1874.", "It was built in 1874 and cost 300 euros.", True, False),
        ("Berlin sold 5 tons in May.", "Hamburg sold 6 tons in May.", True, False),
        ("Rates: 1 2 3 4 %", "Rates: 5 6 7 4 %", True, False),
        ("You must sign it.", "You may sign it.", True, False),
        ("Das Haus kostet 1.200 Euro.", "Das Haus kostet 1.300 Euro.", True, True),
        ("博物馆于1874年开放。", "博物馆于1902年开放。", True, True),
    ],
)
def test_when_facts_differ_and_when_they_disagree(first: str, second: str, differ: bool, disagree: bool) -> None:
    for one, other in ((first, second), (second, first)):
        assert facts_differ(one, other) is differ
        assert facts_disagree(one, other) is disagree


_TEXTS = (
    LIGHTHOUSE,
    HARBOUR,
    MUSEUM,
    TICKETS,
    OTHER_YEAR,
    HARBOUR + " " + MUSEUM,
    HARBOUR.upper(),
    OTHER_YEAR + " " + TICKETS,
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(_TEXTS), min_size=2, max_size=7), st.data())
def test_adding_and_removing_leads_to_the_corpus_built_at_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("corpora")
    everything = documents(*texts)
    cut = data.draw(st.integers(1, len(texts) - 1))
    gone = data.draw(st.sets(st.integers(0, len(texts) - 1), min_size=1, max_size=len(texts) - 1))
    left = [document for number, document in enumerate(everything) if number not in gone]

    grown = Corpus.build(everything[:cut], out=folder / "grown", embedder=WordEmbedder()).add(everything[cut:])
    whole = Corpus.build(everything, out=folder / "whole", embedder=WordEmbedder())
    assert grown.fingerprint == whole.fingerprint
    assert content(folder / "grown") == content(folder / "whole")

    reduced = grown.remove([everything[number].id for number in sorted(gone)])
    rest = Corpus.build(left, out=folder / "rest", embedder=WordEmbedder())
    assert reduced.fingerprint == rest.fingerprint
    assert content(folder / "grown") == content(folder / "rest")


def test_adding_where_too_many_are_alike_leads_to_the_same(tmp_path: Path) -> None:
    # A hundred lines that differ in one number: a chunk's facts are compared with 64 others at most.
    everything = documents(
        *(
            f"The old ferry from the harbour of Port Lyle to the island has room for {n + 200} people."
            for n in range(100)
        )
    )
    grown = Corpus.build(everything[:80], out=tmp_path / "grown", embedder=WordEmbedder()).add(everything[80:])
    whole = Corpus.build(everything, out=tmp_path / "whole", embedder=WordEmbedder())

    assert whole.n_chunks == 100
    assert whole.state.n_unasked > 0
    assert grown.report is not None
    assert grown.report.n_unasked == whole.state.n_unasked
    assert content(tmp_path / "grown") == content(tmp_path / "whole")


def test_only_new_texts_are_embedded(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR, embedder=embedder)
    assert embedder.n_embedded == 2
    added = corpus.add([Document("new.txt", MUSEUM)])
    assert embedder.n_embedded == 3
    assert added.report is not None
    assert added.report.n_embedded == 1
    assert added.report.n_documents == 3
    assert corpus.n_chunks == 2  # the view that was opened before still shows what it showed
    assert corpus.matrix[0].any()

    assert added.remove(["0.txt"]).n_chunks == 2
    assert embedder.n_embedded == 3


def test_a_merged_chunk_comes_back_when_its_twin_is_removed(tmp_path: Path) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR, LIGHTHOUSE).remove(["0.txt"])

    assert [chunk.text for chunk in corpus.chunks] == [HARBOUR, LIGHTHOUSE]
    assert corpus.document_of(corpus.chunk(1)).id == "2.txt"
    assert corpus.merges == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda corpus: corpus.add([Document("0.txt", MUSEUM)]),
            "sources: '0.txt' is in the corpus already; remove the old text first to replace it",
        ),
        (lambda corpus: corpus.add([]), "sources: hold no text: 0 documents were read, 0 files could not be"),
        (lambda corpus: corpus.remove(["0.txt", "9.txt"]), "ids: no document of the corpus is called '9.txt'"),
        (
            lambda corpus: corpus.remove(["0.txt", "1.txt"]),
            "ids: name all documents that have text; delete the corpus folder instead",
        ),
        (lambda corpus: corpus.chunk(2), "number: must be from 0 to 1, got 2"),
        (lambda corpus: corpus.search(["x"], 0), "k: must be a whole number from 1 on, got 0"),
    ],
)
def test_changes_that_cannot_be_made(tmp_path: Path, change: object, message: str) -> None:
    corpus = built(tmp_path, LIGHTHOUSE, HARBOUR)
    before = content(tmp_path / "corpus")
    with pytest.raises(InputError) as error:
        change(corpus)  # type: ignore[operator]
    assert str(error.value) == message
    assert content(tmp_path / "corpus") == before


def test_another_embedder_is_refused(tmp_path: Path) -> None:
    built(tmp_path, LIGHTHOUSE)
    with pytest.raises(ModelError) as error:
        Corpus.open(tmp_path / "corpus", embedder=WordEmbedder("newer-words", "e1" * 32))
    assert str(error.value) == (
        f"the corpus '{tmp_path / 'corpus'}' was built with the embedder 'words' (fingerprint f0f0f0f0f0f0, 128 "
        "dimensions, 256 tokens at once), not with 'newer-words' (fingerprint e1e1e1e1e1e1, 128 dimensions, 256 tokens "
        "at once); their similarities cannot be compared: give the embedder that it was built with, or build the "
        "corpus anew"
    )


def test_the_same_weights_under_another_name_are_accepted(tmp_path: Path) -> None:
    built(tmp_path, LIGHTHOUSE)
    assert Corpus.open(tmp_path / "corpus", embedder=WordEmbedder("copied-words")).n_chunks == 1


def test_references_of_one_check_need_no_folder() -> None:
    references = [Reference(HARBOUR, "h", "harbour.md"), Reference(" "), Reference(LIGHTHOUSE)]
    corpus = Corpus.in_memory(references, WordEmbedder())

    assert [chunk.reference for chunk in corpus.chunks] == [0, 2]
    assert corpus.document_of(corpus.chunk(0)) is references[0]
    assert corpus.folder is None
    with pytest.raises(InputError) as error:
        corpus.add([Document("a", MUSEUM)])
    assert str(error.value) == "corpus: lies in memory and does not change; build another one"


def test_evidence_given_twice_counts_once() -> None:
    once = Corpus.in_memory([Reference(LIGHTHOUSE), Reference(MUSEUM)], WordEmbedder())
    often = Corpus.in_memory([Reference(LIGHTHOUSE)] * 20 + [Reference(MUSEUM)] * 3, WordEmbedder())
    first, second = (corpus.search([LIGHTHOUSE, "paintings of sailors"], 5) for corpus in (once, often))

    assert first.n_close.tolist() == second.n_close.tolist()
    assert first.similarities.tobytes() == second.similarities.tobytes()
    assert len(often.twins(0)) == 19


def test_references_that_disagree_are_reported() -> None:
    corpus = Corpus.in_memory([Reference(LIGHTHOUSE), Reference(MUSEUM), Reference(OTHER_YEAR)], WordEmbedder())
    assert [(pair.first.text, pair.second.text) for pair in corpus.conflicts] == [(LIGHTHOUSE, OTHER_YEAR)]


@pytest.mark.parametrize("references", [[], [Reference("")], [Reference(" \n"), Reference("\t")]])
def test_blank_references_give_a_corpus_without_chunks(references: list[Reference]) -> None:
    corpus = Corpus.in_memory(references, WordEmbedder())

    assert (corpus.n_chunks, corpus.chunks, corpus.merges, corpus.conflicts) == (0, (), (), ())
    found = corpus.search([LIGHTHOUSE], 5)
    assert (found.indices.shape, found.n_close.tolist()) == ((1, 0), [0])


def test_windows_of_one_document_that_overlap_are_no_conflict(tmp_path: Path) -> None:
    text = " ".join(f"In {year} the ferry to Port Lyle carried {year - 1500} people." for year in range(1874, 1890))
    corpus = Corpus.build(
        [Document("ferry.txt", text)], out=tmp_path / "corpus", embedder=WordEmbedder(), merge_above=0.5
    )
    pairs = [(pair.first, pair.second) for pair in corpus.conflicts]
    assert all(one.end <= other.start or other.end <= one.start for one, other in pairs)


def test_a_model_that_changes_its_dimension_is_an_error() -> None:
    class Wrong(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Embeddings:
            vectors = super().embed(texts)
            return Embeddings(vectors.unit[:, :8], vectors.norms)

    with pytest.raises(ReadingError) as error:
        embed_texts([MUSEUM], Wrong())
    assert str(error.value) == "the embedding model 'words' gave vectors of shape (1, 8) instead of (1, 128)"


def test_paths_are_read_and_what_cannot_be_is_reported(tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "a.txt").write_text(LIGHTHOUSE)
    (tmp_path / "shelf" / "b.md").write_text(f"# Harbour\n\n{HARBOUR}\n")
    (tmp_path / "shelf" / "c.pdf").write_bytes(b"%PDF-1.7 torn")
    corpus = Corpus.build([tmp_path / "shelf"], out=tmp_path / "corpus", embedder=WordEmbedder())

    assert corpus.report is not None
    assert corpus.report.n_documents == 2
    assert [Path(problem.source).name for problem in corpus.report.unreadable] == ["c.pdf"]
    assert corpus.search([HARBOUR], 1).similarities[0, 0] > 0.8


@pytest.mark.weights
def test_with_the_embedded_model(tmp_path: Path) -> None:
    corpus = Corpus.build(documents(LIGHTHOUSE, HARBOUR, MUSEUM, OTHER_YEAR, MUSEUM), out=tmp_path / "corpus")
    opened = Corpus.open(tmp_path / "corpus")
    opened.warm()
    found = opened.search(["In cold months no boats go to Port Lyle because of the ice."], 1)

    assert corpus.identity.dimension == 384
    assert opened.chunk(int(found.indices[0, 0])).text == HARBOUR
    assert [(pair.first.text, pair.second.text) for pair in opened.conflicts] == [(LIGHTHOUSE, OTHER_YEAR)]
    assert [chunk.reference for chunk in opened.twins(2)] == [4]
