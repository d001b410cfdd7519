"""The geometric witness: an answer's statements among the chunks of a corpus, and their facts against the nearest."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ragcortex.align import Range, claim_words
from ragcortex.checks import check_score
from ragcortex.errors import InputError
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.chunking import Chunking, chunk_text
from ragcortex.geometry.claims import ClaimlessKind, claims_nothing
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.compare import compare
from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.fact import Language
from ragcortex.geometry.facts.finding import PlacedSheet
from ragcortex.geometry.language import covered, language_of
from ragcortex.geometry.search import Neighbours
from ragcortex.geometry.similarity import DENSITY_RADIUS, TOP_K, SimilaritySignals, similarity_signals
from ragcortex.geometry.statements import statements
from ragcortex.geometry.stitching import stitched_finding
from ragcortex.report_parts import Evidence

_LEAST_K: Final = 5
# Han characters alone may be either; the other side decides.
_BY_NEIGHBOUR: Final = ("zh", "ja")
# A mean shorter than this share of its longest part is rounding noise.
_NO_LENGTH: Final = 1e-5


@dataclass(frozen=True, slots=True)
class WitnessOptions:
    """How the witness looks.

    Attributes:
        top_k: how many nearest chunks of a statement are asked, from 5 on: fewer cannot show stitching.
        density_radius: the cosine distance within which chunks count for the density, in [0, 1].
        support_threshold: from which support score on a statement counts as supported, in [0, 1]. The support score of
            a sentence is the mean of its cosine (of its chunk) and the share of the statement's content words it has;
            the cosine alone where the statement has none.
    """

    top_k: int = TOP_K
    density_radius: float = DENSITY_RADIUS
    support_threshold: float = 0.6

    def __post_init__(self) -> None:
        if not isinstance(self.top_k, int) or isinstance(self.top_k, bool) or self.top_k < _LEAST_K:
            raise InputError("top_k", f"must be a whole number from {_LEAST_K} on, got {self.top_k!r}")
        check_score("density_radius", self.density_radius)
        check_score("support_threshold", self.support_threshold)


def examine(
    answer: str,
    corpus: Corpus,
    *,
    question: str | None = None,
    options: WitnessOptions | None = None,
    since: int = 0,
) -> GeometricEvidence:
    """Return what the geometric witness sees in an answer.

    Args:
        answer: the text to be judged.
        corpus: the references, with at least one chunk.
        question: the user's question; its facts are known but prove nothing.
        options: how to look.
        since: statements that begin before this character are left out.

    Raises:
        InputError: the corpus has no chunk.
        ModelError, ReadingError: from the embedder.
    """
    options = options or WitnessOptions()
    if not corpus.n_chunks:
        raise InputError("references", "hold no text to compare with")
    ranges = [span for span in statements(answer) if span[0] >= since]
    written = language_of(answer)
    kinds = _kinds(answer, ranges, covered(written))
    claims = [span for span, kind in zip(ranges, kinds, strict=True) if kind is None]
    if not claims:
        bare = tuple(StatementEvidence(*_place(answer, span), kind) for span, kind in zip(ranges, kinds, strict=True))
        return GeometricEvidence(answer, bare, None, written or "en", ())
    pieces = [(index, piece) for index, span in enumerate(claims) for piece in _pieces(answer, span, corpus.chunking)]
    texts = [*claims, *(piece for _, piece in pieces)]
    vectors = corpus.embedder.embed([answer[start:end] for start, end in texts])
    vectors = _stacked(vectors, _mean_vector(vectors, claims))
    neighbours = corpus.search(vectors, options.top_k, radius=options.density_radius)
    signals = similarity_signals(vectors.unit, vectors.norms, neighbours, corpus.matrix, corpus.norms)
    # The nearest chunk and not the first one, so that the order of the references changes nothing.
    spoken = _spoken(answer, written, language_of_chunk(corpus.chunk(signals[-1].nearest).text, "en"))
    given = _sheets_of(question or "", covered(spoken) or "en")
    judge = _Judge(answer, spoken, corpus, neighbours, given=given, options=options)
    rows = [
        (index, *(row for row, (owner, _) in enumerate(pieces, len(claims)) if owner == index))
        for index in range(len(claims))
    ]
    judged = iter([judge.statement(rows[index], span, signals[index]) for index, span in enumerate(claims)])
    found = tuple(
        next(judged) if kind is None else StatementEvidence(*_place(answer, span), kind)
        for span, kind in zip(ranges, kinds, strict=True)
    )
    return GeometricEvidence(answer, found, signals[-1], spoken, tuple(judge.known.values()), given)


def _pieces(answer: str, span: Range, chunking: Chunking) -> list[Range]:
    """Return the pieces of a statement wider than a chunk, each to be asked for by itself; none of a shorter one.

    The nearest chunks of a statement over many chunks are but a few of those that its facts are from.
    """
    start, end = span
    if end - start <= chunking.max_chars // chunking.cjk_weight:
        return []
    chunks = chunk_text(answer[start:end], 0, chunking)
    return [(start + one.start, start + one.end) for one in chunks] if len(chunks) > 1 else []


def _spoken(answer: str, written: str | None, around: str) -> str:
    """Return the language of an answer, that of its references where it does not show or depends on them (Han)."""
    if written is not None and written not in _BY_NEIGHBOUR:
        return written
    return language_of(answer, covered(around)) or "en"


def _kinds(answer: str, ranges: Sequence[Range], language: Language | None) -> list[ClaimlessKind | None]:
    """Return what kind of claimless sentence each statement is; one of citation markers alone is no claim either."""
    starts = [start for start, _ in claim_words(answer)]
    return [
        claims_nothing(answer[start:end], language)
        or (None if bisect_left(starts, start) < bisect_left(starts, end) else "meta")
        for start, end in ranges
    ]


def _sheets_of(question: str, fallback: Language) -> tuple[PlacedSheet, ...]:
    """Return the facts of a question's sentences, read by the rules of its own language or of the answer's."""
    rules = covered(language_of(question, fallback)) or fallback
    return tuple(PlacedSheet(fact_sheet(question[start:end], rules), start) for start, end in statements(question))


class _Judge:
    """Judges the statements of one answer one after the other; the sentences asked are kept over all of them."""

    def __init__(
        self,
        answer: str,
        language: str,
        corpus: Corpus,
        neighbours: Neighbours,
        *,
        given: tuple[PlacedSheet, ...],
        options: WitnessOptions,
    ) -> None:
        self.answer = answer
        self.rules = covered(language) or "en"
        self.corpus = corpus
        self.neighbours = neighbours
        self.given = given
        self.options = options
        self.known: dict[tuple[int, int, int], PlacedSheet] = {}

    def statement(self, rows: Sequence[int], span: Range, signals: SimilaritySignals) -> StatementEvidence:
        """Return the evidence on one statement, whose rows among the neighbours are its own and those of its pieces."""
        start, end = span
        place = PlacedSheet(fact_sheet(self.answer[start:end], self.rules), start)
        asked = self._asked(rows)
        cosines = {key: cosine for key, (_, cosine) in asked.items()}
        sheets = {key: sheet for key, (sheet, _) in asked.items()}
        scores = {key: _support_score(place, sheet, cosines[key]) for key, sheet in sheets.items()}
        # Of equals the last by its text and not by its place, so that the order of the references changes nothing.
        best = max(scores, key=lambda key: (scores[key], sheets[key].sheet.text, key))
        evidence = tuple(sheets.values())
        stems = frozenset(stem for sheet in evidence for stem in sheet.stems)
        findings = compare(place, evidence, self.given)
        stitch = stitched_finding(place, evidence)
        if stitch is not None and all(one.end <= stitch.start or stitch.end <= one.start for one in findings):
            findings = tuple(sorted((*findings, stitch), key=lambda one: one.start))
        return StatementEvidence(
            *_place(self.answer, span),
            claimless=None,
            place=place,
            similarity=signals,
            nearest=_as_evidence(self.corpus.chunk(signals.nearest)),
            best=sheets[best],
            coverage=place.overlap(sheets[best]) if place.stems else 1.0,
            coverage_anywhere=len(place.stems & stems) / len(place.stems) if place.stems else 1.0,
            supported=scores[best] >= self.options.support_threshold,
            stitched=stitch is not None,
            findings=findings,
            reference_language=language_of_chunk(self.corpus.chunk(signals.nearest).text, self.rules),
        )

    def _asked(self, rows: Sequence[int]) -> dict[tuple[int, int, int], tuple[PlacedSheet, float]]:
        """Return the sentences of the nearest chunks of a statement with their chunk's first cosine, by their place."""
        found: dict[tuple[int, int, int], tuple[PlacedSheet, float]] = {}
        near = self.neighbours
        both = ((near.indices[row].tolist(), near.similarities[row].tolist()) for row in rows)
        for number, cosine in (pair for row in both for pair in zip(*row, strict=True)):
            for place in sentences_of(self.corpus.chunk(number)):
                key = (place.reference or 0, place.start, place.start + len(place.sheet.text))
                if key not in found:
                    found[key] = (place, cosine)
                self.known.setdefault(key, place)
        return found


