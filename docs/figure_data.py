"""Measures what the figures of the documentation show, and keeps it as JSON beside them.

    python docs/figure_data.py passes chain
    python docs/figure_data.py calibration --ragtruth ragtruth_qa_test.jsonl

`passes` and `chain` need the embedded reader and nothing else. `calibration` needs RAGTruth's QA test split as
`ragcortex data convert` writes it; readings are kept in the cache, so that a second run takes a minute.
`docs/make_figures.py` draws what is kept.
"""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ragcortex import Detector, Example
from ragcortex.datasets.jsonl import read_examples
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.evaluation.reliability import Reliability, reliability
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import FusionModel
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore
from ragcortex.settings import settings
from ragcortex.signals.delta import delta
from ragcortex.training.fusion import FusionRow
from ragcortex.training.refit import refit_fusion

FIGURES = Path(__file__).parent / "figures"
DEMO = Path(__file__).parents[1] / "examples" / "demo"
LAYER = 20
"""The deeper of the two layers that the shipped detectors read."""
FEW_SOURCES = 25
"""Sources whose answers calibrate: the first draw of benchmarks/fusion.py, 150 answers."""
SHORT = Example.of(
    "When was the lighthouse built, and how high is it?",
    ["The lighthouse was built in 1874 and is 31 metres high."],
    "The lighthouse was built in 1874 and is 31 metres high. Its keeper painted the doors dark green.",
)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="+", choices=("passes", "chain", "calibration"))
    parser.add_argument("--ragtruth", type=Path, help="RAGTruth's QA test split, in our own rows")
    parser.add_argument("--out", type=Path, default=FIGURES)
    options = parser.parse_args()
    for name in options.figures:
        if name == "calibration":
            if options.ragtruth is None:
                parser.error("calibration needs --ragtruth FILE")
            measured = calibration(read_examples(options.ragtruth))
        else:
            measured = {"passes": passes, "chain": chain}[name]()
        text = json.dumps(measured, ensure_ascii=False, indent=1) + "\n"
        (options.out / f"{name}.json").write_text(text, encoding="utf-8")


def passes() -> dict[str, Any]:
    """Return how far the references move the state of each token of a short answer, beside the state's own length."""
    reading = Reader.load("embedded", dtype="float32").read_one(SHORT, ReadingSpec(layers=(LAYER,)))
    (block,) = reading.blocks
    states = block.ref.hidden[LAYER]
    moved = np.linalg.norm(delta(states, block.noref.hidden[LAYER]), axis=1) / np.linalg.norm(states, axis=1)
    return {
        "question": SHORT.question,
        "reference": SHORT.references[0].text,
        "answer": SHORT.answer,
        "layer": LAYER,
        "tokens": [SHORT.answer[start:end] for start, end in reading.tokens.ranges],
        "moved": rounded(moved),
    }


def chain() -> dict[str, Any]:
    """Return the scores of a real answer's tokens before and after smoothing, and where its sentences begin."""
    detector = Detector.load("cortex", dtype="float32")
    assert isinstance(detector, InternalDetector)
    references = [read(path) for path in sorted(DEMO.glob("reference-*.txt"))]
    report = detector.check(read(DEMO / "question.txt"), references, read(DEMO / "answer.txt"))
    assert report.thresholds is not None
    return {
        "p_stay": detector.bundle.smoothing.p_stay,
        "threshold": round(report.thresholds.token, 3),
        "starts": [token.start for token in report.tokens],
        "raw": rounded([token.raw for token in report.tokens]),
        "smoothed": rounded([token.score for token in report.tokens]),
        "sentences": [[sentence.start, sentence.end, sentence.state] for sentence in report.sentences],
    }


def calibration(examples: Sequence[Example]) -> dict[str, Any]:
    """Return how the probabilities of `fusion-clean` agree with labels, before and after calibrating on 150 answers."""
    rows, model = judged(examples)
    sources = np.random.default_rng(0).permutation(sorted({str(row.example.group) for row in rows}))
    few = {str(source) for source in sources[:FEW_SOURCES]}
    own = [row for row in rows if str(row.example.group) in few]
    rest = [row for row in rows if str(row.example.group) not in few]
    refitted, _ = refit_fusion(model, own, name="refitted", data="-")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "data": "RAGTruth QA test, six generators",
        "n_calibrating": len(own),
        "n_measured": len(rest),
        "before": binned(agreement(rest, model)),
        "after": binned(agreement(rest, refitted)),
    }


def judged(examples: Sequence[Example]) -> tuple[list[FusionRow], FusionModel]:
    """Return what both witnesses of `fusion-clean` say of the answers that claim something, and the fusion."""
    detector = Detector.load("fusion-clean", dtype="float32")
    assert isinstance(detector, FusedDetector)
    store = ReadingStore(settings().cache_dir / "readings")
    readings = store.read(detector.internal.reader, examples, detector.internal.bundle.spec())
    rows = []
    for example, reading in zip(examples, readings, strict=True):
        found = detector.signals(example, reading)
        rows.append(FusionRow(example, found.signals, found.evidence, found.geometric_score))
    return rows, detector.model


def agreement(rows: Sequence[FusionRow], model: FusionModel) -> Reliability:
    """Return how a fusion's probabilities of answers agree with their labels."""
    return reliability([fuse(row.signals, row.evidence, model).answer for row in rows], [row.label for row in rows])


def binned(found: Reliability) -> dict[str, Any]:
    """Return a reliability as JSON values, without its empty bins."""
    bins = [[one.n, one.mean_probability, one.share_positive] for one in found.bins if one.n]
    return {"ece": round(found.ece, 4), "bins": [[n, *rounded(shares)] for n, *shares in bins]}


def rounded(values: Any) -> list[float]:
    """Return numbers with three decimals, as many as a figure shows."""
    return [round(float(value), 3) for value in values]


def read(path: Path) -> str:
    """Return the text of a file without the line break at its end."""
    return path.read_text(encoding="utf-8").rstrip("\n")


if __name__ == "__main__":
    main()
