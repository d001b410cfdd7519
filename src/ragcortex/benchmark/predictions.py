"""What every method said of every test answer, in a results folder: one safetensors file a method, and the labels."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.file_names import safe_name
from ragcortex.benchmark.results.figure import Smoothing
from ragcortex.benchmark.results.files import write_file
from ragcortex.errors import StoreError
from ragcortex.evaluation.levels import LevelUnits

if TYPE_CHECKING:  # it brings torch, which reading does not need
    from ragcortex.benchmark.assemble import Assembled

FOLDER: Final = "predictions"
_LABELS: Final = "_labels"


@dataclass(frozen=True, slots=True, eq=False)
class SavedPredictions:
    """The predictions of a results folder.

    Attributes:
        digest: of the data.
        ids: of the test answers, "" where one has none.
        labels: `token_labels`, `token_answers`, `token_groups`, `answer_labels`, `answer_groups`, and
            `answers_labelled`, the positions of the answers that the two before are of.
        scores: by method: `token_smoothed`, `token_raw` (over the tokens of answers with known spans), where it scores
            tokens; `answer_smoothed`, `answer_raw` (over all answers).
    """

    digest: str
    ids: tuple[str, ...]
    labels: dict[str, npt.NDArray[Any]]
    scores: dict[str, dict[str, npt.NDArray[Any]]]

    def units(
        self, method: str, level: Literal["token", "answer"], smoothing: Smoothing = "smoothed"
    ) -> LevelUnits | None:
        """Return a method's scores of tokens or answers; None where it gives none."""
        if level == "token":
            scores = self.scores[method].get(f"token_{smoothing}")
            answers, groups = self.labels["token_answers"], self.labels["token_groups"]
        else:
            answers, groups = self.labels["answers_labelled"], self.labels["answer_groups"]
            scores = self.scores[method][f"answer_{smoothing}"][answers]
        if scores is None:
            return None
        return LevelUnits(level, scores, self.labels[f"{level}_labels"], groups, answers, 0, 0)


def write_predictions(assembled: "Assembled", folder: Path) -> list[Path]:
    """Write the predictions of a run and return the paths.

    Raises:
        StoreError: a file cannot be written.
    """
    from safetensors.numpy import save

    index = assembled.answers.answers.index
    known = index.known.tolist()
    token_units = index.answers("token")
    answer_units = index.answers("answer")
    labels: dict[str, npt.NDArray[Any]] = {
        "token_labels": index.labels("token"),
        "token_answers": token_units.astype(np.int64),
        "token_groups": index.groups[token_units].astype(np.int64),
        "answer_labels": index.labels("answer"),
        "answer_groups": index.groups[answer_units].astype(np.int64),
        "answers_labelled": answer_units.astype(np.int64),
    }
    facts = {
        "digest": assembled.document.data.fingerprint,
        "ids": json.dumps([example.id or "" for example in assembled.answers.examples]),
    }
    paths = [_write(folder, _LABELS, save(_contiguous(labels), metadata=facts))]
    for label, gathered in assembled.gathered.items():
        test = gathered.test
        arrays: dict[str, npt.NDArray[Any]] = {"answer_raw": test.answers_raw, "answer_smoothed": test.answers}
        for name, rows in (("token_raw", test.raw), ("token_smoothed", test.smoothed)):
            if rows is not None:
                arrays[name] = np.concatenate([np.zeros(0), *(rows[at] for at in known)])
        paths.append(_write(folder, safe_name(label), save(_contiguous(arrays), metadata={"method": label})))
    return paths


def read_predictions(folder: Path) -> SavedPredictions:
    """Return the predictions of a results folder.

    Raises:
        StoreError: they are not there or cannot be read.
    """
    from safetensors import SafetensorError

    try:
        labels, facts = _load(folder / FOLDER / f"{_LABELS}.safetensors")
        scores = {}
        for path in sorted((folder / FOLDER).glob("*.safetensors")):
            if path.stem != _LABELS:
                arrays, own = _load(path)
                scores[own["method"]] = arrays
        return SavedPredictions(facts["digest"], tuple(json.loads(facts["ids"])), labels, scores)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise StoreError(
            f"{folder / FOLDER} holds no readable predictions ({error}); run the benchmark again"
        ) from error


def _load(path: Path) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


def _contiguous(arrays: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def _write(folder: Path, name: str, content: bytes) -> Path:
    return write_file(folder / FOLDER / f"{name}.safetensors", content)
