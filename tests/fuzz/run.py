"""Fuzz one target with atheris: `python tests/fuzz/run.py jsonl --seconds 60 --crashes crashes/`.

It begins with the seeds made in code, and ends with 0 and the number of inputs where no fault was found, else with 1.
Inputs that made one lie in the folder that was named; `--input FILE` tries one of them again, without the fuzzer.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from fuzz_targets import TARGETS, Target  # noqa: E402

_MEMORY_MEGABYTES = 3000
_LONGEST = 8192
_SPARE_SECONDS = 180  # a start under instrumentation, on a busy machine


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 where no fault was found, 1 where one was."""
    options = _options(arguments)
    target = TARGETS[options.target]
    if options.within is not None:
        _fuzz(target, options.within, options.libfuzzer)
    if options.input is not None:
        with tempfile.TemporaryDirectory() as folder, target.open(Path(folder)) as check:
            check(options.input.read_bytes())
        return 0
    with tempfile.TemporaryDirectory(prefix="ragcortex-fuzz-") as folder:
        return _in_a_process(options, target, Path(folder))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="how long, the start not counted")
    parser.add_argument("--crashes", type=Path, default=Path("crashes"), help="where inputs that made a fault go")
    parser.add_argument("--seed", type=int, default=0, help="of the fuzzer's chances; 0 takes another each time")
    parser.add_argument("--input", type=Path, help="try this one input, without the fuzzer")
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--libfuzzer", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _in_a_process(options: argparse.Namespace, target: Target, folder: Path) -> int:
    """Run the fuzzer in a process of its own, which it ends itself, and say what came of it."""
    corpus, work = folder / "corpus", folder / "work"
    for made in (corpus, work):
        made.mkdir()
    options.crashes.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number:04}").write_bytes(seed)
    found_before = set(options.crashes.iterdir())
    command = [sys.executable, str(Path(__file__)), options.target, "--within", str(work), "--libfuzzer"]
    command += [
        f"-max_total_time={options.seconds}",
        f"-timeout={max(20, 4 * int(target.seconds))}",
        f"-seed={options.seed}",
    ]
    command += [f"-rss_limit_mb={_MEMORY_MEGABYTES}", f"-max_len={_LONGEST}", "-print_final_stats=1", "-verbosity=1"]
    command += [f"-artifact_prefix={options.crashes.resolve()}{os.sep}{options.target}-", str(corpus)]
    limit = options.seconds + _SPARE_SECONDS
    with (folder / "said").open("w+b") as said:
        try:
            status = subprocess.run(
                command, stdout=said, stderr=subprocess.STDOUT, timeout=limit, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
        said.seek(0)
        text = said.read().decode(errors="replace")
    executed = re.search(r"number_of_executed_units:\s*(\d+)", text)
    found = sorted(set(options.crashes.iterdir()) - found_before)
    if status == 0 and executed is not None and not found:
        print(f"{options.target}: {int(executed[1]):,} inputs in {options.seconds} s, no fault")
        return 0
    print(text[-8000:])
    if status is None:
        print(f"{options.target}: did not end {_SPARE_SECONDS} s after its time")
    print(f"{options.target}: a fault; the input lies in {', '.join(map(str, found)) or 'no file: see above'}")
    return 1


def _fuzz(target: Target, work: Path, libfuzzer: Sequence[str]) -> None:
    """Fuzz in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=list(target.guided_by)):
        opened = target.open(work)
        check = opened.__enter__()  # never left: the fuzzer ends the process
        for seed in sorted(Path(libfuzzer[-1]).iterdir()):
            check(seed.read_bytes())  # what is imported only now is to guide the fuzzer as well
    atheris.Setup([sys.argv[0], *libfuzzer], check)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
