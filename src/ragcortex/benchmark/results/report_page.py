"""What a run writes for people, all in one folder: report.md, the same as index.html, tables, pictures, heat-maps."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.files import write_file, write_json
from ragcortex.benchmark.results.heat_map import ExampleAnswers
from ragcortex.benchmark.results.heat_page import render_examples
from ragcortex.benchmark.results.method_section import methods_section
from ragcortex.benchmark.results.page_shell import page
from ragcortex.benchmark.results.plot_style import Picture
from ragcortex.benchmark.results.plots import run_pictures, write_pictures
from ragcortex.benchmark.results.published import beside_published, claim
from ragcortex.benchmark.results.short_report import failures, opening
from ragcortex.benchmark.results.table import Table
from ragcortex.benchmark.results.table_files import FORMS, run_tables, write_tables
from ragcortex.benchmark.results.table_text import markdown_text, to_markdown
from ragcortex.rendering.inert import inert_line

TABLES_FOLDER: Final = "tables"
PICTURES_FOLDER: Final = "pictures"
EXAMPLES_PAGE: Final = "examples.html"
EXAMPLES_FILE: Final = "examples.json"
_LOCAL_PATHS: Final = ("data.path", "data.rows")


def write_report(document: RunDocument, folder: Path, examples: ExampleAnswers | None = None) -> list[Path]:
    """Write results.json and everything for people that is made of it, and return the paths.

    Raises:
        StoreError: a file cannot be written.
    """
    tables, published = run_tables(document), beside_published(document)
    pictures = run_pictures(document)
    paths = [document.write(folder)]
    paths += write_tables((*tables, *published), document, folder / TABLES_FOLDER)
    paths += write_pictures(pictures, folder / PICTURES_FOLDER)
    if examples is not None:
        paths.append(write_json(folder / EXAMPLES_FILE, examples.to_dict()))
        paths.append(write_file(folder / EXAMPLES_PAGE, render_examples(examples).encode()))
    text = report_markdown(document, tables, published, pictures, has_examples=examples is not None)
    paths.append(write_file(folder / "report.md", text.encode()))
    paths.append(write_file(folder / "index.html", report_html(document.title, text).encode()))
    return paths


def report_markdown(
    document: RunDocument,
    tables: Sequence[Table],
    published: Sequence[Table],
    pictures: Sequence[Picture],
    *,
    has_examples: bool,
) -> str:
    """Return the report of a run: how to run it again, data, protocol, tables, pictures, failures, methods."""
    main, *more = tables
    failed = [f"{name}: {reason}" for name, reason in failures(document)]
    parts = [
        f"# {markdown_text(document.title)}",
        markdown_text(opening(document)),
        "## Run it again",
        _code(document.command),
        f"## {markdown_text(main.title)}",
        to_markdown(main).rstrip(),
        *(["## What failed", _items(failed)] if failed else []),
        "## Data",
        _items(_data_facts(document)),
        "## Protocol and environment",
        _items([*_environment_facts(document), *_config_facts(document.config)]),
        "## Pictures",
        *(f"![{markdown_text(one.title)}]({PICTURES_FOLDER}/{one.name}.png)" for one in pictures),
    ]
    if not pictures:
        parts.append("None: the run kept nothing that can be drawn.")
    if has_examples:
        parts.append(f"Example answers with the scores of several methods: [{EXAMPLES_PAGE}]({EXAMPLES_PAGE}).")
    parts += [
        "## More tables",
        *_tables(more),
        *methods_section(document),
        "## Published results",
        markdown_text(claim(document)),
        *_tables(published),
    ]
    if document.notes:
        parts += ["## Notes", _items(document.notes)]
    parts += ["## Files", _items(_files(has_examples=has_examples))]
    return "\n\n".join(parts) + "\n"


def report_html(title: str, markdown: str) -> str:
    """Return a report as a page in the look of our reports; text in it is text, never HTML."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    # A table wider than the window scrolls by itself; the policy allows no inline style, so alignment is a class.
    body = body.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    return page(title, body.replace(' style="text-align:right"', ' class="right"'))


def _data_facts(document: RunDocument) -> list[str]:
    data = document.data
    lines = [
        f"{data.full_name}: {data.n_answers:,} answers of {data.n_sources:,} sources; fingerprint {data.fingerprint}",
        f"Split: {data.split}",
        f"Training answers: {_counts(data.n_training)}; validation answers: {_counts(data.n_validation)}",
    ]
    rates = [f"{level}s {100 * rate:.1f} %" for level, rate in data.base_rates.items() if rate is not None]
    if rates:
        lines.append(f"Hallucinated: {', '.join(rates)}")
    lines += [f"Left out: {n:,} {reason}" for reason, n in data.dropped.items()]
    return lines


def _counts(counts: tuple[int, ...]) -> str:
    if len(counts) == 1:
        return f"{counts[0]:,}"
    return f"{', '.join(f'{n:,}' for n in counts)} in {len(counts)} folds"


def _environment_facts(document: RunDocument) -> list[str]:
    own = document.environment
    size = "" if own.n_reader_parameters is None else f", {own.n_reader_parameters:,} parameters"
    libraries = ", ".join(f"{name} {version}" for name, version in own.libraries.items())
    return [
        f"Reader: {own.reader_id}{size}, in {own.reader_dtype}; fingerprint {own.reader_fingerprint}",
        f"Machine: {own.processor}, {own.n_cores} cores, {own.platform}",
        f"Python {own.python}; {libraries}",
    ]


def _config_facts(config: Mapping[str, Any]) -> list[str]:
    """Return one line a setting, without paths of this machine; the methods stand below, and results.json has all."""
    return [
        f"{name} = {local_name(value) if name == 'reader.id' else value}"
        for name, value in flat_config(config)
        if name not in _LOCAL_PATHS and not name.startswith("methods")
    ]


def local_name(value: object) -> object:
    """Return the last part of a value that is a path of this machine, any other value as it is; a hub's id is none."""
    if not isinstance(value, str):
        return value
    path = Path(value)
    is_local = path.is_absolute() or (len(path.parts) > 1 and path.is_dir())
    return path.name if is_local else value


def flat_config(config: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Yield the settings with dotted names; lists of objects count from 0, other lists are values."""
    for name, value in config.items():
        place = f"{prefix}{name}"
        if isinstance(value, Mapping) and value:
            yield from flat_config(value, f"{place}.")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for index, one in enumerate(value):
                yield from flat_config(one, f"{place}[{index}].")
        else:
            yield place, value


def _tables(tables: Iterable[Table]) -> list[str]:
    return [part for one in tables for part in (f"### {markdown_text(one.title)}", to_markdown(one).rstrip())]


def _files(*, has_examples: bool) -> list[str]:
    forms = ", ".join(f".{ending}" for ending in FORMS)
    lines = [
        "results.json: every figure, with configuration and environment",
        f"{TABLES_FOLDER}/: figures.csv with a line a figure, and each table as {forms}",
        f"{PICTURES_FOLDER}/: each picture as .png and .svg",
    ]
    if has_examples:
        lines.append(f"{EXAMPLES_PAGE}, {EXAMPLES_FILE}: example answers with token scores")
    return lines


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"* {markdown_text(line)}" for line in lines)


def _code(text: str) -> str:
    """Return a line of code; indented, so that no character in it can end it."""
    return f"    {inert_line(text)}"
