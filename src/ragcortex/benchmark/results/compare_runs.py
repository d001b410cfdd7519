"""Compares two benchmark runs: what they were run on and how, and each method's figures, paired where possible."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import LEVELS, METRICS, SMOOTHINGS, Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.benchmark.results.run_comparison import FieldDifference, RunComparison, RunRow, Verdict
from ragcortex.evaluation import significance
from ragcortex.evaluation.levels import LevelUnits
from ragcortex.evaluation.resampling import Resamples

Place = tuple[Level, Smoothing, MetricName]
PairedUnits = Callable[[str, Level, Smoothing], tuple[LevelUnits, LevelUnits] | None]
"""Returns the units of a method in the first and in the second run; None where one of them did not keep them."""

ABSENT: Final = "absent"
# Figures may be rounded when they are written.
_SAME: Final = 1e-4
# Settings that change no figure: what it is called, where the files lie, what is timed and shown.
_WITHOUT_EFFECT: Final = ("title", "data.path", "costs", "examples")
_RANKED: Final[tuple[Level, ...]] = ("token", "word", "sentence", "answer")


def compare_runs(
    first: RunDocument,
    second: RunDocument,
    *,
    paired: PairedUnits = lambda *_: None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> RunComparison:
    """Return the comparison of two runs; differences are second minus first.

    Args:
        first: what is compared with.
        second: what is judged.
        paired: gives the units of a method in both runs, for a paired bootstrap; by default nothing is paired.
        n_resamples: of that bootstrap.
        seed: of that bootstrap.

    Raises:
        InputError: n_resamples is below 1.
    """
    same_data = first.data.fingerprint == second.data.fingerprint and first.data.n_answers == second.data.n_answers
    names = [one.name for one in (*first.methods, *first.controls) if second.result(one.name) is not None]
    notes: list[str] = []
    tests: dict[tuple[str, Place], significance.Comparison] = {}
    if same_data:
        tests = _tests(names, paired, n_resamples, seed, notes)
    rows = [row for name in names for row in _rows(first, second, name, tests, same_data=same_data)]
    notes += _strange_predictions(rows, tests)
    for name in names:
        notes += _failure_notes(first.result(name), second.result(name))
    config = (_settings(first.config, names), _settings(second.config, names))
    data = tuple({**dataclasses.asdict(one.data), "dropped": dict(one.data.dropped)} for one in (first, second))
    environments = tuple(dataclasses.asdict(one.environment) for one in (first, second))
    return RunComparison(
        first=f"{first.title}, {first.date}",
        second=f"{second.title}, {second.date}",
        same_data=same_data,
        data_differences=_differences(*data),
        protocol_differences=_differences(*config),
        environment_differences=_differences(*environments),
        rows=tuple(rows),
        only_in_first=_missing(first, second),
        only_in_second=_missing(second, first),
        notes=tuple(notes),
    )


def _strange_predictions(
    rows: Sequence[RunRow], tests: Mapping[tuple[str, Place], significance.Comparison]
) -> Iterator[str]:
    """Yield which predictions give another difference than the figures, so are not those the figures were made of."""
    for row in rows:
        test = tests.get((row.method, (row.level, row.smoothing, row.metric)))
        if test is None or test.difference is None or row.difference is None:
            continue
        if abs(test.difference - row.difference) > _SAME:
            yield (
                f"{row.title}, {row.level} {row.metric}, {row.smoothing}: predictions give a difference of "
                f"{test.difference:+.4f}, figures one of {row.difference:+.4f}; a folder was changed after its run."
            )


def _missing(one: RunDocument, other: RunDocument) -> tuple[str, ...]:
    return tuple(each.title for each in (*one.methods, *one.controls) if other.result(each.name) is None)


def _failure_notes(first: MethodResult | None, second: MethodResult | None) -> Iterator[str]:
    for run, result in (("first", first), ("second", second)):
        if result is not None and result.failure is not None:
            yield f"{result.title} failed in the {run} run: {result.failure}."


def _settings(config: Mapping[str, Any], shared: Sequence[str]) -> dict[str, Any]:
    """Return the settings that change figures; methods by name, but for those of one run only."""
    kept = {name: value for name, value in config.items() if name != "methods"}
    data = kept.get("data")
    if isinstance(data, Mapping) and data.get("rows") is not None:
        # Where the rows lie changes nothing; that they are not the official files may.
        kept["data"] = {**data, "rows": "own rows"}
    for one in config.get("methods", ()):
        name = (one.get("label") or one.get("name")) if isinstance(one, Mapping) else None
        if name in shared:
            kept[f"methods.{name}"] = one
    return kept


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[FieldDifference, ...]:
    """Return the fields whose values differ, with dotted names, in the order they are met."""
    flat = (dict(_flat(first)), dict(_flat(second)))
    found = []
    for field in dict.fromkeys((*flat[0], *flat[1])):
        texts = [_text(one[field]) if field in one else ABSENT for one in flat]
        if texts[0] != texts[1] and field not in _WITHOUT_EFFECT:
            found.append(FieldDifference(field, *texts))
    return tuple(found)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tests(
    names: Sequence[str], paired: PairedUnits, n_resamples: int, seed: int, notes: list[str]
) -> dict[tuple[str, Place], significance.Comparison]:
    """Return the paired comparison of each method in each figure that can be paired, corrected over the methods."""
    found: dict[tuple[str, Place], significance.Comparison] = {}
    for level in _RANKED:
        for smoothing in SMOOTHINGS:
            families: dict[MetricName, dict[str, significance.Comparison]] = {}
            for name in names:
                units = paired(name, level, smoothing)
                if units is None:
                    continue
                if not _same_units(*units):
                    notes.append(
                        f"{name} is not paired at the {level} level: the two runs have other {level}s or labels."
                    )
                    continue
                resamples = Resamples(units[0].groups, seed=seed, n_resamples=n_resamples)
                pair = {"first": units[0], "second": units[1]}
                for one in significance.compare_methods(pair, "first", resamples):
                    metric: MetricName = "auroc" if one.metric == "auroc" else "average_precision"
                    families.setdefault(metric, {})[name] = one
            for metric, family in families.items():
                corrected = significance.corrected(family.values())
                found |= {(name, (level, smoothing, metric)): one for name, one in zip(family, corrected, strict=True)}
    return found


def _same_units(first: LevelUnits, second: LevelUnits) -> bool:
    fields = ("labels", "groups", "answers")
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in fields)


def _rows(
    first: RunDocument,
    second: RunDocument,
    name: str,
    tests: Mapping[tuple[str, Place], significance.Comparison],
    *,
    same_data: bool,
) -> Iterator[RunRow]:
    ours, theirs = second.result(name), first.result(name)
    if ours is None or theirs is None:
        return
    places = [(level, smoothing, metric) for level in LEVELS for smoothing in SMOOTHINGS for metric in METRICS]
    for place in places:
        pair = (theirs.figure(*place), ours.figure(*place))
        if pair[0] is None and pair[1] is None:
            continue
        values = [None if one is None else one.value for one in pair]
        difference = None if values[0] is None or values[1] is None else values[1] - values[0]
        test = tests.get((name, place))
        tested = test is not None and test.p is not None
        yield RunRow(
            method=name,
            title=ours.title,
            level=place[0],
            smoothing=place[1],
            metric=place[2],
            first=pair[0],
            second=pair[1],
            difference=difference,
            low=test.interval.low if test is not None and tested else None,
            high=test.interval.high if test is not None and tested else None,
            p=None if test is None else test.p,
            p_holm=None if test is None else test.p_holm,
            verdict=_verdict(pair[0], pair[1], test) if same_data else "not comparable",
        )


def _verdict(first: Figure | None, second: Figure | None, test: significance.Comparison | None) -> Verdict:
    if first is None or second is None or first.value is None or second.value is None:
        return "not defined"
    if test is not None and test.interval.low is not None and test.interval.high is not None:
        return _side(test.interval.low > 0, test.interval.high < 0)
    if first.value == second.value:
        return "within the interval"
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return "no interval"
    return _side(
        second.value > first.high and first.value < second.low, second.value < first.low and first.value > second.high
    )


def _side(is_better: bool, is_worse: bool) -> Verdict:
    return "better" if is_better else "worse" if is_worse else "within the interval"
