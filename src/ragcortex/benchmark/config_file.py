"""Configurations of benchmark runs from TOML files, read strictly, and those that ship."""

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ragcortex.benchmark.config import BenchmarkConfig, DataConfig, MethodConfig, ProtocolConfig, ReaderConfig
from ragcortex.checks import nearest_hint
from ragcortex.errors import InputError

_SUFFIX: Final = ".toml"
_PARTS: Final = {"data": DataConfig, "reader": ReaderConfig, "protocol": ProtocolConfig}


def ready_made() -> dict[str, str]:
    """Return the configurations that ship: name and title."""
    folder = resources.files("ragcortex.benchmark") / "configs"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(_SUFFIX)), key=lambda file: file.name)
    return {file.name.removesuffix(_SUFFIX): _shipped(file.name.removesuffix(_SUFFIX))["title"] for file in files}


def read_config(source: str) -> BenchmarkConfig:
    """Return the configuration of a ready-made name or of a TOML file.

    With `base = "NAME"` a file takes everything that it does not say itself from a ready-made configuration: whole
    values of `title`, `methods` and the like, field by field of the tables `data`, `reader` and `protocol`.

    Raises:
        InputError: there is none, or a field is missing, unknown or wrong; the message names it.
    """
    path = Path(source)
    if path.suffix != _SUFFIX:
        return config_of(_shipped(source))
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("config", f"file {source!r} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("config", f"file {source!r} cannot be read: {error}") from error
    return config_of(_table(text, source))


def _shipped(name: str) -> dict[str, Any]:
    """Return the table of a ready-made configuration."""
    file = resources.files("ragcortex.benchmark") / "configs" / f"{name}{_SUFFIX}"
    if not name or "/" in name or not file.is_file():
        near = nearest_hint(name, list(ready_made()))
        raise InputError("config", f"{name!r} is neither a {_SUFFIX} file nor ready-made; {near}")
    return _table(file.read_text("utf-8"), name)


def config_of(table: Mapping[str, Any]) -> BenchmarkConfig:
    """Return the configuration of a mapping, the inverse of `BenchmarkConfig.to_dict`; errors as `read_config`."""
    fields = dict(table)
    for name, kind in _PARTS.items():
        if name in fields:
            fields[name] = _part(kind, fields[name], name)
    methods = fields.get("methods", ())
    if not isinstance(methods, Sequence) or isinstance(methods, str):
        raise InputError("methods", "must be a list of tables, [[methods]]")
    fields["methods"] = tuple(_part(MethodConfig, method, f"methods[{index}]") for index, method in enumerate(methods))
    config: BenchmarkConfig = _part(BenchmarkConfig, fields, "")
    return config


def _part(kind: Any, values: object, where: str) -> Any:
    prefix = f"{where}." if where else ""
    if not isinstance(values, Mapping):
        raise InputError(where or "config", f"must be a table, got {type(values).__name__}")
    declared = {one.name: one for one in dataclasses.fields(kind)}
    for name in values:
        if name not in declared:
            raise InputError(f"{prefix}{name}", f"is not a field; {nearest_hint(str(name), list(declared))}")
    for name, one in declared.items():
        needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        if needed and name not in values:
            raise InputError(f"{prefix}{name}", "is missing")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    for name, value in given.items():
        _check_type(f"{prefix}{name}", value, str(declared[name].type))
    return kind(**given)


_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "str": (str,), "str | None": (str, type(None)), "int": (int,), "int | None": (int, type(None)),
    "float": (int, float), "tuple[str, ...]": (tuple,), "tuple[int, ...]": (tuple,),
}  # fmt: skip


def _check_type(field_name: str, value: object, declared: str) -> None:
    """Refuse a value that is not of the declared type, where that is a plain one."""
    declared = declared.removeprefix("<class '").removesuffix("'>")
    wanted = _TYPES.get(declared)
    if wanted is None:
        return
    inner = {"tuple[str, ...]": str, "tuple[int, ...]": int}.get(declared)
    wrong = not isinstance(value, wanted) or isinstance(value, bool)
    if inner is not None and isinstance(value, tuple):
        wrong = any(not isinstance(item, inner) or isinstance(item, bool) for item in value)
    if wrong:
        raise InputError(field_name, f"must be {declared}, got {value!r}")


def _table(text: str, source: str) -> dict[str, Any]:
    """Return a file's table, with what it takes from its base."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("config", f"{source} is not TOML: {error}") from error
    if "base" not in table:
        return table
    base = table.pop("base")
    if not isinstance(base, str):
        raise InputError("base", f"must be the name of a ready-made configuration, got {base!r}")
    merged = {**_shipped(base), **table}
    for part in _PARTS:
        if part in table and isinstance(table[part], Mapping):
            merged[part] = {**_shipped(base).get(part, {}), **table[part]}
    return merged
