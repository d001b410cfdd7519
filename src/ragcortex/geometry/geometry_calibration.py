"""The calibration of the geometric witness on disk, tied to all that its scores depend on; a stale one is refused."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from ragcortex.bundle_files import write_json
from ragcortex.checks import check_day, check_score, check_text, no_number
from ragcortex.errors import BundleError, InputError
from ragcortex.geometry.calibration_report import CalibrationReport
from ragcortex.geometry.embedders.embedder import EmbedderIdentity
from ragcortex.score_arrays import exact_fields

SCHEMA: Final = "ragcortex.geometry-calibration/1"
ChunkingValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class GeometryCalibration:
    """The thresholds of the geometric witness, the labelled answers behind them, and what they hold for.

    Attributes:
        threshold: an answer at or above it counts as hallucinated; in [0, 1].
        review_threshold: an answer at or above it should be looked at by a person; not above `threshold`.
        report: the figures on the labelled answers.
        data: which labelled answers they are, in words.
        date: the day of the calibration, as YYYY-MM-DD.
        embedder: the model whose vectors were scored.
        chunking: how references were cut into chunks, by the names of the settings.
        corpus_fingerprint: the corpus the answers were checked against; None where each came with its own references.
        weights_fingerprint: the model that turns geometric signals into a score.

    Raises:
        InputError: a field has the wrong type or is out of range.
    """

    threshold: float
    review_threshold: float
    report: CalibrationReport
    data: str
    date: str
    embedder: EmbedderIdentity
    chunking: Mapping[str, ChunkingValue]
    corpus_fingerprint: str | None
    weights_fingerprint: str

    __hash__ = None  # type: ignore[assignment]  # it holds a mapping

    def __post_init__(self) -> None:
        for name in ("threshold", "review_threshold"):
            check_score(name, getattr(self, name))
        if self.review_threshold > self.threshold:
            raise InputError(
                "review_threshold", f"must be at most threshold={self.threshold}, got {self.review_threshold}"
            )
        for name, kind in (("report", CalibrationReport), ("embedder", EmbedderIdentity)):
            if not isinstance(getattr(self, name), kind):
                raise InputError(name, f"must be {kind.__name__}, got {type(getattr(self, name)).__name__}")
        check_text("data", self.data, filled=True)
        check_day("date", self.date)
        object.__setattr__(self, "chunking", _checked_chunking(self.chunking))
        check_text("corpus_fingerprint", self.corpus_fingerprint, optional=True)
        check_text("weights_fingerprint", self.weights_fingerprint, filled=True)

    def check_fresh(
        self,
        embedder_identity: EmbedderIdentity,
        chunking: Mapping[str, ChunkingValue],
        corpus_fingerprint: str | None,
        weights_fingerprint: str,
    ) -> None:
        """Refuse to be used with anything that would give other scores than those the thresholds were chosen on.

        Args:
            embedder_identity: the model that embeds now. Its name and revision may differ, its weights may not.
            chunking: how references are cut now.
            corpus_fingerprint: the corpus checked against now; None where each answer brings its own references.
            weights_fingerprint: the model that scores now.

        Raises:
            BundleError: something changed; the message names all that did, was and is, and what to do.
        """
        changes = [
            *_embedder_changes(self.embedder, embedder_identity),
            *_chunking_changes(self.chunking, chunking),
        ]
        if corpus_fingerprint != self.corpus_fingerprint:
            changes.append(f"the corpus ({_corpus(self.corpus_fingerprint)}, now {_corpus(corpus_fingerprint)})")
        if weights_fingerprint != self.weights_fingerprint:
            changes.append(f"the score model ({_short(self.weights_fingerprint)}, now {_short(weights_fingerprint)})")
        if changes:
            raise BundleError(
                f"the calibration of {self.date} is stale, its thresholds do not hold any more: changed "
                f"{_changed(changes)}; run `ragcortex calibrate --witness geometry` again, or go back to what was "
                "calibrated"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "threshold": self.threshold,
            "review_threshold": self.review_threshold,
            "report": self.report.to_dict(),
            "data": self.data,
            "date": self.date,
            "embedder": asdict(self.embedder),
            "chunking": dict(self.chunking),
            "corpus_fingerprint": self.corpus_fingerprint,
            "weights_fingerprint": self.weights_fingerprint,
        }

    @classmethod
    def from_dict(cls, data: object) -> "GeometryCalibration":
        """Return the calibration that `to_dict` wrote.

        Raises:
            BundleError: it is of another version, or a field is missing, unknown or out of range; the message names it.
        """
        values: dict[str, Any] = exact_fields(data, ["schema", *(field.name for field in fields(cls))], "calibration")
        schema = values.pop("schema")
        if schema != SCHEMA:
            raise BundleError(
                f"calibration.schema: must be {SCHEMA!r}, got {schema!r}; another version wrote this file"
            )
        values["report"] = CalibrationReport.from_dict(values["report"], "calibration.report")
        names = [field.name for field in fields(EmbedderIdentity)]
        identity: dict[str, Any] = exact_fields(values["embedder"], names, "calibration.embedder")
        try:
            values["embedder"] = EmbedderIdentity(**identity)
        except InputError as error:
            raise BundleError(f"calibration.embedder.{error}") from error
        try:
            return cls(**values)
        except InputError as error:
            raise BundleError(f"calibration.{error}") from error

    def save(self, path: Path) -> None:
        """Write the calibration as JSON, whole or not at all; an older one there is replaced.

        Raises:
            StoreError: the file cannot be written.
        """
        write_json(path, self.to_dict(), f"calibration {str(path)!r} cannot be written", indent=2)

    @classmethod
    def load(cls, path: Path) -> "GeometryCalibration":
        """Return the calibration in a file.

        Raises:
            BundleError: the file is missing, is not JSON, or does not hold exactly a calibration; the message names it.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"), parse_constant=no_number)
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise BundleError(
                f"calibration {str(path)!r} cannot be read: {reason}; run `ragcortex calibrate --witness geometry` to "
                "make one"
            ) from error
        try:
            return cls.from_dict(data)
        except BundleError as error:
            raise BundleError(f"{str(path)!r}: {error}") from error


