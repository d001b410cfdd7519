"""The report of the geometric witness: scores, findings and languages become spans, states and a verdict."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, Range, claim_words, token_ranges
from ragcortex.errors import ReadingError
from ragcortex.example import Example
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.cross_language import PairFitness, language_pair_fitness
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.judgement import SPEAKS, GeometricScores, any_of, speaks_for_itself
from ragcortex.geometry.language import covered
from ragcortex.geometry.similarity import SimilaritySignals
from ragcortex.report import (
    DetectorInfo,
    Evidence,
    Mark,
    Note,
    Report,
    SentenceNote,
    Thresholds,
    Unjudged,
    build_report,
    unjudged_report,
)

Floats = npt.NDArray[np.float64]

# In a language the embedder does not know, a statement that has this share of a sentence's content words repeats it.
_REPEATED: Final = 0.8
# Less is enough where it gives figures and the references confirm each of them.
_REPEATED_WITH_FIGURES: Final = 0.5


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything the report of one answer with claims is made of."""

    example: Example
    corpus: Corpus
    evidence: GeometricEvidence
    scores: GeometricScores
    thresholds: Thresholds
    info: DetectorInfo
    embedder: Embedder


def judged_report(judged: Judged) -> Report:
    """Return the report on an answer with claims.

    Words take the scores of the model; findings that speak for themselves mark their words whatever those score, and
    raise the answer's score (`judgement.with_findings`). Where the embedder does not know the language of a statement,
    or cannot bridge it and that of its references, the statement is judged by its facts alone: contradicted, or
    supported if it repeats a sentence; what is neither is not_verifiable, and so is the answer if nothing else in it
    calls for a person's look.
    """
    unfit = _unfit_pairs(judged)
    standings = _standings(judged, unfit)
    marks = [
        _mark(judged, finding, is_wrong=any(map(speaks_for_itself, statement.findings)))
        for statement in judged.evidence.claims
        for finding in statement.findings
    ]
    notes = [*_language_notes(unfit.values()), *_conflict_notes(judged)]
    answer = any_of(np.array([one.score for one in standings]))
    example = judged.example
    found = any(mark.binding for mark in marks) or answer >= judged.thresholds.review
    if any(one.is_open for one in standings) and not found:
        return unjudged_report(
            example.answer, "not_verifiable", notes, judged.info, question=example.question, id=example.id
        )
    tokens, raw, smoothed = _tokens(judged, standings)
    return build_report(
        tokens,
        raw,
        smoothed,
        answer,
        thresholds=judged.thresholds,
        detector=judged.info,
        notes=notes,
        question=example.question,
        id=example.id,
        reason="low_support",
        marks=marks,
        sentence_notes=tuple(_sentence_notes(judged, standings)),
        signals=_answer_signals(judged.evidence),
    )


@dataclass(frozen=True, slots=True)
class _Standing:
    """How one statement stands: its score, whether facts alone judge it, and whether not even they do."""

    statement: StatementEvidence
    score: float
    by_facts: bool
    is_open: bool


def _standings(judged: Judged, unfit: Mapping[tuple[str, str], PairFitness]) -> tuple[_Standing, ...]:
    """Return the standing of each statement that claims something; the model's score counts where it is covered."""
    standings = []
    for one, own in zip(judged.evidence.claims, judged.scores.statements.tolist(), strict=True):
        by_facts = (judged.evidence.language, one.reference_language) in unfit
        speaks = any(map(speaks_for_itself, one.findings))
        is_open = by_facts and not speaks and not _repeats(one, judged.evidence.language)
        standings.append(_Standing(one, (SPEAKS if speaks else 0.0) if by_facts else own, by_facts, is_open))
    return tuple(standings)


def _unfit_pairs(judged: Judged) -> dict[tuple[str, str], PairFitness]:
    """Return the language pairs of the answer and its evidence that the embedder does not cover."""
    language = judged.evidence.language
    pairs = {(language, one.reference_language) for one in judged.evidence.claims if one.reference_language}
    found = {}
    for pair in sorted(pairs):
        # A model that brings a language together with English knows it; English itself is what models are tried on.
        fitness = language_pair_fitness(judged.embedder, language, "en" if pair[0] == pair[1] else pair[1])
        if not fitness.covered:
            found[pair] = fitness
    return found


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


