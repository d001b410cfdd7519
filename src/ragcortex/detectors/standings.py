"""How each statement of an answer stands: by its score, by its facts alone, or open; and what a report notes of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.detectors.geometric_marks import best_sentence
from ragcortex.detectors.notes import embedding_notes
from ragcortex.errors import ReadingError
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.cross_language import PairFitness, language_pair_fitness
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.finding import PlacedSheet
from ragcortex.geometry.judgement import SPEAKS, spoken
from ragcortex.geometry.language import covered
from ragcortex.geometry.similarity import SimilaritySignals
from ragcortex.report import Note, SentenceNote, Unjudged

# In a language the embedder does not know, a statement that has this share of a sentence's content words repeats it.
_REPEATED: Final = 0.8
# Less is enough where it gives figures and the references confirm each of them.
_REPEATED_WITH_FIGURES: Final = 0.5

UnfitPairs = Mapping[tuple[str, str], PairFitness]


@dataclass(frozen=True, slots=True)
class Standing:
    """How one statement stands.

    Attributes:
        statement: what the geometric witness saw of it.
        score: in [0, 1].
        by_facts: whether facts alone judge it, because of its language.
        is_open: whether not even they do.
    """

    statement: StatementEvidence
    score: float
    by_facts: bool
    is_open: bool


def unfit_pairs(evidence: GeometricEvidence, embedder: Embedder) -> dict[tuple[str, str], PairFitness]:
    """Return the language pairs of the answer and its evidence that the embedder does not cover."""
    language = evidence.language
    pairs = {(language, one.reference_language) for one in evidence.claims if one.reference_language}
    found = {}
    for pair in sorted(pairs):
        # A model that brings a language together with English knows it; English itself is what models are tried on.
        fitness = language_pair_fitness(embedder, language, "en" if pair[0] == pair[1] else pair[1])
        if not fitness.covered:
            found[pair] = fitness
    return found


def judged_by_facts(evidence: GeometricEvidence, unfit: UnfitPairs) -> frozenset[int]:
    """Return the numbers of the statements that facts alone judge, among those that claim something."""
    return frozenset(
        number for number, one in enumerate(evidence.claims) if (evidence.language, one.reference_language) in unfit
    )


def unfit_statements(evidence: GeometricEvidence, embedder: Embedder) -> frozenset[int]:
    """Return the numbers of the statements whose language the embedder does not cover."""
    return judged_by_facts(evidence, unfit_pairs(evidence, embedder))


def standings(evidence: GeometricEvidence, scores: Sequence[float], unfit: UnfitPairs) -> tuple[Standing, ...]:
    """Return the standing of each statement that claims something.

    Where the embedder does not know the language of a statement, or cannot bridge it and that of its references, the
    statement is judged by its facts alone: wrong if a finding speaks for itself (`geometry.judgement`), supported if
    there is no finding at all and it repeats a sentence; else it is open.

    Args:
        evidence: what the geometric witness saw, with m statements that claim something.
        scores: of these, m numbers in [0, 1]; they count where the language is covered.
        unfit: the language pairs that are not.
    """
    by_facts, speaking = judged_by_facts(evidence, unfit), spoken(evidence)
    found = []
    for number, (one, own) in enumerate(zip(evidence.claims, scores, strict=True)):
        speaks = bool(speaking[number])
        settled = speaks or (not one.findings and _repeats(one, evidence.language))
        is_open = number in by_facts and not settled
        score = (SPEAKS if speaks else 0.0) if number in by_facts else own
        found.append(Standing(one, score, number in by_facts, is_open))
    return tuple(found)


def sentence_notes(
    corpus: Corpus,
    evidence: GeometricEvidence,
    judged: Iterable[Standing],
    contributions: Sequence[Mapping[str, float]] = (),
) -> Iterator[SentenceNote]:
    """Yield a note on each statement: that it claims nothing, or its evidence, signals, score and what made the score.

    Args:
        corpus: the references.
        evidence: what the geometric witness saw.
        judged: the standings of the statements that claim something.
        contributions: what each named signal adds to their scores' log-odds, one mapping a standing; none by default.
    """
    for one in evidence.statements:
        if one.claimless is not None:
            yield SentenceNote(one.start, one.end, status="no_claim")
    for number, standing in enumerate(judged):
        one = standing.statement
        if one.similarity is None:
            raise ReadingError("a statement that claims something must have its signals")
        signals = {
            **similarity_values(one.similarity),
            "coverage": one.coverage,
            "coverage_anywhere": one.coverage_anywhere,
            "supported": float(one.supported),
            "stitched": float(one.stitched),
            "statement_score": standing.score,
        }
        status: Unjudged | None = "not_verifiable" if standing.is_open else None
        yield SentenceNote(
            one.start,
            one.end,
            (best_sentence(corpus, one),),
            signals,
            status,
            None if standing.is_open else standing.score,
            contributions[number] if contributions and not standing.by_facts else {},
        )


def similarity_values(similarity: SimilaritySignals) -> dict[str, float]:
    """Return the signals of a report by name."""
    names = ("max_similarity", "weighted_similarity", "spread", "density", "euclidean_distance")
    return {name: float(getattr(similarity, name)) for name in names}


def answer_signals(evidence: GeometricEvidence) -> dict[str, float]:
    """Return the signals of the whole answer for a report."""
    return {
        **({} if evidence.similarity is None else similarity_values(evidence.similarity)),
        "support_rate": evidence.support_rate or 0.0,
        "low_evidence": float(evidence.low_evidence),
        "stitched": float(any(one.stitched for one in evidence.claims)),
    }


def evidence_notes(corpus: Corpus, evidence: GeometricEvidence, unfit: UnfitPairs) -> tuple[Note, ...]:
    """Return the notes on precision, on languages that are not covered and on references that disagree."""
    uncovered = (Note("language_not_covered", one.sentence) for one in unfit.values())
    return (*embedding_notes(corpus.embedder), *uncovered, *_conflicts(corpus, evidence))


def _repeats(statement: StatementEvidence, language: str) -> bool:
    """Return whether a statement without a finding repeats a sentence of its own language, by its words or figures.

    In a language whose negations and conditions are not read, only the very words do.
    """
    if language != statement.reference_language or statement.place is None or statement.best is None:
        return False
    if covered(language) is None:
        return _plain(statement.text) in _plain(statement.best.sheet.text)
    if not statement.place.stems:
        return bool(statement.place.sheet.facts)
    return statement.covered >= (_REPEATED_WITH_FIGURES if statement.confirms_figures else _REPEATED)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _conflicts(corpus: Corpus, evidence: GeometricEvidence) -> Iterator[Note]:
    """Say where what supports the answer is contradicted by another reference: an answer may follow either."""
    state = corpus.state
    if not state.conflicts:
        return
    best = [one.best for one in evidence.claims if one.best is not None]
    documents = {place.reference for place in best}
    for pair in state.conflicts:
        chunks = [state.chunk(row) for row in (pair.first, pair.second) if int(state.places[row, 0]) in documents]
        if any(_holds(chunk, place) for chunk in chunks for place in best):
            quoted = " and ".join(f"«{state.chunk(row).text}»" for row in (pair.first, pair.second))
            yield Note("conflicting_references", f"References disagree: {quoted}.")


def _holds(chunk: Chunk, place: PlacedSheet) -> bool:
    return chunk.reference == place.reference and chunk.start <= place.start < chunk.end
