"""Helpers of the command line's tests: what a command did, tiny detectors that need no fitting, rows to score."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SCHEMA = Path(__file__).parents[2] / "src" / "ragcortex" / "report.schema.json"
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


def use_words(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let commands in this process load the made embedder and its score model instead of the shipped ones."""
    from made_embedder import WordEmbedder
    from made_geometry import made_model

    made_model().save(folder)
    patch.setattr("ragcortex.geometry.model.DEFAULT", folder / "geometry.json")

    def load(source: str | None = None, **_: object) -> WordEmbedder:
        return WordEmbedder() if source in (None, "embedded", "words") else WordEmbedder(str(source), "b0" * 32)

    for module in ("ragcortex.detectors.geometric", "ragcortex.geometry.corpus", "ragcortex.geometry.embedders.load"):
        patch.setattr(f"{module}.load_embedder", load)


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


def checked(command: Command, *options: object) -> dict[str, Any]:
    """Return the report of the answer that says 52 where the reference says 41; it keeps the schema."""
    import jsonschema

    result = command("check", "--reference", REFERENCE, "--answer", ANSWER, "--format", "json", *options)
    assert result.code == 0, result.err
    report: dict[str, Any] = json.loads(result.out)
    jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
    return report
