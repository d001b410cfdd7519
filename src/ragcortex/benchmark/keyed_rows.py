"""Costly results on disk: one JSON object a line with its key, appended as soon as it is there; safe to interrupt."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ragcortex.errors import StoreError

_KEY: Final = "key"


def key_of(values: Mapping[str, Any]) -> str:
    """Return one SHA-256 over JSON values, the same whatever the order of the names."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class KeyedRows:
    """A file of rows by key. A key written twice has its last row; the line an interruption cut short is dropped.

    Args:
        path: a `.jsonl` file; it and its folder are made when the first row is added.

    Raises:
        StoreError: the file cannot be read, or a line of it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, dict[str, Any]] = {}
        self._load()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the row of a key, None if there is none."""
        return self._rows.get(key)

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Keep a row of JSON values.

        Raises:
            StoreError: the file cannot be written.
        """
        line = json.dumps({_KEY: key, **row}, ensure_ascii=False) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line.encode())
        except OSError as error:
            raise StoreError(f"{str(self.path)!r} cannot be written: {error.strerror}") from error
        self._rows[key] = dict(row)

    def _load(self) -> None:
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) < len(content):
                with self.path.open("r+b") as file:
                    file.truncate(len(whole))
        except OSError as error:
            raise StoreError(f"{str(self.path)!r} cannot be read: {error.strerror}") from error
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row = json.loads(line)
                key = row.pop(_KEY)
            except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
                raise StoreError(
                    f"line {number} of {str(self.path)!r} is damaged; delete that line, and it is made anew"
                ) from None
            self._rows[key] = row
