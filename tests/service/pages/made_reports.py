"""Reports with marked passages, made by hand, and the checks that keep them."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragcortex.report import (
    DetectorInfo,
    Difference,
    Evidence,
    FlaggedSpan,
    Note,
    Report,
    SentenceScore,
    Thresholds,
    verdict_for,
)
from ragcortex.service.storage.tables import Check

INFO = DetectorInfo("geometry", "1", "words", "f0" * 32, None, witness="geometry")
THRESHOLDS = Thresholds(token=0.5, review=0.4, hallucinated=0.8)
NOW = datetime.datetime(2030, 5, 17, 12, 30, tzinfo=datetime.UTC)
REFERENCES = ("The tower stands in Paris (France).", "It was opened in 1889, and is 330 metres tall.")
ANSWER = "The tower stands in Berlin. It was opened in 1890."
PARIS = Evidence(0, 0, 35, REFERENCES[0])
OPENED = Evidence(1, 0, 22, "It was opened in 1889,", "guide.pdf")


def tower(**changes: Any) -> Report:
    """Return a report on ANSWER: a wrong city with its evidence, and a year that no reference has."""
    spans = (
        FlaggedSpan(
            20, 26, "Berlin", 0.9, ("entity",), (PARIS,),
            (Difference(20, 26, "Berlin", Evidence(0, 20, 25, "Paris"), "entity"),),
        ),
        FlaggedSpan(45, 49, "1890", 0.7, ("date", "low_support"), (OPENED,)),
    )  # fmt: skip
    sentences = (
        SentenceScore(0, 27, ANSWER[:27], 0.9, "contradicted", (PARIS,)),
        SentenceScore(28, 50, ANSWER[28:], 0.7, "unsupported", (OPENED,)),
    )
    return replace(report(ANSWER, spans=spans, sentences=sentences, score=0.9), **changes)


def report(
    answer: str,
    *,
    spans: Sequence[FlaggedSpan] = (),
    sentences: Sequence[SentenceScore] = (),
    score: float = 0.1,
    notes: Sequence[Note] = (),
) -> Report:
    """Return a report on an answer."""
    return Report(
        answer=answer,
        verdict=verdict_for(score, THRESHOLDS, marked=bool(spans)),
        score=score,
        tokens=(),
        spans=tuple(spans),
        sentences=tuple(sentences),
        paragraphs=(),
        detector=INFO,
        notes=tuple(notes),
        thresholds=THRESHOLDS,
    )


def check(judged: Report, references: Sequence[str] = REFERENCES, **values: Any) -> Check:
    """Return the check that keeps a report."""
    kept: dict[str, Any] = {
        "id": "c" * 32,
        "created_at": NOW,
        "actor": "local",
        "question": judged.question,
        "references": [{"text": text, "id": None, "source": None} for text in references],
        "answer": judged.answer,
        "report": judged.to_dict(),
        "verdict": judged.verdict,
        "score": judged.score,
        "review_threshold": judged.thresholds.review if judged.thresholds else None,
        "hallucinated_threshold": judged.thresholds.hallucinated if judged.thresholds else None,
        "witness": "geometry",
        "detector": "geometry 1",
        "detector_fingerprint": "d" * 64,
        "n_characters": len(judged.answer),
        "n_spans": len(judged.spans),
        "seconds": 0.01,
        "policy": "triage",
        "action": "block",
        "sampled": False,
        "queue": "open",
        "priority": 2.5,
    }
    return Check(**kept | values)
