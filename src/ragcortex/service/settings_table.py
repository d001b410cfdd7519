"""The table of all settings in docs/service.md, made of the settings themselves.

`python -m ragcortex.service.settings_table docs/service.md` writes it there anew; a test compares the two.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from ragcortex.service.settings import PREFIX, ServiceSettings

BEGIN: Final = "<!-- settings: made by `python -m ragcortex.service.settings_table docs/service.md` -->"
END: Final = "<!-- end of settings -->"
# What stands for defaults that depend on the machine.
_MADE: Final = {"data_dir": "`service` in the cache folder"}
_PLAIN: Final = {str: "text", Path: "path", SecretStr: "text, secret", bool: "`true`, `false`"}


def settings_table() -> str:
    """Return the table in Markdown: a row a setting, in the order of the fields, with its values and its default."""
    rows = [f"| Variable, after `{PREFIX}` | values | default | |", "| --- | --- | --- | --- |"]
    rows += [_row(name, field) for name, field in ServiceSettings.model_fields.items()]
    return "".join(f"{row}\n" for row in rows)


def with_table(document: str) -> str:
    """Return a document with the table in the place that its two comments mark.

    Raises:
        ValueError: it does not have each of them once, in order.
    """
    before, _, rest = document.partition(f"{BEGIN}\n")
    inside, _, after = rest.partition(END)
    if not rest or END not in rest or BEGIN in inside + after or END in after:
        raise ValueError(f"the document must have {BEGIN!r} and {END!r} once each, in this order")
    return f"{before}{BEGIN}\n{settings_table()}{END}{after}"


def main(arguments: Sequence[str]) -> None:
    """Write the table into a document."""
    (name,) = arguments
    file = Path(name)
    file.write_text(with_table(file.read_text(encoding="utf-8")), encoding="utf-8")


def _row(name: str, field: FieldInfo) -> str:
    description = re.sub(r"\|", r"\\|", field.description or "")
    return f"| `{name.upper()}` | {_values(field)} | {_default(name, field)} | {description} |"


def _values(field: FieldInfo) -> str:
    kind = _plain_kind(field.annotation)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if get_origin(kind) is tuple:
        return "text, by commas"
    return _PLAIN[kind] if kind in _PLAIN else _range("integer" if kind is int else "number", field)


def _plain_kind(annotation: Any) -> Any:
    """Return the type of a setting without what pydantic is told about it, and without None."""
    while get_origin(annotation) in (Annotated, Union, UnionType):
        (annotation, *_) = (one for one in get_args(annotation) if one is not NoneType)
    return annotation


def _range(kind: str, field: FieldInfo) -> str:
    low = next((f"from {one.ge:,}" for one in field.metadata if isinstance(one, Ge)), "")
    above = next((f"above {one.gt:,}" for one in field.metadata if isinstance(one, Gt)), "")
    high = next((f"to {one.le:,}" for one in field.metadata if isinstance(one, Le)), "")
    return " ".join(part for part in (kind, low, above, high) if part)


def _default(name: str, field: FieldInfo) -> str:
    if field.default_factory is not None:
        return _MADE[name]
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    if value in (None, "", ()):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    main(sys.argv[1:])
