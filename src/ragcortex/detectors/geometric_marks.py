"""What comparing facts found, as marks of a report: why, the sentence of a reference, and the pieces that differ."""

from collections.abc import Sequence
from dataclasses import replace

from ragcortex.errors import ReadingError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.judgement import SPEAKS, speaks_for_itself
from ragcortex.report import Difference, Evidence, Mark


def finding_marks(
    corpus: Corpus, evidence: GeometricEvidence, scores: Sequence[float] | None = None, least: float = 0.0
) -> tuple[Mark, ...]:
    """Return the marks of all findings on an answer, in order.

    The evidence of a mark is the sentence that holds the piece which contradicts it, and that piece is its difference.
    For what no reference says it is the statement's best sentence, and where a statement is stitched together the best
    sentence and the one of another subject; neither has a difference.

    Alone, findings that speak for themselves are binding, and so are names that no reference has in a statement that is
    wrong anyway. With scores, all findings of flagged statements are binding but those that a statement is stitched.

    Args:
        corpus: the references.
        evidence: what the geometric witness saw, with m statements that claim something.
        scores: of these, by more than this witness; m numbers in [0, 1].
        least: from which of these scores on a statement is flagged.
    """
    marks = []
    for number, statement in enumerate(evidence.claims):
        speaks = [speaks_for_itself(finding) for finding in statement.findings]
        if scores is None:
            is_wrong, score = any(speaks), SPEAKS
        else:
            is_wrong, score = scores[number] >= least, scores[number]
            speaks = [is_wrong and finding.relation == "contradicted" for finding in statement.findings]
        for finding, own in zip(statement.findings, speaks, strict=True):
            binding = own or (is_wrong and finding.relation == "absent")
            marks.append(
                Mark(
                    finding.start,
                    finding.end,
                    finding.reason,
                    _evidence(corpus, evidence.known, statement, finding),
                    contradicted=finding.relation == "contradicted",
                    binding=binding,
                    score=score if binding else 0.0,
                    differences=_differences(corpus, finding),
                )
            )
    return tuple(marks)


def best_sentence(corpus: Corpus, statement: StatementEvidence) -> Evidence:
    """Return the sentence of the references that supports a statement best.

    Raises:
        ReadingError: the statement was compared with none, which only one that claims nothing may be.
    """
    if statement.best is None:
        raise ReadingError("a statement that claims something must have a sentence to compare with")
    return _sourced(corpus, _whole(statement.best))


def _evidence(
    corpus: Corpus, known: Sequence[PlacedSheet], statement: StatementEvidence, finding: Finding
) -> tuple[Evidence, ...]:
    if finding.evidence is None:
        return (best_sentence(corpus, statement),)
    held = _sourced(corpus, _sentence_of(known, finding.evidence))
    if finding.relation == "contradicted":
        return (held,)
    return tuple(dict.fromkeys((best_sentence(corpus, statement), held)))


def _differences(corpus: Corpus, finding: Finding) -> tuple[Difference, ...]:
    if finding.evidence is None or finding.relation != "contradicted" or finding.reason == "stitched":
        return ()
    piece = _sourced(corpus, finding.evidence)
    return (Difference(finding.start, finding.end, finding.text, piece, finding.reason),)


def _sentence_of(known: Sequence[PlacedSheet], piece: Evidence) -> Evidence:
    """Return the longest sentence that holds a piece: where chunks overlap, one of them may have cut it."""
    held = [place for place in known if place.reference == piece.reference and _reaches(place, piece)]
    if not held:
        raise ReadingError(
            f"the evidence of a finding must lie in a sentence that was asked, got {piece.start}..{piece.end} of "
            f"reference {piece.reference}, which none of {len(known)} holds"
        )
    return _whole(max(held, key=lambda place: len(place.sheet.text)))


def _reaches(place: PlacedSheet, piece: Evidence) -> bool:
    return place.start <= piece.start and piece.end <= place.start + len(place.sheet.text)


def _whole(place: PlacedSheet) -> Evidence:
    return place.evidence(0, len(place.sheet.text))


def _sourced(corpus: Corpus, evidence: Evidence) -> Evidence:
    document = corpus.documents[evidence.reference]
    return replace(evidence, source=document.source or document.id)
