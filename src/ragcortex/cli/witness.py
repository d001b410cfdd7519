"""Which witness a command asks: options, what goes with what, and the detector they make."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcortex.cli.options import embedder_option
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.detectors.detector import Detector
    from ragcortex.detectors.fused import FusedDetector
    from ragcortex.geometry.corpus import Corpus

Witness = Literal["both", "internal", "geometry", "cascade"]
WitnessOption = Annotated[
    Witness | None,
    typer.Option(
        "--witness",
        help="Who judges: `both`; `internal`, a model that reads the answer with and without the references; "
        "`geometry`, distances and exact facts, in milliseconds; or `cascade`, geometry first and the reader only "
        "where that leaves an answer undecided. [default: all that the detector has]",
    ),
]
CorpusOption = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="DIR", help="Check against a corpus that `corpus build` wrote, not --reference."),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="FILE", help="What `calibrate` wrote, from labelled answers of your own."),
]
EmbedderOption = Annotated[str | None, embedder_option("the corpus's own, else RAGCORTEX_EMBEDDER, else `embedded`")]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Fail where one of both witnesses cannot judge, instead of asking the other alone."),
]


@dataclass(frozen=True, slots=True)
class WitnessOptions:
    """What the options of a command ask for."""

    witness: Witness | None
    detector: str
    reader: str | None
    device: str | None
    dtype: str | None
    window: int | None
    corpus: Path | None
    calibration: Path | None
    embedder: str | None
    strict: bool = False

    def check(self) -> None:
        """Refuse names that do not exist and options that do not go together, before anything is loaded.

        Raises:
            InputError: naming the option.
        """
        judges = self._judges()
        if judges == "geometry":
            self._check_geometry()
        elif judges == "internal":
            if self.calibration is not None:
                raise InputError("calibration", "goes with both witnesses or the geometric one; the reader has its own")
            if self.embedder is not None and self.corpus is None:
                raise InputError("embedder", "goes with the geometric witness or --corpus; the reader needs none")
        if self.strict and judges in ("geometry", "internal"):
            raise InputError("strict", f"goes with two witnesses, and {judges} judges alone")

    def _judges(self) -> Witness:
        """Return who judges, which the detector says where no option does."""
        from ragcortex.detectors.registry import find_bundle, has_both_witnesses

        fused = has_both_witnesses(find_bundle(self.detector))
        if self.witness in ("both", "cascade") and not fused:
            raise InputError(
                "witness",
                f"{self.witness!r} needs a fusion of both, and {self.detector!r} is a detector that reads only; "
                "`ragcortex train --fusion` makes one",
            )
        return self.witness or ("both" if fused else "internal")

    def _check_geometry(self) -> None:
        given = {
            "reader": self.reader, "dtype": self.dtype, "window": self.window,
            "detector": None if self.detector == DEFAULT_DETECTOR else self.detector,
        }  # fmt: skip
        for name, value in given.items():
            if value is not None:
                raise InputError(name, f"goes with a witness that reads, got {value!r} with --witness geometry")


def load_witness(options: WitnessOptions, *, group_size: int | None = None) -> "Detector":
    """Return the detector that the options ask for.

    Raises:
        InputError: two options do not go together.
        BundleError, ModelError, StoreError: as `Detector.load`.
    """
    options.check()
    from ragcortex.detectors.detector import Detector
    from ragcortex.readers.reader import ReaderOptions

    window = options.window
    return Detector.load(
        options.detector,
        witness=options.witness,
        reader=options.reader,
        device=options.device,
        dtype=options.dtype,
        options=ReaderOptions(window) if group_size is None else ReaderOptions(window, group_size=group_size),
        embedder=options.embedder,
        corpus=options.corpus,
        calibration=options.calibration,
        strict=options.strict,
    )


def run_identity(detector: "Detector", source: str) -> dict[str, str | int]:
    """Return what decides a detector's reports: its files, its models, precision and window.

    Args:
        detector: the detector of a run.
        source: the name or folder it was loaded by, where it reads.
    """
    from ragcortex.cli.resume import folder_digest
    from ragcortex.detectors.fused import FusedDetector
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.detectors.internal import InternalDetector
    from ragcortex.detectors.loading import reading_folder
    from ragcortex.detectors.retrieving import RetrievingDetector
    from ragcortex.geometry.embedders.embedder import FLOAT32, dtype_of

    if isinstance(detector, FusedDetector):
        return _fused_identity(detector)
    if isinstance(detector, GeometricDetector):
        thresholds, model = detector.thresholds, detector.model
        limits = f"{thresholds.token} {thresholds.review} {thresholds.hallucinated}"
        against = _against(detector.corpus, model.chunking.to_dict())
        return {
            "detector": f"{model.name} {model.version} {model.fingerprint} {limits} {against}",
            "reader": detector.embedder.identity.fingerprint,
            "dtype": dtype_of(detector.embedder),
            "window": detector.embedder.identity.max_tokens,
        }
    if isinstance(detector, RetrievingDetector):
        own = run_identity(detector.detector, source)
        searched_in = dtype_of(detector.corpus.embedder)
        own |= {} if searched_in == FLOAT32 else {"dtype": f"{own['dtype']} {searched_in}"}
        return own | {"detector": f"{own['detector']} {detector.corpus.fingerprint} {detector.k}"}
    if not isinstance(detector, InternalDetector):
        raise AssertionError(f"what decides the reports of a {type(detector).__name__} must be stated here")
    bundle, reader = detector.bundle, detector.reader
    return {
        "detector": f"{bundle.name} {bundle.version} {folder_digest(reading_folder(source))}",
        "reader": reader.identity.fingerprint,
        "dtype": reader.dtype,
        "window": reader.window,
    }


def _fused_identity(detector: "FusedDetector") -> dict[str, str | int]:
    from ragcortex.geometry.embedders.embedder import FLOAT32, dtype_of

    model, reader, geometric = detector.model, detector.internal.reader, detector.geometric
    judges = f"{detector.info.witness}{' strict' if detector.strict else ''}"
    against = _against(geometric.corpus, geometric.model.chunking.to_dict())
    embedded_in = dtype_of(geometric.embedder)
    return {
        "detector": f"{model.name} {model.version} {model.fingerprint} {judges} {against}",
        "reader": f"{reader.identity.fingerprint} {geometric.embedder.identity.fingerprint}",
        # As before where it is the usual one, so that runs which were begun with an older version go on.
        "dtype": reader.dtype if embedded_in == FLOAT32 else f"{reader.dtype} {embedded_in}",
        "window": reader.window,
    }


def _against(corpus: "Corpus | None", chunking: dict[str, object]) -> str:
    return corpus.fingerprint if corpus is not None else f"references {json.dumps(chunking, sort_keys=True)}"
