"""Labelled rows for training and evaluation: read, checked, filtered, and counted where they are left out."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragcortex.cli.console import plural, say
from ragcortex.errors import InputError
from ragcortex.example import Example

if TYPE_CHECKING:
    from ragcortex.readers.reader import Reader
    from ragcortex.readers.reading import ReadingSpec
    from ragcortex.readers.store import ReadingStore

_LISTED: Final = 20
_FILTERS: Final = ("generator", "task", "group")


@dataclass(frozen=True, slots=True)
class LabelledData:
    """The rows of one or more files that can be used.

    Attributes:
        examples: in the order of the files, each with a label or spans.
        left_out: how many rows were left out, by reason.
        files: name (without its folder), SHA-256 and number of rows of each file.
    """

    examples: tuple[Example, ...]
    left_out: Counter[str]
    files: tuple[dict[str, Any], ...]

    def describe(self) -> str:
        """Return the files in words: names and numbers of rows."""
        return ", ".join(f"{file['name']} ({plural(file['n_rows'], 'row')})" for file in self.files)

    def keep(self, conditions: Sequence[str]) -> "LabelledData":
        """Return the rows that fulfil every condition `FIELD=VALUE[,VALUE]`.

        Raises:
            InputError: a condition is malformed, or no row is left.
        """
        kept = self.examples
        for condition in conditions:
            field, allowed = _condition(condition)
            present = {getattr(example, field) for example in kept}
            kept = tuple(example for example in kept if getattr(example, field) in allowed)
            if not kept:
                found = ", ".join(sorted(str(value) for value in present if value is not None)[:10]) or "none"
                raise InputError("keep", f"no row has {condition!r}; values of {field} are: {found}")
        left_out = self.left_out + Counter({"not kept by --keep": len(self.examples) - len(kept)})
        return LabelledData(kept, left_out, self.files)


def labelled_data(paths: Sequence[Path], *, skip_bad_rows: bool, against_corpus: bool = False) -> LabelledData:
    """Return the labelled rows of these files.

    Args:
        paths: JSONL files.
        skip_bad_rows: leave out rows that cannot be used, and count them.
        against_corpus: the answers are checked against a corpus, so that a row must have no references of its own.

    Raises:
        InputError: a file cannot be read, a row cannot be used (each is listed on standard error) and `skip_bad_rows`
            is not set, or no row is left.
    """
    from ragcortex.datasets.jsonl import read_rows

    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("data", "the same file is given twice")
    examples: list[Example] = []
    bad: Counter[str] = Counter()
    files, n_all = [], 0
    for path in paths:
        n_rows = 0
        for row in read_rows(path, without_references=against_corpus):
            n_rows += 1
            reason, kind = _fault(row.example, row.error, against_corpus)
            if row.example is not None and reason is None:
                examples.append(row.example)
                continue
            bad[kind] += 1
            if not skip_bad_rows and bad.total() <= _LISTED:
                say(f"{path}, line {row.line}: {reason}")
        n_all += n_rows
        files.append({"name": path.name, "sha256": _digest(path), "n_rows": n_rows})
    if bad and not skip_bad_rows:
        listed = "listed above" if bad.total() <= _LISTED else f"the first {_LISTED} are listed above"
        raise InputError(
            "data",
            f"{bad.total():,} of {plural(n_all, 'row')} cannot be used ({listed}); "
            "correct them, or leave them out with --skip-bad-rows",
        )
    if not examples:
        raise InputError("data", f"{', '.join(path.name for path in paths)} holds no row that can be used")
    return LabelledData(tuple(examples), bad, tuple(files))


def say_left_out(data: LabelledData) -> None:
    """Say how many rows were left out and why."""
    if data.left_out.total():
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in data.left_out.items() if n)
        say(f"left out {plural(data.left_out.total(), 'row')}: {reasons}")


def read_ahead(reader: "Reader", examples: Sequence[Example], spec: "ReadingSpec", store: "ReadingStore") -> None:
    """Read what the store does not hold yet, with progress; interrupted, the next call goes on from there."""
    from ragcortex.rendering.progress import tracked

    missing = [example for example in examples if not store.holds(reader, example, spec)]
    n_held = len(examples) - len(missing)
    if n_held:
        say(f"{n_held:,} of {plural(len(examples), 'reading')} already on disk")
    for _ in tracked(store.read(reader, missing, spec), len(examples), "reading", completed=n_held):
        pass


def reading_store(folder: str | None) -> "ReadingStore":
    """Return the store in a folder, by default in the cache folder."""
    from ragcortex.readers.store import ReadingStore
    from ragcortex.settings import settings

    return ReadingStore(Path(folder).expanduser() if folder is not None else settings().cache_dir / "readings")


def _fault(example: Example | None, error: InputError | None, against_corpus: bool) -> tuple[str | None, str]:
    """Return what is wrong with a row, None if nothing is, and the kind of fault for counting."""
    from ragcortex.detectors.notes import nothing_to_check

    if example is None:
        return str(error), "unreadable"
    if against_corpus and example.references:
        return (
            "has references of its own, although answers are checked against a corpus",
            "with references of their own",
        )
    unjudged = None if against_corpus and example.answer.strip() else nothing_to_check(example)
    if unjudged is not None:
        return unjudged[1].text, "without an answer or references"
    if example.answer_label is None:
        return "has neither a label nor spans", "without label or spans"
    return None, ""


def _condition(condition: str) -> tuple[str, set[str]]:
    field, found, values = condition.partition("=")
    allowed = {value.strip() for value in values.split(",") if value.strip()}
    if not found or field not in _FILTERS or not allowed:
        raise InputError(
            "keep", f"must be FIELD=VALUE[,VALUE] with a field of {', '.join(_FILTERS)}, got {condition!r}"
        )
    return field, allowed


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def distinct(values: Iterable[str | None]) -> list[str]:
    """Return the values there are, sorted, without None."""
    return sorted({value for value in values if value is not None})
