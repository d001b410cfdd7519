"""A detector on disk whose reader is tiny and whose embedder counts words, and the judges that load it."""

from pathlib import Path
from typing import Any

import pytest

from made_embedder import WordEmbedder
from made_geometry import made_model
from made_rows import made_fusion
from ragcortex.bundle import Bundle, FittedHead, ReaderPin
from ragcortex.calibration import Calibration
from ragcortex.detectors.fused import internal_digest
from ragcortex.fusion.model import FILE_NAME
from ragcortex.readers.reader import CHAT, Reader
from ragcortex.scorers import GainScorer
from ragcortex.service.settings import ServiceSettings
from ragcortex.smoothing import Smoothing

REFERENCES = (
    "The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea.",
    "Visitors may climb the tower in summer. Dogs are not allowed inside.",
)
ANSWERS = (
    "The lighthouse at Cape Arden was built in 1874.",
    "It stands 52 metres above the sea.",
    "Visitors may climb the tower in summer, and dogs are welcome inside.",
    "A poet lived there with two goats.",
)


def save_fusion(folder: Path, reader_folder: Path) -> Path:
    """Write a fusion whose detector lies beside it, with thresholds but fitted on nothing."""
    identity = Reader.load(str(reader_folder)).identity
    bundle = Bundle(
        name="made reader",
        version="1",
        recipe="reference-gain",
        heads=(FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer.from_arrays({"offset": 0.0}, {})),),
        reader=ReaderPin(str(reader_folder), None, identity.fingerprint, "float32"),
        template=CHAT,
        smoothing=Smoothing.persistence(0.9),
        answer_smoothing=Smoothing.persistence(0.7),
        calibration=Calibration(0.6, 0.5, 0.8, "ten made-up answers", 10, 5, "2026-11-29"),
    )
    bundle.save(folder / "made reader", card="# made\n")
    fusion = made_fusion(
        internal="made reader",
        internal_digest=internal_digest(folder / "made reader"),
        geometry_fingerprint=made_model().fingerprint,
    )
    fusion.save(folder / FILE_NAME)
    return folder


def use_words(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let detectors in this process load the made embedder and its score model instead of the shipped ones."""
    made_model().save(folder)
    patch.setattr("ragcortex.geometry.model.DEFAULT", folder / "geometry.json")

    def load(source: Any = None, **_: object) -> WordEmbedder:
        return WordEmbedder()

    for module in ("ragcortex.detectors.geometric", "ragcortex.service.lane_detectors"):
        patch.setattr(f"{module}.load_embedder", load)


def settings_of(detector: Path, **values: Any) -> ServiceSettings:
    """Return settings with a detector's folder, whatever the environment says."""
    return ServiceSettings(detector=str(detector), prefix_bytes=1_000_000, **values)