def _checked_chunking(chunking: object) -> dict[str, ChunkingValue]:
    if not isinstance(chunking, Mapping) or not all(isinstance(name, str) for name in chunking):
        raise InputError("chunking", f"must be an object of settings, got {chunking!r}")
    for name, value in chunking.items():
        if value is not None and not isinstance(value, str | int | float):
            raise InputError(f"chunking.{name}", f"must be a text, a number, true, false or null, got {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"chunking.{name}", f"must be finite, got {value!r}")
    return dict(chunking)


def _embedder_changes(was: EmbedderIdentity, now: EmbedderIdentity) -> list[str]:
    if was.fingerprint != now.fingerprint:
        return [f"the embedder ({_embedder(was)}, now {_embedder(now)})"]
    return [
        f"the embedder's {name} ({getattr(was, name)}, now {getattr(now, name)})"
        for name in ("dimension", "max_tokens")
        if getattr(was, name) != getattr(now, name)
    ]


def _chunking_changes(was: Mapping[str, ChunkingValue], now: Mapping[str, ChunkingValue]) -> list[str]:
    return [
        f"the chunking's {name} ({_setting(was, name)}, now {_setting(now, name)})"
        for name in sorted({*was, *now})
        if _setting(was, name) != _setting(now, name)
    ]


def _setting(chunking: Mapping[str, ChunkingValue], name: str) -> str:
    return repr(chunking[name]) if name in chunking else "not set"


def _embedder(identity: EmbedderIdentity) -> str:
    revision = f" revision {identity.revision}" if identity.revision else ""
    return f"{identity.id}{revision} {_short(identity.fingerprint)}"


def _corpus(fingerprint: str | None) -> str:
    return "each answer's own references" if fingerprint is None else _short(fingerprint)


def _short(fingerprint: str) -> str:
    return fingerprint if len(fingerprint) <= 12 else fingerprint[:12] + "…"


def _changed(changes: list[str]) -> str:
    return changes[0] if len(changes) == 1 else f"{', '.join(changes[:-1])} and {changes[-1]}"
