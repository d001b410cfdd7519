"""How much memory a block takes at its peak, beyond what was held when it began."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_SECONDS: Final = 0.002


@dataclass(slots=True)
class Peak:
    """The result; `megabytes` is None until the block has ended, and where the system does not tell."""

    megabytes: float | None = None


@contextlib.contextmanager
def peak_memory(device: str) -> Iterator[Peak]:
    """Watch the block: on CUDA what torch allocates, exactly; elsewhere the process's resident memory, every 2 ms."""
    peak = Peak()
    if device.startswith("cuda"):
        import torch

        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        yield peak
        peak.megabytes = (torch.cuda.max_memory_allocated() - before) / 1e6
        return
    start = _resident()
    if start is None:
        yield peak
        return
    seen = [start]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_SECONDS):
            seen.append(_resident() or 0)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()
    peak.megabytes = (max(*seen, _resident() or 0) - start) / 1e6


def _resident() -> int | None:
    """Return the process's resident memory in bytes; None where the system has no /proc."""
    import os

    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
