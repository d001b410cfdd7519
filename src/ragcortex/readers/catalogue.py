"""Readers already on this machine, and what a reader is, without loading its weights."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError, ModelMissingError
from ragcortex.readers import embedded
from ragcortex.readers._hf import one_line
from ragcortex.readers.models import EMBEDDED, Location, ReaderIdentity, identity_of
from ragcortex.settings import settings

EMBEDDED_LICENCE: Final = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class ListedReader:
    """A reader found on this machine.

    Attributes:
        source: as `--reader` takes it; for an unpacked GGUF file its name.
        kind: `embedded`, `gguf` or `hub`.
        n_bytes: on disk, all its files.
        ready: whether it can be loaded at once.
        detail: why not, or what it still takes; empty if there is nothing to say.
    """

    source: str
    kind: str
    n_bytes: int
    ready: bool
    detail: str = ""


def readers_here() -> list[ListedReader]:
    """Return the embedded reader (here or not), GGUF files unpacked in the cache, and models in the hub's cache."""
    return [embedded_state(), *_unpacked_files(), *_hub_models()]


def embedded_state() -> ListedReader:
    """Return whether the embedded reader is here, whole, and unpacked."""
    folder = settings().cache_dir / "readers" / f"gguf-{embedded.GGUF_SHA256[:16]}"
    unpacked = (folder / "source.json").is_file()
    try:
        path = embedded.find()
    except ModelMissingError:
        return ListedReader(EMBEDDED, "embedded", 0, False, "not here; `ragcortex models pull embedded` fetches it")
    except ModelError as error:
        return ListedReader(EMBEDDED, "embedded", 0, False, str(error))
    n_bytes = path.stat().st_size + (folder_size(folder) if unpacked else 0)
    return ListedReader(
        EMBEDDED, "embedded", n_bytes, True, "" if unpacked else "unpacked on first use, which takes 20 s"
    )


def identify(location: Location) -> ReaderIdentity:
    """Return which reader a folder holds, from its configuration alone.

    Raises:
        ModelError: the configuration cannot be read.
    """
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(location.folder, local_files_only=True, trust_remote_code=False)
        return identity_of(location, config)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(
            f"reader {location.id!r} has a configuration that cannot be read: {one_line(error)}"
        ) from error


def licence(location: Location) -> str | None:
    """Return the licence that the reader's files name, None if they name none."""
    if location.id == EMBEDDED:
        return EMBEDDED_LICENCE
    try:
        card = (location.folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    header = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    found = re.search(r"^license:\s*[\"']?([\w.+-]+)", header[1], re.MULTILINE) if header else None
    return found[1] if found else None


def folder_size(folder: Path) -> int:
    """Return the bytes of all files in a folder; links count as what they point to."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _unpacked_files() -> Iterator[ListedReader]:
    for record in sorted((settings().cache_dir / "readers").glob("gguf-*/source.json")):
        try:
            source = json.loads(record.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(source, dict) and source.get("source_sha256") != embedded.GGUF_SHA256:
            yield ListedReader(str(source.get("source")), "gguf", folder_size(record.parent), True, "unpacked")


def _hub_models() -> Iterator[ListedReader]:
    from huggingface_hub import CacheNotFound, scan_cache_dir

    try:
        repositories = scan_cache_dir().repos
    except (CacheNotFound, OSError):
        return
    for repository in sorted(repositories, key=lambda repository: repository.repo_id):
        if repository.repo_type != "model":
            continue
        names = {file.file_name for revision in repository.revisions for file in revision.files}
        lacking = _lacking(names)
        detail = f"has no {lacking}; `ragcortex models pull {repository.repo_id}` completes it" if lacking else ""
        yield ListedReader(repository.repo_id, "hub", repository.size_on_disk, not lacking, detail)


def _lacking(names: set[str]) -> str | None:
    """Return which kind of file a reader's folder lacks, None if it has all."""
    if "config.json" not in names:
        return "config.json"
    if not any(name.endswith(".safetensors") for name in names):
        return "*.safetensors weights"
    return None if names & {"tokenizer.json", "tokenizer.model"} else "tokenizer"
