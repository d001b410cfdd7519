"""Who judged: an embedder beside the reader exactly where two models may judge."""

import re
from typing import Any

import pytest

from ragcortex.detector_info import WITNESSES, DetectorInfo
from ragcortex.errors import InputError

WHO = ("fusion", "1", "tiny-reader", "sha256:01", None)
ENCODER = {"embedder": "tiny-encoder", "embedder_fingerprint": "sha256:02"}


@pytest.mark.parametrize("witness", WITNESSES)
def test_what_each_witness_gives(witness: Any) -> None:
    extra = ENCODER if witness in {"both", "cascade"} else {}
    assert DetectorInfo(*WHO, witness, **extra).embedder == extra.get("embedder")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"witness": "all"}, "witness: must be one of internal, geometry, both, cascade, got 'all'"),
        ({"witness": "both"}, "embedder: must be a string, got NoneType"),
        ({"witness": "both", "embedder": " "}, "embedder: must not be blank"),
        ({"witness": "cascade", "embedder": "e"}, "embedder_fingerprint: must be a string, got NoneType"),
        (ENCODER, "embedder: must be null where the witness is internal, got 'tiny-encoder'"),
        (
            {"witness": "geometry", "embedder_fingerprint": "f"},
            "embedder_fingerprint: must be null where the witness is geometry, got 'f'",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        DetectorInfo(*WHO, **changes)
