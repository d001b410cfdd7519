"""The detectors of one lane: one a witness, made of the same parts, and those against the corpora asked last."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragcortex.bundle_files import read_json
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector, internal_digest
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.loading import reading_folder
from ragcortex.detectors.registry import find_bundle, has_both_witnesses
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.errors import BundleError, InputError
from ragcortex.fusion.model import SCHEMA as FUSION
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_edit import check_embedder
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder, dtype_of
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.geometry_calibration import SCHEMA as GEOMETRY
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.service.settings import ServiceSettings

_RECENT_CORPORA: Final = 8


@dataclass(slots=True)
class _Against:
    """A corpus as a lane asks it, with the lane's embedder, and the detectors made for it so far."""

    corpus: Corpus
    detectors: dict[str, Detector] = field(default_factory=dict)


class LaneDetectors:
    """The detectors that one thread uses, by witness; nothing in them is shared with another thread."""

    def __init__(self, plain: Mapping[str, Detector], embedder: Embedder, *, recent_corpora: int = _RECENT_CORPORA):
        """Take the detectors for answers that come with references.

        Args:
            plain: by witness; they may share their parts.
            embedder: with which corpora are searched.
            recent_corpora: for how many corpora detectors are kept, those asked last.
        """
        self.plain = plain
        self.embedder = embedder
        self._recent = recent_corpora
        self._against: OrderedDict[str, _Against] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, witness: str, corpus: Corpus | None) -> Detector:
        """Return the detector of a witness, for references or against a corpus.

        Raises:
            ModelError: the corpus was built with another embedder.
        """
        if corpus is None:
            return self.plain[witness]
        with self._lock:
            found = self._against.pop(corpus.fingerprint, None) or _Against(self._own(corpus))
            self._against[corpus.fingerprint] = found
            while len(self._against) > self._recent:
                self._against.popitem(last=False)
        if witness not in found.detectors:
            found.detectors[witness] = against(self.plain[witness], found.corpus)
        return found.detectors[witness]

    def forget(self, fingerprint: str) -> None:
        """Drop what is kept of a corpus, which was changed or deleted; may be called from any thread."""
        with self._lock:
            self._against.pop(fingerprint, None)

    def _own(self, corpus: Corpus) -> Corpus:
        """Return the corpus with the embedder of this lane instead of its own."""
        check_embedder(corpus.folder, corpus.identity, self.embedder.identity)
        return Corpus(corpus.state, corpus.fingerprint, self.embedder, corpus.folder, corpus.report)


def against(detector: Detector, corpus: Corpus) -> Detector:
    """Return a detector of the same parts that checks against a corpus.

    The calibration of a geometric detector holds for what it was made for; elsewhere the thresholds that ship count,
    and reports say so.

    Raises:
        ModelError: the corpus was built with another embedder.
        TypeError: the detector is of a kind that cannot.
    """
    if isinstance(detector, GeometricDetector):
        calibration = detector.calibration
        if calibration is not None and calibration.corpus_fingerprint != corpus.fingerprint:
            calibration = None
        return GeometricDetector(detector.model, detector.embedder, corpus=corpus, calibration=calibration)
    if isinstance(detector, FusedDetector):
        geometric = GeometricDetector(detector.geometric.model, detector.geometric.embedder, corpus=corpus)
        return FusedDetector(
            detector.model, detector.internal, geometric, cascade=detector.cascade, strict=detector.strict
        )
    if isinstance(detector, InternalDetector):
        return RetrievingDetector(detector, corpus)
    raise TypeError(f"a {type(detector).__name__} cannot check against a corpus")


