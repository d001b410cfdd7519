"""Who judged an answer."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_text
from ragcortex.errors import InputError

Witness = Literal["internal", "geometry", "both", "cascade"]
WITNESSES: Final[tuple[str, ...]] = get_args(Witness)
WITH_EMBEDDER: Final = ("both", "cascade")
"""Witnesses that judge with two models, a reader and an embedder."""


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """Who judged: the detector, the models it judged with, and the data its thresholds were set on (None if none).

    Attributes:
        name, version: of the detector.
        reader, reader_fingerprint: the model it judged with: one that reads, an embedding model for `geometry`.
        calibration: the data its thresholds were set on.
        witness: `internal` (a reader), `geometry` (an embedding model), `both`, or `cascade` (the embedding model, and
            the reader for what it leaves undecided).
        embedder, embedder_fingerprint: the embedding model beside the reader; given exactly where both may judge.

    Raises:
        InputError: a field is not what it should be; the message names it.
    """

    name: str
    version: str
    reader: str
    reader_fingerprint: str
    calibration: str | None
    witness: Witness = "internal"
    embedder: str | None = None
    embedder_fingerprint: str | None = None

    def __post_init__(self) -> None:
        for name in ("name", "version", "reader", "reader_fingerprint"):
            check_text(name, getattr(self, name), filled=True)
        check_text("calibration", self.calibration, optional=True)
        check_known("witness", self.witness, WITNESSES)
        for name in ("embedder", "embedder_fingerprint"):
            value = getattr(self, name)
            if self.witness in WITH_EMBEDDER:
                check_text(name, value, filled=True)
            elif value is not None:
                raise InputError(name, f"must be null where the witness is {self.witness}, got {value!r}")
