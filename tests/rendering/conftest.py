"""Reports made of hand-written scores, one for each thing a reader has to be shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import regex

from ragcortex.align import AnswerTokens, token_ranges
from ragcortex.report import DetectorInfo, Difference, Evidence, Note, Report, Thresholds, build_report

INFO = DetectorInfo("cortex", "0.1.0", "tiny-reader", "sha256:0123456789abcdef0123456789", "hand-written answers")
THRESHOLDS = Thresholds(token=0.5, review=0.45, hallucinated=0.8)


def report_on(text: str, marked: Sequence[str] = (), score: float = 0.9, **extra: object) -> Report:
    """Judge a text by hand: 0.9 for the words in `marked` (their first occurrence), 0.1 for the others."""
    ranges = token_ranges(text, [match.span() for match in regex.finditer(r"\s*(?:[\p{L}\p{N}]+|\X)", text)])
    tokens = AnswerTokens(text, tuple(range(len(ranges))), ranges)
    places = [(text.index(words), text.index(words) + len(words)) for words in marked]
    hit = [any(start < last and end > first for first, last in places) for start, end in ranges]
    scores = np.where(hit, 0.9, 0.1)
    return build_report(tokens, scores, scores, score, thresholds=THRESHOLDS, detector=INFO, **extra)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def make() -> Callable[..., Report]:
    return report_on


@pytest.fixture
def tower() -> Report:
    """A plain English answer with a wrong city, a question, evidence and a note."""
    report = report_on(
        "The tower stands in Berlin, France. It is 330 metres tall.\n\n- Smoking is not allowed.",
        ["Berlin"],
        question="Where is it?",
        id="tower/1",
        notes=(Note("windowed", "The references were read in 3 windows of 2,048 tokens."),),
    )
    span = replace(
        report.spans[0],
        reasons=("entity",),
        evidence=(PARIS,),
        differences=(Difference(20, 26, "Berlin", Evidence(0, 20, 25, "Paris"), "entity"),),
        contributions={"reference_gain": 1.5, "max_similarity": -0.75, "spread": 0.01},
    )
    first, second, third = report.sentences
    first = replace(first, state="contradicted", evidence=(PARIS,), contributions={"absent_name": 2.25})
    second = replace(second, evidence=(replace(PARIS, reference=1, source="guide.pdf"),))
    return replace(report, spans=(span,), sentences=(first, second, third))


PARIS = Evidence(0, 0, 35, "The tower stands in Paris (France).")


@pytest.fixture
def hostile() -> Report:
    """An answer, a question and a note that try to take over the terminal or the page."""
    attack = (
        "\x1b[2J\x1b]0;owned\x07[bold red]x[/] <script>alert(1)</script> \"'& {{ 7*7 }} \u202etxt\u202c \x9b5m \rover"
    )
    return report_on(
        attack + " ⟦fake⟧ [[fake]]",
        ["fake"],
        question=attack,
        id=attack,
        notes=(Note("attack", attack),),
        score=0.7996,
    )
