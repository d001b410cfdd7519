"""A data set as its loader hands it over: examples, their splits, and what of the official files was left out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from ragcortex.align import strip_range
from ragcortex.checks import check_known, check_parts, check_text
from ragcortex.errors import InputError
from ragcortex.example import Example, Span

Split = Literal["train", "validation", "test"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)
# How many identifiers a note shows.
N_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class RowNote:
    """What happened to some rows of the official files.

    Attributes:
        reason: what, as a phrase.
        n: how many rows.
        ids: the first few of them, at most `N_SHOWN`.
    """

    reason: str
    n: int
    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        check_text("reason", self.reason, filled=True)
        if not isinstance(self.n, int) or isinstance(self.n, bool) or self.n < 1:
            raise InputError("n", f"must be a whole number of rows from 1 on, got {self.n!r}")
        if len(self.ids) > min(self.n, N_SHOWN):
            raise InputError("ids", f"must be the first {min(self.n, N_SHOWN)} at most, got {len(self.ids)}")


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """How much of a data set lies in one split (or in none, where `split` is None)."""

    split: Split | None
    n_answers: int
    n_hallucinated: int
    n_unlabelled: int
    n_spans: int
    n_groups: int

    @property
    def hallucinated_share(self) -> float | None:
        """The hallucinated share of the labelled answers, None where none is labelled."""
        labelled = self.n_answers - self.n_unlabelled
        return self.n_hallucinated / labelled if labelled else None


@dataclass(frozen=True, slots=True)
class LoadedDataset:
    """Examples of one data set, in the order of its files.

    Attributes:
        name: the data set's name in the catalogue.
        examples: the examples; no answer is blank, and no identifier occurs twice.
        splits: the split of each example, None where it has none.
        dropped: rows of the files that are no example here, by reason.
        notes: rows that are an example here, although not all that the files say of them could be used, by reason.

    Raises:
        InputError: there is no example, or one of the promises above is broken.
    """

    name: str
    examples: tuple[Example, ...]
    splits: tuple[Split | None, ...]
    dropped: tuple[RowNote, ...] = ()
    notes: tuple[RowNote, ...] = ()

    def __post_init__(self) -> None:
        check_text("name", self.name, filled=True)
        check_parts("examples", self.examples, Example)
        check_parts("dropped", self.dropped, RowNote)
        check_parts("notes", self.notes, RowNote)
        if not self.examples:
            raise InputError("examples", self._nothing_left())
        if len(self.splits) != len(self.examples):
            raise InputError("splits", f"must be one an example, expected {len(self.examples)}, got {len(self.splits)}")
        for split in set(self.splits) - {None}:
            check_known("splits", split, SPLITS)
        for index, example in enumerate(self.examples):
            if not example.answer.strip():
                raise InputError(f"examples[{index}].answer", "must not be blank")
        repeated = [key for key, n in Counter(e.id for e in self.examples if e.id is not None).items() if n > 1]
        if repeated:
            raise InputError("examples", f"must have different ids, {repeated[0]!r} occurs more than once")

    def _nothing_left(self) -> str:
        dropped = ", ".join(f"{note.n:,} {note.reason}" for note in self.dropped)
        return (
            f"of {self.name} are none: {f'all rows were dropped ({dropped})' if dropped else 'its files hold no row'}"
        )

    def of_split(self, split: Split | None) -> tuple[Example, ...]:
        """Return the examples of one split, or those without one."""
        return tuple(e for e, own in zip(self.examples, self.splits, strict=True) if own == split)

    @property
    def n_dropped(self) -> int:
        """How many rows of the files are no example here."""
        return sum(note.n for note in self.dropped)

    def counts(self) -> tuple[SplitCounts, ...]:
        """Return the size of each split that has examples: train, validation, test, and then those without one."""
        return tuple(_counted(split, self.of_split(split)) for split in (*SPLITS, None) if split in self.splits)

    def shared_groups(self) -> tuple[str, ...]:
        """Return the groups that have rows in more than one split, sorted; no split made here has any."""
        seen: dict[str, set[Split | None]] = {}
        for example, split in zip(self.examples, self.splits, strict=True):
            if example.group is not None:
                seen.setdefault(example.group, set()).add(split)
        return tuple(sorted(group for group, splits in seen.items() if len(splits) > 1))

    def with_answer_spans(self) -> "LoadedDataset":
        """Return the data with the label of the answer spread over its tokens where no spans are known.

        A hallucinated answer without known spans gets one span over all of it but its outer white space, of type
        "whole answer"; this is how answer-level data are used to train and measure at the level of tokens.
        """
        return replace(self, examples=tuple(_spread(example) for example in self.examples))


def _counted(split: Split | None, examples: Sequence[Example]) -> SplitCounts:
    labels = [example.answer_label for example in examples]
    return SplitCounts(
        split=split,
        n_answers=len(examples),
        n_hallucinated=labels.count(1),
        n_unlabelled=labels.count(None),
        n_spans=sum(len(example.known_spans or ()) for example in examples),
        n_groups=len({example.group for example in examples} - {None}) + sum(e.group is None for e in examples),
    )


def _spread(example: Example) -> Example:
    if example.answer_label != 1 or example.known_spans is not None:
        return example
    whole = strip_range(example.answer, 0, len(example.answer))
    return replace(example, spans=(Span(*whole, type="whole answer"),)) if whole is not None else example
