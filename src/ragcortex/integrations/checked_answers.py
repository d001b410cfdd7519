"""The answers that a test run checked: as a file, as a line, and as a summary in Markdown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragcortex.errors import InputError

if TYPE_CHECKING:  # a plugin is imported with every run of pytest, so nothing heavy is before it is needed
    from ragcortex.report import Report

ENDINGS: Final = (".jsonl", ".html")
_MOST_ROWS: Final = 50
_MOST_CHARACTERS: Final = 120
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$])")


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer that a test checked, and whether it passed there."""

    test: str
    passed: bool
    report: "Report"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"test": self.test, "passed": self.passed, "report": self.report.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "CheckedAnswer":
        """Return what `to_dict` gave."""
        from ragcortex.report import Report

        return cls(values["test"], values["passed"], Report.from_dict(values["report"]))


def check_file(path: Path) -> None:
    """Refuse a report file whose ending is not known, or whose folder is not there.

    Raises:
        InputError: saying so.
    """
    if path.suffix not in ENDINGS:
        raise InputError("--ragcortex-report", f"must end in {' or '.join(ENDINGS)}, got {str(path)!r}")
    if not path.parent.is_dir():
        raise InputError("--ragcortex-report", f"must lie in a folder that exists, got {str(path)!r}")


def write_file(path: Path, answers: Sequence[CheckedAnswer]) -> None:
    """Write a report file: JSON lines or a page, by its ending; whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    if path.suffix == ".jsonl":
        from ragcortex.datasets.jsonl import write_rows

        write_rows(path, (one.to_dict() for one in answers))
        return
    from ragcortex.rendering.html import render_pages
    from ragcortex.whole_files import write_whole

    page = render_pages(in_short(answers), [(_named(one), one.report) for one in answers])
    write_whole(path, page.encode(), f"{path} cannot be written")


def in_short(answers: Sequence[CheckedAnswer]) -> str:
    """Return one line: how many answers were checked, and how many of them failed."""
    n_failed = sum(not one.passed for one in answers)
    checked = "1 answer checked" if len(answers) == 1 else f"{len(answers)} answers checked"
    return f"{checked}, {n_failed or 'none'} not grounded"


def in_markdown(answers: Sequence[CheckedAnswer]) -> str:
    """Return a section with a table of the answers, those that failed first; at most 50 rows."""
    ordered = sorted(answers, key=lambda one: one.passed)
    rows = [_row(one) for one in ordered[:_MOST_ROWS]]
    more = [f"\n{len(ordered) - _MOST_ROWS} more answers are not shown.\n"] if len(ordered) > _MOST_ROWS else []
    head = ["## Groundedness of answers\n", f"{in_short(answers)}.\n"]
    table = ["| test | | verdict | score | not supported |", "| --- | --- | --- | ---: | --- |", *rows]
    return "\n".join([*head, *table, *more, ""])


def _row(one: CheckedAnswer) -> str:
    from ragcortex.rendering.words import shown_score

    passages = "; ".join(_escaped(_shortened(span.text)) for span in one.report.spans[:3])
    more = f" and {len(one.report.spans) - 3} more" if len(one.report.spans) > 3 else ""
    state = "passed" if one.passed else "**failed**"
    score = shown_score(one.report)
    return f"| {_escaped(one.test)} | {state} | {_escaped(one.report.verdict)} | {score} | {passages}{more} |"


def _named(one: CheckedAnswer) -> str:
    return f"{one.test}: {'passed' if one.passed else 'failed'}"


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _escaped(text: str) -> str:
    """Return foreign text as Markdown that shows it and does nothing else."""
    from ragcortex.rendering.inert import inert_line

    return _SPECIAL.sub(r"\\\1", inert_line(text))
