"""What the loaders of official files share: examples are collected, and every row left out is counted with a reason."""

import hashlib
from collections.abc import Sequence
from typing import Final

from ragcortex.datasets.loaded import N_SHOWN, LoadedDataset, RowNote, Split
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference, Span
from ragcortex.splits import folds, holdout

REPEATED_ID: Final = "repeats the id of an earlier row"
BLANK_ANSWER: Final = "blank answer"
BLANK_REFERENCES: Final = "no reference that is not blank"
TOO_FEW_GROUPS: Final = "not split, since there are fewer than 10 sources"
# A protocol split is made of this many folds: one is the test part, one the validation part.
_N_FOLDS: Final = 10


class Collector:
    """Collects the examples of one data set; `build` hands them over."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._examples: list[Example] = []
        self._splits: list[Split | None] = []
        self._ids: set[str] = set()
        self._dropped: dict[str, list[str]] = {}
        self._notes: dict[str, list[str]] = {}

    def drop(self, reason: str, identifier: str) -> None:
        """Count a row that is no example."""
        self._dropped.setdefault(reason, []).append(identifier)

    def note(self, reason: str, identifier: str) -> None:
        """Count a row that is an example, although not all that the files say of it was used."""
        self._notes.setdefault(reason, []).append(identifier)

    def add(
        self,
        identifier: str,
        *,
        answer: str,
        references: Sequence[Reference | str],
        split: Split | None = None,
        question: str | None = None,
        spans: tuple[Span, ...] | None = None,
        label: int | None = None,
        group: str | None = None,
        generator: str | None = None,
        task: str | None = None,
    ) -> bool:
        """Add a row, or drop it with the reason: its id is taken, its answer is blank, or its text is not text.

        Returns:
            Whether it was added.
        """
        if identifier in self._ids:
            self.drop(REPEATED_ID, identifier)
            return False
        if not answer.strip():
            self.drop(BLANK_ANSWER, identifier)
            return False
        try:
            passages = tuple(part if isinstance(part, Reference) else Reference(part) for part in references)
            example = Example(question, passages, answer, identifier, spans, label, group, generator, task)
        except InputError as error:  # half a character pair, or labels that contradict each other
            self.drop(str(error), identifier)
            return False
        self._ids.add(identifier)
        self._examples.append(example)
        self._splits.append(split)
        return True

    def hold_out_validation(self, fraction: float, seed: int) -> None:
        """Move a share of the training sources of each task to the validation split, in whole groups.

        The split of one task does not depend on which other tasks are loaded.

        Raises:
            InputError: `fraction` is not in [0, 1); 0 moves nothing.
        """
        if not 0 <= fraction < 1:
            raise InputError("validation", f"must be a share from 0 to below 1, got {fraction!r}")
        for task in sorted({example.task or "" for example in self._examples}) if fraction else ():
            rows = [
                index
                for index, (example, split) in enumerate(zip(self._examples, self._splits, strict=True))
                if split == "train" and (example.task or "") == task
            ]
            groups = [self._examples[index].group for index in rows]
            if len(set(groups)) < 2:
                for index in rows:
                    self.note("not held out for validation, since there is one source only", self._id(index))
                continue
            for index, held_out in zip(rows, holdout(groups, fraction, seed), strict=True):
                if held_out:
                    self._splits[index] = "validation"

    def split_at_random(self, seed: int, *, by_task: bool) -> None:
        """Give every example a split: about 80 % train, 10 % validation, 10 % test, in whole groups.

        Labels (and tasks) are spread evenly as far as groups allow. Where there are fewer than 10 groups, none gets a
        split, which is noted.

        Args:
            seed: decides which groups.
            by_task: divide each task on its own, so that its split does not depend on which others are loaded; only
                where no group has rows of several tasks.
        """
        parts: dict[str, list[int]] = {}
        for index, example in enumerate(self._examples):
            parts.setdefault((example.task or "") if by_task else "", []).append(index)
        for rows in parts.values():
            self._split_rows(rows, seed)

    def _split_rows(self, rows: Sequence[int], seed: int) -> None:
        examples = [self._examples[index] for index in rows]
        groups = [example.group for example in examples]
        if len(set(groups) - {None}) + groups.count(None) < _N_FOLDS:
            for index in rows:
                self.note(TOO_FEW_GROUPS, self._id(index))
            return
        strata = [(example.task, example.answer_label) for example in examples]
        names: dict[int, Split] = {0: "test", 1: "validation"}
        for index, fold in zip(rows, folds(groups, _N_FOLDS, seed, strata=strata), strict=True):
            self._splits[index] = names.get(int(fold), "train")

    def group_splits(self) -> dict[str | None, Split | None]:
        """Return the split of each group, for rows that are added after the division."""
        return {example.group: split for example, split in zip(self._examples, self._splits, strict=True)}

    def build(self) -> LoadedDataset:
        """Return the data set.

        Raises:
            InputError: no row was added.
        """
        return LoadedDataset(
            self._name, tuple(self._examples), tuple(self._splits), _told(self._dropped), _told(self._notes)
        )

    def _id(self, index: int) -> str:
        return self._examples[index].id or f"row {index + 1}"


def source_group(prefix: str, text: str) -> str:
    """Return a group name that is equal for equal source texts, whatever their white space.

    >>> source_group("qa", "In  Rome.") == source_group("qa", " In Rome.")
    True
    """
    digest = hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}-{digest[:16]}"


def _told(rows: dict[str, list[str]]) -> tuple[RowNote, ...]:
    return tuple(RowNote(reason, len(ids), tuple(ids[:N_SHOWN])) for reason, ids in rows.items())
