"""Who judges answers for the service: two lanes, each with a thread and models of its own.

The reading lane has the witnesses that read, and takes together what waits. The geometry lane judges in milliseconds,
one answer after the other, and never waits behind the reader. No model is ever used by two threads at once.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from ragcortex.checks import check_known
from ragcortex.detectors.detector import Detector
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.geometry.corpus import Corpus
from ragcortex.report import DetectorInfo, Report
from ragcortex.service.batching import Batcher, BatchSeen
from ragcortex.service.lane_detectors import LaneDetectors, check_settings, load_geometry, load_reading, scored_by
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.tracing import JUDGE, WAIT, Tracing
from ragcortex.service.warm_up import usual_answers

T = TypeVar("T")
GEOMETRY: Final = "geometry"
READING: Final = "reading"
_ORDER: Final = ("both", "internal", "cascade", GEOMETRY)


@dataclass(frozen=True, slots=True, eq=False)
class _Check:
    """An answer to be judged."""

    example: Example
    witness: str
    corpus: Corpus | None


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """Something else to be done with the lane's models, in its thread."""

    call: Callable[[], Any]


_Item = _Check | _Call
_Lane = Batcher[_Item, Any]


class Judges:
    """The loaded witnesses and their lanes; `drain` or `close` ends the threads."""

    def __init__(
        self,
        geometry: LaneDetectors,
        reading: LaneDetectors | None,
        settings: ServiceSettings,
        *,
        observe: Callable[[BatchSeen], None] | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        """Put loaded detectors into lanes; `load` does this by settings."""
        self._tracing = tracing or Tracing()
        self._detectors: dict[str, LaneDetectors] = {GEOMETRY: geometry}
        if reading is not None:
            self._detectors[READING] = reading
        # A batch ends when its last answer is judged; the geometric witness gains nothing by having several.
        sizes = {GEOMETRY: 1, READING: settings.batch_size}
        self._lanes: dict[str, _Lane] = {
            name: Batcher(
                partial(judged, detectors),
                batch_size=sizes[name],
                queue_size=settings.queue_size,
                name=name,
                observe=observe,
            )
            for name, detectors in self._detectors.items()
        }
        self._lane_of = {witness: name for name, detectors in self._detectors.items() for witness in detectors.plain}
        self.witnesses: tuple[str, ...] = tuple(witness for witness in _ORDER if witness in self._lane_of)
        self._fingerprints = {witness: _digest(scored_by(self._plain(witness), settings)) for witness in self.witnesses}
        self.default = settings.witness if settings.witness in self.witnesses else self.witnesses[0]

    @classmethod
    def load(
        cls,
        settings: ServiceSettings,
        *,
        observe: Callable[[BatchSeen], None] | None = None,
        tracing: Tracing | None = None,
    ) -> "Judges":
        """Return the judges that settings ask for, their models loaded.

        Args:
            settings: of the service.
            observe: is told of each batch, in the event loop.
            tracing: records waiting and judging as spans.

        Raises:
            InputError: a setting names what does not exist, or settings do not go together.
            BundleError: the detector or the calibration is damaged, stale, or belongs to other models.
            ModelMissingError, ModelError: a model is not on this machine, or cannot be loaded.
        """
        check_settings(settings)
        geometry = load_geometry(settings)
        reading = load_reading(settings) if settings.load_reader else None
        return cls(geometry, reading, settings, observe=observe, tracing=tracing)

    def info(self, witness: str) -> DetectorInfo:
        """Return who a witness is.

        Raises:
            InputError: it is not loaded.
        """
        self.check(witness)
        return self._plain(witness).info

    def fingerprint(self, witness: str) -> str:
        """Return the SHA-256, in hexadecimal, over everything that changes a score of a witness; no corpus is part.

        Raises:
            InputError: it is not loaded.
        """
        self.check(witness)
        return self._fingerprints[witness]

    def check(self, witness: str) -> None:
        """Refuse a witness that is not loaded, with InputError."""
        check_known("witness", witness, self.witnesses)

    async def judge(self, example: Example, witness: str, *, corpus: Corpus | None = None, timeout: float) -> Report:
        """Return the report on one answer, which may be judged together with others.

        Args:
            example: the answer; without references where a corpus is asked.
            witness: who judges.
            corpus: what to check against instead of references. Its own embedder is not used.
            timeout: seconds, waiting included.

        Raises:
            InputError: the witness is not loaded, or the example cannot be judged.
            Busy: too many answers wait, or the service is being stopped.
            TimeoutError: it took longer.
            RagcortexError: of this example; see `Detector.check_example`.
        """
        self.check(witness)
        lane = self._lanes[self._lane_of[witness]]
        with self._tracing.steps(WAIT, witness=witness, corpus_used=corpus is not None) as steps:
            report: Report = await lane.submit(
                _Check(example, witness, corpus), timeout=timeout, started=partial(steps.next, JUDGE)
            )
        return report

    async def run(self, call: Callable[[], T], *, witness: str, timeout: float) -> T:
        """Return what a call gives in the thread of a witness's lane, where its models may be used; it waits its turn.

        Raises:
            InputError: the witness is not loaded.
            Busy, TimeoutError: as `judge`.
            Exception: whatever the call raises.
        """
        self.check(witness)
        result: T = await self._lanes[self._lane_of[witness]].submit(_Call(call), timeout=timeout)
        return result

    def detector(self, witness: str, corpus: Corpus | None = None) -> Detector:
        """Return the detector of a witness, for use within `run` only.

        Raises:
            InputError: it is not loaded.
            ModelError: the corpus was built with another embedder.
        """
        self.check(witness)
        return self._detectors[self._lane_of[witness]].get(witness, corpus)

    def forget(self, fingerprint: str) -> None:
        """Drop what is kept of a corpus that was changed or deleted."""
        for detectors in self._detectors.values():
            detectors.forget(fingerprint)

    def n_waiting(self) -> dict[str, int]:
        """Return how many answers wait, by lane."""
        return {name: lane.n_waiting() for name, lane in self._lanes.items()}

    def warm(self) -> None:
        """Judge an answer of usual size in each lane, in its thread, so that the first request is as fast as others.

        Blocks for some seconds; not for the event loop.

        Raises:
            RagcortexError: the answer cannot be judged, so that no other could.
        """
        for name, detectors in self._detectors.items():
            witness = next(iter(detectors.plain))
            for example in usual_answers():
                self._lanes[name].run_now([_Check(example, witness, None)])

    async def drain(self, seconds: float) -> int:
        """Refuse new answers and finish the accepted ones; return how many were given up after so many seconds."""
        return sum(await asyncio.gather(*(lane.drain(seconds) for lane in self._lanes.values())))

    def close(self) -> None:
        """End the threads without waiting, where nothing was accepted."""
        for lane in self._lanes.values():
            lane.close()

    def _plain(self, witness: str) -> Detector:
        return self._detectors[self._lane_of[witness]].plain[witness]


def judged(detectors: LaneDetectors, items: Sequence[_Item]) -> list[Any]:
    """Return what becomes of each item, in order: a report, what a call gives, or an exception.

    Answers for one witness and one corpus are judged together.
    """
    outcomes: list[Any] = [None] * len(items)
    groups: dict[tuple[str, str | None], list[int]] = {}
    for index, item in enumerate(items):
        if isinstance(item, _Call):
            outcomes[index] = _called(item.call)
        else:
            key = (item.witness, None if item.corpus is None else item.corpus.fingerprint)
            groups.setdefault(key, []).append(index)
    for members in groups.values():
        group = [item for index in members if isinstance(item := items[index], _Check)]
        for index, outcome in zip(members, _group(detectors, group), strict=True):
            outcomes[index] = outcome
    return outcomes


def _group(detectors: LaneDetectors, group: Sequence[_Check]) -> list[Report | Exception]:
    """Return a report or an exception for each of several answers for one witness and one corpus."""
    first = group[0]
    try:
        detector = detectors.get(first.witness, first.corpus)
        outcomes = detector.check_many([one.example for one in group])
        return [_report(outcome.report, outcome.error) for outcome in outcomes]
    except Exception as error:  # a fault of ours that one answer brought up must not cost the others theirs
        if len(group) == 1:
            return [error]
        return [outcome for one in group for outcome in _group(detectors, [one])]


def _report(report: Report | None, error: Exception | None) -> Report | Exception:
    if report is not None:
        return report
    return error if error is not None else InputError("answer", "was not judged")


def _called(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # raised again where the call was asked for
        return error


def _digest(values: Mapping[str, Any]) -> str:
    canonical = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
