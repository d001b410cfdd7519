"""What judging an answer while it arrives costs beside one check of the whole, and what each token costs.

    python benchmarks/stream.py [--repeats 7] [--write]

An answer of 300 tokens to a source of 450 arrives in pieces of one to five tokens. Offline checks and streams take
turns in one process, each on texts of its own, so that none profits from what another has put into memory. With
`--write` the figures are written to docs/results/stream.md.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import torch

from geometry_speed_table import machine
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.incremental import IncrementalCheck
from ragcortex.example import Example
from ragcortex.stream_guard import StreamGuard
from speed import made_up

N_SOURCE: Final = 450
N_ANSWER: Final = 300
TARGET: Final = 1.5
PAGE: Final = Path(__file__).parents[1] / "docs" / "results" / "stream.md"


@dataclass
class Times:
    """Seconds of one way over all turns; for a stream also those of its parts."""

    whole: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    between: list[float] = field(default_factory=list)
    finish: list[float] = field(default_factory=list)
    n_sentences: list[int] = field(default_factory=list)


def deltas(detector: FusedDetector, text: str, seed: int) -> list[str]:
    """Return the text in pieces of one to five tokens."""
    draw = random.Random(seed)
    ends = [end for _, end in detector.internal.reader.tokenize(text).ranges]
    found, start, index = [], 0, 0
    while start < len(text):
        index = min(index + draw.randint(1, 5), len(ends))
        found.append(text[start : ends[index - 1]])
        start = ends[index - 1]
    return [piece for piece in found if piece]


def offline(detector: Detector, example: Example, _: list[str], times: Times) -> None:
    started = time.perf_counter()
    detector.check_example(example)
    times.whole.append(time.perf_counter() - started)


def streamed(detector: Detector, example: Example, pieces: list[str], times: Times) -> None:
    """Feed an incremental check and note what its parts take: the first words, sentence ends, all else, the end."""
    started = time.perf_counter()
    check = IncrementalCheck(detector, example.question, example.references)
    n_sentences = 0
    is_first = True
    for piece in pieces:
        before = time.perf_counter()
        progress = check.add(piece)
        spent = time.perf_counter() - before
        read = is_first and progress.n_tokens > 0
        is_first = is_first and not read
        n_sentences += len(progress.sentences)
        (times.first if read else times.ends if progress.sentences else times.between).append(spent)
    before = time.perf_counter()
    check.finish()
    times.finish.append(time.perf_counter() - before)
    times.whole.append(time.perf_counter() - started)
    times.n_sentences.append(n_sentences)


def guarded(detector: Detector, example: Example, pieces: list[str], times: Times) -> None:
    started = time.perf_counter()
    for _ in StreamGuard(detector, example.question, example.references, on_unsupported="mark").watch(pieces):
        pass
    times.whole.append(time.perf_counter() - started)


WAYS: Final[dict[str, Callable[[Detector, Example, list[str], Times], None]]] = {
    "one check of the whole": offline,
    "IncrementalCheck": streamed,
    "StreamGuard, marking": guarded,
}


def measured(detector: FusedDetector, repeats: int) -> dict[str, Times]:
    """Return the times of each way over turns with a text of its own each, after one uncounted turn."""
    found = {name: Times() for name in WAYS}
    for turn in range(repeats + 1):
        if turn == 1:
            found = {name: Times() for name in WAYS}
        # Who comes first changes from turn to turn.
        names = list(WAYS)
        for place in range(len(names)):
            name = names[(place + turn) % len(names)]
            seed = 100 * turn + place
            (example,) = made_up(detector.internal.reader, N_SOURCE, N_ANSWER, seed=seed)
            WAYS[name](detector, example, deltas(detector, example.answer, seed), found[name])
    return found


def lines(found: dict[str, Times]) -> Iterator[str]:
    base = statistics.median(found["one check of the whole"].whole)
    yield "| | seconds, median | as a share of one check of the whole |"
    yield "| --- | ---: | ---: |"
    for name, times in found.items():
        median = statistics.median(times.whole)
        yield f"| {name} | {median:.2f} | {median / base:.2f} |"
    parts = found["IncrementalCheck"]
    yield ""
    yield "| of the incremental check | times an answer | milliseconds each, median | share of its time |"
    yield "| --- | ---: | ---: | ---: |"
    n, total = len(parts.whole), sum(parts.whole)
    for name, own in (
        ("the first reading, source included", parts.first),
        ("a later piece that ends a sentence", parts.ends),
        ("any other piece", parts.between),
        ("`finish`", parts.finish),
    ):
        each = 1000 * statistics.median(own) if own else 0.0
        yield f"| {name} | {len(own) / n:.0f} | {each:.1f} | {sum(own) / total:.0%} |"
    growing = sum(parts.ends) + sum(parts.between)
    yield ""
    yield (
        f"Behind the first reading a token of the answer costs {1000 * growing / n / N_ANSWER:.1f} ms on the way "
        f"({growing / n / N_ANSWER / base:.2%} of one check), all sentence ends included."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="write docs/results/stream.md")
    options = parser.parse_args()
    detector = Detector.load()
    if not isinstance(detector, FusedDetector):
        raise SystemExit("the default detector is no fusion of both witnesses")
    table = "\n".join(lines(measured(detector, options.repeats)))
    print(table)
    if options.write:
        facts = machine(torch.get_num_threads())
        PAGE.write_text(
            "# An answer judged while it arrives\n\n"
            "Regenerated by `python benchmarks/stream.py --write`. The default detector, a source of "
            f"{N_SOURCE} tokens, an answer of {N_ANSWER} in pieces of one to five; checks of the whole and streams "
            f"took turns, {options.repeats} each, on made-up texts of their own. The aim is a share of {TARGET} at "
            "most.\n\n"
            f"{facts['date']}, {facts['cpu']}, {facts['threads']} threads, torch {facts['torch']}.\n\n{table}\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
