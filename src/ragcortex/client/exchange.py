"""When a request is sent again, and what a refusal is to the caller; nothing here sends or waits."""

import json
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from ragcortex.checks import check_position
from ragcortex.client.call import Answer, Call
from ragcortex.client.errors import ClientError
from ragcortex.errors import InputError

_BUSY: Final = (429, 503)
# The request cannot have arrived: there was no connection yet.
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_GONE: Final = 404
_LONGEST_DETAIL: Final = 500


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently requests are sent again.

    Attributes:
        n: how often at most, beside the first time; 0 never.
        first_wait: seconds before the first time where the service names none; doubled each time.
        longest_wait: seconds, the most that is waited; a service that asks for more is not waited for.
    """

    n: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def __post_init__(self) -> None:
        check_position("retries.n", self.n)
        for name in ("first_wait", "longest_wait"):
            if not getattr(self, name) >= 0:
                raise InputError(f"retries.{name}", f"must be seconds from 0 on, got {getattr(self, name)!r}")

    def wait(self, n_failed: int) -> float:
        """Return how long to wait after so many failures; a part is chance, so that callers spread out."""
        bound: float = min(self.longest_wait, self.first_wait * 2 ** (n_failed - 1))
        return bound * random.uniform(0.5, 1.0)


class Exchange:
    """One call until it is answered for good."""

    def __init__(self, call: Call[Any], retries: Retries, address: str) -> None:
        self._call = call
        self._retries = retries
        self._address = address
        self._n_failed = 0
        self._may_have_arrived = False

    def after_failure(self, error: httpx.RequestError) -> float:
        """Return how many seconds to wait before the request is sent again, as no answer came.

        Raises:
            ClientError: it is not sent again.
        """
        self._n_failed += 1
        sent = not isinstance(error, _NOT_SENT)
        if self._n_failed > self._retries.n or (sent and not self._call.repeatable):
            tries = f" after {self._n_failed} tries" if self._n_failed > 1 else ""
            if isinstance(error, httpx.TimeoutException):
                detail = f"did not answer in time{tries}; give the client a longer timeout, or send less"
                raise ClientError("No answer in time", f"{self._address} {detail}") from error
            detail = f"cannot be reached{tries} ({type(error).__name__}); check its address and that it runs"
            raise ClientError("No connection", f"{self._address} {detail}") from error
        self._may_have_arrived |= sent
        return self._retries.wait(self._n_failed)

    def is_good(self, status: int) -> bool:
        """Return whether an answer is what the call asked for."""
        gone = status == _GONE and self._call.gone_is_done and self._may_have_arrived
        return 200 <= status < 300 or status in self._call.good or gone

    def after_refusal(self, answer: Answer) -> float:
        """Return how many seconds to wait before the request is sent again, as it was refused.

        Raises:
            ClientError: it is not sent again.
        """
        self._n_failed += 1
        wait = _retry_after(answer.headers.get("retry-after")) if answer.status in _BUSY else None
        if wait is None or self._n_failed > self._retries.n or wait > self._retries.longest_wait:
            raise error_of(answer)
        return wait


def error_of(answer: Answer) -> ClientError:
    """Return the error that a refusal is: the problem in its body, or what little is known without one."""
    try:
        values = json.loads(answer.body)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        values = {}
    text = answer.body.decode("utf-8", errors="replace").strip()
    title, detail, field, request_id = (
        value if isinstance(value := values.get(name), str) else None
        for name in ("title", "detail", "field", "request_id")
    )
    return ClientError(
        title or httpx.codes.get_reason_phrase(answer.status) or "Error",
        detail or text[:_LONGEST_DETAIL] or "no reason given",
        status=answer.status,
        field=field,
        request_id=request_id or answer.headers.get("x-request-id"),
    )


def _retry_after(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, None if there is none that can be read."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
