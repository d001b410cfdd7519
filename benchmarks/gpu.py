"""What readers of 8B shapes cost on a GPU, beside two bare passes; and its numbers beside the processor's.

    python benchmarks/gpu.py [--shapes llama-3.1-8b qwen3-8b] [--budgets 4096 16384 65536] [--out FILE.json]

Weights are random, since time does not depend on them. For each number of tokens a batch: tokens a second, the time of
reading as a share of two bare passes over the same sequences, with and without reading shared prefixes once, and the
peak of memory beside that of the bare passes. Then four layers of each shape are read on the GPU and, in float32, on
the processor. Without a GPU it says so and measures nothing.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ragcortex.readers.attention import register
from ragcortex.readers.forward import forward, packed_forward
from ragcortex.readers.models import LoadedModel, ReaderIdentity
from ragcortex.readers.packed_row import packed_rows
from ragcortex.readers.reading import PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

COMMON = {"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": False}
SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama-3.1-8b": (
        "LlamaConfig",
        COMMON | {"num_hidden_layers": 32, "intermediate_size": 14336, "vocab_size": 128256},
    ),
    "qwen3-8b": (
        "Qwen3Config",
        COMMON | {"num_hidden_layers": 36, "intermediate_size": 12288, "vocab_size": 151936, "head_dim": 128},
    ),
    "tiny": (
        "LlamaConfig",
        {
            "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 4,
            "intermediate_size": 128, "vocab_size": 512,
        },
    ),
}  # fmt: skip


def made_model(shape: str, device: str, dtype: torch.dtype, n_layers: int | None = None) -> LoadedModel:
    """Return a model of a shape with seeded random weights, with fewer layers if asked for."""
    import transformers

    kind, values = SHAPES[shape]
    values = values | {"max_position_embeddings": 131072, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    config = getattr(transformers, kind)(**values | ({} if n_layers is None else {"num_hidden_layers": n_layers}))
    torch.manual_seed(0)
    with torch.device(device):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=register())
    n, width = config.num_hidden_layers, config.hidden_size
    identity = ReaderIdentity(shape, None, "0" * 64, config.model_type, n, width, 131072)
    return LoadedModel(identity, model.eval(), None, device, str(dtype).removeprefix("torch."))


def made_sequences(
    n_sources: int, n_prefix: int, n_answers: int, n_tokens: int, vocabulary: int
) -> list[TokenSequence]:
    """Return both passes over the answers of some sources; a source's share a prefix, all share an opening."""
    draw = np.random.default_rng(0)
    opening = tuple(draw.integers(3, vocabulary, 40).tolist())
    sequences = []
    for _ in range(n_sources):
        question, references = (tuple(draw.integers(3, vocabulary, n).tolist()) for n in (20, n_prefix - 60))
        for _ in range(n_answers):
            answer = tuple(draw.integers(3, vocabulary, n_tokens).tolist())
            sequences.append(TokenSequence((*opening, *question, *references), answer, (60, n_prefix)))
            sequences.append(TokenSequence((*opening, *question), answer, None))
    return sequences


def by_length(sequences: Sequence[TokenSequence], budget: int) -> list[list[TokenSequence]]:
    """Return batches of sequences of one kind and one length."""
    batches = []
    for length in sorted({len(one) for one in sequences}):
        alike = [one for one in sequences if len(one) == length]
        size = max(1, budget // length)
        batches += [alike[start : start + size] for start in range(0, len(alike), size)]
    return batches


def measure(run: Callable[[], None], device: str, repeats: int) -> tuple[float, int]:
    """Return the median seconds of a run, after an uncounted one, and the peak of memory in bytes."""
    seconds = []
    for turn in range(repeats + 1):
        if device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        started = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        if turn:
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), torch.cuda.max_memory_allocated() if device == "cuda" else 0


