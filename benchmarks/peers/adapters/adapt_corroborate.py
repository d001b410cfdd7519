"""corroborate: which numbers, dates and quotations of the answer stand in no reference. Plain rules, no model.

It names the values it misses, without offsets: every place where such a value stands is marked with 1, nothing else.
The answer's score is 1 − 1 / (1 + n) for n missing values: 0 where it finds nothing, so its own verdict is score > 0.
"""

from line_protocol import result, serve
from places import flat, occurrences


def start(_options):
    """Return the function that scores a row."""
    import corroborate

    def score(row):
        report = corroborate.check_answer(row["question"] or "", row["references"], row["answer"])
        values = [value for finding in report.findings for value in finding.spans]
        spans = [(*place, 1.0) for value in values for place in occurrences(row["answer"], value)]
        return {"verdict": result(answer=1 - 1 / (1 + len(values)), spans=flat(spans))}

    return score


if __name__ == "__main__":
    serve(start)
