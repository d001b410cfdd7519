"""From a name or a folder, and the witness that is wanted, to a detector."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from ragcortex.checks import check_known
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector, internal_digest
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.registry import find_bundle, has_both_witnesses
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.errors import BundleError, InputError
from ragcortex.fusion.model import FILE_NAME, FusionModel
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.readers.reader import ReaderOptions

WitnessChoice = Literal["both", "internal", "geometry", "cascade"]
WITNESS_CHOICES: Final[tuple[str, ...]] = get_args(WitnessChoice)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What is wanted of a detector; see `Detector.load`."""

    witness: WitnessChoice | None = None
    reader: str | None = None
    device: str | None = None
    dtype: str | None = None
    options: ReaderOptions | None = None
    embedder: str | Embedder | None = None
    corpus: Path | str | Corpus | None = None
    calibration: Path | str | None = None
    strict: bool = False


def load(source: str | Path, wanted: LoadOptions) -> Detector:
    """Return the detector; arguments and errors as of `Detector.load`."""
    if wanted.witness is not None:
        check_known("witness", wanted.witness, WITNESS_CHOICES)
    folder = find_bundle(source)
    is_fusion = has_both_witnesses(folder)
    if not is_fusion and wanted.witness in ("both", "cascade"):
        raise InputError(
            "witness", f"{wanted.witness!r} needs a fusion of both, and {str(source)!r} is a detector that reads only"
        )
    if wanted.witness == "geometry":
        return GeometricDetector.load(
            embedder=wanted.embedder, corpus=wanted.corpus, calibration=wanted.calibration, device=wanted.device
        )
    if not is_fusion:
        return _reading(source, wanted)
    model = FusionModel.load(folder / FILE_NAME)
    if wanted.witness == "internal":
        return _reading(internal_folder(model, folder), wanted)
    return _fused(folder, model, wanted)


def reading_folder(source: str | Path) -> Path:
    """Return the folder of the detector that reads: a fusion's internal one, else its own.

    Raises:
        InputError: no detector has that name.
        BundleError: the fusion is damaged, or belongs to another version of that detector.
    """
    folder = find_bundle(source)
    return internal_folder(FusionModel.load(folder / FILE_NAME), folder) if has_both_witnesses(folder) else folder


def internal_folder(model: FusionModel, folder: Path) -> Path:
    """Return the folder of the detector that a fusion in `folder` reads with: beside its file, else a shipped one.

    Raises:
        InputError: there is no such detector.
        BundleError: it is another version than the fusion was fitted on.
    """
    beside = folder / model.internal
    found = beside if beside.is_dir() else find_bundle(model.internal)
    if internal_digest(found) != model.internal_digest:
        raise BundleError(
            f"the fusion {model.name!r} was fitted on another version of the detector {model.internal!r} than the one "
            f"in {str(found)!r}; fit the fusion again, or install the version it belongs to"
        )
    return found


def _fused(folder: Path, model: FusionModel, wanted: LoadOptions) -> FusedDetector:
    """Return both witnesses; what is quick to refuse, a corpus say, comes before the reader is loaded."""
    if wanted.calibration is not None:
        model = _calibrated(model, Path(wanted.calibration))
    reading = internal_folder(model, folder)
    geometric = GeometricDetector.load(embedder=wanted.embedder, corpus=wanted.corpus, device=wanted.device)
    internal = InternalDetector.load(
        reading, reader=wanted.reader, device=wanted.device, dtype=wanted.dtype, options=wanted.options
    )
    return FusedDetector(model, internal, geometric, cascade=wanted.witness == "cascade", strict=wanted.strict)


def _calibrated(model: FusionModel, file: Path) -> FusionModel:
    """Return the fusion in a calibration: the same one with weights and thresholds of somebody's own data."""
    if not file.is_file():
        raise BundleError(f"calibration {str(file)!r} does not exist; run `ragcortex calibrate` to make one")
    try:
        calibrated = FusionModel.load(file)
    except BundleError as error:
        raise BundleError(
            f"calibration {str(file)!r} is none of both witnesses: {error}; run `ragcortex calibrate` to make one"
        ) from error
    for name in ("internal_digest", "geometry_fingerprint"):
        if getattr(calibrated, name) != getattr(model, name):
            raise BundleError(
                f"the calibration {str(file)!r} is stale: it was made with other witnesses than those of "
                f"{model.name!r}; run `ragcortex calibrate` again"
            )
    return calibrated


def _reading(source: str | Path, wanted: LoadOptions) -> Detector:
    """Return the internal witness, with the passages of a corpus as references where there is one."""
    if wanted.calibration is not None:
        raise InputError("calibration", "goes with both witnesses or the geometric one; this detector has its own")
    corpus = None if wanted.corpus is None else _opened(wanted.corpus, wanted.embedder)
    internal = InternalDetector.load(
        source, reader=wanted.reader, device=wanted.device, dtype=wanted.dtype, options=wanted.options
    )
    return internal if corpus is None else RetrievingDetector(internal, corpus)


def _opened(corpus: Path | str | Corpus, embedder: str | Embedder | None) -> Corpus:
    return corpus if isinstance(corpus, Corpus) else Corpus.open(corpus, embedder=embedder)
