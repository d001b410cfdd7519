"""Raw scores of one method in one fold, on disk: what an interrupted run goes on from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.file_names import safe_name
from ragcortex.benchmark.method import MethodScores
from ragcortex.benchmark.results.files import write_file

# Raised whenever the code changes what raw scores of the same configuration are.
FORMAT: Final = "ragcortex.fold-scores/1"


@dataclass(frozen=True, slots=True)
class FoldScores:
    """What a method fitted in one fold says of its validation and test answers.

    Attributes:
        validation, test: the raw scores by the answer's position in the data.
        choices: what was chosen on validation data.
        fit_seconds, score_seconds: wall time of fitting, and of scoring the validation and test answers.
    """

    validation: Mapping[int, MethodScores] = field(repr=False)
    test: Mapping[int, MethodScores] = field(repr=False)
    choices: Mapping[str, Any]
    fit_seconds: float
    score_seconds: float


@dataclass(frozen=True, slots=True)
class FoldFile:
    """Where the scores of one method, seed and fold are kept; the name says what they are of.

    Attributes:
        folder: of the run.
        method: its name; methods of the same name and key have the same scores, whatever they are called in the run.
        seed, fold: which.
        key: everything the scores depend on, as JSON values.
    """

    folder: Path
    method: str
    seed: int
    fold: int
    key: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The file; another key is another file, so scores of another configuration are never taken for these."""
        text = json.dumps({"format": FORMAT, **self.key}, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return (
            self.folder / "scores" / safe_name(self.method) / f"seed-{self.seed}-fold-{self.fold}-{digest}.safetensors"
        )

    def read(self) -> FoldScores | None:
        """Return the scores, or None where they are not there or cannot be read whole."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="numpy") as file:
                facts = json.loads(file.metadata()["facts"])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            parts = {name: _unpacked(arrays, name) for name in ("validation", "test")}
        except (OSError, ValueError, KeyError, TypeError, SafetensorError):
            return None
        return FoldScores(parts["validation"], parts["test"], **facts)

    def write(self, scores: FoldScores) -> None:
        """Keep the scores, whole or not at all.

        Raises:
            StoreError: the file cannot be written.
        """
        from safetensors.numpy import save

        facts = {name: getattr(scores, name) for name in ("choices", "fit_seconds", "score_seconds")}
        arrays = _packed(scores.validation, "validation") | _packed(scores.test, "test")
        write_file(self.path, save(arrays, metadata={"facts": json.dumps(facts)}))


def _packed(scores: Mapping[int, MethodScores], part: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of one part; a token count of -1 means that there are no token scores."""
    tokens = [one.tokens for one in scores.values()]
    answers = [one.answer for one in scores.values()]
    return {
        f"{part}_positions": np.array(list(scores), dtype=np.int64),
        f"{part}_lengths": np.array([-1 if one is None else len(one) for one in tokens], dtype=np.int64),
        f"{part}_tokens": np.concatenate([np.zeros(0), *(one for one in tokens if one is not None)]),
        f"{part}_answers": np.array([0.0 if one is None else one for one in answers]),
        f"{part}_has_answer": np.array([one is not None for one in answers], dtype=np.bool_),
    }


def _unpacked(arrays: Mapping[str, npt.NDArray[Any]], part: str) -> dict[int, MethodScores]:
    names = ("positions", "lengths", "tokens", "answers", "has_answer")
    positions, lengths, tokens, answers, given = (arrays[f"{part}_{name}"] for name in names)
    ends = np.cumsum(np.maximum(lengths, 0))
    return {
        int(position): MethodScores(
            None if length < 0 else tokens[end - length : end], float(answer) if has_answer else None
        )
        for position, length, end, answer, has_answer in zip(positions, lengths, ends, answers, given, strict=True)
    }
