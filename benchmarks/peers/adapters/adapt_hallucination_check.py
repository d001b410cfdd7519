"""hallucination-check: how well a stretch of the references covers each sentence, and whether its facts are there.

It gives each sentence a support in [0, 1] and a verdict, which is not a threshold of the support alone (a missing
number overrules it). Its sentence's score here is (1 − support) / 2, plus 1/2 where it says unsupported: its verdict
decides first, its support orders within. The answer's score is its own, the share of unsupported sentences.
With an encoder folder its semantic matching is on (`embed=`), as its makers recommend; without, it is purely lexical.
"""

from line_protocol import result, serve
from places import consecutive


def start(options):
    """Return the function that scores a row."""
    import hallucination_check

    embed = _encoder(options["encoder"]) if options["encoder"] else None

    def score(row):
        report = hallucination_check.check(row["answer"], row["references"], embed=embed)
        skipped = [warning for warning in report.warnings if "semantic matching was skipped" in warning]
        if skipped:  # it goes on without the encoder, which would be another method under the same name
            raise RuntimeError(skipped[0])
        places = consecutive(row["answer"], [claim.text for claim in report.claims])
        sentences = [
            (*place, (1 - claim.confidence) / 2 + (0 if claim.supported else 0.5))
            for place, claim in zip(places, report.claims, strict=True)
        ]
        return {"sentences": result(answer=1 - report.score / 100, sentences=sentences)}

    return score


def _encoder(folder):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device="cpu")
    return lambda texts: model.encode(list(texts), show_progress_bar=False)


if __name__ == "__main__":
    serve(start)
