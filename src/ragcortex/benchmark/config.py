"""What a benchmark run is, as frozen dataclasses; `config_file` reads them from TOML."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from ragcortex.checks import check_known, nearest_hint
from ragcortex.datasets.loaded import SPLITS
from ragcortex.errors import InputError

Split = Literal["cross-validation", "official"]


@dataclass(frozen=True, slots=True)
class DataConfig:
    """The labelled answers.

    Attributes:
        name: a data set of `ragcortex data list`, or `jsonl` for our own rows.
        path: where its official files are; usually given on the command line.
        rows: a file of our own rows with the answers to be taken, as `ragcortex data convert` writes them: `options`
            and `splits` are not applied to it.
        options: of the data set's loader.
        splits: keep answers of these official parts only, of `train`, `validation`, `test`; () keeps all.
        spread: whether the label of an answer whose spans are not known is given to all of its tokens.
        generators: keep answers of these generators only; () keeps all.
        tasks: keep answers of these tasks only; () keeps all.
        n_sources: keep the answers to so many sources, drawn with the protocol's seed; None keeps all.
    """

    name: str
    path: str | None = None
    rows: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    splits: tuple[str, ...] = ()
    spread: bool = False
    generators: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    n_sources: int | None = None

    def __post_init__(self) -> None:
        for name in self.splits:
            check_known("data.splits", name, SPLITS)
        if self.n_sources is not None and self.n_sources < 2:
            raise InputError("data.n_sources", f"must be at least 2, got {self.n_sources}")


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """The model that reads.

    Attributes:
        id: as `--reader` takes it.
        dtype, device: as `load_model` takes them; None chooses.
        batch_tokens: tokens in one forward pass, padding included.
        window: the longest input in tokens; None takes the model's.
    """

    id: str = "embedded"
    dtype: str | None = None
    device: str | None = None
    batch_tokens: int = 8192
    window: int | None = None


@dataclass(frozen=True, slots=True)
class ProtocolConfig:
    """How answers are split, and how figures are made of scores.

    Attributes:
        split: `cross-validation` by source, or the data set's `official` one.
        folds: of the cross-validation.
        validation: share of the training answers, in whole sources, on which choices are made; official validation
            answers are taken where there are some.
        seeds: the whole protocol is run once for each; figures are of the first, and a table shows their spread.
        n_networks: networks averaged a head.
        n_resamples: of the bootstrap by source.
        reference: the method that all others are compared with; None compares nothing.
    """

    split: Split = "cross-validation"
    folds: int = 5
    validation: float = 0.15
    seeds: tuple[int, ...] = (0,)
    n_networks: int = 1
    n_resamples: int = 200
    reference: str | None = None

    def __post_init__(self) -> None:
        if self.split not in get_args(Split):
            raise InputError("protocol.split", f"must be one of {', '.join(get_args(Split))}, got {self.split!r}")
        if self.folds < 2 or self.n_networks < 1 or self.n_resamples < 1:
            raise InputError("protocol", "needs at least 2 folds, 1 network and 1 resample")
        if not 0 < self.validation < 1:
            raise InputError("protocol.validation", f"must lie between 0 and 1, got {self.validation}")
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise InputError("protocol.seeds", f"must be distinct whole numbers, at least one, got {list(self.seeds)}")


@dataclass(frozen=True, slots=True)
class MethodConfig:
    """One method to run.

    Attributes:
        name: of the registry.
        options: of the method.
        label: what it is called in tables and in the results folder; by default its name. Distinct within a run. In an
            ablation `study: variant`, in a layer sweep `method@layer` with a method of the group `main`.
        group: `main`, `ablation` or `layer-sweep`: the table it belongs to.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    group: str = "main"

    def __post_init__(self) -> None:
        if self.group not in GROUPS:
            raise InputError("methods.group", f"must be one of {', '.join(GROUPS)}, got {self.group!r}")
        object.__setattr__(self, "label", self.label or self.name)
        if self.group == "ablation":
            _ = self.study
        if self.group == "layer-sweep":
            _ = self.swept

    @property
    def study(self) -> tuple[str, str]:
        """What an ablation varies and how, from its label `study: variant`."""
        study, colon, variant = self.label.partition(": ")
        if not (study and colon and variant):
            raise InputError("methods.label", f"of an ablation must be 'study: variant', got {self.label!r}")
        return study, variant

    @property
    def swept(self) -> tuple[str, int]:
        """The method and the layer of a layer sweep, from its label `method@layer`."""
        name, at, layer = self.label.rpartition("@")
        if not (name and at and layer.isdigit()):
            raise InputError("methods.label", f"of a layer sweep must be 'method@layer', got {self.label!r}")
        return name, int(layer)


GROUPS: Final = ("main", "ablation", "layer-sweep")


@dataclass(frozen=True, slots=True)
class BenchmarkConfig:
    """A whole run; `to_dict` is what the results folder keeps.

    Attributes:
        title: what it is called.
        data, reader, protocol, methods: see there.
        costs: answers on which reading and scoring are timed for every method; 0 times nothing.
        examples: answers shown as heat-maps, half of them hallucinated.
    """

    title: str
    data: DataConfig
    methods: tuple[MethodConfig, ...]
    reader: ReaderConfig = field(default_factory=ReaderConfig)
    protocol: ProtocolConfig = field(default_factory=ProtocolConfig)
    costs: int = 0
    examples: int = 8

    def __post_init__(self) -> None:
        labels = [method.label for method in self.methods]
        if not labels:
            raise InputError("methods", "must name at least one; `ragcortex benchmark list` shows them")
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InputError("methods.label", f"{twice!r} is given twice; label one of them otherwise")
        main = [method.label for method in self.methods if method.group == "main"]
        for method in self.methods:
            if method.group == "layer-sweep" and method.swept[0] not in main:
                raise InputError("methods.label", f"{method.label!r} sweeps a method that is not there; add it")
        reference = self.protocol.reference
        if reference is not None and reference not in main:
            raise InputError("protocol.reference", f"{reference!r} is not among the methods: {', '.join(main)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dataclasses.asdict(self)

    def only(self, labels: Sequence[str]) -> "BenchmarkConfig":
        """Return the run of the named methods only; raises InputError naming those there are."""
        known = [method.label for method in self.methods]
        for label in labels:
            if label not in known:
                raise InputError("only", f"{label!r} is not in this configuration; {nearest_hint(label, known)}")
        protocol = self.protocol
        if protocol.reference is not None and protocol.reference not in labels:
            protocol = dataclasses.replace(protocol, reference=None)
        methods = tuple(method for method in self.methods if method.label in labels)
        return dataclasses.replace(self, methods=methods, protocol=protocol)
