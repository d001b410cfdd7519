"""What is drawn of each method, from its scores of all test answers: curves, breakdowns, sweeps, reliability."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from ragcortex.benchmark.figure_list import slice_figures
from ragcortex.benchmark.held_out import Gathered, HeldOutAnswers
from ragcortex.benchmark.results.drawn import Curve, ReliabilityBins, Sweep, curve
from ragcortex.benchmark.results.figure import Figure
from ragcortex.benchmark.results.parts import Breakdown
from ragcortex.evaluation.benchmark_figures import MethodFigures
from ragcortex.evaluation.breakdowns import Aspect, breakdown
from ragcortex.evaluation.levels import Level, LevelUnits
from ragcortex.evaluation.method_scores import units_of
from ragcortex.evaluation.metrics import ranking_metrics
from ragcortex.evaluation.reliability import reliability
from ragcortex.evaluation.validation_thresholds import judges_of, thresholds_by_answer
from ragcortex.smoothing import P_STAY_CANDIDATES, Smoothing

RANKED: Final[tuple[Level, ...]] = ("token", "answer")
"""The levels at which methods are drawn and compared."""
_BREAKDOWN_RESAMPLES: Final = 200
_ASPECTS: Final[tuple[Aspect, ...]] = ("task", "generator", "type", "answer length")


def smoothed_units(level: Level, gathered: Gathered, answers: HeldOutAnswers) -> LevelUnits | None:
    """Return a method's smoothed scores of a level's units, None where it says nothing about them."""
    scores = gathered.scores.smoothed
    return None if scores is None else units_of(answers.answers.index, scores, level)


def curves(label: str, gathered: Gathered, answers: HeldOutAnswers) -> Iterator[Curve]:
    """Yield the precision–recall and ROC curves of tokens and of answers, of smoothed scores."""
    for level in RANKED:
        units = smoothed_units(level, gathered, answers)
        if units is None:
            continue
        for kind in ("precision_recall", "roc"):
            drawn = curve(units.scores, units.labels, method=label, level=level, smoothing="smoothed", kind=kind)
            if drawn is not None:
                yield drawn


def breakdowns(figures: MethodFigures, gathered: Gathered, answers: HeldOutAnswers) -> Iterator[Breakdown]:
    """Yield figures of tokens and answers on parts of the answers; an aspect with one part only says nothing."""
    found: dict[tuple[Aspect, str], tuple[Figure, ...]] = {}
    for level in RANKED:
        units = smoothed_units(level, gathered, answers)
        if units is None:
            continue
        measured = figures.at(level, "smoothed")
        thresholds = () if measured is None else measured.thresholds
        by_answer, _ = thresholds_by_answer(thresholds, judges_of(gathered.validations, len(answers.positions)))
        own = None if by_answer is None else by_answer[units.answers]
        for aspect in _ASPECTS:
            parts = breakdown(answers.answers.index, units, aspect, own, seed=0, n_resamples=_BREAKDOWN_RESAMPLES)
            if len(parts.slices) > 1 or aspect == "type":
                for one in parts.slices:
                    place = (aspect, one.value)
                    found[place] = (*found.get(place, ()), *slice_figures(one, level, "smoothed"))
    for (aspect, value), own_figures in found.items():
        yield Breakdown(aspect, value, figures.method, own_figures)


def reliability_bins(label: str, gathered: Gathered, answers: HeldOutAnswers) -> Iterator[ReliabilityBins]:
    """Yield how smoothed scores that are probabilities agree with the labels, for tokens and answers."""
    for level in RANKED:
        units = smoothed_units(level, gathered, answers)
        if units is not None and len(units) and units.scores.min() >= 0 and units.scores.max() <= 1:
            yield ReliabilityBins(label, level, "smoothed", reliability(units.scores, units.labels).bins)


def p_stay_sweeps(label: str, gathered: Gathered, answers: HeldOutAnswers) -> Iterator[Sweep]:
    """Yield how token AP and AUROC on the test answers depend on p_stay; nothing is chosen by it."""
    index = answers.answers.index
    labels = index.labels("token")
    chosen = {one.smoothing.p_stay for one in gathered.judged if one.smoothing and one.smoothing.p_stay}
    settings = sorted({*P_STAY_CANDIDATES, *chosen})
    values = []
    for p_stay in settings:
        smoothed = Smoothing.persistence(p_stay).apply_many(gathered.test.emissions or ())
        known = [smoothed[at] for at in index.known.tolist()]
        values.append(ranking_metrics(np.concatenate([*known, np.zeros(0)]), labels))
    for metric in ("average_precision", "auroc"):
        yield Sweep(
            parameter="p_stay",
            method=label,
            level="token",
            smoothing="smoothed",
            metric=metric,
            settings=tuple(settings),
            values=tuple(getattr(one, metric).value for one in values),
            chosen=tuple(sorted(chosen)),
            measured_on="test",
        )


def layer_sweeps(name: str, by_layer: Mapping[int, Sequence[Figure]]) -> Iterator[Sweep]:
    """Yield how a method's figures on the test answers depend on the layer; nothing is chosen by it."""
    layers = sorted(by_layer)
    for level in RANKED:
        for smoothing in ("raw", "smoothed"):
            for metric in ("average_precision", "auroc"):
                found = [
                    next((one for one in by_layer[layer] if one.place == (level, smoothing, metric)), None)
                    for layer in layers
                ]
                yield Sweep(
                    parameter="layer",
                    method=name,
                    level=level,
                    smoothing=smoothing,
                    metric=metric,
                    settings=tuple(float(layer) for layer in layers),
                    values=tuple(None if one is None else one.value for one in found),
                    measured_on="test",
                )
