"""A small fitted bundle for the tests of what is on disk, and ways to damage its files."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from ragcortex.bundle import Bundle, FittedHead, ReaderPin
from ragcortex.calibration import Calibration
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.scorers import GainScorer, LogisticScorer, MLPScorer, RecurrentScorer, Scorer
from ragcortex.signals.features import features
from ragcortex.smoothing import Smoothing

EXAMPLE = Example.of("Where?", ["At sea.", "Built in 1874."], "It was built in 1875, at sea. 灯台")
HEADS = {
    "comparison": (("delta", "residual"), 3, "mlp", MLPScorer((8, 4), n_epochs=1, n_seeds=2)),
    "scalars": (("scalars",), 0, "logistic", LogisticScorer()),
    "gain": (("reference_gain",), 0, "gain", GainScorer(offset=-0.5)),
    "sequence": (("hidden", "delta"), 3, "recurrent", RecurrentScorer(4, 3, n_epochs=1, n_seeds=2)),
}
SPEC = ReadingSpec(layers=(3,), attention_layers=None, log_probs=True)


def made_bundle(reader: Reader, reading: Reading) -> Bundle:
    """Return a bundle with one head of each scorer, fitted on made-up labels of one reading."""
    labels = (np.arange(len(reading.tokens)) % 3 == 0).astype(np.int8)

    def fitted(names: tuple[str, ...], layer: int, scorer: Scorer) -> Scorer:
        return scorer.fit(features(reading.blocks[0], names, layer), labels)

    identity = reader.identity
    return Bundle(
        name="test",
        version="3",
        recipe="cortex-transfer",
        heads=tuple(
            FittedHead(name, names, layer, kind, fitted(names, layer, scorer))
            for name, (names, layer, kind, scorer) in HEADS.items()
        ),
        reader=ReaderPin(identity.id, identity.revision, identity.fingerprint, reader.dtype),
        template=reader.template,
        smoothing=Smoothing.persistence(0.99),
        answer_smoothing=Smoothing.window_max(2),
        calibration=Calibration(0.5, 0.3, 0.6, "ten answers", 10, 4, "2025-01-31", {"token_f1": 0.5}),
        libraries={"torch": "2"},
        training={"data": "hand-written", "layers": {"3": 0.4}},
        figures={"token_ap": 0.4},
    )


def edit(**changes: Any) -> Callable[[Path], None]:
    """Return a damage that sets fields of `detector.json`; `a__0__b` is field b of item 0 of field a, ... removes."""

    def damage(folder: Path) -> None:
        document = json.loads((folder / "detector.json").read_text())
        for path, value in changes.items():
            *parents, last = [int(step) if step.isdigit() else step for step in path.split("__")]
            place = document
            for step in parents:
                place = place[step]
            if value is ...:
                del place[last]
            else:
                place[last] = value
        (folder / "detector.json").write_text(json.dumps(document))

    return damage


def write(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def truncate(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    return damage


def resigned(change: Callable[[dict[str, np.ndarray]], bytes]) -> Callable[[Path], None]:
    """Return a damage to the tensors whose hash in `detector.json` is made to fit, as an attacker would."""

    def damage(folder: Path) -> None:
        content = change(load_file(folder / "heads.safetensors"))
        (folder / "heads.safetensors").write_bytes(content)
        edit(tensors__sha256=hashlib.sha256(content).hexdigest())(folder)

    return damage
