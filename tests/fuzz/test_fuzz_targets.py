"""Targets of the fuzzer: on their seeds and on damaged ones, always the same; and a few seconds of atheris each."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_folders import BUNDLE_FILES
from fuzz_seeds import edits
from fuzz_targets import TARGETS
from mutations import mutations
from time_limits import limited

RUN = Path(__file__).with_name("run.py")
SECONDS = 1
N_DAMAGED = {"jsonl": 60, "documents": 30, "pdf": 40, "facts": 20, "bundle": 10, "corpus": 15, "gguf": 15, "api": 15}
SLACK = 5  # machines that run the tests do other things as well


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_damaged_seeds_end_in_documented_errors(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    with target.open(tmp_path) as check:
        for seed in target.seeds():
            for data in (seed, *mutations(seed, N_DAMAGED[name])):
                with limited(SLACK * target.seconds, f"for {data[:200]!r}"):
                    check(data)


def test_every_value_of_a_detector_may_be_whatever_json_can_say(tmp_path: Path) -> None:
    with TARGETS["bundle"].open(tmp_path) as check:
        for index, name in enumerate(BUNDLE_FILES):
            for data in edits(4 + index, (tmp_path / "sound" / name).read_bytes()):
                check(data)


def test_every_value_of_a_corpus_may_be_whatever_json_can_say(tmp_path: Path) -> None:
    with TARGETS["corpus"].open(tmp_path) as check:
        for data in edits(1, (tmp_path / "sound" / "corpus.json").read_bytes()):
            check(data)


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_and_one_byte(name: str, tmp_path: Path) -> None:
    with TARGETS[name].open(tmp_path) as check:
        for data in (b"", *(bytes([first]) for first in range(0, 256, 5))):
            check(data)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python or system"
)
def test_a_few_seconds_of_fuzzing_find_no_fault(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(RUN), name, "--seconds", str(SECONDS), "--seed", "1", "--crashes", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{name}: ")
    assert not list(tmp_path.iterdir())


def test_a_fault_is_found_kept_and_seen_again(tmp_path: Path) -> None:
    """The runner itself: a target with a planted fault."""
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python or system")
    planted = tmp_path / "planted.py"
    planted.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(RUN.parent)!r})\n"
        "import contextlib, run\n"
        "from fuzz_targets import TARGETS, Target\n"
        "def check(data):\n"
        "    if data[:1] == b'f':\n"
        "        raise ValueError('planted')\n"
        "@contextlib.contextmanager\n"
        "def opened(folder):\n"
        "    yield check\n"
        "run.TARGETS = {'jsonl': Target(opened, lambda: [b'', b'g'])}\n"
        "run.__file__ = __file__\n"
        "sys.exit(run.main())\n"
    )
    crashes = tmp_path / "crashes"
    command = [sys.executable, str(planted), "jsonl"]
    done = subprocess.run(
        [*command, "--seconds", "20", "--crashes", str(crashes)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "ValueError: planted" in done.stdout
    (kept,) = crashes.iterdir()
    assert kept.name.startswith("jsonl-crash-")
    assert str(kept) in done.stdout
    again = subprocess.run([*command, "--input", str(kept)], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert again.stderr.rstrip().endswith("ValueError: planted")
