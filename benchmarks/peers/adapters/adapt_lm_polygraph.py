"""lm-polygraph: its information-based estimators on a language model that reads the given answer.

The peer estimates how unsure a model is of what it generates itself. Here the answer is given, whoever wrote it: the
model reads prompt and answer once (and the answer alone, for the mutual information), the statistics that the
estimators ask for are taken at the answer's tokens and the end token, and the peer's own classes turn them into scores.
Uncertainties of any scale, higher = more uncertain. Token-level estimators give spans, one a token. For Rényi and
Fisher–Rao version 0.7.0 returns the distance from the uniform distribution, which is a certainty, although it documents
an uncertainty: both are negated here.

Its estimators that need new samples, a judge or trained densities are not about a given answer and are left out.
"""

from line_protocol import result, serve
from places import flat

_REQUEST = "Answer the question from the passages only.\n\n{passages}\n\nQuestion: {question}"
_WITHOUT_QUESTION = "Write about the passages, from the passages only.\n\n{passages}"


def start(options):
    """Return the function that scores a row."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(options["model"])
    model = AutoModelForCausalLM.from_pretrained(
        options["model"], attn_implementation="eager", dtype=torch.float32
    ).eval()
    estimators = {name: _estimators()[name] for name in options["methods"]}

    @torch.inference_mode()
    def score(row):
        if not row["answer"].strip():
            raise ValueError("the answer is empty")
        encoded = tokenizer(row["answer"], add_special_tokens=False, return_offsets_mapping=True)
        stats = _statistics(model, tokenizer, _prompt(tokenizer, row), encoded["input_ids"])
        return {name: _scored(pair, stats, encoded["offset_mapping"]) for name, pair in estimators.items()}

    return score


def _estimators():
    """Return each method's estimator for the answer and the one for its tokens, None where there is none."""
    from lm_polygraph import estimators as e

    return {
        "perplexity": (e.Perplexity(), e.MaximumTokenProbability()),
        "max-sequence-probability": (e.MaximumSequenceProbability(), None),
        "token-entropy": (e.MeanTokenEntropy(), e.TokenEntropy()),
        "pmi": (e.MeanPointwiseMutualInformation(), e.PointwiseMutualInformation()),
        "conditional-pmi": (e.MeanConditionalPointwiseMutualInformation(), e.ConditionalPointwiseMutualInformation()),
        "self-certainty": (e.SelfCertainty(), None),
        "renyi": (_negated(e.RenyiNeg()), None),
        "fisher-rao": (_negated(e.FisherRao()), None),
        "rauq": (e.RAUQ(instruct=True), None),
    }


def _negated(estimator):
    return lambda stats: -estimator(stats)


def _prompt(tokenizer, row):
    passages = "\n\n".join(row["references"])
    text = (_REQUEST if row["question"] else _WITHOUT_QUESTION).format(passages=passages, question=row["question"])
    if tokenizer.chat_template is None:
        return tokenizer(text + "\n\nAnswer:")["input_ids"]
    message = [{"role": "user", "content": text}]
    return tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=True)["input_ids"]


def _statistics(model, tokenizer, prompt, answer):
    """Return the peer's statistics of one answer, each a list with one entry, as its calculators make them."""
    import numpy as np
    from lm_polygraph.stat_calculators.entropy import EntropyCalculator

    tokens = [*answer, tokenizer.eos_token_id]
    window = model.config.max_position_embeddings
    if len(prompt) + len(tokens) > window:
        raise ValueError(f"prompt and answer have {len(prompt) + len(tokens)} tokens, the model reads at most {window}")
    log_probs, attention = _read(model, prompt, tokens)
    # Without the prompt the model still needs a token to start from; the peer leaves out this first one in its sums.
    beginning = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    alone, _ = _read(model, [beginning], tokens)
    at = np.arange(len(tokens))
    stats = {
        "model": _Wrapped(model),
        "greedy_tokens": [tokens],
        "greedy_log_probs": [log_probs],
        "greedy_log_likelihoods": [log_probs[at, tokens]],
        "greedy_lm_log_likelihoods": [alone[at, tokens]],
        "attention_all": [attention],
    }
    return {**stats, **EntropyCalculator()(stats)}


class _Wrapped:
    """What the estimators look up a model's configuration in."""

    def __init__(self, model):
        self.model = model


def _read(model, prompt, tokens):
    """Return log-probabilities, (T, vocabulary), and attention among the T answer tokens, (layers × heads, T, T).

    Entry t of the attention is that of the step that predicts token t, over the answer tokens before it, as when the
    peer's calculator records a generation.
    """
    import numpy as np
    import torch

    cache = None
    if len(prompt) > 1:  # all but the last token, whose step predicts the first of the answer
        cache = model(torch.tensor([prompt[:-1]]), use_cache=True, logits_to_keep=1).past_key_values
    steps = torch.tensor([[prompt[-1], *tokens[:-1]]])
    out = model(steps, past_key_values=cache, output_attentions=True)
    log_probs = out.logits[0].log_softmax(-1).numpy()
    rows = torch.cat([layer[0] for layer in out.attentions])  # (layers × heads, T, prompt + T − 1)
    attention = np.zeros((rows.shape[0], len(tokens), len(tokens)), dtype=np.float32)
    attention[:, :, :-1] = rows[:, :, len(prompt) :].numpy()
    return log_probs, attention


def _scored(pair, stats, offsets):
    import numpy as np

    sequence, token = pair
    answer = float(sequence(stats)[0])
    if token is None:
        return result(answer=answer)
    uncertainty = np.asarray(token(stats)).reshape(-1)  # without the end token; one answer, so one row
    if len(uncertainty) != len(offsets):
        raise ValueError(f"the peer gave {len(uncertainty)} scores for {len(offsets)} tokens")
    spans = [(start, end, score) for (start, end), score in zip(offsets, uncertainty, strict=True)]
    return result(answer=answer, spans=flat(spans))


if __name__ == "__main__":
    serve(start)
