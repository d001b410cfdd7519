"""The report of the geometric witness: scores, findings and languages become spans, states and a verdict."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, Range, claim_words, token_ranges
from ragcortex.detectors.geometric_marks import finding_marks
from ragcortex.detectors.standings import (
    Standing,
    answer_signals,
    evidence_notes,
    sentence_notes,
    standings,
    unfit_pairs,
)
from ragcortex.example import Example
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import GeometricScores, any_of
from ragcortex.report import DetectorInfo, Report, Thresholds, build_report, unjudged_report

Floats = npt.NDArray[np.float64]


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
    raise the answer's score (`judgement.with_findings`). Statements in a language that the embedder does not cover are
    judged by facts alone (`standings`); where one stays open, the answer is not_verifiable if nothing else in it calls
    for a person's look.
    """
    evidence, example = judged.evidence, judged.example
    unfit = unfit_pairs(evidence, judged.embedder)
    found = standings(evidence, judged.scores.statements.tolist(), unfit)
    marks = finding_marks(judged.corpus, evidence)
    notes = evidence_notes(judged.corpus, evidence, unfit)
    answer = any_of(np.array([one.score for one in found]))
    speaks = any(mark.binding for mark in marks) or answer >= judged.thresholds.review
    if any(one.is_open for one in found) and not speaks:
        return unjudged_report(
            example.answer, "not_verifiable", notes, judged.info, question=example.question, id=example.id
        )
    tokens, raw, smoothed = _tokens(judged, found)
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
        sentence_notes=tuple(sentence_notes(judged.corpus, evidence, found)),
        signals=answer_signals(evidence),
    )


def _tokens(judged: Judged, standings: Iterable[Standing]) -> tuple[AnswerTokens, Floats, Floats]:
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
