"""Verifying an export of the audit trail, without the service's database or its libraries.

An entry's digest is the SHA-256, in hexadecimal, of the digest before it, a line feed, and the entry's body; the body
is JSON in one fixed form. What no chain can show by itself is that its end is missing, or that somebody wrote it anew
from some entry on: for that, note the last digest now and then in another place, and have it looked for.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ragcortex.errors import InputError

# What the first entry has in place of the digest before it.
GENESIS: Final = "0" * 64
MOST_PROBLEMS: Final = 100
_LINE_FIELDS: Final = {"body", "previous", "digest"}
_BODY_FIELDS: Final = {"number", "at", "kind", "actor", "subject", "data"}
_DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """What is wrong with a line of an export; line 0 is the trail as a whole."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What the verification of an export found.

    Attributes:
        n_entries: lines that are entries, right ones or not.
        last_digest: the digest of the last of them, None if there is none.
        n_problems: how many there are.
        problems: the first of them, `MOST_PROBLEMS` at most.
    """

    n_entries: int
    last_digest: str | None
    n_problems: int
    problems: tuple[AuditProblem, ...]

    @property
    def unbroken(self) -> bool:
        """Whether nothing is wrong."""
        return self.n_problems == 0


@dataclass(frozen=True, slots=True)
class _Link:
    """What the next line of an export must fit to."""

    number: int
    previous: str
    digest: str


def verify(lines: Iterable[str], *, noted: str | None = None) -> AuditVerdict:
    """Return whether an export is unbroken from its first entry to its last, without the database.

    Args:
        lines: as `export_lines` yields them, or with a line feed at their ends.
        noted: the last digest of an earlier day; it must be that of one of the entries.

    Raises:
        InputError: `noted` is no digest.
    """
    if noted is not None and not _DIGEST.fullmatch(noted):
        raise InputError("noted", f"must be a digest of 64 hexadecimal digits, got {noted!r}")
    found = _Findings()
    before: _Link | None = None
    seen, last_digest, n_entries = noted is None, None, 0
    for number, line in enumerate(lines, start=1):
        link, problem = _read(line.removesuffix("\n"))
        found.add(number, problem)
        if link is not None:
            found.add(number, _order(before, link) if before or number == 1 else None)
            n_entries, last_digest = n_entries + 1, link.digest
            seen = seen or link.digest == noted
        before = link
    if not seen:
        found.add(0, "no entry has the digest that was noted: the trail ends before it, or was written anew")
    return AuditVerdict(n_entries, last_digest, found.n, tuple(found.first))


def digest_of(previous: str, body: str) -> str:
    """Return an entry's digest, made of the digest before it and its body."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def canonical(value: Mapping[str, Any]) -> str:
    """Return JSON in one fixed form: keys in order, no spaces, characters as they are.

    Raises:
        ValueError: a number in it is not finite.
    """
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class _Findings:
    """Problems as they are found; only the first are kept, so that any file can be verified."""

    def __init__(self) -> None:
        self.n = 0
        self.first: list[AuditProblem] = []

    def add(self, line: int, what: str | None) -> None:
        if what is None:
            return
        self.n += 1
        if len(self.first) < MOST_PROBLEMS:
            self.first.append(AuditProblem(line, what))


def _read(line: str) -> tuple[_Link | None, str | None]:
    """Return the entry of a line, None where it is none, and what is wrong with it by itself."""
    try:
        entry = json.loads(line)
        if not _is_entry(entry):
            return None, "is no audit entry: expected an object with body, previous and digest"
        same_form = canonical(entry) == line
        right = digest_of(entry["previous"], entry["body"]) == entry["digest"]
    except (ValueError, RecursionError):
        return None, "is no audit entry: it is not JSON"
    number = _number(entry["body"])
    if number is None:
        return None, "is no audit entry: its body is not what the service writes"
    link = _Link(number, entry["previous"], entry["digest"])
    if not right:
        return link, f"entry {number} was altered: its digest is not that of its body and of the digest before it"
    return link, None if same_form else f"entry {number} is not written as an export writes it"


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict) or set(entry) != _LINE_FIELDS:
        return False
    return all(isinstance(value, str) for value in entry.values())


def _number(body: str) -> int | None:
    """Return the number that an entry's body gives it, None where the body is no body."""
    try:
        said = json.loads(body)
        if not isinstance(said, dict) or set(said) != _BODY_FIELDS or canonical(said) != body:
            return None
    except (ValueError, RecursionError):
        return None
    number = said["number"]
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else None


def _order(before: _Link | None, link: _Link) -> str | None:
    """Return what is wrong between an entry and the one of the line before; None before the first line's."""
    at, expected = (GENESIS, 1) if before is None else (before.digest, before.number + 1)
    if link.previous == at and link.number == expected:
        return None
    if before is None:
        return f"the trail begins with entry {link.number}: its beginning is missing or was replaced"
    if link.number > expected:
        missing = (
            f"entry {expected} is" if link.number == expected + 1 else f"entries {expected} to {link.number - 1} are"
        )
        return f"entry {link.number} follows entry {before.number}: {missing} missing"
    if link.number < expected:
        return f"entry {link.number} follows entry {before.number}: entries were moved or repeated"
    return f"entry {link.number} does not follow from entry {before.number} as it is here: one of them was altered"
