"""Runs a benchmark: reads once for all methods, fits and scores each in every fold, and keeps what is done."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragcortex.benchmark.config import BenchmarkConfig, MethodConfig
from ragcortex.benchmark.data import BenchmarkData
from ragcortex.benchmark.fold_scores import FoldFile, FoldScores
from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, MethodScores, Workbench, checked
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.protocol import Fold, make_folds
from ragcortex.benchmark.registry import make_method
from ragcortex.errors import InputError, ModelError, RagcortexError, ReadingError, StoreError
from ragcortex.example import Example
from ragcortex.readers._hf import one_line
from ragcortex.readers.memory import release_memory
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

Progress = Callable[[str], None]
# Bytes of readings from which on it is said how many they are.
_WORTH_SAYING = 1_000_000_000


@dataclass(frozen=True, slots=True)
class MethodRun:
    """What became of one method.

    Attributes:
        config: what was asked for.
        card: what it is.
        spec: what it needs of the two passes.
        runs_model: whether it runs a model by itself.
        folds: its scores, by seed and then by fold; empty where it failed.
        failure: why it failed, None where it did not.
    """

    config: MethodConfig
    card: MethodCard
    spec: ReadingSpec
    runs_model: bool
    folds: Mapping[int, Sequence[FoldScores]] = field(repr=False)
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """A finished run, before figures are made of it.

    Attributes:
        config, data: what was run on what.
        folds: of each seed.
        methods: one for each of the configuration, in its order.
        reading_seconds: time spent reading for all methods together; 0 where everything was on disk.
        n_read: answers that were read in this run.
    """

    config: BenchmarkConfig
    data: BenchmarkData
    folds: Mapping[int, Sequence[Fold]] = field(repr=False)
    methods: tuple[MethodRun, ...]
    reading_seconds: float
    n_read: int


def run(
    config: BenchmarkConfig,
    data: BenchmarkData,
    reader: Reader,
    store: ReadingStore,
    folder: Path,
    *,
    report: Progress = lambda _: None,
) -> BenchmarkRun:
    """Return the raw scores of every method on every answer; those already in the folder are taken from there.

    A method that fails is kept with its reason, and the others go on.

    Raises:
        TrainingError, InputError: the answers cannot be split, or a method is not known.
        ReadingError, StoreError: reading fails, or the folder cannot be written.
    """
    folds = {seed: make_folds(data.examples, data.splits, config.protocol, seed) for seed in config.protocol.seeds}
    n_networks = config.protocol.n_networks
    benches = {
        seed: Workbench(data.examples, reader, store, folder / "work", seed, n_networks, report=report)
        for seed in folds
    }
    shop = _Shop(data, folder, benches)
    prepared = [_prepared(one, make_method(one.name, one.options), reader, data) for one in config.methods]
    pending = [one.spec for one in prepared if one.failure is None and not shop.is_done(one, folds)]
    started = time.perf_counter()
    n_read = read_ahead(data, reader, store, pending, report)
    seconds = time.perf_counter() - started if n_read else 0.0
    runs = []
    for number, one in enumerate(prepared, start=1):
        report(f"method {number} of {len(prepared)}: {one.config.label}")
        failure = one.failure
        found: dict[int, list[FoldScores]] = {}
        if failure is None:
            try:
                found = {seed: [shop.scores(one, seed, fold) for fold in folds[seed]] for seed in folds}
            except RagcortexError as error:
                failure = str(error)
            except Exception as error:  # a library's error, memory run out: the others go on, and the reason is kept
                failure = f"{type(error).__name__}: {one_line(error)}"
                release_memory()
        if failure is not None:
            report(f"{one.config.label} failed: {failure}")
        runs.append(MethodRun(one.config, one.method.card, one.spec, one.method.runs_model, found, failure))
    return BenchmarkRun(config, data, folds, tuple(runs), seconds, n_read)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A method with what it needs of the two passes, or why this reader cannot give it."""

    config: MethodConfig
    method: BenchmarkMethod
    spec: ReadingSpec
    surroundings: Mapping[str, Any] = field(default_factory=dict)
    failure: str | None = None


def _prepared(config: MethodConfig, method: BenchmarkMethod, reader: Reader, data: BenchmarkData) -> _Prepared:
    if data.name in method.seen:
        failure = f"it was fitted on answers of {data.title}, so it is not measured on them"
        return _Prepared(config, method, ReadingSpec(), failure=failure)
    try:
        return _Prepared(config, method, method.spec(reader), dict(method.surroundings))
    except RagcortexError as error:
        return _Prepared(config, method, ReadingSpec(), failure=str(error))


