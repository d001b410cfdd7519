"""The figures of a refitted fusion: against counts by plain loops, and what they say."""

import pytest

from made_rows import made_fusion, made_rows
from ragcortex.calibration import ThresholdChoice
from ragcortex.evaluation.fusion_figures import FusionFigures, fusion_figures
from ragcortex.evaluation.reliability import reliability
from ragcortex.fusion.judgement import fuse
from ragcortex.geometry.calibration_bootstrap import FigureInterval
from ragcortex.geometry.judgement import speaks_for_itself
from ragcortex.training.refit import refit_fusion

SCORES, LABELS = [0.1, 0.2, 0.6, 0.9] * 20, [0, 0, 0, 1] * 20


def figures(n: int = 80, *, has_spans: bool = True) -> FusionFigures:
    choice = ThresholdChoice.at(SCORES[:n], LABELS[:n], 0.5)
    before, after = reliability(SCORES, LABELS), reliability([0.0, 0.0, 0.0, 1.0] * 20, LABELS)
    interval = FigureInterval(0.4, 0.6, 1000)
    missing = FigureInterval(None, None, 3, "undefined on 997 of 1000 resamples; label more answers")
    return FusionFigures(
        n_groups=12,
        answers=choice,
        intervals={"precision": interval, "recall": missing, "f1": interval},
        statements=choice,
        has_spans=has_spans,
        before={"answers": before, "statements": before},
        after={"answers": after, "statements": after},
    )


def test_lines_hold_every_figure():
    # 40 of 80 are flagged, 20 of them rightly; before: (0.1 + 0.2 + 0.6 + 0.1) / 4 off, after: nothing.
    assert figures().lines() == (
        "80 labelled answers from 12 sources: 20 hallucinated (label 1, the positive class), 60 grounded (label 0)",
        "statement threshold  0.500",
        "  precision          0.500: share of the flagged statements that are hallucinated",
        "  recall             1.000: share of the 20 hallucinated statements that are flagged",
        "  false alarms       0.333: share of the 60 grounded statements that are flagged",
        "answer threshold     0.500",
        "  precision          0.500   (95 % 0.400 to 0.600): share of the flagged answers that are hallucinated",
        "  recall             1.000   (no interval: undefined on 997 of 1000 resamples; label more answers): share of "
        "the hallucinated answers that are flagged",
        "  F1                 0.667   (95 % 0.400 to 0.600): harmonic mean of both",
        "calibration error    before     after",
        "  answers            0.250      0.000",
        "  statements         0.250      0.000",
        "warning: only 20 answers are hallucinated; with fewer than 30 of a class figures are rough, label more",
    )


def test_labels_without_spans_are_named():
    lines = figures(has_spans=False).lines()
    assert lines[2] == (
        "  precision          0.500: share of the flagged answers' highest statements that are hallucinated"
    )
    assert lines[-1] == (
        "warning: no hallucinated span is marked: the weights of statements stay as they are, and each answer's "
        "highest statement was taken for the statement threshold"
    )


def test_json_and_panels_hold_the_same():
    found = figures()
    values = found.to_dict()
    assert values["answers"]["precision"] == values["statements"]["precision"] == 0.5
    assert values["answers"]["precision_interval"] == [0.4, 0.6]
    assert values["answers"]["recall_interval"] == [None, None]
    panels = found.panels()
    assert values["calibration_error"] == {level: {"before": 0.25, "after": 0.0} for level in panels}
    assert values["warnings"] == list(found.warnings)
    assert panels["answers"]["before"].ece == pytest.approx(0.25)
    assert list(panels) == ["answers", "statements"]


def counted(probabilities: list[float], labels: list[int], threshold: float) -> tuple[float, float, float]:
    """Return precision, recall and share of false alarms, by counting."""
    flagged = [label for p, label in zip(probabilities, labels, strict=True) if p >= threshold]
    n_positive = sum(labels)
    return (
        sum(flagged) / len(flagged),
        sum(flagged) / n_positive,
        (len(flagged) - sum(flagged)) / (len(labels) - n_positive),
    )


def test_figures_are_those_of_the_held_out_scores() -> None:
    begun, rows = made_fusion(), made_rows()
    refitted, judged = refit_fusion(begun, rows, name="ours", data="ours", flagged=0.1)
    found = fusion_figures(begun, refitted, judged, n_resamples=50)

    # What a report would hold, had the fusion of the other folds judged the answer.
    statements: list[float] = []
    answers: list[float] = []
    for row, one in zip(judged.rows, judged.scores, strict=True):
        own = refitted.probabilities["statements"].apply(one.statements).tolist()
        for number, claim in enumerate(row.evidence.claims):
            if any(map(speaks_for_itself, claim.findings)):
                own[number] = max(own[number], refitted.statement_threshold)
        statements += own
        answers.append(max(*own, float(refitted.probabilities["answers"].apply([one.answer])[0])))
    labels = [row.label for row in rows]
    expected = counted(answers, labels, refitted.calibration.hallucinated_threshold)
    assert (found.answers.precision, found.answers.recall, found.answers.false_positive_rate) == pytest.approx(expected)
    for name, interval in found.intervals.items():
        assert interval.low is not None, name

    known = [label for row in rows for label in row.statement_labels().tolist()]  # type: ignore[union-attr]
    expected = counted(statements, known, refitted.statement_threshold)
    choice = found.statements
    assert (choice.precision, choice.recall, choice.false_positive_rate) == pytest.approx(expected)

    before = [fuse(row.signals, row.evidence, begun).answer for row in rows]
    assert found.before["answers"].ece == pytest.approx(reliability(before, labels).ece)
    assert found.after["answers"].ece == pytest.approx(reliability(answers, labels).ece)
    assert found.after["statements"].ece == pytest.approx(reliability(statements, known).ece)
    assert found.has_spans
    assert found.n_groups == len({row.example.group for row in rows})
    assert fusion_figures(begun, refitted, judged, n_resamples=50) == found
