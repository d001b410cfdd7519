"""The browser that is installed, without a window, for tests of pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REQUIRED = "RAGCORTEX_REQUIRE_BROWSER"
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser_path() -> str:
    """Return the installed browser; without one the test is skipped, or fails where it is required."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = f"none of {', '.join(_NAMES)} is on the path"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{reason}, and {REQUIRED}=1 asks for one")
        pytest.skip(reason)
    return found


@contextmanager
def browser() -> "Iterator[Browser]":
    """Return a running browser without a window."""
    path = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
