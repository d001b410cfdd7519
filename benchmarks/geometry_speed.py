"""Regenerates docs/results/geometry_speed.md: what the geometric check costs, beside a naive one, in one run.

    python benchmarks/geometry_speed.py [--chunks 5000] [--answers 60] [--threads 2] [--out DIR]

All texts are made up here (`made_up_texts`), the encoder is the embedded one. What is measured for its memory runs in a
process of its own. No answer is checked twice: warm-up and each row of the table have answers of their own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geometry_speed_parts as parts
import geometry_speed_table as table
from made_up_texts import answers, documents, passages

RESULTS = Path(__file__).parents[1] / "docs" / "results"
WARM_UP = 150
SEARCHES = 40
NAIVE_ANSWERS = 5


def in_own_process(part: str, options: argparse.Namespace, corpus: Path) -> dict[str, float]:
    """Return what one part measured in a fresh process, with its peak memory."""
    command = [sys.executable, __file__, "--part", part, "--corpus", str(corpus)]
    command += ["--chunks", str(options.chunks), "--threads", str(options.threads)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{part}: {found}", flush=True)
    return found


def warm_checks(corpus: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of warm checks against the corpus, by length of the answer, and those of the naive check."""
    detector = parts.detector(corpus)
    made = documents(options.chunks, seed=0)
    before = time.perf_counter()
    for answer in answers(made, WARM_UP, 60, seed=1):
        detector.check(None, [], answer)
    found: dict[str, Any] = {"warm_up_seconds": time.perf_counter() - before, "lengths": {}}
    for place, n_words in enumerate((30, 60, 120, 240)):
        chosen = answers(made, options.answers, n_words, seed=10 + place)
        found["lengths"][n_words] = parts.timed_checks(detector, chosen)
        print(f"{n_words} words: {found['lengths'][n_words]}", flush=True)
    found["prepare_seconds"] = parts.seconds_of(lambda: parts.read_all_facts(detector))
    beside = answers(made, NAIVE_ANSWERS, 60, seed=30)
    found["beside_naive"] = parts.timed_checks(detector, beside)
    found["naive"] = parts.naive_checks(detector, beside)
    return found


def reference_checks(options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of checks against three passages of 100 words given with the answer: first and further ones."""
    detector = parts.detector(None)
    first: list[float] = []
    further: list[float] = []
    for number in range(options.answers // 2 + 3):
        made = passages(100, seed=100 + number)
        given = [passage.text for passage in made]
        for place, answer in enumerate(answers(made, 3, 60, seed=200 + number)):
            seconds = parts.seconds_of(lambda given=given, answer=answer: detector.check(None, given, answer))
            if number >= 3:
                (further if place else first).append(seconds)
    return {"first": parts.quantiles(first), "further": parts.quantiles(further)}


def search_alone(n_chunks: int) -> dict[str, float]:
    """Return the times of one search of six vectors (five sentences and the whole answer) among random ones."""
    import numpy as np

    from ragcortex.geometry.search import search

    draw = np.random.default_rng(0)
    matrix = draw.standard_normal((n_chunks, 384), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    queries = draw.standard_normal((SEARCHES + 3, 6, 384), dtype=np.float32)
    queries /= np.linalg.norm(queries, axis=2, keepdims=True)
    times = [parts.seconds_of(lambda own=own: search(own, matrix, 10)) for own in queries]
    return parts.quantiles(times[3:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=5000)
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--part", choices=sorted(PARTS), help=argparse.SUPPRESS)
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    if options.part:
        found = PARTS[options.part](options)
        print(json.dumps({**found, "peak_mb": parts.peak_memory() / 1e6}))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        own = {part: in_own_process(part, options, corpus) for part in ("start", "build", "open", "check", "search")}
        parts.use_threads(options.threads)
        results = {
            "machine": table.machine(options.threads),
            "warm_up_answers": WARM_UP,
            "processes": own,
            "warm": warm_checks(corpus, options),
            "references": reference_checks(options),
            "search": {str(n): search_alone(n) for n in (options.chunks, 100_000)},
        }
    text = table.written(results)
    print(text)
    (options.out / "geometry_speed.md").write_text(text, encoding="utf-8")
    (options.out / "geometry_speed.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, float]]] = {
    "start": lambda _: parts.start(),
    "build": lambda options: parts.build(options.corpus, options.chunks),
    "open": lambda options: parts.opened(options.corpus),
    "check": lambda options: parts.checked(options.corpus, options.chunks),
    "search": lambda _: search_alone(100_000),
}


if __name__ == "__main__":
    main()
