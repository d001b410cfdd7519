"""Tests of a bot that must not invent: run `pytest examples/pytest_checks.py --ragcortex-report checks.html`."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from ragcortex import Detector, Report

PASSAGES = ["Tickets cost twelve euros for adults. Children under six enter free of charge."]


def bot(question: str) -> str:
    """Stand in for what is tested."""
    return "Children under six enter free." if "child" in question.lower() else "Adults pay fifteen euros."


@pytest.fixture(scope="session")
def groundedness_detector() -> Detector:
    return Detector.load(witness="geometry")  # without this fixture: Detector.load()


def test_children(assert_grounded: Callable[..., Report]) -> None:
    question = "What do children pay?"
    assert_grounded(bot(question), PASSAGES, question)


@pytest.mark.xfail(reason="the bot gives a wrong price", strict=True)
def test_adults(assert_grounded: Callable[..., Report]) -> None:
    question = "What do adults pay?"
    assert_grounded(bot(question), PASSAGES, question)


if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]))
