"""`ragcortex service audit`: the audit trail out of the database, and verified without it."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcortex.cli.console import check_writable, plural, saving, say, write_data, write_text
from ragcortex.cli.service_options import DatabaseOption, JsonOption, opened, require_libraries, write_json
from ragcortex.errors import EXIT_FAILED_ON, EXIT_OK, InputError
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.service.audit_chain import AuditVerdict

app = typer.Typer(help="The audit trail: export it, and verify an export.", rich_markup_mode=None)


@app.command()
def export(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write it. [default: standard output]")
    ] = None,
    database: DatabaseOption = None,
) -> int:
    """Write the audit trail as JSONL, one entry a line."""
    require_libraries()
    from ragcortex.service.audit import export_lines

    if out is not None:
        check_writable(out)
    n, last = 0, None
    with opened(database) as source, _writer(out) as write:
        for last in export_lines(source):
            write(last + "\n")
            n += 1
    digest = "" if last is None else f"; the last digest is {json.loads(last)['digest']}"
    say(f"{_entries(n)} exported{digest}")
    return EXIT_OK


@app.command()
def verify(
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="An export; - is standard input.")],
    noted: Annotated[
        str | None,
        typer.Option("--noted", metavar="DIGEST", help="The last digest of an earlier day; it must be among them."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Verify an exported audit trail; needs no database.

    Exits with 1 if anything was altered, removed, added or moved.
    """
    from ragcortex.service.audit_chain import verify

    with _reader(source) as lines:
        verdict = verify(lines, noted=noted)
    if as_json:
        from dataclasses import asdict

        write_json({"unbroken": verdict.unbroken, **asdict(verdict)})
    else:
        write_text(_shown(verdict))
    return EXIT_OK if verdict.unbroken else EXIT_FAILED_ON


def _shown(verdict: "AuditVerdict") -> str:
    """Return one line a problem, and a last one about the whole."""
    lines = [f"line {found.line}: {found.what}" if found.line else found.what for found in verdict.problems]
    if verdict.n_problems > len(lines):
        lines.append(f"and {plural(verdict.n_problems - len(lines), 'more problem')}")
    state = "unbroken" if verdict.unbroken else f"broken ({plural(verdict.n_problems, 'problem')})"
    last = "" if verdict.last_digest is None else f"; the last digest is {verdict.last_digest}"
    return "".join(inert_line(line) + "\n" for line in [*lines, f"{_entries(verdict.n_entries)}, {state}{last}"])


def _entries(n: int) -> str:
    return f"{n:,} audit {'entry' if n == 1 else 'entries'}"


@contextmanager
def _writer(out: Path | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes text for programs to a file, which is there whole or not at all, or as it comes.

    Raises:
        InputError: the file cannot be written.
    """
    if out is None:
        yield write_data
        return
    with saving(out) as file:
        yield lambda text: file.write(text.encode("utf-8"))


@contextmanager
def _reader(source: str) -> Iterator[Iterable[str]]:
    """Give the lines of a file or of standard input; what is not UTF-8 becomes characters that no entry has.

    Raises:
        InputError: the file cannot be read.
    """
    if source == "-":
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace", newline="\n")
        yield sys.stdin
        return
    try:
        with Path(source).open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield file
    except OSError as error:
        raise InputError("file", f"{source!r} cannot be read: {error.strerror or error}") from None
