"""The table of tests in `tests/README.md`: every row has its tests, and every test that it names exists."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
README = (TESTS / "README.md").read_text(encoding="utf-8")
IDS = [
    *(f"U{number}" for number in range(1, 6)),
    *(f"L{number}" for number in range(1, 6)),
    *(f"F{number}" for number in range(1, 4)),
    *(f"E{number}" for number in range(1, 7)),
    *(f"M{number}" for number in range(1, 7)),
    *(f"R{number}" for number in range(1, 4)),
]
PROPERTIES = ("Alignment", "Smoothing", "Chunks", "Facts", "Reports", "Bundles and corpora")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its head."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[2:]]


def functions(path: Path) -> set[str]:
    """Return the names of the tests of a file, those of classes among them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds) and node.name.startswith("test_")}


def test_every_id_has_a_row_with_what_is_asserted_and_tests_of_it() -> None:
    found = rows("Inputs that broke other detectors")
    assert [cells[0] for cells in found] == IDS
    for _, asserted, tests in found:
        assert asserted
        assert NAMED.search(tests)


def test_every_property_has_its_tests() -> None:
    found = rows("Properties")
    assert tuple(cells[0].split(":")[0] for cells in found) == PROPERTIES
    assert all(NAMED.search(tests) for _, tests in found)


def test_every_test_that_is_named_exists() -> None:
    named = NAMED.findall(README)
    assert README.count("::") == len(named), "a test is named in another form than `file.py::test_name`"
    known = {file: functions(TESTS / file) for file, _ in named if (TESTS / file).is_file()}
    missing = [f"{file}::{name}" for file, name in named if name not in known.get(file, set())]
    assert not missing
