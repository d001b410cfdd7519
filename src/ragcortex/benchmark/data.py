"""The labelled answers of a run: from official files or our own rows, kept and counted as the configuration says."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.config import DataConfig
from ragcortex.checks import nearest_hint
from ragcortex.datasets.catalogue import card, load_dataset
from ragcortex.datasets.jsonl import to_row
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.splits import group_indices

OWN_ROWS = "jsonl"


@dataclass(frozen=True, slots=True)
class BenchmarkData:
    """The answers of a run.

    Attributes:
        name: the data set, as the catalogue names it.
        title: the data set, as a table prints it.
        examples: each with a label, references and an answer that is not blank.
        splits: the official part of each, None where there is none.
        dropped: what was left out: reason and number.
        digest: SHA-256 over everything a score depends on.
    """

    name: str
    title: str
    examples: tuple[Example, ...] = field(repr=False)
    splits: tuple[str | None, ...] = field(repr=False)
    dropped: tuple[tuple[str, int], ...]
    digest: str


def read_data(config: DataConfig, path: str | None, seed: int) -> BenchmarkData:
    """Return the answers a configuration asks for.

    Args:
        config: what to read and to keep.
        path: where the official files are; None takes the configuration's. Not looked at where the configuration names
            a file of our own rows.
        seed: decides which sources are drawn where only some are kept.

    Raises:
        InputError: there is no path, the files are not as they should be, or nothing is left.
    """
    where = config.rows or path or config.path
    if where is None:
        raise InputError("data", f"is missing: give the path of {config.name} with --data, or of its rows with --rows")
    loaded = _loaded(config, Path(where))
    if config.spread:
        loaded = loaded.with_answer_spans()
    examples: tuple[Example, ...] = loaded.examples
    splits: tuple[str | None, ...] = loaded.splits
    dropped = [(one.reason, one.n) for one in loaded.dropped]
    kept = np.ones(len(examples), dtype=bool)
    if config.splits and config.rows is None:
        wanted = np.array([split in config.splits for split in splits])
        dropped += [("of another part", int((~wanted).sum()))] if not wanted.all() else []
        kept &= wanted
    for reason, keep in _rules(config, examples):
        wanted = np.array([keep(example) for example in examples])
        if (kept & ~wanted).any():
            dropped.append((reason, int((kept & ~wanted).sum())))
        kept &= wanted
    if config.n_sources is not None:
        few = _drawn(examples, kept, config.n_sources, seed)
        dropped.append((f"not among the {config.n_sources} sources drawn", int((kept & ~few).sum())))
        kept &= few
    chosen = np.flatnonzero(kept).tolist()
    if not chosen:
        raise InputError("data", f"{where} holds no answer that the configuration keeps")
    examples, splits = tuple(examples[index] for index in chosen), tuple(splits[index] for index in chosen)
    return BenchmarkData(config.name, _title(config), examples, splits, tuple(dropped), digest(examples))


def _title(config: DataConfig) -> str:
    return "own rows" if config.name == OWN_ROWS else card(config.name).title


def _loaded(config: DataConfig, path: Path) -> LoadedDataset:
    """Return the answers of our own rows, or of the official files."""
    if config.rows is not None:
        return load_dataset(OWN_ROWS, path)
    return load_dataset(config.name, path, **dict(config.options))


def _rules(config: DataConfig, examples: Sequence[Example]) -> list[tuple[str, Callable[[Example], bool]]]:
    """Return what an answer must be to be kept, each with the reason why others are left out."""
    rules: list[tuple[str, Callable[[Example], bool]]] = [
        ("without a label", lambda example: example.answer_label is not None),
        ("with a blank answer", lambda example: bool(example.answer.strip())),
        ("without references", lambda example: any(one.text.strip() for one in example.references)),
    ]
    for name, wanted in (("generator", config.generators), ("task", config.tasks)):
        if wanted:
            _check_present(name, wanted, {getattr(example, name) for example in examples})
            rules.append((f"of another {name}", partial(_is_of, name, wanted)))
    return rules


def _is_of(name: str, wanted: Sequence[str], example: Example) -> bool:
    return getattr(example, name) in wanted


def _check_present(name: str, wanted: Sequence[str], present: set[str | None]) -> None:
    for value in wanted:
        if value not in present:
            known = sorted(one for one in present if one is not None)
            raise InputError(f"data.{name}s", f"no answer is of {name} {value!r}; {nearest_hint(value, known)}")


def _drawn(
    examples: Sequence[Example], kept: npt.NDArray[np.bool_], n_sources: int, seed: int
) -> npt.NDArray[np.bool_]:
    """Return which answers belong to some sources, drawn among those of the kept answers."""
    groups = group_indices([example.group for example in examples])
    present = np.unique(groups[kept])
    drawn = np.random.default_rng(seed).permutation(present)[:n_sources]
    return np.isin(groups, drawn)


def digest(examples: Sequence[Example]) -> str:
    """Return the SHA-256 over everything of these answers that a score or a figure depends on."""
    sha = hashlib.sha256()
    for example in examples:
        sha.update(json.dumps(to_row(example), sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return sha.hexdigest()
