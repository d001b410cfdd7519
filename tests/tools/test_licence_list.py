"""The list of licences agrees with the locks and with what is installed, and has only licences that are allowed."""

import importlib.metadata
import platform
import re
import sys

import pytest
from licence_list import EXCEPTIONS, LIST, elsewhere_licence, groups, is_allowed, licence, page
from lock_file import ELSEWHERE, PACKAGES, read_pins

TESTED = sys.platform == "linux" and platform.machine() == "x86_64" and sys.version_info[:2] == (3, 11)


def rows() -> dict[str, tuple[str, str]]:
    found = re.findall(r"^\| ([\w.-]+) \| (\d[^|]*) \| ([^|]+) \|$", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: (version, terms) for name, version, terms in found}


def test_the_list_has_every_locked_package_at_its_version() -> None:
    pins = {**read_pins(PACKAGES), **read_pins(ELSEWHERE)}
    assert {name: version for name, (version, _) in rows().items()} == {
        name: pin.version for name, pin in pins.items()
    }, "run `make licences`"


def test_licences_are_those_of_what_is_installed() -> None:
    installed = {one.name for one in importlib.metadata.distributions()}
    for name in set(read_pins(PACKAGES)) & installed:
        assert rows()[name][1] == licence(name), name


@pytest.mark.skipif(not TESTED, reason="which packages need which others differs between platforms and Pythons")
def test_the_page_is_what_would_be_written() -> None:
    assert LIST.read_text(encoding="utf-8") == page(read_pins(PACKAGES), read_pins(ELSEWHERE)), "run `make licences`"


def test_no_licence_is_there_that_is_not_allowed() -> None:
    assert not [name for name in read_pins(PACKAGES) if not is_allowed(name, rows()[name][1])]


def test_what_is_allowed_for_one_package_is_never_needed_by_all() -> None:
    always, _, development = groups(read_pins(PACKAGES))
    assert not set(EXCEPTIONS) & always.packages
    assert {name for name, (terms, _) in EXCEPTIONS.items() if terms.startswith("GPL")} <= development.packages
    assert set(EXCEPTIONS) <= set(read_pins(PACKAGES)), "an exception for a package that is gone"


@pytest.mark.parametrize(
    ("name", "terms", "allowed"),
    [
        ("a", "MIT", True),
        ("a", "MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("a", "Apache-2.0 WITH LLVM-exception", True),
        ("a", "GPL-3.0-only", False),
        ("a", "MIT AND GPL-3.0-only", False),
        ("a", "LGPL-3.0-only", False),
        ("psycopg", "LGPL-3.0-only", True),
        ("psycopg", "GPL-3.0-only", False),
    ],
)
def test_which_licences_are_allowed(name: str, terms: str, allowed: bool) -> None:
    assert is_allowed(name, terms) == allowed


def test_a_new_package_that_only_other_machines_need_is_looked_at_by_a_person() -> None:
    with pytest.raises(ValueError, match=r"^new-package has no licence that is known to tools/licence_list\.py; "):
        elsewhere_licence("new-package")
