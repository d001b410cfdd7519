"""What a reader returns: arrays per answer token, in blocks where the input did not fit the window at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens
from ragcortex.errors import ReadingError

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReadingSpec:
    """What a detector needs of the two passes; the reader computes this and nothing else.

    Attributes:
        layers: hidden states after this many transformer layers (0 = the embeddings).
        final_norm: whether the model's final norm is applied to those hidden states.
        attention_layers: layers (1 = the first) whose attention is pooled; None pools every layer of the reader,
            whatever else is read, so that one detector sees the same attention in training and in use; () pools none.
        attention_heads: heads (0 = the first) pooled in each of those layers; None means all.
        log_probs: whether the likelihood and entropy of every token are needed (reads the whole depth).
        measures: names of further quantities of the pass with references (`readers.measures.registry`), in order;
            each reads the whole depth.
    """

    layers: tuple[int, ...] = ()
    final_norm: bool = False
    attention_layers: tuple[int, ...] | None = ()
    attention_heads: tuple[int, ...] | None = None
    log_probs: bool = False
    measures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, values, first in (
            ("layers", self.layers, 0),
            ("attention_layers", self.attention_layers or (), 1),
            ("attention_heads", self.attention_heads or (), 0),
        ):
            if tuple(sorted(set(values))) != values or min(values, default=first) < first:
                raise ReadingError(f"{name} must be distinct, ascending and at least {first}, got {values}")
        if tuple(sorted(set(self.measures))) != self.measures:
            raise ReadingError(f"measures must be distinct and in alphabetical order, got {self.measures}")
        if self.attention_heads == ():
            raise ReadingError("attention_heads must name at least one head, or be None for all of them")

    @property
    def attends(self) -> bool:
        """Whether attention is pooled at all."""
        return self.attention_layers != ()

    def covers(self, other: "ReadingSpec") -> bool:
        """Return whether a reading of this spec holds everything that one of `other` would, and the same of it."""
        same_norm = not other.layers or self.final_norm == other.final_norm
        same_attention = (self.attention_layers, self.attention_heads) == (
            other.attention_layers,
            other.attention_heads,
        )
        return (
            set(self.layers) >= set(other.layers)
            and same_norm
            and (same_attention or not other.attends)
            and (self.log_probs or not other.log_probs)
            and set(self.measures) >= set(other.measures)
        )

    def union(self, other: "ReadingSpec") -> "ReadingSpec":
        """Return the spec that serves both; raises ReadingError if they pool attention or norm differently."""
        attends = [spec for spec in (self, other) if spec.attends]
        pooled = {(spec.attention_layers, spec.attention_heads) for spec in attends}
        norms = {spec.final_norm for spec in (self, other) if spec.layers}
        if len(pooled) > 1 or len(norms) > 1:
            raise ReadingError("one reading cannot pool attention, or apply the final norm, in two ways")
        attention_layers, attention_heads = pooled.pop() if pooled else ((), None)
        return ReadingSpec(
            layers=tuple(sorted({*self.layers, *other.layers})),
            final_norm=norms.pop() if norms else False,
            attention_layers=attention_layers,
            attention_heads=attention_heads,
            log_probs=self.log_probs or other.log_probs,
            measures=tuple(sorted({*self.measures, *other.measures})),
        )


@dataclass(frozen=True, slots=True)
class PassArrays:
    """One pass over n answer tokens; all float32, rows in answer order.

    Attributes:
        hidden: layer -> (n, d) hidden states at the answer tokens' own positions.
        log_prob: (n,) log-probability of each token given everything before it, or None.
        entropy: (n,) entropy in nats of the distribution each token was drawn from, or None.
        attention: (n, n) attention from token i (row) to token j (column), mean over the pooled layers and heads;
            zero above the diagonal, diagonal included, not renormalised. None if not pooled.
        reference_attention: (n,) attention mass on the references' tokens, pooled alike; None if not pooled.
        measures: name -> (n, ...) what each measure gives for the answer tokens; empty in the pass without references.
    """

    hidden: Mapping[int, Floats]
    log_prob: Floats | None = None
    entropy: Floats | None = None
    attention: Floats | None = None
    reference_attention: Floats | None = None
    measures: Mapping[str, Floats] = field(default_factory=dict)

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays that are there, by name (hidden states as `hidden.LAYER`, measures as `measure.NAME`)."""
        named: dict[str, Floats | None] = {f"hidden.{layer}": states for layer, states in self.hidden.items()}
        named |= {f"measure.{name}": values for name, values in self.measures.items()}
        for name in ("log_prob", "entropy", "attention", "reference_attention"):
            named[name] = getattr(self, name)
        return {name: array for name, array in named.items() if array is not None}

    @classmethod
    def of_arrays(cls, named: Mapping[str, Floats]) -> "PassArrays":
        """Return the pass whose `arrays()` these are."""
        hidden = {int(name.split(".")[1]): array for name, array in named.items() if name.startswith("hidden.")}
        measures = {name.split(".")[1]: array for name, array in named.items() if name.startswith("measure.")}
        return cls(
            hidden=hidden, measures=measures, **{name: array for name, array in named.items() if "." not in name}
        )


