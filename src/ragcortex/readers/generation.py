"""The reader writes: answers sampled with a seed, and the probability of given continuations of a prompt."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from ragcortex.errors import InputError
from ragcortex.readers._hf import decoder, output_logits
from ragcortex.readers.finite import not_finite
from ragcortex.readers.key_values import keep_rows, read_prefix, reserved, shared, with_cache
from ragcortex.readers.memory import return_freed_memory
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.prompts import Prompter, PromptTemplate
from ragcortex.readers.reader import Reader
from ragcortex.score_arrays import Floats

Ids = tuple[int, ...]

# Tokens, padding included, whose keys and values are held at once while writing (1.1 GiB for the embedded reader).
_WRITTEN_TOKENS: Final = 24_576


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen.

    Attributes:
        temperature: divides the logits; 0 always takes the most probable token.
        top_p: sample among the fewest most probable tokens whose probabilities sum to at least this; 1 means all.
        max_new_tokens: tokens written at most; a text that is stopped there says so.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 160

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise InputError("temperature", f"must be a number from 0 on, got {self.temperature!r}")
        if not 0 < self.top_p <= 1:
            raise InputError("top_p", f"must be a number in (0, 1], got {self.top_p!r}")
        whole = isinstance(self.max_new_tokens, int) and not isinstance(self.max_new_tokens, bool)
        if not whole or self.max_new_tokens < 1:
            raise InputError("max_new_tokens", f"must be a whole number from 1 on, got {self.max_new_tokens!r}")


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a model wrote.

    Attributes:
        text: without control tokens; may be empty.
        n_tokens: tokens written, the one that ends the text not counted.
        ended: whether the model ended it; False where it was stopped at `max_new_tokens`.
    """

    text: str
    n_tokens: int
    ended: bool


def write(reader: Reader, prompts: Sequence[Ids], n: int, sampling: Sampling, *, seed: int = 0) -> list[list[Written]]:
    """Return n texts a prompt, in order.

    A text depends on the model, its prompt, `sampling`, `seed` and its own number, not on what else is written at the
    same time, beyond rounding.

    Args:
        reader: the model that writes.
        prompts: token ids, as `reader.prompter.prefix(question, references).ids` gives them; none is cut.
        n: texts a prompt; those of temperature 0 are all the same.
        sampling: how tokens are chosen.
        seed: another seed gives other texts.

    Raises:
        InputError: a prompt is empty, or leaves no room for `max_new_tokens` in the reader's window.
        ReadingError: the model's numbers are not finite.
    """
    if n < 1:
        raise InputError("n", f"must be a whole number from 1 on, got {n!r}")
    for prompt in prompts:
        _check_room(reader, len(prompt), sampling.max_new_tokens)
    texts: list[list[Written]] = [[] for _ in prompts]
    for batch in _batches([n * (len(prompt) + sampling.max_new_tokens) for prompt in prompts], _WRITTEN_TOKENS):
        rows = [_Row(prompts[index], number, seed) for index in batch for number in range(n)]
        _write_rows(reader, [prompts[index] for index in batch], rows, sampling)
        for place, index in enumerate(batch):
            texts[index] = [_written(reader, row) for row in rows[place * n : (place + 1) * n]]
        return_freed_memory()
    return texts


def option_log_probs(reader: Reader, prompts: Sequence[Ids], options: Sequence[Ids]) -> Floats:
    """Return log p(option | prompt), the sum over the option's tokens, float64 (prompts, options), at most 0.

    What all prompts begin with is read once and its keys and values are put before the rest of each, so that many
    questions on one text cost little more than their own words.

    Raises:
        InputError: a prompt or an option is empty, or a prompt with its longest option exceeds the reader's window.
        ReadingError: the model's numbers are not finite.
    """
    if not options or not all(options):
        raise InputError("options", "must be at least one continuation of at least one token each")
    for prompt in prompts:
        _check_room(reader, len(prompt), max(map(len, options)))
    log_probs = np.zeros((len(prompts), len(options)))
    if not prompts:
        return log_probs
    loaded = reader.loaded
    n_shared = _common_length(prompts)
    prefix = shared(read_prefix(loaded.model, prompts[0][:n_shared], loaded.device)[0]) if n_shared else None
    heads = list(dict.fromkeys(option[:-1] for option in options))
    asked = [(index, head, prompt[n_shared:] + head) for index, prompt in enumerate(prompts) for head in heads]
    for batch in _batches([len(tail) for *_, tail in asked], reader.options.batch_tokens):
        found = _next_log_probs(loaded, prefix, n_shared, [(asked[i][2], len(asked[i][1])) for i in batch])
        for place, table in zip(batch, found, strict=True):
            index, head, _ = asked[place]
            for column, option in enumerate(options):
                if option[:-1] == head:
                    log_probs[index, column] = sum(table[step, token] for step, token in enumerate(option))
    if not np.isfinite(log_probs).all():
        raise not_finite(loaded, "the probabilities of the given continuations")
    return log_probs


def worded(reader: Reader, with_references: str) -> Prompter:
    """Return what builds prompts of another wording for this reader, in the same frame (chat or raw) as its own."""
    return Prompter(reader.loaded.tokenizer, PromptTemplate(reader.template.name, with_references))


def _check_room(reader: Reader, n_prompt: int, n_new: int) -> None:
    if not n_prompt:
        raise InputError("prompts", "must each have at least one token")
    if n_prompt + n_new > reader.window:
        raise InputError(
            "prompts",
            f"one takes {n_prompt:,} tokens, which with {n_new:,} more exceeds the reader's window of "
            f"{reader.window:,}; divide its references into windows",
        )