def timed(loaded: LoadedModel, sequences: Sequence[TokenSequence], budget: int, repeats: int) -> dict[str, float]:
    """Return what reading costs at one number of tokens a batch."""
    n_layers = loaded.identity.n_layers
    spec = ReadingSpec(layers=(n_layers * 2 // 3,), attention_layers=None, log_probs=True)
    batches = by_length(sequences, budget)
    rows = [
        [sequences[index] for index in row]
        for row in packed_rows([(one.prefix, one.answer) for one in sequences], budget)
    ]

    def bare() -> None:
        with torch.inference_mode():
            for batch in batches:
                ids = torch.tensor([[*one.prefix, *one.answer] for one in batch], device=loaded.device)
                loaded.model(input_ids=ids, use_cache=False, logits_to_keep=1)

    def reading() -> None:
        for batch in batches:
            forward(loaded, batch, spec, padding_side="right")

    def sharing() -> None:
        for row in rows:
            packed_forward(loaded, row, spec)

    results = {name: measure(run, loaded.device, repeats) for name, run in
               (("bare", bare), ("reading", reading), ("sharing", sharing))}  # fmt: skip
    floor, memory = results["bare"]
    n_tokens = sum(map(len, sequences))
    return {
        "tokens_a_batch": budget,
        "bare_tokens_per_second": round(n_tokens / floor),
        "sharing_tokens_per_second": round(n_tokens / results["sharing"][0]),
        "reading_to_bare": round(results["reading"][0] / floor, 3),
        "sharing_to_bare": round(results["sharing"][0] / floor, 3),
        "reading_memory_to_bare": round(results["reading"][1] / memory, 3) if memory else float("nan"),
        "sharing_memory_to_bare": round(results["sharing"][1] / memory, 3) if memory else float("nan"),
    }


def differences(shape: str, device: str, n_layers: int = 4) -> dict[str, float]:
    """Return the largest differences from float32 on the processor; of states as a share of the largest."""
    spec = ReadingSpec(layers=(n_layers,), attention_layers=None, log_probs=True)
    exact_model = made_model(shape, "cpu", torch.float32, n_layers)
    sequences = made_sequences(1, 200, 2, 40, 500)
    exact = [forward(exact_model, [one], spec, padding_side="right")[0] for one in sequences]
    found = {}
    for dtype in (torch.float32, torch.bfloat16):
        model = made_model(shape, "cpu", torch.float32, n_layers).model.to(device=device, dtype=dtype)
        there = LoadedModel(exact_model.identity, model, None, device, str(dtype).removeprefix("torch."))
        for name, value in _largest(exact, packed_forward(there, sequences, spec)).items():
            found[f"{there.dtype} {name}"] = value
    return found


def _largest(exact: Sequence[PassArrays], read: Sequence[PassArrays]) -> dict[str, float]:
    largest: dict[str, float] = {}
    for wanted, got in zip(exact, read, strict=True):
        for name, array in wanted.arrays().items():
            kind = name.split(".")[0]
            scale = float(np.abs(array).max()) if kind == "hidden" else 1.0
            difference = float(np.abs(got.arrays()[name] - array).max()) / scale
            largest[kind] = max(largest.get(kind, 0.0), difference)
    return largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=sorted(SHAPES), default=["llama-3.1-8b", "qwen3-8b"])
    parser.add_argument("--budgets", type=int, nargs="+", default=[4096, 16384, 65536])
    parser.add_argument("--sources", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("there is no GPU here, so nothing is measured")
        return
    results: dict[str, Any] = {}
    for shape in options.shapes:
        loaded = made_model(shape, options.device, torch.bfloat16)
        sequences = made_sequences(options.sources, 600, 6, 150, 500)
        sweep = [timed(loaded, sequences, budget, options.repeats) for budget in options.budgets]
        del loaded
        if options.device == "cuda":
            torch.cuda.empty_cache()
        results[shape] = {"sweep": sweep, "largest_difference": differences(shape, options.device)}
        print(f"{shape}: {len(sequences)} sequences, {sum(map(len, sequences)):,} tokens in both passes, bfloat16")
        for row in sweep:
            print("  " + ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in row.items()))
        for name, value in results[shape]["largest_difference"].items():
            print(f"  largest difference from float32 on the processor, {name}: {value:.2g}")
    if options.out:
        card = torch.cuda.get_device_name() if options.device == "cuda" else "cpu"
        machine = {"device": card, "torch": torch.__version__}
        options.out.write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
