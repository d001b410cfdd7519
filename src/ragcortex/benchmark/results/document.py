"""A benchmark run as one typed document, and as results.json: all tables, pictures and comparisons are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragcortex.benchmark.results.codec import from_document, json_object, to_values
from ragcortex.benchmark.results.drawn import Curve, ReliabilityBins, Sweep
from ragcortex.benchmark.results.figure import LEVELS, Level
from ragcortex.benchmark.results.files import read_json, write_json
from ragcortex.benchmark.results.parts import Ablation, Breakdown, Comparison, MethodResult, Repeat
from ragcortex.checks import check_day, check_known, check_parts, check_position, check_score, check_text
from ragcortex.errors import InputError

SCHEMA: Final = "ragcortex.benchmark/1"
FILE_NAME: Final = "results.json"


@dataclass(frozen=True, slots=True)
class Environment:
    """What the run was made with.

    Attributes:
        python: its version.
        platform: the operating system and machine.
        processor: the processor, and the accelerator where one was used.
        n_cores: how many cores the run could use.
        libraries: versions by name.
        reader_id: the model that read, as its hub names it.
        reader_fingerprint: of its weights.
        reader_dtype: the numbers it read in.
        n_reader_parameters: how large it is; None where it is not known.
    """

    python: str
    platform: str
    processor: str
    n_cores: int
    libraries: Mapping[str, str]
    reader_id: str
    reader_fingerprint: str
    reader_dtype: str
    n_reader_parameters: int | None = None

    def __post_init__(self) -> None:
        for name in ("python", "platform", "processor", "reader_id", "reader_fingerprint", "reader_dtype"):
            check_text(name, getattr(self, name), filled=True)
        check_position("n_cores", self.n_cores)
        object.__setattr__(self, "libraries", json_object("libraries", self.libraries))
        for name, version in self.libraries.items():
            check_text(f"libraries.{name}", version, filled=True)
        if self.n_reader_parameters is not None:
            check_position("n_reader_parameters", self.n_reader_parameters)


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The answers that were scored, and those that methods were fitted on.

    Attributes:
        name: of the data set, such as RAGTruth.
        task: the part of it, such as QA; None where all of it was used.
        fingerprint: of the answers, their references and labels, in their order.
        n_answers: how many were scored.
        n_sources: how many sources they come from.
        split: how training, validation and test answers were parted, in words.
        n_training: how many training answers each fold has.
        n_validation: how many validation answers each fold has.
        base_rates: the share that is hallucinated, by level; None where it is not known.
        dropped: how many rows of the files were left out, by reason.
    """

    name: str
    task: str | None
    fingerprint: str
    n_answers: int
    n_sources: int
    split: str
    n_training: tuple[int, ...]
    n_validation: tuple[int, ...]
    base_rates: Mapping[Level, float | None]
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("name", "fingerprint", "split"):
            check_text(name, getattr(self, name), filled=True)
        check_text("task", self.task, optional=True, filled=self.task is not None)
        check_position("n_answers", self.n_answers)
        check_position("n_sources", self.n_sources)
        for name in ("n_training", "n_validation"):
            for index, n in enumerate(getattr(self, name)):
                check_position(f"{name}[{index}]", n)
        if not self.n_training or len(self.n_training) != len(self.n_validation):
            raise InputError("n_validation", f"must be one a fold, as n_training is, got {self.n_validation!r}")
        for name in ("base_rates", "dropped"):
            object.__setattr__(self, name, json_object(name, getattr(self, name)))
        for level, rate in self.base_rates.items():
            check_known("base_rates", level, LEVELS)
            check_score(f"base_rates.{level}", rate, optional=True)
        for reason, n in self.dropped.items():
            check_position(f"dropped.{reason}", n)

    @property
    def full_name(self) -> str:
        """The data set with its task."""
        return self.name if self.task is None else f"{self.name} {self.task}"


