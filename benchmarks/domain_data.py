"""The annotated data sets that docs/results/domains.md measures on, each a seeded sample that two cores can read.

All lie in one folder in the schema of `ragcortex.datasets.jsonl`. Nothing of RAGTruth, CLIFF and Goyal, PolyTope,
XSumFaith, QAGS, UHGEval and Mu-SHROOM is in the training mixture; of SummEdits, WiCE and HaluEval there is some, so
that heads measured on one of these are fitted without it (`without`).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ragcortex.datasets.jsonl import read_objects
from ragcortex.datasets.training_mix import halueval_pairs, summedits, wice_supported, wice_tokens
from ragcortex.example import Example, Reference, Span

Rows = Sequence[Mapping[str, Any]]
MOST_PAGE_WORDS: Final = 1_000
# The files that hold a data set of the training mixture.
FILES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "summedits": ("summedits",),
    "wice": ("wice_tokens", "wice_claims"),
    "halueval": ("halueval_qa_sample",),
}


@dataclass(frozen=True)
class Domain:
    """One data set to measure on.

    Attributes:
        title: its name in tables.
        examples: its sample, answers of a source next to each other.
        levels: the levels its labels are for: `token`, `answer` or both.
        pairs: whether examples come in pairs of a wrong and a right answer of one length.
        source: the part of the training mixture that is left out where this set is measured; None where the mixture
            holds nothing of it.
    """

    title: str
    examples: list[Example]
    levels: tuple[str, ...]
    pairs: bool = False
    source: str | None = None


def domains(folder: Path) -> dict[str, Callable[[], Domain]]:
    """Return what loads each data set, by its short name, in the order in which tables show them."""
    return {
        "ragtruth": lambda: Domain("RAGTruth QA", _spans(folder, "ragtruth_qa_test", 150), ("token", "answer")),
        "summedits": lambda: _summedits(folder),
        "wice": lambda: _wice(folder),
        "halueval": lambda: _halueval(folder),
        "cliff": lambda: Domain("CLIFF and Goyal, summaries", _spans(folder, "cliff_goyal", 441), ("token", "answer")),
        "polytope": lambda: Domain("PolyTope, summaries", _spans(folder, "polytope", 203), ("token", "answer")),
        "xsumfaith": lambda: Domain("XSumFaith, summaries", _spans(folder, "xsumfaith_errors", 200), ("token",)),
        "qags": lambda: Domain("QAGS, summaries (sentences)", _spans(folder, "qags", 474), ("token", "answer")),
        "uhgeval": lambda: Domain("UHGEval, Chinese news", _spans(folder, "uhgeval_zh_sample", 100), ("token",)),
        **{
            f"mushroom-{language}": lambda language=language: _mushroom(folder, language)  # type: ignore[misc]
            for language in ("de", "es", "fr", "it", "sv", "fi", "hi")
        },
    }


def without(mixture: Sequence[Example], folder: Path, source: str) -> list[Example]:
    """Return the training mixture without the rows of a data set and what was made up from its texts."""
    groups = {row["group"] for name in FILES_OF[source] for row in _rows(folder, name)}
    return [example for example in mixture if example.group not in groups]


def _rows(folder: Path, name: str) -> list[Mapping[str, Any]]:
    return list(read_objects(folder / f"{name}.jsonl"))


def _drawn(rows: Rows, n_groups: int) -> list[Mapping[str, Any]]:
    """Return the rows of that many groups, those of a group together."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    names = list(groups)
    random.Random("ragcortex domains").shuffle(names)
    return [row for name in names[:n_groups] for row in groups[name]]


def _spans(folder: Path, name: str, n_groups: int) -> list[Example]:
    """Return rows with placed spans as examples; blank answers and rows with spans that have no place are left out."""
    usable = [row for row in _rows(folder, name) if row["answer"].strip() and not row.get("unlocated")]
    return [_example(row) for row in _drawn(usable, n_groups)]


def _example(row: Mapping[str, Any]) -> Example:
    spans = sorted({(span["start"], span["end"]) for span in row["spans"]})
    return Example(
        question=row["question"],
        references=(Reference(row["context"]),),
        answer=row["answer"],
        id=row["id"],
        spans=tuple(Span(start, end) for start, end in spans),
        label=row["label"],
        group=row["group"],
        generator=row["model"],
        task=row["task"],
    )


def _mushroom(folder: Path, language: str) -> Domain:
    rows = [row for row in _rows(folder, "mushroom_gold_page") if row["lang"] == language and row["answer"].strip()]
    short = [row for row in rows if len(row["context"].split()) <= MOST_PAGE_WORDS and row["context"].strip()]
    title = f"Mu-SHROOM, {language}, pages of up to {MOST_PAGE_WORDS:,} words"
    return Domain(title, [_example(row) for row in _drawn(short, 30)], ("token",))


def _summedits(folder: Path) -> Domain:
    units = summedits(_rows(folder, "summedits"))
    random.Random("ragcortex domains").shuffle(units)
    examples = sorted((unit[0] for unit in units[:800]), key=lambda example: str(example.group))
    return Domain("SummEdits", examples, ("token", "answer"), source="summedits")


def _wice(folder: Path) -> Domain:
    units = [*wice_tokens(_rows(folder, "wice_tokens")), *wice_supported(_rows(folder, "wice_claims"))]
    examples = sorted((unit[0] for unit in units), key=lambda example: str(example.group))
    return Domain("WiCE, articles of up to 700 words", examples, ("token", "answer"), source="wice")


def _halueval(folder: Path) -> Domain:
    pairs = halueval_pairs(_rows(folder, "halueval_qa_sample"))
    random.Random("ragcortex domains").shuffle(pairs)
    examples = [replace(example, spans=None) for pair in pairs for example in pair]
    return Domain("HaluEval QA, pairs of one length", examples, ("answer",), pairs=True, source="halueval")
