"""A benchmark run made by rule: thirty-odd methods, one that failed, figures that are missing, and all extras."""

from functools import cache

import numpy as np

from ragcortex.benchmark.results.document import DataFacts, Environment, RunDocument
from ragcortex.benchmark.results.drawn import ReliabilityBins, Sweep, curve
from ragcortex.benchmark.results.figure import Figure
from ragcortex.benchmark.results.parts import (
    Ablation,
    Breakdown,
    Comparison,
    Cost,
    FoldChoices,
    MethodResult,
    Repeat,
)
from ragcortex.evaluation.reliability import reliability

TITLES = {
    "nll": "NLL", "entropy": "Entropy", "llm-check-hidden": "LLM-Check, hidden", "icr-probe": "ICR Probe",
    "saplma": "SAPLMA", "raglens": "RAGLens", "cortex-paper": "CORTEX, paper settings", "cortex-tuned": "CORTEX [Δ; c]",
    "lookback": "Lookback Lens", "redeep": "ReDeEP", "lumina": "LUMINA",
}  # fmt: skip
CONTROLS = {"position": "position in the answer", "length": "answer length"}
BASE = {"token": 0.053, "word": 0.06, "sentence": 0.12, "answer": 0.18}
SIZES = {"token": 110_000, "word": 80_000, "character": 900, "sentence": 4200, "answer": 900}


def figure(level, smoothing, metric, value, *, width=0.02, n=None):
    if value is None:
        return Figure(level, smoothing, metric, None, SIZES[level], BASE.get(level), reason="scores whole answers only")
    low, high = max(value - width, 0.0), min(value + width, 1.0)
    return Figure(level, smoothing, metric, value, SIZES[level] if n is None else n, BASE.get(level), low, high)


def figures(strength, *, tokens=True):
    """Return the figures of a method of a strength in [0, 1]."""
    found = []
    for level in ("token", "word", "sentence"):
        for bonus, smoothing in ((0.0, "raw"), (0.06, "smoothed")):
            ap, auroc = 0.06 + 0.5 * strength + bonus, 0.5 + 0.4 * strength + bonus / 2
            found.append(figure(level, smoothing, "average_precision", ap if tokens else None))
            found.append(figure(level, smoothing, "auroc", auroc if tokens else None))
    found.append(figure("token", "smoothed", "f1", 0.1 + 0.4 * strength if tokens else None))
    found.append(figure("token", "smoothed", "precision_at_recall_0.5", 0.1 + 0.3 * strength if tokens else None))
    found.append(figure("character", "smoothed", "character_f1", 0.1 + 0.35 * strength if tokens else None))
    found.append(figure("character", "smoothed", "iou", 0.08 + 0.3 * strength if tokens else None))
    smoothing = "smoothed" if tokens else "raw"
    found.append(figure("answer", smoothing, "average_precision", 0.2 + 0.5 * strength, width=0.06))
    found.append(figure("answer", smoothing, "auroc", 0.5 + 0.38 * strength, width=0.05))
    found.append(figure("answer", smoothing, "f1", 0.3 + 0.38 * strength, width=0.05))
    return tuple(found)


def method(name, title, strength, **changes):
    fields = {
        "name": name, "method": name, "title": title, "summary": "A made method", "source": "made for tests",
        "training": "labels", "scale": "probability", "level": "token", "smoothing": "persistence",
        "answer_score": "the highest smoothed token score", "figures": figures(strength),
        "folds": (FoldChoices(0, {"layer": 20, "grid": [1, 2]}, 0.99, 0.93),),
        "cost": Cost(1.06, 0.31, 12.5, 0.8, 412.0, 96.5),
    }  # fmt: skip
    return MethodResult(**{**fields, **changes})


def methods(n_more=0):
    made = [method(name, title, 0.1 + 0.07 * place) for place, (name, title) in enumerate(TITLES.items())]
    made[0] = method("nll", "NLL", 0.1, training="none", scale="any", cost=None, folds=())
    made += [
        method(f"variant-{number:02}", f"Variant {number:02} of the reference", 0.3 + 0.015 * number)
        for number in range(n_more)
    ]
    made.append(
        method(
            "verify",
            "Prompted verification",
            0.4,
            level="answer",
            figures=figures(0.4, tokens=False),
            answer_score="one word of the reader",
        )
    )
    made.append(
        method(
            "peer",
            "A peer | with_odd & 100 % $igns",
            0.0,
            figures=(),
            cost=None,
            failure="the reader has 30 layers, expected 32",
        )
    )
    return tuple(made)


