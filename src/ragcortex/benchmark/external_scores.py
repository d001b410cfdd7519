"""Scores that another tool gave to the rows of a data file: read from JSON lines, and trusted only after a full check.

One object a line, in any order::

    {"id": …, "row": 1, "answer": 0.4, "spans": [{"start": 0, "end": 4, "score": 0.9}], "sentences": null,
     "error": null, "seconds": 0.01}

`row` counts the rows of the data file from 1, blank lines left out. Every score is a finite number of any scale, the
same within a file and a level, and higher means more likely hallucinated.
"""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragcortex.checks import check_position, check_text, is_finite, no_number
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.score_arrays import Floats

FIELDS: Final = ("id", "row", "answer", "spans", "sentences", "error", "seconds")
_SPAN_FIELDS: Final = ("start", "end", "score")


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A stretch of the answer with one score: half-open character offsets, `0 <= start < end`; the score is finite."""

    start: int
    end: int
    score: float

    def __post_init__(self) -> None:
        check_position("start", self.start)
        check_position("end", self.end)
        if self.end <= self.start:
            raise InputError("end", f"must be greater than start={self.start}, got {self.end}")
        _check_number("score", self.score)


@dataclass(frozen=True, slots=True)
class ExternalScores:
    """What a tool said of one row, or why it said nothing.

    Attributes:
        id: the row's identifier, None where it has none.
        row: the row's number in the data file, from 1.
        answer: the answer's score, None where the tool gives none.
        spans: what the tool marked (or all its tokens), in order and without overlap; () marks nothing, None if the
            tool marks no spans.
        sentences: its sentences, in order and without overlap; a sentence it does not judge is not among them.
        error: why the row has no scores; then the three above are None. Without it at least one of them is given.
        seconds: how long the tool took, None where it was never asked.

    Raises:
        InputError: a field has the wrong type, is not finite, or contradicts another.
    """

    id: str | None
    row: int
    answer: float | None
    spans: tuple[ScoredSpan, ...] | None
    sentences: tuple[ScoredSpan, ...] | None
    error: str | None
    seconds: float | None

    def __post_init__(self) -> None:
        check_text("id", self.id, optional=True)
        check_text("error", self.error, optional=True, filled=self.error is not None)
        if not isinstance(self.row, int) or isinstance(self.row, bool) or self.row < 1:
            raise InputError("row", f"must be a whole number from 1 on, got {self.row!r}")
        if self.answer is not None:
            _check_number("answer", self.answer)
        if self.seconds is not None:
            _check_number("seconds", self.seconds)
            if self.seconds < 0:
                raise InputError("seconds", f"must not be negative, got {self.seconds!r}")
        for name in ("spans", "sentences"):
            _check_order(name, getattr(self, name))
        given = [name for name in ("answer", "spans", "sentences") if getattr(self, name) is not None]
        if self.error is None and not given:
            raise InputError("answer", "must be a number where error, spans and sentences are all null")
        if self.error is not None and given:
            raise InputError(given[0], "must be null in a row with an error")

    @classmethod
    def from_row(cls, fields: object) -> "ExternalScores":
        """Return the scores of one decoded JSON object, which has exactly the fields of this class.

        Raises:
            InputError: naming the field, what was expected and what was found.
        """
        values = _exactly(fields, FIELDS, "row")
        for name in ("spans", "sentences"):
            values[name] = _spans(values[name], name)
        return cls(**values)

    def to_row(self) -> dict[str, Any]:
        """Return the JSON object of these scores, the inverse of `from_row`."""
        row: dict[str, Any] = {name: getattr(self, name) for name in FIELDS}
        for name in ("spans", "sentences"):
            if row[name] is not None:
                row[name] = [{part: getattr(span, part) for part in _SPAN_FIELDS} for span in row[name]]
        return row

    def check_against(self, example: Example) -> None:
        """Refuse scores that are not of this example: another id, or a place outside its answer.

        Raises:
            InputError: naming the field.
        """
        if self.id != example.id:
            raise InputError("id", f"must be that of the data's row {self.row}, {example.id!r}, got {self.id!r}")
        for name in ("spans", "sentences"):
            for index, span in enumerate(getattr(self, name) or ()):
                if span.end > len(example.answer):
                    field = f"{name}[{index}].end"
                    raise InputError(
                        field, f"must be at most the answer's length {len(example.answer)}, got {span.end}"
                    )


def read_external_scores(path: str | Path, examples: Sequence[Example]) -> list[ExternalScores]:
    """Return the scores of a file, one for each example and in their order; rows with an error are among them.

    Args:
        path: the file; its lines may be in any order.
        examples: all rows of the data file that was scored, in the file's order.

    Raises:
        InputError: the file cannot be read; a line is malformed, has scores that are not finite or outside the answer,
            is of a row that is not there, has another id or stands twice; or rows are missing.
    """
    found: dict[int, ExternalScores] = {}
    for number, line in _lines(Path(path)):
        try:
            scores = ExternalScores.from_row(_decoded(line))
            if scores.row > len(examples):
                raise InputError("row", f"must be at most {len(examples)}, the number of rows, got {scores.row}")
            if scores.row in found:
                raise InputError("row", f"{scores.row} stands twice")
            scores.check_against(examples[scores.row - 1])
        except InputError as error:
            raise InputError(error.field, f"{error.message} ({path}, line {number})") from None
        found[scores.row] = scores
    missing = [row for row in range(1, len(examples) + 1) if row not in found]
    if missing:
        raise InputError(
            "scores",
            f"{path} has no line for {len(missing)} of {len(examples)} rows, first for row {missing[0]} "
            f"(id {examples[missing[0] - 1].id!r}); score the rest, or give the rows that were scored",
        )
    return [found[row] for row in sorted(found)]


def character_scores(spans: Sequence[ScoredSpan], n_characters: int) -> Floats:
    """Return each character's score as float64, shape (n_characters,).

    A character in no span gets 0, or the lowest score of a span if that is negative: nothing was said against it.

    Args:
        spans: in order, without overlap, inside the answer, as `ExternalScores` holds them.
        n_characters: the answer's length.

    >>> character_scores([ScoredSpan(1, 3, 0.5)], 4).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    lowest = min((span.score for span in spans), default=0.0)
    scores = np.full(n_characters, min(lowest, 0.0), dtype=np.float64)
    for span in spans:
        scores[span.start : span.end] = span.score
    return scores


