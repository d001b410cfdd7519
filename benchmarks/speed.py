"""What a check costs beside what a user would otherwise run, in one run and as ratios: `make bench`.

    python benchmarks/speed.py [--repeats 5] [--only one-answer …] [--against FILE.json] [--store]

All texts are made up, weights of classifiers are random (time does not depend on them), and the runs of a comparison
take turns in one process. With `--store` the ratios are stored in benchmarks/results/speed.json and written to
docs/results/speed.md; with `--against` they are compared with stored ones, and the command fails where something costs
a fifth more than it did.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch

from geometry_speed_table import machine
from made_up_texts import passages
from ragcortex import Detector
from ragcortex.benchmark.peak_memory import peak_memory
from ragcortex.bundle import Bundle
from ragcortex.detectors.registry import DEFAULT_DETECTOR, find_bundle
from ragcortex.example import Example
from ragcortex.readers._hf import decoder
from ragcortex.readers.memory import return_freed_memory
from ragcortex.readers.models import load_model
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from throughput import operations, product_rate, time_by_kind
from turns import medians

Run = Callable[[], object]
WORSE: Final = 1.2
READING: Final = "reading of the default detector"
CHECK: Final = "default detector, whole check"
BASE: Final = "ModernBERT-base-shaped classifier"
STORED: Final = Path(__file__).parent / "results" / "speed.json"
PAGE: Final = Path(__file__).parents[1] / "docs" / "results" / "speed.md"
EVERYTHING: Final = ReadingSpec(layers=(20,), attention_layers=None, log_probs=True)
SHAPES: Final[dict[str, dict[str, int]]] = {
    "base": {},
    "large": {
        "hidden_size": 1024, "intermediate_size": 2624, "num_hidden_layers": 28, "num_attention_heads": 16,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Ratio:
    """What one way costs as a share of another: of its time, or of its memory."""

    comparison: str
    way: str
    of: str
    ratio: float

    @property
    def key(self) -> tuple[str, str, str]:
        return self.comparison, self.way, self.of


def made_up(reader: Reader, n_prefix: int, n_answer: int, n_answers: int = 1, seed: int = 0) -> list[Example]:
    """Return answers of about so many tokens on one source of about so many tokens."""
    texts = [one.text for one in passages(100, seed=seed, n=90)]
    references, answers = [], []
    while sum(len(reader.tokenize(text)) for text in references) < n_prefix:
        references.append(texts.pop())
    for _ in range(n_answers):
        text = texts.pop() + " " + texts.pop() + " " + texts.pop()
        answers.append(text[: reader.tokenize(text).ranges[n_answer - 1][1]])
    return [Example.of("What is said of the town?", references, answer) for answer in answers]


def both_inputs(reader: Reader, example: Example) -> list[torch.Tensor]:
    """Return the token ids of the two passes, (1, n) each."""
    answer = reader.tokenize(example.answer).ids
    texts = [reference.text for reference in example.references]
    prefixes = [reader.prompter.prefix(example.question, part).ids for part in (texts, [])]
    return [torch.tensor([(*prefix, *answer)]) for prefix in prefixes]


class Machine:
    """The models that are compared, each loaded once a precision."""

    def __init__(self) -> None:
        self._readers: dict[str, Reader] = {}
        self._classifiers: dict[tuple[str, str], Any] = {}
        self._detectors: dict[str, Detector] = {}
        self.spec = Bundle.load(find_bundle("cortex")).spec()
        self.depth = max(self.spec.layers)

    def reader(self, dtype: str = "float32", **options: Any) -> Reader:
        if dtype not in self._readers:
            self._readers[dtype] = Reader.load("embedded", dtype=dtype)
        return Reader(self._readers[dtype].loaded, options=ReaderOptions(**options))

    def detector(self, dtype: str) -> Detector:
        if dtype not in self._detectors:
            self._detectors[dtype] = Detector.load(DEFAULT_DETECTOR, dtype=dtype)
        return self._detectors[dtype]

    def bare(self, example: Example, dtype: str, depth: int | None = None) -> Run:
        """Return a run of the model's own forward over both inputs, to a depth, keeping nothing."""
        loaded = load_model("embedded", dtype=dtype)
        if depth is not None:
            stack = decoder(loaded.model)
            stack.layers = stack.layers[:depth]
        inputs = both_inputs(self.reader(), example)

        def run() -> None:
            with torch.inference_mode():
                for ids in inputs:
                    if depth is None:
                        loaded.model(input_ids=ids, use_cache=False, logits_to_keep=1)
                    else:
                        decoder(loaded.model)(input_ids=ids, use_cache=False)

        return run

    def eager(self, example: Example) -> Run:
        """Return a run of both passes that returns every attention map, as most published code does."""
        loaded = load_model("embedded")
        loaded.model.set_attn_implementation("eager")
        inputs = both_inputs(self.reader(), example)

        def run() -> None:
            with torch.inference_mode():
                for ids in inputs:
                    loaded.model(input_ids=ids, use_cache=False, output_attentions=True, output_hidden_states=True)

        return run

    def classifier(self, example: Example, shape: str, dtype: str) -> Run:
        """Return a run of a token classifier of ModernBERT's shape over question, references and answer."""
        from transformers import ModernBertConfig, ModernBertForTokenClassification

        if (shape, dtype) not in self._classifiers:
            config = ModernBertConfig(**SHAPES[shape], num_labels=2, attn_implementation="sdpa")
            model = ModernBertForTokenClassification(config).eval().to(getattr(torch, dtype))
            self._classifiers[shape, dtype] = model
        model = self._classifiers[shape, dtype]
        n_tokens = both_inputs(self.reader(), example)[0].shape[1]
        ids = torch.randint(1000, 40000, (1, n_tokens), generator=torch.Generator().manual_seed(0))

        def run() -> None:
            with torch.inference_mode():
                model(input_ids=ids)

        return run


