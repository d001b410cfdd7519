"""The sources of RAGTruth as references: passages, an article, or the facts and reviews of a business."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ragcortex.datasets.official_rows import OfficialRow
from ragcortex.example import Reference

Task = Literal["QA", "Summary", "Data2txt"]
TASKS: Final[tuple[Task, ...]] = get_args(Task)

_PASSAGE = re.compile(r"^passage (\d+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """One row of source_info.jsonl: its task, the question (QA only), and the references."""

    task: Task
    question: str | None
    references: tuple[Reference, ...]


def source(row: OfficialRow) -> Source:
    """Return one row of source_info.jsonl.

    Raises:
        InputError: a field is missing or of another type than the official description says.
    """
    match row.word("task_type", TASKS):
        case "QA":
            inner = row.inner("source_info")
            return Source("QA", inner.text("question"), passages(inner.text("passages")))
        case "Summary":
            return Source("Summary", None, _filled([Reference(row.text("source_info"))]))
        case _:
            return Source("Data2txt", None, _business(row.inner("source_info").fields))


def passages(text: str) -> tuple[Reference, ...]:
    """Return the passages of a QA source, each with its heading "passage 1:", since answers refer to it.

    A heading counts only with the next number, so that "passage 7:" inside a passage divides nothing. Text before the
    first heading, or without any, is a reference of its own.

    >>> [reference.text for reference in passages("passage 1:In Rome.\\n\\npassage 2:In 1901.\\n\\n")]
    ['passage 1:In Rome.', 'passage 2:In 1901.']
    """
    starts = [0]
    number = 0
    for match in _PASSAGE.finditer(text):
        if int(match[1]) == number + 1:
            number += 1
            starts.append(match.start())
    parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return _filled([Reference(part.strip(), id=_heading(part)) for part in parts])


def _heading(part: str) -> str | None:
    match = _PASSAGE.match(part)
    return f"passage {match[1]}" if match else None


def _business(fields: Mapping[str, Any]) -> tuple[Reference, ...]:
    """Return the facts of a business, one a line, as one reference, and each review as another.

    Values that are null stay, written as "null": answers that state them are wrong ("due to null").
    """
    reviews = fields.get("review_info")
    facts = {name: value for name, value in fields.items() if name != "review_info" or not isinstance(reviews, list)}
    references = [Reference("\n".join(_lines(facts, "")), id="facts")]
    for number, review in enumerate(reviews if isinstance(reviews, list) else [], start=1):
        lines = _lines(review, "") if isinstance(review, Mapping) else iter([_value(review)])
        references.append(Reference("\n".join(lines), id=f"review {number}"))
    return _filled(references)


def _lines(fields: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _lines(value, f"{prefix}{name}, ")
        else:
            yield f"{prefix}{name}: {_value(value)}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _filled(references: list[Reference]) -> tuple[Reference, ...]:
    return tuple(reference for reference in references if reference.text.strip())
