"""`ragcortex corpus map`, on a corpus of the embedded model and on one without any model."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cli_helpers import Command
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from ragcortex.errors import InputError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.map_build import map_of
from ragcortex.geometry.map_data import DECIDES_NOTHING, MapPoint
from ragcortex.geometry.projection import project

TEXTS = tuple(
    f"Chapter {number} tells of {what}, of what became of it, and of who was there to see it happen that year."
    for number, what in enumerate(("the harbour", "a storm", "the old mill", "two ferries", "market day", "the bridge"))
)
SHOWN = f"{DECIDES_NOTHING} Both axes together show"


class HashEmbedder:
    """A direction of its own for each text; counts what it embeds."""

    identity = EmbedderIdentity("made", None, "made-1", 16, 256)

    def __init__(self) -> None:
        self.n_texts = 0

    def embed(self, texts: list[str]) -> Embeddings:
        self.n_texts += len(texts)
        raw = np.stack([np.random.default_rng(list(text.encode())).normal(size=16) for text in texts]).astype(
            np.float32
        )
        norms = np.linalg.norm(raw, axis=1).astype(np.float32)
        return Embeddings(raw / norms[:, None], norms)


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    """Return a corpus of six chunks whose embedder is not to be had: maps without answers do not need it."""
    documents = [Document(f"doc-{index}", text) for index, text in enumerate(TEXTS)]
    Corpus.build(documents, out=tmp_path / "corpus", embedder=HashEmbedder())
    return tmp_path / "corpus"


def report(name: str | None, verdict: object, answer: object, line: int = 1) -> str:
    place = {"id": name} if name is not None else {"id": None, "line": line}
    return json.dumps(place | {"report": {"verdict": verdict, "answer": answer}}) + "\n"


class TestLibrary:
    def test_chunks_and_answers_lie_where_they_lie_together(self, corpus_folder: Path) -> None:
        embedder = HashEmbedder()
        corpus = Corpus.open(corpus_folder, embedder=embedder)
        answers = [MapPoint("grounded", "It is so.", "answer 1"), MapPoint("review", "It is not so.", "answer 2")]
        corpus_map = map_of(corpus, answers)
        vectors = np.concatenate([corpus.matrix, embedder.embed([answer.text for answer in answers]).unit])
        np.testing.assert_array_equal(corpus_map.projection.points, project(vectors).points)
        assert [(point.kind, point.text, point.source) for point in corpus_map.points] == [
            *(("reference", text, f"doc-{index}") for index, text in enumerate(TEXTS)),
            ("grounded", "It is so.", "answer 1"),
            ("review", "It is not so.", "answer 2"),
        ]

    def test_a_sample_keeps_its_places(self, corpus_folder: Path) -> None:
        corpus = Corpus.open(corpus_folder)
        everything, sample = map_of(corpus), map_of(corpus, max_chunks=3)
        assert [point.source for point in sample.points] == ["doc-0", "doc-2", "doc-5"]
        np.testing.assert_array_equal(sample.projection.points, everything.projection.points[[0, 2, 5]])
        assert sample.n_chunks == 6
        assert "Shown are 3 of 6 reference chunks, evenly taken." in sample.caption

    @pytest.mark.parametrize("max_chunks", [1, 2, 5, 6, 7])
    def test_as_many_are_shown_as_were_asked_for(self, corpus_folder: Path, max_chunks: int) -> None:
        assert len(map_of(Corpus.open(corpus_folder), max_chunks=max_chunks).points) == min(max_chunks, 6)

    def test_what_is_refused(self, corpus_folder: Path) -> None:
        corpus = Corpus.open(corpus_folder, embedder=HashEmbedder())
        cases: list[tuple[Callable[[], object], str]] = [
            (lambda: map_of(corpus, max_chunks=0), "max_chunks: must be at least 1, got 0"),
            (lambda: map_of(corpus, [MapPoint("review", " ")]), "answers[0].text: must not be blank"),
            (
                lambda: map_of(corpus, [MapPoint("reference", "x")]),
                "answers[0]: must be an answer with its verdict, got a reference",
            ),
        ]
        for call, message in cases:
            with pytest.raises(InputError) as caught:
                call()
            assert str(caught.value) == message


class TestCommand:
    @pytest.mark.parametrize("name", ["map.png", "MAP.PNG"])
    def test_picture(self, command: Command, corpus_folder: Path, tmp_path: Path, name: str) -> None:
        result = command("corpus", "map", corpus_folder, "--out", tmp_path / name)
        assert (result.code, result.out) == (0, "")
        assert result.err.startswith(f"{tmp_path / name}: reference chunk (6). {SHOWN} ")
        assert Image.open(io.BytesIO((tmp_path / name).read_bytes())).format == "PNG"

    def test_page_is_the_same_every_time(self, command: Command, corpus_folder: Path, tmp_path: Path) -> None:
        for name in ("one.html", "two.html"):
            assert command("corpus", "map", corpus_folder, "--out", tmp_path / name).code == 0
        assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
        page = LexborHTMLParser((tmp_path / "one.html").read_text(encoding="utf-8"))
        assert [row.text() for row in page.css("td.text")] == list(TEXTS)

    def test_a_sample(self, command: Command, corpus_folder: Path, tmp_path: Path) -> None:
        result = command("corpus", "map", corpus_folder, "--out", tmp_path / "map.html", "--max-chunks", 2)
        assert result.err.endswith("Shown are 2 of 6 reference chunks, evenly taken.\n")

    @pytest.mark.weights
    def test_answers_of_score(self, command: Command, tmp_path: Path) -> None:
        documents = [
            Document(name, text)
            for name, text in (("a\u202e.txt", TEXTS[0]), ("b.txt", TEXTS[1] + " \x1b[31m<script>"))
        ]
        Corpus.build(documents, out=tmp_path / "corpus")
        answers = tmp_path / "reports.jsonl"
        answers.write_text(
            "\ufeff"
            + report("7", "hallucinated", "The harbour is on the moon.")
            + "\n"
            + report(None, "grounded", "There was a storm.", 12)
            + report("8", "no_claim", " ")
            + json.dumps({"id": None, "line": 5, "error": {"field": "row", "message": "is not JSON"}})
            + "\n"
            + json.dumps({"id": None, "line": 6, "error": {"field": "row", "message": "is not JSON"}}),
            encoding="utf-8",
        )
        result = command("corpus", "map", tmp_path / "corpus", "--answers", answers, "--out", tmp_path / "map.html")
        assert result.code == 0
        lines = result.err.splitlines()
        assert lines[:2] == [
            "answers: 2 rows that failed are not on the map",
            "answers: 1 row with a blank answer is not on the map",
        ]
        assert lines[-1].startswith(
            f"{tmp_path / 'map.html'}: reference chunk (2), grounded answer (1), hallucinated answer (1). {SHOWN} "
        )
        page = LexborHTMLParser((tmp_path / "map.html").read_text(encoding="utf-8"))
        assert [[cell.text(strip=True) for cell in row.css("td")] for row in page.css("tbody tr")] == [
            ["hallucinated answer", "The harbour is on the moon.", "answer 7"],
            ["grounded answer", "There was a storm.", "line 12 of the input"],
            # What would act on a reader's eye is shown by its code point.
            ["reference chunk", TEXTS[0], "a<U+202E>.txt"],
            ["reference chunk", TEXTS[1] + " <U+001B>[31m<script>", "b.txt"],
        ]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{", "line 1 of {path} is not JSON; give what `score` wrote"),
            ('\n{"a": "\xff', "line 2 of {path} is not JSON; give what `score` wrote"),
            ("[1]", "line 1 of {path} must be an object, got list"),
            ('{"id": "1"}', "line 1 has neither a report nor an error; give what `score` wrote"),
            (
                report("1", "right", "x"),
                "line 1: report.verdict must be one of grounded, review, hallucinated, no_claim, not_verifiable, "
                "got 'right'",
            ),
            (report("1", "review", None), "line 1: report.answer must be a string, got NoneType"),
            (
                report("1", "review", "\ud800"),
                "line 1: report.answer has a lone surrogate at character 0, which is not text",
            ),
            ("", "file {path} has no answer that can be shown among 0 rows"),
            (report("1", "review", ""), "file {path} has no answer that can be shown among 1 row"),
        ],
    )
    def test_what_is_no_file_of_score(
        self, command: Command, corpus_folder: Path, tmp_path: Path, content: str, message: str
    ) -> None:
        answers = tmp_path / "reports.jsonl"
        answers.write_bytes(content.encode("latin-1"))
        result = command("corpus", "map", corpus_folder, "--answers", answers, "--out", tmp_path / "map.png")
        assert result.code == 2
        assert result.err == f"ragcortex: answers: {message.format(path=repr(str(answers)))}\n"
        assert not (tmp_path / "map.png").exists()

    def test_bad_arguments(self, command: Command, corpus_folder: Path, tmp_path: Path) -> None:
        out = tmp_path / "map.png"
        missing = str(tmp_path / "missing")
        cases = [
            ((corpus_folder, "--out", "map.svg"), "out: must end in .png or .html, got 'map.svg'"),
            ((corpus_folder, "--out", out, "--method", "tsne"), "method: must be one of pca, umap, got 'tsne'"),
            (
                (corpus_folder, "--out", out, "--answers", missing),
                f"answers: file {missing!r} cannot be read: No such file or directory",
            ),
            (
                (corpus_folder, "--out", f"{missing}/map.png"),
                f"out: folder {missing!r} does not exist; make it first",
            ),
        ]
        for arguments, message in cases:
            result = command("corpus", "map", *arguments)
            assert (result.code, result.err) == (2, f"ragcortex: {message}\n")
        assert not out.exists()

    def test_help_says_that_it_decides_nothing(self, command: Command) -> None:
        result = command("corpus", "map", "--help")
        assert "For looking at only: verdicts are reached in the full space." in result.out
