"""Calls in forks of this process: begun, held up, and killed at a moment or at a step of their work."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragcortex.cli.__main__ import run
from ragcortex.errors import RagcortexError

_PATIENCE = 120


def begun(call: Callable[[], object], log: Path) -> int:
    """Return the process that makes a call, whose messages go to a file; its exit code is what the call returns."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    with log.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    code = 99
    try:
        result = call()
        code = result if isinstance(result, int) else 0
    except RagcortexError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        code = 9
    finally:
        sys.stderr.flush()
        os._exit(code)


def ended(pid: int) -> int:
    """Return the exit code of a process, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed(call: Callable[[], object], when: Callable[[], bool], log: Path) -> bool:
    """Kill a call's process at a moment; return whether it was still running."""
    pid = begun(call, log)
    deadline = time.monotonic() + _PATIENCE
    while not when() and time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return False
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    return ended(pid) == -signal.SIGKILL


def command(*arguments: object) -> Callable[[], int]:
    """Return a call of a command."""
    return lambda: run([str(argument) for argument in arguments])


def killed_at_step(number: int, call: Callable[[], object], log: Path) -> bool:
    """Let a call's process kill itself instead of its so-many-th renaming; return whether it got that far."""

    def counting(own: Callable[..., Any]) -> Callable[..., Any]:
        def one(*arguments: Any, **options: Any) -> Any:
            nonlocal number
            number -= 1
            if number == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return own(*arguments, **options)

        return one

    def dying() -> object:
        for name in ("replace", "rename"):
            setattr(os, name, counting(getattr(os, name)))
        return call()

    code = ended(begun(dying, log))
    assert code in (0, -signal.SIGKILL), log.read_text()
    return code != 0


def stopped(call: Callable[[], object], when: Callable[[], bool], log: Path) -> int:
    """Return the process of a call that is held up at a moment, until `SIGCONT`."""
    pid = begun(call, log)
    while not when():
        time.sleep(0.001)
    os.kill(pid, signal.SIGSTOP)
    return pid
