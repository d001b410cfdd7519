"""Files of a results folder: written whole or not at all."""

import json
from pathlib import Path

from ragcortex.checks import no_number
from ragcortex.errors import StoreError
from ragcortex.whole_files import write_whole


def write_json(path: Path, values: object) -> Path:
    """Write JSON values, indented, whole or not at all; the same values give the same bytes.

    Raises:
        StoreError: the file cannot be written.
    """
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, indent=1)
    return write_file(path, (text + "\n").encode())


def write_file(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all, its folder too where it is missing.

    Raises:
        StoreError: the file cannot be written.
    """
    failure, advice = f"{str(path)!r} cannot be written", "; give a results folder with room"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{failure}: {error.strerror or error}{advice}") from error
    return write_whole(path, content, failure, advice)


def read_json(path: Path) -> object:
    """Return the JSON values of a file.

    Raises:
        StoreError: it is not there, cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_bytes().decode(), parse_constant=no_number)
    except FileNotFoundError:
        raise StoreError(f"{path}: is not there; give the results folder of a finished benchmark run") from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: cannot be read as JSON ({error}); run the benchmark again") from error
