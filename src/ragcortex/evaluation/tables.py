"""The table of results, with its controls, as Markdown, as a terminal table, and as JSON."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import Interval
from ragcortex.evaluation.metrics import Metric

if TYPE_CHECKING:
    from rich.table import Table

Level = Literal["token", "answer"]
Column = Literal["raw", "smoothed"]

SCHEMA: Final = "ragcortex.results/1"
_HEADINGS: Final = ("level", "method", "smoothing", "AP", "AUROC", "n", "base rate")
_NUMERIC: Final = ("AP", "AUROC", "n", "base rate")


@dataclass(frozen=True, slots=True)
class ResultRow:
    """How well one method ranks tokens or answers.

    Attributes:
        method: the detector, the baseline or the control.
        level: what is ranked.
        smoothing: whether the scores were smoothed.
        is_control: whether this is a trivial control.
        average_precision: with its n and base rate.
        average_precision_interval: 95 % by source.
        auroc: with its n and base rate.
        auroc_interval: 95 % by source.

    Raises:
        InputError: the two metrics are not of the same rows.
    """

    method: str
    level: Level
    smoothing: Column
    is_control: bool
    average_precision: Metric
    average_precision_interval: Interval
    auroc: Metric
    auroc_interval: Interval

    def __post_init__(self) -> None:
        pair = (self.average_precision, self.auroc)
        if pair[0].n != pair[1].n or pair[0].base_rate != pair[1].base_rate:
            raise InputError(
                "auroc", f"must be of the same rows as average_precision, got n={pair[1].n} and {pair[0].n}"
            )

    @property
    def n(self) -> int:
        """How many tokens or answers were ranked."""
        return self.auroc.n

    @property
    def base_rate(self) -> float | None:
        """The share of them that is hallucinated; also the average precision of a guess."""
        return self.auroc.base_rate

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "method": self.method,
            "level": self.level,
            "smoothing": self.smoothing,
            "is_control": self.is_control,
            "average_precision": _metric_dict(self.average_precision, self.average_precision_interval),
            "auroc": _metric_dict(self.auroc, self.auroc_interval),
            "n": self.n,
            "base_rate": self.base_rate,
        }

    def cells(self) -> tuple[str, ...]:
        """Return the row as text, one cell a heading."""
        return (
            self.level,
            f"control: {self.method}" if self.is_control else self.method,
            self.smoothing,
            _metric_text(self.average_precision, self.average_precision_interval),
            _metric_text(self.auroc, self.auroc_interval),
            f"{self.n:,}",
            "–" if self.base_rate is None else f"{100 * self.base_rate:.1f} %",
        )


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Results of one or more methods on the same answers, with the trivial controls beside them.

    Attributes:
        rows: token level before answer level, methods before controls, whatever order they are given in.
        n_examples: how many answers were given.
        n_without_token_labels: how many of them have no known spans, and so count at the answer level only.
        n_without_answer_labels: how many of them have no known label, and so count at the token level at most.
        n_groups: how many sources they come from.
        n_resamples: how many bootstrap resamples were drawn.
        seed: the seed they were drawn with.
        omitted: which controls are missing and why, one sentence each.
    """

    rows: tuple[ResultRow, ...]
    n_examples: int
    n_without_token_labels: int
    n_without_answer_labels: int
    n_groups: int
    n_resamples: int
    seed: int
    omitted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ordered = sorted(self.rows, key=lambda row: (row.level != "token", row.is_control))
        object.__setattr__(self, "rows", tuple(ordered))

    @classmethod
    def joined(cls, tables: Iterable["ResultTable"]) -> "ResultTable":
        """Return one table of several methods measured on the same answers and tokens; controls are kept once.

        Raises:
            InputError: there are no tables, or they are not of the same answers, tokens, resamples and seed.
        """
        given = list(tables)
        if not given:
            raise InputError("tables", "must hold at least one table")
        if len({table._basis() for table in given}) > 1:
            raise InputError(
                "tables", "must be of the same answers, tokens, resamples and seed; evaluate the methods together"
            )
        rows = dict.fromkeys(row for table in given for row in table.rows)
        return cls(
            tuple(rows),
            given[0].n_examples,
            given[0].n_without_token_labels,
            given[0].n_without_answer_labels,
            given[0].n_groups,
            given[0].n_resamples,
            given[0].seed,
            tuple(dict.fromkeys(sentence for table in given for sentence in table.omitted)),
        )

    def _basis(self) -> tuple[object, ...]:
        """Return what must agree between tables that are joined: the answers (by their controls) and the settings."""
        controls = frozenset(row for row in self.rows if row.is_control)
        left_out = (self.n_without_token_labels, self.n_without_answer_labels)
        return (controls, self.n_examples, left_out, self.n_groups, self.n_resamples, self.seed)

    def notes(self) -> tuple[str, ...]:
        """Return what a reader of the table must know, one sentence each."""
        answers = "answer" if self.n_examples == 1 else "answers"
        sources = "source" if self.n_groups == 1 else "sources"
        sentences = [
            f"{self.n_examples:,} {answers} of {self.n_groups:,} {sources}; in brackets 95 % bootstrap intervals by "
            f"source, {self.n_resamples:,} resamples, seed {self.seed}.",
        ]
        if self.n_without_token_labels:
            sentences.append(
                f"Left out at the token level, since their spans are not known: {self.n_without_token_labels:,}."
            )
        if self.n_without_answer_labels:
            sentences.append(
                f"Left out at the answer level, since their label is not known: {self.n_without_answer_labels:,}."
            )
        for row in self.rows:
            for name, metric, interval in (
                ("AP", row.average_precision, row.average_precision_interval),
                ("AUROC", row.auroc, row.auroc_interval),
            ):
                reason = metric.reason or interval.reason
                if reason is not None and not row.is_control:
                    what = "value" if metric.value is None else "interval"
                    sentences.append(f"No {name} {what} for {row.method} ({row.level}, {row.smoothing}): {reason}.")
        return (*sentences, *self.omitted)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; the text of `notes` is part of it."""
        return {
            "schema": SCHEMA,
            "rows": [row.to_dict() for row in self.rows],
            "n_examples": self.n_examples,
            "n_without_token_labels": self.n_without_token_labels,
            "n_without_answer_labels": self.n_without_answer_labels,
            "n_groups": self.n_groups,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "notes": list(self.notes()),
        }

    def to_json(self) -> str:
        """Return the JSON text, indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_markdown(self) -> str:
        """Return a Markdown table followed by the notes."""
        rule = ["---:" if heading in _NUMERIC else "---" for heading in _HEADINGS]
        lines = [_HEADINGS, rule, *(row.cells() for row in self.rows)]
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines]
        return "\n".join([*table, "", *(f"* {sentence}" for sentence in self.notes()), ""])

    def to_rich(self) -> "Table":
        """Return the table for a rich console, its notes as the caption; controls are dimmed."""
        from rich.markup import escape
        from rich.table import Table

        table = Table(caption=escape("\n".join(self.notes())), caption_justify="left")
        for heading in _HEADINGS:
            table.add_column(heading, justify="right" if heading in _NUMERIC else "left", overflow="fold")
        for index, row in enumerate(self.rows):
            ends_level = index + 1 < len(self.rows) and self.rows[index + 1].level != row.level
            table.add_row(*map(escape, row.cells()), style="dim" if row.is_control else None, end_section=ends_level)
        return table


def _metric_dict(metric: Metric, interval: Interval) -> dict[str, object]:
    return {
        "value": metric.value,
        "low": interval.low,
        "high": interval.high,
        "n_groups": interval.n_groups,
        "n_resamples": interval.n_resamples,
        "reason": metric.reason or interval.reason,
    }


def _metric_text(metric: Metric, interval: Interval) -> str:
    if metric.value is None:
        return "–"
    if interval.low is None or interval.high is None:
        return decimals(metric.value)
    return f"{decimals(metric.value)} [{decimals(interval.low)}, {decimals(interval.high)}]"


def decimals(value: float, n: int = 3) -> str:
    """Return n decimals of a number from 0 on without the leading zero, as tables of this field print them.

    >>> decimals(0.4567), decimals(1.0), decimals(0.4567, 4)
    ('.457', '1.000', '.4567')
    """
    text = f"{value:.{n}f}"
    return text[1:] if text.startswith("0") else text
