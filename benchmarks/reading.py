"""What reading costs beside two bare forward passes and beside eager attention maps, in one run.

    python benchmarks/reading.py [--tokens 600 1200] [--repeats 5] [--out FILE.json]

Every method reads the same made-up answers in the same process, in turn; ratios of medians are printed, not seconds.
"""

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ragcortex.example import Example
from ragcortex.readers.models import load_model
from ragcortex.readers.reader import CHAT, Reader
from ragcortex.readers.reading import ReadingSpec
from turns import medians

SENTENCE = "The glass stands on the table near the window, and the water in it is changed every second day. "
FULL = ReadingSpec(layers=(20,), attention_layers=None, log_probs=True)
TO_LAYER_20 = ReadingSpec(layers=(20,), attention_layers=tuple(range(1, 21)))


def made_up(reader: Reader, n_tokens: int) -> Example:
    """Return an example whose references have three quarters of the tokens, its answer one quarter."""
    per_sentence = len(reader.tokenize(SENTENCE))
    n_answer = max(1, n_tokens // 4 // per_sentence)
    return Example.of("Where is the glass?", [SENTENCE * (3 * n_answer)], (SENTENCE * n_answer).strip())


def bare_passes(loaded: Any, reader: Reader, example: Example) -> Callable[[], None]:
    """Return a run of the model's own forward over both inputs, keeping nothing."""
    inputs = both_inputs(reader, example)

    def run() -> None:
        with torch.inference_mode():
            for ids in inputs:
                loaded.model(input_ids=ids, use_cache=False, logits_to_keep=1)

    return run


def eager_maps(source: str, reader: Reader, example: Example) -> Callable[[], None]:
    """Return a run of both passes that returns every attention map, as most published code does."""
    loaded = load_model(source)
    loaded.model.set_attn_implementation("eager")
    inputs = both_inputs(reader, example)

    def run() -> None:
        with torch.inference_mode():
            for ids in inputs:
                loaded.model(input_ids=ids, use_cache=False, output_attentions=True, output_hidden_states=True)

    return run


def both_inputs(reader: Reader, example: Example) -> list[torch.Tensor]:
    """Return the token ids of the two passes, (1, n) each."""
    answer = reader.tokenize(example.answer).ids
    texts = [reference.text for reference in example.references]
    prefixes = [reader.prompter.prefix(example.question, part).ids for part in (texts, [])]
    return [torch.tensor([(*prefix, *answer)]) for prefix in prefixes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, nargs="+", default=[600, 1200])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--reader", default="embedded")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    loaded = load_model(options.reader)
    reader = Reader(loaded, template=CHAT)
    results = []
    for n_tokens in options.tokens:
        example = made_up(reader, n_tokens)
        runs = {
            "two bare passes": bare_passes(loaded, reader, example),
            "full reading": lambda example=example: reader.read_one(example, FULL),
            "reading to layer 20": lambda example=example: reader.read_one(example, TO_LAYER_20),
            "eager attention maps": eager_maps(options.reader, reader, example),
        }
        seconds = medians(runs, options.repeats)
        n_read = sum(ids.shape[1] for ids in both_inputs(reader, example))
        floor = seconds["two bare passes"]
        results.append({"tokens_read": n_read, "ratio_to_bare": {k: round(v / floor, 3) for k, v in seconds.items()}})
        print(f"{n_read} tokens in both passes ({n_read / floor:.0f} tokens/s bare)")
        for name, value in seconds.items():
            print(f"  {name:<22} {value / floor:5.2f} x two bare passes")
    if options.out:
        machine = {"machine": platform.processor(), "threads": torch.get_num_threads(), "torch": torch.__version__}
        options.out.write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
