"""Helpers of the command line's tests: what a command did, tiny detectors that need no fitting, rows to score."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXECUTABLE = str(Path(sys.executable).with_name("ragcortex"))
REFERENCE = "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea."
ANSWER = "It was built in 1874. It stands 52 metres above the sea."


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


def save_detector(folder: Path, name: str, review: float, hallucinated: float, version: str = "1") -> Path:
    """Write a reference-gain detector, which works with any reader, with these answer thresholds."""
    from ragcortex.bundle import Bundle, FittedHead
    from ragcortex.calibration import Calibration
    from ragcortex.card import card
    from ragcortex.readers.reader import CHAT
    from ragcortex.scorers import GainScorer
    from ragcortex.smoothing import Smoothing

    bundle = Bundle(
        name=name,
        version=version,
        recipe="reference-gain",
        heads=(FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer()),),
        reader=None,
        template=CHAT,
        smoothing=Smoothing.persistence(0.9),
        answer_smoothing=Smoothing.persistence(0.9),
        calibration=Calibration(0.5, review, hallucinated, "hand-written answers", 10, 4, "2025-01-01"),
    )
    bundle.save(folder / name, card=card(bundle))
    return folder / name


def row(number: int, **fields: Any) -> dict[str, Any]:
    """Return an input row; answers of different rows differ."""
    answer = f"The lighthouse was built in {1800 + number}. " * (1 + number % 3)
    return {
        "id": f"row-{number}",
        "question": "When was it built?",
        "references": [REFERENCE],
        "answer": answer.strip(),
    } | fields


def write_lines(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> Path:
    """Write JSON lines; a string is written as it is."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
