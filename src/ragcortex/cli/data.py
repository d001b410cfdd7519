"""`ragcortex data`: the data sets of the benchmark, whether a download is whole, and their rows in our own form."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ragcortex.cli.console import check_writable, plural, say, write_data, write_text
from ragcortex.errors import EXIT_OK, InputError
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.datasets.cards import DatasetCard
    from ragcortex.datasets.download_check import DownloadCheck, FileState
    from ragcortex.datasets.loaded import LoadedDataset, RowNote, SplitCounts

app = typer.Typer(help="Data sets: list them, check a download, write its rows in our form.", rich_markup_mode=None)

_SCHEMA: Final = "ragcortex.data/1"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A data set; `data list` has the names.")]
PathArgument = Annotated[
    Path, typer.Argument(metavar="PATH", help="The folder of its official download, or one file of it.")
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="How to read it; repeatable. `data show NAME` has the names."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


@app.command("list")
def list_datasets(as_json: JsonOption = False) -> int:
    """List the data sets: task, levels of the labels, licence, where to get them."""
    from ragcortex.datasets.catalogue import card, names

    cards = [card(name) for name in names()]
    if as_json:
        _write_json({"datasets": [_card_object(known) for known in cards]})
        return EXIT_OK
    rows = [("name", "labels", "task", "licence", "where to get it")]
    rows += [(known.name, ", ".join(known.levels), known.task, known.licence, known.url) for known in cards]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        write_text(line.rstrip() + "\n")
    return EXIT_OK


@app.command()
def show(name: NameArgument) -> int:
    """Show what is known of a data set: files, checksums, splits, options of its loader, citation."""
    from ragcortex.datasets.catalogue import card, options_of

    known = card(name)
    facts = {
        "name": known.name,
        "title": known.title,
        "task": known.task,
        "labels": ", ".join(known.levels),
        "languages": ", ".join(known.languages),
        "licence": known.licence,
        "texts": known.texts,
        "get it from": known.url,
        "splits": known.splits,
        "checksums": "none published" if known.version is None else f"git ids at commit {known.version}",
        "citation": known.citation,
    }
    for label, value in facts.items():
        write_text(f"{label:<14}{value}\n")
    for file in known.files:
        counted = "rows not published" if file.n_rows is None else plural(file.n_rows, "row")
        write_text(f"{'file':<14}{file.pattern}  {counted}{f'  {file.git_blob}' if file.git_blob else ''}\n")
    for option in options_of(name):
        write_text(f"{'--option':<14}{option.describe()}\n")
    return EXIT_OK


@app.command()
def check(name: NameArgument, path: PathArgument, option: OptionsOption = None, as_json: JsonOption = False) -> int:
    """Check a download: are its files there and whole, do all offsets fit, what is in it.

    Rows that a loader drops are counted with the reason; they are no failure. Exit code 2 if a file is missing, damaged
    or another than the published one.
    """
    from ragcortex.datasets.catalogue import parse_options
    from ragcortex.datasets.download_check import check_download

    found = check_download(name, path, parse_options(name, option or []))
    if as_json:
        _write_json(_check_object(found))
    else:
        _write_check(found)
    if not found.problems:
        return EXIT_OK
    if len(found.problems) == 1:
        raise InputError("download", found.problems[0])
    for problem in found.problems:
        say(f"problem: {problem}")
    raise InputError("download", f"{len(found.problems)} things are wrong with {path}, listed above")


@app.command()
def convert(
    *,
    name: NameArgument,
    path: PathArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The JSONL file to write.")],
    option: OptionsOption = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="SPLIT", help="Only train, validation or test.")
    ] = None,
    answer_spans: Annotated[
        bool,
        typer.Option("--answer-spans", help="Mark the whole of a hallucinated answer whose spans are not known."),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT.")] = False,
) -> int:
    """Write a data set as JSONL that `train`, `evaluate` and `score` read."""
    from ragcortex.checks import check_known
    from ragcortex.datasets.catalogue import load_dataset, parse_options
    from ragcortex.datasets.jsonl import write_rows
    from ragcortex.datasets.loaded import SPLITS
    from ragcortex.datasets.own_rows import rows

    if split is not None:
        check_known("split", split, SPLITS)
    check_writable(out)
    if out.exists() and not overwrite:
        raise InputError("out", f"{str(out)!r} exists; replace it with --overwrite")
    loaded = load_dataset(name, path, **parse_options(name, option or []))
    _say_left_out(loaded)
    written = rows(loaded.with_answer_spans() if answer_spans else loaded)
    kept = [row for row in written if split in (None, row.get("split"))]
    if not kept:
        present = ", ".join(count.split or "none" for count in loaded.counts())
        raise InputError("split", f"{name} has no row in {split!r}; its splits are: {present}")
    say(f"{plural(write_rows(out, kept), 'row')} written to {out}")
    return EXIT_OK


def _say_left_out(loaded: "LoadedDataset") -> None:
    for kind, notes in (("dropped", loaded.dropped), ("note", loaded.notes)):
        for note in notes:
            say(f"{kind}: {_note_text(note)}")


def _note_text(note: "RowNote") -> str:
    more = ", …" if note.n > len(note.ids) else ""
    return f"{plural(note.n, 'row')}: {note.reason} ({', '.join(note.ids)}{more})"


def _write_check(found: "DownloadCheck") -> None:
    for state in found.files:
        write_text(inert_line(_file_text(state)) + "\n")
    if found.loaded is None:
        return
    for count in found.loaded.counts():
        write_text(_count_text(count) + "\n")
    for kind, notes in (("dropped", found.loaded.dropped), ("note", found.loaded.notes)):
        for note in notes:
            write_text(inert_line(f"{kind}: {_note_text(note)}") + "\n")
    shared = found.loaded.shared_groups()
    if shared:
        write_text(inert_line(f"note: {plural(len(shared), 'source')} in more than one split: {shared[0]}, …") + "\n")


def _file_text(state: "FileState") -> str:
    if not state.found:
        return f"{state.name}: not there"
    rows = "rows not counted" if state.n_rows is None else plural(state.n_rows, "row")
    return f"{state.name}: {rows}; checksum {state.checksum}"


def _count_text(count: "SplitCounts") -> str:
    share = count.hallucinated_share
    return (
        f"{count.split or 'no split'}: {plural(count.n_answers, 'answer')} of {plural(count.n_groups, 'source')}, "
        f"{'none labelled' if share is None else f'{count.n_hallucinated:,} hallucinated ({100 * share:.1f} %)'}, "
        f"{plural(count.n_spans, 'span')}"
    )


def _write_json(value: dict[str, Any]) -> None:
    write_data(json.dumps({"schema": _SCHEMA} | value, ensure_ascii=False, indent=2) + "\n")


def _card_object(known: "DatasetCard") -> dict[str, Any]:
    from dataclasses import asdict

    from ragcortex.datasets.catalogue import options_of

    return asdict(known) | {"options": [option.describe() for option in options_of(known.name)]}


def _check_object(found: "DownloadCheck") -> dict[str, Any]:
    from dataclasses import asdict

    loaded = found.loaded
    return {
        "name": found.card.name,
        "whole": not found.problems,
        "problems": list(found.problems),
        "files": [asdict(state) for state in found.files],
        "splits": [] if loaded is None else [asdict(count) for count in loaded.counts()],
        "dropped": [] if loaded is None else [asdict(note) for note in loaded.dropped],
        "notes": [] if loaded is None else [asdict(note) for note in loaded.notes],
        "groups_in_several_splits": 0 if loaded is None else len(loaded.shared_groups()),
    }
