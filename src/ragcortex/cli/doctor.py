"""`ragcortex doctor`: what works on this machine, what is missing, and how to get it."""

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import write_data, write_text
from ragcortex.cli.options import DeviceOption, DtypeOption, ReaderOption
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import EXIT_MODEL, EXIT_OK
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.cli.finding import Finding

_SIGNS = {True: ("✓", "ok", "32"), False: ("✗", "no", "31"), None: ("·", "--", "33")}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    detector: Annotated[
        str, typer.Option("--detector", metavar="NAME|DIR", help="The detector for the trial check.")
    ] = DEFAULT_DETECTOR,
    reader: ReaderOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    *,
    self_test: Annotated[
        bool,
        typer.Option("--self-test", help="Also compare what is computed fast with slow sums; under a minute."),
    ] = False,
) -> int:
    """Say what works on this machine.

    And what is missing, and how to get it. With --self-test also whether its numbers are right.
    """
    from ragcortex.cli.doctor_checks import MAIN_JOB, findings
    from ragcortex.cli.self_test.run import self_findings

    found = _shown(findings(detector, reader, device, dtype), silent=as_json)
    works = next(finding.ok for finding in found if finding.name == MAIN_JOB) is True
    document = {"schema": "ragcortex.doctor/1", "works": works, "findings": [_fields(finding) for finding in found]}
    passed = True
    if self_test:
        started = time.monotonic()
        checks = _shown(self_findings(detector, reader, device, dtype), silent=as_json)
        seconds = time.monotonic() - started
        passed = all(check.ok is not False for check in checks)
        document["self_test"] = {
            "passed": passed,
            "seconds": round(seconds, 1),
            "checks": [
                {**_fields(check), "difference": check.difference, "tolerance": check.tolerance} for check in checks
            ],
        }
        if not as_json:
            write_text(_summary(checks, seconds))
    if as_json:
        write_data(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    return EXIT_OK if works and passed else EXIT_MODEL


def _shown(findings: "Iterator[Finding]", *, silent: bool) -> "list[Finding]":
    """Return the findings, each of which is shown as it comes, unless all are to be silent."""
    found = []
    for finding in findings:
        found.append(finding)
        if not silent:
            write_text(_line(finding))
            sys.stdout.flush()
    return found


def _fields(finding: "Finding") -> dict[str, Any]:
    return {"name": finding.name, "ok": finding.ok, "detail": finding.detail, "remedy": finding.remedy}


def _summary(checks: "list[Finding]", seconds: float) -> str:
    """Return how the self-test ended, as a line."""
    counts = [sum(check.ok is ok for check in checks) for ok in (True, False, None)]
    said = ", ".join(f"{n} {word}" for n, word in zip(counts, ("passed", "failed", "not run"), strict=True))
    return f"Self-test: {said}, in {seconds:.1f} s\n"


def _line(finding: "Finding") -> str:
    """Return a finding as a line, and what to do about it as a second one."""
    from ragcortex.rendering.terminal import style_for

    style = style_for(sys.stdout, os.environ)
    sign, plain, color = _SIGNS[finding.ok]
    encodable = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf8sig")
    mark = sign if style.unicode and encodable else plain
    shown = f"\x1b[{color}m{mark}\x1b[0m" if style.color else mark
    indent = " " * (len(mark) + 1)
    remedy = f"{indent}{'':<20} -> {inert_line(finding.remedy)}\n" if finding.remedy else ""
    return f"{shown} {finding.name:<20} {inert_line(finding.detail)}\n{remedy}"
