"""Stitched statements: a subject of one sentence with what another sentence says of something else."""

from collections.abc import Sequence
from typing import Final, cast

from ragcortex.geometry.facts.fact import Marker
from ragcortex.geometry.facts.finding import Finding, PlacedSheet

_LEAST_TERMS: Final = 4
# One sentence alone has at most this share of the content, two together at least that.
_ONE_ALONE: Final = 0.8
_BOTH: Final = 0.85
_SUBJECT_TERMS: Final = 2


def stitched_finding(claim: PlacedSheet, evidence: Sequence[PlacedSheet]) -> Finding | None:
    """Return a finding on the part of a statement that the references say of another subject, if there is one.

    The claim's first content words (its subject) are in one sentence and the rest is in another, which has a subject
    of its own that the claim does not name; neither sentence has it all. The finding covers what comes after the
    subject, and its evidence is the sentence that says it of the other subject.
    """
    if len(claim.stems) < _LEAST_TERMS:
        return None
    subject = frozenset(term.stem for term in claim.sheet.terms[:_SUBJECT_TERMS])
    rest = claim.stems - subject
    if any(claim.overlap(place) > _ONE_ALONE for place in evidence) or not rest:
        return None
    about = [place for place in evidence if subject <= place.stems]
    for other in sorted(evidence, key=lambda place: -len(rest & place.stems)):
        if len(rest & other.stems) < _BOTH * len(rest) or not _has_other_subject(claim, other):
            continue
        for place in about:
            together = len((place.stems | other.stems) & claim.stems)
            if place is not other and together >= _BOTH * len(claim.stems) and _says_something_else(place, rest):
                start = next(term.start for term in claim.sheet.terms if term.stem in rest)
                return claim.found("stitched", (start, claim.sheet.terms[-1].end), other)
    return None


def _says_something_else(place: PlacedSheet, rest: frozenset[str]) -> bool:
    """Return whether a sentence about the subject lacks most of what is claimed, or some of it and says «only»."""
    said = rest & place.stems
    only = any(cast(Marker, fact.value).sense == "only" for fact in place.facts(("quantifier",)))
    return len(said) * 2 <= len(rest) or (only and said != rest)


def _has_other_subject(claim: PlacedSheet, other: PlacedSheet) -> bool:
    """Return whether a sentence starts, behind its label if it has one, with content words that the claim lacks."""
    label = other.sheet.text.find(":") + 1
    first = [term.stem for term in other.sheet.terms if term.start >= label][:_SUBJECT_TERMS]
    return bool(first) and first[0] not in claim.stems