class _Row:
    """One text being written."""

    def __init__(self, prompt: Ids, number: int, seed: int) -> None:
        digest = hashlib.sha256(repr((seed, number, prompt)).encode()).digest()
        self.random = np.random.default_rng(list(digest))
        self.ids: list[int] = []
        self.ended = False


@torch.inference_mode()
def _write_rows(reader: Reader, prompts: Sequence[Ids], rows: Sequence[_Row], sampling: Sampling) -> None:
    """Write the rows, the same number a prompt, in step; those that have ended leave the batch."""
    loaded = reader.loaded
    n = len(rows) // len(prompts)
    ends = _end_ids(loaded)
    read = [read_prefix(loaded.model, prompt, loaded.device) for prompt in prompts]
    states = torch.stack([state for _, state in read]).repeat_interleave(n, dim=0)
    # One hidden column more than the longest prompt needs: with nothing to hide transformers passes no mask, and a
    # reader's soft-capped attention (Gemma 2) takes no mask to mean as many queries as keys.
    length = max(map(len, prompts)) + 1
    cache = reserved([(one, n) for one, _ in read], length, sampling.max_new_tokens)
    del read
    sizes = torch.tensor([len(prompt) for prompt in prompts], device=loaded.device).repeat_interleave(n)
    steps = torch.arange(length + sampling.max_new_tokens, device=loaded.device)
    active = list(rows)
    for step in range(sampling.max_new_tokens):
        logits = output_logits(loaded.model, states)
        if not bool(torch.isfinite(logits).all()):
            raise not_finite(loaded, f"the logits of token {step + 1} to be written")
        chosen = _chosen(logits, active, sampling)
        going = [place for place, token in enumerate(chosen) if token not in ends]
        for place, token in enumerate(chosen):
            active[place].ended = token in ends
            if token not in ends:
                active[place].ids.append(token)
        if not going or step + 1 == sampling.max_new_tokens:
            return
        if len(going) < len(active):
            kept = torch.tensor(going, device=loaded.device)
            keep_rows(cache, kept)
            sizes, active, chosen = sizes[kept], [active[i] for i in going], [chosen[i] for i in going]
        seen = steps[None, : length + step + 1] >= length - sizes[:, None]
        states = with_cache(
            loaded.model,
            cache,
            input_ids=torch.tensor(chosen, device=loaded.device)[:, None],
            attention_mask=seen.long(),
            position_ids=(sizes + step)[:, None],
        )[:, -1]


def _chosen(logits: torch.Tensor, rows: Sequence[_Row], sampling: Sampling) -> list[int]:
    """Return each row's next token: the most probable one, or the one its own random number falls on."""
    if sampling.temperature == 0:
        greedy: list[int] = logits.argmax(dim=-1).tolist()
        return greedy
    probs = torch.softmax(logits.double() / sampling.temperature, dim=-1)
    order: torch.Tensor | None = None
    if sampling.top_p < 1:
        probs, order = probs.sort(dim=-1, descending=True, stable=True)
        probs = probs * (probs.cumsum(dim=-1) - probs < sampling.top_p)
    totals = probs.cumsum(dim=-1)
    random = torch.tensor([row.random.random() for row in rows], dtype=torch.float64, device=logits.device)[:, None]
    places = torch.searchsorted(totals, random * totals[:, -1:], right=True).clamp(max=totals.shape[-1] - 1)
    tokens: list[int] = (places if order is None else order.gather(-1, places))[:, 0].tolist()
    return tokens


def _written(reader: Reader, row: _Row) -> Written:
    text: str = reader.loaded.tokenizer.decode(row.ids, skip_special_tokens=True)
    return Written(text, len(row.ids), row.ended)


def _end_ids(loaded: LoadedModel) -> frozenset[int]:
    """Return the tokens that end a text, by the model's generation settings and by its tokenizer."""
    told = getattr(getattr(loaded.model, "generation_config", None), "eos_token_id", None)
    found = told if isinstance(told, list) else [told]
    return frozenset(token for token in (*found, loaded.tokenizer.eos_token_id) if token is not None)


@torch.inference_mode()
def _next_log_probs(
    loaded: LoadedModel, prefix: Any, n_shared: int, tails: Sequence[tuple[Ids, int]]
) -> list[torch.Tensor]:
    """Return for each tail log p of the next token after its last h + 1 prefixes, float64 (h + 1, vocabulary).

    Tails are padded on the right, which needs no mask: no token sees a later one.
    """
    longest = max(len(ids) for ids, _ in tails)
    ids = torch.tensor([list(tail) + [0] * (longest - len(tail)) for tail, _ in tails], device=loaded.device)
    positions = torch.arange(n_shared, n_shared + longest, device=loaded.device)[None].expand(len(tails), -1)
    if prefix is None:
        states = decoder(loaded.model)(input_ids=ids, position_ids=positions, use_cache=False).last_hidden_state
    else:
        states = with_cache(loaded.model, prefix, input_ids=ids, position_ids=positions)
    rows = [states[index, len(tail) - 1 - head : len(tail)] for index, (tail, head) in enumerate(tails)]
    return [torch.log_softmax(output_logits(loaded.model, row).double(), dim=-1).cpu() for row in rows]


def _common_length(prompts: Sequence[Ids]) -> int:
    """Return how many tokens all prompts begin with, at least two tokens before the shortest one's end.

    A single query after a prefix would be given no mask; see `_write_rows`.
    """
    first, last = min(prompts), max(prompts)
    limit = min(map(len, prompts)) - 2
    same = next((place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), limit)
    return max(0, min(same, limit))


def _batches(sizes: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Yield indices of like size, at most `limit` a batch with each padded to the largest (or one index) a batch."""
    batch: list[int] = []
    for index in sorted(range(len(sizes)), key=lambda index: sizes[index]):
        if batch and (len(batch) + 1) * sizes[index] > limit:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
