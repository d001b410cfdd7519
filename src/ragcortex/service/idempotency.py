"""Requests that their callers name, so that one sent again after a lost answer makes nothing twice.

What a request makes and the note that it is done are written in one transaction. Judging changes nothing, so a request
that was stopped in the middle left nothing behind and is simply done again; of two at the same time only one is kept,
and both get its answer. What was noted is forgotten after some days.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import delete
from sqlalchemy.orm import Session
from starlette.requests import Request

from ragcortex.errors import InputError
from ragcortex.service.storage.tables import Idempotent

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
KEPT_DAYS: Final = 7
_LONGEST: Final = 255


class AnsweredError(Exception):
    """The request was answered before, perhaps just now by another process; `response` is what was noted."""

    def __init__(self, response: dict[str, Any]) -> None:
        super().__init__("answered before")
        self.response = response


@dataclass(frozen=True, slots=True)
class Named:
    """A request with the name that its caller gave it, and what tells it from others."""

    actor: str
    key: str
    digest: str

    @classmethod
    def of(cls, request: Request, actor: str, digest: Callable[[], str]) -> "Named | None":
        """Return the name of a request, None if it has none; only with one its digest is made.

        Raises:
            InputError: the name is empty or too long.
        """
        key = request.headers.get(HEADER)
        if key is None:
            return None
        if not 0 < len(key) <= _LONGEST:
            raise InputError(HEADER, f"must have 1 to {_LONGEST} characters, got {len(key)}")
        return cls(actor, key, digest())

    def earlier(self, session: Session) -> dict[str, Any] | None:
        """Return what was answered before, None if nothing was.

        Raises:
            InputError: the name was used for another request.
        """
        found = session.get(Idempotent, (self.actor, self.key))
        if found is None:
            return None
        # Where texts of the request were deleted its digest was too, and the answer says that they are gone.
        if found.request_digest not in ("", self.digest):
            raise InputError(HEADER, f"{self.key!r} was used for another request; give each request its own")
        return found.response

    def note(self, session: Session, *, status: int, response: dict[str, Any], now: datetime.datetime) -> None:
        """Note that the request is answered, in the transaction that keeps what it made.

        Raises:
            AnsweredError: another one of the same name was first; this transaction must be given up.
        """
        earlier = self.earlier(session)
        if earlier is not None:
            raise AnsweredError(earlier)
        made = Idempotent(
            actor=self.actor,
            key=self.key,
            request_digest=self.digest,
            created_at=now,
            status=status,
            response=response,
        )
        session.add(made)
        session.flush()


def forget_noted(session: Session, before: datetime.datetime) -> None:
    """Forget the requests that were answered before a moment."""
    session.execute(delete(Idempotent).where(Idempotent.created_at < before))
