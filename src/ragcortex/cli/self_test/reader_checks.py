"""The reader's fast ways to read against slow ones, in the precision and on the device that it has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.measured import TOLERANCES, measured, not_run
from ragcortex.cli.self_test.slow_reading import slow_reading
from ragcortex.cli.self_test.texts import LONG, SHORT, SUPPORTED, UNSUPPORTED
from ragcortex.errors import ReadingError
from ragcortex.example import Example
from ragcortex.readers.forward import forward, packed_forward
from ragcortex.readers.growing_answer import GrowingAnswer
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

_BATCH_TOKENS = 100_000
_PREFIX_BYTES = 1 << 30
_Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ReaderChecks:
    """The checks of one reader; every one reads the same answer in two ways.

    Attributes:
        reader: as a detector uses it.
        alone: the reading of that answer by itself, with all signals.
    """

    reader: Reader
    alone: PassArrays

    @classmethod
    def of(cls, reader: Reader) -> "ReaderChecks":
        """Return the checks of a reader.

        Raises:
            ReadingError: its numbers are not finite, or its window is too short for the texts.
        """
        plan = reader.plan(UNSUPPORTED)
        if len(plan.windows) > 1 or len(plan.pieces) > 1:
            raise ReadingError(
                f"the reader's window of {reader.window:,} tokens is too short for the texts of the self-test; use a "
                "reader with a longer one"
            )
        return cls(reader, _read(reader, [UNSUPPORTED], _everything(reader)))

    def findings(self) -> Iterator[Finding]:
        """Yield the findings one by one."""
        yield from self.against_eager()
        yield self.padded()
        yield self.packed()
        yield self.kept_prefix()
        yield self.growing()
        yield self.one_thread()
        yield self.later_token()

    def against_eager(self) -> Iterator[Finding]:
        """Yield what the reader takes while the layers run against whole attention maps and all states."""
        loaded = self.reader.loaded
        slow = slow_reading(loaded, self._sequence())
        got = self.alone
        assert got.attention is not None
        assert got.reference_attention is not None
        assert got.log_prob is not None
        attention = max(
            _largest(got.attention, slow.attention), _largest(got.reference_attention, slow.reference_attention)
        )
        states = max(_relative(got.hidden[layer], states) for layer, states in enumerate(slow.hidden))
        maps = f"attention pooled while reading against all maps of {loaded.identity.n_layers} layers"
        yield self._finding("pooled attention", attention, maps)
        yield self._finding("pooled states", states, "hidden states against those with eager attention")
        likelihoods = _largest(np.exp(got.log_prob), slow.probability)
        yield self._finding("likelihoods", likelihoods, "token probabilities against those with eager attention")

    def padded(self) -> Finding:
        """Return the answer alone against the answer in a padded batch, on either side."""
        difference = 0.0
        for side in ("right", "left"):
            options = replace(self._options(), share_prefixes=False, padding_side=side)
            difference = max(difference, self._from_alone(self._among_others(options)))
        return self._finding("padded batch", difference, "one answer alone and between a short and a long neighbour")

    def packed(self) -> Finding:
        """Return the answer alone against the answer in one row with others."""
        name = "packed batch"
        if not self.reader.can_pack:
            return not_run(name, "this reader's architecture reads each answer in a row of its own")
        difference = self._from_alone(self._among_others(self._options()))
        return self._finding(name, difference, "one answer alone and in one row with a short and a long neighbour")

    def kept_prefix(self) -> Finding:
        """Return the answer read whole against the answer behind question and references that were kept."""
        reader = Reader(
            self.reader.loaded,
            template=self.reader.template,
            options=replace(self._options(), prefix_bytes=_PREFIX_BYTES),
        )
        spec = self._states()
        _read(reader, [SUPPORTED], spec)
        got = _read(reader, [UNSUPPORTED], spec)
        if not reader.prefixes.n_found:
            raise ReadingError("no prefix was found that was just kept; report it")
        return self._finding("kept prefix", self._from_alone(got), "one answer read whole and behind a kept prefix")

    def growing(self) -> Finding:
        """Return the answer read whole against the answer read as it grows."""
        name, answer = "growing answer", UNSUPPORTED.answer
        grows = GrowingAnswer(self.reader, UNSUPPORTED.question, UNSUPPORTED.references, self._states())
        for end in range(20, len(answer), 40):
            if grows.obstacle is None:
                grows.stretch(answer[:end], 0, end)
        reading = grows.whole(UNSUPPORTED)
        if reading is None:
            return not_run(name, grows.obstacle or "this reader takes the whole answer at once")
        got = reading.blocks[0].ref
        return self._finding(name, self._from_alone(got), "one answer read whole and as it grows")

    def one_thread(self) -> Finding:
        """Return the answer read on one thread against the answer read on all."""
        n_threads = torch.get_num_threads()
        if n_threads == 1:
            return not_run("one thread", "one thread is all that is used here")
        torch.set_num_threads(1)
        try:
            got = _read(self.reader, [UNSUPPORTED], _everything(self.reader))
        finally:
            torch.set_num_threads(n_threads)
        return self._finding("one thread", self._from_alone(got), f"one answer on one thread and on {n_threads}")

    def later_token(self) -> Finding:
        """Return what another last token changes in the rows before it, in which nothing may know of it."""
        loaded, spec = self.reader.loaded, _everything(self.reader)
        sequence = self._sequence()
        other = next(token for token in sequence.answer if token != sequence.answer[-1])
        changed = replace(sequence, answer=(*sequence.answer[:-1], other))
        read = packed_forward if self.reader.can_pack else partial(forward, padding_side="right")
        with loaded.turn:
            before, after = (read(loaded, [one], spec)[0] for one in (sequence, changed))
        last = len(sequence.answer) - 1
        difference = _largest_of(_rows(before, last), _rows(after, last))
        return self._finding("later token", difference, "what precedes the last token, with that token and another one")

    def _sequence(self) -> TokenSequence:
        plan = self.reader.plan(UNSUPPORTED)
        return TokenSequence(plan.windows[0].ids, plan.tokens.ids, plan.windows[0].references)

    def _options(self) -> ReaderOptions:
        return replace(self.reader.options, batch_tokens=_BATCH_TOKENS)

    def _states(self) -> ReadingSpec:
        n_layers = self.reader.identity.n_layers
        return ReadingSpec(layers=tuple(sorted({n_layers // 2, n_layers - 1})))

    def _among_others(self, options: ReaderOptions) -> PassArrays:
        reader = Reader(self.reader.loaded, template=self.reader.template, options=options)
        return _read(reader, [UNSUPPORTED, SHORT, LONG], _everything(reader))

    def _from_alone(self, got: PassArrays) -> float:
        expected = self.alone.arrays()
        return _largest_of(got.arrays(), {name: expected[name] for name in got.arrays()})

    def _finding(self, name: str, difference: float, what: str) -> Finding:
        where = f"{what} ({self.reader.dtype} on {self.reader.device})"
        return measured(name, difference, TOLERANCES[self.reader.dtype], where)


def _everything(reader: Reader) -> ReadingSpec:
    return ReadingSpec(layers=tuple(range(reader.identity.n_layers)), attention_layers=None, log_probs=True)


def _read(reader: Reader, examples: Sequence[Example], spec: ReadingSpec) -> PassArrays:
    """Return the pass with references of the first example, read together with the others."""
    first, *_ = reader.read(examples, spec)
    return first.blocks[0].ref


def _rows(arrays: PassArrays, n: int) -> dict[str, npt.NDArray[np.float32]]:
    return {name: array[:n] for name, array in arrays.arrays().items()}


def _largest_of(got: Mapping[str, npt.NDArray[np.float32]], expected: Mapping[str, npt.NDArray[np.float32]]) -> float:
    """Return the largest difference of any array: of states and entropies relative, of all others as they are."""
    found = [0.0]
    for name, array in got.items():
        if name.startswith("hidden") or name == "entropy":
            found.append(_relative(array, expected[name]))
        elif name == "log_prob":
            found.append(_largest(np.exp(array), np.exp(expected[name])))
        else:
            found.append(_largest(array, expected[name]))
    return float(np.max(found))  # not a number, if one of them is none


def _relative(got: _Floats, expected: _Floats) -> float:
    return _largest(got, expected) / float(np.abs(expected).max())


def _largest(got: _Floats, expected: _Floats) -> float:
    return float(np.abs(got - expected).max())
