"""Stitched statements: a subject of one sentence with what another sentence says of something else."""

from collections.abc import Sequence
from typing import Final, cast

from ragcortex.geometry.facts.fact import FactKind, Marker
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.stitching_predicates import second_predicate_finding

_LEAST_TERMS: Final = 4
# One sentence alone has at most this share of the content, two together at least that.
_ONE_ALONE: Final = 0.8
_BOTH: Final = 0.85
_SUBJECT_TERMS: Final = 2
# Facts that say something even where all words around them are known.
_TELLING: Final[tuple[FactKind, ...]] = ("negation", "number", "quantity", "money", "percentage", "duration", "date")


def stitched_finding(claim: PlacedSheet, evidence: Sequence[PlacedSheet]) -> Finding | None:
    """Return a finding on the part of a statement that the references say of another subject, if there is one.

    The claim's first content words (its subject) are in one sentence and the rest is in another, which has a subject
    of its own that the claim does not name; neither sentence has it all. The finding covers what comes after the
    subject, and its evidence is the sentence that says it of the other subject. Nor may only the last predicate of the
    claim be another subject's (`stitching_predicates`).
    """
    if len(claim.stems) < _LEAST_TERMS:
        return None
    return _pieced(claim, evidence) or second_predicate_finding(claim, evidence)


def _pieced(claim: PlacedSheet, evidence: Sequence[PlacedSheet]) -> Finding | None:
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
                span = (start, claim.sheet.terms[-1].end)
                if _is_parallel(claim, subject, place, other):
                    return claim.found("stitched", span, place, relation="contradicted")
                return claim.found("stitched", span, other)
    return None


def _is_parallel(claim: PlacedSheet, subject: frozenset[str], about: PlacedSheet, other: PlacedSheet) -> bool:
    """Return whether two sentences set two subjects apart.

    Each begins with its own, they go on with a same word, and the one about the claim's subject says or denies
    something that the claim does not. A pronoun at the beginning of the claim sets nothing apart.
    """
    if claim.goes_on:
        return False
    alike = (claim.stems - subject) & about.stems & other.stems
    apart = about.stems - claim.stems or any(
        about.sheet.text[fact.start : fact.end] not in claim.sheet.text for fact in about.facts(_TELLING)
    )
    return subject == frozenset(_first_terms(about)) and bool(alike) and bool(apart)


def _says_something_else(place: PlacedSheet, rest: frozenset[str]) -> bool:
    """Return whether a sentence about the subject lacks most of what is claimed, or some of it and says «only»."""
    said = rest & place.stems
    only = any(cast(Marker, fact.value).sense == "only" for fact in place.facts(("quantifier",)))
    return len(said) * 2 <= len(rest) or (only and said != rest)


def _has_other_subject(claim: PlacedSheet, other: PlacedSheet) -> bool:
    """Return whether a sentence starts, behind its label if it has one, with content words that the claim lacks."""
    first = _first_terms(other)
    return bool(first) and first[0] not in claim.stems


def _first_terms(place: PlacedSheet) -> list[str]:
    label = place.sheet.text.find(":") + 1
    return [term.stem for term in place.sheet.terms if term.start >= label][:_SUBJECT_TERMS]
