"""factlens: distances between the embeddings of question, references and answer. One number for the whole answer.

`sgi`: how much nearer the answer lies to the references than to the question; `dgi`: how well the step from question to
answer agrees with the direction of its own 212 grounded pairs (it never looks at the references). Both are supports,
which it maps to [0, 1]; the score is 1 − that. It encodes the joined references as one text, so what lies beyond the
encoder's window does not count: that is how it works.
"""

from line_protocol import result, serve


def start(options):
    """Return the function that scores a row."""
    from factlens.dgi import compute_dgi
    from factlens.sgi import compute_sgi

    encoder = options["encoder"]

    def score(row):
        if not row["question"]:
            raise ValueError("factlens needs a question")
        # compute_dgi and compute_sgi, not `evaluate`, which silently takes the other where there is no context.
        context = "\n\n".join(row["references"])
        methods = {
            "sgi": lambda: compute_sgi(row["question"], context, row["answer"], model=encoder),
            "dgi": lambda: compute_dgi(row["question"], row["answer"], model=encoder),
        }
        return {name: result(answer=1 - methods[name]().normalized) for name in options["methods"]}

    return score


if __name__ == "__main__":
    serve(start)
