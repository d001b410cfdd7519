"""The report of both witnesses: probabilities, findings and languages become spans, states and a verdict.

The rule: a statement is flagged from the threshold on, and what is marked lies in flagged statements. An answer is
hallucinated if something is marked in it; up for review if its own probability reaches the threshold without that, as
several suspicious statements together may; not verifiable if a statement could not be judged and nothing else calls for
a person's look; and else grounded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragcortex.align import Range, strip_range, words
from ragcortex.detectors.geometric_marks import best_sentence, finding_marks
from ragcortex.detectors.standings import (
    Standing,
    UnfitPairs,
    answer_signals,
    evidence_notes,
    sentence_notes,
    standings,
)
from ragcortex.example import Example
from ragcortex.fusion.judgement import FusedScores
from ragcortex.fusion.model import FusionModel
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS
from ragcortex.fusion.token_signals import READER_SIGNALS, TOKEN_SIGNALS, TokenSignals, Values
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.facts.function_words import FUNCTION_WORDS
from ragcortex.report import (
    DetectorInfo,
    Mark,
    Note,
    Report,
    Thresholds,
    TokenContributions,
    build_report,
    unjudged_report,
)
from ragcortex.spans import unsupported_ranges

# Of a flagged statement without a token above the threshold, the tokens this near to its highest one are marked.
_NEAR_HIGHEST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Fused:
    """Everything the report of one answer with claims is made of."""

    example: Example
    corpus: Corpus
    evidence: GeometricEvidence
    signals: TokenSignals
    scores: FusedScores
    unfit: UnfitPairs
    model: FusionModel
    info: DetectorInfo
    notes: tuple[Note, ...]


def fused_report(fused: Fused) -> Report:
    """Return the report on an answer with claims, by the rule above.

    Statements in a language that the embedder does not cover are judged by facts alone (`standings`): what their tokens
    score marks nothing.
    """
    evidence, example, model = fused.evidence, fused.example, fused.model
    judged = standings(evidence, fused.scores.statements.tolist(), fused.unfit)
    flagged = [one.score >= model.statement_threshold for one in judged]
    answer = _answer_score(fused, judged)
    notes = (*fused.notes, *evidence_notes(fused.corpus, evidence, fused.unfit))
    thresholds = Thresholds.of(model.calibration)
    if any(one.is_open for one in judged) and not any(flagged) and answer < thresholds.review:
        return unjudged_report(
            example.answer, "not_verifiable", notes, fused.info, question=example.question, id=example.id
        )
    marks = finding_marks(fused.corpus, evidence, [one.score for one in judged], model.statement_threshold)
    ranges = _joined(example.answer, _ranges(fused, judged, flagged))
    contributions = [_named(STATEMENT_SIGNALS, row) for row in fused.scores.statement_contributions]
    return build_report(
        fused.signals.tokens,
        fused.scores.raw,
        fused.scores.tokens,
        answer,
        thresholds=thresholds,
        detector=fused.info,
        notes=notes,
        question=example.question,
        id=example.id,
        reason="low_reference_influence",
        marks=(*marks, *_reasons(fused, ranges, marks)),
        sentence_notes=tuple(sentence_notes(fused.corpus, evidence, judged, contributions)),
        signals=answer_signals(evidence),
        contributions=TokenContributions(TOKEN_SIGNALS, fused.scores.token_contributions),
        ranges=ranges,
    )


def _answer_score(fused: Fused, judged: Sequence[Standing]) -> float:
    """Return the probability of the answer; where facts alone judge a statement, theirs count as they stand."""
    by_facts = [one.score for one in judged if one.by_facts]
    weighed = fused.scores.answer if len(by_facts) < len(judged) else 0.0
    return max([weighed, *by_facts])


def _ranges(fused: Fused, judged: Sequence[Standing], flagged: Sequence[bool]) -> Iterator[Range]:
    """Yield what is marked: in each flagged statement the words above the token threshold.

    Where none is, and no finding says which words are wrong, those near its highest one.
    """
    text, threshold = fused.example.answer, fused.model.calibration.token_threshold
    units, membership = fused.signals.tokens.units()
    for number, (one, is_flagged) in enumerate(zip(judged, flagged, strict=True)):
        if not is_flagged or one.by_facts:
            continue
        own = np.where(fused.signals.statements == number, fused.scores.tokens, 0.0)
        scores = np.zeros(len(units))
        np.maximum.at(scores, membership, own)
        found = unsupported_ranges(text, units, scores, threshold)
        if not found and not one.statement.findings and scores.any():
            found = unsupported_ranges(text, units, scores, float(scores.max()) * _NEAR_HIGHEST)
        within = [
            strip_range(text, max(first, one.statement.start), min(last, one.statement.end)) for first, last in found
        ]
        yield from with_content(text, [own for own in within if own is not None], fused.evidence.language)


def with_content(text: str, ranges: Sequence[Range], language: str) -> Sequence[Range]:
    """Return one statement's ranges without those of function words of its language alone, unless it has no others.

    A word such as "the" beside a wrong one scores high by its neighbour; marked by itself it tells nobody anything.
    """
    plain = FUNCTION_WORDS.get(language, frozenset())
    telling = [
        (start, end)
        for start, end in ranges
        if any(text[start + a : start + b].casefold() not in plain for a, b in words(text[start:end]))
    ]
    return telling or ranges


def _joined(text: str, ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges in order; those with nothing but white space between them on one line are one."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        between = text[joined[-1][1] : start] if joined else ""
        if joined and not between.strip() and "\n" not in between:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def _reasons(fused: Fused, ranges: Sequence[Range], marks: Sequence[Mark]) -> Iterator[Mark]:
    """Yield why a range is marked that no finding explains: that it is far from the references, or not led by them.

    What speaks louder in its tokens decides: the signals of the geometric witness or those of the reader.
    """
    binding = [mark for mark in marks if mark.binding]
    for start, end in ranges:
        if any(mark.start < end and start < mark.end for mark in binding):
            continue
        own = [index for index, (first, last) in enumerate(fused.signals.tokens.ranges) if first < end and start < last]
        added = fused.scores.token_contributions[own].mean(axis=0)
        n_reader = len(READER_SIGNALS)
        by_geometry = added[n_reader:].sum() > added[:n_reader].sum()
        statement = next(one for one in fused.evidence.claims if one.start < end and start < one.end)
        reason = "low_support" if by_geometry else "low_reference_influence"
        yield Mark(start, end, reason, (best_sentence(fused.corpus, statement),))


def _named(names: Sequence[str], row: Values) -> Mapping[str, float]:
    return dict(zip(names, row.tolist(), strict=True))
