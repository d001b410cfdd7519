"""A pytest plugin that checks answers in tests.

    def test_the_bot_invents_nothing(assert_grounded):
        assert_grounded(bot.answer(QUESTION), PASSAGES, QUESTION)

`--ragcortex-report FILE` writes the reports of all checks, as JSON lines or as a page by the file's ending. Where
`GITHUB_STEP_SUMMARY` names a file, as in a GitHub Actions job, a table of the checks is added to it. With pytest-xdist
the checks of all workers come together.

To judge with another detector, define the fixture `groundedness_detector` anew in `conftest.py`.
"""

import os
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from ragcortex.errors import InputError
from ragcortex.integrations.assertions import assert_grounded, kept_checks
from ragcortex.integrations.checked_answers import CheckedAnswer, check_file, in_markdown, in_short, write_file

if TYPE_CHECKING:
    from ragcortex.detectors.detector import Detector
    from ragcortex.report import Report

__all__ = ["assert_grounded"]

_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_CARRIED: Final = "ragcortex_checks"
"""The attribute of a test's report that carries its checks, also from a worker process to the one that reports."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the report file."""
    parser.getgroup("ragcortex", "groundedness of answers").addoption(
        "--ragcortex-report",
        metavar="FILE",
        default=None,
        help="write the report on every answer that assert_grounded checked to FILE: *.jsonl or *.html",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a report file that could not be written, before any test runs."""
    given = config.getoption("--ragcortex-report")
    file = None if given is None else Path(given)
    if file is not None:
        try:
            check_file(file)
        except InputError as error:
            raise pytest.UsageError(str(error)) from None
    if not hasattr(config, "workerinput"):  # of pytest-xdist: workers carry their checks to the one that reports
        config.pluginmanager.register(_Collected(file), "ragcortex-collected")


@pytest.fixture(scope="session")
def groundedness_detector() -> "Detector":
    """Return the detector that the fixture `assert_grounded` judges with: the default one."""
    from ragcortex.check import default_detector

    return default_detector()


@pytest.fixture(name="assert_grounded")
def assert_grounded_fixture(groundedness_detector: "Detector") -> "Callable[..., Report]":
    """Return `assert_grounded` with the session's detector."""
    return partial(assert_grounded, detector=groundedness_detector)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keep what a test checks until its report is made."""
    with kept_checks() as checks:
        item.stash[_CHECKS] = checks
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Put the checks into the report of the phase in which they were made."""
    report = yield
    checks = item.stash.get(_CHECKS, [])
    carried = [CheckedAnswer(item.nodeid, passed, one).to_dict() for one, passed in checks]
    setattr(report, _CARRIED, carried)
    checks.clear()
    return report


class _Collected:
    """The checks of the whole run, and what is made of them at its end."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._answers: list[CheckedAnswer] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the checks of a test."""
        self._answers += map(CheckedAnswer.from_dict, getattr(report, _CARRIED, []))

    def pytest_sessionfinish(self) -> None:
        """Write the report file, and add to the summary of the job."""
        if self._file is not None:
            write_file(self._file, self._answers)
        summary = os.environ.get(_SUMMARY)
        if summary and self._answers:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(in_markdown(self._answers))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say how many answers were checked."""
        if self._answers or self._file is not None:
            terminalreporter.section("groundedness of answers")
            where = "" if self._file is None else f"; report in {self._file}"
            terminalreporter.write_line(f"{in_short(self._answers)}{where}")


_CHECKS: Final = pytest.StashKey[list[tuple["Report", bool]]]()
