"""The judgement of one answer as one object, which checks itself and renders itself.

Positions are half-open and count characters (Unicode code points) of the answer exactly as given, so that
`answer[start:end] == text` for every part. Scores lie in [0, 1]; higher means more likely hallucinated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from ragcortex.checks import check_known, check_numbers, check_parts, check_places, check_score, check_text
from ragcortex.detector_info import DetectorInfo
from ragcortex.errors import InputError
from ragcortex.report_parts import (
    UNJUDGED,
    VERDICTS,
    FlaggedSpan,
    Note,
    ParagraphScore,
    SentenceScore,
    Thresholds,
    TokenScore,
    Verdict,
)

SCHEMA: Final = "ragcortex.report/1"
_PARTS: Final = ("tokens", "spans", "sentences", "paragraphs")
_PART_TYPES: Final = (TokenScore, FlaggedSpan, SentenceScore, ParagraphScore)


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one answer.

    Attributes:
        answer: the text judged; every range counts its characters.
        verdict: grounded, review or hallucinated; no_claim or not_verifiable where the answer was not judged.
        score: the answer's score; None exactly where it was not judged.
        tokens, spans, sentences, paragraphs: the parts, in order, without overlap.
        detector: who judged.
        notes: what the reader of the report should know.
        thresholds: what scores were compared with; None exactly where the answer was not judged.
        id, question: carried through from the input.
        signals: named measures of the whole answer, of a witness that gives some.

    Raises:
        InputError: naming the field, if a part is not the answer's text at its range, out of order or overlapping,
            or if a score, verdict, state or reason is not one of those allowed.
    """

    answer: str
    verdict: Verdict
    score: float | None
    tokens: tuple[TokenScore, ...]
    spans: tuple[FlaggedSpan, ...]
    sentences: tuple[SentenceScore, ...]
    paragraphs: tuple[ParagraphScore, ...]
    detector: DetectorInfo
    notes: tuple[Note, ...] = ()
    id: str | None = None
    question: str | None = None
    thresholds: Thresholds | None = None
    signals: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_text("answer", self.answer)
        check_text("id", self.id, optional=True)
        check_text("question", self.question, optional=True)
        check_known("verdict", self.verdict, VERDICTS)
        check_score("score", self.score, optional=True)
        for name, kind in zip(_PARTS, _PART_TYPES, strict=True):
            check_parts(name, getattr(self, name), kind)
            check_places(name, getattr(self, name), self.answer)
        self._check_differences()
        check_parts("notes", self.notes, Note)
        check_numbers("signals", self.signals)
        if not isinstance(self.detector, DetectorInfo):
            raise InputError("detector", f"must be DetectorInfo, got {type(self.detector).__name__}")
        if self.thresholds is not None and not isinstance(self.thresholds, Thresholds):
            raise InputError("thresholds", f"must be Thresholds or None, got {type(self.thresholds).__name__}")
        self._check_judged()

    def _check_differences(self) -> None:
        for index, span in enumerate(self.spans):
            for number, one in enumerate(span.differences):
                if self.answer[one.start : one.end] != one.text:
                    field = f"spans[{index}].differences[{number}].text"
                    raise InputError(field, f"is not the answer's text at {one.start}..{one.end}")

    def _check_judged(self) -> None:
        judged = self.verdict not in UNJUDGED
        for name in ("score", "thresholds"):
            if (getattr(self, name) is not None) != judged:
                expected = "given" if judged else "null"
                raise InputError(name, f"must be {expected} where the verdict is {self.verdict}")
        for name in ("tokens", "spans"):
            if getattr(self, name) and not judged:
                raise InputError(name, f"must be empty where the verdict is {self.verdict}")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, as docs/report.md and report.schema.json describe; 6 decimals a score."""
        from ragcortex.rendering.json import to_dict

        return to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return the report as JSON text: one line without `indent`, and safe to print (no control characters)."""
        from ragcortex.rendering.json import to_json

        return to_json(self, indent)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Report":
        """Return the report that `to_dict` wrote; fields that a later version added are ignored.

        Raises:
            InputError: naming the field that is missing, of the wrong type, or contradicts the others.
        """
        from ragcortex.rendering.json import from_dict

        return from_dict(values)

    def to_text(self, *, width: int = 80, color: bool = False, unicode: bool = True, explain: bool = False) -> str:
        """Return the report for a terminal of `width` columns; without `color` the spans are put in brackets.

        With `explain`, supported sentences show their source, and spans and sentences what each signal contributes.
        """
        from ragcortex.rendering.terminal import TerminalStyle, render_text

        return render_text(self, TerminalStyle(width=width, color=color, unicode=unicode), explain=explain)

    def print(self, stream: TextIO | None = None, *, explain: bool = False) -> None:
        """Print the report on a text stream (standard output), as far as it and the environment allow."""
        from ragcortex.rendering.terminal import print_report

        print_report(self, stream, explain=explain)

    def to_html(self, *, explain: bool = False) -> str:
        """Return the report as one self-contained page: no scripts, nothing loaded from elsewhere.

        With `explain`, spans and sentences show what each signal contributes.
        """
        from ragcortex.rendering.html import render_page

        return render_page(self, explain=explain)

    def _repr_html_(self) -> str:
        from ragcortex.rendering.html import render_fragment

        return render_fragment(self)
