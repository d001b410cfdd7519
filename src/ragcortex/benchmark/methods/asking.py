"""What methods share that ask a model to write or to judge, by source, instead of reading its insides."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragcortex.benchmark.chat_endpoint import ChatEndpoint
from ragcortex.benchmark.method import BenchmarkMethod, Workbench
from ragcortex.benchmark.unanswered import UNPARSABLE, Unparsable
from ragcortex.benchmark.writers import WRITERS, Source, WriterKind
from ragcortex.checks import check_known
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec


class AskingMethod(BenchmarkMethod):
    """A method that asks the benchmark's own reader or a chat endpoint; a subclass sets `card`, whose source names it.

    Args:
        writer: `reader` or `endpoint`.
        url, model: of the endpoint; by default `RAGCORTEX_CHAT_URL` and `RAGCORTEX_CHAT_MODEL`.
        unparsable: what an answer that is neither Yes nor No means: `error`, or `half` for a score of 0.5.

    Raises:
        InputError: a word is unknown, or an endpoint is asked for and neither names its address and model.
    """

    runs_model = True

    def __init__(self, writer: WriterKind, url: str | None, model: str | None, unparsable: Unparsable) -> None:
        check_known("writer", writer, WRITERS)
        check_known("unparsable", unparsable, UNPARSABLE)
        self._endpoint = ChatEndpoint.of_settings(url, model) if writer == "endpoint" else None
        self._unparsable = unparsable

    @property
    def surroundings(self) -> Mapping[str, Any]:  # type: ignore[override]
        """The endpoint, where one writes or judges, and the wording."""
        endpoint = None if self._endpoint is None else [self._endpoint.shown, self._endpoint.model]
        return {"endpoint": endpoint, "source": self.card.source}

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """Return that nothing is read in two passes."""
        return ReadingSpec()


def by_source(bench: Workbench, indices: Sequence[int]) -> dict[Source, list[int]]:
    """Return the answers to each source, in order of first appearance.

    Raises:
        InputError: the references of one are all blank.
    """
    groups: dict[Source, list[int]] = {}
    for index in dict.fromkeys(indices):
        groups.setdefault(Source.of(bench.examples[index]), []).append(index)
    return groups
