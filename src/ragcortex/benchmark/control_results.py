"""The trivial controls as rows of a run's document."""

from collections.abc import Iterator

from ragcortex.benchmark.figure_list import figure_list
from ragcortex.benchmark.held_out import HeldOutAnswers, control_scores
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.evaluation.benchmark_figures import method_figures
from ragcortex.evaluation.controls import GENERATOR_IDENTITY


def control_results(answers: HeldOutAnswers) -> Iterator[MethodResult]:
    """Yield one row a control; one that does not apply says why."""
    for control in answers.controls():
        card = MethodCard(
            name=f"control: {control.name}",
            title=control.name,
            summary="a trivial control",
            source="ragcortex.evaluation.controls",
            training="test labels" if control.name == GENERATOR_IDENTITY else "none",
            scale="any",
            smoothing="none",
            answer_score="the control's own value of the answer",
        )
        if control.tokens is None and control.answers is None:
            yield MethodResult.of(card, failure=control.reason)
        else:
            figures = method_figures(card.name, answers.answers, control_scores(control))
            yield MethodResult.of(card, figures=figure_list(figures))
