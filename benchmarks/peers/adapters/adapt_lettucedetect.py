"""LettuceDetect: a fine-tuned token classifier from a checkpoint on disk, or a chat model asked for unsupported spans.

* a model folder: its `transformer` method. Every token of the answer has a probability; all are given as spans. The
  answer's score is the highest of them, since the peer calls an answer hallucinated if any token is.
* an endpoint and a model: its `llm` method with reasoning, whose confidence is the span's score. The answer's score is
  the highest of them, 0 where it marks nothing. A reply that it cannot parse, which it would take for "nothing
  marked", is an error here.
"""

import json
import os
import re
import tempfile
from pathlib import Path

from line_protocol import result, serve
from places import flat


def start(options):
    """Return the function that scores a row."""
    return _served(options) if options["endpoint"] else _checkpoint(options["model"])


def _checkpoint(folder):
    from lettucedetect.models.inference import HallucinationDetector

    facade = HallucinationDetector(method="transformer", model_path=folder, device="cpu")
    tokenizer = facade.detector.tokenizer
    if not tokenizer.is_fast:
        raise ValueError("the checkpoint's tokenizer gives no character offsets")

    def score(row):
        if not row["answer"].strip():
            raise ValueError("the answer is empty")
        tokens = facade.predict(row["references"], row["answer"], row["question"], output_format="tokens")
        # The peer gives tokens without offsets: those of the answer tokenised alone, as it does itself to count them.
        offsets = tokenizer(row["answer"], add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        if len(tokens) - len(offsets) not in (0, 1):  # its list ends with the separator
            raise ValueError(f"the peer gave {len(tokens)} tokens for an answer of {len(offsets)}")
        spans = [(start, end, token["prob"]) for (start, end), token in zip(offsets, tokens, strict=False)]
        return {"spans": result(answer=max(score for _, _, score in spans), spans=flat(spans))}

    return score


def _served(options):
    from lettucedetect.detectors.llm import LLMDetector

    folder = tempfile.TemporaryDirectory()
    detector = LLMDetector(
        model=options["model"],
        client=_strict_client(options["endpoint"]),
        cache_file=Path(folder.name) / "replies.json",
        include_reasoning=True,
    )

    def score(row, _folder=folder):  # the folder lives as long as this function
        found = detector.predict(row["references"], row["answer"], row["question"], output_format="spans")
        spans = [(span["start"], span["end"], span.get("confidence", 1.0)) for span in found]
        return {"spans": result(answer=max((s for _, _, s in spans), default=0), spans=flat(spans))}

    return score


def _strict_client(endpoint):
    from lettucedetect.detectors.llm_client import OpenAIClient

    class StrictClient(OpenAIClient):
        """The peer's client, refusing the replies that the peer would quietly read as an empty list."""

        def complete(self, system, user, model, temperature, schema):
            reply = super().complete(system, user, model, temperature, schema) or ""
            lists = ("hallucination_list", "hallucinated_spans", "verifications")
            found = re.search(r"\{.*\}", reply, re.DOTALL)
            try:
                fields = json.loads(found.group(0)) if found else {}
            except ValueError:
                fields = {}
            if not any(isinstance(fields.get(name), list) for name in lists):
                raise ValueError(f"the chat model's reply has no list of spans: {reply[:200]!r}")
            return found.group(0)

    return StrictClient(api_key=os.environ.get("OPENAI_API_KEY") or "none", base_url=endpoint)


if __name__ == "__main__":
    serve(start)
