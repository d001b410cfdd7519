"""What a method made at some cost, kept in a file named by everything that decides it, so that a rerun is free."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.method import Workbench
from ragcortex.benchmark.results.files import write_file

Arrays = dict[str, npt.NDArray[Any]]


def kept_arrays(
    path: Path, key: Mapping[str, Any], make: Callable[[], Arrays], *, report: Callable[[str], None]
) -> Arrays:
    """Return the arrays in a file, or make them and write the file.

    Args:
        path: where, without its ending; a digest of the key is appended, so that another key is another file.
        key: everything that decides the arrays, as JSON values.
        make: makes them.
        report: told when a file cannot be read and its arrays are made anew.

    Raises:
        StoreError: the file cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file, save

    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    path = path.with_name(f"{path.name}-{digest[:16]}.safetensors")
    if path.is_file():
        try:
            loaded: Arrays = load_file(path)
            return loaded
        except (OSError, ValueError, SafetensorError) as error:
            report(f"{path.name} cannot be read ({type(error).__name__}), so it is made anew")
    arrays = make()
    write_file(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
    return arrays


def reading_key(bench: Workbench, indices: Sequence[int]) -> dict[str, Any]:
    """Return what decides the readings of these answers, as JSON values: the reader, how it reads, and the answers."""
    answers = hashlib.sha256()
    for index in indices:
        example = bench.examples[index]
        texts = [example.question, [reference.text for reference in example.references], example.answer]
        answers.update(json.dumps(texts).encode())
    return {**bench.reader.key(), "answers": answers.hexdigest()}