def read_all(reader: Reader, examples: Sequence[Example], spec: ReadingSpec) -> None:
    list(reader.read(examples, spec))


def read_singly(reader: Reader, examples: Sequence[Example], spec: ReadingSpec) -> None:
    for example in examples:
        reader.read_one(example, spec)


def one_answer(at: Machine, repeats: int) -> list[Ratio]:
    """Compare ways to judge one answer, with 600 and with 1,670 tokens in all."""
    found = []
    shallow = f"two bare passes to layer {at.depth}"
    for n_prefix, n_answer in ((450, 150), (1_500, 170)):
        (example,) = made_up(at.reader(), n_prefix, n_answer)
        title = f"one answer, {both_inputs(at.reader(), example)[0].shape[1]:,} tokens"
        for dtype in ("float32", "bfloat16"):
            runs: dict[str, Run] = {
                "two bare passes": at.bare(example, dtype),
                shallow: at.bare(example, dtype, at.depth),
                READING: partial(at.reader(dtype).read_one, example, at.spec),
                CHECK: partial(at.detector(dtype).check_example, example),
                "reading with likelihoods and attention": partial(at.reader(dtype).read_one, example, EVERYTHING),
                BASE: at.classifier(example, "base", dtype),
                "ModernBERT-large-shaped classifier": at.classifier(example, "large", dtype),
            }
            if dtype == "float32":
                runs["two passes with eager attention maps"] = at.eager(example)
            else:
                runs[f"{BASE} in float32"] = at.classifier(example, "base", "float32")
            seconds = medians(runs, repeats)
            found += ratios(f"{title}, {dtype}", seconds, "two bare passes")
            found += ratios(f"{title}, {dtype}", chosen(seconds, shallow, READING, BASE), shallow)
            found += ratios(f"{title}, {dtype}", chosen(seconds, shallow, READING, CHECK, BASE), BASE)
            if dtype != "float32":
                usual = f"{BASE} in float32"
                found += ratios(f"{title}, {dtype}", chosen(seconds, READING, CHECK, usual), usual)
    return found


def chosen(seconds: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: seconds[name] for name in names}


def six_answers(at: Machine, repeats: int) -> list[Ratio]:
    """Compare reading six answers to one source together, without sharing what they begin with, and one by one."""
    found = []
    for n_prefix in (450, 2_000):
        examples = made_up(at.reader(), n_prefix, 150, n_answers=6)
        for dtype in ("float32", "bfloat16"):
            shared, apart = at.reader(dtype), at.reader(dtype, share_prefixes=False)
            keeping = at.reader(dtype, prefix_bytes=2**30)
            runs: dict[str, Run] = {
                "together": partial(read_all, shared, examples, at.spec),
                "together, nothing shared": partial(read_all, apart, examples, at.spec),
                "one by one": partial(read_singly, shared, examples, at.spec),
                "one by one, the source read before and kept": partial(read_singly, keeping, examples, at.spec),
            }
            title = f"six answers to one source of {n_prefix:,} tokens, {dtype}"
            found += ratios(title, medians(runs, repeats), "one by one")
    return found


