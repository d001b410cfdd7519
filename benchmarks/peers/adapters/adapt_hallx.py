"""hallx: each sentence's best likeness to a reference, by fuzzy text match, an encoder, or a chat model as judge.

Its sentence's number is a support in [0, 1]: the score is 1 − support. Sentences that it takes for filler get none. The
answer's score is 1 − its mean support. Its `check` adds to that only terms that are the same for every row where the
answer's generator is not at hand (schema, consistency of new generations), so it would rank the answers alike.

* no option: rapidfuzz's partial ratio, its default;
* an encoder folder: cosines of the encoder;
* an endpoint and a model: its GroundingJudge, one request for each sentence and reference.
"""

import os

from line_protocol import result, serve


def start(options):
    """Return the function that scores a row."""
    from hallx.attribution import check_claim_grounding

    backend = _backend(options)

    def score(row):
        if not any(text.strip() for text in row["references"]):
            # It would skip the check and report full support.
            raise ValueError("hallx checks nothing without references")
        report = check_claim_grounding(row["answer"], row["references"], **backend)
        sentences = [(c.start, c.end, 1 - c.similarity) for c in report.claims if c.status != "filtered"]
        return {"sentences": result(answer=1 - report.score, sentences=sentences)}

    return score


def _backend(options):
    if options["endpoint"]:
        return {"verifier": _judge(options["endpoint"], options["model"])}
    if options["encoder"]:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(options["encoder"], device="cpu")
        return {"embedding_callable": lambda text: model.encode(text, show_progress_bar=False).tolist()}
    return {}


def _judge(endpoint, model):
    from hallx import OpenAIAdapter
    from hallx.judge import GroundingJudge

    adapter = OpenAIAdapter(model, api_key=os.environ.get("OPENAI_API_KEY") or "none", timeout_seconds=120)
    adapter.endpoint = endpoint.rstrip("/") + "/chat/completions"
    return GroundingJudge(llm_adapter=adapter)


if __name__ == "__main__":
    serve(start)
