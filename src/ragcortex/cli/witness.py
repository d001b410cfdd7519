"""Which witness a command asks: options, what goes with what, and the detector they make."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcortex.cli.options import load_detector
from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.detectors.detector import Detector
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.detectors.retrieving import RetrievingDetector

Witness = Literal["internal", "geometry"]
WitnessOption = Annotated[
    Witness,
    typer.Option(
        "--witness",
        help="Who judges: `internal`, a model that reads the answer with and without the references, or `geometry`, "
        "distances and exact facts, in milliseconds.",
    ),
]
CorpusOption = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="DIR", help="Check against a corpus that `corpus build` wrote, not --reference."),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="FILE", help="Thresholds that `calibrate` wrote, for --witness geometry."),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="SOURCE",
        help="`embedded`, a hub id, a folder or an endpoint's address. [default: the corpus's own, else "
        "RAGCORTEX_EMBEDDER, else `embedded`]",
    ),
]


@dataclass(frozen=True, slots=True)
class WitnessOptions:
    """What the options of a command ask for."""

    witness: Witness
    detector: str
    reader: str | None
    device: str | None
    dtype: str | None
    window: int | None
    corpus: Path | None
    calibration: Path | None
    embedder: str | None

    def check(self) -> None:
        """Refuse options of the other witness, before anything is loaded."""
        given = {
            "reader": self.reader, "dtype": self.dtype, "window": self.window,
            "detector": None if self.detector == "cortex" else self.detector,
        }  # fmt: skip
        if self.witness == "geometry":
            for name, value in given.items():
                if value is not None:
                    raise InputError(name, f"goes with --witness internal, got {value!r} with --witness geometry")
            return
        if self.calibration is not None:
            raise InputError("calibration", "goes with --witness geometry; the detector has thresholds of its own")
        if self.embedder is not None and self.corpus is None:
            raise InputError("embedder", "goes with --witness geometry or --corpus; the reader needs none")


def load_witness(
    options: WitnessOptions, *, group_size: int | None = None
) -> "Detector | GeometricDetector | RetrievingDetector":
    """Return the detector that the options ask for.

    Raises:
        InputError: two options do not go together.
        BundleError, ModelError, StoreError: as `Detector.load`, `GeometricDetector.load` and `Corpus.open`.
    """
    options.check()
    if options.witness == "geometry":
        from ragcortex.detectors.geometric import GeometricDetector

        return GeometricDetector.load(
            embedder=options.embedder, corpus=options.corpus, calibration=options.calibration, device=options.device
        )
    load = partial(
        load_detector, options.detector, reader=options.reader, device=options.device, dtype=options.dtype,
        window=options.window, group_size=group_size,
    )  # fmt: skip
    if options.corpus is None:
        return load()
    from ragcortex.detectors.retrieving import RetrievingDetector
    from ragcortex.geometry.corpus import Corpus

    corpus = Corpus.open(options.corpus, embedder=options.embedder)
    return RetrievingDetector(load(), corpus)


def run_identity(detector: "Detector | GeometricDetector | RetrievingDetector", source: str) -> dict[str, str | int]:
    """Return what decides a detector's reports: its files, its model, precision and window.

    Args:
        detector: the detector of a run.
        source: the name or folder it was loaded by, where it reads.
    """
    from ragcortex.cli.resume import folder_digest
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.detectors.registry import find_bundle
    from ragcortex.detectors.retrieving import RetrievingDetector

    if isinstance(detector, GeometricDetector):
        thresholds, corpus = detector.thresholds, detector.corpus
        limits = f"{thresholds.token} {thresholds.review} {thresholds.hallucinated}"
        chunking = detector.model.chunking.to_dict()
        against = corpus.fingerprint if corpus is not None else f"references {json.dumps(chunking, sort_keys=True)}"
        return {
            "detector": f"{detector.model.name} {detector.model.version} {detector.model.fingerprint} {limits} "
            f"{against}",
            "reader": detector.embedder.identity.fingerprint,
            "dtype": "float32",
            "window": detector.embedder.identity.max_tokens,
        }
    if isinstance(detector, RetrievingDetector):
        own = run_identity(detector.detector, source)
        return own | {"detector": f"{own['detector']} {detector.corpus.fingerprint} {detector.k}"}
    bundle, reader = detector.bundle, detector.reader
    return {
        "detector": f"{bundle.name} {bundle.version} {folder_digest(find_bundle(source))}",
        "reader": reader.identity.fingerprint,
        "dtype": reader.dtype,
        "window": reader.window,
    }
