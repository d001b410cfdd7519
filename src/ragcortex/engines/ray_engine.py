"""Partitions scored by Ray Data: actors that hold a detector each, on this machine or on a cluster, CPU or GPU.

Ray Data places the actors, feeds them partitions, starts another where one dies and gives its partition to that. What
comes back of a partition is its counts only; the rows go from the worker to its part file. The input and the output
folder are reached by all machines of a cluster under the same path.
"""

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from ragcortex.engines.part_files import PartFolder
from ragcortex.engines.partitions import Partition, rows_of
from ragcortex.engines.rows import Tally, scored
from ragcortex.errors import ModelError, RagcortexError

if TYPE_CHECKING:
    from ragcortex.detectors.detector import Detector

Load = Callable[[], "Detector"]


@dataclass(frozen=True, slots=True)
class Workers:
    """The actors that score.

    Attributes:
        n: how many.
        cpus: processor threads of each.
        gpus: GPUs of each; a share of one lets several actors use it.
        address: of a Ray cluster ("auto" finds the one of this machine); None starts one here, for this run.
    """

    n: int = 1
    cpus: float = 1
    gpus: float = 0
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """What every worker does.

    Attributes:
        load: makes its detector; what it refers to can be pickled.
        folder: where the rows go.
        group_size: rows read together.
        against_corpus: whether rows need no references.
    """

    load: Load
    folder: PartFolder
    group_size: int
    against_corpus: bool


class PartitionScorer:
    """A worker: it loads its detector once, and scores one partition after the other."""

    def __init__(self, task: ScoringTask, cpus: float) -> None:
        import torch

        torch.set_num_threads(max(1, int(cpus)))
        self._task, self._detector = task, task.load()

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Score partitions, given as columns of their fields, and return what `PartFolder` counted of each."""
        names = list(batch)
        counts: dict[str, list[Any]] = {"verdicts": [], "errors": []}
        for values in zip(*(batch[name].tolist() for name in names), strict=True):
            partition = Partition(**dict(zip(names, values, strict=True)))
            rows: list[dict[str, Any]] = []
            source = rows_of(partition, without_references=self._task.against_corpus)
            while group := list(islice(source, self._task.group_size)):
                rows += scored(self._detector, group)
            tally = self._task.folder.write(partition, rows)
            counts["verdicts"].append(dict(tally.verdicts))
            counts["errors"].append(tally.n_errors)
        return counts


class RayEngine:
    """A connection to Ray, open inside `with`.

    Raises:
        ModelError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def __enter__(self) -> "RayEngine":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anyone
        os.environ.setdefault("RAY_worker_niceness", "0")  # the workers are the work, not something beside it
        try:
            import ray
        except ImportError:
            raise ModelError("--engine ray needs Ray: pip install 'ragcortex[ray]'") from None
        here = {"include_dashboard": False, "num_cpus": self._local_cpus()}
        local: dict[str, Any] = {} if self._workers.address else here
        try:
            ray.init(address=self._workers.address, log_to_driver=False, logging_level=logging.ERROR, **local)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ModelError(f"the Ray cluster {self._workers.address!r} cannot be reached: {error}") from None
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        return self

    def __exit__(self, *_: object) -> None:
        import ray

        ray.shutdown()

    def ask(self, question: Callable[[Load], Any], load: Load) -> Any:
        """Return what a function says of the detector, asked on a machine of the workers' kind.

        Raises:
            RagcortexError: the detector cannot be loaded there.
        """
        import ray

        asked = ray.remote(_asked).options(num_cpus=self._workers.cpus, num_gpus=self._workers.gpus)
        try:
            return ray.get(asked.remote(question, load))
        except ray.exceptions.RayTaskError as error:
            raise _own(error) from None

    def score(self, task: ScoringTask, partitions: Sequence[Partition]) -> Iterator[Tally]:
        """Score partitions; yield the counts of each as it is finished, in any order.

        Raises:
            RagcortexError: a worker's detector cannot be loaded, or a part file cannot be written.
        """
        import ray
        from ray.data import ActorPoolStrategy

        if not partitions:
            return
        workers = self._workers
        data = ray.data.from_items([asdict(one) for one in partitions], override_num_blocks=len(partitions))
        done = data.map_batches(
            PartitionScorer,
            fn_constructor_args=(task, workers.cpus),
            batch_size=1,
            compute=ActorPoolStrategy(size=min(workers.n, len(partitions))),
            num_cpus=workers.cpus,
            num_gpus=workers.gpus,
        )
        try:
            for row in done.iter_rows():
                yield Tally(Counter({name: n for name, n in row["verdicts"].items() if n}), row["errors"])
        except ray.exceptions.RayError as error:
            raise _own(error) from None

    def _local_cpus(self) -> int:
        """Return how many processors Ray is told of, so that all workers fit this machine, with one for its tasks."""
        return max(os.cpu_count() or 1, int(self._workers.n * self._workers.cpus)) + 1


def _asked(question: Callable[[Load], Any], load: Load) -> Any:
    return question(load)


def _own(error: BaseException) -> RagcortexError:
    """Return the error of ours behind one of Ray's, or one of ours that says what happened."""
    cause: BaseException | None = error
    while cause is not None:
        inner = getattr(cause, "cause", None) or cause.__cause__
        if isinstance(inner, RagcortexError):
            return inner
        cause = inner if inner is not cause else None
    return ModelError(f"a worker failed: {type(error).__name__}: {str(error).strip().splitlines()[-1]}")
