"""What a step of fine-tuning costs: packed answers against answers one by one, and attention in blocks against SDPA.

    python benchmarks/tuning.py [--prefix 600] [--answers 6] [--tokens 150] [--repeats 3] [--out FILE.json]

Every way computes the same gradients of the same made-up answers in the same process, in turn; ratios of medians of
processor time are printed, not seconds.
"""

import argparse
import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ragcortex.readers._hf import decoder
from ragcortex.readers.block_attention import block_attention
from ragcortex.readers.models import load_model
from ragcortex.readers.packed_row import PackedRow, Segment
from ragcortex.readers.packing import Pack, pack_states
from turns import medians


def step(stack: Any, packs: list[Pack], *, half: bool) -> Callable[[], None]:
    """Return a run of the pass and its gradients over all packs."""

    def run() -> None:
        for pack in packs:
            with torch.autocast(stack.device.type, torch.bfloat16, enabled=half):
                states = pack_states(stack, pack)
            sum(state.float().square().mean() for state in states).backward()
        stack.zero_grad()

    return run


def attentions(segments: list[Segment], n_heads: int, n_keys: int, width: int, dtype: torch.dtype) -> dict[str, Any]:
    """Return runs of one layer's attention with its gradients: in blocks, and by SDPA behind a mask."""
    length = segments[-1].stop
    mask = torch.zeros(length, length, dtype=torch.bool)
    for one in segments:
        for start, stop in one.before:
            mask[one.start : one.stop, start:stop] = True
        mask[one.start : one.stop, one.start : one.stop] = torch.ones(one.stop - one.start, one.stop - one.start).tril()
    query = torch.randn(1, n_heads, length, width, dtype=dtype, requires_grad=True)
    key, value = (torch.randn(1, n_keys, length, width, dtype=dtype, requires_grad=True) for _ in range(2))

    def blocks() -> None:
        block_attention(query, key, value, segments, None).sum().backward()

    def sdpa() -> None:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True).sum().backward()

    return {"attention in blocks": blocks, "attention by SDPA": sdpa}


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
    row = PackedRow()
    for answer in answers:
        row.add(prefix, answer)
    config = stack.config.get_text_config()
    heads = (config.num_attention_heads, config.num_key_value_heads, config.hidden_size // config.num_attention_heads)
    results = {}
    print(f"{options.answers} answers of {options.tokens} tokens behind {options.prefix}: pass and gradients")
    for dtype in (torch.bfloat16, torch.float32):
        half = dtype == torch.bfloat16
        runs = {"packed": step(stack, packed, half=half), "one by one": step(stack, single, half=half)}
        seconds = medians(runs | attentions(row.segments(), *heads, dtype), options.repeats, time.process_time)
        ratios = {
            "one by one / packed": seconds["one by one"] / seconds["packed"],
            "SDPA / blocks": seconds["attention by SDPA"] / seconds["attention in blocks"],
        }
        results[str(dtype)] = {name: round(ratio, 2) for name, ratio in ratios.items()}
        print(f"  {dtype}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    if options.out:
        machine = {"threads": torch.get_num_threads(), "torch": torch.__version__}
        options.out.write_text(json.dumps({"machine": machine, "ratios": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
