"""`ragcortex calibrate`: labelled answers in, the fusion or the geometric witness's thresholds fitted to them out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from ragcortex.cli.calibrate_fusion import FusionRefit, calibrate_fusion
from ragcortex.cli.calibrate_geometry import calibrate_geometry
from ragcortex.cli.console import check_writable
from ragcortex.cli.labelled import labelled_data, say_left_out
from ragcortex.cli.options import (
    DetectorOption,
    DeviceOption,
    DtypeOption,
    FlaggedOption,
    ReaderOption,
    SkipBadRowsOption,
    WindowOption,
    check_flagged,
)
from ragcortex.cli.witness import CorpusOption, EmbedderOption, WitnessOptions
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import EXIT_OK, InputError

Calibrated = Literal["both", "geometry"]
_SCHEMAS: Final = ("ragcortex.geometry-calibration/", "ragcortex.fusion/")


def calibrate(
    *,
    data: Annotated[list[Path], typer.Argument(metavar="LABELLED.jsonl...", help="Labelled rows, one or more files.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the calibration, as JSON.")],
    witness: Annotated[
        Calibrated,
        typer.Option("--witness", help="What to calibrate: the fusion of `both`, or the `geometry` one's thresholds."),
    ] = "both",
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Of the fusion. [default: that of the file]")
    ] = None,
    flagged: FlaggedOption = None,
    detector: DetectorOption = DEFAULT_DETECTOR,
    reader: ReaderOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
    corpus: CorpusOption = None,
    embedder: EmbedderOption = None,
    device: DeviceOption = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.png", help="Draw how probabilities, or scores, agree with the labels."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what is written, as JSON.")] = False,
    skip_bad_rows: SkipBadRowsOption = False,
) -> int:
    """Fit the detector to labelled answers of your own.

    Of the fusion, the weights of statements, the probabilities and the thresholds; 100 to 200 answers are enough. Of
    the geometric witness, the thresholds, for one embedder, chunking and corpus.
    """
    asked = WitnessOptions(witness, detector, reader, device, dtype, window, corpus, None, embedder)
    asked.check()
    check_flagged(flagged)
    if witness == "geometry":
        for option, value in (("name", name), ("flagged", flagged)):
            if value is not None:
                raise InputError(option, f"goes with --witness both, got {value!r} with --witness geometry")
    _check_files(data, out, picture)
    rows = labelled_data(data, skip_bad_rows=skip_bad_rows, against_corpus=corpus is not None)
    say_left_out(rows)
    if witness == "geometry":
        calibrate_geometry(rows, out, picture, corpus=corpus, embedder=embedder, device=device, as_json=as_json)
    else:
        refit = FusionRefit(asked, name or out.stem, flagged)
        calibrate_fusion(rows, out, picture, refit, as_json=as_json)
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
    return isinstance(values, dict) and str(values.get("schema")).startswith(_SCHEMAS)
