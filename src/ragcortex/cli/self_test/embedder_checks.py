"""The embedding model: its files, its vectors of fixed texts, and whether a batch changes them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.embedded_vectors import embedded_vectors
from ragcortex.cli.self_test.measured import measured, not_run
from ragcortex.cli.self_test.texts import EMBEDDED_TEXTS
from ragcortex.geometry.embedders import embedded
from ragcortex.geometry.embedders.embedder import Embedder

_TOLERANCE: Final = 1e-5
# Longer than any embedding model reads at once, and shorter than most texts.
_NEIGHBOURS: Final = ("The keeper counted the ships of the month. " * 40, "No.")


def embedder_findings(embedder: Embedder) -> Iterator[Finding]:
    """Yield the findings one by one.

    Raises:
        ModelError, ReadingError: the model fails.
    """
    yield _fingerprint(embedder)
    yield _vectors(embedder)
    yield _batch(embedder)


def _fingerprint(embedder: Embedder) -> Finding:
    """Return whether the files are the pinned ones, each hashed now and not remembered from an earlier time."""
    name, identity = "encoder fingerprint", embedder.identity
    if identity.id != embedded.EMBEDDED:
        return not_run(name, f"no fingerprint is pinned for {identity.id!r}, which has {identity.fingerprint[:16]}…")
    folder = embedded.find()
    wrong = [file for file, pinned in embedded.FILES.items() if _digest_of(folder / file) != pinned]
    if wrong:
        detail = f"{len(wrong)} of {len(embedded.FILES)} files are not the pinned ones: {', '.join(wrong)}"
        return Finding(name, False, detail, f"delete {str(folder)!r} and run `{embedded.PULL}`", len(wrong), 0)
    return Finding(name, True, f"all {len(embedded.FILES)} files are the pinned ones, hashed just now", "", 0, 0)


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _vectors(embedder: Embedder) -> Finding:
    name, identity = "encoder vectors", embedder.identity
    if identity.id != embedded.EMBEDDED:
        return not_run(name, f"no vectors are kept for {identity.id!r}")
    cosines = np.einsum("nd,nd->n", embedder.embed(EMBEDDED_TEXTS).unit, embedded_vectors(), dtype=np.float64)
    what = f"1 − cosine of the vectors of {len(EMBEDDED_TEXTS)} texts and those that are kept of them"
    return measured(name, float(np.abs(1 - cosines).max()), _TOLERANCE, what)


def _batch(embedder: Embedder) -> Finding:
    alone = np.concatenate([embedder.embed([text]).unit for text in EMBEDDED_TEXTS])
    first, second = _NEIGHBOURS
    together = embedder.embed([first, *EMBEDDED_TEXTS, second]).unit[1:-1]
    what = "vectors of texts alone and between a short and a long neighbour"
    return measured("encoder batch", float(np.abs(together - alone).max()), _TOLERANCE, what)
