"""From the raw scores of a run to its document: figures, comparisons, breakdowns, sweeps, curves and costs."""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragcortex.align import AnswerTokens
from ragcortex.benchmark.config import BenchmarkConfig
from ragcortex.benchmark.control_results import control_results
from ragcortex.benchmark.costs import ReadingCost
from ragcortex.benchmark.facts import data_facts, environment
from ragcortex.benchmark.figure_list import figure_list
from ragcortex.benchmark.held_out import Gathered, HeldOutAnswers
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.drawn import Curve, ReliabilityBins, Sweep
from ragcortex.benchmark.results.figure import Figure
from ragcortex.benchmark.results.parts import Ablation, Breakdown, Comparison, Cost, FoldChoices, MethodResult, Repeat
from ragcortex.benchmark.run import BenchmarkRun, MethodRun
from ragcortex.benchmark.run_notes import run_notes
from ragcortex.benchmark.series import (
    RANKED,
    breakdowns,
    curves,
    layer_sweeps,
    p_stay_sweeps,
    reliability_bins,
    smoothed_units,
)
from ragcortex.errors import InputError, RagcortexError
from ragcortex.evaluation.benchmark_figures import MethodFigures, method_figures
from ragcortex.evaluation.significance import compare_methods, resolution_note
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """A run's document and, for pictures and files, the scores it was made of.

    Attributes:
        document: everything that is reported.
        answers: the test answers of the first seed.
        gathered: each method's scores of them, by label; failed methods are missing.
    """

    document: RunDocument
    answers: HeldOutAnswers
    gathered: Mapping[str, Gathered]


@dataclass(slots=True, eq=False)
class _Draft:
    """What is collected method by method."""

    methods: list[MethodResult] = field(default_factory=list)
    ablations: list[Ablation] = field(default_factory=list)
    breakdowns: list[Breakdown] = field(default_factory=list)
    sweeps: list[Sweep] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    reliability: list[ReliabilityBins] = field(default_factory=list)
    by_layer: dict[str, dict[int, tuple[Figure, ...]]] = field(default_factory=dict)
    gathered: dict[str, Gathered] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add_series(self, card: MethodCard, figures: MethodFigures, gathered: Gathered, answers: HeldOutAnswers) -> None:
        """Add what is drawn of one method."""
        label = figures.method
        self.curves += curves(label, gathered, answers)
        self.breakdowns += breakdowns(figures, gathered, answers)
        if card.scale == "probability":
            self.reliability += reliability_bins(label, gathered, answers)
        if gathered.test.raw is not None and card.smoothing == "persistence":
            self.sweeps += p_stay_sweeps(label, gathered, answers)


def assemble(
    run: BenchmarkRun,
    reader: Reader,
    costs: Mapping[ReadingSpec, ReadingCost],
    *,
    command: str,
    report: Callable[[str], None] = lambda _: None,
) -> Assembled:
    """Return the document of a finished run.

    Args:
        run: the raw scores.
        reader: that read.
        costs: of reading, by spec; empty where nothing was timed.
        command: the one line that runs it again.
        report: called with a line of progress for each method.

    Raises:
        InputError: no method has scores.
    """
    tokens = [reader.tokenize(example.answer) for example in run.data.examples]
    seeds = run.config.protocol.seeds
    answers = HeldOutAnswers(run, tokens, seeds[0])
    draft = _Draft()
    for method in run.methods:
        report(f"figures of {method.config.label}")
        _add(draft, method, answers, costs)
    if not draft.gathered:
        raise InputError("methods", f"all failed: {'; '.join(one.failure or '' for one in run.methods)}")
    for name, by_layer in draft.by_layer.items():
        draft.sweeps += layer_sweeps(name, by_layer)
    comparisons, note = _comparisons(run.config, draft, answers)
    repeats = tuple(_repeats(run, tokens, draft))
    draft.notes += [*([note] if note else []), *run_notes(run, answers)]
    document = RunDocument(
        title=run.config.title,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        command=command,
        config=run.config.to_dict(),
        environment=environment(reader),
        data=data_facts(run, answers),
        methods=tuple(draft.methods),
        controls=tuple(control_results(answers)),
        reference_method=run.config.protocol.reference,
        comparisons=comparisons,
        breakdowns=tuple(draft.breakdowns),
        ablations=tuple(draft.ablations),
        sweeps=tuple(draft.sweeps),
        curves=tuple(draft.curves),
        reliability=tuple(draft.reliability),
        repeats=repeats,
        notes=tuple(draft.notes),
    )
    return Assembled(document, answers, draft.gathered)


