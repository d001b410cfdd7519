"""The locks pin what constraints.txt pins, by hash, and say nothing of the machine they were written on."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from lock_file import CONSTRAINTS, ELSEWHERE, LOCKS, PACKAGES, ROOT, TOOLS, TORCH_CPU, read_pins
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HASHED = (PACKAGES, ELSEWHERE, TOOLS, TORCH_CPU)


def test_the_lock_has_the_versions_of_the_constraints() -> None:
    found, expected = ({one.name: one.version for one in read_pins(path).values()} for path in (PACKAGES, CONSTRAINTS))
    assert found == expected, "run `make lock`"


@pytest.mark.parametrize("path", HASHED, ids=lambda path: path.name)
def test_every_package_has_hashes(path: Path) -> None:
    assert not [pin.name for pin in read_pins(path).values() if not pin.hashes]


def test_what_other_machines_need_is_needed_by_none_of_those_that_are_tested() -> None:
    elsewhere = read_pins(ELSEWHERE)
    assert not set(elsewhere) & set(read_pins(PACKAGES))
    assert not [pin.name for pin in elsewhere.values() if not pin.marker]


def test_both_builds_of_torch_are_of_one_version() -> None:
    assert read_pins(TORCH_CPU)["torch"].version == f"{read_pins(PACKAGES)['torch'].version}+cpu"


def test_what_is_installed_is_what_is_locked() -> None:
    pins = read_pins(PACKAGES)
    installed = {canonicalize_name(one.name): one.version.partition("+")[0] for one in metadata.distributions()}
    assert {name: installed[name] for name in pins if name in installed} == {
        name: pin.version for name, pin in pins.items() if name in installed
    }, "run `make setup`"
    assert not [name for name, pin in pins.items() if not pin.marker and name not in installed]


def test_everything_that_is_declared_is_locked() -> None:
    """Only the lowest versions stand in pyproject.toml; `umap` alone is tested by nobody here."""
    values = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = values["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "umap" for line in lines]
    pins = read_pins(PACKAGES)
    for line in [*values["build-system"]["requires"], *project["dependencies"], *extras]:
        requirement = Requirement(line)
        if requirement.name != "ragcortex":
            assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)].version), line


def test_the_tools_are_locked_at_the_versions_that_are_asked_for() -> None:
    tools = read_pins(TOOLS)
    for pin in read_pins(LOCKS / "tools.in").values():
        assert tools[pin.name].version == pin.version, "run `make lock`"


def test_no_address_and_no_place_is_in_a_lock() -> None:
    for path in (*LOCKS.iterdir(), CONSTRAINTS):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"://|^\s*-(?!-hash=)|/(?:home|root|opt|work)\b", text, re.MULTILINE), path.name


def test_make_setup_installs_nothing_without_a_hash_but_this_package() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (locked,) = re.findall(r"^LOCKED := (.*)", text, re.MULTILINE)
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= set(locked.split())
    others = [line for line in text.splitlines() if "pip install" in line and not line.startswith("LOCKED")]
    assert len(others) == 1
    assert "--no-deps --no-build-isolation --editable ." in others[0]
    assert "make setup" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("numpy>=2\n", "lock.txt has a line that is no pinned package: 'numpy>=2'"),
        ("--index-url x\n", "lock.txt has a line that is no pinned package: '--index-url x'"),
        ("numpy==2 --hash=md5:00\n", "lock.txt has a line that is no pinned package: 'numpy==2 --hash=md5:00'"),
        ("Num_py==2\nnum-py==2\n", "lock.txt has num-py twice"),
    ],
)
def test_lines_that_pin_nothing_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "lock.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        read_pins(path)
    assert str(caught.value) == message


def test_a_lock_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "lock.txt"
    digests = "b" * 64, "a" * 64
    path.write_text(
        f"# Written.\nA.b==1.0 ; sys_platform == 'linux' \\\n    --hash=sha256:{digests[0]} \\\n"
        f"    --hash=sha256:{digests[1]}\nc==2\n",
        encoding="utf-8",
    )
    first, second = read_pins(path).values()
    assert (first.name, first.version, first.marker) == ("a-b", "1.0", "sys_platform == 'linux'")
    assert first.hashes == tuple(sorted(digests))
    assert (second.name, second.marker, second.hashes) == ("c", "", ())
