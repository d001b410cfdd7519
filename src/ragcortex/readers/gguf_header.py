"""The header of a GGUF file, read before the library follows it: what it says must be in the file.

The library takes the header's word: a list said to have 2⁶⁰ items is read until the memory is full, though the file
ends before. Source of the format: ggml's docs/gguf.md, versions 2 and 3.
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError
from ragcortex.plain_files import open_plain

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
# Bytes of a value by its type; 8 is a string, 9 a list.
_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_WHOLE: Final = 4
_STRING: Final = 8
_LIST: Final = 9
# The library makes an object of each; vocabularies of 260,000 words with their merges have 1.3 million.
_MOST_ITEMS: Final = 5_000_000
_MOST_ENTRIES: Final = 100_000
_MOST_DIMENSIONS: Final = 4
_ALIGNMENT: Final = 32  # of the tensors' bytes, where the header names no other


@dataclass(frozen=True, slots=True)
class GgufContents:
    """How much a GGUF file holds: tensors, and numbers in all of them together."""

    n_tensors: int
    n_weights: int


def gguf_contents(path: Path) -> GgufContents:
    """Return how much a GGUF file holds, after a look at every length in its header.

    Raises:
        ModelError: it is no GGUF file of a version read here, or says that it holds more than it does.
    """
    try:
        with open_plain(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _Header(content).contents()
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise ModelError(f"it cannot be opened: {error}") from error


class _Header:
    """Walks through a header once; every step stays within the file."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._place = 0
        self._order = "<"
        self._n_items = 0

    def contents(self) -> GgufContents:
        if self._bytes(4) != _MAGIC:
            raise ModelError("it does not begin with GGUF")
        version = self._number("I")
        if version & 0xFFFF == 0:  # written on a machine with the other order of bytes
            self._order = ">"
            version = int.from_bytes(version.to_bytes(4, "little"), "big")
        if version not in _VERSIONS:
            raise ModelError(f"it has version {version}; versions {_VERSIONS[0]} and {_VERSIONS[1]} are read")
        n_tensors, n_values = self._number("Q"), self._number("Q")
        if max(n_tensors, n_values) > _MOST_ENTRIES:
            raise ModelError(f"its header says {n_tensors:,} tensors and {n_values:,} values; it is damaged")
        alignment = _ALIGNMENT
        for _ in range(n_values):
            name, kind = self._bytes(self._number("Q")), self._number("I")
            if name == b"general.alignment" and kind == _WHOLE:
                alignment = self._number("I")
            else:
                self._skip_value(kind)
        tensors = [self._tensor() for _ in range(n_tensors)]
        # One of 0 is refused by the library.
        left = len(self._content) - self._place - -self._place % max(1, alignment)
        for _, end in tensors:
            if end > left:
                raise ModelError(
                    f"its header says {end:,} bytes of tensors, {max(0, left):,} are there; it was cut off"
                )
        return GgufContents(n_tensors, sum(n_weights for n_weights, _ in tensors))

    def _tensor(self) -> tuple[int, int]:
        """Return how many numbers the next tensor has, and where its bytes end after the header."""
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        self._skip_string()
        n_dimensions = self._number("I")
        if n_dimensions > _MOST_DIMENSIONS:
            raise ModelError(f"its header says a tensor of {n_dimensions:,} dimensions; it is damaged")
        n_weights = math.prod(self._number("Q") for _ in range(n_dimensions))
        kind, offset = self._number("I"), self._number("Q")
        try:
            n_block, n_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
        except (KeyError, ValueError):
            raise ModelError(f"its header says a tensor of the unknown type {kind}") from None
        return n_weights, offset + n_weights * n_bytes // n_block

    def _skip_value(self, kind: int) -> None:
        if kind == _STRING:
            self._skip_string()
        elif kind == _LIST:
            self._skip_list()
        else:
            self._skip(self._size(kind))

    def _skip_list(self) -> None:
        kind, n = self._number("I"), self._number("Q")
        self._n_items += n
        if self._n_items > _MOST_ITEMS:
            raise ModelError(f"its header says lists of {self._n_items:,} items; at most {_MOST_ITEMS:,} are read")
        if kind == _STRING:
            for _ in range(n):
                self._skip_string()
        elif kind == _LIST:
            raise ModelError("its header says a list of lists, which no model has")
        else:
            self._skip(n * self._size(kind))

    def _size(self, kind: int) -> int:
        if kind not in _SIZES:
            raise ModelError(f"its header says a value of the unknown type {kind}")
        return _SIZES[kind]

    def _skip_string(self) -> None:
        self._skip(self._number("Q"))

    def _number(self, form: str) -> int:
        n_bytes = struct.calcsize(f"{self._order}{form}")
        number: int = struct.unpack(f"{self._order}{form}", self._bytes(n_bytes))[0]
        return number

    def _bytes(self, n: int) -> bytes:
        start = self._place
        self._skip(n)
        return self._content[start : self._place]

    def _skip(self, n: int) -> None:
        if n > len(self._content) - self._place:
            raise ModelError(f"its header ends after {len(self._content):,} bytes, in the middle; it was cut off")
        self._place += n
