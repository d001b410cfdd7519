"""Progress of long work on standard error: a bar with rate and time left; on a pipe or in a log a line now and then.

In a notebook the bar is part of the cell's output. It is plain HTML, which every front end shows; rich's own bar needs
ipywidgets there, in the front end too, and without them shows nothing.
"""

import html
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

Item = TypeVar("Item")
Advance = Callable[[int], None]

LINE_EVERY_SECONDS: Final = 30.0
# A narrow terminal keeps the description, the count and the time left, and drops the bar and the rate.
_NARROW_COLUMNS: Final = 60


def tracked(
    iterable: Iterable[Item], total: int | None = None, description: str = "working", *, completed: int = 0
) -> Iterator[Item]:
    """Yield the items while showing how many have been yielded.

    Args:
        iterable: where the items come from.
        total: how many there are with those already completed; None if that is not known.
        description: one or two words before the bar.
        completed: how many were done before, by an earlier run.
    """
    with progress(total, description, completed=completed) as advance:
        for item in iterable:
            yield item
            advance(1)


@contextmanager
def progress(total: int | None, description: str, *, completed: int = 0) -> Iterator[Advance]:
    """Show progress while the block runs; the block is given a function that adds to the count. See `tracked`."""
    from rich.console import Console

    console = Console(stderr=True)
    dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
    if console.is_jupyter:
        line = _NotebookBar(total, description, completed)
        try:
            yield line
        finally:
            line.close()
    elif console.is_terminal and sys.stderr.isatty() and not dumb:
        with _bar(console, total, description, completed) as advance:
            yield advance
    else:
        yield _Lines(total, description, completed)


@contextmanager
def _bar(console: "Console", total: int | None, description: str, completed: int) -> Iterator[Advance]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Items a second, of what this run has done."""

        def render(self, task: Task) -> Text:
            """Return the rate as `rate_text` writes it, nothing before the first item."""
            return Text(rate_text(task.speed) if task.speed else "")

    text = TextColumn("{task.description}", markup=False)
    count, left = MofNCompleteColumn(), Remaining(compact=True) if total is not None else Elapsed()
    narrow = console.width < _NARROW_COLUMNS
    columns: list[ProgressColumn] = [text, count, left] if narrow else [text, BarColumn(), count, RateColumn(), left]
    # The rate is that of the last ten minutes: a batch of rows arrives at once, and a shorter window would jump.
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bars:
        task = bars.add_task(description, total=total, completed=completed)
        yield lambda n: bars.advance(task, n)


class _Lines:
    """A line of plain text every half a minute, the first one after half a minute."""

    every_seconds = LINE_EVERY_SECONDS

    def __init__(self, total: int | None, description: str, completed: int) -> None:
        self.total, self.description, self.completed = total, description, completed
        self._before = completed
        self._started = self._said = time.monotonic()

    def __call__(self, n: int) -> None:
        self.completed += n
        now = time.monotonic()
        if now - self._said >= self.every_seconds:
            self._said = now
            self._say(self._line(now - self._started))

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def _line(self, seconds: float) -> str:
        rate = (self.completed - self._before) / seconds
        if self.total is None or not rate:
            return f"{self.description}: {self.completed:,} ({rate_text(rate)})"
        left = duration((self.total - self.completed) / rate)
        return f"{self.description}: {self.completed:,} of {self.total:,} ({rate_text(rate)}, {left} left)"


class _NotebookBar(_Lines):
    """A bar and a line in the output of a notebook's cell, changed in place; gone when the work is done."""

    every_seconds = 0.5

    def __init__(self, total: int | None, description: str, completed: int) -> None:
        from IPython.display import display

        super().__init__(total, description, completed)
        self._shown = display(_Html("", description), display_id=True)

    def _say(self, line: str) -> None:
        share = f' value="{self.completed}" max="{self.total}"' if self.total else ""
        self._shown.update(_Html(f"<progress{share}></progress> {html.escape(line)}", line))

    def close(self) -> None:
        """Take the bar away."""
        self._shown.update(_Html("", ""))


@dataclass(frozen=True, slots=True)
class _Html:
    """What a front end shows of a bar; one that shows text alone has the line."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def rate_text(per_second: float) -> str:
    """Return a rate for people, by the minute where it is below one a second.

    >>> rate_text(0.25)
    '15.0/min'
    """
    return f"{per_second:,.1f}/s" if per_second >= 1 else f"{per_second * 60:.1f}/min"


def duration(seconds: float) -> str:
    """Return a length of time for people.

    >>> duration(3725)
    '1 h 2 min'
    """
    whole = max(0, round(seconds))
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
