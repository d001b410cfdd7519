"""The example files: short enough to be read at once. That they run is tested with the package."""

from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_says_what_it_is(example):
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60
    assert text.startswith('"""')
