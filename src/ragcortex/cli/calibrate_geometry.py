"""`ragcortex calibrate --witness geometry`: thresholds of the geometric witness from labelled answers."""

import datetime
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragcortex.cli.console import plural, save_picture, say, write_data, write_text
from ragcortex.cli.labelled import LabelledData
from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.example import Example
    from ragcortex.geometry.calibration_report import CalibrationReport
    from ragcortex.geometry.geometry_calibration import GeometryCalibration

_LEAST_COLUMNS: Final = 40
_MOST_COLUMNS: Final = 100
_UNSCORED: Final = {
    "no_claim": ("claims nothing", "claim nothing"),
    "not_verifiable": ("could not be verified", "could not be verified"),
}


def calibrate_geometry(
    rows: LabelledData,
    out: Path,
    picture: Path | None,
    *,
    corpus: Path | None,
    embedder: str | None,
    device: str | None,
    as_json: bool,
) -> None:
    """Set the geometric witness's thresholds on labelled answers, print the figures and write the calibration."""
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.geometry.calibration_picture import render_calibration_png
    from ragcortex.geometry.calibration_report import calibration_report
    from ragcortex.splits import group_indices

    detector = GeometricDetector.load(embedder=embedder, corpus=corpus, device=device, uncalibrated=True)
    judged, scores = _scored(detector, rows.examples)
    report = calibration_report(
        scores, [int(one.answer_label == 1) for one in judged], groups=group_indices([one.group for one in judged])
    )
    calibration = _calibration(detector, rows, report)
    calibration.save(out)
    if as_json:
        write_data(json.dumps(calibration.to_dict(), ensure_ascii=False, indent=2) + "\n")
    else:
        _show(report)
    if picture is not None:
        save_picture(picture, render_calibration_png(report))
    _say_written(calibration, out, corpus)


def _scored(detector: "GeometricDetector", examples: "Sequence[Example]") -> "tuple[list[Example], list[float]]":
    """Return the answers that have a score, with the very scores that a check compares with thresholds."""
    from ragcortex.rendering.progress import tracked

    judged: list[Example] = []
    scores: list[float] = []
    unscored: Counter[str] = Counter()
    for example in tracked(examples, len(examples), "checking"):
        report = detector.check_example(example)
        if report.score is None:
            unscored[report.verdict] += 1
        else:
            judged.append(example)
            scores.append(report.score)
    for verdict, n in sorted(unscored.items()):
        say(f"left out {plural(n, 'answer')} that {_UNSCORED[verdict][n != 1]}")
    if not judged:
        raise InputError("data", f"none of {plural(len(examples), 'answer')} has a score to set a threshold by")
    return judged, scores


def _calibration(
    detector: "GeometricDetector", rows: LabelledData, report: "CalibrationReport"
) -> "GeometryCalibration":
    from ragcortex.geometry.geometry_calibration import GeometryCalibration

    corpus, low = detector.corpus, report.threshold_interval.low
    chunking = corpus.chunking if corpus is not None else detector.model.chunking
    counts = f"{report.hallucinated.n:,} hallucinated and {report.grounded.n:,} grounded"
    return GeometryCalibration(
        threshold=report.threshold,
        # Scores in the threshold's own interval might lie on either side with other answers: those are for a person.
        review_threshold=report.threshold if low is None else min(low, report.threshold),
        report=report,
        data=f"{rows.describe()}: {counts} answers",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        embedder=detector.embedder.identity,
        chunking=chunking.to_dict(),
        corpus_fingerprint=corpus.fingerprint if corpus is not None else None,
        weights_fingerprint=detector.model.fingerprint,
    )


def _show(report: "CalibrationReport") -> None:
    import os
    import sys

    from ragcortex.geometry.calibration_picture import render_calibration_text
    from ragcortex.rendering.terminal import style_for

    style = style_for(sys.stdout, os.environ)
    width = max(_LEAST_COLUMNS, min(style.width, _MOST_COLUMNS))
    lines = "".join(line + "\n" for line in report.lines())
    write_text(f"{lines}\n{render_calibration_text(report, width=width, unicode=style.unicode)}")


def _say_written(calibration: "GeometryCalibration", out: Path, corpus: Path | None) -> None:
    against = "--reference FILE" if corpus is None else f"--corpus {corpus}"
    say(
        f"calibration written to {out}: hallucinated from {calibration.threshold:.3f}, review from "
        f"{calibration.review_threshold:.3f}, with the embedder {calibration.embedder.id!r}"
    )
    say(f"use it: ragcortex check --witness geometry --calibration {out} {against} --answer FILE")
