"""Detectors that ship, as they are: nothing is fitted on the data set, so every answer is new to them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.geometric import examined
from ragcortex.benchmark.methods.seen import SEEN
from ragcortex.bundle import Bundle
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.registry import find_bundle, has_both_witnesses
from ragcortex.detectors.scoring import raw_scores
from ragcortex.detectors.standings import unfit_statements
from ragcortex.errors import InputError
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import FILE_NAME, FusionModel
from ragcortex.geometry.embedders.embedder import FLOAT32
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.judgement import score
from ragcortex.geometry.model import GeometryModel
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.training.fusion_rows import fusion_row


class ShippedMethod(BenchmarkMethod):
    """A detector of `ragcortex detectors list`, or of a folder.

    Args:
        detector: its name or folder.
        seen: of a detector from a folder: the data sets, as the catalogue names them, on whose answers it was fitted.

    Raises:
        InputError: there is no such detector, or it is one from a folder and `seen` is not given.
    """

    def __init__(self, detector: str, seen: Sequence[str] | None = None) -> None:
        self._folder = find_bundle(detector)
        if detector not in SEEN and seen is None:
            raise InputError(
                "methods.options.seen",
                f"is missing: name the data sets of the catalogue on whose answers {detector!r} was fitted, or []",
            )
        self.seen = SEEN[detector] if seen is None else tuple(seen)
        self._fusion = FusionModel.load(self._folder / FILE_NAME) if has_both_witnesses(self._folder) else None
        self._bundle = Bundle.load(find_bundle(self._fusion.internal) if self._fusion else self._folder)
        self.card = MethodCard(
            name="shipped",
            title=f"{detector} (as it ships)",
            summary="a detector fitted on other data, as it is",
            source=f"ragcortex, its card; detector {detector}",
            training="none" if detector == "reference-gain" else "other data",
            scale="probability",
            # A fusion's token scores are made of smoothed ones.
            smoothing="none" if self._fusion else "persistence",
            answer_score="the fusion's probability of the answer"
            if self._fusion
            else "the highest smoothed token score",
        )

    @property
    def surroundings(self) -> Mapping[str, Any]:  # type: ignore[override]
        """The detector's files, and the geometric model that ships."""
        files = sorted(path for path in self._folder.rglob("*.json") if path.is_file())
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
        return {"files": digests, "geometry": GeometryModel.load().fingerprint if self._fusion else None}

    def spec(self, reader: Reader) -> ReadingSpec:
        """Return what the detector reads.

        Raises:
            BundleError: it was fitted on another reader.
        """
        bundle = InternalDetector(self._bundle, reader).bundle
        return bundle.spec()

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the detector; nothing is fitted."""
        spec = self.spec(bench.reader)
        return _Fused(self._fusion, self._bundle, spec) if self._fusion else _Internal(self._bundle, spec)


class _Internal(FittedMethod):
    def __init__(self, bundle: Bundle, spec: ReadingSpec) -> None:
        self._bundle, self._spec = bundle, spec

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the mean of the heads' probabilities."""
        for reading in bench.readings(indices, self._spec):
            yield MethodScores(raw_scores(reading, self._bundle.heads))


class _Fused(FittedMethod):
    def __init__(self, fusion: FusionModel, bundle: Bundle, spec: ReadingSpec) -> None:
        self._fusion, self._bundle, self._spec = fusion, bundle, spec
        self._geometry, self._embedder = GeometryModel.load(), load_embedder("embedded", dtype=FLOAT32)

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the fusion's probabilities."""
        readings = bench.readings(indices, self._spec)
        for reading, seen in zip(readings, examined(bench, indices, self._embedder, self._geometry), strict=True):
            unfit = unfit_statements(seen.evidence, self._embedder)
            scores = score(seen.evidence, self._geometry)
            row = fusion_row(seen, reading, raw_scores(reading, self._bundle.heads), scores, unfit=unfit)
            fused = fuse(row.signals, row.evidence, self._fusion)
            yield MethodScores(fused.tokens, fused.answer)
