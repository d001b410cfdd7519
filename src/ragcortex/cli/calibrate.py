"""`ragcortex calibrate`: labelled answers in, thresholds of the geometric witness out."""

import datetime
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ragcortex.cli.console import cannot_write, check_writable, plural, say, write_data, write_text
from ragcortex.cli.labelled import LabelledData, labelled_data, say_left_out
from ragcortex.cli.options import DeviceOption, SkipBadRowsOption
from ragcortex.cli.witness import CorpusOption, EmbedderOption
from ragcortex.errors import EXIT_OK, InputError

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


def calibrate(
    *,
    data: Annotated[list[Path], typer.Argument(metavar="LABELLED.jsonl...", help="Labelled rows, one or more files.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the calibration, as JSON.")],
    corpus: CorpusOption = None,
    embedder: EmbedderOption = None,
    device: DeviceOption = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.png", help="Draw the scores of both classes with the threshold."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what is written, as JSON.")] = False,
    skip_bad_rows: SkipBadRowsOption = False,
) -> int:
    """Set the geometric witness's thresholds on labelled answers.

    The threshold is the one with the best F1 of the hallucinated class. It holds for this embedder, chunking and
    corpus; with any other the calibration is refused.
    """
    _check_files(data, out, picture)
    rows = labelled_data(data, skip_bad_rows=skip_bad_rows, against_corpus=corpus is not None)
    say_left_out(rows)
    from ragcortex.detectors.geometric import GeometricDetector
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
        _draw(report, picture)
    _say_written(calibration, out, corpus)
    return EXIT_OK


def _check_files(data: Sequence[Path], out: Path, picture: Path | None) -> None:
    """Refuse outputs that cannot be written, or that would replace something else, before answers are scored."""
    check_writable(out)
    if out.exists() and not _is_calibration(out):
        raise InputError("out", f"{str(out)!r} exists and is no calibration; give another file")
    if picture is None:
        return
    if picture.suffix.lower() != ".png":
        raise InputError("picture", f"must end in .png, got {str(picture)!r}")
    check_writable(picture, "picture")
    for other in (out, *data):
        if picture.resolve() == other.resolve():
            raise InputError("picture", f"{str(picture)!r} is another file of this command; give another name")


def _is_calibration(path: Path) -> bool:
    """Return whether a file is a calibration of any version, which a new one may replace."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(values, dict) and str(values.get("schema")).startswith("ragcortex.geometry-calibration/")


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


def _draw(report: "CalibrationReport", picture: Path) -> None:
    from ragcortex.geometry.calibration_picture import render_calibration_png

    content = render_calibration_png(report)
    try:
        picture.write_bytes(content)
    except OSError as error:
        raise cannot_write(picture, error, "picture") from None
    say(f"picture written to {picture}")


def _say_written(calibration: "GeometryCalibration", out: Path, corpus: Path | None) -> None:
    against = "--reference FILE" if corpus is None else f"--corpus {corpus}"
    say(
        f"calibration written to {out}: hallucinated from {calibration.threshold:.3f}, review from "
        f"{calibration.review_threshold:.3f}, with the embedder {calibration.embedder.id!r}"
    )
    say(f"use it: ragcortex check --witness geometry --calibration {out} {against} --answer FILE")
