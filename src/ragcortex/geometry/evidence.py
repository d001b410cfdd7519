"""What the geometric witness sees in one answer: its statements among the references, and what their facts find."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragcortex.checks import check_range, check_score
from ragcortex.geometry.claims import ClaimlessKind
from ragcortex.geometry.facts.fact import Amount, Fact, FactKind
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.similarity import SimilaritySignals
from ragcortex.report_parts import Evidence

_FIGURE_KINDS: Final = ("number", "quantity", "money", "percentage", "duration", "ordinal", "date", "time")
_FIGURE_REASONS: Final = ("number", "date", "unit", "role")
# Small bare counts («two ways») are an answer's own way of counting; the references need not have them.
_OWN_COUNT: Final = 12


@dataclass(frozen=True, slots=True)
class StatementEvidence:
    """One statement of the answer.

    Attributes:
        start, end, text: where it stands; `answer[start:end] == text`.
        claimless: what kind of sentence it is if it claims nothing (a greeting, a refusal, a question …), else None.
        place: its facts and content words; None exactly where it claims nothing.
        similarity: its signals among the chunks; None exactly where it claims nothing.
        nearest: the nearest chunk; None where it claims nothing.
        best: the sentence of the references that supports it best, by content words and similarity; None where it
            claims nothing or the references have no sentence.
        coverage: share of its content words that `best` has, in [0, 1]; 1 where it has none.
        coverage_anywhere: share that any of the sentences asked has, in [0, 1]; 1 where it has none.
        supported: whether the support score of `best` reaches the threshold.
        stitched: whether only two sentences of different subjects together have its content.
        findings: what comparing its facts found, by position.
        reference_language: the language of the nearest chunk; None where it claims nothing.
    """

    start: int
    end: int
    text: str
    claimless: ClaimlessKind | None
    place: PlacedSheet | None = None
    similarity: SimilaritySignals | None = None
    nearest: Evidence | None = None
    best: PlacedSheet | None = None
    coverage: float = 0.0
    coverage_anywhere: float = 0.0
    supported: bool = False
    stitched: bool = False
    findings: tuple[Finding, ...] = ()
    reference_language: str | None = None

    @property
    def confirms_figures(self) -> bool:
        """Whether it gives an amount, date or time, and the references confirm each of them."""
        return self._confirms(_FIGURE_KINDS, _FIGURE_REASONS)

    @property
    def confirms_names(self) -> bool:
        """Whether it has a name, and the references have each of them."""
        return self._confirms(("name",), ("entity",))

    @property
    def covered(self) -> float:
        """Share of its content words and figures that `best` has, a confirmed figure counting as one word."""
        return self._with_figures(self.coverage)

    @property
    def covered_anywhere(self) -> float:
        """Share of its content words and figures that the sentences asked have."""
        return self._with_figures(self.coverage_anywhere)

    def _with_figures(self, coverage: float) -> float:
        if self.place is None:
            return 0.0
        n_words = len(self.place.stems)
        n_figures = sum(not _is_own_count(fact) for fact in self.place.sheet.of_kind(*_FIGURE_KINDS))
        n_wrong = min(n_figures, sum(finding.reason in _FIGURE_REASONS for finding in self.findings))
        n_all = n_words + n_figures
        return (coverage * n_words + n_figures - n_wrong) / n_all if n_all else 1.0

    def _confirms(self, kinds: tuple[FactKind, ...], reasons: tuple[str, ...]) -> bool:
        facts = () if self.place is None else self.place.sheet.of_kind(*kinds)
        given = any(not _is_own_count(fact) for fact in facts)
        return given and not any(finding.reason in reasons for finding in self.findings)

    def __post_init__(self) -> None:
        check_range(self.start, self.end, self.text)
        check_score("coverage", self.coverage)
        check_score("coverage_anywhere", self.coverage_anywhere)


@dataclass(frozen=True, slots=True)
class GeometricEvidence:
    """All signals of one answer.

    Attributes:
        answer: the answer.
        statements: its statements in order.
        similarity: signals of the whole answer, its vector being the mean of its statements' raw vectors by length;
            None where no statement claims anything.
        language: the language of the answer (ISO 639-1); that of the references where it does not show.
        known: the sentences of the references that were compared, over all statements.
        given: the sentences of the question.
    """

    answer: str
    statements: tuple[StatementEvidence, ...]
    similarity: SimilaritySignals | None
    language: str
    known: tuple[PlacedSheet, ...]
    given: tuple[PlacedSheet, ...] = ()

    @property
    def question_stems(self) -> frozenset[str]:
        """The stems of the question's content words."""
        return frozenset(stem for place in self.given for stem in place.stems)

    @property
    def claims(self) -> tuple[StatementEvidence, ...]:
        """The statements that claim something."""
        return tuple(one for one in self.statements if one.claimless is None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the facts of all statements find, by position."""
        return tuple(finding for one in self.statements for finding in one.findings)

    @property
    def support_rate(self) -> float | None:
        """Share of the statements with claims that are supported; None where there are none."""
        claims = self.claims
        return sum(one.supported for one in claims) / len(claims) if claims else None

    @property
    def low_evidence(self) -> bool:
        """Whether fewer than half of the statements are supported, however near the answer lies to the references."""
        rate = self.support_rate
        return rate is not None and rate < 0.5

    def to_dict(self) -> dict[str, Any]:
        """Return the signals as JSON values, 6 decimals each."""
        return {
            "similarity": _similarity(self.similarity),
            "support_rate": _rounded(self.support_rate),
            "low_evidence": self.low_evidence,
            "statements": [_statement(one) for one in self.statements],
        }


def _is_own_count(fact: Fact) -> bool:
    return isinstance(fact.value, Amount) and fact.value.unit is None and fact.value.high <= _OWN_COUNT


def _statement(one: StatementEvidence) -> dict[str, Any]:
    found: dict[str, Any] = {"start": one.start, "end": one.end, "text": one.text, "claimless": one.claimless}
    if one.claimless is not None:
        return found
    return {
        **found,
        "similarity": _similarity(one.similarity),
        "nearest": _evidence(one.nearest),
        "coverage": _rounded(one.coverage),
        "coverage_anywhere": _rounded(one.coverage_anywhere),
        "supported": one.supported,
        "stitched": one.stitched,
        "reference_language": one.reference_language,
        "findings": [_finding(finding) for finding in one.findings],
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "reason": one.reason,
        "relation": one.relation,
        "start": one.start,
        "end": one.end,
        "text": one.text,
        "evidence": _evidence(one.evidence),
    }


def _similarity(one: SimilaritySignals | None) -> dict[str, Any] | None:
    if one is None:
        return None
    names: Sequence[str] = ("max_similarity", "weighted_similarity", "spread", "euclidean_distance")
    return {**{name: _rounded(getattr(one, name)) for name in names}, "density": one.density}


def _evidence(one: Evidence | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"reference": one.reference, "start": one.start, "end": one.end, "text": one.text}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)
