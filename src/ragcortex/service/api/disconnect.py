"""Work that is given up when its caller goes away."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from ragcortex.service.problems import CLIENT_CLOSED, RefusedError

Result = TypeVar("Result")


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Return what the work gives; it is cancelled if the client disconnects meanwhile.

    Raises:
        RefusedError: 499, the client is gone, so that nobody reads this.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)  # whatever it still raised, nobody is there to be told
        raise RefusedError(CLIENT_CLOSED, "the client closed the connection")
    finally:
        for one in (task, gone):
            one.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
