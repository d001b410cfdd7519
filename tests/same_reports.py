"""Two reports on one answer that should be equal but for rounding."""

from typing import Any

import pytest

from ragcortex.report import Report


def assert_same_reports(got: Report, expected: Report, tolerance: float = 1e-4) -> None:
    """Compare everything: what is said in words and places exactly, numbers within the tolerance."""
    _compare(got.to_dict(), expected.to_dict(), "report", tolerance)


def _compare(got: Any, expected: Any, place: str, tolerance: float) -> None:
    if isinstance(expected, dict):
        assert got.keys() == expected.keys(), place
        for name, value in expected.items():
            # What a signal adds to log-odds is a product of weights of any size.
            wider = tolerance * 50 if name in ("contributions", "signals") else tolerance
            _compare(got[name], value, f"{place}.{name}", wider)
    elif isinstance(expected, list):
        assert len(got) == len(expected), place
        for index, value in enumerate(expected):
            _compare(got[index], value, f"{place}[{index}]", tolerance)
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, abs=tolerance), place
    else:
        assert got == expected, place