def _tokens(judged: Judged, standings: Iterable[_Standing]) -> tuple[AnswerTokens, Floats, Floats]:
    """Return words and what lies between them as tokens, since this witness has no tokenizer, with their scores.

    White space goes along with the next word. Other marks between two words take the lower of their scores, so that a
    marked stretch goes on over a comma but does not reach into its neighbours. Words of statements that claim nothing,
    or that facts alone judge, score 0.
    """
    text, words = judged.example.answer, judged.scores.words.ranges
    both = np.stack([judged.scores.raw, judged.scores.smoothed])
    starts = [start for start, _ in words]
    for one in standings:
        if one.by_facts:
            both[:, bisect_left(starts, one.statement.start) : bisect_left(starts, one.statement.end)] = 0.0
    scored = {start: both[:, index] for index, start in enumerate(starts)}
    offsets: list[Range] = []
    scores: list[Floats] = []
    reached, before = 0, np.zeros(2)
    for start, end in claim_words(text):
        own = scored.get(start, np.zeros(2))
        if text[reached:start].strip():
            offsets.append((reached, start))
            scores.append(np.minimum(before, own))
        offsets.append((start, end))
        scores.append(own)
        reached, before = end, own
    if text[reached:].strip():
        offsets.append((reached, len(text)))
        scores.append(np.zeros(2))
    ranges = token_ranges(text, offsets)
    raw, smoothed = np.stack(scores, axis=1)
    return AnswerTokens(text, tuple(range(len(ranges))), ranges), raw, smoothed


def _answer_signals(evidence: GeometricEvidence) -> dict[str, float]:
    return {
        **({} if evidence.similarity is None else _signals(evidence.similarity)),
        "support_rate": evidence.support_rate or 0.0,
        "low_evidence": float(evidence.low_evidence),
        "stitched": float(any(one.stitched for one in evidence.claims)),
    }


def _mark(judged: Judged, finding: Finding, *, is_wrong: bool) -> Mark:
    """Return the mark of a finding; in a statement that is wrong anyway, names that no reference has are marked too."""
    evidence = () if finding.evidence is None else (_sourced(judged.corpus, finding.evidence),)
    speaks = speaks_for_itself(finding) or (is_wrong and finding.relation == "absent")
    return Mark(
        finding.start,
        finding.end,
        finding.reason,
        evidence,
        contradicted=finding.relation == "contradicted",
        binding=speaks,
        score=SPEAKS if speaks else 0.0,
    )


def _sentence_notes(judged: Judged, standings: Iterable[_Standing]) -> Iterator[SentenceNote]:
    for one in judged.evidence.statements:
        if one.claimless is not None:
            yield SentenceNote(one.start, one.end, status="no_claim")
    for standing in standings:
        one = standing.statement
        if one.best is None or one.similarity is None:
            raise ReadingError("a statement that claims something must have its signals and a sentence to compare with")
        best = one.best.evidence(0, len(one.best.sheet.text))
        signals = {
            **_signals(one.similarity),
            "coverage": one.coverage,
            "coverage_anywhere": one.coverage_anywhere,
            "supported": float(one.supported),
            "stitched": float(one.stitched),
            "statement_score": standing.score,
        }
        status: Unjudged | None = "not_verifiable" if standing.is_open else None
        score = None if standing.is_open else standing.score
        yield SentenceNote(one.start, one.end, (_sourced(judged.corpus, best),), signals, status, score)


def _signals(similarity: SimilaritySignals) -> dict[str, float]:
    names = ("max_similarity", "weighted_similarity", "spread", "density", "euclidean_distance")
    return {name: float(getattr(similarity, name)) for name in names}


def _sourced(corpus: Corpus, evidence: Evidence) -> Evidence:
    document = corpus.documents[evidence.reference]
    return replace(evidence, source=document.source or document.id)


def _language_notes(unfit: Iterable[PairFitness]) -> list[Note]:
    return [Note("language_not_covered", fitness.sentence) for fitness in unfit]


def _conflict_notes(judged: Judged) -> list[Note]:
    """Say where what supports the answer is contradicted by another reference: an answer may follow either."""
    state = judged.corpus.state
    if not state.conflicts:
        return []
    best = [one.best for one in judged.evidence.claims if one.best is not None]
    documents = {place.reference for place in best}
    notes = []
    for pair in state.conflicts:
        chunks = [state.chunk(row) for row in (pair.first, pair.second) if int(state.places[row, 0]) in documents]
        if any(_holds(chunk, place) for chunk in chunks for place in best):
            quoted = " and ".join(f"«{state.chunk(row).text}»" for row in (pair.first, pair.second))
            notes.append(Note("conflicting_references", f"References disagree: {quoted}."))
    return notes


def _holds(chunk: Chunk, place: PlacedSheet) -> bool:
    return chunk.reference == place.reference and chunk.start <= place.start < chunk.end
