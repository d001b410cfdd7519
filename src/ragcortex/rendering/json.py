"""A report as JSON, and back. The contract is docs/report.md; report.schema.json states it for machines."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from ragcortex.detector_info import DetectorInfo
from ragcortex.errors import InputError
from ragcortex.report import SCHEMA, Report
from ragcortex.report_parts import (
    Difference,
    Evidence,
    FlaggedSpan,
    Note,
    ParagraphScore,
    SentenceScore,
    Thresholds,
    TokenScore,
)

_DECIMALS = 6
_T = TypeVar("_T")
# Legal inside a JSON string, but a terminal may obey them and a reader of lines may break there.
_UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def to_dict(report: Report) -> dict[str, Any]:
    """Return the report as JSON values, scores rounded to 6 decimals (decisions were taken before the rounding)."""
    return {
        "schema": SCHEMA,
        "id": report.id,
        "verdict": report.verdict,
        "score": _rounded(report.score),
        "question": report.question,
        "answer": report.answer,
        "tokens": [token_values(token) for token in report.tokens],
        "spans": [span_values(span) for span in report.spans],
        "sentences": [
            _place(sentence)
            | {
                "score": _rounded(sentence.score),
                "state": sentence.state,
                "evidence": [_evidence_values(evidence) for evidence in sentence.evidence],
                "signals": _numbers(sentence.signals),
                "contributions": _numbers(sentence.contributions),
            }
            for sentence in report.sentences
        ],
        "paragraphs": [_place(p) | {"score": _rounded(p.score)} for p in report.paragraphs],
        "thresholds": report.thresholds
        and {
            "token": _rounded(report.thresholds.token),
            "review": _rounded(report.thresholds.review),
            "hallucinated": _rounded(report.thresholds.hallucinated),
        },
        "detector": {
            "name": report.detector.name,
            "version": report.detector.version,
            "reader": report.detector.reader,
            "reader_fingerprint": report.detector.reader_fingerprint,
            "calibration": report.detector.calibration,
            "witness": report.detector.witness,
            "embedder": report.detector.embedder,
            "embedder_fingerprint": report.detector.embedder_fingerprint,
        },
        "notes": [{"code": note.code, "text": note.text} for note in report.notes],
        "signals": _numbers(report.signals),
    }


def token_values(token: TokenScore) -> dict[str, Any]:
    """Return a token as JSON values, as in a report."""
    return _place(token) | {"score": _rounded(token.score), "raw": _rounded(token.raw)}


def span_values(span: FlaggedSpan) -> dict[str, Any]:
    """Return a marked span as JSON values, as in a report."""
    return _place(span) | {
        "score": _rounded(span.score),
        "reasons": list(span.reasons),
        "evidence": [_evidence_values(evidence) for evidence in span.evidence],
        "differences": [
            _place(one) | {"evidence": _evidence_values(one.evidence), "reason": one.reason} for one in span.differences
        ],
        "contributions": _numbers(span.contributions),
    }


def to_json(report: Report, indent: int | None) -> str:
    """Return the report as JSON text; characters that move a cursor or break a line are escaped."""
    text = json.dumps(to_dict(report), ensure_ascii=False, allow_nan=False, indent=indent)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def from_dict(values: object) -> Report:
    """Return the report that `to_dict` wrote.

    Raises:
        InputError: naming the field that is missing, of the wrong type, or contradicts the others.
    """
    fields = _Fields("", values, "report")
    if fields["schema"] != SCHEMA:
        raise InputError("schema", f"must be {SCHEMA!r}, got {fields['schema']!r}; another version wrote this report")
    thresholds = fields["thresholds"]
    return Report(
        answer=fields["answer"],
        verdict=fields["verdict"],
        score=_number(fields["score"]),
        tokens=fields.parts("tokens", _token),
        spans=fields.parts("spans", _span),
        sentences=fields.parts("sentences", _sentence),
        paragraphs=fields.parts("paragraphs", _paragraph),
        detector=_built("detector", fields["detector"], _detector),
        notes=fields.parts("notes", _note),
        id=fields["id"],
        question=fields["question"],
        thresholds=None if thresholds is None else _built("thresholds", thresholds, _thresholds),
        signals=fields.get("signals", {}),
    )


class _Fields:
    """A JSON object whose missing and mistyped fields are errors that name their place."""

    def __init__(self, place: str, values: object, name: str = "") -> None:
        if not isinstance(values, Mapping):
            raise InputError(place or name, f"must be a JSON object, got {type(values).__name__}")
        self._place = place
        self._values = cast(Mapping[str, Any], values)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise InputError(_inside(self._place, name), "is missing")
        return self._values[name]

    def get(self, name: str, default: Any) -> Any:
        return self._values.get(name, default)

    def parts(self, name: str, build: "Callable[[_Fields], _T]", *, optional: bool = False) -> tuple[_T, ...]:
        if optional and name not in self._values:
            return ()
        values, place = self[name], _inside(self._place, name)
        if not isinstance(values, list):
            raise InputError(place, f"must be a list, got {type(values).__name__}")
        return tuple(_built(f"{place}[{index}]", value, build) for index, value in enumerate(values))

    def inside(self, name: str) -> str:
        """Return the place of one of the fields."""
        return _inside(self._place, name)

    def place(self) -> tuple[int, int, str]:
        return self["start"], self["end"], self["text"]


def _built(place: str, values: object, build: Callable[[_Fields], _T]) -> _T:
    fields = _Fields(place, values)
    try:
        return build(fields)
    except InputError as error:
        if error.field.startswith(place):
            raise
        raise InputError(_inside(place, error.field), error.message) from None


def _token(fields: _Fields) -> TokenScore:
    return TokenScore(*fields.place(), _number(fields["score"]), _number(fields["raw"]))


def _evidence(fields: _Fields) -> Evidence:
    return Evidence(fields["reference"], *fields.place(), source=fields.get("source", None))


def _span(fields: _Fields) -> FlaggedSpan:
    reasons = fields["reasons"]
    if not isinstance(reasons, list):
        raise InputError("reasons", f"must be a list, got {type(reasons).__name__}")
    return FlaggedSpan(
        *fields.place(),
        _number(fields["score"]),
        tuple(reasons),
        fields.parts("evidence", _evidence),
        fields.parts("differences", _difference, optional=True),
        fields.get("contributions", {}),
    )


def _difference(fields: _Fields) -> Difference:
    evidence = _built(fields.inside("evidence"), fields["evidence"], _evidence)
    return Difference(*fields.place(), evidence, fields.get("reason", None))


def _sentence(fields: _Fields) -> SentenceScore:
    evidence = fields.parts("evidence", _evidence, optional=True)
    signals, contributions = fields.get("signals", {}), fields.get("contributions", {})
    return SentenceScore(*fields.place(), _number(fields["score"]), fields["state"], evidence, signals, contributions)


def _paragraph(fields: _Fields) -> ParagraphScore:
    return ParagraphScore(*fields.place(), _number(fields["score"]))


def _note(fields: _Fields) -> Note:
    return Note(fields["code"], fields["text"])


def _thresholds(fields: _Fields) -> Thresholds:
    return Thresholds(*(_number(fields[name]) for name in ("token", "review", "hallucinated")))


def _detector(fields: _Fields) -> DetectorInfo:
    name, version, reader, fingerprint, calibration = (
        fields[field] for field in ("name", "version", "reader", "reader_fingerprint", "calibration")
    )
    witness = fields.get("witness", "internal")
    embedder = (fields.get(field, None) for field in ("embedder", "embedder_fingerprint"))
    return DetectorInfo(name, version, reader, fingerprint, calibration, witness, *embedder)


def _number(value: Any) -> Any:
    """Return a JSON number as a float (1 and 1.0 are the same number in JSON); anything else for the type to refuse."""
    return float(value) if isinstance(value, int) and value in (0, 1) and not isinstance(value, bool) else value


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(float(score), _DECIMALS)


def _place(part: TokenScore | FlaggedSpan | SentenceScore | ParagraphScore | Evidence | Difference) -> dict[str, Any]:
    return {"start": part.start, "end": part.end, "text": part.text}


def _evidence_values(evidence: Evidence) -> dict[str, Any]:
    return {"reference": evidence.reference} | _place(evidence) | {"source": evidence.source}


def _numbers(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), _DECIMALS) for name, value in values.items()}


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
