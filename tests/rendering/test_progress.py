"""Progress: the items come through untouched, and a log is not flooded."""

import io
import itertools
import sys

import pytest

from ragcortex.rendering import progress
from ragcortex.rendering.progress import duration, rate_text, tracked


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock come four seconds after the one before."""
    ticks = itertools.count(step=4)
    monkeypatch.setattr("ragcortex.rendering.progress.time.monotonic", lambda: float(next(ticks)))


def test_items_come_through_and_short_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(tracked(iter("abc"), total=3, description="reading")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("clock")
def test_a_log_gets_a_line_every_half_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    list(tracked(range(17), total=117, description="reading", completed=100))

    assert capsys.readouterr().err.splitlines() == [
        "reading: 108 of 117 (15.0/min, 36 s left)",
        "reading: 116 of 117 (15.0/min, 4 s left)",
    ]


@pytest.mark.usefixtures("clock")
def test_without_a_total_no_time_left_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    list(tracked(range(8), description="reading"))

    assert capsys.readouterr().err == "reading: 8 (15.0/min)\n"


@pytest.mark.parametrize("columns", ["40", "100"])
def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "xterm")
    list(tracked(range(3), total=3, description="reading [x]"))

    assert "reading [x]" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_the_error_of_an_item_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        list(tracked((1 // number for number in (1, 0)), total=2))


def test_rates_and_durations() -> None:
    assert [rate_text(rate) for rate in (0.05, 0.99, 1, 1234)] == ["3.0/min", "59.4/min", "1.0/s", "1,234.0/s"]
    assert [duration(seconds) for seconds in (-1, 0.4, 59.6, 3600, 90_061)] == [
        "0 s", "0 s", "1 min 0 s", "1 h 0 min", "25 h 1 min",
    ]  # fmt: skip
    assert progress.LINE_EVERY_SECONDS == 30
