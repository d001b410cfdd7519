"""`ragcortex train`: labelled rows in, a detector's folder out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import say
from ragcortex.cli.labelled import labelled_data, read_ahead, reading_store, say_left_out
from ragcortex.cli.options import (
    DeviceOption,
    DtypeOption,
    SkipBadRowsOption,
    StoreOption,
    WindowOption,
)
from ragcortex.errors import EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.bundle import Bundle
    from ragcortex.training import TrainingOptions

DataArgument = Annotated[list[Path], typer.Argument(metavar="DATA.jsonl...", help="Labelled rows, one or more files.")]
TrainingReaderOption = Annotated[
    str, typer.Option("--reader", metavar="SOURCE", help="`embedded`, a hub id, a folder or a .gguf file.")
]
RecipeOption = Annotated[str, typer.Option("--recipe", metavar="NAME", help="What to fit; see docs/cli.md.")]
LayersOption = Annotated[
    str, typer.Option("--layers", metavar="auto|N[,N…]", help="The layer, or those to choose from by validation.")
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Of splits, networks and resamples.")]
SeedsOption = Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Networks averaged a head.")]
ValidationOption = Annotated[
    float, typer.Option("--validation-fraction", metavar="SHARE", help="Share of the rows that choices are made on.")
]


def train(
    *,
    data: DataArgument,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write the detector.")],
    reader: TrainingReaderOption = "embedded",
    recipe: RecipeOption = "cortex",
    layers: LayersOption = "auto",
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Of the detector. [default: that of the folder]")
    ] = None,
    seed: SeedOption = 0,
    seeds: SeedsOption = 3,
    validation_fraction: ValidationOption = 0.15,
    store: StoreOption = None,
    licence: Annotated[
        list[str] | None,
        typer.Option("--licence", metavar="TEXT", help="Of the data, for the card; once for each data set."),
    ] = None,
    skip_bad_rows: SkipBadRowsOption = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the detector in DIR.")] = False,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
) -> int:
    """Fit a detector on labelled rows; resumable.

    Interrupted, the same command goes on where it stopped.
    """
    from ragcortex.detectors.recipes import recipe as find_recipe

    chosen = find_recipe(recipe)
    options = training_options(layers, seed, seeds, validation_fraction)
    _check_folder(out, overwrite)
    rows = labelled_data(data, skip_bad_rows=skip_bad_rows)
    say_left_out(rows)

    from ragcortex import training
    from ragcortex.card import card
    from ragcortex.readers.reader import Reader, ReaderOptions

    loaded = Reader.load(reader, device=device, dtype=dtype, options=ReaderOptions(window=window))
    readings = reading_store(store)
    read_ahead(loaded, rows.examples, chosen.spec(training.layer_candidates(chosen, loaded, options)), readings)
    bundle = training.train(
        rows.examples,
        loaded,
        chosen,
        readings,
        name=name or out.resolve().name,
        data=rows.describe(),
        options=options,
        facts={
            "licences": licence or [],
            "files": list(rows.files),
            "left_out": {reason: n for reason, n in rows.left_out.items() if n},
            "window": loaded.window,
        },
        report=say,
    )
    bundle.save(out, card=card(bundle))
    _summarise(bundle, out)
    return EXIT_OK


def training_options(layers: str, seed: int, seeds: int, validation_fraction: float = 0.15) -> "TrainingOptions":
    """Return the options of a training run.

    Raises:
        InputError: the layers are neither `auto` nor numbers, or a value is out of range.
    """
    from ragcortex.training import TrainingOptions

    if not 0 < validation_fraction < 1:
        raise InputError("validation-fraction", f"must lie between 0 and 1, got {validation_fraction:g}")
    if layers == "auto":
        return TrainingOptions(None, validation_fraction, seeds, seed)
    try:
        numbers = tuple(int(number) for number in layers.split(","))
    except ValueError:
        raise InputError("layers", f"must be auto, or layer numbers such as 20 or 15,20,25, got {layers!r}") from None
    return TrainingOptions(numbers, validation_fraction, seeds, seed)


def _check_folder(out: Path, overwrite: bool) -> None:
    """Refuse an output folder that holds something before hours are spent on what cannot be written there."""
    if out.exists() and not out.is_dir():
        raise InputError("out", f"{str(out)!r} is a file; give a folder")
    if not out.exists() or not any(out.iterdir()):
        return
    if not (out / "detector.json").is_file():
        raise InputError("out", f"folder {str(out)!r} is not empty and holds no detector; give another one")
    if not overwrite:
        raise InputError("out", f"folder {str(out)!r} holds a detector; give --overwrite to replace it")


def _summarise(bundle: "Bundle", out: Path) -> None:
    calibration = bundle.calibration
    figures: dict[str, Any] = dict(calibration.figures)
    layers = sorted({head.layer for head in bundle.heads if head.layer})
    say(
        f"detector {bundle.name!r} written to {out}: recipe {bundle.recipe}"
        + (f", layer {', '.join(map(str, layers))}" if layers else "")
        + f"; thresholds from {calibration.n_answers:,} held-out answers"
        + "".join(f", {name.replace('_', ' ')} {value:.2f}" for name, value in figures.items())
    )
    say(f"try it: ragcortex check --detector {out} --reference FILE --answer FILE")
