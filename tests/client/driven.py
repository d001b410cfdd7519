"""The client that does not wait, driven from tests as if it did: so both have the same tests."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ragcortex.client import AsyncClient


class Driven:
    """An AsyncClient, or a part of it, whose calls return what they give."""

    def __init__(self, driven: Any, runner: asyncio.Runner) -> None:
        self._driven = driven
        self._runner = runner

    @classmethod
    def client(cls, *args: Any, **options: Any) -> "Driven":
        """Return a driven client."""
        return cls(AsyncClient(*args, **options), asyncio.Runner())

    def __repr__(self) -> str:
        return repr(self._driven)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._driven, name)
        if name in ("checks", "corpora", "calibrations", "keys"):
            return Driven(value, self._runner)
        return self._called(value) if callable(value) else value

    def __enter__(self) -> "Driven":
        if hasattr(self._driven, "__aenter__"):
            self._run(self._driven.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        self._run(self._driven.__aexit__(*error))

    def __iter__(self) -> Iterator[Any]:
        return self._items(aiter(self._driven))

    def close(self) -> None:
        """Close the client and its event loop."""
        self._run(self._driven.aclose())
        self._runner.close()

    def _called(self, method: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            if inspect.isawaitable(result):
                return self._run(result)
            if hasattr(result, "__aenter__"):
                return Driven(result, self._runner)
            return self._items(result) if hasattr(result, "__anext__") else result

        return call

    def _items(self, items: AsyncIterator[Any]) -> Iterator[Any]:
        while True:
            try:
                yield self._run(anext(items))
            except StopAsyncIteration:
                return

    def _run(self, awaitable: Any) -> Any:
        async def waited() -> Any:
            return await awaitable

        return self._runner.run(waited())
