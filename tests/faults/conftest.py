"""A reader with random weights, and a detector on disk that works with it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def gain_detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a detector that works with any reader and calls every answer hallucinated."""
    from ragcortex.bundle import Bundle, FittedHead
    from ragcortex.calibration import Calibration
    from ragcortex.readers.reader import CHAT
    from ragcortex.scorers import GainScorer
    from ragcortex.smoothing import Smoothing

    folder = tmp_path_factory.mktemp("detectors") / "gain"
    Bundle(
        name="gain",
        version="1",
        recipe="reference-gain",
        heads=(FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer()),),
        reader=None,
        template=CHAT,
        smoothing=Smoothing.persistence(0.9),
        answer_smoothing=Smoothing.persistence(0.9),
        calibration=Calibration(0.5, 0.0, 0.0, "hand-written answers", 10, 4, "2025-01-01"),
    ).save(folder, card="# gain\n")
    return folder


@pytest.fixture
def gain_options(gain_detector: Path, tiny_reader_folder: Path) -> list[str]:
    """Return the options of a command that name this detector and its reader."""
    return ["--detector", str(gain_detector), "--reader", str(tiny_reader_folder)]


@pytest.fixture(scope="session")
def left(
    tmp_path_factory: pytest.TempPathFactory, gain_detector: Path, tiny_reader_folder: Path
) -> dict[str, dict[str, Any]]:
    """Return what is left of processes that were killed, or got in each other's way; see `forking`."""
    driver, folder = Path(__file__).with_name("forking.py"), tmp_path_factory.mktemp("forks")
    done = subprocess.run(
        [sys.executable, str(driver), str(folder), str(tiny_reader_folder), str(gain_detector)],
        capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found
