"""Fits the score model of the geometric witness and writes it into the package.

    python benchmarks/make_training_data.py --data DIR --out train.jsonl
    python benchmarks/ship_geometry.py --training train.jsonl

No RAGTruth is in the training data. The witness looks at each answer once; that takes about ten minutes on two cores.
"""

import argparse
from pathlib import Path

from ragcortex.datasets.jsonl import read_examples
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.model import DEFAULT
from ragcortex.training.geometry import fit_geometry, witnessed

DATA = (
    "five-fold scores of public answers (SummEdits, HaluEval, WiCE, RefChecker) and made-up hallucinations in such "
    "answers"
)
TRAINING = (
    "SummEdits (Apache-2.0), HaluEval (MIT), WiCE (ODC-BY), BEGIN (CC BY 4.0 and CDLA-Sharing), RefChecker on Dolly "
    "(CC BY 4.0 and CC BY-SA), and made-up hallucinations in such answers"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=DEFAULT.parent, help="folder of the model")
    options = parser.parse_args()
    embedder = RememberingEmbedder(load_embedder("embedded"))
    rows = witnessed(read_examples(options.training), embedder)
    model = fit_geometry(rows, embedder, name="geometry", data=DATA, training=TRAINING)
    model.save(options.out)
    print(f"{len(rows)} answers; {model.calibration}")
    for kind, linear in (("words", model.words), ("statements", model.statements)):
        print(kind, ", ".join(f"{n} {w:+.2f}" for n, w in zip(linear.names, linear.weights, strict=True)))


if __name__ == "__main__":
    main()
