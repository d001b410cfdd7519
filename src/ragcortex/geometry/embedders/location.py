"""Where a sentence-transformers model lies on this machine, what it is called, and the fingerprint of its files."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError, ModelMissingError
from ragcortex.geometry.embedders import embedded

_MODULES: Final = "modules.json"
# What sentence-transformers reads beside the modules' own folders: prompts, truncation, limit and lower-casing.
_OWN_FILES: Final = (_MODULES, "config_sentence_transformers.json", "sentence_*_config.json")
_MODULE_FILES: Final = ("config.json", "*.safetensors")


@dataclass(frozen=True, slots=True)
class EmbedderLocation:
    """A folder in sentence-transformers' format.

    Attributes:
        folder: where its files are.
        id: `embedded`, a hub id, or the folder's name.
        revision: the hub commit, None elsewhere.
        fingerprint: SHA-256 over all files that change a vector.
    """

    folder: Path
    id: str
    revision: str | None
    fingerprint: str


def locate(source: str) -> EmbedderLocation:
    """Return where the embedding model named by `source` lies: `embedded`, a folder, or a hub id fetched before.

    Raises:
        ModelMissingError: it is not on this machine; nothing is downloaded.
        ModelError: its files are incomplete, pickled, or would run code of their own.
    """
    if source == embedded.EMBEDDED:
        return EmbedderLocation(embedded.find(), source, None, embedded.identity().fingerprint)
    path = Path(source).expanduser()
    if path.is_dir():
        return EmbedderLocation(path, path.resolve().name, None, _fingerprint(path))
    if path.is_file():
        raise ModelError(f"embedder {source!r} is a file; give the folder that holds its {_MODULES}")
    if path.is_absolute() or source.startswith((".", "~")) or source.count("/") > 1:
        raise ModelMissingError(f"embedder folder {source!r} does not exist")
    folder = _snapshot(source)
    return EmbedderLocation(folder, source, folder.name, _fingerprint(folder))


def _snapshot(source: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(source, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        raise ModelMissingError(
            f"embedder {source!r} is not on this machine; fetch it with `ragcortex models pull {source}`"
        ) from None


def _fingerprint(folder: Path) -> str:
    """Return one SHA-256 over the transformer's files, as readers have it, and those of all other modules."""
    from ragcortex.readers.fingerprint import file_digest, folder_fingerprint

    modules = module_folders(folder)
    transformer = folder_fingerprint(modules[0])
    files = {path for pattern in _OWN_FILES for path in folder.glob(pattern)}
    for module in modules[1:]:
        found = {path for pattern in _MODULE_FILES for path in module.glob(pattern)}
        # Under any other name sentence-transformers passes safetensors over and takes the pickled file.
        if any(module.glob("*.bin")) and not (module / "model.safetensors").is_file():
            raise ModelError(
                f"embedder folder {str(module)!r} has no model.safetensors (pickled weights are not loaded)"
            )
        files |= found
    lines = [f"{path.relative_to(folder).as_posix()} {file_digest(path)}\n" for path in sorted(files)]
    return hashlib.sha256("".join([f"transformer {transformer}\n", *lines]).encode()).hexdigest()


def module_folders(folder: Path) -> list[Path]:
    """Return the folders of a model's modules in the order they run; the first one holds the transformer.

    Raises:
        ModelError: `modules.json` is missing or unreadable, or names code that is not sentence-transformers' own or
            a folder elsewhere.
    """
    path = folder / _MODULES
    if not path.is_file():
        raise ModelError(
            f"embedder folder {str(folder)!r} has no {_MODULES}, so it does not say how vectors are made of token "
            "states; give a folder saved by sentence-transformers"
        )
    try:
        modules = json.loads(path.read_text(encoding="utf-8"))
        described = [(str(module["type"]), str(module["path"])) for module in modules]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"embedder folder {str(folder)!r} has a {_MODULES} that cannot be read: {error!r}") from error
    if not described:
        raise ModelError(f"embedder folder {str(folder)!r} has a {_MODULES} that names no module")
    for kind, place in described:
        if not kind.startswith("sentence_transformers."):
            raise ModelError(
                f"embedder folder {str(folder)!r} needs code of its own ({kind!r}), which is not run; "
                "give a model made of sentence-transformers' modules"
            )
        if Path(place).is_absolute() or ".." in Path(place).parts:
            raise ModelError(f"embedder folder {str(folder)!r} names a module outside of it: {place!r}")
    return [folder / place for _, place in described]