def _check_number(field: str, value: object) -> None:
    if not is_finite(value):
        raise InputError(field, f"must be a finite number, got {value!r}")


def _check_order(name: str, spans: object) -> None:
    if spans is None:
        return
    if not isinstance(spans, tuple) or not all(isinstance(span, ScoredSpan) for span in spans):
        raise InputError(name, "must be a tuple of ScoredSpan or None")
    reached = 0
    for index, span in enumerate(spans):
        if span.start < reached:
            field = f"{name}[{index}].start"
            raise InputError(field, f"must be at least {reached}, where the one before ends, got {span.start}")
        reached = span.end


def _exactly(data: object, names: Sequence[str], what: str) -> dict[str, Any]:
    """Return a copy of a JSON object that has exactly the named fields."""
    if not isinstance(data, Mapping):
        raise InputError(what, f"must be a JSON object, got {type(data).__name__}")
    for name in names:
        if name not in data:
            raise InputError(name, "is missing; null where there is nothing to say")
    for name in data:
        if name not in names:
            nearest = difflib.get_close_matches(str(name), names, n=1)
            hint = f"the nearest known field is {nearest[0]!r}" if nearest else f"known are {', '.join(names)}"
            raise InputError(str(name), f"is not a known field; {hint}")
    return dict(data)


def _spans(values: object, name: str) -> tuple[ScoredSpan, ...] | None:
    if values is None:
        return None
    if not isinstance(values, list):
        raise InputError(name, f"must be a list of objects with start, end and score, or null, got {values!r}")
    spans = []
    for index, value in enumerate(values):
        try:
            spans.append(ScoredSpan(**_exactly(value, _SPAN_FIELDS, "span")))
        except InputError as error:
            raise InputError(f"{name}[{index}].{error.field}", error.message) from None
    return tuple(spans)


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=no_number)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, NaN, nested too deeply
        raise InputError("row", f"is not JSON: {error}") from None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError("scores", f"{path} cannot be read: {error.strerror}") from None
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield number, line
