"""Trains, measures and writes the detectors that ship with the package.

    python benchmarks/make_training_data.py --data DIR --out train.jsonl
    python benchmarks/ship_detectors.py --training train.jsonl --ragtruth DIR/ragtruth_qa_test.jsonl

`cortex-clean`, `reference-gain` and `attention-alignment` never see RAGTruth and are measured on it; `cortex` may train
on it, and its card shows the cross-validation of its recipe that benchmarks/accuracy.py keeps in
docs/results/accuracy.json. Heads are fitted on readings in bfloat16 and measured in float32 (docs/decisions/0004).
Readings are cached, so a run that was interrupted goes on where it was.
"""

import argparse
import datetime
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragcortex.bundle import Bundle
from ragcortex.card import card
from ragcortex.datasets.jsonl import read_examples
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.recipes import recipe
from ragcortex.evaluation.cross_validation import predict
from ragcortex.evaluation.evaluate import Prediction, evaluate_scores
from ragcortex.evaluation.tables import ResultTable, decimals
from ragcortex.example import Example
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.store import ReadingStore
from ragcortex.settings import settings
from ragcortex.training import TrainingOptions, train

BUNDLES = Path(__file__).parents[1] / "src" / "ragcortex" / "detectors" / "bundles"
ACCURACY = Path(__file__).parents[1] / "docs" / "results" / "accuracy.json"
LICENCES = [
    "SummEdits Apache-2.0",
    "HaluEval MIT",
    "WiCE ODC-BY",
    "BEGIN CC BY 4.0 and CDLA-Sharing",
    "RefChecker (Dolly) CC BY 4.0 and CC BY-SA",
]
RAGTRUTH_LICENCES = ["RAGTruth MIT (its passages are MS MARCO's, for non-commercial use)"]
MIXTURE = "public answers (SummEdits, HaluEval, WiCE, RefChecker) and made-up hallucinations in such answers"
# The recipe of `cortex` and `cortex-clean`: docs/decisions/0018.
EVERYDAY = "cortex-states"
CROSS_VALIDATED = "cortex-states: the last two together"
OPEN_GENERATORS = ("mistral-7B-instruct", "llama-2-7b-chat", "llama-2-13b-chat", "llama-2-70b-chat")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training", type=Path, required=True)
    parser.add_argument("--ragtruth", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=list(DETECTORS))
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    shop = Shop(read_examples(options.training), read_examples(options.ragtruth), options.seeds)
    for name in options.only:
        bundle = DETECTORS[name](shop)
        bundle.save(BUNDLES / name, card=card(bundle))
        print(f"wrote {name}", flush=True)


class Shop:
    """What all detectors are made of: data, the reader in both precisions, and the cache of readings."""

    def __init__(self, training: Sequence[Example], ragtruth: Sequence[Example], n_seeds: int) -> None:
        self.training, self.ragtruth = training, ragtruth
        self.n_seeds = n_seeds
        self.store = ReadingStore(settings().cache_dir / "readings")
        self.fitting = Reader.load("embedded", dtype="bfloat16", options=ReaderOptions(batch_tokens=8192))
        self.measuring = Reader.load("embedded", dtype="float32")

    def reference_gain(self) -> Bundle:
        """Return the detector that learns nothing; its smoothing and thresholds come from the mixture."""
        return self.measured(self.fitted("reference-gain", "reference-gain", self.training, MIXTURE, LICENCES))

    def alignment(self) -> Bundle:
        """Return the light detector that sees only where attention falls."""
        return self.measured(
            self.fitted("attention-alignment", "attention-alignment", self.training, MIXTURE, LICENCES)
        )

    def clean(self) -> Bundle:
        """Return the detector that never saw RAGTruth."""
        return self.measured(self.fitted("cortex-clean", EVERYDAY, self.training, MIXTURE, LICENCES))

    def everyday(self) -> Bundle:
        """Return the everyday detector, with the cross-validated figures of its recipe."""
        bundle = self.fitted(
            "cortex", EVERYDAY, [*self.training, *self.ragtruth], f"{MIXTURE}, and RAGTruth's QA test split",
            LICENCES + RAGTRUTH_LICENCES,
        )  # fmt: skip
        return replace(bundle, figures=cross_validated_figures())

    def fitted(
        self, name: str, recipe_name: str, examples: Sequence[Example], data: str, licences: list[str]
    ) -> Bundle:
        """Return the bundle of a recipe fitted on examples."""
        facts = {"licences": licences, "command": "python benchmarks/ship_detectors.py"}
        # The answers of the mixture are short, and where they are wrong, they often are so wholly.
        options = TrainingOptions(n_seeds=self.n_seeds, smoothing="usual" if recipe_name == EVERYDAY else "chosen")
        return train(
            examples, self.fitting, recipe(recipe_name), self.store,
            name=name, data=data, options=options, facts=facts, report=say,
        )  # fmt: skip

    def measured(self, bundle: Bundle) -> Bundle:
        """Return the bundle with its figures on RAGTruth, which it has not seen."""
        predictions = predict(self.ragtruth, InternalDetector(bundle, self.measuring), self.store)
        return replace(bundle, figures=figures(predictions, "no RAGTruth in training, float32"))


DETECTORS = {
    "reference-gain": Shop.reference_gain,
    "attention-alignment": Shop.alignment,
    "cortex-clean": Shop.clean,
    "cortex": Shop.everyday,
}


def figures(predictions: Sequence[Prediction], protocol: str) -> dict[str, Any]:
    """Return the tables for all six generators and for the four open ones."""
    few = [one for one in predictions if one.example.generator in OPEN_GENERATORS]
    tables: dict[str, ResultTable] = {
        "RAGTruth QA test, six generators": evaluate_scores(predictions),
        "RAGTruth QA test, four open generators": evaluate_scores(few),
    }
    for name, table in tables.items():
        print(f"\n{name}; {protocol}\n\n{table.to_markdown()}", flush=True)
    measured = {
        f"{name}, {row.level}, {row.method} {row.smoothing}": "AP {3}, AUROC {4} (n {5}, {6})".format(*row.cells())
        for name, table in tables.items()
        for row in table.rows
    }
    return {"protocol": protocol, "date": datetime.datetime.now(datetime.UTC).date().isoformat(), **measured}


def cross_validated_figures() -> dict[str, Any]:
    """Return the figures of the recipe on RAGTruth alone, as accuracy.py left them."""
    section = json.loads(ACCURACY.read_text(encoding="utf-8"))["Five folds by source"]
    measured: dict[str, Any] = {
        "protocol": "the same recipe on RAGTruth alone, 5 folds by source, all six generators, bfloat16",
        "date": section["date"],
    }
    for row in section["rows"]:
        if row["method"] == CROSS_VALIDATED or row["is_control"]:
            name = f"{row['level']}, {'control: ' if row['is_control'] else ''}{row['method']} {row['smoothing']}"
            precision, auroc = (_with_interval(row[metric]) for metric in ("average_precision", "auroc"))
            measured[name] = f"AP {precision}, AUROC {auroc} (n {row['n']:,}, {100 * row['base_rate']:.1f} %)"
    return measured


def _with_interval(metric: dict[str, Any]) -> str:
    value, low, high = (metric[name] for name in ("value", "low", "high"))
    return "–" if value is None else f"{decimals(value)} [{decimals(low)}, {decimals(high)}]"


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
