"""A fitted detector on disk: `detector.json`, `heads.safetensors` and a card; loaded strictly, nothing is pickled."""

import dataclasses
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragcortex.bundle_files import JSON_NAME, TENSORS_NAME, object_of, read_json, read_tensors, require_fields, text
from ragcortex.calibration import Calibration
from ragcortex.errors import BundleError, InputError, RagcortexError
from ragcortex.readers.prompts import PromptTemplate
from ragcortex.readers.reading import Floats, ReadingSpec
from ragcortex.scorers import Scorer, scorer_class
from ragcortex.signals.features import feature_set, spec_for
from ragcortex.smoothing import Smoothing
from ragcortex.whole_files import take_place

SCHEMA: Final = "ragcortex.detector/1"
_CARD: Final = "README.md"


@dataclass(frozen=True, slots=True)
class FittedHead:
    """One scorer with what it sees.

    Attributes:
        name: unique in its detector.
        features: names of feature sets, in column order.
        layer: the hidden states' layer; 0 where no feature set needs one.
        scorer_name: `mlp`, `recurrent`, `logistic` or `gain`.
        scorer: the fitted scorer.
    """

    name: str
    features: tuple[str, ...]
    layer: int
    scorer_name: str
    scorer: Scorer

    def spec(self) -> ReadingSpec:
        """Return what a reader has to provide for this head."""
        return spec_for(self.features, (self.layer,))


