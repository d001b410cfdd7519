"""`ragcortex calibrate`: the fusion of both witnesses, refitted on labelled answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragcortex.cli.console import plural, save_picture, say, write_data, write_text
from ragcortex.cli.labelled import LabelledData
from ragcortex.cli.witness import WitnessOptions, load_witness
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.detectors.fused import FusedDetector
    from ragcortex.example import Example
    from ragcortex.fusion.model import FusionModel
    from ragcortex.training.fusion import FusionRow
    from ragcortex.training.refit import Unused

_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class FusionRefit:
    """What is refitted: the detector asked for, the name of what comes out, and how much may be flagged."""

    asked: WitnessOptions
    name: str
    flagged: float | None


def calibrate_fusion(rows: LabelledData, out: Path, picture: Path | None, refit: FusionRefit, *, as_json: bool) -> None:
    """Refit a fusion on labelled answers, print its figures and write it."""
    from ragcortex.detectors.fused import FusedDetector
    from ragcortex.evaluation.fusion_figures import fusion_figures
    from ragcortex.evaluation.reliability_picture import render_reliability_png
    from ragcortex.training.fusion import FLAGGED
    from ragcortex.training.refit import refit_fusion

    detector = load_witness(refit.asked)
    assert isinstance(detector, FusedDetector)
    known = _known(detector, rows.examples)
    flagged = FLAGGED if refit.flagged is None else refit.flagged
    refitted, judged = refit_fusion(detector.model, known, name=refit.name, data=_data(rows, known), flagged=flagged)
    figures = fusion_figures(detector.model, refitted, judged)
    refitted = replace(refitted, figures=figures.to_dict())
    refitted.save(out)
    if as_json:
        write_data(json.dumps(refitted.to_dict(), ensure_ascii=False, indent=1) + "\n")
    else:
        write_text("".join(line + "\n" for line in figures.lines()))
    if picture is not None:
        title = f"Probabilities of {plural(len(known), 'labelled answer')}, before and after calibration"
        save_picture(picture, render_reliability_png(figures.panels(), title=title))
    _say_written(refitted, out, refit.asked)


def _known(detector: "FusedDetector", examples: "Sequence[Example]") -> "list[FusionRow]":
    """Return what both witnesses say of the answers, and list those that cannot be used."""
    from ragcortex.rendering.progress import tracked
    from ragcortex.training.refit import witnessed_rows

    known, unused = witnessed_rows(detector, tracked(examples, len(examples), "reading"))
    _say_unused(examples, unused)
    if not known:
        raise InputError("data", f"none of {plural(len(examples), 'answer')} can be used to calibrate by")
    return known


def _say_unused(examples: "Sequence[Example]", unused: "Sequence[Unused]") -> None:
    numbers = {id(example): number for number, example in enumerate(examples, 1)}
    for one in unused[:_LISTED]:
        row = f"row {one.example.id!r}" if one.example.id is not None else f"usable row {numbers[id(one.example)]}"
        say(f"left out {row}: {one.reason}")
    if unused:
        listed = "" if len(unused) <= _LISTED else f"; the first {_LISTED} are listed above"
        say(f"left out {plural(len(unused), 'answer')} of {len(examples):,} that cannot be used{listed}")


def _data(rows: LabelledData, known: "Sequence[FusionRow]") -> str:
    n_hallucinated = sum(row.label for row in known)
    counts = f"{n_hallucinated:,} hallucinated and {len(known) - n_hallucinated:,} grounded"
    return f"{rows.describe()}: {counts} answers"


def _say_written(model: "FusionModel", out: Path, asked: WitnessOptions) -> None:
    limits = f"a statement is flagged from {model.statement_threshold:.3f} on"
    say(f"calibration {model.name!r} written to {out}: {limits}, an answer is hallucinated from "
        f"{model.calibration.hallucinated_threshold:.3f} on")  # fmt: skip
    own = "" if asked.detector == DEFAULT_DETECTOR else f"--detector {asked.detector} "
    against = "--reference FILE" if asked.corpus is None else f"--corpus {asked.corpus}"
    say(f"use it: ragcortex check {own}--calibration {out} {against} --answer FILE")
