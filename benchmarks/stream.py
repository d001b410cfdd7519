"""What judging an answer while it arrives costs beside one check of the whole, and what each token costs.

    python benchmarks/stream.py [--repeats 7] [--one-thread] [--write]

An answer of 300 tokens to a source of 450 arrives in pieces of one to five tokens. Offline checks and streams take
turns in one process, each on texts of its own, so that none profits from what another has put into memory. With
`--one-thread` it is the processor's time of one thread that counts, which a machine that is busy otherwise changes
little; by default it is the clock's. With `--write` the figures are written to docs/results/stream.md.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import torch
from threadpoolctl import threadpool_limits

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
AT_ONCE: Final = 40
PAGE: Final = Path(__file__).parents[1] / "docs" / "results" / "stream.md"


@dataclass
class Times:
    """Seconds of one way over all turns, by a clock; for a stream also those of its parts."""

    clock: Callable[[], float]
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
    started = times.clock()
    detector.check_example(example)
    times.whole.append(times.clock() - started)


def streamed(detector: Detector, example: Example, pieces: list[str], times: Times) -> None:
    """Feed an incremental check and note what its parts take: the first words, sentence ends, all else, the end."""
    started = times.clock()
    check = IncrementalCheck(detector, example.question, example.references, tokens_at_once=AT_ONCE)
    n_sentences = 0
    is_first = True
    for piece in pieces:
        before = times.clock()
        progress = check.add(piece)
        spent = times.clock() - before
        read = is_first and progress.n_tokens > 0
        is_first = is_first and not read
        n_sentences += len(progress.sentences)
        (times.first if read else times.ends if progress.sentences else times.between).append(spent)
    before = times.clock()
    check.finish()
    times.finish.append(times.clock() - before)
    times.whole.append(times.clock() - started)
    times.n_sentences.append(n_sentences)


def singly(detector: Detector, example: Example, pieces: list[str], times: Times) -> None:
    started = times.clock()
    check = IncrementalCheck(detector, example.question, example.references)
    for piece in pieces:
        check.add(piece)
    check.finish()
    times.whole.append(times.clock() - started)


def guarded(detector: Detector, example: Example, pieces: list[str], times: Times) -> None:
    started = times.clock()
    for _ in StreamGuard(detector, example.question, example.references, on_unsupported="mark").watch(pieces):
        pass
    times.whole.append(times.clock() - started)


STREAMED: Final = f"`IncrementalCheck`, sentences of {AT_ONCE} tokens and more together"
WAYS: Final[dict[str, Callable[[Detector, Example, list[str], Times], None]]] = {
    "one check of the whole": offline,
    STREAMED: streamed,
    "`IncrementalCheck`, each sentence at its end": singly,
    "`StreamGuard`, marking, as it is by default": guarded,
}


def measured(detector: FusedDetector, repeats: int, clock: Callable[[], float]) -> dict[str, Times]:
    """Return the times of each way over turns with a text of its own each, after one uncounted turn."""
    found = {name: Times(clock) for name in WAYS}
    for turn in range(repeats + 1):
        if turn == 1:
            found = {name: Times(clock) for name in WAYS}
        # Who comes first changes from turn to turn.
        names = list(WAYS)
        for place in range(len(names)):
            name = names[(place + turn) % len(names)]
            seed = len(WAYS) * turn + place
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
    n_sentences = statistics.mean(found[STREAMED].n_sentences)
    yield ""
    yield f"Of an answer's sentences, {n_sentences:.0f} on average are judged before its end, some of them together."
    parts = found[STREAMED]
    yield ""
    yield f"| of an `IncrementalCheck` ({AT_ONCE}) | times an answer | milliseconds each, median | share of its time |"
    yield "| --- | ---: | ---: | ---: |"
    n, total = len(parts.whole), sum(parts.whole)
    for name, own in (
        ("the first reading, source included", parts.first),
        ("a later piece that has sentences judged", parts.ends),
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
    parser.add_argument("--one-thread", action="store_true", help="count the processor's time of one thread")
    parser.add_argument("--write", action="store_true", help="write docs/results/stream.md")
    options = parser.parse_args()
    detector = Detector.load()
    if not isinstance(detector, FusedDetector):
        raise SystemExit("the default detector is no fusion of both witnesses")
    if options.one_thread:
        torch.set_num_threads(1)
    clock = time.process_time if options.one_thread else time.perf_counter
    with threadpool_limits(1) if options.one_thread else nullcontext():
        table = "\n".join(lines(measured(detector, options.repeats, clock)))
    print(table)
    if options.write:
        facts = machine(torch.get_num_threads())
        command = "python benchmarks/stream.py --write" + " --one-thread" * options.one_thread
        timed = "the processor's time of one thread" if options.one_thread else f"{facts['threads']} threads"
        PAGE.write_text(
            "# An answer judged while it arrives\n\n"
            f"Regenerated by `{command}`. The default detector, a source of "
            f"{N_SOURCE} tokens, an answer of {N_ANSWER} in pieces of one to five; checks of the whole and streams "
            f"took turns, {options.repeats} each, on made-up texts of their own. The aim is a share of {TARGET} at "
            "most.\n\n"
            f"{facts['date']}, {facts['cpu']}, {timed}, torch {facts['torch']}.\n\n{table}\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