@dataclass(frozen=True, slots=True)
class Block:
    """The two passes over a piece of the answer, with one window of the references.

    Attributes:
        start, stop: the answer tokens read here (half-open). The whole answer unless it exceeds the window.
        keep: the first token this block decides on; those before it are context shared with the piece before.
        window: which window of the references the reference-conditioned pass saw.
        ref: the pass with the references.
        noref: the pass without them; pools no attention.
    """

    start: int
    stop: int
    keep: int
    window: int
    ref: PassArrays
    noref: PassArrays

    def __post_init__(self) -> None:
        n = self.stop - self.start
        if not 0 <= self.start <= self.keep < self.stop:
            raise ReadingError(f"a block must satisfy start <= keep < stop, got {self.start}, {self.keep}, {self.stop}")
        for kind, arrays in (("ref", self.ref.arrays()), ("noref", self.noref.arrays())):
            for name, array in arrays.items():
                if array.shape[0] != n or array.dtype != np.float32:
                    raise ReadingError(
                        f"{kind}.{name} must be float32 with {n} rows, got {array.dtype} with shape {array.shape}"
                    )
                if name == "attention" and array.shape != (n, n):
                    raise ReadingError(f"{kind}.attention must have shape {(n, n)}, got {array.shape}")
                if not np.isfinite(array).all():
                    raise ReadingError(
                        f"{kind}.{name} is not finite: the reader's numbers overflow in this precision; "
                        "read in float32 or bfloat16"
                    )


@dataclass(frozen=True, slots=True)
class Reading:
    """Both passes over one answer.

    Attributes:
        tokens: the answer's tokens, the same in both passes.
        blocks: every piece of the answer with every window of the references.
        n_windows: windows the references were read in; 1 if they fitted.
        n_reference_tokens: tokens of the references.
        in_smaller_batch: whether memory ran out for it and others at once, so that it was read with fewer or alone;
            its numbers are those of any batch. Not kept on disk, where it was read says nothing.
    """

    tokens: AnswerTokens
    blocks: tuple[Block, ...] = field(repr=False)
    n_windows: int = 1
    n_reference_tokens: int = 0
    in_smaller_batch: bool = False

    def __post_init__(self) -> None:
        decided = {(block.window, index) for block in self.blocks for index in range(block.keep, block.stop)}
        expected = self.n_windows * len(self.tokens)
        if len(decided) != expected or sum(block.stop - block.keep for block in self.blocks) != expected:
            raise ReadingError("the blocks of a reading must decide on every answer token exactly once per window")

    @property
    def n_pieces(self) -> int:
        """Pieces the answer was read in; 1 if it fitted."""
        return len({block.start for block in self.blocks})
