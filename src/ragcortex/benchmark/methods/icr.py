"""ICR Probe: a small network on how each layer's update of a token agrees with its attention."""

from collections.abc import Iterator, Sequence
from typing import Final

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.windows import by_window, lowest, measure, token_rows
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.scorers.probe import ICR_TOKEN_PROBE, ProbeScorer

_SPEC: Final = ReadingSpec(measures=("icr",))
_SCORES: Final = measure("icr")


class ICRProbe(BenchmarkMethod):
    """The published network on a token's ICR scores, one a layer.

    There is no untrained form: neither the paper's summary nor the released code says in which direction the scores of
    hallucinated tokens lie (its study of them takes the better of both).

    Args:
        n_epochs: passes over the training tokens, at most.
    """

    card = MethodCard(
        name="icr-probe",
        title="ICR Probe",
        summary="network L → 128 → 64 → 32 → 1 on the ICR scores of a token's layers",
        source=(
            "Zhang et al. 2025 (arXiv 2507.16488) and its released code: Adam 1e-3, weight decay 1e-5, epoch of the "
            "lowest validation loss. Ours: a row a token instead of an answer's mean, 1,024 rows a step; see the "
            "measure `icr` for which positions count"
        ),
        training="labels",
        scale="probability",
    )

    def __init__(self, n_epochs: int = 100) -> None:
        self.n_epochs = n_epochs

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        return _SPEC

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the network fitted on the training tokens, its epoch chosen on the validation tokens."""
        options = {**ICR_TOKEN_PROBE, "n_epochs": self.n_epochs}
        scorer = ProbeScorer(**options, n_seeds=bench.n_networks, seed=bench.seed)
        training = token_rows(bench, fold.training, _SPEC, _SCORES)
        return _FittedICR(scorer.fit(*training, *token_rows(bench, fold.validation, _SPEC, _SCORES)))


class _FittedICR(FittedMethod):
    def __init__(self, scorer: ProbeScorer) -> None:
        self._scorer = scorer

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, _SPEC):
            windows = by_window(reading, _SCORES)
            yield MethodScores(lowest([self._scorer.predict_proba(window)[:, 1] for window in windows]))
