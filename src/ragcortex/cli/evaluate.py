"""`ragcortex evaluate`: how well a detector, or a recipe by cross-validation, ranks labelled answers."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from ragcortex.cli.console import save_text, say, write_text
from ragcortex.cli.labelled import LabelledData, distinct, labelled_data, read_ahead, reading_store, say_left_out
from ragcortex.cli.options import (
    DeviceOption,
    DtypeOption,
    ReaderOption,
    SkipBadRowsOption,
    StoreOption,
    WindowOption,
    load_internal,
)
from ragcortex.cli.train import DataArgument, LayersOption, SeedOption, SeedsOption, training_options
from ragcortex.cli.witness import WitnessOptions, load_witness
from ragcortex.detectors.registry import DEFAULT_DETECTOR, DEFAULT_RECIPE
from ragcortex.errors import EXIT_OK, InputError

if TYPE_CHECKING:
    from ragcortex.evaluation.evaluate import Prediction
    from ragcortex.evaluation.tables import ResultTable
    from ragcortex.readers.reader import Reader
    from ragcortex.training import TrainingOptions

By = Literal["generator", "task"]
_SCHEMA: Final = "ragcortex.evaluation/1"


def evaluate(
    *,
    data: DataArgument,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME|DIR", help=f"The detector. [default: {DEFAULT_DETECTOR}]")
    ] = None,
    cross_validate: Annotated[
        int | None,
        typer.Option("--cross-validate", metavar="K", min=2, help="Fit a recipe K times, each source held out once."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help=f"What to cross-validate. [default: {DEFAULT_RECIPE}]"),
    ] = None,
    layers: LayersOption = "auto",
    seeds: SeedsOption = 3,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="FIELD=VALUE[,VALUE]", help="Only rows of this generator, task or group."),
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="One table more for each.")] = None,
    resamples: Annotated[int, typer.Option("--resamples", metavar="N", min=1, help="Bootstrap resamples.")] = 200,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR|FILE", help="Write results: a .json or .md file, or a folder.")
    ] = None,
    skip_bad_rows: SkipBadRowsOption = False,
    store: StoreOption = None,
    reader: ReaderOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
) -> int:
    """Measure AP and AUROC on labelled rows.

    For tokens and answers, raw and smoothed, with intervals by source and trivial controls beside.
    """
    if cross_validate is None and recipe is not None:
        raise InputError("recipe", "is fitted only with --cross-validate K; a fitted detector is named by --detector")
    if cross_validate is not None and detector is not None:
        raise InputError("detector", "is already fitted and cannot be cross-validated; name a --recipe instead")
    if out is not None:
        _check_out(out)
    rows = labelled_data(data, skip_bad_rows=skip_bad_rows).keep(keep or [])
    say_left_out(rows)
    judge = _Judge(reader, device, dtype, window, store)
    if cross_validate is None:
        method, predictions = judge.by_detector(rows, detector or DEFAULT_DETECTOR)
    else:
        method, predictions = judge.by_recipe(
            rows, recipe or DEFAULT_RECIPE, cross_validate, training_options(layers, seed, seeds)
        )
    results = _tables(predictions, method, by, seed, resamples)
    _show(results)
    if out is not None:
        _save(out, results, method, rows)
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class _Judge:
    """Where and how answers are read."""

    reader: str | None
    device: str | None
    dtype: str | None
    window: int | None
    store: str | None

    def by_detector(self, rows: LabelledData, source: str) -> "tuple[dict[str, Any], list[Prediction]]":
        """Return what judged, and its predictions."""
        from ragcortex.detectors.registry import find_bundle, has_both_witnesses

        if has_both_witnesses(find_bundle(source)):
            return self._by_fusion(rows, source)
        detector = load_internal(source, reader=self.reader, device=self.device, dtype=self.dtype, window=self.window)
        from ragcortex.evaluation.cross_validation import predict

        store = reading_store(self.store)
        read_ahead(detector.reader, rows.examples, detector.bundle.spec(), store)
        predictions = predict(rows.examples, detector, store)
        bundle = detector.bundle
        method = {"name": bundle.name, "version": bundle.version, **_reader_facts(detector.reader)}
        return method, predictions

    def _by_fusion(self, rows: LabelledData, source: str) -> "tuple[dict[str, Any], list[Prediction]]":
        """Return the fusion that judged, and its predictions."""
        from ragcortex.detectors.fused import FusedDetector
        from ragcortex.evaluation.fused import predict_fused

        asked = WitnessOptions("both", source, self.reader, self.device, self.dtype, self.window, None, None, None)
        detector = load_witness(asked)
        assert isinstance(detector, FusedDetector)
        store, reader = reading_store(self.store), detector.internal.reader
        read_ahead(reader, rows.examples, detector.internal.bundle.spec(), store)
        predictions = predict_fused(rows.examples, detector, store)["fusion"]
        embedder = detector.geometric.embedder.identity
        facts = {"embedder": embedder.id, "embedder_fingerprint": embedder.fingerprint}
        name, version = detector.model.name, detector.model.version
        return {"name": name, "version": version, **_reader_facts(reader), **facts}, predictions

    def by_recipe(
        self, rows: LabelledData, name: str, n_folds: int, options: "TrainingOptions"
    ) -> "tuple[dict[str, Any], list[Prediction]]":
        """Return what was cross-validated, and the predictions, each by the fold that held its source out."""
        from ragcortex.detectors.recipes import recipe as find_recipe

        recipe = find_recipe(name)
        from ragcortex.evaluation.cross_validation import cross_validate
        from ragcortex.readers.reader import Reader, ReaderOptions
        from ragcortex.training import layer_candidates

        reader = Reader.load(
            self.reader or "embedded", device=self.device, dtype=self.dtype, options=ReaderOptions(window=self.window)
        )
        store = reading_store(self.store)
        read_ahead(reader, rows.examples, recipe.spec(layer_candidates(recipe, reader, options)), store)
        predictions = cross_validate(rows.examples, reader, recipe, store, n_folds=n_folds, options=options, report=say)
        return {
            "name": recipe.name,
            "folds": n_folds,
            "seed": options.seed,
            "seeds": options.n_seeds,
            **_reader_facts(reader),
        }, predictions


def _reader_facts(reader: "Reader") -> dict[str, Any]:
    return {
        "reader": reader.identity.id,
        "reader_fingerprint": reader.identity.fingerprint,
        "dtype": reader.dtype,
        "window": reader.window,
    }


def _tables(
    predictions: "Sequence[Prediction]", method: Mapping[str, Any], by: By | None, seed: int, resamples: int
) -> "dict[str, ResultTable]":
    """Return the table of all answers, and one for each generator or task, by their headings."""
    from ragcortex.evaluation.evaluate import evaluate_scores

    name = method["name"] + (f" ({method['folds']}-fold)" if "folds" in method else "")
    tables = {"all": evaluate_scores(predictions, seed=seed, n_resamples=resamples, method=name)}
    if by is None:
        return tables
    for value in distinct(getattr(prediction.example, by) for prediction in predictions):
        part = [prediction for prediction in predictions if getattr(prediction.example, by) == value]
        tables[f"{by} {value}"] = evaluate_scores(part, seed=seed, n_resamples=resamples, method=name)
    if len(tables) == 1:
        raise InputError("by", f"no row has a {by}")
    return tables


def _show(results: "Mapping[str, ResultTable]") -> None:
    """Print the tables: drawn on a terminal, Markdown elsewhere."""
    if not sys.stdout.isatty():
        write_text(_markdown(results))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for heading, table in results.items():
        if len(results) > 1:
            console.print(Text(heading, style="bold"))
        console.print(table.to_rich())


def _markdown(results: "Mapping[str, ResultTable]") -> str:
    if len(results) == 1:
        return results["all"].to_markdown()
    return "\n".join(f"## {heading}\n\n{table.to_markdown()}" for heading, table in results.items())


def _check_out(out: Path) -> None:
    if out.suffix not in (".json", ".md"):
        if out.is_file():
            raise InputError("out", f"file {str(out)!r} must end in .json or .md, or be a folder")
        return
    if out.is_dir():
        return
    if not out.parent.is_dir():
        raise InputError("out", f"folder {str(out.parent)!r} does not exist; make it first")


def _save(out: Path, results: "Mapping[str, ResultTable]", method: Mapping[str, Any], rows: LabelledData) -> None:
    document = {
        "schema": _SCHEMA,
        "method": dict(method),
        "data": list(rows.files),
        "left_out": {reason: n for reason, n in rows.left_out.items() if n},
        "tables": {heading: table.to_dict() for heading, table in results.items()},
    }
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if out.suffix in (".json", ".md") and not out.is_dir():
        save_text(out, text if out.suffix == ".json" else _markdown(results))
    else:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError("out", f"folder {str(out)!r} cannot be made: {error.strerror}") from None
        save_text(out / "results.json", text)
        save_text(out / "results.md", _markdown(results))
    say(f"results written to {out}")
