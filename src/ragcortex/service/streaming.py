"""A detector's incremental check, run in the thread of its lane, for a stream of the service."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ragcortex.example import Example
from ragcortex.report import Report
from ragcortex.service.judges import Judges

if TYPE_CHECKING:
    from ragcortex.detectors.incremental import IncrementalCheck

T = TypeVar("T")


class StreamedCheck:
    """One answer that is judged while it arrives; its models are used in their lane only."""

    def __init__(self, judges: Judges, witness: str, check: "IncrementalCheck", timeout: float) -> None:
        self._judges = judges
        self._witness = witness
        self._check: IncrementalCheck | None = check
        self._timeout = timeout

    async def add(self, text: str) -> dict[str, Any] | None:
        """Return what is new with more of the answer, as JSON values; None where nothing is.

        Raises:
            Busy, TimeoutError: the service is at its limit.
            RagcortexError: the answer cannot be judged.
        """
        progress = await self._run(lambda: self._open().add(text))
        if not progress.sentences and not progress.notes:
            return None
        values = progress.to_dict()
        return {
            "final": False,
            "tokens": [token for one in values["sentences"] for token in one["tokens"]],
            "spans": [span for one in values["sentences"] for span in one["spans"]],
            **values,
        }

    async def finish(self) -> Report:
        """Return the report on the whole answer, which is that of an ordinary check.

        Raises:
            Busy, TimeoutError, RagcortexError: as `add`.
        """
        return await self._run(lambda: self._open().finish())

    def close(self) -> None:
        """Let go of what is kept of the source."""
        self._check = None

    def _open(self) -> "IncrementalCheck":
        assert self._check is not None, "a stream is closed once, at its end"
        return self._check

    async def _run(self, call: Callable[[], T]) -> T:
        return await self._judges.run(call, witness=self._witness, timeout=self._timeout)


async def open_stream(judges: Judges, example: Example, witness: str, *, timeout: float) -> StreamedCheck:
    """Return a check of an answer that has not arrived yet; the source is read now.

    Raises:
        InputError: the question or the references cannot be used.
        Busy, TimeoutError: the service is at its limit.
    """
    from ragcortex.detectors.incremental import IncrementalCheck

    def begin() -> IncrementalCheck:
        return IncrementalCheck(judges.detector(witness), example.question, example.references)

    check = await judges.run(begin, witness=witness, timeout=timeout)
    return StreamedCheck(judges, witness, check, timeout)
