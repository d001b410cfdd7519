"""What the models of requests and responses have in common."""

import datetime
import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, field_validator
from pydantic_core import PydanticCustomError

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _written(value: Any) -> Any:
    """Refuse what is no written date: a bare number would be taken for seconds since 1970."""
    if isinstance(value, str) and _DATE.match(value):
        return value
    raise PydanticCustomError("moment", "must be a moment as 2026-01-31T09:30:00Z")


def _within_reach(moment: datetime.datetime) -> datetime.datetime:
    """Return a moment in UTC if it has a time zone; UTC has no year 0 and no year 10,000."""
    try:
        return moment if moment.tzinfo is None else moment.astimezone(datetime.UTC)
    except OverflowError:
        raise PydanticCustomError("moment", "must lie in the years from 1 to 9999 of UTC") from None


Moment = Annotated[datetime.datetime, BeforeValidator(_written), AfterValidator(_within_reach)]


class StrictModel(BaseModel):
    """A model without other fields than its own, whose texts any database and any encoding can hold."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            if "\0" in value:
                raise PydanticCustomError("null_character", "must not hold a null character")
            try:
                value.encode()
            except UnicodeEncodeError:
                raise PydanticCustomError("surrogate", "must not hold half a character (a lone surrogate)") from None
        return value
