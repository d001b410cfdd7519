"""The installed command, as a person or a script runs it: exit codes, pipes, signals and terminals."""

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pexpect
import pyte
import pytest
from cli_helpers import ANSWER, EXECUTABLE, REFERENCE, read_lines, row, write_lines

from ragcortex.cli.console import EXIT_BROKEN_PIPE
from ragcortex.errors import EXIT_FAILED_ON, EXIT_INPUT, EXIT_INTERRUPTED, EXIT_OK

_TIMEOUT = 300


@pytest.fixture
def environment() -> dict[str, str]:
    unset = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "OMP_NUM_THREADS": "1", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "error"}


@pytest.fixture
def options(tiny_reader_folder: Path, strict_detector: Path) -> list[str]:
    return ["--detector", str(strict_detector), "--reader", str(tiny_reader_folder)]


def test_help_and_usage_errors_come_at_once(environment: dict[str, str]) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [EXECUTABLE, *arguments], capture_output=True, text=True, env=environment, timeout=_TIMEOUT, check=False
        )

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = run("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, since tests may share their machine; 0.15 s were measured.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.6
    assert (shown.returncode, shown.stderr) == (EXIT_OK, "")
    assert all(name in shown.stdout for name in ("check", "score", "train", "evaluate", "models", "doctor"))

    bare = run()
    assert (bare.returncode, bare.stdout) == (EXIT_INPUT, "")
    assert bare.stderr == shown.stdout

    wrong = run("chek")
    assert (wrong.returncode, wrong.stdout) == (EXIT_INPUT, "")
    assert wrong.stderr == "ragcortex: No such command 'chek'. Did you mean 'check'? See `ragcortex --help`\n"


def test_help_imports_nothing_heavy(environment: dict[str, str]) -> None:
    code = "import sys, ragcortex.cli.__main__ as m; m.run(['--help']); print(*sys.modules)"
    command = [str(Path(EXECUTABLE).with_name("python")), "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=_TIMEOUT, check=True)

    heavy = {"torch", "transformers", "sklearn", "numpy", "scipy", "rich", "huggingface_hub", "jinja2", "regex"}
    assert heavy & set(loaded.stdout.splitlines()[-1].split()) == set()


def test_a_check_in_a_script(environment: dict[str, str], options: list[str]) -> None:
    command = [EXECUTABLE, "check", "--reference", REFERENCE, "--answer", "-", "--fail-on", "hallucinated", *options]
    result = subprocess.run(
        command, input=ANSWER, capture_output=True, text=True, env=environment, timeout=_TIMEOUT, check=False
    )

    assert (result.returncode, result.stderr) == (EXIT_FAILED_ON, "")
    assert "Hallucinated" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_reader_that_goes_away_ends_the_command_silently(
    environment: dict[str, str], options: list[str], tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [row(number) for number in range(100)])
    script = '"$0" score "$1" --out - --batch-size 2 "${@:2}" | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"'
    result = subprocess.run(
        ["bash", "-c", script, EXECUTABLE, str(source), *options],
        capture_output=True, text=True, env=environment, timeout=_TIMEOUT, check=True,
    )  # fmt: skip

    assert result.stdout.strip() == str(EXIT_BROKEN_PIPE)
    assert result.stderr == "from or to a pipe: an interrupted run cannot be taken up again\n"


def test_ctrl_c_and_kill_lose_and_double_no_row(
    environment: dict[str, str], options: list[str], tmp_path: Path
) -> None:
    # Where the tests run in the background of a script, SIGINT is ignored, and the command would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    n_rows = 120
    source = write_lines(tmp_path / "in.jsonl", [row(number) for number in range(n_rows)])
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    command = [EXECUTABLE, "score", str(source), "--out", str(out), "--batch-size", "2", *options]

    def run_until(n_lines: int, number: int | None) -> int:
        """Run the command, send the signal once the output has that many lines, and return the exit code."""
        with log.open("w") as errors:
            process = subprocess.Popen(command, stderr=errors, env=environment)
            deadline = time.monotonic() + _TIMEOUT
            while number is not None and (not out.exists() or out.read_bytes().count(b"\n") < n_lines):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.005)
            if number is not None:
                process.send_signal(number)
            return process.wait(_TIMEOUT)

    assert run_until(20, signal.SIGINT) == EXIT_INTERRUPTED
    first = len(read_lines(out))
    assert 20 <= first < n_rows
    assert log.read_text() == (
        f"ragcortex: interrupted after {first} of {n_rows} rows; the same command goes on from there\n"
    )
    assert run_until(first + 20, signal.SIGKILL) == -signal.SIGKILL
    second = out.read_bytes().count(b"\n")
    assert first + 20 <= second < n_rows
    assert run_until(0, None) == EXIT_OK

    assert [each["id"] for each in read_lines(out)] == [f"row-{number}" for number in range(n_rows)]
    assert log.read_text().startswith(f"going on after {second} of {n_rows} rows\nscored {n_rows} rows, {second} of ")


def test_a_terminal_sees_colours_and_a_bar_that_goes_away(
    environment: dict[str, str], options: list[str], tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [row(number) for number in range(60)])
    script = '"$0" score "$1" --out "$2" --batch-size 2 "${@:4}" && "$0" check --input "$3" "${@:4}"'
    one = write_lines(tmp_path / "row.json", [row(1)])
    output = _on_terminal(
        ["-c", script, EXECUTABLE, str(source), str(tmp_path / "out.jsonl"), str(one), *options],
        environment,
        columns=100,
    )

    assert "scoring" in output
    assert "/60" in output
    assert "\x1b[" in output
    shown = _screen(output, columns=100)
    assert "scoring" not in shown  # the bar has gone; the summary is left
    assert "scored 60 rows, in " in shown
    assert "Hallucinated" in shown


def test_no_color_and_a_narrow_window_are_respected(
    environment: dict[str, str], options: list[str], tmp_path: Path
) -> None:
    one = write_lines(tmp_path / "row.json", [row(1)])
    quiet = environment | {"NO_COLOR": "1"}
    output = _on_terminal(["-c", '"$0" check --input "$1" "${@:2}"', EXECUTABLE, str(one), *options], quiet, columns=30)

    assert "\x1b" not in output
    assert max(len(line.rstrip("\r")) for line in output.split("\n")) <= 30


def _on_terminal(arguments: list[str], environment: dict[str, str], columns: int) -> str:
    """Run bash on a pseudo-terminal of that width and return all it wrote."""
    child = pexpect.spawn(
        "bash", arguments, env=environment, dimensions=(60, columns), encoding="utf-8", timeout=_TIMEOUT
    )
    output = child.read()
    child.close()
    assert child.exitstatus == EXIT_OK, output
    return str(output)


def _screen(output: str, columns: int) -> str:
    """Return what the terminal shows in the end."""
    screen = pyte.Screen(columns, 60)
    pyte.Stream(screen).feed(output)
    return "\n".join(line.rstrip() for line in screen.display)
