"""One batched forward pass: hidden states, likelihoods and pooled attention of the answer's tokens only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers._hf import decoder, decoder_layers, final_norm, output_logits
from ragcortex.readers.attention import AttentionPool, AttentionWatch, Rows, watching
from ragcortex.readers.measures.measure import AttentionShown, Measure, PassContext, shown_layers
from ragcortex.readers.measures.registry import measures
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.reading import Floats, PassArrays, ReadingSpec

# Rows whose logits are held at once: with 128,000 words in the vocabulary 128 MiB in float32.
_LOGIT_ROWS: Final = 256


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """A prefix and the answer's tokens; `references` is None in the pass without references."""

    prefix: tuple[int, ...]
    answer: tuple[int, ...]
    references: tuple[int, int] | None

    def __len__(self) -> int:
        return len(self.prefix) + len(self.answer)


class _DeepEnoughError(Exception):
    """Ends a forward pass after the deepest layer needed."""


@torch.inference_mode()
def forward(
    loaded: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec, *, padding_side: str
) -> list[PassArrays]:
    """Return the arrays of each sequence; no layer deeper than the spec needs is run.

    All sequences are of one kind: with references (attention is pooled) or without.

    Raises:
        ReadingError: the answer's tokens are not where they were put, or attention cannot be pooled.
    """
    inputs, rows = _padded(sequences, loaded, padding_side)
    _prove_same_answer(inputs["input_ids"], sequences, rows)
    with_references = sequences[0].references is not None
    answers, lengths = [sequence.answer for sequence in sequences], [len(sequence) for sequence in sequences]
    context = PassContext(loaded.model, loaded.identity.n_layers, rows, answers, lengths)
    pool = _pool(spec, rows, context.n_layers) if with_references else None
    measured = measures(spec.measures, context) if with_references else []
    shown = [AttentionShown(measure) for measure in measured if "attention" in measure.shown]
    depth = _depth(spec, context.n_layers, pool)
    whole = spec.log_probs or bool(measured)
    last: torch.Tensor | None = None
    with (
        watching(AttentionWatch(rows, [*([pool] if pool is not None else []), *shown])),
        _keeping(loaded.model, spec.layers, rows) as kept,
        shown_layers(measured),
        _stopping(loaded.model, None if whole else depth),
        suppress(_DeepEnoughError),
    ):
        last = decoder(loaded.model)(**inputs).last_hidden_state
    for observer in shown:
        observer.check()
    attention = pool.means() if pool is not None else None
    results = []
    for index, (sequence, row) in enumerate(zip(sequences, rows, strict=True)):
        hidden = {layer: states[index] for layer, states in kept.items()}
        if spec.final_norm:
            hidden = {layer: final_norm(loaded.model, states) for layer, states in hidden.items()}
        arrays = {f"hidden.{layer}": _array(states) for layer, states in hidden.items()}
        if last is not None and whole:
            arrays |= _over_the_vocabulary(
                loaded.model, last[index], sequence, row, likelihoods=spec.log_probs, index=index, measured=measured
            )
            arrays |= {f"measure.{one.name}": _array(one.result(index, last[index])) for one in measured}
        if attention is not None:
            arrays["attention"], arrays["reference_attention"] = map(_array, attention[index])
        results.append(PassArrays.of_arrays(arrays))
    return results


