"""Rows of RAGAS as Examples: what its evaluation data sets hold, of version 0.2 on and of those before."""

import ast
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.foreign import references_of

# The names since RAGAS 0.2 and those before.
_QUESTION: Final = ("user_input", "question")
_CONTEXTS: Final = ("retrieved_contexts", "contexts")
_ANSWER: Final = ("response", "answer")


def from_ragas_rows(rows: Iterable[Mapping[str, Any] | Any]) -> list[Example]:
    """Return one Example a row: `user_input` as question, `retrieved_contexts` as references, `response` as answer.

    The older names question, contexts and answer will do too. `reference`, the gold answer, is not read: here
    references are the passages that an answer was made from. An `id` is carried through.

    Args:
        rows: dictionaries (of `EvaluationDataset.to_list`, a JSONL file, a CSV file with lists as text, a data frame's
            `to_dict("records")`), or samples of a data set itself.

    Raises:
        InputError: a value is missing or of another kind, or a sample has several turns; the message names row and
            field.
    """
    return [_example(f"rows[{index}]", row) for index, row in enumerate(rows)]


def _example(place: str, row: object) -> Example:
    if hasattr(row, "model_dump"):
        row = row.model_dump()
    if not isinstance(row, Mapping):
        raise InputError(place, f"must be a row of RAGAS, got {type(row).__name__}")
    question, answer, contexts = (_value(place, row, names) for names in (_QUESTION, _ANSWER, _CONTEXTS))
    return Example(
        _text(question, "holds a conversation; give the turn to be checked as a row of its own"),
        references_of(contexts[0], _listed(*contexts)),
        _text(answer, "must be text"),
        id=None if _is_missing(row.get("id")) else str(row["id"]),
    )


def _value(place: str, row: Mapping[str, Any], names: tuple[str, str]) -> tuple[str, Any]:
    """Return the name under which a row has a value, with its place, and the value."""
    for name in names:
        if not _is_missing(row.get(name)):
            return f"{place}.{name}", row[name]
    raise InputError(f"{place}.{names[0]}", f"is missing, and so is {names[1]}; there are {', '.join(map(str, row))}")


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))  # an empty cell of a data frame


def _text(found: tuple[str, Any], otherwise: str) -> str:
    field, value = found
    if not isinstance(value, str):
        raise InputError(field, f"{otherwise}, got {type(value).__name__}")
    return value


def _listed(field: str, value: Any) -> Any:
    """Return a list of contexts; one that a CSV file has as text, as Python or JSON writes it, is read."""
    if not isinstance(value, str):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, list):
            return found
    raise InputError(field, "must be a list of passages, got text that is not one")
