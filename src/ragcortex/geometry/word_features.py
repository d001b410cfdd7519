"""Named features of each word of an answer, from the geometric evidence: how far the references carry it."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, claim_words
from ragcortex.errors import ReadingError
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.finding import Finding

Floats = npt.NDArray[np.float64]

FEATURES: Final = (
    "content", "novel", "novel_to_best", "similar_form", "given", "new_pair", "novel_near", "novel_around",
    "distance", "uncovered", "uncovered_anywhere", "absent_figure", "absent_name", "contradicted", "stitched",
    "novel_and_distant", "confirmed_figures", "confirmed_names", "novel_words",
)  # fmt: skip
_FIGURES: Final = frozenset(("number", "date", "unit"))
_NAMES: Final = frozenset(("entity",))
_NEAR: Final = 3
_AROUND: Final = 10
_FORM: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class WordFeatures:
    """The features of an answer's words.

    Attributes:
        ranges: where the n words stand, in order; words of statements that claim nothing are left out.
        values: float64, shape (n, 19), columns as `FEATURES` names them:
            content: 1 for a content word. novel: its stem is in no sentence asked; novel_to_best: not in the best one.
            similar_form: it is novel, but a word of the references starts alike. given: the question has it.
            new_pair: it and the content word before it are known, but no sentence has both.
            novel_near, novel_around: share of novel ones among the content words within 3 and 10 places.
            distance: 1 − max_similarity of its statement. uncovered, uncovered_anywhere: 1 − the share that is covered.
            absent_figure, absent_name, contradicted, stitched: it lies in a finding of that kind.
            novel_and_distant: novel times distance.
            confirmed_figures, confirmed_names: its statement has some, and the references confirm each of them.
            novel_words: log(1 + how many content words of its statement are novel).
    """

    ranges: tuple[Range, ...]
    values: Floats

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.ranges), len(FEATURES)):
            expected = (len(self.ranges), len(FEATURES))
            raise ReadingError(f"word features must have shape {expected}, got {self.values.shape}")
        if not np.isfinite(self.values).all():
            raise ReadingError("word features must be finite")

    def __len__(self) -> int:
        return len(self.ranges)


def word_features(evidence: GeometricEvidence, question_stems: frozenset[str] | None = None) -> WordFeatures:
    """Return the features of the words of an answer's claims.

    Args:
        evidence: what the witness saw.
        question_stems: stems of the question's content words; by default those that the witness saw.

    Raises:
        ReadingError: a statement that claims something has no facts or signals.
    """
    known = _Known.of(evidence)
    asked = evidence.question_stems if question_stems is None else question_stems
    words = claim_words(evidence.answer)
    starts = [start for start, _ in words]
    ranges: list[Range] = []
    rows: list[Sequence[float]] = []
    for statement in evidence.claims:
        own = words[bisect_left(starts, statement.start) : bisect_left(starts, statement.end)]
        ranges += own
        rows += _rows(statement, own, known, asked)
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))
    _fill_neighbourhoods(values)
    return WordFeatures(tuple(ranges), values)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the sentences of the references say: in which of them each stem stands, and how stems begin."""

    places: Mapping[str, frozenset[int]]
    forms: frozenset[str]

    @classmethod
    def of(cls, evidence: GeometricEvidence) -> "_Known":
        places: dict[str, set[int]] = {}
        for number, place in enumerate(evidence.known):
            for stem in place.stems:
                places.setdefault(stem, set()).add(number)
        forms = frozenset(stem[:_FORM] for stem in places if len(stem) >= _FORM)
        return cls({stem: frozenset(numbers) for stem, numbers in places.items()}, forms)

    def is_new_pair(self, first: str, second: str) -> bool:
        """Return whether both stems are known, but no sentence has both."""
        one, other = self.places.get(first), self.places.get(second)
        return one is not None and other is not None and one.isdisjoint(other)


def _rows(
    statement: StatementEvidence, words: Sequence[Range], known: _Known, question_stems: frozenset[str]
) -> list[Sequence[float]]:
    """Return one row a word; a word of several content words («ice-cold») is novel if one of them is."""
    place, similarity = statement.place, statement.similarity
    if place is None or similarity is None:
        raise ReadingError("a statement that claims something must have its facts and signals")
    terms = place.sheet.terms
    starts = [term.start for term in terms]
    best = statement.best.stems if statement.best is not None else frozenset()
    distance = 1 - similarity.max_similarity
    uncovered, uncovered_anywhere = 1 - statement.covered, 1 - statement.covered_anywhere
    # The same for all words of the statement.
    last_columns = (
        statement.confirms_figures,
        statement.confirms_names,
        log1p(sum(term.stem not in known.places for term in terms)),
    )
    rows: list[Sequence[float]] = []
    before: str | None = None
    for start, end in words:
        first, last = (bisect_left(starts, position - statement.start) for position in (start, end))
        stems = [term.stem for term in terms[first:last]]
        new = [stem for stem in stems if stem not in known.places]
        here = [one for one in statement.findings if one.start < end and start < one.end]
        rows.append((
            bool(stems),
            bool(new),
            any(stem not in best for stem in stems),
            any(stem[:_FORM] in known.forms for stem in new),
            any(stem in question_stems for stem in stems),
            bool(stems) and before is not None and known.is_new_pair(before, stems[0]),
            0.0,
            0.0,
            distance,
            uncovered,
            uncovered_anywhere,
            _any(here, "absent", _FIGURES),
            _any(here, "absent", _NAMES),
            any(one.relation == "contradicted" for one in here),
            any(one.relation == "pieced" for one in here),
            bool(new) * distance,
            *last_columns,
        ))  # fmt: skip
        before = stems[-1] if stems else before
    return rows


def _any(findings: Iterable[Finding], relation: str, reasons: frozenset[str]) -> bool:
    return any(one.relation == relation and one.reason in reasons for one in findings)


def _fill_neighbourhoods(values: Floats) -> None:
    """Write, for every word, the share of novel ones among the content words near it."""
    content = values[:, FEATURES.index("content")]
    novel = values[:, FEATURES.index("novel")]
    for name, reach in (("novel_near", _NEAR), ("novel_around", _AROUND)):
        totals = [np.concatenate([[0.0], np.cumsum(column)]) for column in (novel, content)]
        index = np.arange(len(values))
        low, high = np.maximum(0, index - reach), np.minimum(len(values), index + reach + 1)
        counts = [total[high] - total[low] for total in totals]
        values[:, FEATURES.index(name)] = counts[0] / np.maximum(counts[1], 1)
