"""Freed memory goes back to the operating system."""

import sys
from pathlib import Path

import pytest

from ragcortex.readers.memory import return_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_freed_memory_is_returned() -> None:
    blocks = [bytearray(64_000) for _ in range(4000)]  # 256 MB in pieces that the C library keeps on its heap
    held = blocks[::400]
    before = _resident()
    del blocks
    return_freed_memory()
    assert _resident() < before - 200_000_000
    assert len(held) == 10


def test_it_may_be_called_at_any_time() -> None:
    return_freed_memory()
    return_freed_memory()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
