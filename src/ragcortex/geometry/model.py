"""The geometric score on disk: two small linear models over named features, smoothing and thresholds."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragcortex.bundle_files import make_folder, read_json, write_json
from ragcortex.calibration import Calibration
from ragcortex.checks import check_text
from ragcortex.errors import BundleError, InputError
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.geometry.statement_features import STATEMENT_FEATURES
from ragcortex.geometry.witness import WitnessOptions
from ragcortex.geometry.word_features import FEATURES
from ragcortex.score_arrays import exact_fields
from ragcortex.smoothing import Smoothing

SCHEMA: Final = "ragcortex.geometry/1"
FILE_NAME: Final = "geometry.json"
DEFAULT: Final = Path(__file__).parent / "models" / FILE_NAME


@dataclass(frozen=True, slots=True)
class GeometryModel:
    """How the geometric evidence becomes scores.

    Attributes:
        name, version: of the model.
        words: from the features of a word to its raw score.
        statements: from the features of a statement to its score.
        smoothing: of the words' raw scores.
        options: how the witness looks.
        chunking: how references of a check are divided; a corpus on disk has its own.
        embedder_fingerprint: the embedding model that it was fitted with; another one is refused.
        calibration: the thresholds and where they come from.
        training: on which data it was fitted, under which licences.
    """

    name: str
    version: str
    words: LinearModel
    statements: LinearModel
    smoothing: Smoothing
    options: WitnessOptions
    chunking: Chunking
    embedder_fingerprint: str
    calibration: Calibration
    training: str

    def __post_init__(self) -> None:
        for name in ("name", "version", "embedder_fingerprint", "training"):
            check_text(name, getattr(self, name), filled=True)
        for name, expected in (("words", FEATURES), ("statements", STATEMENT_FEATURES)):
            got = getattr(self, name).names
            if got != expected:
                raise InputError(name, f"must have the features {', '.join(expected)}, got {', '.join(got)}")

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all that makes a score of given chunks: models, smoothing, options and embedder."""
        values = self.to_dict()
        scored = {
            name: values[name] for name in ("words", "statements", "smoothing", "options", "embedder_fingerprint")
        }
        return hashlib.sha256(json.dumps(scored, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "version": self.version,
            "words": self.words.to_dict(),
            "statements": self.statements.to_dict(),
            "smoothing": self.smoothing.to_dict(),
            "options": {
                "top_k": self.options.top_k,
                "density_radius": self.options.density_radius,
                "support_threshold": self.options.support_threshold,
            },
            "chunking": self.chunking.to_dict(),
            "embedder_fingerprint": self.embedder_fingerprint,
            "calibration": self.calibration.to_dict(),
            "training": self.training,
        }

    @classmethod
    def from_dict(cls, data: object) -> "GeometryModel":
        """Return the model that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or unusable; the message names it.
        """
        names = (
            "schema", "name", "version", "words", "statements", "smoothing", "options", "chunking",
            "embedder_fingerprint", "calibration", "training",
        )  # fmt: skip
        values: dict[str, Any] = exact_fields(data, names, "geometry")
        if values["schema"] != SCHEMA:
            raise BundleError(
                f"geometry.schema: must be {SCHEMA!r}, got {values['schema']!r}; another version wrote this model"
            )
        try:
            return cls(
                name=values["name"],
                version=values["version"],
                words=LinearModel.from_dict(values["words"], FEATURES, "geometry.words"),
                statements=LinearModel.from_dict(values["statements"], STATEMENT_FEATURES, "geometry.statements"),
                smoothing=Smoothing.from_dict(values["smoothing"]),
                options=_options(values["options"]),
                chunking=Chunking.from_dict(values["chunking"]),
                embedder_fingerprint=values["embedder_fingerprint"],
                calibration=Calibration.from_dict(values["calibration"]),
                training=values["training"],
            )
        except InputError as error:
            raise BundleError(f"geometry.{error}") from error

    def save(self, folder: Path) -> None:
        """Write the model into a folder, which is made if need be.

        Raises:
            StoreError: the folder or the file cannot be written.
        """
        failure = f"the model cannot be written to {str(folder)!r}"
        make_folder(folder, failure)
        write_json(folder / FILE_NAME, self.to_dict(), failure, indent=1)

    @classmethod
    def load(cls, folder: Path | None = None) -> "GeometryModel":
        """Return the model in a folder; by default the one that ships.

        Raises:
            BundleError: the file is missing, damaged or of another version.
        """
        return cls.from_dict(read_json(DEFAULT if folder is None else folder / FILE_NAME))


def _options(data: object) -> WitnessOptions:
    names = ("top_k", "density_radius", "support_threshold")
    values: dict[str, Any] = exact_fields(data, names, "geometry.options")
    try:
        return WitnessOptions(**values)
    except InputError as error:
        raise BundleError(f"geometry.options.{error}") from error