def long_sources(at: Machine, repeats: int) -> list[Ratio]:
    """Compare reading long references, and a hundred passages in windows, with bare passes; time and memory."""
    found = []
    reader = at.reader()
    for n_prefix in (2_000, 4_096, 7_800):
        (example,) = made_up(reader, n_prefix, 150)
        title = f"one source of {n_prefix:,} tokens, float32"
        bare = f"two bare passes to layer {at.depth}"
        runs: dict[str, Run] = {
            bare: at.bare(example, "float32", at.depth),
            READING: partial(reader.read_one, example, at.spec),
        }
        found += ratios(title, medians(runs, repeats), bare)
        found += ratios(f"{title}, memory", {name: peak(run) for name, run in runs.items()}, bare)
    texts = [one.text for one in passages(100, seed=9, n=101)]
    hundred = Example.of("What is said of the town?", texts[:100], " ".join(texts[100:101]))
    ten = Example.of("What is said of the town?", texts[:10], " ".join(texts[100:101]))
    runs = {
        "a tenth of them": partial(reader.read_one, ten, at.spec),
        "all": partial(reader.read_one, hundred, at.spec),
    }
    n_windows = reader.read_one(hundred, at.spec).n_windows
    title = f"100 passages of 100 words, {n_windows} windows, float32"
    found += ratios(title, medians(runs, max(1, repeats // 2)), "a tenth of them")
    found += ratios(f"{title}, memory", {name: peak(run) for name, run in runs.items()}, "a tenth of them")
    return found


def throughput(at: Machine, _repeats: int) -> list[Ratio]:
    """Compare reading 300 answers to 50 sources with a plain matrix product, and say what takes the time."""
    found = []
    examples = [one for seed in range(50) for one in made_up(at.reader(), 450, 130, n_answers=6, seed=seed)]
    few = examples[:36]
    for dtype in ("float32", "bfloat16"):
        reader = at.reader(dtype)
        n_operations = operations(partial(read_all, reader, few, at.spec)) * len(examples) / len(few)
        started = time.perf_counter()
        read_all(reader, examples, at.spec)
        rate = n_operations / (time.perf_counter() - started)
        title = f"300 answers to 50 sources, {dtype}"
        found.append(Ratio(title, "rate of reading", "matrix product", rate / product_rate(dtype)))
        spent = time_by_kind(partial(read_all, reader, few, at.spec))
        found += [Ratio(f"{title}, where the time goes", kind, "reading", share) for kind, share in spent.items()]
    return found


def peak(run: Run) -> float:
    """Return the megabytes that a run takes at its peak beyond what was held before, after one uncounted run.

    What that one freed goes back to the system first, or the second would take it again unseen.
    """
    run()
    return_freed_memory()
    with peak_memory("cpu") as found:
        run()
    return found.megabytes or float("nan")


def ratios(comparison: str, values: dict[str, float], of: str) -> list[Ratio]:
    return [Ratio(comparison, way, of, value / values[of]) for way, value in values.items() if way != of]


COMPARISONS: Final[dict[str, Callable[[Machine, int], list[Ratio]]]] = {
    "one-answer": one_answer,
    "six-answers": six_answers,
    "long-sources": long_sources,
    "throughput": throughput,
}


def stored_ratios(file: Path) -> list[Ratio]:
    return [Ratio(**values) for values in json.loads(file.read_text(encoding="utf-8"))["ratios"]]


def worse(found: Sequence[Ratio], stored: Sequence[Ratio]) -> list[str]:
    """Return a line for each ratio that is a fifth worse than it was; of a rate, lower is worse."""
    before = {one.key: one.ratio for one in stored}
    lines = []
    for one in found:
        old = before.get(one.key)
        if old is None:
            continue
        change = old / one.ratio if one.way.startswith("rate") else one.ratio / old
        if change > WORSE:
            lines.append(f"{one.comparison}: {one.way} / {one.of} was {old:.2f}, is {one.ratio:.2f}")
    return lines


def page(facts: Mapping[str, Any], found: Sequence[Ratio]) -> str:
    """Return the page of all ratios in Markdown."""
    lines = [
        "# Speed: what a check costs beside what would run otherwise\n",
        "Ratios of medians within one run, so that they hold for machines of a kind; below 1 is faster or smaller, but",
        "for rates. Texts are made up, the weights of classifiers random. `make bench` runs it again and says what got",
        "slower; `python benchmarks/speed.py --store` writes this page.\n",
        f"{facts['date']}, {facts['cpu']}, {facts['threads']} threads, torch {facts['torch']}.",
    ]
    title = ""
    for one in found:
        if one.comparison != title:
            title = one.comparison
            lines += [f"\n## {title[0].upper()}{title[1:]}\n", "| | as a share of | ratio |", "| --- | --- | ---: |"]
        lines.append(f"| {one.way} | {one.of} | {one.ratio:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(COMPARISONS), default=list(COMPARISONS))
    parser.add_argument(
        "--store", action="store_true", help="keep these comparisons as the baseline, and write the page"
    )
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    at, found = Machine(), list[Ratio]()
    for name in options.only:
        title = ""
        for one in COMPARISONS[name](at, options.repeats):
            if one.comparison != title:
                title = one.comparison
                print(f"\n{title}", flush=True)
            print(f"  {one.ratio:6.2f} × {one.of:<36} {one.way}", flush=True)
            found.append(one)
    if options.store:
        facts = machine(torch.get_num_threads()) | {"cores": os.cpu_count()}
        STORED.parent.mkdir(exist_ok=True)
        stored = stored_ratios(STORED) if STORED.is_file() else []
        measured = {one.comparison for one in found}
        found_and_kept = [*(one for one in stored if one.comparison not in measured), *found]
        content = {"machine": facts, "ratios": [asdict(one) for one in found_and_kept]}
        STORED.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        PAGE.write_text(page(facts, found_and_kept), encoding="utf-8")
    if options.against:
        lines = worse(found, stored_ratios(options.against))
        when = json.loads(options.against.read_text(encoding="utf-8"))["machine"]["date"]
        print(
            f"\n{len(lines)} of {len(found)} ratios a fifth worse than on {when}"
            + "".join(f"\n  {one}" for one in lines)
        )
        return int(bool(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
