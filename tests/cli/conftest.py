"""Commands run in this process, and detectors with known verdicts."""

from pathlib import Path

import pytest
from cli_helpers import Command, Result, save_detector, use_words, write_lines
from fusion_rows import labelled_rows

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


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, tiny_reader_folder: Path) -> tuple[Path, int]:
    """Return the folder that `train --fusion` wrote, and its exit code."""
    from ragcortex.cli.__main__ import run

    folder = tmp_path_factory.mktemp("fusions")
    rows = write_lines(folder / "rows.jsonl", labelled_rows())
    with pytest.MonkeyPatch.context() as patch:
        use_words(patch, folder / "model")
        code = run([
            "train", str(rows), "--out", str(folder / "mine"), "--fusion", "--recipe", "cortex-transfer", "--layers",
            "2", "--seeds", "1", "--validation-fraction", "0.3", "--licence", "CC0-1.0", "--flagged", "0.05",
            "--reader", str(tiny_reader_folder), "--store", str(folder / "readings"),
        ])  # fmt: skip
    return folder / "mine", code


@pytest.fixture
def mine(trained: tuple[Path, int], tiny_reader_folder: Path) -> list[object]:
    """Return the options that name the trained detector."""
    return ["--detector", trained[0], "--reader", tiny_reader_folder]
