"""The calibration of the geometric witness: figures against plain loops, pictures, and what makes it stale."""

import dataclasses
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from ragcortex.calibration import f1_threshold
from ragcortex.errors import BundleError, InputError, StoreError, TrainingError
from ragcortex.geometry import calibration_bootstrap
from ragcortex.geometry.calibration_bootstrap import FigureInterval
from ragcortex.geometry.calibration_picture import render_calibration_png, render_calibration_text
from ragcortex.geometry.calibration_report import CalibrationReport, ClassScores, calibration_report
from ragcortex.geometry.embedders.embedder import EmbedderIdentity
from ragcortex.geometry.geometry_calibration import GeometryCalibration

EMBEDDER = EmbedderIdentity("embedded", "abc123", "f" * 64, 384, 256)
CHUNKING = {"max_chars": 300, "overlap": 0.2, "by_paragraph": True}


def made_answers(n: int = 60, seed: int = 0, decimals: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Scores with ties, higher for the hallucinated."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    return np.clip(rng.normal(0.35 + 0.25 * labels, 0.15), 0, 1).round(decimals), labels


def plain_bootstrap(
    scores: np.ndarray, labels: np.ndarray, groups: np.ndarray, threshold: float, *, seed: int, n_resamples: int
) -> dict[str, list[float]]:
    """Rows repeated as often as their group is drawn, and the library's metrics on them, one resample at a time."""
    names = np.unique(groups)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=n_resamples)
    figures: dict[str, list[float]] = {name: [] for name in ("precision", "recall", "f1", "auroc", "threshold")}
    for drawn in counts:
        rows = [
            row
            for place, name in enumerate(names)
            for row in np.flatnonzero(groups == name)
            for _ in range(drawn[place])
        ]
        own, truth = scores[rows], labels[rows]
        if truth.all() or not truth.any():
            continue
        flagged = own >= threshold
        if flagged.any():
            figures["precision"].append(precision_score(truth, flagged))
        figures["recall"].append(recall_score(truth, flagged))
        figures["f1"].append(f1_score(truth, flagged))
        figures["auroc"].append(roc_auc_score(truth, own))
        figures["threshold"].append(f1_threshold(own, truth).threshold)
    return figures


@pytest.mark.parametrize("block", [1_000_000, 1])
@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_are_those_of_a_plain_loop(monkeypatch: pytest.MonkeyPatch, grouped: bool, block: int) -> None:
    monkeypatch.setattr(calibration_bootstrap, "_BLOCK", block)
    scores, labels = made_answers()
    groups = np.arange(60) // 4 * 10 if grouped else np.arange(60)
    report = calibration_report(scores, labels, groups=groups if grouped else None, seed=3, n_resamples=100)
    expected = plain_bootstrap(scores, labels, groups, report.threshold, seed=3, n_resamples=100)
    assert report.n_groups == (15 if grouped else 60)
    for name, values in expected.items():
        interval: FigureInterval = getattr(report, f"{name}_interval")
        assert interval.n_resamples == len(values)
        assert (interval.low, interval.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=2, max_size=12), st.integers(0, 5))
def test_resampled_thresholds_are_those_of_the_house_function(rows: list[tuple[int, int]], seed: int) -> None:
    scores, labels = np.array([row[0] / 6 for row in rows]), np.array([row[1] for row in rows])
    if labels.all() or not labels.any():
        return
    report = calibration_report(scores, labels, seed=seed, n_resamples=20)
    expected = plain_bootstrap(scores, labels, np.arange(len(rows)), report.threshold, seed=seed, n_resamples=20)
    thresholds = expected["threshold"]
    interval = report.threshold_interval
    if len(thresholds) < 10:
        assert interval.low is interval.high is None
        assert interval.reason == f"undefined on {20 - len(thresholds)} of 20 resamples; label more answers"
    else:
        assert (interval.low, interval.high) == pytest.approx(tuple(np.percentile(thresholds, [2.5, 97.5])), abs=1e-12)


