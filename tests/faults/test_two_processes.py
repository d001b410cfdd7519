"""Two processes on one cache, one output or one corpus: they share, or the second is told to wait; nothing is lost."""

import os
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
Left = dict[str, dict[str, Any]]


def test_two_trainings_fill_one_cache(left: Left) -> None:
    found = left["readings"]
    assert found["codes"] == [0, 0]
    assert (found["n"], found["left"]) == (24, 0)
    assert found["loaded"] == ["one", "two"]


def test_one_output_has_one_writer(left: Left) -> None:
    found = left["scores"]
    assert found["codes"] == [0, 2]
    assert "is being written by another process; wait for it" in found["said"]
    assert found["ids"] == [f"row-{n}" for n in range(60)]


def test_one_corpus_has_one_writer(left: Left) -> None:
    found = left["corpus"]
    assert found["at_once"] == [0, 9]
    assert "is being written by another process; wait until that is done" in found["said"]
    assert found["n"] == 300 + 9 + 9
