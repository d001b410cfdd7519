"""What `ragcortex doctor` finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        name: what.
        ok: True if it works, False if not, None if it is only worth knowing.
        detail: what was found.
        remedy: what to do about it; empty if nothing.
        difference: what a self-check measured, 0 or more, finite; None elsewhere, and where it could not be measured.
        tolerance: how large that difference may be; None elsewhere.
    """

    name: str
    ok: bool | None
    detail: str
    remedy: str = ""
    difference: float | None = None
    tolerance: float | None = None
