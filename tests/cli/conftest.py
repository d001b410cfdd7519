"""Commands run in this process, and detectors with known verdicts."""

from pathlib import Path

import pytest
from cli_helpers import Command, Result, save_detector

from ragcortex.cli.__main__ import run


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs a command in this process."""

    def called(*arguments: object) -> Result:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return called


@pytest.fixture(scope="session")
def strict_detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a detector that calls every answer hallucinated."""
    return save_detector(tmp_path_factory.mktemp("detectors"), "strict", 0.0, 0.0)


@pytest.fixture(scope="session")
def lenient_detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a detector that calls every answer grounded."""
    return save_detector(tmp_path_factory.mktemp("detectors"), "lenient", 1.0, 1.0)


@pytest.fixture(scope="session")
def careful_detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a detector that sends every answer to review."""
    return save_detector(tmp_path_factory.mktemp("detectors"), "careful", 0.0, 1.0)
