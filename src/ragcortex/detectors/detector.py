"""What every detector is: a judge of one answer, or of many in order."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import InputError, OutOfMemoryError, RagcortexError
from ragcortex.example import Example, Reference
from ragcortex.readers.reader import ReaderOptions
from ragcortex.report import DetectorInfo, Note, Report, Unjudged, unjudged_report

if TYPE_CHECKING:
    from ragcortex.detectors.loading import WitnessChoice
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.embedders.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one example of `check_many`: a report, or the error that kept it from having one."""

    example: Example
    report: Report | None
    error: RagcortexError | None

    def __post_init__(self) -> None:
        if (self.report is None) == (self.error is None):
            raise InputError("outcome", "must hold either a report or an error")

    @classmethod
    def of(cls, example: Example, judge: Callable[[Example], Report]) -> "Outcome":
        """Return what becomes of an example when it is judged; where memory runs out, only this one fails."""
        try:
            return cls(example, judge(example), None)
        except RagcortexError as error:
            return cls(example, None, error)
        except MemoryError as error:
            failure = f": {error}" if str(error) else ""
        # No longer in the handler, whose error would hold on to what was made before memory ran out.
        return cls(example, None, OutOfMemoryError(f"the memory does not suffice to judge this answer{failure}"))


class Detector(ABC):
    """Checks answers against their references.

    A kind of detector says how it judges one example and who it is; one that judges several faster together than one
    by one also says how (`_outcomes`).
    """

    @classmethod
    def load(
        cls,
        source: str | Path = DEFAULT_DETECTOR,
        *,
        witness: "WitnessChoice | None" = None,
        reader: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        options: ReaderOptions | None = None,
        embedder: "str | Embedder | None" = None,
        corpus: "Path | str | Corpus | None" = None,
        calibration: Path | str | None = None,
        strict: bool = False,
    ) -> "Detector":
        """Return a detector by name or by its folder; by default the fusion of both witnesses.

        Args:
            source: a shipped detector (`fusion`, `fusion-clean`, `cortex`, `cortex-clean`, `reference-gain` …), or a
                folder that `ragcortex train` wrote.
            witness: `both`, `internal` (the reader alone), `geometry` (distances and facts alone: no reader, in
                milliseconds) or `cascade` (the geometric one first, the reader only where that leaves an answer
                undecided); by default all that the detector has.
            reader: the reader to use where the detector works with any; elsewhere it must be the one it was fitted on.
            device, dtype: where and in which precision to read; chosen by what the machine has.
            options: how the reader runs.
            embedder: the embedding model; by default the corpus's own, else `RAGCORTEX_EMBEDDER`, else `embedded`.
            corpus: the folder of a corpus to check against instead of references given with each answer.
            calibration: a file that `ragcortex calibrate` wrote from labelled answers of your own.
            strict: let an answer fail that one of both witnesses cannot judge; by default the other one judges it alone
                and the report says so.

        Raises:
            InputError: no detector has that name, or it has not that witness.
            BundleError: the bundle or the calibration is damaged, stale, or belongs to other models.
            ModelMissingError: a model is not on this machine; the message says how to fetch it.
            StoreError: the corpus cannot be opened.
            TypeError: called on a kind of detector that is made of its parts instead.
        """
        if cls is not Detector:
            raise TypeError(f"{cls.__name__} is made of its parts and has no load of its own; call Detector.load")
        from ragcortex.detectors.loading import LoadOptions, load  # all kinds are Detectors themselves

        return load(source, LoadOptions(witness, reader, device, dtype, options, embedder, corpus, calibration, strict))

    def check(
        self, question: str | None, references: Sequence[str | Mapping[str, Any] | Reference], answer: str
    ) -> Report:
        """Return the report on one answer.

        Args:
            question: the user's question; None if there was none.
            references: the retrieved passages: strings, or mappings with `text` and optionally `id` and `source`.
                Empty where the detector checks against a corpus.
            answer: the text to be judged.

        Raises:
            InputError: a value has the wrong type; whatever else `check_example` raises.
        """
        return self.check_example(Example.of(question, references, answer))

    @abstractmethod
    def check_example(self, example: Example) -> Report:
        """Return the report on one example; see `check`.

        Raises:
            RagcortexError: the example cannot be judged by this detector; each kind says when.
        """

    def check_many(
        self, examples: Iterable[Example], *, progress: bool = False, total: int | None = None
    ) -> Iterator[Outcome]:
        """Yield one outcome an example, in order; an example that fails has its error, the others go on.

        Args:
            examples: any number; no more are taken ahead than are judged together.
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

    @property
    @abstractmethod
    def info(self) -> DetectorInfo:
        """Who judges: for the report."""

    def _outcomes(self, examples: Iterator[Example]) -> Iterator[Outcome]:
        """Yield one outcome an example, in order: one by one here, which a detector that reads in groups overrides."""
        for example in examples:
            yield Outcome.of(example, self.check_example)

    def _unjudged(self, example: Example, verdict: Unjudged, note: Note) -> Report:
        """Return the report on an example that is not judged, with the note that says why."""
        return unjudged_report(example.answer, verdict, (note,), self.info, question=example.question, id=example.id)
