"""What the comparison of facts finds, and where sentences stand in their texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

import regex

from ragcortex.checks import check_known, check_range
from ragcortex.errors import InputError
from ragcortex.geometry.facts.extract import FactSheet
from ragcortex.geometry.facts.fact import Fact
from ragcortex.report_parts import REASONS, Evidence

Relation = Literal["contradicted", "absent", "pieced"]
RELATIONS: Final[tuple[str, ...]] = get_args(Relation)
_NEAR_TERMS: Final = 3
# A sentence that begins so goes on about the subject of the one before it.
_PRONOUN: Final = regex.compile(
    r"\W*(?:on \w+ |in \w+ )?(?:it|its|they|their|he|his|she|her|this|these|er|sie|es|ihre?|sein\w*|diese\w*|elle|il"
    r"|ils|elles|ce|cette|son|sa|ses|su|sus|él|ella|ellos|este|esta)\b|\W*(?:它|他|她|其|该|同|これ|それ|同|本|彼)",
    flags=regex.IGNORECASE,
)
_SUBJECT_TERMS: Final = 2
# Stems that stand around figures, dates and names of any kind: «that same year», «Ms».
TELLS_NOTHING: Final = frozenset(
    (
        "year", "month", "day", "time", "date", "jahr", "monat", "tag", "zeit", "an", "anne", "mois", "jour", "temp",
        "ano", "mes", "dia", "vez", "total", "number", "about", "mr", "mrs", "ms", "dr", "prof", "herr", "frau", "mme",
        "sr", "sra",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of the answer whose facts the references contradict, or do not have.

    Attributes:
        reason: a reason code of reports (`number`, `date`, `unit`, `entity`, `negation`, `condition`, `role` …).
        relation: `contradicted` where a reference says otherwise, `absent` where no reference says it, `pieced` where
            references say it of something else.
        start, end, text: the stretch; `answer[start:end] == text`.
        evidence: what the references say instead; None exactly where the fact is absent.
    """

    reason: str
    relation: Relation
    start: int
    end: int
    text: str
    evidence: Evidence | None

    def __post_init__(self) -> None:
        check_known("reason", self.reason, REASONS)
        check_known("relation", self.relation, RELATIONS)
        check_range(self.start, self.end, self.text)
        if (self.evidence is None) != (self.relation == "absent"):
            raise InputError(
                "evidence", f"must be {'null' if self.relation == 'absent' else 'given'} for {self.relation}"
            )


@dataclass(frozen=True, slots=True)
class Around:
    """The content words around a fact, those of the fact itself left out.

    Attributes:
        near: the stems of the three before and the three after it.
        before, after: the stem right before and right after it; None at the edge of the sentence.
    """

    near: frozenset[str]
    before: str | None
    after: str | None


@dataclass(frozen=True)
class PlacedSheet:
    """The facts of one sentence, and where it stands: in reference number `reference`, or in the answer (None)."""

    sheet: FactSheet
    start: int
    reference: int | None = None

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return frozenset(term.stem for term in self.sheet.terms)

    @cached_property
    def goes_on(self) -> bool:
        """Whether it begins with a pronoun, which stands for the subject of the sentence before it."""
        return _PRONOUN.match(self.sheet.text) is not None

    @cached_property
    def subject(self) -> frozenset[str]:
        """The stems of the name that it begins with, else of its first two content words."""
        terms, names = self.sheet.terms, self.by_kind.get("name")
        if names and terms and names[0].start <= terms[0].start:
            return self.stems_within(names[0].start, names[0].end)
        return frozenset(term.stem for term in terms[:_SUBJECT_TERMS])

    @cached_property
    def by_kind(self) -> dict[str, tuple[Fact, ...]]:
        """Its facts by kind, each by position."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.sheet.facts:
            found[fact.kind] = (*found.get(fact.kind, ()), fact)
        return found

    @cached_property
    def arounds(self) -> dict[tuple[int, int], Around]:
        """The content words around each of its facts, by the fact's place."""
        return {(fact.start, fact.end): self._around(fact) for fact in self.sheet.facts}

    def facts(self, kinds: Sequence[str]) -> tuple[Fact, ...]:
        """Return its facts of these kinds by position."""
        if len(kinds) == 1:
            return self.by_kind.get(kinds[0], ())
        key = tuple(kinds)
        if key not in self._selected:
            found = (fact for kind in key for fact in self.by_kind.get(kind, ()))
            self._selected[key] = tuple(sorted(found, key=lambda fact: fact.start))
        return self._selected[key]

    @cached_property
    def _selected(self) -> dict[tuple[str, ...], tuple[Fact, ...]]:
        """What `facts` has returned before."""
        return {}

    def around(self, fact: Fact) -> Around:
        """Return the content words around one of its facts."""
        return self.arounds[fact.start, fact.end]

    def stems_within(self, start: int, end: int) -> frozenset[str]:
        """Return the stems of the content words that begin in a stretch of the sentence."""
        return frozenset(term.stem for term in self.sheet.terms if start <= term.start < end)

    def evidence(self, start: int, end: int) -> Evidence:
        """Return a stretch of the sentence as evidence; offsets count the sentence's characters."""
        if self.reference is None:
            raise InputError("reference", "only a sentence of a reference is evidence")
        return Evidence(self.reference, self.start + start, self.start + end, self.sheet.text[start:end])

    def found(
        self,
        reason: str,
        span: tuple[int, int],
        against: "PlacedSheet | None" = None,
        there: tuple[int, int] | None = None,
        *,
        relation: Relation | None = None,
    ) -> Finding:
        """Return a finding at a stretch of this sentence, by default contradicted by another one if that is given.

        Args:
            reason: why.
            span: the stretch.
            against: the sentence of a reference that says otherwise; what is stitched is pieced together from it.
            there: the stretch of that sentence; all of it by default.
            relation: to that sentence, where it is another than its reason has.
        """
        start, end = span
        evidence = None
        if against is not None:
            evidence = against.evidence(*(there or (0, len(against.sheet.text))))
        if relation is None:
            relation = "absent" if evidence is None else "pieced" if reason == "stitched" else "contradicted"
        return Finding(reason, relation, self.start + start, self.start + end, self.sheet.text[start:end], evidence)

    def overlap(self, other: "PlacedSheet") -> float:
        """Return the share of this sentence's content words that the other one has; 0 where it has none."""
        return len(self.stems & other.stems) / len(self.stems) if self.stems else 0.0

    def _around(self, fact: Fact) -> Around:
        telling = [term for term in self.sheet.terms if term.stem not in TELLS_NOTHING]
        before = [term.stem for term in telling if term.end <= fact.start][-_NEAR_TERMS:]
        after = [term.stem for term in telling if term.start >= fact.end][:_NEAR_TERMS]
        return Around(frozenset((*before, *after)), before[-1] if before else None, after[0] if after else None)


def span_of(fact: Fact) -> tuple[int, int]:
    """Return where a fact stands in its sentence."""
    return fact.start, fact.end
