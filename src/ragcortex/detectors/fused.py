"""The default detector: both witnesses, fused; what one of them cannot judge the other judges alone, visibly."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from ragcortex.bundle_files import JSON_NAME
from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.detectors.fused_report import Fused, fused_report
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.group_readings import group_readings
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.notes import CLAIMS_NOTHING, reading_notes
from ragcortex.detectors.scoring import raw_scores
from ragcortex.detectors.standings import UnfitPairs, judged_by_facts, unfit_pairs
from ragcortex.errors import BundleError, ModelError, RagcortexError, ReadingError
from ragcortex.example import Example
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import FusionModel
from ragcortex.fusion.token_signals import TokenSignals, token_signals
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import GeometricScores
from ragcortex.geometry.retrieval import references_for
from ragcortex.readers.reading import Reading
from ragcortex.report import DetectorInfo, Note, Report


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """What the geometric witness saw of an example that it leaves to the reader, and what that is given to read."""

    example: Example
    readable: Example
    corpus: Corpus
    evidence: GeometricEvidence
    scores: GeometricScores
    unfit: UnfitPairs


@dataclass(frozen=True, slots=True, eq=False)
class FusionSignals:
    """What both witnesses say of one answer that claims something; `geometric_score` is the geometric one's score."""

    signals: TokenSignals
    evidence: GeometricEvidence
    geometric_score: float


