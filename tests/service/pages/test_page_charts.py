"""Charts by numbers worked out by hand: the drawing is 720 wide and 220 high, its axes from 56 to 696 and 188 to 12."""

import pytest

from ragcortex.service.calibrations import ReviewedScore
from ragcortex.service.dashboard import N_BINS, Counts, ScoreHistogram
from ragcortex.service.pages.calibration_view import reviewed_histogram
from ragcortex.service.pages.chart import answers_by_day, ceiling, distribution, shares_by_day
from ragcortex.service.pages.dashboard_view import quantile


def day(name: str, grounded: int = 0, review: int = 0, hallucinated: int = 0, unjudged: int = 0) -> Counts:
    return Counts(name, grounded + review + hallucinated + unjudged, grounded, review, hallucinated, unjudged, 0, 0, 0)


def test_shares_are_a_line_that_breaks_where_nothing_was_judged() -> None:
    days = [day("2030-05-01", 3, 0, 1), day("2030-05-02", 2, 0, 2), day("2030-05-03", unjudged=4), day("2030-05-04", 4)]
    chart = shares_by_day(days)
    # Shares 0.25, 0.5, none, 0 under a top of 0.6: y = 188 - 176 * share / 0.6; four parts of 160 in width.
    assert chart.points == (
        ("136.0", "114.7", "2030-05-01"),
        ("296.0", "41.3", "2030-05-02"),
        ("616.0", "188.0", "2030-05-04"),
    )
    assert chart.paths == ("M 136.0 114.7 L 296.0 41.3",)
    assert [(row.at, round(row.value, 3)) for row in chart.rows] == [("188.0", 0), ("100.0", 0.3), ("12.0", 0.6)]
    assert [one.day for one in chart.days] == ["2030-05-01", "2030-05-02", "2030-05-03", "2030-05-04"]


def test_answers_are_bars_that_stand_on_each_other() -> None:
    chart = answers_by_day([day("2030-05-01", 2, 1, 1), day("2030-05-02")])
    # Two parts of 320; bars are 0.7 of that, around 216; a top of 4: one answer is 44 high.
    assert [(bar.kind, bar.x, bar.y, bar.width, bar.height) for bar in chart.bars] == [
        ("good", "104.0", "100.0", "224.0", "88.0"),
        ("warn", "104.0", "56.0", "224.0", "44.0"),
        ("bad", "104.0", "12.0", "224.0", "44.0"),
    ]


def test_at_most_eight_days_are_labelled() -> None:
    days = [day(f"2030-05-{number:02}") for number in range(1, 31)]
    labels = shares_by_day(days).days
    assert (len(labels), labels[0].day, labels[1].day) == (8, "2030-05-01", "2030-05-05")


def test_scores_lie_in_twentieths_with_the_thresholds() -> None:
    counts = [0] * N_BINS
    counts[0], counts[19] = 3, 1
    histogram = ScoreHistogram(tuple(counts), (0,) * N_BINS, (0,) * 19 + (2,))
    drawn = distribution(histogram, [("review", 0.5), ("hallucinated", 0.75)])
    # Bins are 32 wide with 1 left free at each side; the top is 4.
    assert [(bar.kind, bar.x, bar.y, bar.height) for bar in drawn.bars] == [
        ("none", "57.0", "56.0", "132.0"),
        ("bad", "665.0", "100.0", "88.0"),
        ("none", "665.0", "56.0", "44.0"),
    ]
    assert drawn.thresholds == (("review", "376.0"), ("hallucinated", "536.0"))
    assert [mark.value for mark in drawn.marks] == [0, 0.2, 0.4, 0.6, 0.8, 1]


@pytest.mark.parametrize("value", [0, 0.01, 0.1, 0.3, 1, 3, 7, 99, 100, 101, 12_345])
def test_the_end_of_an_axis_is_at_or_above_what_is_shown(value: float) -> None:
    assert value <= ceiling(value) <= max(1, 2.5 * value)


def test_nothing_at_all_is_drawn_without_bars() -> None:
    assert shares_by_day([]).paths == answers_by_day([]).bars == ()
    assert distribution(ScoreHistogram((0,) * 20, (0,) * 20, (0,) * 20), []).bars == ()


def test_reviewed_scores_on_an_edge_belong_to_the_bin_above() -> None:
    scores = [
        ReviewedScore("a", score, label, None, "block", False) for score, label in ((0.15, 1), (1.0, 1), (0.0, 0))
    ]
    histogram = reviewed_histogram(scores)
    assert [place for place, n in enumerate(histogram.hallucinated) if n] == [3, 19]
    assert [place for place, n in enumerate(histogram.grounded) if n] == [0]


def test_quantiles_are_values_that_were_seen() -> None:
    assert [quantile([1.0, 2.0, 3.0, 4.0], share) for share in (0.25, 0.5, 0.95, 1)] == [1.0, 2.0, 4.0, 4.0]
