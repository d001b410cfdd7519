"""A report for a terminal, a pipe or a log. Colour only ever repeats what brackets or underlining already say."""

import io
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TextIO

from ragcortex.report import Report

MIN_WIDTH: Final = 24
MAX_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class TerminalStyle:
    """How to print: columns (24 to 100 are used), colour or brackets, block characters or ASCII for our own signs."""

    width: int = 80
    color: bool = False
    unicode: bool = True


def print_report(report: Report, stream: TextIO | None = None, *, explain: bool = False) -> None:
    """Print the report on a text stream (standard output by default), as far as it and the environment allow.

    Characters that the stream's encoding lacks are written as escapes.
    """
    stream = sys.stdout if stream is None else stream
    text = render_text(report, style_for(stream, os.environ), explain=explain)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def style_for(stream: TextIO, environ: Mapping[str, str]) -> TerminalStyle:
    """Return the style that a stream can show.

    Colour needs a terminal that is not dumb, and is off where NO_COLOR is set; FORCE_COLOR asks for it on a pipe.
    A pipe is 80 columns wide unless COLUMNS says otherwise. Block characters need an encoding that has them.
    """
    terminal = stream.isatty()
    capable = environ.get("TERM", "") not in ("dumb", "unknown")
    wanted = bool(environ.get("FORCE_COLOR")) or (terminal and capable)
    return TerminalStyle(
        width=_columns(stream, environ, terminal),
        color=wanted and not environ.get("NO_COLOR"),
        unicode=_encodes(getattr(stream, "encoding", None) or "utf-8", "⟦█░…·–«»−"),
    )


def render_text(report: Report, style: TerminalStyle, *, explain: bool = False) -> str:
    """Return the whole report as text that ends in a line feed; without colour it holds no escape sequences.

    With `explain`, supported sentences show their source, and spans and sentences what each signal contributes.
    """
    from rich.console import Console, Group

    from ragcortex.rendering.terminal_layout import TerminalLayout

    target = io.StringIO()
    console = Console(
        file=target,
        width=max(MIN_WIDTH, min(style.width, MAX_WIDTH)),
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        no_color=not style.color,
        force_interactive=False,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    layout = TerminalLayout(report, width=console.width, color=style.color, unicode=style.unicode, explain=explain)
    console.print(Group(*layout.parts()))
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()) + "\n"


def _columns(stream: TextIO, environ: Mapping[str, str], terminal: bool) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if not terminal:
        return 80
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def _encodes(encoding: str, characters: str) -> bool:
    try:
        characters.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