def read_ahead(
    data: BenchmarkData, reader: Reader, store: ReadingStore, specs: Sequence[ReadingSpec], report: Progress
) -> int:
    """Read what several methods need in as few passes as possible, and return how many answers were read.

    Methods whose readings are all on disk ask for nothing. The rest are read together, except where one reading cannot
    serve both (attention pooled, or states normed, in two ways). Where that fails, as when the reader cannot give what
    one method needs, it is said, and every method reads for itself and fails or succeeds alone.
    """
    unions: list[ReadingSpec] = []
    for spec in dict.fromkeys(specs):
        if spec == ReadingSpec() or all(store.holds(reader, example, spec) for example in data.examples):
            continue
        for index, union in enumerate(unions):
            try:
                unions[index] = union.union(spec)
                break
            except ReadingError:
                continue
        else:
            unions.append(spec)
    n_read = 0
    for union in unions:
        missing = [example for example in data.examples if not store.holds(reader, example, union)]
        check_room(union, missing, reader, store.folder, report)
        try:
            for count, _ in enumerate(store.read(reader, missing, union), start=1):
                n_read += 1
                if count % reader.options.group_size == 0 or count == len(missing):
                    report(f"read {count:,} of {len(missing):,} answers")
        except (ReadingError, ModelError, InputError) as error:
            report(f"cannot be read for all methods together, so each reads for itself: {error}")
    return n_read


def check_room(spec: ReadingSpec, examples: Sequence[Example], reader: Reader, folder: Path, report: Progress) -> None:
    """Say how much room the readings to come take, and refuse to begin where the disk has less.

    Hidden states of both passes are counted, by the tokens of the answers; they are nearly all of it.

    Raises:
        StoreError: there is less room than they take.
    """
    n_tokens = sum(len(reader.tokenize(example.answer)) for example in examples)
    needed = 2 * 4 * len(spec.layers) * reader.identity.hidden_size * n_tokens
    if needed < _WORTH_SAYING:
        return
    free = shutil.disk_usage(folder).free
    report(f"the readings of {len(examples):,} answers take about {needed / 1e9:.1f} GB")
    if needed > free:
        raise StoreError(
            f"the readings take about {needed / 1e9:.0f} GB and {free / 1e9:.0f} GB are free; give another folder with "
            "--store, fewer methods with --only, or fewer answers with --sources"
        )


@dataclass(frozen=True, slots=True)
class _Shop:
    """What every method of a run is fitted and scored with, and where its scores are kept."""

    data: BenchmarkData
    folder: Path
    benches: Mapping[int, Workbench]

    def is_done(self, one: _Prepared, folds: Mapping[int, Sequence[Fold]]) -> bool:
        """Return whether there is a file of the scores of every seed and fold; a damaged one is only seen when read."""
        return all(self._file(one, seed, fold).path.is_file() for seed in folds for fold in folds[seed])

    def scores(self, one: _Prepared, seed: int, fold: Fold) -> FoldScores:
        """Return the scores of one fold: those that are kept, or new ones, which are kept then."""
        file, method = self._file(one, seed, fold), one.method
        kept = file.read()
        if kept is not None:
            return kept
        bench = self.benches[seed]
        started = time.perf_counter()
        fitted = method.fit(bench, fold.data)
        fitted_at = time.perf_counter()
        validation = dict(_scored(fitted, method, bench, fold.data.validation))
        test = dict(_scored(fitted, method, bench, fold.test))
        scored_at = time.perf_counter()
        done = FoldScores(validation, test, dict(fitted.choices), fitted_at - started, scored_at - fitted_at)
        file.write(done)
        return done

    def _file(self, one: _Prepared, seed: int, fold: Fold) -> FoldFile:
        bench = self.benches[seed]
        key: dict[str, Any] = {
            "method": one.config.name,
            "options": dict(one.config.options),
            "surroundings": dict(one.surroundings),
            "data": self.data.digest,
            **bench.reader.key(),
            "networks": bench.n_networks,
            "training": fold.data.training,
            "validation": fold.data.validation,
            "test": fold.test,
        }
        return FoldFile(self.folder, one.config.name, seed, fold.data.number, key)


def _scored(
    fitted: FittedMethod, method: BenchmarkMethod, bench: Workbench, indices: Sequence[int]
) -> Iterator[tuple[int, MethodScores]]:
    for index, one in zip(indices, fitted.score(bench, indices), strict=True):
        yield index, checked(one, method.card, len(bench.tokens(index)))
