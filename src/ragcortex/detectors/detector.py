"""The detector: reads an answer, scores its tokens, smooths them, and reports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ragcortex.bundle import Bundle
from ragcortex.detectors.notes import nothing_to_check, reading_notes
from ragcortex.detectors.registry import find_bundle
from ragcortex.detectors.scoring import raw_scores
from ragcortex.errors import BundleError, InputError, RagcortexError
from ragcortex.example import Example, Reference
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading
from ragcortex.report import DetectorInfo, Report, Thresholds, build_report, unjudged_report
from ragcortex.smoothing import answer_score

DEFAULT_DETECTOR = "cortex"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one example of `check_many`: a report, or the error that kept it from having one."""

    example: Example
    report: Report | None
    error: RagcortexError | None

    def __post_init__(self) -> None:
        if (self.report is None) == (self.error is None):
            raise InputError("outcome", "must hold either a report or an error")


class Detector:
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
    def load(
        cls,
        source: str | Path = DEFAULT_DETECTOR,
        *,
        reader: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        options: ReaderOptions | None = None,
    ) -> "Detector":
        """Return a detector by name (`cortex`, `cortex-clean`, `reference-gain`) or by its folder.

        Args:
            source: a shipped detector's name, or a folder that `ragcortex train` wrote.
            reader: the reader to use where the detector works with any; elsewhere it must be the one it was fitted on.
            device, dtype: where and in which precision to read; chosen by what the machine has.
            options: how the reader runs.

        Raises:
            InputError: no detector has that name.
            BundleError: the bundle is damaged, or belongs to another reader.
            ModelMissingError: its reader is not on this machine; the message says how to fetch it.
        """
        bundle = Bundle.load(find_bundle(source))
        chosen = reader or (bundle.reader.id if bundle.reader is not None else "embedded")
        loaded = Reader.load(chosen, device=device, dtype=dtype, template=bundle.template, options=options)
        return cls(bundle, loaded)

    def check(
        self, question: str | None, references: Sequence[str | Mapping[str, Any] | Reference], answer: str
    ) -> Report:
        """Return the report on one answer.

        Args:
            question: the user's question; None if there was none.
            references: the retrieved passages: strings, or mappings with `text` and optionally `id` and `source`.
            answer: the text to be judged.

        Raises:
            InputError: a value has the wrong type, or the question does not fit the reader's window.
            ReadingError: the reader produced something unusable.
        """
        return self.check_example(Example.of(question, references, answer))

    def check_example(self, example: Example) -> Report:
        """Return the report on one example; see `check`."""
        unjudged = nothing_to_check(example)
        if unjudged is not None:
            verdict, note = unjudged
            return unjudged_report(
                example.answer, verdict, (note,), self.info, question=example.question, id=example.id
            )
        return self.report(example, self.reader.read_one(example, self.bundle.spec()))

    def check_many(
        self, examples: Iterable[Example], *, progress: bool = False, total: int | None = None
    ) -> Iterator[Outcome]:
        """Yield one outcome an example, in order; an example that fails has its error, the others go on.

        Args:
            examples: any number; they are read a group at a time.
            progress: show a progress bar on standard error.
            total: how many there are, for the bar; taken from `examples` where it has a length.
        """
        outcomes = self._outcomes(iter(examples))
        if not progress:
            yield from outcomes
            return
        from ragcortex.rendering.progress import tracked

        known = total if total is not None else len(examples) if isinstance(examples, Sequence) else None
        yield from tracked(outcomes, total=known, description="checking")

    def report(self, example: Example, reading: Reading) -> Report:
        """Return the report on an example from its reading."""
        bundle = self.bundle
        raw = raw_scores(reading, bundle.heads)
        calibration = bundle.calibration
        return build_report(
            reading.tokens,
            raw,
            bundle.smoothing.apply(raw),
            answer_score(raw, bundle.answer_smoothing),
            thresholds=Thresholds(
                calibration.token_threshold, calibration.review_threshold, calibration.hallucinated_threshold
            ),
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

    def _outcomes(self, source: Iterator[Example]) -> Iterator[Outcome]:
        while group := list(islice(source, self.reader.options.group_size)):
            yield from self._group_outcomes(group)

    def _group_outcomes(self, group: Sequence[Example]) -> Iterator[Outcome]:
        """Read a group together; if that fails, one by one, so that only the bad example has an error."""
        readable = [example for example in group if nothing_to_check(example) is None]
        try:
            readings = {id(e): r for e, r in zip(readable, self._read(readable), strict=True)}
        except RagcortexError:
            readings = {}
        for example in group:
            try:
                reading = readings.get(id(example))
                report = self.report(example, reading) if reading is not None else self.check_example(example)
                yield Outcome(example, report, None)
            except RagcortexError as error:
                yield Outcome(example, None, error)

    def _read(self, examples: Sequence[Example]) -> list[Reading]:
        return list(self.reader.read(examples, self.bundle.spec()))
