"""`ragcortex train`: labelled rows in, a detector's folder out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragcortex.cli.console import say
from ragcortex.cli.labelled import LabelledData, labelled_data, read_ahead, reading_store, say_left_out
from ragcortex.cli.options import (
    DeviceOption,
    DtypeOption,
    FlaggedOption,
    SkipBadRowsOption,
    StoreOption,
    WindowOption,
    check_flagged,
)
from ragcortex.detectors.registry import DEFAULT_RECIPE
from ragcortex.errors import EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.bundle import Bundle
    from ragcortex.detectors.recipes import Recipe
    from ragcortex.readers.reader import Reader
    from ragcortex.readers.store import ReadingStore
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
SmoothingOption = Annotated[
    Literal["chosen", "usual"],
    typer.Option(
        "--smoothing",
        help="Chosen by validation, or the paper's p_stay: for rows unlike the answers to come, short or made-up ones.",
    ),
]


def train(
    *,
    data: DataArgument,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write the detector.")],
    reader: TrainingReaderOption = "embedded",
    recipe: RecipeOption = DEFAULT_RECIPE,
    layers: LayersOption = "auto",
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Of the detector. [default: that of the folder]")
    ] = None,
    seed: SeedOption = 0,
    seeds: SeedsOption = 3,
    validation_fraction: ValidationOption = 0.15,
    smoothing: SmoothingOption = "chosen",
    store: StoreOption = None,
    licence: Annotated[
        list[str] | None,
        typer.Option("--licence", metavar="TEXT", help="Of the data, for the card; once for each data set."),
    ] = None,
    skip_bad_rows: SkipBadRowsOption = False,
    fusion: Annotated[
        bool,
        typer.Option("--fusion", help="Fit its fusion with the geometric witness too, the default detector's kind."),
    ] = False,
    flagged: FlaggedOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the detector in DIR.")] = False,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
) -> int:
    """Fit a detector on labelled rows; resumable.

    Interrupted, the same command goes on where it stopped: readings are kept.
    """
    from ragcortex.detectors.recipes import recipe as find_recipe

    chosen = find_recipe(recipe)
    options = replace(training_options(layers, seed, seeds, validation_fraction), smoothing=smoothing)
    if flagged is not None and not fusion:
        raise InputError("flagged", "goes with --fusion; a detector that reads only has a token threshold instead")
    check_flagged(flagged)
    _check_folder(out, overwrite=overwrite, fusion=fusion)
    rows = labelled_data(data, skip_bad_rows=skip_bad_rows)
    say_left_out(rows)

    from ragcortex.readers.reader import Reader, ReaderOptions

    if fusion:
        from ragcortex.training.train_fusion import check_fusible

        check_fusible(rows.examples)
    loaded = Reader.load(reader, device=device, dtype=dtype, options=ReaderOptions(window=window))
    facts = {
        "licences": licence or [],
        "files": list(rows.files),
        "left_out": {reason: n for reason, n in rows.left_out.items() if n},
        "window": loaded.window,
    }
    job = _Job(rows, chosen, loaded, reading_store(store), options, name or out.resolve().name, facts)
    if fusion:
        _train_fusion(job, out, flagged, device)
    else:
        _train(job, out)
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class _Job:
    """What is fitted, on what, and what its card says beside."""

    rows: LabelledData
    recipe: "Recipe"
    reader: "Reader"
    store: "ReadingStore"
    options: "TrainingOptions"
    name: str
    facts: dict[str, Any]

    def bundle(self, name: str) -> "Bundle":
        """Return the fitted detector that reads."""
        from ragcortex import training

        spec = self.recipe.spec(training.layer_candidates(self.recipe, self.reader, self.options))
        read_ahead(self.reader, self.rows.examples, spec, self.store)
        return training.train(
            self.rows.examples, self.reader, self.recipe, self.store,
            name=name, data=self.rows.describe(), options=self.options, facts=self.facts, report=say,
        )  # fmt: skip


def _train(job: _Job, out: Path) -> None:
    from ragcortex.card import card

    bundle = job.bundle(job.name)
    bundle.save(out, card=card(bundle))
    _summarise(bundle, out)


def _train_fusion(job: _Job, out: Path, flagged: float | None, device: str | None) -> None:
    from ragcortex.detectors.geometric import GeometricDetector
    from ragcortex.detectors.internal import InternalDetector
    from ragcortex.training.fusion import FLAGGED
    from ragcortex.training.train_fusion import train_fusion

    # First what may be missing: an embedder that is not here must not be missed after hours of reading.
    geometric = GeometricDetector.load(device=device)
    bundle = job.bundle(f"{job.name}-internal")
    model = train_fusion(
        job.rows.examples,
        InternalDetector(bundle, job.reader),
        geometric,
        job.recipe,
        job.store,
        out=out,
        name=job.name,
        data=job.rows.describe(),
        options=job.options,
        facts=job.facts,
        flagged=FLAGGED if flagged is None else flagged,
        report=say,
    )
    say(
        f"detector {model.name!r} written to {out}: both witnesses, {_reads_with(bundle)}; thresholds from "
        f"{model.calibration.n_answers:,} held-out answers{_figures(model.calibration.figures)}"
    )
    say(f"try it: ragcortex check --detector {out} --reference FILE --answer FILE")


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


def _check_folder(out: Path, *, overwrite: bool, fusion: bool) -> None:
    """Refuse an output folder that holds something before hours are spent on what cannot be written there."""
    from ragcortex.detectors.registry import has_both_witnesses

    if out.exists() and not out.is_dir():
        raise InputError("out", f"{str(out)!r} is a file; give a folder")
    if not out.exists() or not any(out.iterdir()):
        return
    both = has_both_witnesses(out)
    if not both and not (out / "detector.json").is_file():
        raise InputError("out", f"folder {str(out)!r} is not empty and holds no detector; give another one")
    if not overwrite:
        raise InputError("out", f"folder {str(out)!r} holds a detector; give --overwrite to replace it")
    if both != fusion:
        kind = "a fusion" if both else "a detector that reads only"
        raise InputError("out", f"folder {str(out)!r} holds {kind}, which only its like replaces; give another one")


def _summarise(bundle: "Bundle", out: Path) -> None:
    calibration = bundle.calibration
    say(
        f"detector {bundle.name!r} written to {out}: {_reads_with(bundle)}; thresholds from "
        f"{calibration.n_answers:,} held-out answers{_figures(calibration.figures)}"
    )
    say(f"try it: ragcortex check --detector {out} --reference FILE --answer FILE")


def _reads_with(bundle: "Bundle") -> str:
    layers = sorted({head.layer for head in bundle.heads if head.layer})
    return f"recipe {bundle.recipe}" + (f", layer {', '.join(map(str, layers))}" if layers else "")


def _figures(figures: Mapping[str, float]) -> str:
    return "".join(f", {name.replace('_', ' ')} {value:.2f}" for name, value in figures.items())
