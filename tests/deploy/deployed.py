"""The files of deploy/ in parts."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from ragcortex.service.settings import PREFIX, ServiceSettings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SETTINGS = {PREFIX + name.upper() for name in ServiceSettings.model_fields}
# `python:3.11-slim`: no registry's host, no folder, and a tag that names a version.
PINNED = re.compile(r"[a-z][a-z0-9-]*:\d[\w.-]*\Z")


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions with their arguments, comments and continued lines resolved."""
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        name, _, arguments = line.strip().partition(" ")
        if name:
            found.append((name, " ".join(arguments.split())))
    return found


def last_stage() -> dict[str, str]:
    """Return the last argument of each instruction of the stage that becomes the image."""
    everything = instructions()
    begin = max(index for index, (name, _) in enumerate(everything) if name == "FROM")
    return dict(everything[begin:])


def exec_form(arguments: str) -> list[str]:
    """Return the words of an instruction that no shell reads."""
    words = json.loads(arguments)
    assert isinstance(words, list)
    assert all(isinstance(word, str) for word in words)
    return words


def compose() -> dict[str, Any]:
    """Return the compose file."""
    content = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def unit() -> dict[str, dict[str, list[str]]]:
    """Return the systemd unit: section, key, and the key's values in order."""
    sections: dict[str, dict[str, list[str]]] = {}
    for line in (DEPLOY / "ragcortex.service").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            keys = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            assert equals, line
            keys.setdefault(key, []).append(value)
    return sections


def environment_file(*, examples: bool = False) -> list[tuple[str, str]]:
    """Return the variables of the example settings, or those that stand there as comments."""
    begin = "#" if examples else ""
    lines = (DEPLOY / "ragcortex.env").read_text(encoding="utf-8").splitlines()
    return [(found[1], found[2]) for line in lines if (found := re.fullmatch(rf"{begin}([A-Z_]+)=(.*)", line))]


def seconds(text: str) -> int:
    """Return a span of time, `90s` or `90`, in seconds."""
    return int(text.removesuffix("s"))
