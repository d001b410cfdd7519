"""`ragcortex detectors`: those that ship, and what one is."""

from typing import TYPE_CHECKING, Annotated

import typer

from ragcortex.cli.console import write_foreign, write_text
from ragcortex.errors import EXIT_OK, BundleError

if TYPE_CHECKING:
    from ragcortex.bundle import Bundle

app = typer.Typer(help="Detectors: list those that ship, look at one.", rich_markup_mode=None)


@app.command("list")
def list_detectors() -> int:
    """List the detectors that ship."""
    from ragcortex.bundle import Bundle
    from ragcortex.detectors.registry import find_bundle, shipped

    names = shipped()
    if not names:
        raise BundleError("no detector ships with this installation; install the package again, or train one")
    width = max(map(len, names))
    for name in names:
        write_text(f"{name:<{width}}  {_summary(Bundle.load(find_bundle(name)))}\n")
    return EXIT_OK


@app.command()
def info(
    name: Annotated[
        str, typer.Argument(metavar="NAME|DIR", help="A shipped detector, or a folder that `train` wrote.")
    ],
) -> int:
    """Show a detector's card."""
    from ragcortex.bundle import Bundle
    from ragcortex.card import card
    from ragcortex.detectors.registry import find_bundle

    folder = find_bundle(name)
    bundle = Bundle.load(folder)
    try:
        text = (folder / "README.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # the card is for people; the facts are in the bundle
        text = card(bundle)
    write_foreign(text)
    return EXIT_OK


def _summary(bundle: "Bundle") -> str:
    """Return a detector in one line: version, reader, layer, what its thresholds come from."""
    reader = "any reader" if bundle.reader is None else f"reader {bundle.reader.id}"
    layers = sorted({head.layer for head in bundle.heads if head.layer})
    layer = f", layer {', '.join(map(str, layers))}" if layers else ""
    return (
        f"version {bundle.version}, recipe {bundle.recipe}, {reader}{layer}; thresholds from {bundle.calibration.data}"
    )
