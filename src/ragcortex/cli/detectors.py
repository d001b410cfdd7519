"""`ragcortex detectors`: those that ship, and what one is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcortex.cli.console import write_foreign, write_text
from ragcortex.errors import EXIT_OK, BundleError

if TYPE_CHECKING:
    from ragcortex.bundle import Bundle
    from ragcortex.fusion.model import FusionModel

app = typer.Typer(help="Detectors: list those that ship, look at one.", rich_markup_mode=None)


@app.command("list")
def list_detectors() -> int:
    """List the detectors that ship."""
    from ragcortex.detectors.registry import find_bundle, shipped

    names = shipped()
    if not names:
        raise BundleError("no detector ships with this installation; install the package again, or train one")
    width = max(map(len, names))
    for name in names:
        write_text(f"{name:<{width}}  {_summary(find_bundle(name))}\n")
    return EXIT_OK


@app.command()
def info(
    name: Annotated[
        str, typer.Argument(metavar="NAME|DIR", help="A shipped detector, or a folder that `train` wrote.")
    ],
) -> int:
    """Show a detector's card."""
    from ragcortex.card import card
    from ragcortex.detectors.registry import find_bundle
    from ragcortex.fusion.model import FusionModel
    from ragcortex.fusion_card import fusion_card

    folder = find_bundle(name)
    loaded = _loaded(folder)
    try:
        text = (folder / "README.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # the card is for people; the facts are in the bundle
        text = fusion_card(loaded) if isinstance(loaded, FusionModel) else card(loaded)
    write_foreign(text)
    return EXIT_OK


def _loaded(folder: Path) -> "Bundle | FusionModel":
    """Return what is in a detector's folder: both witnesses, or one that reads."""
    from ragcortex.bundle import Bundle
    from ragcortex.detectors.registry import has_both_witnesses
    from ragcortex.fusion.model import FILE_NAME, FusionModel

    return FusionModel.load(folder / FILE_NAME) if has_both_witnesses(folder) else Bundle.load(folder)


def _summary(folder: Path) -> str:
    """Return a detector in one line: version, what it reads with, what its thresholds come from."""
    from ragcortex.fusion.model import FusionModel

    bundle = _loaded(folder)
    if isinstance(bundle, FusionModel):
        return (
            f"version {bundle.version}, both witnesses: reads with `{bundle.internal}`, compares facts; calibrated on "
            f"{bundle.calibration.data}"
        )
    reader = "any reader" if bundle.reader is None else f"reader {bundle.reader.id}"
    layers = sorted({head.layer for head in bundle.heads if head.layer})
    layer = f", layer {', '.join(map(str, layers))}" if layers else ""
    return (
        f"version {bundle.version}, recipe {bundle.recipe}, {reader}{layer}; thresholds from {bundle.calibration.data}"
    )