def _add(draft: _Draft, method: MethodRun, answers: HeldOutAnswers, costs: Mapping[ReadingSpec, ReadingCost]) -> None:
    """Add one method to where its group belongs."""
    label, failure = method.config.label, method.failure
    gathered, figures = None, None
    if failure is None:
        try:
            gathered = answers.gather(method)
            figures = method_figures(label, answers.answers, gathered.scores, gathered.validations)
        except RagcortexError as error:
            gathered, failure = None, str(error)
    listed = figure_list(figures) if figures is not None else ()
    if method.config.group == "ablation":
        study, variant = method.config.study
        draft.ablations.append(Ablation(study, variant, listed, failure))
    elif method.config.group == "layer-sweep":
        name, layer = method.config.swept
        if failure is None:
            draft.by_layer.setdefault(name, {})[layer] = listed
        else:
            draft.notes.append(f"{label} failed: {failure}")
    else:
        draft.methods.append(
            MethodResult.of(
                method.card,
                name=label,
                title=_title(draft, method),
                figures=listed,
                folds=_choices(gathered, method, answers),
                cost=_cost(method, costs),
                failure=failure,
            )
        )
        if gathered is not None and figures is not None:
            draft.add_series(method.card, figures, gathered, answers)
    if gathered is not None:
        draft.gathered[label] = gathered


def _comparisons(
    config: BenchmarkConfig, draft: _Draft, answers: HeldOutAnswers
) -> tuple[tuple[Comparison, ...], str | None]:
    """Return how every method compares with the reference, and what limits those comparisons."""
    reference = config.protocol.reference
    if reference is None:
        return (), None
    if reference not in draft.gathered:
        return (), f"Nothing is compared with {reference}, which failed."
    found: list[Comparison] = []
    note = None
    main = [one.name for one in draft.methods if one.failure is None]
    for level in RANKED:
        found_units = {name: smoothed_units(level, draft.gathered[name], answers) for name in main}
        units = {name: own for name, own in found_units.items() if own is not None}
        if reference not in units or len(units) < 2:
            continue
        compared = compare_methods(units, reference, answers.answers.resamples(level))
        note = note or resolution_note([one for one in compared if one.metric == "auroc"])
        for one in compared:
            bounds = (one.interval.low, one.interval.high)
            found.append(
                Comparison(
                    one.method, reference, level, "smoothed", "auroc" if one.metric == "auroc" else "average_precision",
                    one.difference, *bounds, one.p, one.p_holm, one.reason,
                )
            )  # fmt: skip
    return tuple(found), note


def _title(draft: _Draft, method: MethodRun) -> str:
    """Return the card's title, with the label where another method of the run has the same."""
    title = method.card.title
    return title if all(one.title != title for one in draft.methods) else f"{title} ({method.config.label})"


def _repeats(run: BenchmarkRun, tokens: Sequence[AnswerTokens], draft: _Draft) -> Iterator[Repeat]:
    """Yield the figures with each seed, where there are several; what fails is noted."""
    first, *others = run.config.protocol.seeds
    if not others:
        return
    yield from (Repeat(one.name, first, one.figures) for one in draft.methods if one.failure is None)
    for seed in others:
        answers = HeldOutAnswers(run, tokens, seed)
        for method in run.methods:
            if method.failure is None and method.config.group == "main":
                label = method.config.label
                try:
                    gathered = answers.gather(method)
                    figures = method_figures(label, answers.answers, gathered.scores, gathered.validations)
                except RagcortexError as error:
                    draft.notes.append(f"{label} has no figures with seed {seed}: {error}")
                else:
                    yield Repeat(label, seed, figure_list(figures))


def _choices(gathered: Gathered | None, method: MethodRun, answers: HeldOutAnswers) -> tuple[FoldChoices, ...]:
    if gathered is None:
        return ()
    return tuple(
        FoldChoices(
            number,
            scores.choices,
            judged.smoothing.p_stay if judged.smoothing else None,
            judged.answer_smoothing.p_stay if judged.answer_smoothing else None,
        )
        for number, (scores, judged) in enumerate(zip(method.folds[answers.seed], gathered.judged, strict=True))
    )


def _cost(method: MethodRun, costs: Mapping[ReadingSpec, ReadingCost]) -> Cost | None:
    if method.failure is not None:
        return None
    folds = [fold for own in method.folds.values() for fold in own]
    fitted, scored = sum(fold.fit_seconds for fold in folds), sum(fold.score_seconds for fold in folds)
    if method.runs_model:
        return Cost(fitting_seconds=round(fitted + scored, 2))
    n_scored = sum(len(fold.validation) + len(fold.test) for fold in folds)
    reading = costs.get(method.spec)
    return Cost(
        reading_ratio=None if reading is None else round(reading.ratio, 3),
        reading_seconds=None if reading is None else round(reading.seconds, 4),
        fitting_seconds=round(fitted, 2),
        scoring_milliseconds=round(1000 * scored / n_scored, 3) if n_scored else None,
        kilobytes_kept=None if reading is None else round(reading.kilobytes, 1),
        peak_megabytes=None if reading is None or reading.peak_megabytes is None else round(reading.peak_megabytes, 1),
    )
