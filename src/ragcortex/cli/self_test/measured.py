"""From a measured difference to a finding, and how large a difference may be in each precision."""

import math
from typing import Final

from ragcortex.cli.finding import Finding

TOLERANCES: Final = {"float32": 1e-4, "bfloat16": 1e-1, "float16": 2e-2}
"""Largest difference of two readings of the same tokens, by the precision that they are read in.

States are compared relative to the largest of their layer; attention and probabilities, which lie in [0, 1], as they
are.
"""
_WRONG: Final = (
    "scores of this machine are not those that were measured; read in float32 (`--dtype float32`) or on the CPU "
    "(`--device cpu`), install the libraries that are tested (constraints.txt), and report it if that does not help"
)


def measured(name: str, difference: float, tolerance: float, what: str) -> Finding:
    """Return the finding on a difference; one that is not a number is not within any tolerance."""
    finite = math.isfinite(difference)
    ok = finite and difference <= tolerance
    shown = f"{difference:.1e}" if finite else "not a number"
    detail = f"largest difference {shown}, tolerance {tolerance:.0e}: {what}"
    return Finding(name, ok, detail, "" if ok else _WRONG, difference if finite else None, tolerance)


def not_run(name: str, why: str) -> Finding:
    """Return the finding on a check that has nothing to compare on this machine, or with these models."""
    return Finding(name, None, f"not run: {why}")
