"""Who writes the sampled answers of self-consistency, and how they are kept on disk.

References longer than the reader's window are divided as for reading: every window has its own samples.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ragcortex.benchmark.chat_endpoint import ChatEndpoint
from ragcortex.benchmark.keyed_rows import KeyedRows, key_of
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.generation import Sampling, Written, write
from ragcortex.readers.prompts import SEPARATOR
from ragcortex.readers.reader import Reader

WriterKind = Literal["reader", "endpoint"]
WRITERS: Final = ("reader", "endpoint")
# Sources written side by side: each step of a model costs nearly the same for one text as for thirty.
_TOGETHER: Final = 8
PARALLEL_REQUESTS: Final = 8

Samples = tuple[tuple[Written, ...], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """What answers are written from: the same for all answers of one group.

    Attributes:
        question: the user's question, None where there was none.
        references: texts of the passages that hold any.
    """

    question: str | None
    references: tuple[str, ...]

    @classmethod
    def of(cls, example: Example) -> "Source":
        """Return the source of an answer.

        Raises:
            InputError: all references are blank.
        """
        texts = tuple(reference.text for reference in example.references if reference.text.strip())
        if not texts:
            raise InputError("references", f"of example {example.id!r} are all blank, so nothing can be asked of them")
        return cls(example.question, texts)


class Writer(Protocol):
    """Something that writes answers to a source."""

    def key(self) -> Mapping[str, Any]:
        """Return everything about it that changes what it writes, as JSON values."""

    def samples(self, sources: Sequence[Source], n: int, sampling: Sampling, seed: int) -> Iterator[Samples]:
        """Yield n answers to each window of each source, in order: one tuple a window."""


class ReaderWriter:
    """The benchmark's own reader, which answers as its prompt template asks."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def key(self) -> Mapping[str, Any]:
        """Return the reader's fingerprint, precision, window, template and libraries."""
        return self._reader.key()

    def samples(self, sources: Sequence[Source], n: int, sampling: Sampling, seed: int) -> Iterator[Samples]:
        """Yield the reader's answers; see `Writer`.

        Raises:
            InputError: a question leaves no room for references and an answer in the window.
            ReadingError: the reader's numbers are not finite.
        """
        prompter, room = self._reader.prompter, self._reader.window - sampling.max_new_tokens
        for start in range(0, len(sources), _TOGETHER):
            together = sources[start : start + _TOGETHER]
            windows = [prompter.windows(source.question, source.references, room) for source in together]
            prompts = [prefix.ids for prefixes in windows for prefix in prefixes]
            texts = iter(write(self._reader, prompts, n, sampling, seed=seed))
            for prefixes in windows:
                yield tuple(tuple(next(texts)) for _ in prefixes)


class EndpointWriter:
    """A chat model, which is given the question and the references in one message."""

    def __init__(self, endpoint: ChatEndpoint) -> None:
        self._endpoint = endpoint

    def key(self) -> Mapping[str, Any]:
        """Return the endpoint's address and model."""
        return {"endpoint": self._endpoint.shown, "model": self._endpoint.model}

    def samples(self, sources: Sequence[Source], n: int, sampling: Sampling, seed: int) -> Iterator[Samples]:
        """Yield the chat model's answers, all in one window; see `Writer`.

        Raises:
            InputError: the endpoint refuses a source as too long.
            ModelError: the endpoint fails.
        """
        with ThreadPoolExecutor(PARALLEL_REQUESTS) as pool:
            for source in sources:
                yield (tuple(pool.map(lambda number: self._one(source, number, sampling, seed), range(n))),)  # noqa: B023

    def _one(self, source: Source, number: int, sampling: Sampling, seed: int) -> Written:
        text = SEPARATOR.join([*([source.question] if source.question else []), *source.references])
        own = hashlib.sha256(repr((seed, number, text)).encode()).digest()
        answer = self._endpoint.ask(
            text,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_new_tokens,
            seed=int.from_bytes(own[:4]) >> 1,
        )
        return Written(answer.text, len(answer.text.split()), answer.ended)


@dataclass(frozen=True, slots=True)
class SampleFile:
    """Samples on disk, made once a source.

    Attributes:
        writer: who writes.
        n: answers a window.
        sampling, seed: how.
        rows: where they are kept.
    """

    writer: Writer
    n: int
    sampling: Sampling
    seed: int
    rows: KeyedRows

    def of(self, sources: Sequence[Source]) -> Iterator[Samples]:
        """Yield the samples of each source, in order; those not on disk are written, and kept as soon as they are."""
        keys = [self._key(source) for source in sources]
        missing = {key: source for key, source in zip(keys, sources, strict=True) if self.rows.get(key) is None}
        fresh = zip(missing, self.writer.samples(list(missing.values()), self.n, self.sampling, self.seed), strict=True)
        for key in keys:
            while (row := self.rows.get(key)) is None:
                made, samples = next(fresh)
                self.rows.add(made, _row(missing[made], samples))
            yield _samples(row)

    def _key(self, source: Source) -> str:
        sampling = self.sampling
        return key_of(
            {
                "writer": dict(self.writer.key()),
                "n": self.n,
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "max_new_tokens": sampling.max_new_tokens,
                "seed": self.seed,
                "question": source.question,
                "references": list(source.references),
            }
        )


def _row(source: Source, samples: Samples) -> dict[str, Any]:
    windows = [[{"text": w.text, "n_tokens": w.n_tokens, "ended": w.ended} for w in window] for window in samples]
    return {"question": source.question, "windows": windows}


def _samples(row: Mapping[str, Any]) -> Samples:
    return tuple(tuple(Written(**written) for written in window) for window in row["windows"])
