"""The server of `ragcortex serve`: its sockets, its end by a signal, and what it says."""

import asyncio
import contextlib
import errno
import math
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from ragcortex.cli.console import complain, say
from ragcortex.errors import EXIT_INTERRUPTED, InputError
from ragcortex.service.app import begin_stop, give_up
from ragcortex.service.settings import ServiceSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

_NOT_HERE: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
_LAST_SECONDS: Final = 1.0
_SECONDS_TO_SAY_SO: Final = 3
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server of one application that says where it listens, and ends in order when it is told to by a signal."""

    def __init__(self, app: "FastAPI", settings: ServiceSettings) -> None:
        self._app = app
        self._needs_keys = settings.needs_keys
        self._drain_seconds = settings.drain_seconds
        self._failure: Exception | None = None
        config = uvicorn.Config(
            self._without_traceback,
            access_log=False,
            host=settings.host,
            interface="asgi3",
            lifespan="on",
            log_config=None,
            port=settings.port,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(settings.drain_seconds) + _SECONDS_TO_SAY_SO,
        )
        super().__init__(config)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal comes.

        Raises:
            Exception: whatever the application raises while it starts.
        """
        try:
            super().run(sockets)
        except SystemExit:  # uvicorn's way to say that the application has not started
            if self._failure is None:
                raise
        if self._failure is not None:
            raise self._failure

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; the second interrupt ends the process at once, whatever is not finished."""
        if self.should_exit and sig == signal.SIGINT:
            complain("interrupted; what was accepted is not finished")
            os._exit(EXIT_INTERRUPTED)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where: only then is a port that was free itself known."""
        await super().startup(sockets)
        if self.started:
            addresses = [each.getsockname() for each in sockets or ()]
            shown = ", ".join(f"http://{_bracketed(host)}:{port}" for host, port, *_ in addresses)
            say(f"serving on {shown}; {'keys are needed' if self._needs_keys else 'no keys are needed'}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what was accepted, as far as that takes no longer than it may, and end."""
        begin_stop(self._app)
        giving_up = asyncio.create_task(self._give_up())
        await super().shutdown(sockets)
        giving_up.cancel()

    async def _give_up(self) -> None:
        await asyncio.sleep(self._drain_seconds)
        await give_up(self._app)

    async def _without_traceback(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the application; what it raises while it starts is kept for `run`, and is not logged as well."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_kind(message: Any) -> None:
            await send({"type": message["type"]})

        try:
            await self._app(scope, receive, send_kind)
        except Exception as error:
            self._failure = error


def listening(host: str, port: int) -> list[socket.socket]:
    """Return sockets that are bound to a host's addresses and do not listen yet; port 0 takes a free one.

    Raises:
        InputError: that is no address of this machine, or the port is in use or not allowed.
    """
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InputError("host", f"{host!r} is no address of this machine: {error.strerror}") from error
    with contextlib.ExitStack() as opened:
        bound: list[socket.socket] = []
        for family, kind, protocol, _, address in dict.fromkeys(found):
            where = (address[0], port, *address[2:])
            try:
                one = opened.enter_context(socket.socket(family, kind, protocol))
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(where)
            except OSError as error:
                if error.errno in _NOT_HERE:  # a machine without IPv6, say; another address may do
                    continue
                raise _refused(host, port, error) from error
            bound.append(one)
            port = one.getsockname()[1]
        if not bound:
            raise InputError("host", f"{host!r} is no address of this machine; give one that is, or 127.0.0.1")
        opened.pop_all()
    return bound


def end_if_busy(code: int) -> None:
    """End the process with an exit code if an answer that was given up is still being judged.

    Its thread is in the middle of native code, and would abort the process when the interpreter goes away under it.
    """
    for thread in threading.enumerate():
        if thread.daemon and thread.name.startswith("ragcortex-"):
            thread.join(_LAST_SECONDS)
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Let signals that end the server end nothing else: it sends itself again what it was sent, once it has ended."""
    before = {one: signal.signal(one, lambda *_: None) for one in _ENDING}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _refused(host: str, port: int, error: OSError) -> InputError:
    if error.errno == errno.EADDRINUSE:
        return InputError("port", f"{port} is in use on {host}; give another one, or 0 for one that is free")
    if error.errno == errno.EACCES:
        return InputError("port", f"this user may not listen on {port}; give one from 1024 on")
    return InputError("host", f"{host!r} cannot be listened on: {error.strerror}")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
