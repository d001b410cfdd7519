"""The fusion on disk: the stack, its probabilities, its thresholds, and the two witnesses that it was fitted on."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from ragcortex.bundle_files import make_folder, read_json, write_json
from ragcortex.calibration import Calibration
from ragcortex.checks import check_score, check_text
from ragcortex.errors import BundleError, InputError
from ragcortex.fusion.stack import FusionStack
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import spoken
from ragcortex.platt import PlattScaling
from ragcortex.score_arrays import exact_fields

SCHEMA: Final = "ragcortex.fusion/1"
FILE_NAME: Final = "fusion.json"
_LEVELS: Final = ("tokens", "statements", "answers")


@dataclass(frozen=True, slots=True)
class CascadeBounds:
    """Between which scores of the geometric witness an answer is left to the reader.

    Attributes:
        low: an answer whose geometric score is below it is grounded without reading.
        high: one at or above it whose facts contradict the references is hallucinated without reading.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        check_score("low", self.low)
        check_score("high", self.high)
        if self.low > self.high:
            raise InputError("low", f"must be at most high ({self.high}), got {self.low}")

    def decides(self, score: float, evidence: GeometricEvidence) -> Literal["", "grounded", "hallucinated"]:
        """Return what the geometric witness's score of an answer says without reading; empty where it must be read."""
        if score < self.low:
            return "grounded"
        return "hallucinated" if score >= self.high and spoken(evidence).any() else ""


@dataclass(frozen=True, slots=True)
class FusionModel:
    """How what both witnesses say becomes probabilities, spans and a verdict.

    Attributes:
        name, version: of the detector.
        internal: the detector that reads: a shipped one's name, or a folder beside this file.
        internal_digest: SHA-256 of that detector's `detector.json`; another is refused.
        geometry_fingerprint: of the geometric score model it was fitted on; another is refused.
        stack: from signals to scores.
        probabilities: from the scores of `tokens`, `statements` and `answers` to probabilities.
        statement_threshold: from which probability on a statement is flagged.
        cascade: what is decided without reading.
        calibration: the thresholds of tokens and answers, and where all of them come from.
        training: data, licences and choices, for the card.
        figures: measured results, for the card.
    """

    name: str
    version: str
    internal: str
    internal_digest: str
    geometry_fingerprint: str
    stack: FusionStack
    probabilities: Mapping[str, PlattScaling] = field(hash=False)
    statement_threshold: float
    cascade: CascadeBounds
    calibration: Calibration
    training: Mapping[str, Any] = field(default_factory=dict, hash=False)
    figures: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("name", "version", "internal", "internal_digest", "geometry_fingerprint"):
            check_text(name, getattr(self, name), filled=True)
        if sorted(self.probabilities) != sorted(_LEVELS):
            raise InputError("probabilities", f"must be of {', '.join(_LEVELS)}, got {', '.join(self.probabilities)}")
        check_score("statement_threshold", self.statement_threshold)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all that decides a report."""
        values = self.to_dict()
        for name in ("training", "figures"):
            values.pop(name)
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "version": self.version,
            "internal": {"detector": self.internal, "sha256": self.internal_digest},
            "geometry_fingerprint": self.geometry_fingerprint,
            "stack": self.stack.to_dict(),
            "probabilities": {level: self.probabilities[level].to_dict() for level in _LEVELS},
            "statement_threshold": self.statement_threshold,
            "cascade": {"low": self.cascade.low, "high": self.cascade.high},
            "calibration": self.calibration.to_dict(),
            "training": dict(self.training),
            "figures": dict(self.figures),
        }

    @classmethod
    def from_dict(cls, data: object) -> "FusionModel":
        """Return the model that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or unusable; the message names it.
        """
        names = (
            "schema", "name", "version", "internal", "geometry_fingerprint", "stack", "probabilities",
            "statement_threshold", "cascade", "calibration", "training", "figures",
        )  # fmt: skip
        values: dict[str, Any] = exact_fields(data, names, "fusion")
        if values["schema"] != SCHEMA:
            raise BundleError(
                f"fusion.schema: must be {SCHEMA!r}, got {values['schema']!r}; another version wrote this model"
            )
        internal: dict[str, Any] = exact_fields(values["internal"], ("detector", "sha256"), "fusion.internal")
        levels = exact_fields(values["probabilities"], _LEVELS, "fusion.probabilities")
        bounds: dict[str, Any] = exact_fields(values["cascade"], ("low", "high"), "fusion.cascade")
        try:
            cascade = CascadeBounds(**bounds)
        except InputError as error:
            raise BundleError(f"fusion.cascade.{error}") from error
        for name in ("training", "figures"):
            if not isinstance(values[name], Mapping):
                raise BundleError(f"fusion.{name}: must be an object, got {type(values[name]).__name__}")
        try:
            return cls(
                name=values["name"],
                version=values["version"],
                internal=internal["detector"],
                internal_digest=internal["sha256"],
                geometry_fingerprint=values["geometry_fingerprint"],
                stack=FusionStack.from_dict(values["stack"], "fusion.stack"),
                probabilities={
                    level: PlattScaling.from_dict(levels[level], f"fusion.probabilities.{level}") for level in _LEVELS
                },
                statement_threshold=values["statement_threshold"],
                cascade=cascade,
                calibration=Calibration.from_dict(values["calibration"]),
                training=values["training"],
                figures=values["figures"],
            )
        except InputError as error:
            raise BundleError(f"fusion.{error}") from error

    def save(self, file: Path) -> None:
        """Write the model to a file, whole or not at all; its folder is made if need be.

        Raises:
            StoreError: the folder or the file cannot be written.
        """
        failure = f"the fusion cannot be written to {str(file)!r}"
        make_folder(file.parent, failure)
        write_json(file, self.to_dict(), failure, indent=1)

    @classmethod
    def load(cls, file: Path) -> "FusionModel":
        """Return the model in a file.

        Raises:
            BundleError: the file is missing, damaged or of another version.
        """
        return cls.from_dict(read_json(file))
