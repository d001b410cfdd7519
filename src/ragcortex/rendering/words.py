"""What the codes of a report mean, in words a person understands; the terminal and the page both use them."""

from typing import Final

from ragcortex.report import Evidence, FlaggedSpan, Report

VERDICTS: Final = {
    "grounded": "Grounded",
    "review": "Needs review",
    "hallucinated": "Hallucinated",
    "no_claim": "No claim",
    "not_verifiable": "Not verifiable",
}
STATES: Final = {
    "supported": "supported",
    "contradicted": "contradicted",
    "unsupported": "unsupported",
    "not_verifiable": "not verifiable",
    "no_claim": "no claim",
}
_REASONS: Final = {
    "number": "a number differs",
    "date": "a date or time differs",
    "unit": "a unit differs",
    "entity": "a name differs",
    "negation": "a negation was added or dropped",
    "condition": "a condition was added or dropped",
    "role": "who did what is swapped",
    "low_support": "no reference says this",
    "low_reference_influence": "the references hardly influence these words",
    "stitched": "pieced together from references that do not belong together",
    "conflicting_references": "the references disagree",
}


def explain_verdict(report: Report) -> str:
    """Return one sentence that says what the verdict means, and which thresholds led to it."""
    if report.verdict == "no_claim":
        return "The answer states nothing that could be checked against the references."
    if report.verdict == "not_verifiable" or report.score is None or report.thresholds is None:
        return "The answer could not be checked" + ("; the notes say why." if report.notes else ".")
    review, limit = report.thresholds.review, report.thresholds.hallucinated
    if report.verdict == "hallucinated":
        return f"From {number(limit)} on, an answer counts as hallucinated: it says what the references do not support."
    if report.verdict == "review" and report.score >= limit:
        return "The score is that of a hallucinated answer, but no passage stands out: a person should look at it."
    if report.verdict == "review":
        return (
            f"From {number(review)} on, a person should look at the answer; "
            f"from {number(limit)} on, it would count as hallucinated."
        )
    sentence = f"Below {number(review)}, an answer counts as grounded in its references."
    return f"{sentence} What is marked may still be worth a look." if report.spans else sentence


def explain_spans(report: Report) -> str:
    """Return one sentence on how much of the answer is marked; empty where the answer was not judged."""
    if report.thresholds is None:
        return ""
    count = len(report.spans)
    limit = number(report.thresholds.token)
    if not count:
        return f"No passage is marked: no word scores {limit} or more."
    passages = "1 passage is" if count == 1 else f"{count} passages are"
    return f"{passages} marked as unsupported: words that score {limit} or more."


def explain_reason(reason: str, *, contradicted: bool = True) -> str:
    """Return a reason code in words; without evidence to the contrary, a fact is one that no reference has."""
    return _REASONS[reason] if contradicted else _ABSENT.get(reason, _REASONS[reason])


def name_signal(name: str) -> str:
    """Return what a signal is called; one without a name of its own has that of its code, with spaces."""
    return _SIGNALS.get(name, name.replace("_", " "))


def name_reference(evidence: Evidence) -> str:
    """Return which reference evidence is from: its number from 1, and its source where it has one."""
    number = f"reference {evidence.reference + 1}"
    return number if evidence.source is None else f"{number}, {evidence.source}"


_SIGNALS: Final = {
    "max_similarity": "similarity to the nearest text",
    "weighted_similarity": "similarity to the nearest texts",
    "spread": "spread of similarities",
    "density": "texts nearby",
    "distance": "distance to the nearest text",
    "coverage": "words in the best sentence",
    "coverage_anywhere": "words in any sentence",
    "uncovered": "words not in the best sentence",
    "contradicted": "contradicted by a reference",
    "absent_figure": "figure in no reference",
    "absent_name": "name in no reference",
    "pieced": "pieced together",
    "novel_words": "words in no reference",
    "reader": "reader",
    "reader_near": "reader, 9 tokens around",
    "reader_around": "reader, 25 tokens around",
    "word": "word against the references",
    "word_near": "words around it",
    "statement": "statement against the references",
    "contradicted_figure": "figure contradicted",
    "contradicted_name": "name contradicted",
    "contradicted_polarity": "negation, condition or role contradicted",
    "between_words": "not in a word",
    "highest_token": "its most suspicious token",
    "mean_token": "its tokens on average",
}
_ABSENT: Final = {
    "number": "no reference has this number",
    "date": "no reference has this date or time",
    "unit": "no reference has this unit",
    "entity": "no reference has this name",
}


def needs_explaining(span: FlaggedSpan, *, explain: bool = False) -> bool:
    """Tell whether there is more to say about a span than the one reason every span has without evidence."""
    more = bool(span.evidence) or span.reasons != ("low_reference_influence",)
    return more or (explain and bool(span.contributions))


CONTRIBUTIONS: Final = (
    "Signed numbers say what each signal adds to the log-odds; above 0, it speaks for a hallucination."
)
NO_CONTRIBUTIONS: Final = "This detector does not say what each signal adds."


def number(score: float, *limits: float) -> str:
    """Return the score with two decimals, or as many more as it takes to tell it from the limits.

    >>> number(0.25), number(0.7999, 0.8)
    ('0.25', '0.7999')
    """
    for decimals in range(2, 7):
        shown = f"{score:.{decimals}f}"
        if all((score < limit) == (float(shown) < round(limit, decimals)) for limit in limits):
            return shown
    return f"{score:.6f}"


def shown_score(report: Report) -> str:
    """Return the answer's score so that it lies visibly on the right side of its thresholds; a dash for none."""
    if report.score is None or report.thresholds is None:
        return "–"
    return number(report.score, report.thresholds.review, report.thresholds.hallucinated)


def name_models(report: Report, ellipsis: str = "…") -> tuple[tuple[str, str], ...]:
    """Return what each model that judged is called, and its name with the first characters of its fingerprint."""
    info = report.detector
    first = "Encoder" if info.witness == "geometry" else "Reader"
    models = [(first, _named(info.reader, info.reader_fingerprint, ellipsis))]
    if info.embedder is not None and info.embedder_fingerprint is not None:
        models.append(("Encoder", _named(info.embedder, info.embedder_fingerprint, ellipsis)))
    return tuple(models)


def _named(model: str, fingerprint: str, ellipsis: str) -> str:
    return f"{model} ({fingerprint if len(fingerprint) <= 20 else fingerprint[:20] + ellipsis})"


def name_detector(report: Report) -> str:
    """Return the detector, its version, and what its thresholds were set on."""
    info = report.detector
    calibration = f"thresholds set on {info.calibration}" if info.calibration else "thresholds not calibrated"
    return f"{info.name} {info.version}, {calibration}"
