"""Checks one answer with the default detector and prints what its references do not support."""

from ragcortex import Detector

detector = Detector.load()
report = detector.check(
    question="How long does fresh basil keep?",
    references=["Stand the bunch in a glass of water, like cut flowers. It stays fresh for 7 to 10 days."],
    answer="In a glass of water it stays fresh for 7 to 10 days. Many chefs wrap the stems in aluminium foil.",
)
print(report.verdict, round(report.score or 0, 3))
for span in report.spans:
    print(f"{span.start}..{span.end} {span.score:.2f} {span.text!r}")