@dataclass(frozen=True, slots=True)
class RunDocument:
    """Everything a benchmark run found.

    Attributes:
        title: of the run.
        date: YYYY-MM-DD.
        command: the one line that runs it again.
        config: as run, with every default written out.
        environment: what it was made with.
        data: the answers.
        methods: in the order of the configuration; those that failed are among them.
        controls: what trivial rankings achieve.
        reference_method: the method that others were compared with; None where none was.
        comparisons: of methods with it.
        breakdowns: figures on parts of the answers.
        ablations: figures of variants.
        repeats: figures of the whole protocol with each seed; figures of methods are those of the first.
        sweeps: metrics along a setting.
        curves: precision–recall and ROC curves.
        reliability: how probabilities agree with labels.
        notes: what a reader must know, one sentence each.

    Raises:
        InputError: two methods have one name, or a part is of a method that is not there.
    """

    title: str
    date: str
    command: str
    config: Mapping[str, Any]
    environment: Environment
    data: DataFacts
    methods: tuple[MethodResult, ...]
    controls: tuple[MethodResult, ...] = ()
    reference_method: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    breakdowns: tuple[Breakdown, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    curves: tuple[Curve, ...] = ()
    reliability: tuple[ReliabilityBins, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("title", self.title, filled=True)
        check_day("date", self.date)
        check_text("command", self.command, filled=True)
        object.__setattr__(self, "config", json_object("config", self.config))
        for name, kind in _PARTS.items():
            check_parts(name, getattr(self, name), kind)
        for index, note in enumerate(self.notes):
            check_text(f"notes[{index}]", note, filled=True)
        self._check_names()

    def _check_names(self) -> None:
        names = [one.name for one in (*self.methods, *self.controls)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError("methods", f"must have different names, controls too, got {twice[0]!r} twice")
        if self.reference_method is not None and self.reference_method not in names:
            raise InputError("reference_method", f"must be one of the methods, got {self.reference_method!r}")
        for part in ("comparisons", "breakdowns", "repeats", "sweeps", "curves", "reliability"):
            for index, one in enumerate(getattr(self, part)):
                if one.method not in names:
                    raise InputError(f"{part}[{index}].method", f"must be one of the methods, got {one.method!r}")
        for index, comparison in enumerate(self.comparisons):
            if comparison.reference != self.reference_method:
                expected = f"must be the reference method, {self.reference_method!r}, got {comparison.reference!r}"
                raise InputError(f"comparisons[{index}].reference", expected)

    def result(self, name: str) -> MethodResult | None:
        """Return the method or control of this name, None where there is none."""
        return next((one for one in (*self.methods, *self.controls) if one.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON values."""
        return {"schema": SCHEMA, **to_values(self)}

    @classmethod
    def from_dict(cls, values: object) -> "RunDocument":
        """Return the document that `to_dict` wrote.

        Raises:
            InputError: naming the field that is missing, unknown, of the wrong type, or contradicts the others.
        """
        return from_document(cls, values, schema=SCHEMA, place="document", what="this document")

    def write(self, folder: Path) -> Path:
        """Write results.json into a folder, whole or not at all, and return its path.

        Raises:
            StoreError: the file cannot be written.
        """
        return write_json(folder / FILE_NAME, self.to_dict())

    @classmethod
    def read(cls, folder: Path) -> "RunDocument":
        """Return the document of a results folder.

        Raises:
            StoreError: there is no results.json in it, or it cannot be read.
            InputError: it does not hold such a document.
        """
        return cls.from_dict(read_json(folder / FILE_NAME))


_PARTS: Final[dict[str, type]] = {
    "methods": MethodResult, "controls": MethodResult, "comparisons": Comparison, "breakdowns": Breakdown,
    "ablations": Ablation, "repeats": Repeat, "sweeps": Sweep, "curves": Curve,
    "reliability": ReliabilityBins, "notes": str,
}  # fmt: skip