def _padded(
    sequences: Sequence[TokenSequence], loaded: LoadedModel, padding_side: str
) -> tuple[dict[str, Any], list[Rows]]:
    """Return the model's inputs and where each sequence has its answer.

    Padding on the right needs no mask: no token sees a later one. Padding on the left does, and positions are counted
    over the mask.
    """
    length = max(len(sequence) for sequence in sequences)
    ids = torch.zeros(len(sequences), length, dtype=torch.long)
    mask = torch.zeros_like(ids)
    rows = []
    for index, sequence in enumerate(sequences):
        start = length - len(sequence) if padding_side == "left" else 0
        ids[index, start : start + len(sequence)] = torch.tensor(sequence.prefix + sequence.answer)
        mask[index, start : start + len(sequence)] = 1
        first = start + len(sequence.prefix)
        columns = sequence.references or (0, 0)
        rows.append(Rows((first, first + len(sequence.answer)), (start + columns[0], start + columns[1])))
    inputs: dict[str, Any] = {"input_ids": ids.to(loaded.device), "use_cache": False}
    if padding_side == "left":
        inputs["attention_mask"] = mask.to(loaded.device)
        inputs["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0).to(loaded.device)
    else:
        inputs["position_ids"] = torch.arange(length, device=loaded.device)[None].expand(len(sequences), -1)
    return inputs, rows


def _prove_same_answer(ids: torch.Tensor, sequences: Sequence[TokenSequence], rows: Sequence[Rows]) -> None:
    for index, (sequence, row) in enumerate(zip(sequences, rows, strict=True)):
        if tuple(ids[index, row.answer[0] : row.answer[1]].tolist()) != sequence.answer:
            raise ReadingError("the answer's tokens in the model's input differ from those of the tokenised answer")


def _depth(spec: ReadingSpec, n_layers: int, pool: AttentionPool | None) -> int:
    """Return how many layers have to run; a pass that pools nothing may end earlier."""
    deepest = max((*spec.layers, *(spec.attention_layers or ())), default=0)
    if deepest > n_layers:
        raise ReadingError(f"the reader has layers 0 to {n_layers}, the detector asks for {deepest}")
    if spec.log_probs:
        return n_layers
    return max((*spec.layers, *(layer + 1 for layer in (pool.layers if pool is not None else ()))), default=0)


def _pool(spec: ReadingSpec, rows: Sequence[Rows], n_layers: int) -> AttentionPool | None:
    if not spec.attends:
        return None
    layers = range(n_layers) if spec.attention_layers is None else [layer - 1 for layer in spec.attention_layers]
    return AttentionPool(rows, frozenset(layers), spec.attention_heads)


@contextmanager
def _keeping(model: Any, layers: Sequence[int], rows: Sequence[Rows]) -> Iterator[Mapping[int, list[torch.Tensor]]]:
    """Keep the answer rows of the hidden states after the given layers, while the block runs."""
    kept: dict[int, list[torch.Tensor]] = {}

    def keep(layer: int, output: Any) -> None:
        states = output[0] if isinstance(output, tuple) else output
        kept[layer] = [states[index, row.answer[0] : row.answer[1]].clone() for index, row in enumerate(rows)]

    modules = decoder_layers(model)
    handles = [
        modules[layer - 1].register_forward_hook(lambda _module, _args, output, layer=layer: keep(layer, output))
        if layer
        else modules[0].register_forward_pre_hook(
            lambda _module, args, kwargs: keep(0, args[0] if args else kwargs["hidden_states"]), with_kwargs=True
        )
        for layer in layers
    ]
    try:
        yield kept
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _stopping(model: Any, depth: int | None) -> Iterator[None]:
    """End the forward pass with `_DeepEnoughError` after `depth` layers, while the block runs; None runs all."""
    modules = decoder_layers(model)
    if depth is None or depth >= len(modules):
        yield
        return

    def stop(*_: Any) -> None:
        raise _DeepEnoughError

    handle = modules[depth].register_forward_pre_hook(stop)
    try:
        yield
    finally:
        handle.remove()


def _over_the_vocabulary(
    model: Any,
    states: torch.Tensor,
    sequence: TokenSequence,
    row: Rows,
    *,
    likelihoods: bool,
    index: int,
    measured: Sequence[Measure],
) -> dict[str, Floats]:
    """Return log-probability and entropy (nats) of each answer token, from the position before it, if asked for.

    The logits are shown to the measures that want them.
    """
    wanting = [measure for measure in measured if "logits" in measure.shown]
    if not (likelihoods or wanting):
        return {}
    first = row.answer[0] - 1
    targets = torch.tensor(sequence.answer, device=states.device)
    log_prob, entropy = [], []
    for start in range(0, len(targets), _LOGIT_ROWS):
        chunk = targets[start : start + _LOGIT_ROWS]
        logits = output_logits(model, states[first + start : first + start + len(chunk)])
        for measure in wanting:
            measure.logits(index, start, logits)
        if likelihoods:
            log_probs = torch.log_softmax(logits, dim=-1)
            log_prob.append(log_probs.gather(1, chunk[:, None])[:, 0])
            entropy.append(-(log_probs.exp() * log_probs).sum(dim=-1))
    if not likelihoods:
        return {}
    return {"log_prob": _array(torch.cat(log_prob)), "entropy": _array(torch.cat(entropy))}


def _array(tensor: torch.Tensor) -> Floats:
    array: Floats = tensor.float().cpu().numpy()
    return array
