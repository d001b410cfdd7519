"""Readings on disk: one safetensors file each, keyed by everything that changes a reading; safe to interrupt."""

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragcortex.align import AnswerTokens
from ragcortex.errors import ReadingError, StoreError
from ragcortex.example import Example
from ragcortex.readers._hf import one_line
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, PassArrays, Reading, ReadingSpec

# Raised whenever the code changes what a reading contains for the same inputs.
_FORMAT: Final = "ragcortex.reading/1"
_SPECS: Final = "specs.json"


class ReadingStore:
    """A folder of readings.

    A reading is found again only if the reader's fingerprint, precision, window, prompt template, library versions and
    the example's question, references and answer are all the same, and its spec is the one asked for or covers it: many
    detectors cost one reading. `specs.json` lists the specs of the readings in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder of readings {str(folder)!r} cannot be made: {error.strerror}") from error

    def read(self, reader: Reader, examples: Sequence[Example], spec: ReadingSpec) -> Iterator[Reading]:
        """Yield one reading an example, in order; those not on disk are read, and written as soon as they are.

        Raises:
            StoreError: a file cannot be written. A file that cannot be read is read anew.
            InputError, ReadingError: as `Reader.read`.
        """
        size = reader.options.group_size
        known = self._specs()
        for start in range(0, len(examples), size):
            group = examples[start : start + size]
            paths = [self._find(reader, example, spec, known) for example in group]
            missing = {path: example for path, example in zip(paths, group, strict=True) if not path.is_file()}
            fresh = zip(missing, reader.read(missing.values(), spec), strict=True)
            read = {path: self._keep(reading, path) for path, reading in fresh}
            if read:
                self._list(spec)
            for example, path in zip(group, paths, strict=True):
                yield read[path] if path in read else self._stored(reader, example, spec, path)

    def holds(self, reader: Reader, example: Example, spec: ReadingSpec) -> bool:
        """Return whether this reading is on disk."""
        return self._find(reader, example, spec, self._specs()).is_file()

    def _find(self, reader: Reader, example: Example, spec: ReadingSpec, known: Sequence[ReadingSpec]) -> Path:
        """Return the file of this reading or of one that covers it; where there is none, the file it will have."""
        own = self._path(reader, example, spec)
        if own.is_file():
            return own
        wider = (self._path(reader, example, other) for other in known if other.covers(spec))
        return next((path for path in wider if path.is_file()), own)

    def _specs(self) -> list[ReadingSpec]:
        """Return the specs of the readings in the folder, as far as they are listed."""
        try:
            listed: list[dict[str, Any]] = json.loads((self.folder / _SPECS).read_text(encoding="utf-8"))
            return [_spec(values) for values in listed]
        except (OSError, ValueError, TypeError, AttributeError, RecursionError, ReadingError):
            return []

    def _list(self, spec: ReadingSpec) -> None:
        """Add a spec to those listed; a list that cannot be written only costs a later run some readings."""
        known = self._specs()
        if spec in known:
            return
        temporary = self.folder / f"{_SPECS}.{os.getpid()}.tmp"
        with contextlib.suppress(OSError):
            temporary.write_text(json.dumps([_fields(one) for one in (*known, spec)]), encoding="utf-8")
            temporary.replace(self.folder / _SPECS)

    def _path(self, reader: Reader, example: Example, spec: ReadingSpec) -> Path:
        key = {
            "format": _FORMAT,
            **reader.key(),
            "spec": _fields(spec),
            "question": example.question,
            "references": [reference.text for reference in example.references],
            "answer": example.answer,
        }
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.folder / digest[:2] / f"{digest}.safetensors"

    def _keep(self, reading: Reading, path: Path) -> Reading:
        from safetensors import SafetensorError
        from safetensors.numpy import save_file

        arrays: dict[str, Floats] = {}
        for index, block in enumerate(reading.blocks):
            arrays |= {f"{index}.ref.{name}": array for name, array in block.ref.arrays().items()}
            if block.window == 0:
                arrays |= {f"{index}.noref.{name}": array for name, array in block.noref.arrays().items()}
        meta = {
            "blocks": json.dumps([[b.start, b.stop, b.keep, b.window] for b in reading.blocks]),
            "ids": json.dumps(reading.tokens.ids),
            "n_windows": str(reading.n_windows),
            "n_reference_tokens": str(reading.n_reference_tokens),
        }
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(exist_ok=True)
            save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, temporary, metadata=meta)
            temporary.replace(path)
        except (OSError, SafetensorError) as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise StoreError(f"a reading cannot be written to {str(self.folder)!r}: {one_line(error)}") from error
        return reading

    def _stored(self, reader: Reader, example: Example, spec: ReadingSpec, path: Path) -> Reading:
        """Return the reading in a file; a damaged one (an interrupted disk, say) is read anew and replaced.

        A damaged reading of a wider spec is removed, not replaced: what is read anew holds less than its name says.
        """
        from safetensors import SafetensorError

        try:
            return _loaded(path, reader.tokenize(example.answer))
        except (OSError, ValueError, KeyError, TypeError, SafetensorError, ReadingError):
            own = self._path(reader, example, spec)
            if path != own:
                with contextlib.suppress(OSError):
                    path.unlink()
            return self._keep(reader.read_one(example, spec), own)


def _fields(spec: ReadingSpec) -> dict[str, Any]:
    """Return a spec's fields; measures only where there are any, as readings from before they existed are named."""
    fields = dataclasses.asdict(spec)
    if not spec.measures:
        del fields["measures"]
    return fields


def _spec(values: dict[str, Any]) -> ReadingSpec:
    as_tuples: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return ReadingSpec(**as_tuples)


def _loaded(path: Path, tokens: AnswerTokens) -> Reading:
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        meta: dict[str, str] = file.metadata()
        arrays: dict[str, Any] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if tuple(json.loads(meta["ids"])) != tokens.ids:
        raise ReadingError(f"the reading {path.name} is of other answer tokens")

    blocks: list[Block] = []
    without: dict[int, PassArrays] = {}
    for index, (start, stop, keep, window) in enumerate(json.loads(meta["blocks"])):
        if window == 0:
            without[start] = _pass(arrays, f"{index}.noref.")
        blocks.append(Block(start, stop, keep, window, _pass(arrays, f"{index}.ref."), without[start]))
    return Reading(tokens, tuple(blocks), int(meta["n_windows"]), int(meta["n_reference_tokens"]))


def _pass(arrays: dict[str, Any], prefix: str) -> PassArrays:
    named = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    return PassArrays.of_arrays(named)
