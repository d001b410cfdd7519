"""Checks an answer with the geometric witness: which facts differ, and how near each sentence lies."""

from ragcortex import GeometricDetector

detector = GeometricDetector.load()
detector.warm_up()
report = detector.check(
    question="How tall is the lighthouse, and when was it built?",
    references=[
        "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea.",
        "In 2019 the museum beside it had 5,900,000 visitors.",
    ],
    answer="The lighthouse stands 41 m above the sea. It was built in 1902. The museum had 5.9 million visitors.",
)
print(report.verdict, round(report.score or 0, 3), dict(report.signals))
for span in report.spans:
    found = "; ".join(f"reference {one.reference} says {one.text!r}" for one in span.evidence)
    print(f"{span.start}..{span.end} {span.text!r} {', '.join(span.reasons)}: {found or 'no reference says it'}")
for sentence in report.sentences:
    print(f"{sentence.state:<12} max similarity {sentence.signals['max_similarity']:.2f}  {sentence.text}")