@dataclass(frozen=True, slots=True)
class ReaderPin:
    """The reader a detector was fitted on.

    Attributes:
        id: as `ReaderIdentity.id`.
        revision: hub commit, or None.
        fingerprint: SHA-256 of the reader's files; a reader with another one is refused.
        dtype: precision of the readings it was fitted on.
    """

    id: str
    revision: str | None
    fingerprint: str
    dtype: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that decides a score, and where it came from.

    Attributes:
        name, version: of the detector.
        recipe: the recipe it was fitted from.
        heads: their probabilities are averaged.
        reader: the reader it belongs to; None if it works with any reader.
        template: how the two inputs are written.
        smoothing: of token scores.
        answer_smoothing: of the token scores whose maximum is the answer's score.
        calibration: thresholds and where they come from.
        libraries: versions it was fitted with.
        training: data, licences, seeds and choices, for the card.
        figures: measured results, for the card.
    """

    name: str
    version: str
    recipe: str
    heads: tuple[FittedHead, ...]
    reader: ReaderPin | None
    template: PromptTemplate
    smoothing: Smoothing
    answer_smoothing: Smoothing
    calibration: Calibration
    libraries: Mapping[str, str] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [head.name for head in self.heads]
        if not names or len(set(names)) != len(names) or any("." in name for name in names):
            raise BundleError(f"a detector needs at least one head and distinct names without a dot, got {names}")

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers whose hidden states its heads see, each once, in order; none where no head needs one."""
        return tuple(sorted({head.layer for head in self.heads if head.layer}))

    def spec(self) -> ReadingSpec:
        """Return what a reader has to provide for all heads."""
        spec = ReadingSpec()
        for head in self.heads:
            spec = spec.union(head.spec())
        return spec

    def save(self, folder: Path, *, card: str) -> None:
        """Write the bundle into `folder`, whole or not at all; an older bundle there is replaced.

        Raises:
            BundleError: the folder holds something that is not a bundle, or cannot be written.
        """
        from safetensors.numpy import save

        if folder.exists() and not folder.is_dir():
            raise BundleError(f"{str(folder)!r} is a file; choose a folder for the detector")
        if folder.exists() and any(folder.iterdir()) and not (folder / JSON_NAME).is_file():
            raise BundleError(f"folder {str(folder)!r} is not empty and holds no detector; choose another one")
        tensors = save({
            f"{head.name}.{name}": np.ascontiguousarray(array)
            for head in self.heads
            for name, array in head.scorer.arrays().items()
        })  # fmt: skip
        document = self._document() | {"tensors": {"file": TENSORS_NAME, "sha256": hashlib.sha256(tensors).hexdigest()}}
        try:
            written = json.dumps(document, indent=2, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise BundleError(f"the detector holds what JSON cannot: {error}") from error
        temporary: Path | None = None
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
            (temporary / TENSORS_NAME).write_bytes(tensors)
            (temporary / JSON_NAME).write_text(written, encoding="utf-8")
            (temporary / _CARD).write_text(card, encoding="utf-8")
            temporary.chmod(0o755)
            take_place(temporary, folder)
        except OSError as error:
            raise BundleError(f"the detector cannot be written to {str(folder)!r}: {error}") from error
        finally:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)

    @classmethod
    def load(cls, folder: Path) -> "Bundle":
        """Return the bundle in a folder.

        Raises:
            BundleError: a file is missing, damaged, or of another version, or a field is missing, unknown or wrong;
                the message names the file and the field.
        """
        document = read_json(folder / JSON_NAME)
        if document.get("schema") != SCHEMA:
            raise BundleError(
                f"{JSON_NAME} in {str(folder)!r} has schema {document.get('schema')!r}, this version reads {SCHEMA!r}"
            )
        expected = {"schema", "tensors", *(f.name for f in dataclasses.fields(cls))}
        require_fields(document, expected, JSON_NAME)
        arrays = read_tensors(folder, document["tensors"])
        try:
            bundle = cls(
                name=text(document, "name"),
                version=text(document, "version"),
                recipe=text(document, "recipe"),
                heads=tuple(_head(values, index, arrays) for index, values in enumerate(document["heads"])),
                reader=_reader(document["reader"]),
                template=_template(document["template"]),
                smoothing=Smoothing.from_dict(document["smoothing"]),
                answer_smoothing=Smoothing.from_dict(document["answer_smoothing"]),
                calibration=Calibration.from_dict(document["calibration"]),
                libraries=object_of(document, "libraries"),
                training=object_of(document, "training"),
                figures=object_of(document, "figures"),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BundleError(f"{JSON_NAME} in {str(folder)!r} is malformed: {error}") from error
        except BundleError:
            raise
        except RagcortexError as error:
            raise BundleError(f"{JSON_NAME} in {str(folder)!r}: {error}") from error
        unknown = sorted(name for name in arrays if name.split(".")[0] not in {head.name for head in bundle.heads})
        if unknown:
            raise BundleError(f"{TENSORS_NAME} in {str(folder)!r} holds tensors of no head: {', '.join(unknown)}")
        return bundle

    def _document(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "name": self.name,
            "version": self.version,
            "recipe": self.recipe,
            "heads": [
                {
                    "name": head.name,
                    "features": list(head.features),
                    "layer": head.layer,
                    "scorer": head.scorer_name,
                    "params": head.scorer.get_params(),
                }
                for head in self.heads
            ],
            "reader": None if self.reader is None else dataclasses.asdict(self.reader),
            "template": dataclasses.asdict(self.template),
            "smoothing": self.smoothing.to_dict(),
            "answer_smoothing": self.answer_smoothing.to_dict(),
            "calibration": self.calibration.to_dict(),
            "libraries": dict(self.libraries),
            "training": dict(self.training),
            "figures": dict(self.figures),
        }


def _head(values: Any, index: int, arrays: Mapping[str, Floats]) -> FittedHead:
    place = f"{JSON_NAME} field heads[{index}]"
    require_fields(values, {"name", "features", "layer", "scorer", "params"}, place)
    name = text(values, "name", f"{place}.")
    own = {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}
    layer = values["layer"]
    if not isinstance(layer, int) or isinstance(layer, bool) or layer < 0:
        raise BundleError(f"{place}.layer must be a whole number from 0 on, got {layer!r}")
    if not isinstance(values["features"], list) or not values["features"]:
        raise BundleError(f"{place}.features must be a list of at least one name, got {values['features']!r}")
    try:
        features = tuple(feature_set(feature).name for feature in values["features"])
        scorer = _scorer(values, name, own, place)
    except InputError as error:
        raise BundleError(f"{place}: {error}") from error
    return FittedHead(name, features, layer, values["scorer"], scorer)


def _scorer(values: Mapping[str, Any], name: str, own: Mapping[str, Floats], place: str) -> Scorer:
    params = values["params"]
    if not isinstance(params, dict):
        raise BundleError(f"{place}.params must be an object, got {type(params).__name__}")
    kind = scorer_class(values["scorer"])
    expected = set(kind().get_params())
    require_fields(params, expected, f"{place}.params")
    try:
        scorer = kind.from_arrays(params, own)
    except KeyError as error:
        raise BundleError(f"{TENSORS_NAME} has no tensor {name}.{error.args[0]}") from error
    if set(scorer.arrays()) != set(own):
        raise BundleError(f"{TENSORS_NAME} holds tensors of {name} that {place} does not describe")
    return scorer


def _reader(values: Any) -> ReaderPin | None:
    if values is None:
        return None
    place = f"{JSON_NAME} field reader"
    require_fields(values, {f.name for f in dataclasses.fields(ReaderPin)}, place)
    return ReaderPin(
        id=text(values, "id", f"{place}."),
        revision=None if values["revision"] is None else text(values, "revision", f"{place}."),
        fingerprint=text(values, "fingerprint", f"{place}."),
        dtype=text(values, "dtype", f"{place}."),
    )


def _template(values: Any) -> PromptTemplate:
    place = f"{JSON_NAME} field template"
    names = [f.name for f in dataclasses.fields(PromptTemplate)]
    require_fields(values, set(names), place)
    return PromptTemplate(**{name: text(values, name, f"{place}.") for name in names})