class FusedDetector(Detector):
    """Both witnesses on every answer, or, as a cascade, the reader only where the geometric one leaves it undecided.

    Against a corpus, the geometric witness asks the whole corpus and the reader the passages nearest to the answer.
    """

    def __init__(
        self,
        model: FusionModel,
        internal: InternalDetector,
        geometric: GeometricDetector,
        *,
        cascade: bool = False,
        strict: bool = False,
    ) -> None:
        """Pair a fusion with its two witnesses.

        Args:
            model: how what both say becomes a report.
            internal, geometric: the witnesses that it was fitted on.
            cascade: read only the answers that the geometric witness leaves undecided.
            strict: let an answer fail that one witness cannot judge; by default the other one judges it alone, and a
                note of the report says so.

        Raises:
            BundleError: the geometric witness is another one than the fusion was fitted on.
        """
        if geometric.model.fingerprint != model.geometry_fingerprint:
            raise BundleError(
                f"the fusion {model.name!r} was fitted on another geometric score model than {geometric.model.name!r} "
                f"({geometric.model.fingerprint[:16]}…); fit it again with `ragcortex train --fusion`"
            )
        self.model = model
        self.internal = internal
        self.geometric = geometric
        self.cascade = cascade
        self.strict = strict
        self.n_judged = 0
        self.n_read = 0

    def check_example(self, example: Example) -> Report:
        """Return the report on one example; see `check`.

        Raises:
            InputError: it has references of its own although a corpus is checked against.
            ModelError, ReadingError: neither witness can judge it, or one cannot and the detector is strict.
        """
        return self.finished(self.examined(example), None)

    @property
    def info(self) -> DetectorInfo:
        """Who judges: for the report."""
        reader, embedder = self.internal.reader.identity, self.geometric.embedder.identity
        return DetectorInfo(
            self.model.name,
            self.model.version,
            reader.id,
            reader.fingerprint,
            self.model.calibration.data,
            "cascade" if self.cascade else "both",
            embedder.id,
            embedder.fingerprint,
        )

    @property
    def saving(self) -> str:
        """How many of the answers judged so far were read, as a sentence."""
        n = self.n_judged
        share = f" ({1 - self.n_read / n:.0%} decided by the geometric witness alone)" if n and self.cascade else ""
        return f"{self.n_read:,} of {n:,} answers read{share}"

    def row(self, example: Example) -> "FusionSignals | None":
        """Return what both witnesses say of an example, without a verdict; None where there is nothing to judge.

        Raises:
            ModelError, ReadingError, InputError: one of them cannot judge it.
        """
        if self.geometric.nothing_to_check(example) is not None:
            return None
        corpus = self.geometric.corpus_of(example)
        evidence = self.geometric.examine(example)
        if not evidence.claims:
            return None
        reading = self.internal.reader.read_one(self._readable(example, corpus), self.internal.bundle.spec())
        return self.signals(example, reading, evidence)

    def signals(self, example: Example, reading: Reading, evidence: GeometricEvidence | None = None) -> "FusionSignals":
        """Return what both witnesses say of an example that is read already, and perhaps examined.

        Raises:
            InputError: there are no references with text.
            ModelError, ReadingError: the geometric witness cannot look.
        """
        evidence = evidence or self.geometric.examine(example)
        scores = self.geometric.scores(evidence)
        unfit = unfit_pairs(evidence, self.geometric.embedder)
        return FusionSignals(self._signals(reading, evidence, scores, unfit), evidence, scores.answer)

    def _signals(
        self, reading: Reading, evidence: GeometricEvidence, scores: GeometricScores, unfit: UnfitPairs
    ) -> TokenSignals:
        raw = raw_scores(reading, self.internal.bundle.heads)
        return token_signals(reading.tokens, reading, raw, evidence, scores, unfit=judged_by_facts(evidence, unfit))

    def _readable(self, example: Example, corpus: Corpus) -> Example:
        """Return the example as the reader gets it: with the nearest passages where a corpus is checked against."""
        if self.geometric.corpus is None:
            return example
        return replace(example, references=references_for(corpus, example.question, example.answer))

    def _outcomes(self, examples: Iterator[Example]) -> Iterator[Outcome]:
        """Examine a group, read together what needs reading, and report; a failure stays with its example."""
        while group := list(islice(examples, self.internal.reader.options.group_size)):
            first: list[Examined | Report | RagcortexError] = []
            for example in group:
                try:
                    first.append(self.examined(example))
                except RagcortexError as error:
                    first.append(error)
            readings = self._readings([one.readable for one in first if isinstance(one, Examined)])
            for example, one in zip(group, first, strict=True):
                if isinstance(one, RagcortexError):
                    yield Outcome(example, None, one)
                    continue
                reading = readings.get(id(one.readable)) if isinstance(one, Examined) else None
                yield Outcome.of(example, partial(self._finish, one, reading))

    def _finish(self, one: "Examined | Report", reading: Reading | RagcortexError | None, _: Example) -> Report:
        return self.finished(one, reading)

    def examined(self, example: Example, evidence: GeometricEvidence | None = None) -> "Examined | Report":
        """Return what the geometric witness saw, or the report where that settles it, or where it cannot look.

        Args:
            example: what is to be judged.
            evidence: what that witness saw, if it has looked already.

        Raises:
            InputError, ModelError, ReadingError: as `check_example`.
        """
        unjudged = self.geometric.nothing_to_check(example)
        if unjudged is not None:
            return self._unjudged(example, *unjudged)
        try:
            corpus = self.geometric.corpus_of(example)
            evidence = evidence or self.geometric.examine(example)
            unfit = unfit_pairs(evidence, self.geometric.embedder)
        except (ModelError, ReadingError) as error:
            if self.strict or self.geometric.corpus is not None:
                raise
            self._count(read=True)
            return _alone(self.internal.check_example(example), "The geometric witness could not look", error)
        if not evidence.claims:
            return self._unjudged(example, "no_claim", CLAIMS_NOTHING)
        scores = self.geometric.scores(evidence)
        found = Examined(example, self._readable(example, corpus), corpus, evidence, scores, unfit)
        return self._decided(found) or found

    def _decided(self, found: "Examined") -> Report | None:
        """Return the geometric witness's report where the cascade needs no reading."""
        if not self.cascade:
            return None
        by_facts = len(judged_by_facts(found.evidence, found.unfit)) == len(found.evidence.claims)
        if not by_facts and not self.model.cascade.decides(found.scores.answer, found.evidence):
            return None
        self._count(read=False)
        report = self.geometric.report(found.example, found.corpus, found.evidence)
        note = Note("decided_by_geometry", "The geometric witness alone decided: the answer was not read.")
        return replace(report, detector=self.info, notes=(note, *report.notes))

    def finished(self, one: "Examined | Report", reading: Reading | RagcortexError | None) -> Report:
        """Return the report on what was examined, and read before (`Examined.readable`), or else now.

        An error in the place of the reading is why it could not be read.

        Raises:
            RagcortexError: the reader cannot read it, and the detector is strict.
        """
        if isinstance(one, Report):
            return one
        self._count(read=True)
        if reading is None:
            (reading,) = group_readings(self.internal.reader, [one.readable], self.internal.bundle.spec())
        if isinstance(reading, RagcortexError):
            if self.strict:
                raise reading
            report = self.geometric.report(one.example, one.corpus, one.evidence)
            return _alone(report, "The reader could not read", reading)
        signals = self._signals(reading, one.evidence, one.scores, one.unfit)
        return fused_report(
            Fused(
                one.example,
                one.corpus,
                one.evidence,
                signals,
                fuse(signals, one.evidence, self.model),
                one.unfit,
                self.model,
                self.info,
                reading_notes(reading, self.internal.reader, self.internal.bundle),
            )
        )

    def _readings(self, examples: Sequence[Example]) -> dict[int, Reading | RagcortexError]:
        """Return the readings by their example's identity, errors in the place of those that cannot be read."""
        read = group_readings(self.internal.reader, examples, self.internal.bundle.spec())
        return {id(example): reading for example, reading in zip(examples, read, strict=True)}

    def _count(self, *, read: bool) -> None:
        self.n_judged += 1
        self.n_read += read


def internal_digest(folder: Path) -> str:
    """Return the SHA-256 of the `detector.json` in a bundle's folder, which holds that of its tensors."""
    return hashlib.sha256((folder / JSON_NAME).read_bytes()).hexdigest()


def _alone(report: Report, failure: str, error: RagcortexError) -> Report:
    """Return one witness's report with a note that the other is missing, and why."""
    note = Note("witness_missing", f"{failure}: {error}. The other witness judged alone, by its own thresholds.")
    return replace(report, notes=(note, *report.notes))