@lru_cache(maxsize=65536)
def sentences_of(chunk: Chunk) -> tuple[PlacedSheet, ...]:
    """Return the statements of a chunk with their facts; those of recent chunks are remembered."""
    rules = covered(language_of_chunk(chunk.text, "en")) or "en"
    return tuple(
        PlacedSheet(fact_sheet(chunk.text[start:end], rules), chunk.start + start, chunk.reference)
        for start, end in statements(chunk.text)
    )


@lru_cache(maxsize=65536)
def language_of_chunk(text: str, fallback: Language) -> str:
    """Return the language of a chunk, the fallback where it does not show."""
    return language_of(text, fallback) or fallback


def _support_score(claim: PlacedSheet, sentence: PlacedSheet, cosine: float) -> float:
    """Return the support score of a sentence (see `WitnessOptions`)."""
    return (cosine + claim.overlap(sentence)) / 2 if claim.stems else cosine


def _mean_vector(vectors: Embeddings, claims: Sequence[Range]) -> Embeddings:
    """Return the vector of the whole answer: the mean of its claims' raw vectors (the first ones), by their length.

    Where they cancel out, so that their mean has no direction, that of the longest statement (of equals, the first).
    """
    vectors = Embeddings(vectors.unit[: len(claims)], vectors.norms[: len(claims)])
    weights = np.array([end - start for start, end in claims], dtype=np.float32)
    raw = (vectors.unit * vectors.norms[:, None] * (weights / weights.sum())[:, None]).sum(axis=0, keepdims=True)
    norm = np.linalg.norm(raw, axis=1).astype(np.float32)
    if norm[0] <= _NO_LENGTH * vectors.norms.max():
        longest = slice(int(weights.argmax()), int(weights.argmax()) + 1)
        return Embeddings(vectors.unit[longest], vectors.norms[longest])
    return Embeddings((raw / norm[:, None]).astype(np.float32), norm)


def _stacked(first: Embeddings, second: Embeddings) -> Embeddings:
    return Embeddings(np.concatenate([first.unit, second.unit]), np.concatenate([first.norms, second.norms]))


def _as_evidence(chunk: Chunk) -> Evidence:
    return Evidence(chunk.reference, chunk.start, chunk.end, chunk.text)


def _place(text: str, span: Range) -> tuple[int, int, str]:
    return span[0], span[1], text[span[0] : span[1]]
