"""`ragcortex doctor`: what works on this machine, what is missing, and how to get it."""

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ragcortex.cli.console import write_data, write_text
from ragcortex.cli.options import DeviceOption, DtypeOption, ReaderOption
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import EXIT_MODEL, EXIT_OK
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.cli.doctor_checks import Finding

_SIGNS = {True: ("✓", "ok", "32"), False: ("✗", "no", "31"), None: ("·", "--", "33")}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    detector: Annotated[
        str, typer.Option("--detector", metavar="NAME|DIR", help="The detector for the trial check.")
    ] = DEFAULT_DETECTOR,
    reader: ReaderOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
) -> int:
    """Say what works on this machine.

    And what is missing, and how to get it.
    """
    from ragcortex.cli.doctor_checks import MAIN_JOB, findings

    found = []
    for finding in findings(detector, reader, device, dtype):
        found.append(finding)
        if not as_json:
            write_text(_line(finding))
            sys.stdout.flush()
    works = next(finding.ok for finding in found if finding.name == MAIN_JOB) is True
    if as_json:
        document = {
            "schema": "ragcortex.doctor/1",
            "works": works,
            "findings": [
                {"name": each.name, "ok": each.ok, "detail": each.detail, "remedy": each.remedy} for each in found
            ],
        }
        write_data(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    return EXIT_OK if works else EXIT_MODEL


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
