"""Fits the fusions of both witnesses that ship, and writes them into the package.

    python benchmarks/make_training_data.py --data DIR --out train.jsonl
    python benchmarks/ship_fusion.py --training train.jsonl --ragtruth DIR/ragtruth_qa_test.jsonl --keep held-out

`fusion-clean` never sees RAGTruth; `fusion`, the default, may, and its figures are cross-validated
(benchmarks/fusion.py). Both are fitted on scores of heads that saw no answer to the same source, one network a head:
five fits each, about half an hour on two cores where the readings are cached. Finished folds are kept in the folder
`--keep`.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragcortex.bundle import Bundle
from ragcortex.datasets.jsonl import read_examples
from ragcortex.detectors.fused import internal_digest
from ragcortex.detectors.recipes import recipe
from ragcortex.detectors.registry import find_bundle
from ragcortex.detectors.scoring import Scores
from ragcortex.detectors.standings import unfit_statements
from ragcortex.example import Example
from ragcortex.fusion.model import FILE_NAME, FusionModel
from ragcortex.fusion_card import fusion_card
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.judgement import GeometricScores, score
from ragcortex.geometry.model import GeometryModel
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading
from ragcortex.readers.store import ReadingStore
from ragcortex.settings import settings
from ragcortex.training import TrainingOptions, stored_readings
from ragcortex.training.fusion import FusionIdentity, FusionRow, fit_fusion
from ragcortex.training.fusion_rows import fusion_row, held_out_raws
from ragcortex.training.geometry import held_out_scores, witnessed
from ship_detectors import BUNDLES, EVERYDAY, LICENCES, MIXTURE, RAGTRUTH_LICENCES

RAGTRUTH = "RAGTruth's QA test split (five folds by source)"
# Grounded statements of the mixture repeat their references more than those of real answers do: ask more of them. At
# two per cent, `fusion` would flag a paraphrase and a number in another form among hand-written grounded sentences.
FLAGGED = {"fusion-clean": 0.01, "fusion": 0.0175}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training", type=Path, required=True)
    parser.add_argument("--ragtruth", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True, help="folder for the scores of finished folds")
    parser.add_argument("--only", nargs="+", default=["fusion-clean", "fusion"])
    options = parser.parse_args()
    shop = Shop(read_examples(options.training), read_examples(options.ragtruth), options.keep)
    for name in options.only:
        model = shop.fusion(name)
        model.save(BUNDLES / name / FILE_NAME)
        (BUNDLES / name / "README.md").write_text(fusion_card(model), encoding="utf-8")
        print(name, model.statement_threshold, model.calibration, model.cascade, sep="\n  ", flush=True)
        for level, linear in (("tokens", model.stack.tokens), ("statements", model.stack.statements)):
            print(level, ", ".join(f"{n} {w:+.2f}" for n, w in zip(linear.names, linear.weights, strict=True)))


class Shop:
    """What the fusions are made of: data, the reader and the cache of its readings, the embedder, finished folds."""

    def __init__(self, training: Sequence[Example], ragtruth: Sequence[Example], keep: Path) -> None:
        self.training, self.ragtruth, self.keep = training, ragtruth, keep
        self.from_ragtruth = {id(example) for example in ragtruth}
        self.store = ReadingStore(settings().cache_dir / "readings")
        self.reader = Reader.load("embedded", dtype="bfloat16", options=ReaderOptions(batch_tokens=8192))
        self.geometry = GeometryModel.load()
        self.embedder = RememberingEmbedder(load_embedder("embedded"))
        self.seen = {id(one.example): one for one in witnessed([*training, *ragtruth], self.embedder, claimless=True)}

    def fusion(self, name: str) -> FusionModel:
        """Return one of the two fusions that ship."""
        clean = name == "fusion-clean"
        internal = "cortex-clean" if clean else "cortex"
        examples = [*self.training] if clean else [*self.training, *self.ragtruth]
        training: Mapping[str, Any] = {
            "data": MIXTURE if clean else f"{MIXTURE}, and RAGTruth's QA test split",
            "licences": [*LICENCES, *([] if clean else RAGTRUTH_LICENCES)],
            "command": "python benchmarks/ship_fusion.py",
        }
        return fit_fusion(
            self.rows(examples, internal, name),
            FusionIdentity(name, "1", internal, internal_digest(find_bundle(internal)), self.geometry.fingerprint),
            calibrate_on=(lambda _: True) if clean else self.of_ragtruth,
            flagged=FLAGGED[name],
            data=f"five-fold scores of {MIXTURE}" if clean else RAGTRUTH,
            training=training,
        )

    def rows(self, examples: Sequence[Example], internal: str, name: str) -> list[FusionRow]:
        """Return what both witnesses say of those examples that claim something."""
        raws = self.raws(examples, internal, name)
        scores = self.geometric_scores(examples)
        spec = recipe(EVERYDAY).spec((15, 20, 25, 30))
        readings = self.store.read(self.reader, examples, spec)
        return [
            self.row(example, reading, raw, scores[id(example)])
            for example, reading, raw in zip(examples, readings, raws, strict=True)
            if id(example) in self.seen
        ]

    def row(self, example: Example, reading: Reading, raw: Scores, scores: GeometricScores) -> FusionRow:
        """Return what both witnesses say of one example."""
        seen = self.seen[id(example)]
        return fusion_row(seen, reading, raw, scores, unfit=unfit_statements(seen.evidence, self.embedder))

    def raws(self, examples: Sequence[Example], internal: str, name: str) -> list[Scores]:
        """Return held-out scores of every token, from the folds that are kept where there are some."""
        layers = Bundle.load(find_bundle(internal)).layers
        source = stored_readings(examples, self.reader, recipe(EVERYDAY).spec((15, 20, 25, 30)), self.store)
        folder = self.keep / name
        return held_out_raws(
            examples, source, recipe(EVERYDAY), layers, options=TrainingOptions(layers=layers, n_seeds=1),
            reader=self.reader, known=kept(folder), keep=keeper(folder), report=lambda line: print(line, flush=True),
        )  # fmt: skip

    def geometric_scores(self, examples: Sequence[Example]) -> dict[int, GeometricScores]:
        """Return scores of models that did not see the example: in five folds where the one that ships did."""
        own = [self.seen[id(one)] for one in examples if id(one) in self.seen]
        fitted_on = [one for one in own if one.evidence.claims and not self.of_ragtruth(one.example)]
        scores = {id(one.example): score(one.evidence, self.geometry) for one in own}
        if fitted_on:
            scores |= zip((id(one.example) for one in fitted_on), held_out_scores(fitted_on), strict=True)
        return scores

    def of_ragtruth(self, example: Example) -> bool:
        """Return whether an example is one of RAGTruth."""
        return id(example) in self.from_ragtruth


def kept(folder: Path) -> dict[int, dict[int, Scores]]:
    """Return the scores of the finished folds in a folder."""
    found = {}
    for file in sorted(folder.glob("fold-*.npz")):
        with np.load(file) as arrays:
            found[int(file.stem.removeprefix("fold-"))] = {int(key): arrays[key] for key in arrays.files}
    return found


def keeper(folder: Path) -> Callable[[int, Mapping[int, Scores]], None]:
    """Return what writes a finished fold into a folder."""

    def keep(number: int, scores: Mapping[int, Scores]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(folder / f"fold-{number}.npz", **{str(index): raw for index, raw in scores.items()})

    return keep


if __name__ == "__main__":
    main()
