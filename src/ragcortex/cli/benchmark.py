"""`ragcortex benchmark`: methods and ready-made runs, a run, and two runs compared."""

import dataclasses
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcortex.cli.console import save_text, say, write_data, write_text
from ragcortex.cli.options import DeviceOption, DtypeOption, StoreOption, WindowOption
from ragcortex.errors import EXIT_INPUT, EXIT_OK, EXIT_SOME_ROWS_FAILED, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragcortex.benchmark.config import BenchmarkConfig, MethodConfig

app = typer.Typer(help="Compare methods on labelled answers, by one protocol.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def _group(
    context: typer.Context,
    list_all: Annotated[bool, typer.Option("--list", help="List methods and ready-made configurations.")] = False,
) -> int:
    if list_all:
        raise typer.Exit(_list(as_json=False))
    if context.invoked_subcommand is None:
        say(context.get_help())
        raise typer.Exit(EXIT_INPUT)
    return EXIT_OK


@app.command("list")
def list_methods(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List the methods and the ready-made configurations."""
    return _list(as_json=as_json)


def _list(*, as_json: bool) -> int:
    from ragcortex.benchmark.config_file import ready_made
    from ragcortex.benchmark.registry import METHODS

    methods = {name: entry.summary for name, entry in METHODS.items()}
    configs = ready_made()
    if as_json:
        write_data(json.dumps({"methods": methods, "configs": configs}, ensure_ascii=False, indent=2) + "\n")
        return EXIT_OK
    for heading, lines in (("Methods", methods), ("Ready-made configurations", configs)):
        width = max(map(len, lines))
        write_text(f"{heading}\n" + "".join(f"  {name:<{width}}  {text}\n" for name, text in lines.items()) + "\n")
    return EXIT_OK


@app.command("run")
def run_benchmark(
    *,
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="A ready-made configuration, or a .toml file.")],
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="PATH", help="The data set's official files: a folder, or a file."),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option("--rows", metavar="FILE", help="Its answers as our own rows, as `data convert` writes them."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The results folder. [default: benchmark-results/CONFIG]"),
    ] = None,
    reader: Annotated[
        str | None, typer.Option("--reader", metavar="SOURCE", help="Another reader than the configuration's.")
    ] = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    window: WindowOption = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="METHOD", help="Run this method only; may be repeated.")
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores", metavar="TITLE=FILE", help="Another tool's scores as a method (benchmarks/peers); repeatable."
        ),
    ] = None,
    sources: Annotated[
        int | None, typer.Option("--sources", metavar="N", help="Draw the answers to N sources, for a trial.")
    ] = None,
    store: StoreOption = None,
) -> int:
    """Run every method of a configuration on labelled answers; interrupted, the same command goes on."""
    from ragcortex.benchmark.config_file import read_config
    from ragcortex.benchmark.execute import execute
    from ragcortex.benchmark.results.short_report import short_report
    from ragcortex.cli.labelled import reading_store

    if data is not None and rows is not None:
        raise InputError("rows", "cannot be given with --data; the answers come from one of them")
    chosen = _changed(read_config(config), reader=reader, device=device, dtype=dtype, window=window, sources=sources)
    if rows is not None:
        chosen = dataclasses.replace(chosen, data=dataclasses.replace(chosen.data, rows=rows))
    if only:
        chosen = chosen.only(only)
    if scores:
        chosen = dataclasses.replace(chosen, methods=(*chosen.methods, *map(_scores_of, scores)))
    folder = out or Path("benchmark-results") / Path(config).stem
    changes = {"--reader": reader, "--device": device, "--dtype": dtype, "--window": window, "--sources": sources}
    command = _command(config, rows is not None, changes, only or [], scores or [])
    document = execute(chosen, data, folder, reading_store(store), command=command, report=say)
    write_text(short_report(document))
    say(f"the whole report is {folder / 'report.md'}, with pictures {folder / 'index.html'}")
    failures = [one.failure for one in document.methods] + [one.failure for one in document.ablations]
    failed = any(failures) or any(" failed: " in note for note in document.notes)
    return EXIT_SOME_ROWS_FAILED if failed else EXIT_OK


def _scores_of(given: str) -> "MethodConfig":
    """Return the method of TITLE=FILE."""
    from ragcortex.benchmark.config import MethodConfig

    title, equals, file = given.partition("=")
    if not (title.strip() and equals and file):
        raise InputError("scores", f"must be TITLE=FILE, got {given!r}")
    return MethodConfig("scores", {"file": file, "title": title}, label=title)


def _command(
    config: str, has_rows: bool, changes: "Mapping[str, object]", only: "Sequence[str]", scores: "Sequence[str]"
) -> str:
    """Return the line that runs the same again, without the paths of this machine."""
    parts = [
        "ragcortex",
        "benchmark",
        "run",
        shlex.quote(Path(config).name),
        "--rows FILE" if has_rows else "--data PATH",
    ]
    for option, value in changes.items():
        if value is not None:
            local = option == "--reader" and Path(str(value)).exists()
            parts += [option, shlex.quote(Path(str(value)).name if local else str(value))]
    for label in only:
        parts += ["--only", shlex.quote(label)]
    for given in scores:
        title, _, file = given.partition("=")
        parts += ["--scores", shlex.quote(f"{title}={Path(file).name}")]
    return " ".join(parts)


def _changed(
    config: "BenchmarkConfig",
    *,
    reader: str | None,
    device: str | None,
    dtype: str | None,
    window: int | None,
    sources: int | None,
) -> "BenchmarkConfig":
    """Return the configuration with what the command line says otherwise."""
    replace = dataclasses.replace
    old = config.reader
    config = replace(
        config,
        reader=replace(
            old, id=reader or old.id, device=device or old.device, dtype=dtype or old.dtype, window=window or old.window
        ),
    )
    return config if sources is None else replace(config, data=replace(config.data, n_sources=sources))


@app.command("compare")
def compare_runs(
    first: Annotated[Path, typer.Argument(metavar="A", help="A results folder.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write to a .md or .json file instead of the terminal.")
    ] = None,
) -> int:
    """Compare two runs: what differs in data and protocol, and each method's figures side by side."""
    from ragcortex.benchmark.compare import compare_folders

    if out is not None and out.suffix not in (".md", ".json"):
        raise InputError("out", f"must end in .md or .json, got {str(out)!r}")
    comparison = compare_folders(first, second)
    if out is None:
        write_text(comparison.to_markdown())
        return EXIT_OK
    save_text(out, comparison.to_markdown() if out.suffix == ".md" else comparison.to_json())
    say(f"comparison written to {out}")
    return EXIT_OK
