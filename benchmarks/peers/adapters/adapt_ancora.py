"""ancora-rag: weighted word coverage of each sentence by one passage, and whether its numbers stand in a related one.

Only its gate is used, not its retrieval or generation: the references, cut by its own chunker, are the evidence.
It gives each sentence that makes a claim a support in [0, 1] and a verdict (a missing number overrules the support; a
hedge lowers the bar). The sentence's score here is (1 − support) / 2, plus 1/2 where it says unsupported. The answer's
score joins its two numbers in the same way: mean support, and whether it would refuse the answer (any unsupported
claim). An answer without claims passes its gate: 0.
"""

from line_protocol import result, serve
from places import consecutive


def start(_options):
    """Return the function that scores a row."""
    import ancora
    from ancora.textutil import split_sentences

    checker = ancora.GroundingChecker()

    def score(row):
        documents = [
            ancora.Document(id=f"r{n}", text=text) for n, text in enumerate(row["references"], 1) if text.strip()
        ]
        checks = checker.check_answer(row["answer"], ancora.chunk_documents(documents))
        # Sentences that make no claim are left out of its checks: all are located, to keep equal sentences apart.
        everything = split_sentences(row["answer"])
        places = iter(zip(everything, consecutive(row["answer"], everything), strict=True))
        sentences = []
        for check in checks:
            place = next(place for text, place in places if text == check.claim)
            sentences.append((*place, _joined(check.support_score, check.supported)))
        if not checks:
            return {"sentences": result(answer=0, sentences=[])}
        support = sum(check.support_score for check in checks) / len(checks)
        answer = _joined(support, all(check.supported for check in checks))
        return {"sentences": result(answer=answer, sentences=sentences)}

    return score


def _joined(support, supported):
    return (1 - support) / 2 + (0 if supported else 0.5)


if __name__ == "__main__":
    serve(start)
