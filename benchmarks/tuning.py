"""What a step of fine-tuning costs: answers one by one, packed behind a mask, and packed in blocks, in one run.

    python benchmarks/tuning.py [--prefix 600] [--answers 6] [--tokens 150] [--repeats 3] [--out FILE.json]

Every way computes the same gradients of the same made-up answers in the same process, in turn; ratios of medians of
processor time are printed, not seconds.
"""

import argparse
import copy
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ragcortex.readers._hf import decoder
from ragcortex.readers.models import load_model
from ragcortex.readers.packing import Pack, pack_states

BASE = "in blocks, bfloat16"


def step(stack: Any, packs: list[Pack], *, blocks: bool, half: bool) -> Callable[[], None]:
    """Return a run of the pass and its gradients over all packs."""

    def run() -> None:
        for pack in packs:
            with torch.autocast(stack.device.type, torch.bfloat16, enabled=half):
                states = pack_states(stack, pack, blocks=blocks)
            sum(state.float().square().mean() for state in states).backward()
        stack.zero_grad()

    return run


def measure(runs: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    """Return the median processor seconds of each run; the runs take turns, after one uncounted turn."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repeats + 1):
        for name, run in runs.items():
            start = time.process_time()
            run()
            if turn:
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", default="embedded")
    parser.add_argument("--prefix", type=int, default=600)
    parser.add_argument("--answers", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    stack = copy.deepcopy(decoder(load_model(options.reader).model)).float().requires_grad_(True)
    ids = np.random.default_rng(0).integers(3, 1000, options.prefix + options.answers * options.tokens).tolist()
    prefix, rest = tuple(ids[: options.prefix]), ids[options.prefix :]
    answers = tuple(tuple(rest[start : start + options.tokens]) for start in range(0, len(rest), options.tokens))
    packed, single = [Pack(prefix, answers)], [Pack(prefix, (answer,)) for answer in answers]
    runs = {}
    for name, half in (("bfloat16", True), ("float32", False)):
        runs[f"in blocks, {name}"] = step(stack, packed, blocks=True, half=half)
        runs[f"behind a mask, {name}"] = step(stack, packed, blocks=False, half=half)
        runs[f"one by one, {name}"] = step(stack, single, blocks=False, half=half)
    medians = measure(runs, options.repeats)
    ratios = {name: round(value / medians[BASE], 2) for name, value in medians.items()}
    print(f"{options.answers} answers of {options.tokens} tokens behind {options.prefix}: pass and gradients")
    for name, ratio in ratios.items():
        print(f"  {name:<25} {ratio:5.2f} x {BASE}")
    if options.out:
        machine = {"threads": torch.get_num_threads(), "torch": torch.__version__}
        options.out.write_text(json.dumps({"machine": machine, "ratios": ratios}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
