"""A detector's and a corpus's folder made in code, and edits of their files that an attacker could make.

An attacker can sign what was changed: the digests that name a changed file are made to fit, so that what lies behind
them is reached.
"""

import hashlib
import io
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from made_embedder import WordEmbedder

BUNDLE_FILES: Final = ("detector.json", "geometry.json", "fusion.json")
CORPUS_PARTS: Final = ("documents", "duplicates", "chunks", "vectors", "norms")
_PLACE: Final = "\x00here"


def made_bundle_folder(folder: Path) -> Path:
    """Write a detector with a head of each scorer, fitted on nothing; beside it the other models that ship."""
    from ragcortex.bundle import Bundle, FittedHead, ReaderPin
    from ragcortex.calibration import Calibration
    from ragcortex.detectors.registry import find_bundle
    from ragcortex.geometry.model import GeometryModel
    from ragcortex.scorers import GainScorer, LogisticScorer, MLPScorer, RecurrentScorer
    from ragcortex.smoothing import Smoothing

    scorers = {"mlp": MLPScorer((2,), n_seeds=1), "recurrent": RecurrentScorer(2, 2, n_seeds=1)}
    heads = [
        FittedHead(kind, ("delta",), 3, kind, type(scorer).from_arrays(scorer.get_params(), _arrays(kind)))
        for kind, scorer in {**scorers, "logistic": LogisticScorer()}.items()
    ]
    Bundle(
        name="made",
        version="1",
        recipe="cortex-transfer",
        heads=(*heads, FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer(offset=-0.5))),
        reader=ReaderPin("tiny", None, "f0" * 32, "float32"),
        template=Bundle.load(find_bundle("reference-gain")).template,
        smoothing=Smoothing.persistence(0.99),
        answer_smoothing=Smoothing.window_max(2),
        calibration=Calibration(0.5, 0.3, 0.6, "ten answers", 10, 4, "2025-01-31", {"token_f1": 0.5}),
        libraries={"torch": "2"},
        training={"data": "made up", "layers": {"3": 0.4}},
        figures={"token_ap": 0.4},
    ).save(folder, card="")
    GeometryModel.load().save(folder)
    shutil.copy(find_bundle("fusion") / "fusion.json", folder)
    return folder


def _arrays(kind: str) -> dict[str, npt.NDArray[np.float32]]:
    """Return the arrays of a small scorer, all halves; to fit one takes libraries that loading it does not need."""
    shapes: dict[str, tuple[int, ...]] = {"mean": (3,), "scale": (3,)}
    if kind == "logistic":
        shapes |= {"weight": (3,), "bias": (1,)}
    elif kind == "mlp":
        shapes |= {"0.0.weight": (2, 3), "0.0.bias": (2,), "0.1.weight": (1, 2), "0.1.bias": (1,)}
    else:
        shapes |= {"0.project.weight": (2, 3), "0.project.bias": (2,), "0.output.weight": (1, 4), "0.output.bias": (1,)}
        for direction in ("", "_reverse"):
            for side in ("ih", "hh"):
                shapes[f"0.recurrent.weight_{side}_l0{direction}"] = (6, 2)
                shapes[f"0.recurrent.bias_{side}_l0{direction}"] = (6,)
    return {name: np.full(shape, 0.5, np.float32) for name, shape in shapes.items()}


def edited_bundle(sound: Path, folder: Path, data: bytes) -> None:
    """Copy a detector's folder with one file changed, which the first byte chooses.

    0: the tensors, signed anew. 1 to 3: one of the JSON files as a whole. 4 to 6: one value of one of them, as
    `with_value` has it.
    """
    shutil.copytree(sound, folder)
    which = data[0] % 7 if data else 0
    if which == 0:
        (folder / "heads.safetensors").write_bytes(data[1:])
        _edit(folder / "detector.json", ["tensors", "sha256"], hashlib.sha256(data[1:]).hexdigest())
        return
    path = folder / BUNDLE_FILES[(which - 1) % 3]
    path.write_bytes(data[1:] if which <= 3 else with_value(path.read_bytes(), data[1:]))


def made_corpus_folder(folder: Path) -> Path:
    """Write a corpus of four documents, two of them alike."""
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.documents import Document

    texts = ("The lighthouse was built in 1874.", "The harbour freezes every winter.", "Tickets cost 5 euros.")
    documents = [
        Document(f"{number}.txt", text, "shelf", ("a guess",), (0, 4))
        for number, text in enumerate((*texts, texts[0]))
    ]  # fmt: skip
    Corpus.build(documents, out=folder, embedder=WordEmbedder())
    return folder


def edited_corpus(sound: Path, folder: Path, data: bytes) -> None:
    """Copy a corpus's folder with one file changed, which the first byte chooses.

    0: `corpus.json` as a whole. 1: one value of it, as `with_value` has it. 2 to 6: one of CORPUS_PARTS, signed anew.
    """
    shutil.copytree(sound, folder)
    manifest = folder / "corpus.json"
    which = data[0] % 7 if data else 0
    if which == 0:
        manifest.write_bytes(data[1:])
    elif which == 1:
        manifest.write_bytes(with_value(manifest.read_bytes(), data[1:]))
    else:
        replace_part(folder, CORPUS_PARTS[which - 2], data[1:])


def replace_part(folder: Path, part: str, content: bytes) -> None:
    """Put a file in the place of a part of a corpus, signed anew."""
    (old,) = folder.glob(f"{part}-*")
    old.unlink()
    digest = _array_digest(content) if old.suffix == ".npy" else hashlib.sha256(content).hexdigest()
    (folder / f"{part}-{digest[:16]}{old.suffix}").write_bytes(content)
    _edit(folder / "corpus.json", ["files", part], {"sha256": digest, "bytes": len(content)})


def with_value(document: bytes, data: bytes) -> bytes:
    """Return JSON with one of its values, whose number two bytes give, replaced by the other bytes as they are."""
    values = json.loads(document)
    paths = list(_paths(values))
    path = paths[int.from_bytes(data[:2]) % len(paths)]
    text = json.dumps(_replaced(values, path, _PLACE))
    return text.encode().replace(json.dumps(_PLACE).encode(), data[2:], 1)


def n_values(document: bytes) -> int:
    """Return how many values of a document `with_value` can replace."""
    return sum(1 for _ in _paths(json.loads(document)))


def _paths(values: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every value within a document but the whole, what holds others before these."""
    if path:
        yield path
    keys: Sequence[Any] = list(values) if isinstance(values, dict) else range(len(values) if _is_list(values) else 0)
    for key in keys:
        yield from _paths(values[key], (*path, key))


def _is_list(values: object) -> bool:
    return isinstance(values, list)


def _replaced(values: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(values, dict):
        return values | {key: _replaced(values[key], rest, value)}
    return [_replaced(item, rest, value) if index == key else item for index, item in enumerate(values)]


def _edit(path: Path, place: Sequence[str | int], value: Any) -> None:
    path.write_text(json.dumps(_replaced(json.loads(path.read_bytes()), place, value)))


def _array_digest(content: bytes) -> str:
    """Return the digest that a corpus would have of the array in a file, of the bytes where there is none."""
    from ragcortex.geometry.corpus_state import array_digest

    try:
        return array_digest(np.load(io.BytesIO(content), allow_pickle=False))
    except Exception:  # whatever a damaged file makes of numpy: the package's own way to read it is what is tried
        return hashlib.sha256(content).hexdigest()
