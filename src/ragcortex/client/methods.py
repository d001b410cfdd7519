"""Descriptions of calls → methods of a client, with the description's own parameters and docstring.

So a call is described once, and the client that waits and the one that does not differ only in how they send it.
"""

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

from ragcortex.client.call import Call

P = ParamSpec("P")
T = TypeVar("T")
Description = TypeVar("Description")


def sends(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], T]:
    """Return a method that sends the call which `build` describes."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = self._send(build(*args, **kwargs))
        return result

    return _described(method, build)


def sends_async(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Return a coroutine method that sends the call which `build` describes."""

    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await self._send(build(*args, **kwargs))
        return result

    return _described(method, build)


def begins(build: Callable[P, Description], begin: Callable[[Any, Description], T]) -> Callable[Concatenate[Any, P], T]:
    """Return a method that does with what `build` describes what `begin` says."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return begin(self, build(*args, **kwargs))

    return _described(method, build)


def exports(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], Iterator[T]]:
    """Return a method that yields what the lines of an answer hold."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        lines: Iterator[T] = self._export(build(*args, **kwargs))
        return lines

    return _described(method, build)


def exports_async(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], AsyncIterator[T]]:
    """Return a method that yields what the lines of an answer hold, for `async for`."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        lines: AsyncIterator[T] = self._export(build(*args, **kwargs))
        return lines

    return _described(method, build)


Method = TypeVar("Method", bound=Callable[..., Any])


def _described(method: Method, build: Callable[..., Any]) -> Method:
    """Give a method the name, docstring and parameters of what it sends, for `help` and editors."""
    functools.update_wrapper(method, build)
    signature = inspect.signature(build)
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    described = signature.replace(
        parameters=[self, *signature.parameters.values()], return_annotation=inspect.Signature.empty
    )
    method.__signature__ = described  # type: ignore[attr-defined]
    return method
