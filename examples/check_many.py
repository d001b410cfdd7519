"""Checks several answers at once; one that cannot be checked keeps its place and has its reason."""

from ragcortex import Detector, Example

examples = [
    Example.of("When was it built?", ["The lighthouse was built in 1874."], "It was built in 1874."),
    Example.of("When was it built?", ["The lighthouse was built in 1874."], ""),
    Example.of("When was it built?", [], "It was built in 1874."),
]
detector = Detector.load("reference-gain")
for outcome in detector.check_many(examples, progress=True):
    if outcome.report is not None:
        print(outcome.report.verdict, [note.text for note in outcome.report.notes])
    else:
        print("failed:", outcome.error)
