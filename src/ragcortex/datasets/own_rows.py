"""Our own JSONL as a data set: what `ragcortex data convert` writes, and rows of one's own in the same form.

A row has `question`, `references`, `answer`, and optionally `id`, `spans`, `label`, `group`, `generator`, `task`
(`Example.from_row` has the details) and `split` (train, validation or test).
"""

from pathlib import Path
from typing import Any

from ragcortex.datasets.collector import Collector
from ragcortex.datasets.jsonl import to_row
from ragcortex.datasets.loaded import SPLITS, LoadedDataset, Split
from ragcortex.datasets.official_files import found_files, missing
from ragcortex.datasets.official_rows import OfficialRow, json_rows
from ragcortex.errors import InputError
from ragcortex.example import Example


def load(path: Path) -> LoadedDataset:
    """Return the rows of one file, or of all files ending in .jsonl in a folder; a row without an id gets one.

    Rows with a blank answer, without label and spans, or with an id that was there already are dropped and counted.

    Raises:
        InputError: a file is missing or damaged, a row is no example, or nothing is left.
    """
    files = (path,) if path.is_file() else found_files(path, "*.jsonl")
    if not files:
        raise missing(path, ["a file ending in .jsonl"])
    collector = Collector("jsonl")
    for file in files:
        for number, row in enumerate(json_rows(file), start=1):
            _add(row, f"{file.stem}-{number}", collector)
    return collector.build()


def rows(loaded: LoadedDataset) -> list[dict[str, Any]]:
    """Return a data set as rows of our JSONL, each with the name of the data set and its split."""
    return [
        to_row(example) | {"dataset": loaded.name} | ({} if split is None else {"split": split})
        for example, split in zip(loaded.examples, loaded.splits, strict=True)
    ]


def _add(row: OfficialRow, otherwise: str, collector: Collector) -> None:
    try:
        example = Example.from_row(row.fields)
    except InputError as error:
        raise row.refused(error.field, error.message) from None
    identifier = example.id if example.id is not None else otherwise
    if example.answer_label is None:
        collector.drop("neither label nor spans", identifier)
        return
    collector.add(
        identifier,
        answer=example.answer,
        references=example.references,
        split=_split(row),
        question=example.question,
        spans=example.spans,
        label=example.label,
        group=example.group,
        generator=example.generator,
        task=example.task,
    )


def _split(row: OfficialRow) -> Split | None:
    if row.fields.get("split") is None:
        return None
    word = row.word("split", SPLITS)
    return next(split for split in SPLITS if split == word)