def test_figures_by_hand() -> None:
    # Flagged from 0.4 on: two of the three hallucinated (0.9, 0.6) would be F1 = 4/5; from 0.25 on all three and one
    # of the three grounded (0.3): F1 = 6/7, precision 3/4, recall 1, false alarms 1/3. Of the 9 pairs, 8 are in order.
    report = calibration_report([0.9, 0.6, 0.25, 0.3, 0.1, 0.2], [1, 1, 1, 0, 0, 0], n_resamples=10)
    assert report.threshold == pytest.approx(0.225)
    assert report.f1_hallucinated == pytest.approx(6 / 7)
    assert report.precision_hallucinated == pytest.approx(3 / 4)
    assert report.recall_hallucinated == 1
    assert report.false_positive_rate == pytest.approx(1 / 3)
    assert report.auroc == pytest.approx(8 / 9)
    assert (report.grounded.n, report.hallucinated.n, report.n_answers) == (3, 3, 6)


def test_hallucinated_is_the_positive_class() -> None:
    scores, labels = made_answers(300)
    right, wrong = calibration_report(scores, labels), calibration_report(scores, 1 - labels)
    assert right.auroc == pytest.approx(1 - wrong.auroc)
    assert right.auroc > 0.8
    assert right.hallucinated.quantiles[2] > right.grounded.quantiles[2]


