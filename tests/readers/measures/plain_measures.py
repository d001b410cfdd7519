"""Every measure of one unpadded sequence, slowly: whole eager attention maps, float64 numpy, one token at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ragcortex.readers.token_batch import TokenSequence


@dataclass(frozen=True)
class PlainPass:
    """What a forward pass with eager attention leaves behind, float64.

    Attributes:
        attention: (layers, heads, N, N).
        before, middle, after: the residual stream before a layer, between its parts and after it, (layers, N, d).
        last: final normed states, (N, d).
        logits: (N, vocabulary).
        lens_middle, lens_after: the logit lens at `middle` and `after`, logits (layers, N, vocabulary).
        start: position of the first answer token.
    """

    attention: np.ndarray
    before: np.ndarray
    middle: np.ndarray
    after: np.ndarray
    last: np.ndarray
    logits: np.ndarray
    lens_middle: np.ndarray
    lens_after: np.ndarray
    start: int


@torch.inference_mode()
def plain_pass(eager: Any, sequence: TokenSequence) -> PlainPass:
    """Run the model once and keep everything."""
    kept: dict[str, list[torch.Tensor]] = {"before": [], "middle": [], "after": []}
    handles = []
    for layer in eager.model.layers:
        norm = getattr(layer, "pre_feedforward_layernorm", None) or layer.post_attention_layernorm
        handles += [
            layer.register_forward_pre_hook(
                lambda _m, args, kwargs: kept["before"].append(args[0] if args else kwargs["hidden_states"]),
                with_kwargs=True,
            ),
            norm.register_forward_pre_hook(lambda _m, args: kept["middle"].append(args[0])),
            layer.register_forward_hook(
                lambda _m, _args, output: kept["after"].append(output[0] if isinstance(output, tuple) else output)
            ),
        ]
    ids = torch.tensor([[*sequence.prefix, *sequence.answer]])
    output = eager(input_ids=ids, output_hidden_states=True, output_attentions=True, use_cache=False)
    for handle in handles:
        handle.remove()
    last = eager.model(input_ids=ids, use_cache=False).last_hidden_state[0]
    states = {name: torch.stack([one[0] for one in layers]) for name, layers in kept.items()}

    def lens(values: torch.Tensor) -> np.ndarray:
        logits = eager.lm_head(eager.model.norm(values)).double()
        cap = getattr(eager.config, "final_logit_softcapping", None)
        return (logits if cap is None else torch.tanh(logits / cap) * cap).numpy()

    return PlainPass(
        np.stack([one[0].double().numpy() for one in output.attentions]),
        *(states[name].double().numpy() for name in ("before", "middle", "after")),
        last.double().numpy(),
        output.logits[0].double().numpy(),
        lens(states["middle"]),
        lens(states["after"]),
        len(sequence.prefix),
    )


def softmax(values: np.ndarray) -> np.ndarray:
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def entropy(probs: np.ndarray) -> float:
    return float(-sum(p * np.log(p) for p in probs if p > 0))


def jensen_shannon(one: np.ndarray, other: np.ndarray) -> float:
    total = 0.0
    for p, q in zip(one, other, strict=True):
        middle = (p + q) / 2
        total += 0.5 * (p * np.log(p / middle) if p > 0 else 0) + 0.5 * (q * np.log(q / middle) if q > 0 else 0)
    return total


def lookback(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    n_layers, n_heads = run.attention.shape[:2]
    assert sequence.references is not None
    first, last = sequence.references
    out = np.zeros((len(sequence.answer), n_layers, n_heads))
    for t in range(len(sequence.answer)):
        for layer in range(n_layers):
            for head in range(n_heads):
                row = run.attention[layer, head, run.start + t]
                context = row[first:last].mean()
                generated = row[run.start : run.start + t + 1].mean()
                out[t, layer, head] = context / max(context + generated, 1e-12)
    return out


def self_attention(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    n_layers, n_heads = run.attention.shape[:2]
    out = np.zeros((len(sequence.answer), n_layers, n_heads))
    for t in range(len(sequence.answer)):
        for layer in range(n_layers):
            for head in range(n_heads):
                own = run.attention[layer, head, run.start + t, run.start + t]
                out[t, layer, head] = np.log(max(own, 2.0**-126))
    return out


def top_entropy(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    rows = [np.sort(run.logits[run.start + t - 1])[::-1][:50] for t in range(len(sequence.answer))]
    return np.array([entropy(softmax(row)) for row in rows])


def top_tokens(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    out = []
    for t in range(len(sequence.answer)):
        probs = softmax(run.logits[run.start + t - 1])
        order = np.argsort(-probs)[:100]
        out.append([order, probs[order]])
    return np.array(out)


def icr(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    out = np.zeros((len(sequence.answer), len(run.before)))
    n_top = max(1, int(0.1 * len(sequence)))
    for t in range(len(sequence.answer)):
        for layer in range(len(run.before)):
            # Attention between answer and prompt is zeroed: the answer's columns are left.
            row = run.attention[layer].mean(axis=0)[run.start + t, run.start : run.start + t + 1]
            chosen = [j for j in np.argsort(-row)[:n_top] if row[j] > 0]
            moved = run.after[layer, run.start + t] - run.before[layer, run.start + t]
            weights = []
            for j in chosen:
                state = run.before[layer, run.start + j]
                weights.append(moved @ state / (np.linalg.norm(state) + 1e-8))
            out[t, layer] = jensen_shannon(softmax(_z(np.array(weights))), softmax(_z(row[chosen])))
    return out


def _z(values: np.ndarray) -> np.ndarray:
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return (values - values.mean()) / max(deviation, 1e-8)


def external_context(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    n_layers, n_heads = run.attention.shape[:2]
    assert sequence.references is not None
    first, last = sequence.references
    n_top = max(1, int(0.1 * (last - first)))
    out = np.zeros((len(sequence.answer), n_layers, n_heads))
    for t in range(len(sequence.answer)):
        own = run.last[run.start + t]
        for layer in range(n_layers):
            for head in range(n_heads):
                row = run.attention[layer, head, run.start + t, first:last]
                chosen = [first + j for j in np.argsort(-row)[:n_top] if row[j] > 0]
                if chosen:
                    mean = run.last[chosen].mean(axis=0)
                    out[t, layer, head] = mean @ own / np.linalg.norm(mean) / np.linalg.norm(own)
    return out


def parametric_knowledge(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    out = np.zeros((len(sequence.answer), len(run.before)))
    for t in range(len(sequence.answer)):
        for layer in range(len(run.before)):
            before, after = (softmax(lens[layer, run.start + t]) for lens in (run.lens_middle, run.lens_after))
            out[t, layer] = jensen_shannon(before, after)
    return out


def lens_progress(run: PlainPass, sequence: TokenSequence) -> np.ndarray:
    out = np.zeros(len(sequence.answer))
    for t, drawn in enumerate(sequence.answer):
        final = softmax(run.logits[run.start + t - 1])
        likeliest = int(final.argmax())
        above = below = 0.0
        for layer in range(len(run.before)):
            probs = softmax(run.lens_after[layer, run.start + t - 1])
            above += (layer + 1) * (1 - min(probs[likeliest] / final[likeliest], 1))
            below += (layer + 1) / (entropy(probs) + 1e-8)
        out[t] = above / below * final[drawn] / final[likeliest]
    return out


PLAIN = {
    function.__name__: function
    for function in (
        external_context,
        icr,
        lens_progress,
        lookback,
        parametric_knowledge,
        self_attention,
        top_entropy,
        top_tokens,
    )
}
