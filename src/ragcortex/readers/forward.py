"""One batched forward pass: hidden states, likelihoods and pooled attention of the answer's tokens only."""

from collections.abc import Sequence
from typing import Any, Final

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers._hf import decoder, final_norm, output_logits
from ragcortex.readers.attention import AttentionPool, AttentionWatch, Rows, watching
from ragcortex.readers.layer_hooks import as_floats, ended_early, keeping, stopping
from ragcortex.readers.measures.measure import AttentionShown, Measure, PassContext, shown_layers
from ragcortex.readers.measures.registry import measures
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packed_layout import laid_out
from ragcortex.readers.packed_row import Place
from ragcortex.readers.reading import Floats, PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenBatch, TokenSequence, packed, padded, prove_same_answer

# Rows whose logits are held at once: with 128,000 words in the vocabulary 128 MiB in float32.
_LOGIT_ROWS: Final = 256


def forward(
    loaded: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec, *, padding_side: str
) -> list[PassArrays]:
    """Return the arrays of each sequence, read in a row of its own; no layer deeper than the spec needs is run.

    All sequences are of one kind: with references (attention is pooled) or without.

    Raises:
        ReadingError: the answer's tokens are not where they were put, or attention cannot be pooled.
    """
    return _read(loaded, sequences, spec, padded(sequences, loaded, padding_side))


def packed_forward(loaded: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec) -> list[PassArrays]:
    """Return what `forward` returns, both kinds of sequences together in one row, where like prefixes stand once.

    All layers that any of them needs are run for all. Measures see whole rows and are not for it.

    Raises:
        ReadingError: as `forward`, or the spec has measures.
    """
    if spec.measures:
        raise ReadingError("measures are taken of sequences in rows of their own")
    return _read(loaded, sequences, spec, packed(sequences, loaded))


def same_depth(spec: ReadingSpec, n_layers: int) -> bool:
    """Return whether passes with and without references need the same layers, so that one row wastes none."""
    with_references = max(n_layers if spec.attention_layers is None else 0, *(spec.attention_layers or ()), 0)
    return spec.log_probs or with_references <= max(spec.layers, default=0)


@torch.inference_mode()
def _read(
    loaded: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec, batch: TokenBatch
) -> list[PassArrays]:
    prove_same_answer(batch, sequences)
    n_layers = loaded.identity.n_layers
    with_references = any(sequence.references is not None for sequence in sequences)
    pool = _pool(spec, batch.rows, n_layers) if with_references else None
    measured: list[Measure] = []
    if with_references and spec.measures:
        rows = [row for row in batch.rows if row is not None]
        answers, lengths = [sequence.answer for sequence in sequences], [len(sequence) for sequence in sequences]
        measured = measures(spec.measures, PassContext(loaded.model, n_layers, rows, answers, lengths))
    shown = [AttentionShown(measure) for measure in measured if "attention" in measure.shown]
    depth = _depth(spec, n_layers, pool)
    whole = spec.log_probs or bool(measured)
    last: torch.Tensor | None = None
    with (
        laid_out(batch.layout),
        watching(AttentionWatch(batch.rows, [*([pool] if pool is not None else []), *shown])),
        keeping(loaded.model, spec.layers, batch.places) as kept,
        shown_layers(measured),
        stopping(loaded.model, None if whole else depth),
        ended_early(),
    ):
        last = decoder(loaded.model)(**batch.inputs).last_hidden_state
    for observer in shown:
        observer.check()
    attention = pool.means() if pool is not None else {}
    results = []
    for index, (sequence, place) in enumerate(zip(sequences, batch.places, strict=True)):
        hidden = {layer: states[index] for layer, states in kept.items()}
        if spec.final_norm:
            hidden = {layer: final_norm(loaded.model, states) for layer, states in hidden.items()}
        arrays = {f"hidden.{layer}": as_floats(states) for layer, states in hidden.items()}
        if last is not None and whole:
            states = last[place.row]
            arrays |= _over_the_vocabulary(
                loaded.model, states, sequence, place, likelihoods=spec.log_probs, index=index, measured=measured
            )
            arrays |= {f"measure.{one.name}": as_floats(one.result(index, states)) for one in measured}
        if index in attention:
            arrays["attention"], arrays["reference_attention"] = map(as_floats, attention[index])
        results.append(PassArrays.of_arrays(arrays))
    return results


def _depth(spec: ReadingSpec, n_layers: int, pool: AttentionPool | None) -> int:
    """Return how many layers have to run; a pass that pools nothing may end earlier."""
    deepest = max((*spec.layers, *(spec.attention_layers or ())), default=0)
    if deepest > n_layers:
        raise ReadingError(f"the reader has layers 0 to {n_layers}, the detector asks for {deepest}")
    if spec.log_probs:
        return n_layers
    return max((*spec.layers, *(layer + 1 for layer in (pool.layers if pool is not None else ()))), default=0)


def _pool(spec: ReadingSpec, rows: Sequence[Rows | None], n_layers: int) -> AttentionPool | None:
    if not spec.attends:
        return None
    layers = range(n_layers) if spec.attention_layers is None else [layer - 1 for layer in spec.attention_layers]
    return AttentionPool(rows, frozenset(layers), spec.attention_heads)


def _over_the_vocabulary(
    model: Any,
    states: torch.Tensor,
    sequence: TokenSequence,
    place: Place,
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
    drawn_from = torch.tensor([place.previous, *range(place.start, place.stop - 1)], device=states.device)
    targets = torch.tensor(sequence.answer, device=states.device)
    log_prob, entropy = [], []
    for start in range(0, len(targets), _LOGIT_ROWS):
        chunk = targets[start : start + _LOGIT_ROWS]
        logits = output_logits(model, states[drawn_from[start : start + len(chunk)]])
        for measure in wanting:
            measure.logits(index, start, logits)
        if likelihoods:
            log_probs = torch.log_softmax(logits, dim=-1)
            log_prob.append(log_probs.gather(1, chunk[:, None])[:, 0])
            entropy.append(-(log_probs.exp() * log_probs).sum(dim=-1))
    if not likelihoods:
        return {}
    return {"log_prob": as_floats(torch.cat(log_prob)), "entropy": as_floats(torch.cat(entropy))}