def load_reading(settings: ServiceSettings) -> LaneDetectors:
    """Return the detectors that read, sharing one reader and one geometric witness.

    Raises:
        InputError, BundleError, ModelError: as `Detector.load`.
    """
    calibration = settings.calibration if _schema(settings) == FUSION else None
    loaded = Detector.load(
        settings.detector,
        dtype=settings.dtype,
        options=ReaderOptions(prefix_bytes=settings.prefix_bytes),
        calibration=calibration,
    )
    if isinstance(loaded, FusedDetector):
        cascade = FusedDetector(loaded.model, loaded.internal, loaded.geometric, cascade=True)
        witnesses = {"both": loaded, "internal": loaded.internal, "cascade": cascade}
        return LaneDetectors(witnesses, loaded.geometric.embedder)
    return LaneDetectors({"internal": loaded}, load_embedder())


def load_geometry(settings: ServiceSettings) -> LaneDetectors:
    """Return the geometric detector with an embedder of its own.

    Raises:
        BundleError: the calibration is damaged or stale.
        ModelMissingError: the embedder is not on this machine.
    """
    calibration = settings.calibration if _schema(settings) == GEOMETRY else None
    loaded = GeometricDetector.load(calibration=calibration)
    return LaneDetectors({"geometry": loaded}, loaded.embedder)


def check_settings(settings: ServiceSettings) -> None:
    """Refuse settings that do not go together, before any model is loaded.

    Raises:
        InputError: naming the setting.
        BundleError: the calibration is none.
    """
    fused = settings.load_reader and has_both_witnesses(find_bundle(settings.detector))
    if _schema(settings) == FUSION and not fused:
        raise InputError("calibration", "is one of both witnesses, which this service does not load; leave it out")
    possible = {"geometry", *(("internal",) if settings.load_reader else ()), *(("both", "cascade") if fused else ())}
    if settings.witness not in possible and "witness" in settings.model_fields_set:
        why = f"{settings.detector!r} is a detector that reads only" if settings.load_reader else "no reader is loaded"
        raise InputError("witness", f"{settings.witness!r} cannot judge, since {why}; leave it out or change that")


def scored_by(detector: Detector, settings: ServiceSettings) -> dict[str, Any]:
    """Return everything about a detector that changes a score, as JSON values; what it checks against is no part."""
    info = detector.info
    values: dict[str, Any] = {"detector": info.name, "version": info.version, "witness": info.witness}
    if isinstance(detector, FusedDetector):
        geometric = detector.geometric
        values["fusion"] = detector.model.fingerprint
        values |= _reader(detector.internal.reader) | _geometry(geometric)
    elif isinstance(detector, GeometricDetector):
        values |= _geometry(detector)
    elif isinstance(detector, InternalDetector):
        values["bundle"] = internal_digest(reading_folder(settings.detector))
        values |= _reader(detector.reader)
    return values


def _reader(reader: Reader) -> dict[str, Any]:
    return {"reader": reader.identity.fingerprint, "dtype": reader.dtype, "window": reader.window}


def _geometry(detector: GeometricDetector) -> dict[str, Any]:
    identity, dtype = detector.embedder.identity, dtype_of(detector.embedder)
    return {
        "geometry": detector.model.fingerprint,
        "chunking": detector.model.chunking.to_dict(),
        "embedder": identity.fingerprint,
        "embedder_dimension": identity.dimension,
        "embedder_window": identity.max_tokens,
        # Left out where it is the usual one: the thresholds in force of older versions go on.
        **({} if dtype == FLOAT32 else {"embedder_dtype": dtype}),
    }


def _schema(settings: ServiceSettings) -> str | None:
    """Return of which witnesses the calibration is, by its schema; None if there is no calibration."""
    file = settings.calibration
    if file is None:
        return None
    if not Path(file).is_file():
        raise BundleError(f"calibration {str(file)!r} does not exist; run `ragcortex calibrate` to make one")
    schema = read_json(file).get("schema")
    if schema not in (FUSION, GEOMETRY):
        raise BundleError(
            f"calibration {str(file)!r} has schema {schema!r}, expected {FUSION!r} or {GEOMETRY!r}; "
            "run `ragcortex calibrate` to make one"
        )
    return str(schema)
