"""The internal witness: reads an answer, scores its tokens, smooths them, and reports."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ragcortex.bundle import Bundle
from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.detectors.group_readings import group_readings
from ragcortex.detectors.notes import CLAIMS_NOTHING, nothing_to_check, reading_notes
from ragcortex.detectors.registry import find_bundle
from ragcortex.detectors.scoring import raw_scores
from ragcortex.errors import BundleError, RagcortexError
from ragcortex.example import Example
from ragcortex.geometry.consistency_silence import states_nothing
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading
from ragcortex.report import DetectorInfo, Note, Report, Thresholds, Unjudged, build_report
from ragcortex.smoothing import answer_score

DEFAULT_READING_DETECTOR = "cortex"


class InternalDetector(Detector):
    """A fitted detector with its reader, ready to check answers.

    Scores do not depend on what else is in a batch, its order or its padding (float32: within 1e-4).
    """

    def __init__(self, bundle: Bundle, reader: Reader) -> None:
        """Pair a bundle with its reader.

        Raises:
            BundleError: the bundle was fitted on another reader, or the prompt template differs.
        """
        pin = bundle.reader
        if pin is not None and pin.fingerprint != reader.identity.fingerprint:
            raise BundleError(
                f"detector {bundle.name!r} was fitted on reader {pin.id!r} with fingerprint {pin.fingerprint[:16]}…, "
                f"got {reader.identity.id!r} with {reader.identity.fingerprint[:16]}…; use that reader or train anew"
            )
        if reader.template != bundle.template:
            raise BundleError(
                f"detector {bundle.name!r} needs the prompt template {bundle.template.name!r} it was fitted with, "
                f"got {reader.template.name!r}"
            )
        self.bundle = bundle
        self.reader = reader

    @classmethod
    def load(  # type: ignore[override]  # it has no other witness to choose, and no corpus
        cls,
        source: str | Path = DEFAULT_READING_DETECTOR,
        *,
        reader: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        options: ReaderOptions | None = None,
    ) -> "InternalDetector":
        """Return the internal witness of a shipped name or a folder; arguments and errors as of `Detector.load`."""
        bundle = Bundle.load(find_bundle(source))
        chosen = reader or (bundle.reader.id if bundle.reader is not None else "embedded")
        loaded = Reader.load(chosen, device=device, dtype=dtype, template=bundle.template, options=options)
        return cls(bundle, loaded)

    def check_example(self, example: Example) -> Report:
        """Return the report on one example; see `check`.

        Raises:
            InputError: the question does not fit the reader's window.
            ReadingError: the reader produced something unusable.
        """
        unjudged = self.nothing_to_check(example)
        if unjudged is not None:
            return self._unjudged(example, *unjudged)
        return self.report(example, self.reader.read_one(example, self.bundle.spec()))

    def nothing_to_check(self, example: Example) -> tuple[Unjudged, Note] | None:
        """Return the verdict and note of an example that cannot be judged or claims nothing, None if it can."""
        unjudged = nothing_to_check(example)
        if unjudged is None and states_nothing(example.answer):
            return "no_claim", CLAIMS_NOTHING
        return unjudged

    def report(self, example: Example, reading: Reading) -> Report:
        """Return the report on an example from its reading."""
        bundle = self.bundle
        raw = raw_scores(reading, bundle.heads)
        return build_report(
            reading.tokens,
            raw,
            bundle.smoothing.apply(raw),
            answer_score(raw, bundle.answer_smoothing),
            thresholds=Thresholds.of(bundle.calibration),
            detector=self.info,
            notes=reading_notes(reading, self.reader, bundle),
            question=example.question,
            id=example.id,
        )

    @property
    def info(self) -> DetectorInfo:
        """Who judges: for the report."""
        return DetectorInfo(
            name=self.bundle.name,
            version=self.bundle.version,
            reader=self.reader.identity.id,
            reader_fingerprint=self.reader.identity.fingerprint,
            calibration=self.bundle.calibration.data,
        )

    def _outcomes(self, examples: Iterator[Example]) -> Iterator[Outcome]:
        while group := list(islice(examples, self.reader.options.group_size)):
            yield from self._group_outcomes(group)

    def _group_outcomes(self, group: Sequence[Example]) -> Iterator[Outcome]:
        readable = [example for example in group if self.nothing_to_check(example) is None]
        readings = {id(example): read for example, read in zip(readable, self._read(readable), strict=True)}

        def judge(example: Example) -> Report:
            read = readings.get(id(example))
            if isinstance(read, RagcortexError):
                raise read
            return self.check_example(example) if read is None else self.report(example, read)

        for example in group:
            yield Outcome.of(example, judge)

    def _read(self, examples: Sequence[Example]) -> list[Reading | RagcortexError]:
        return group_readings(self.reader, examples, self.bundle.spec())
