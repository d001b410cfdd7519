"""The filters of the history's page, and its labels as a table for spreadsheets."""

import csv
import datetime
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from ragcortex.report import VERDICTS
from ragcortex.service import reviews
from ragcortex.service.checks import CheckFilter
from ragcortex.service.storage.database import Database
from ragcortex.service.triage import ACTIONS

QUEUES: Final = ("none", "open", "disputed", "decided")
_CHOICES: Final = {"verdict": VERDICTS, "action": ACTIONS, "queue": QUEUES, "label": ("0", "1")}
_TEXTS: Final = ("generator", "group", "external_id", "text")
_DATES: Final = ("since", "until")
_COLUMNS: Final = (
    "check", "id", "label", "verdict", "score", "question", "answer", "references", "spans", "group", "generator",
    "task", "reviewers",
)  # fmt: skip
# A spreadsheet takes a cell that begins so for a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """The filter as it is shown in the form: texts, "" where nothing is asked; `wrong` names a date that is none."""

    values: Mapping[str, str]
    wrong: str = ""
    wanted: CheckFilter = field(default_factory=CheckFilter)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "HistoryFilter":
        """Return the filter of a page's parameters; what is none of the choices is as not given."""
        values = {name: parameters.get(name, "").strip()[:200] for name in (*_CHOICES, *_TEXTS, *_DATES)}
        for name, known in _CHOICES.items():
            values[name] = values[name] if values[name] in known else ""
        asked: dict[str, Any] = {name: value or None for name, value in values.items()}
        asked["label"] = int(values["label"]) if values["label"] else None
        wrong = ""
        for name in _DATES:
            try:
                asked[name] = _day(values[name], after=name == "until") if values[name] else None
            except ValueError:
                asked[name], wrong = None, name
        return cls(values, wrong, CheckFilter(**asked))

    @property
    def is_set(self) -> bool:
        """Whether anything is asked."""
        return any(self.values.values())

    def link(self, cursor: str) -> str:
        """Return the address of the page that begins at a cursor."""
        given = {name: value for name, value in self.values.items() if value}
        return f"/history?{urlencode(given | {'cursor': cursor})}"


def labels_as_csv(database: Database) -> Iterator[str]:
    """Yield the decided answers as lines of CSV, the first with the columns' names, in portions.

    Lists are JSON. A cell that a spreadsheet would take for a formula begins with an apostrophe; for the exact texts
    there is the export as JSON lines.
    """
    yield "\ufeff" + _line(_COLUMNS)
    after: reviews.Place | None = None
    while True:
        rows, after = database.run(partial(reviews.export_portion, after=after))
        yield from (_line([_cell(row.get(name)) for name in _COLUMNS]) for row in rows)
        if after is None:
            return


def _day(text: str, *, after: bool) -> datetime.datetime:
    day = datetime.datetime.combine(datetime.date.fromisoformat(text), datetime.time(), datetime.UTC)
    return day + datetime.timedelta(days=1) if after else day


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def _line(cells: tuple[str, ...] | list[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()
