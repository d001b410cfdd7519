"""Mu-SHROOM (SemEval 2025, task 3): answers of many models in 14 languages, with stretches marked by several people.

The official format (the task's page helsinki-nlp.github.io/shroom/2025 and its scorer.py): files
`mushroom.<language>-<part>.v<n>.jsonl`, one object a line: `id`, `lang`, `model_input`, `model_output_text`,
`model_id`, `soft_labels` (a list of `start`, `end`, `prob`, the share of annotators who marked the stretch) and
`hard_labels` (a list of [start, end], what most of them marked), with offsets into `model_output_text`, end excluded.
The scorer measures texts with Python's `len`, so offsets count characters. The training part has no labels. The
references that annotators used are Wikipedia pages, of which the data name only the address (`wikipedia_url`, in the
dataset's later release and in the file of extra information).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.checks import check_known, check_score
from ragcortex.datasets.collector import Collector
from ragcortex.datasets.loaded import LoadedDataset, Split
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.datasets.utf16 import OFFSET_UNITS, OffsetUnit, character_range
from ragcortex.example import Span

PATTERN: Final = "mushroom.*.jsonl"
_PART = re.compile(r"(?:^|[-_.])(train|val|tst|test)[-_.]")
_SPLITS: Final[Mapping[str, Split]] = {"train": "train", "val": "validation", "tst": "test", "test": "test"}


@dataclass(frozen=True, slots=True)
class _Options:
    threshold: float | None
    pages: Mapping[str, str] | None
    offsets: OffsetUnit


def load(
    path: Path,
    *,
    threshold: float | None = None,
    language: str | None = None,
    pages: str | None = None,
    offsets: OffsetUnit = "characters",
) -> LoadedDataset:
    """Return the answers with the marked stretches as spans, and the official validation and test parts.

    Answers about the same page, or without its address to the same question, are one group. A row with a label outside
    its answer is dropped and counted, and so is one without labels.

    Args:
        path: the folder with the files, or one of them.
        threshold: mark what more than this share of the annotators marked; without it what the hard labels mark,
            which is a threshold of 0.5.
        language: only this language, as in `lang` ("de"); case does not matter.
        pages: a JSONL file of your own with the pages' text, `wikipedia_url` (or `id`) and `text` a line; without it
            the answers have no references. Rows whose page is not in it are dropped and counted.
        offsets: `utf16` reads offsets that count UTF-16 units; the official ones count characters.

    Raises:
        InputError: a file is missing or damaged, an option is unknown, or nothing is left.
    """
    check_score("threshold", threshold, optional=True)
    check_known("offsets", offsets, OFFSET_UNITS)
    files = (path,) if path.is_file() else found_files(path, PATTERN) or found_files(path, f"*/{PATTERN}")
    if not files:
        raise missing(path, [PATTERN])
    options = _Options(threshold, None if pages is None else _pages(Path(pages)), offsets)
    collector = Collector("mushroom")
    for file in files:
        for row in json_rows(file):
            if language is None or row.text("lang").lower() == language.lower():
                _add(row, file, options, collector)
    return collector.build()


def _pages(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for row in json_rows(path):
        key = "wikipedia_url" if "wikipedia_url" in row.fields else "id"
        texts[row.text(key)] = row.text("text")
    return texts


def _add(row: OfficialRow, file: Path, options: _Options, collector: Collector) -> None:
    threshold, pages = options.threshold, options.pages
    identifier, answer = row.text("id"), row.text("model_output_text")
    field = "hard_labels" if threshold is None else "soft_labels"
    if row.fields.get(field) is None:
        collector.drop(f"no {field}", identifier)
        return
    page = row.text("wikipedia_url") if row.fields.get("wikipedia_url") is not None else None
    references = [text for key in (page, identifier) if (text := (pages or {}).get(key or "")) is not None][:1]
    if pages is not None and not any(text.strip() for text in references):
        collector.drop("page not in the file of pages", identifier)
        return
    marked = _hard(row) if threshold is None else _soft(row, threshold)
    spans = _spans(answer, marked, options.offsets)
    if spans is None:
        collector.drop("label outside the answer", identifier)
        return
    question = row.text("model_input")
    collector.add(
        identifier,
        answer=answer,
        references=references,
        split=_split(file, identifier),
        question=question,
        spans=spans,
        label=int(bool(spans)),
        group=page if page is not None else question,
        generator=row.text("model_id"),
        task=row.text("lang").lower(),
    )


def _hard(row: OfficialRow) -> list[tuple[int, int]]:
    ranges = []
    for index, value in enumerate(row.items("hard_labels")):
        whole = isinstance(value, list) and len(value) == 2 and all(type(offset) is int for offset in value)
        if not whole:
            raise row.refused(f"hard_labels[{index}]", f"must be [start, end], got {value!r}")
        ranges.append((value[0], value[1]))
    return ranges


def _soft(row: OfficialRow, threshold: float) -> list[tuple[int, int]]:
    labels = row.inners("soft_labels")
    return [(label.whole("start"), label.whole("end")) for label in labels if label.number("prob") > threshold]


def _spans(answer: str, ranges: Iterable[tuple[int, int]], offsets: OffsetUnit) -> tuple[Span, ...] | None:
    """Return the ranges as spans, those that meet or overlap as one; None if one is not inside the answer."""
    joined: list[list[int]] = []
    for start, end in sorted(ranges):
        found = character_range(answer, start, end, offsets)
        if found is None:
            return None
        if joined and found[0] <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], found[1])
        else:
            joined.append(list(found))
    return tuple(Span(start, end) for start, end in joined)


def _split(file: Path, identifier: str) -> Split | None:
    """Return the split that the file's name says, or else the row's id; None where neither does."""
    found = _PART.search(file.name) or _PART.search(identifier)
    return _SPLITS[found[1]] if found else None