def test_distributions_are_those_of_a_plain_loop() -> None:
    scores, labels = made_answers(500, decimals=3)
    report = calibration_report(scores, labels, n_resamples=1)
    for side, label in ((report.grounded, 0), (report.hallucinated, 1)):
        own = sorted(scores[labels == label])
        counts = [0] * 20
        for score in own:
            counts[min(round(score * 1000) // 50, 19)] += 1
        assert side.histogram == tuple(counts)
        for share, quantile in zip((0.05, 0.25, 0.5, 0.75, 0.95), side.quantiles, strict=True):
            place = share * (len(own) - 1)
            below = int(place)
            above = min(below + 1, len(own) - 1)
            assert quantile == pytest.approx(own[below] + (own[above] - own[below]) * (place - below))


def test_edges_of_bins() -> None:
    report = calibration_report([index / 20 for index in range(21)], [0] * 11 + [1] * 10, n_resamples=1)
    counts = np.add(report.grounded.histogram, report.hallucinated.histogram)
    assert counts.tolist() == [1] * 19 + [2]


def test_order_makes_no_difference_and_the_seed_decides() -> None:
    scores, labels = made_answers(80)
    groups = np.arange(80) // 3
    order = np.random.default_rng(5).permutation(80)
    report = calibration_report(scores, labels, groups=groups, seed=1)
    assert calibration_report(scores[order], labels[order], groups=groups[order], seed=1) == report
    assert calibration_report(scores, labels, groups=groups, seed=2) != report


def test_few_answers_are_warned_of() -> None:
    scores, labels = np.linspace(0, 1, 200), np.array([0] * 101 + [1] * 99)
    assert calibration_report(scores, labels, n_resamples=5).warnings == (
        "only 99 answers are hallucinated (label 1); with fewer than 100 of a class the threshold is unreliable, "
        "label more",
    )
    assert calibration_report([0.1, 0.9, 0.8], [0, 1, 1], n_resamples=5).warnings == (
        "only 2 answers are hallucinated (label 1); with fewer than 100 of a class the threshold is unreliable, "
        "label more",
        "only 1 answer is grounded (label 0); with fewer than 100 of a class the threshold is unreliable, label more",
    )
    assert calibration_report(np.tile(scores, 2), np.tile(labels, 2), n_resamples=5).warnings == ()


@pytest.mark.parametrize(
    ("scores", "labels", "options", "kind", "message"),
    [
        (
            [0.1, 0.2], [0, 0], {}, TrainingError,
            "a threshold needs grounded and hallucinated examples, but none of 2 is hallucinated (label 1); give "
            "labelled validation data with both",
        ),
        (
            [0.1, 0.2], [1, 1], {}, TrainingError,
            "a threshold needs grounded and hallucinated examples, but none of 2 is grounded (label 0); give labelled "
            "validation data with both",
        ),
        ([0.1, np.nan], [0, 1], {}, InputError, "scores: must be finite numbers in [0, 1], got nan at position 1"),
        ([np.inf, 0.1], [0, 1], {}, InputError, "scores: must be finite numbers in [0, 1], got inf at position 0"),
        ([0.1, 1.5], [0, 1], {}, InputError, "scores: must be finite numbers in [0, 1], got 1.5 at position 1"),
        ([[0.1]], [0], {}, InputError, "scores: must be one row of numbers, got shape (1, 1) of float64"),
        (["a"], [0], {}, InputError, "scores: must be one row of numbers, got shape (1,) of <U1"),
        ([0.1, 0.2], [0], {}, InputError, "labels: must be one label a score, expected shape (2,), got (1,)"),
        ([0.1, 0.2], [0, 2], {}, InputError, "labels: must each be 0 (grounded) or 1 (hallucinated)"),
        (
            [0.1, 0.2], [0, 1], {"groups": [0]}, InputError,
            "groups: must be one index a score, expected shape (2,), got (1,)",
        ),
        ([0.1, 0.2], [0, 1], {"groups": [0, -1]}, InputError, "groups: must be whole numbers, 0 or more, got int64"),
        ([0.1, 0.2], [0, 1], {"n_resamples": 0}, InputError, "n_resamples: must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_calibrated(
    scores: list[Any], labels: list[int], options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        calibration_report(scores, labels, **options)
    assert str(caught.value) == message


def test_one_source_of_a_class_leaves_no_interval() -> None:
    report = two_sources()
    expected = FigureInterval(None, None, 3, "undefined on 7 of 10 resamples; label more answers")
    for name in ("threshold", "precision", "recall", "f1", "auroc"):
        assert getattr(report, f"{name}_interval") == expected
    assert report.lines()[1] == (
        "threshold            0.500   (no interval: undefined on 7 of 10 resamples; label more answers), best F1"
    )


def test_lines() -> None:
    report = calibration_report([0.9, 0.6, 0.25, 0.3, 0.1, 0.2], [1, 1, 1, 0, 0, 0], groups=[0, 1, 2, 0, 1, 2])
    report = dataclasses.replace(
        report,
        **{f"{name}_interval": FigureInterval(0.1, 0.9, 1000) for name in ("threshold", "precision", "recall", "f1")},
        auroc_interval=FigureInterval(None, None, 0, "undefined on 9 of 10 resamples; label more answers"),
        warnings=("few answers",),
    )  # type: ignore[arg-type]
    assert report.lines() == (
        "6 labelled answers from 3 sources: 3 hallucinated (label 1, the positive class), 3 grounded (label 0)",
        "threshold            0.225   (95 % 0.100 to 0.900), best F1",
        "precision            0.750   (95 % 0.100 to 0.900): share of the flagged answers that are hallucinated",
        "recall               1.000   (95 % 0.100 to 0.900): share of the hallucinated answers that are flagged",
        "F1                   0.857   (95 % 0.100 to 0.900)",
        "AUROC                0.889   (no interval: undefined on 9 of 10 resamples; label more answers)",
        "false alarms         0.333: share of the grounded answers that are flagged",
        "warning: few answers",
    )


def two_sources() -> CalibrationReport:
    """One source a class: about half the resamples hold one class only, with this seed more."""
    return calibration_report([0.1, 0.2, 0.8], [0, 0, 1], groups=[0, 0, 1], seed=7, n_resamples=10)


@cache
def made_report() -> CalibrationReport:
    return calibration_report(*made_answers(200), n_resamples=50)


class TestPictures:
    def test_picture(self) -> None:
        report = made_report()
        png = render_calibration_png(report, dots_per_inch=100)
        assert png == render_calibration_png(report, dots_per_inch=100)
        image = Image.open(io.BytesIO(png)).convert("RGB")
        assert image.size == (900, 600)

    @pytest.mark.parametrize("unicode", [True, False])
    def test_text(self, unicode: bool) -> None:
        report = made_report()
        lines = render_calibration_text(report, width=72, unicode=unicode).splitlines()
        assert lines[0].split() == [
            "score", "grounded", f"n={report.grounded.n}", "hallucinated", f"n={report.hallucinated.n}",
        ]  # fmt: skip
        assert len(lines) == 22
        assert max(len(line) for line in lines) <= 72
        rule = next(index for index, line in enumerate(lines) if "threshold" in line)
        interval = report.threshold_interval
        assert lines[rule].strip("─-") == (
            f" in the row above: threshold {report.threshold:.3f} (95 % {interval.low:.3f} to {interval.high:.3f}) "
        )
        low, high = (float(edge) for edge in lines[rule - 1].split()[0].split("-"))
        assert low <= report.threshold < high
        rows = [line for index, line in enumerate(lines[1:], 1) if index != rule]
        assert sum(int(row.split()[1]) for row in rows) == report.grounded.n
        if not unicode:
            assert all(line.isascii() for line in lines)

    def test_small_text(self) -> None:
        report = calibration_report([0.0, 0.1, 0.12, 1.0], [0, 0, 0, 1], n_resamples=4, seed=2)
        lines = render_calibration_text(report, width=44, unicode=False).splitlines()
        assert lines[:4] == [
            "score      grounded n=3    hallucinated n=1",
            "0.00-0.05  1 ####          0",
            "0.05-0.10  0               0",
            "0.10-0.15  2 ########      0",
        ]
        assert lines[-1] == "0.95-1.00  0               1 ############"

    def test_too_narrow(self) -> None:
        report = made_report()
        with pytest.raises(InputError) as caught:
            render_calibration_text(report, width=39)
        assert str(caught.value) == "width: must be at least 40 columns, got 39"

    def test_without_interval(self) -> None:
        report = two_sources()
        assert render_calibration_png(report, dots_per_inch=50).startswith(b"\x89PNG")
        assert "in the row above: threshold 0.500 ─" in render_calibration_text(report)


def made_calibration(**changes: Any) -> GeometryCalibration:
    values: dict[str, Any] = {
        "threshold": 0.5,
        "review_threshold": 0.3,
        "report": calibration_report(*made_answers(40), n_resamples=20),
        "data": "answers of May",
        "date": "2026-05-04",
        "embedder": EMBEDDER,
        "chunking": CHUNKING,
        "corpus_fingerprint": "c" * 64,
        "weights_fingerprint": "w" * 64,
    }
    return GeometryCalibration(**(values | changes))


class TestOnDisk:
    def test_round_trip(self, tmp_path: Path) -> None:
        path = tmp_path / "calibration.json"
        calibration = made_calibration(data="答案 «Mai»", corpus_fingerprint=None)
        path.write_text("an older one")
        calibration.save(path)
        assert GeometryCalibration.load(path) == calibration
        first = path.read_bytes()
        GeometryCalibration.load(path).save(path)
        assert path.read_bytes() == first
        assert [entry.name for entry in tmp_path.iterdir()] == ["calibration.json"]

    def test_a_report_without_intervals_comes_back(self) -> None:
        report = two_sources()
        assert CalibrationReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report

    @pytest.mark.parametrize(
        ("place", "value", "message"),
        [
            (("threshold",), 1.5, "calibration.threshold: must be a number in [0, 1], got 1.5"),
            (("threshold",), True, "calibration.threshold: must be a number in [0, 1], got True"),
            (("review_threshold",), 0.6, "calibration.review_threshold: must be at most threshold=0.5, got 0.6"),
            (("data",), " ", "calibration.data: must not be blank"),
            (("date",), "4 May", "calibration.date: must be a day as YYYY-MM-DD, got '4 May'"),
            (("chunking",), [], "calibration.chunking: must be an object of settings, got []"),
            (
                ("chunking", "overlap"), [1],
                "calibration.chunking.overlap: must be a text, a number, true, false or null, got [1]",
            ),
            (("weights_fingerprint",), None, "calibration.weights_fingerprint: must be a string, got NoneType"),
            (
                ("embedder",), 3,
                "calibration.embedder: expected an object, got int; the bundle is damaged, fit it again",
            ),
            (
                ("embedder", "dimension"), 0,
                "calibration.embedder.dimension: must be a whole number from 1 on, got 0",
            ),
            (("report", "n_groups"), 99, "calibration.report.n_groups: must be from 1 to the 40 answers, got 99"),
            (("report", "auroc"), "x", "calibration.report.auroc: must be a number in [0, 1], got 'x'"),
            (("report", "warnings"), [1], "calibration.report.warnings: must be sentences, got (1,)"),
            (
                ("report", "auroc_interval", "low"), None,
                "calibration.report.auroc_interval.low: must be given exactly where there is no reason for its absence",
            ),
            (
                ("report", "f1_interval", "high"), 0.0,
                "calibration.report.f1_interval.low: must be at most high=0.0, got {low}",
            ),
            (("report", "grounded", "n"), 3, "calibration.report.grounded.histogram: must add up to n=3, got {n}"),
            (
                ("report", "grounded", "quantiles"), [0.5],
                "calibration.report.grounded.quantiles: must be 5 numbers, got (0.5,)",
            ),
            (
                ("schema",), "other/2",
                "calibration.schema: must be 'ragcortex.geometry-calibration/1', got 'other/2'; another version wrote "
                "this file",
            ),
        ],
    )  # fmt: skip
    def test_a_damaged_field_is_named(self, tmp_path: Path, place: tuple[str, ...], value: Any, message: str) -> None:
        path = tmp_path / "calibration.json"
        data = made_calibration().to_dict()
        report = data["report"]
        message = message.format(low=report["f1_interval"]["low"], n=report["grounded"]["n"])
        inner = data
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] = value
        path.write_text(json.dumps(data))
        with pytest.raises(BundleError) as caught:
            GeometryCalibration.load(path)
        assert str(caught.value) == f"{str(path)!r}: {message}"

    def test_missing_and_unknown_fields(self) -> None:
        data = made_calibration().to_dict()
        with pytest.raises(BundleError) as caught:
            GeometryCalibration.from_dict({name: value for name, value in data.items() if name != "date"})
        assert str(caught.value) == (
            "calibration.date: is missing; the bundle is damaged or of another version, fit it again"
        )
        with pytest.raises(BundleError) as caught:
            GeometryCalibration.from_dict(data | {"treshold": 1})
        assert str(caught.value) == (
            "calibration.treshold: is not a known field; the nearest known field is 'threshold'"
        )

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (None, "No such file or directory"),
            (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
            (b'{"threshold": NaN}', "NaN is not a JSON number"),
            (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        ],
    )
    def test_what_is_no_file_of_ours(self, tmp_path: Path, content: bytes | None, reason: str) -> None:
        path = tmp_path / "calibration.json"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(BundleError) as caught:
            GeometryCalibration.load(path)
        assert str(caught.value) == (
            f"calibration {str(path)!r} cannot be read: {reason}; run `ragcortex calibrate --witness geometry` to make "
            "one"
        )

    def test_a_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        path = tmp_path / "missing" / "calibration.json"
        with pytest.raises(StoreError) as caught:
            made_calibration().save(path)
        assert str(caught.value) == f"calibration {str(path)!r} cannot be written: No such file or directory"

    def test_a_failed_write_keeps_the_old_one(self, tmp_path: Path) -> None:
        path = tmp_path / "calibration.json"
        path.mkdir()
        with pytest.raises(StoreError, match="cannot be written"):
            made_calibration().save(path)
        assert [entry.name for entry in tmp_path.iterdir()] == ["calibration.json"]

    def test_settings_that_are_no_numbers(self) -> None:
        with pytest.raises(InputError) as caught:
            made_calibration(chunking={"overlap": float("inf")})
        assert str(caught.value) == "chunking.overlap: must be finite, got inf"
        with pytest.raises(InputError) as caught:
            made_calibration(report=None)
        assert str(caught.value) == "report: must be CalibrationReport, got NoneType"

    def test_the_settings_are_copied(self) -> None:
        chunking = dict(CHUNKING)
        calibration = made_calibration(chunking=chunking)
        chunking["overlap"] = 0.5
        assert calibration.chunking["overlap"] == 0.2


START = "the calibration of 2026-05-04 is stale, its thresholds do not hold any more: changed "
END = "; run `ragcortex calibrate --witness geometry` again, or go back to what was calibrated"


class TestStale:
    def test_fresh(self) -> None:
        calibration = made_calibration()
        calibration.check_fresh(EMBEDDER, dict(CHUNKING), "c" * 64, "w" * 64)
        # The same weights under another name and revision give the same vectors.
        calibration.check_fresh(dataclasses.replace(EMBEDDER, id="folder", revision=None), CHUNKING, "c" * 64, "w" * 64)
        made_calibration(corpus_fingerprint=None).check_fresh(EMBEDDER, CHUNKING, None, "w" * 64)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (
                {"embedder_identity": EmbedderIdentity("other", None, "e" * 64, 768, 512)},
                "the embedder (embedded revision abc123 ffffffffffff…, now other eeeeeeeeeeee…)",
            ),
            (
                {"embedder_identity": dataclasses.replace(EMBEDDER, dimension=256)},
                "the embedder's dimension (384, now 256)",
            ),
            (
                {"embedder_identity": dataclasses.replace(EMBEDDER, max_tokens=128)},
                "the embedder's max_tokens (256, now 128)",
            ),
            ({"chunking": CHUNKING | {"overlap": 0.3}}, "the chunking's overlap (0.2, now 0.3)"),
            ({"chunking": CHUNKING | {"unit": "word"}}, "the chunking's unit (not set, now 'word')"),
            ({"corpus_fingerprint": "d" * 64}, "the corpus (cccccccccccc…, now dddddddddddd…)"),
            ({"corpus_fingerprint": None}, "the corpus (cccccccccccc…, now each answer's own references)"),
            ({"weights_fingerprint": "short"}, "the score model (wwwwwwwwwwww…, now short)"),
            (
                {"chunking": {}, "weights_fingerprint": "v" * 64},
                "the chunking's by_paragraph (True, now not set), the chunking's max_chars (300, now not set), "
                "the chunking's overlap (0.2, now not set) and the score model (wwwwwwwwwwww…, now vvvvvvvvvvvv…)",
            ),
        ],
    )
    def test_stale_is_refused(self, changes: dict[str, Any], message: str) -> None:
        now: dict[str, Any] = {
            "embedder_identity": EMBEDDER,
            "chunking": CHUNKING,
            "corpus_fingerprint": "c" * 64,
            "weights_fingerprint": "w" * 64,
        }
        with pytest.raises(BundleError) as caught:
            made_calibration().check_fresh(**(now | changes))
        assert str(caught.value) == START + message + END

    def test_own_references_are_not_a_corpus(self) -> None:
        with pytest.raises(BundleError) as caught:
            made_calibration(corpus_fingerprint=None).check_fresh(EMBEDDER, CHUNKING, "d" * 64, "w" * 64)
        assert str(caught.value) == START + "the corpus (each answer's own references, now dddddddddddd…)" + END


def test_parts_check_themselves() -> None:
    with pytest.raises(InputError) as caught:
        ClassScores(0, (0.0,) * 5, (0,) * 20)
    assert str(caught.value) == "n: must be a whole number from 1 on, got 0"
    with pytest.raises(InputError) as caught:
        ClassScores(1, (0.0, 0.3, 0.2, 0.4, 0.5), (1, *(0,) * 19))
    assert str(caught.value) == "quantiles: must rise, got (0.0, 0.3, 0.2, 0.4, 0.5)"
    with pytest.raises(InputError) as caught:
        FigureInterval(0.1, 0.2, -1)
    assert str(caught.value) == "n_resamples: must be a whole number, 0 or more, got -1"
