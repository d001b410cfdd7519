"""What requests and responses about keys hold."""

import datetime

from pydantic import Field

from ragcortex.service.keys import SCOPES
from ragcortex.service.schema_parts import Moment, StrictModel


class KeyIn(StrictModel):
    """A key to be made."""

    name: str = Field(min_length=1, max_length=200)
    scopes: list[str] = Field(min_length=1, json_schema_extra={"items": {"type": "string", "enum": list(SCOPES)}})
    rate_per_minute: int | None = Field(default=None, ge=1)
    expires_at: Moment | None = None


class KeyOut(StrictModel):
    """A key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    rate_per_minute: int | None
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    revoked_at: datetime.datetime | None
    replaced_by: str | None


class NewKey(KeyOut):
    """A key with its secret, which is shown this once."""

    secret: str