def scored(strength, n=3000, seed=0):
    """Return scores in [0, 1] and labels, better ranked the greater the strength."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.12).astype(int)
    raw = rng.normal(size=n) + 2.5 * strength * labels - 1.5
    return 1 / (1 + np.exp(-raw)), labels


@cache
def whole(n_more=0):
    """Return a run with everything in it, with `n_more` methods than usual."""
    made = methods(n_more)
    scoring = [one for one in made if one.failure is None and one.level == "token"]
    return plain(
        made, tuple(method(n, t, 0.08, training="none", scale="any", cost=None, folds=()) for n, t in CONTROLS.items()),
        reference_method="cortex-paper", comparisons=comparisons(scoring), breakdowns=breakdowns(scoring),
        ablations=ablations(),
        repeats=tuple(Repeat(one.name, seed, figures(0.3 + 0.01 * seed)) for one in scoring for seed in (0, 1)),
        sweeps=sweeps(scoring), curves=curves(scoring),
        reliability=tuple(
            ReliabilityBins(one.name, "token", "smoothed", reliability(*scored(0.2 + 0.05 * place, seed=place)).bins)
            for place, one in enumerate(scoring[:4])
        ),
        notes=("Two answers have no token.",),
    )  # fmt: skip


def plain(made, controls=(), **changes):
    """Return a run of these methods and nothing else but what is given."""
    fields = {
        "title": "A made run", "date": "2026-02-03", "command": "ragcortex benchmark run made.toml --data FOLDER",
        "config": {"title": "A made run", "protocol": {"folds": 5, "seeds": (0, 1)}, "methods": [{"name": "nll"}]},
        "environment": Environment(
            "3.11.9", "Linux x86_64", "a made processor", 2, {"torch": "2.13", "transformers": "5.24"},
            "HuggingFaceTB/SmolLM2-135M-Instruct", "f" * 16, "float32", 134_515_008,
        ),
        "data": DataFacts(
            "RAGTruth", "QA", "d" * 16, 900, 150, "five folds by source", (612, 610, 611, 612, 610), (108,) * 5,
            {**BASE, "character": None}, {"without references": 3},
        ),
    }  # fmt: skip
    return RunDocument(methods=tuple(made), controls=tuple(controls), **{**fields, **changes})


def comparisons(scoring):
    found = []
    for place, one in enumerate(scoring):
        if one.name != "cortex-paper":
            difference = round(-0.2 + 0.02 * place, 3)
            found.append(Comparison(
                one.name, "cortex-paper", "token", "smoothed", "average_precision", difference, difference - 0.03,
                difference + 0.03, 0.001, 0.01,
            ))  # fmt: skip
    return tuple(found)


def breakdowns(scoring):
    return tuple(
        Breakdown("generator", group, one.name, figures(0.2 + 0.1 * place))
        for one in scoring
        for place, group in enumerate(("gpt-4-0613", "llama-2-7b-chat", "mistral-7B-instruct"))
    )


def ablations():
    return (
        Ablation("signals", "Δ", figures(0.5)),
        Ablation("signals", "Δ; c", figures(0.6)),
        Ablation("attention pooling", "mean of all heads", (), "the reader gave no attention"),
    )


def sweeps(scoring):
    layers, stays = (
        tuple(float(n) for n in range(0, 31, 2)),
        (0.5, 0.7, 0.9, 0.95, 0.97, 0.98, 0.99, 0.993, 0.995, 0.999),
    )
    found = []
    for place, one in enumerate(scoring):
        peak = 0.3 + 0.01 * place
        values = tuple(max(0.0, peak - abs(layer - 20) * 0.008) for layer in layers)
        found.append(Sweep("layer", one.name, "token", "smoothed", "average_precision", layers, values, (20.0, 22.0)))
        kept = tuple(max(0.0, peak + 0.02 * n - 0.002 * n * n) for n in range(len(stays)))
        found.append(Sweep("p_stay", one.name, "token", "smoothed", "average_precision", stays, kept, (0.99,)))
    return tuple(found)


def curves(scoring):
    found = []
    for place, one in enumerate(scoring):
        scores, labels = scored(0.2 + 0.6 * place / len(scoring), seed=place)
        for level in ("token", "answer"):
            for kind in ("precision_recall", "roc"):
                found.append(curve(scores, labels, method=one.name, level=level, smoothing="smoothed", kind=kind))
    return tuple(found)
