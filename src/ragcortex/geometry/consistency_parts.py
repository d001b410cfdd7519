"""What the comparison of several sampled answers found: checked when built, with a JSON form.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from ragcortex.checks import check_known, check_parts, check_position, check_range, check_score, check_text
from ragcortex.errors import InputError
from ragcortex.geometry.consistency_clusters import semantic_entropy
from ragcortex.geometry.facts.fact import FACT_KINDS, FactKind
from ragcortex.report_parts import Note

SCHEMA: Final = "ragcortex.consistency/1"
LIMITATION: Final = (
    "Answers that agree can still all be wrong: a stable falsehood is invisible to this check. "
    "It measures how sure the generator is, not whether it is right."
)
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one of the answers: `answers[answer][start:end] == text`."""

    answer: int
    start: int
    end: int
    text: str

    def __post_init__(self) -> None:
        check_position("answer", self.answer)
        check_range(self.start, self.end, self.text)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A fact of one answer that contradicts the majority.

    Attributes:
        kind: what kind of fact differs.
        found: the fact in the answer that differs; for a negation the marker, or the sentence that lacks it.
        majority: what an answer of the majority says there.
    """

    kind: FactKind
    found: Place
    majority: Place

    def __post_init__(self) -> None:
        check_known("kind", self.kind, FACT_KINDS)
        if self.found.answer == self.majority.answer:
            raise InputError("majority", f"must be of another answer than found, got {self.majority.answer} for both")


@dataclass(frozen=True, slots=True)
class Consistency:
    """How far several answers to one question agree.

    Attributes:
        answers: the n answers, exactly as given.
        clusters: the answers by meaning, as indices; largest cluster first, then by first index.
        refusals: the index in `clusters` of the answers that claim nothing; None where every answer claims something.
        agreement: for each answer the share of the other answers that mean the same, in [0, 1].
        disagreements: facts in which an answer outside the largest cluster contradicts it, by position.
        similarity: the cosine from which on two answers were taken to mean the same.
        embedder: fingerprint of the embedding model.
        question: the question the answers were read after; None if they were compared on their own.
        notes: what to know about this result.
        limitation: what this check is not able to see; always the same sentence, always there.
    """

    answers: tuple[str, ...]
    clusters: tuple[tuple[int, ...], ...]
    refusals: int | None
    agreement: tuple[float, ...]
    disagreements: tuple[Disagreement, ...]
    similarity: float
    embedder: str
    question: str | None = None
    notes: tuple[Note, ...] = ()
    limitation: str = LIMITATION

    def __post_init__(self) -> None:
        check_parts("answers", self.answers, str)
        check_parts("agreement", self.agreement, float)
        check_parts("disagreements", self.disagreements, Disagreement)
        check_parts("notes", self.notes, Note)
        check_text("embedder", self.embedder, filled=True)
        check_text("question", self.question, optional=True)
        if self.limitation != LIMITATION:
            raise InputError("limitation", "must be the statement of what this check is not able to see, unchanged")
        self._check_clusters()
        self._check_figures()
        for index, disagreement in enumerate(self.disagreements):
            for place in (disagreement.found, disagreement.majority):
                if place.answer >= self.n_answers:
                    raise InputError(f"disagreements[{index}]", f"is about answer {place.answer}, which does not exist")
                if self.answers[place.answer][place.start : place.end] != place.text:
                    raise InputError(f"disagreements[{index}]", f"is not the text of answer {place.answer} there")

    def _check_clusters(self) -> None:
        if self.n_answers < 2:
            raise InputError("answers", f"must be at least 2, got {self.n_answers}")
        check_parts("clusters", self.clusters, tuple)
        if sorted(index for cluster in self.clusters for index in cluster) != list(range(self.n_answers)):
            raise InputError("clusters", f"must hold each index from 0 to {self.n_answers - 1} once")
        if not all(self.clusters) or any(list(cluster) != sorted(cluster) for cluster in self.clusters):
            raise InputError("clusters", "must not be empty, and hold their indices in order")
        if any((-len(one), one[0]) > (-len(two), two[0]) for one, two in pairwise(self.clusters)):
            raise InputError("clusters", "must be in order, the largest first")
        if self.refusals is not None and not 0 <= self.refusals < self.n_clusters:
            raise InputError("refusals", f"must be below the number of clusters {self.n_clusters}, got {self.refusals}")

    def _check_figures(self) -> None:
        if not -1 <= self.similarity <= 1:
            raise InputError("similarity", f"must be a cosine from -1 to 1, got {self.similarity!r}")
        if len(self.agreement) != self.n_answers:
            raise InputError(
                "agreement", f"must have one value an answer ({self.n_answers}), got {len(self.agreement)}"
            )
        for index, value in enumerate(self.agreement):
            check_score(f"agreement[{index}]", value)

    @property
    def n_answers(self) -> int:
        """How many answers were compared."""
        return len(self.answers)

    @property
    def n_clusters(self) -> int:
        """How many meanings there are."""
        return len(self.clusters)

    @property
    def entropy(self) -> float:
        """Semantic entropy in nats, from 0 (one cluster) to log n (n clusters)."""
        return semantic_entropy([len(cluster) for cluster in self.clusters])

    @property
    def normalized_entropy(self) -> float:
        """The entropy divided by log n, in [0, 1]."""
        return min(1.0, self.entropy / math.log(self.n_answers))  # rounding may carry it past 1

    @property
    def score(self) -> float | None:
        """The normalised entropy, higher is more likely hallucinated; None where no answer claims anything."""
        return None if self.refusals is not None and self.n_clusters == 1 else self.normalized_entropy

    @property
    def largest_share(self) -> float:
        """Share of the answers in the largest cluster, in (0, 1]."""
        return len(self.clusters[0]) / self.n_answers

    @property
    def majority(self) -> tuple[int, ...] | None:
        """The answers of the largest cluster; None where another one is as large."""
        if self.n_clusters > 1 and len(self.clusters[1]) == len(self.clusters[0]):
            return None
        return self.clusters[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, figures rounded to 6 decimals."""
        return {
            "schema": SCHEMA,
            "score": None if self.score is None else round(self.score, _DECIMALS),
            "n_answers": self.n_answers,
            "n_clusters": self.n_clusters,
            "clusters": [list(cluster) for cluster in self.clusters],
            "refusals": self.refusals,
            "entropy": round(self.entropy, _DECIMALS),
            "normalized_entropy": round(self.normalized_entropy, _DECIMALS),
            "largest_share": round(self.largest_share, _DECIMALS),
            "agreement": [round(value, _DECIMALS) for value in self.agreement],
            "disagreements": [
                {"kind": each.kind, "found": _place(each.found), "majority": _place(each.majority)}
                for each in self.disagreements
            ],
            "question": self.question,
            "answers": list(self.answers),
            "similarity": self.similarity,
            "embedder": self.embedder,
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "limitation": self.limitation,
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the result as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)


def _place(place: Place) -> dict[str, Any]:
    return {"answer": place.answer, "start": place.start, "end": place.end, "text": place.text}
