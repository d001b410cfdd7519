"""Builds a corpus of a folder once, checks answers against it, and adds a document later."""

import tempfile
from pathlib import Path

from ragcortex import Corpus, GeometricDetector

TEXTS = {
    "returns.md": "# Returns\n\nUnopened items can be returned within 30 days. Opened items cannot be returned.",
    "shipping.txt": "Orders above $50 ship free. A parcel takes three to five working days.",
}
ANSWERS = (
    "You can return an unopened item within 30 days.",
    "A parcel takes eight working days.",
    "A repair is free of charge for two years.",
)

with tempfile.TemporaryDirectory() as folder:
    handbook = Path(folder, "handbook")
    handbook.mkdir()
    for name, text in TEXTS.items():
        (handbook / name).write_text(text, encoding="utf-8")

    corpus = Corpus.build([handbook], out=Path(folder, "handbook-corpus"))
    print(f"{len(corpus.documents)} documents, {corpus.n_chunks} chunks, fingerprint {corpus.fingerprint[:12]}")

    detector = GeometricDetector.load(corpus=corpus, embedder=corpus.embedder)
    for answer in ANSWERS:
        report = detector.check(None, [], answer)
        marked = [f"{span.text!r} ({', '.join(span.reasons)})" for span in report.spans]
        print(report.verdict, answer, *marked)

    (handbook / "repairs.txt").write_text("Repairs are free of charge for two years.", encoding="utf-8")
    corpus = Corpus.open(Path(folder, "handbook-corpus")).add([handbook / "repairs.txt"])
    detector = GeometricDetector.load(corpus=corpus, embedder=corpus.embedder)
    print(detector.check(None, [], ANSWERS[-1]).verdict, ANSWERS[-1])
