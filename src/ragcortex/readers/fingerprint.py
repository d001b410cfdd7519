"""Fingerprints of reader files, remembered by size and time so that a start does not hash gigabytes again."""

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError
from ragcortex.settings import settings

# What changes a reading: weights, configuration, tokenizer and chat template. Nothing else in the folder counts.
_PATTERNS: Final = (
    "*.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt", "*.model", "*.jinja", "chat_template.json",
)  # fmt: skip


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, from the cache if its size and modification time are those of the last hash."""
    stat = path.stat()
    key = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}"
    cache = settings().cache_dir / "digests.json"
    known = _known(cache)
    if isinstance(known.get(key), str):
        return known[key]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(cache, {**_known(cache), key: digest})
    return digest


def folder_fingerprint(folder: Path) -> str:
    """Return one SHA-256 over the weights, configuration and tokenizer of a model folder.

    Raises:
        ModelError: the folder holds no `config.json` or no safetensors weights.
    """
    files = sorted({path for pattern in _PATTERNS for path in folder.glob(pattern)})
    names = {path.name for path in files}
    if "config.json" not in names:
        raise ModelError(f"reader folder {str(folder)!r} has no config.json")
    if not any(name.endswith(".safetensors") for name in names):
        raise ModelError(f"reader folder {str(folder)!r} has no *.safetensors weights (pickled weights are not loaded)")
    strange = [path.name for path in files if not path.is_file()]
    if strange:
        raise ModelError(f"reader folder {str(folder)!r}: {', '.join(strange)} must be a plain file")
    listing = "".join(f"{path.name} {file_digest(path)}\n" for path in files)
    return hashlib.sha256(listing.encode()).hexdigest()


def _known(cache: Path) -> dict[str, str]:
    try:
        known = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(cache: Path, known: dict[str, str]) -> None:
    """Write the remembered digests; a cache that cannot be written only costs the next start a hash."""
    temporary = cache.with_suffix(f".{os.getpid()}.tmp")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(known, indent=0), encoding="utf-8")
        temporary.replace(cache)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
