"""The geometric detector: answers among their references in an embedding space, and their facts compared exactly."""

import threading
from pathlib import Path
from typing import Final

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.geometric_report import Judged, judged_report
from ragcortex.detectors.notes import CLAIMS_NOTHING, nothing_to_check
from ragcortex.errors import BundleError, InputError
from ragcortex.example import Example, Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_edit import check_embedder
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.geometry_calibration import GeometryCalibration
from ragcortex.geometry.growing_evidence import examine_more
from ragcortex.geometry.judgement import GeometricScores, score
from ragcortex.geometry.model import GeometryModel
from ragcortex.geometry.witness import examine, sentences_of
from ragcortex.report import DetectorInfo, Note, Report, Thresholds, Unjudged

# Corpora of recent references, as several answers to one question come with the same ones.
_RECENT_CORPORA: Final = 64


class GeometricDetector(Detector):
    """The geometric witness as a detector of its own: deterministic, without a reader.

    An answer is checked against the references given with it or, if the detector has a corpus, against that; then it
    comes without references of its own.
    """

    def __init__(
        self,
        model: GeometryModel,
        embedder: Embedder,
        *,
        corpus: Corpus | None = None,
        calibration: GeometryCalibration | None = None,
        uncalibrated: bool = False,
    ) -> None:
        """Pair a score model with an embedder, a corpus and thresholds.

        `uncalibrated` admits an embedder without thresholds for it; only the scores of such a detector mean something.

        Raises:
            BundleError: the score model was fitted with another embedder and there is no calibration for this one, or
                the calibration is stale.
            ModelError: the corpus was built with another embedder.
        """
        if corpus is not None:
            check_embedder(corpus.folder, corpus.identity, embedder.identity)
        self.model = model
        self.embedder = embedder
        self.corpus = corpus
        self.calibration = calibration
        self._recent: dict[tuple[Reference, ...], Corpus] = {}
        self._lock = threading.Lock()
        if calibration is not None:
            calibration.check_fresh(
                embedder.identity,
                (corpus.chunking if corpus is not None else model.chunking).to_dict(),
                corpus.fingerprint if corpus is not None else None,
                model.fingerprint,
            )
        elif not uncalibrated and embedder.identity.fingerprint != model.embedder_fingerprint:
            raise BundleError(
                f"the thresholds of {model.name!r} were set with another embedder than {embedder.identity.id!r}, whose "
                "similarities lie elsewhere; run `ragcortex calibrate --witness geometry` with it and give the "
                "calibration"
            )

    # What it is made of differs from the other detectors: an embedder and perhaps a corpus instead of a reader.
    @classmethod
    def load(  # type: ignore[override]
        cls,
        *,
        embedder: str | Embedder | None = None,
        corpus: Path | str | Corpus | None = None,
        calibration: Path | str | None = None,
        model: Path | str | None = None,
        device: str | None = None,
        uncalibrated: bool = False,
    ) -> "GeometricDetector":
        """Return the geometric detector.

        Args:
            embedder: the embedding model, or what `load_embedder` takes; by default the corpus's own, else
                `RAGCORTEX_EMBEDDER`, else the embedded one.
            corpus: the folder of a corpus to check against instead of references given with each answer.
            calibration: thresholds from your own labelled answers, a file that `ragcortex calibrate` wrote.
            model: the folder of a score model; by default the one that ships.
            device: where to embed.
            uncalibrated: admit an embedder that there are no thresholds for, to calibrate with it.

        Raises:
            ModelMissingError: the embedder is not on this machine; the message says how to fetch it.
            ModelError: the corpus was built with another embedder.
            BundleError: the model or the calibration is damaged, or belongs to another embedder, chunking or corpus.
            InputError, StoreError: the corpus cannot be opened.
        """
        weights = GeometryModel.load(None if model is None else Path(model))
        thresholds = None if calibration is None else GeometryCalibration.load(Path(calibration))
        if corpus is not None:
            opened, own = _opened(corpus, embedder, device)
            return cls(weights, own, corpus=opened, calibration=thresholds, uncalibrated=uncalibrated)
        own = load_embedder(embedder, device=device) if embedder is None or isinstance(embedder, str) else embedder
        # No vector is kept from one check to the next (corpora of references are, whole): the last bits of a vector
        # depend on what it was embedded with, and reports must not depend on what was checked before.
        return cls(weights, own, calibration=thresholds, uncalibrated=uncalibrated)

    def check_example(self, example: Example) -> Report:
        """Return the report on one example.

        Raises:
            InputError: the detector has a corpus and the example has references of its own.
            ModelError, ReadingError: from the embedder.
        """
        unjudged = self.nothing_to_check(example)
        if unjudged is not None:
            return self._unjudged(example, *unjudged)
        corpus = self.corpus_of(example)
        evidence = examine(example.answer, corpus, question=example.question, options=self.model.options)
        return self.report(example, corpus, evidence)

    def nothing_to_check(self, example: Example) -> tuple[Unjudged, Note] | None:
        """Return the status of an example without an answer or anything to check it against, and why; else None.

        Raises:
            InputError: the detector has a corpus and the example has references of its own.
        """
        if self.corpus is None:
            return nothing_to_check(example)
        if example.references:
            raise InputError("references", "must be empty where a corpus is checked against; give one or the other")
        return nothing_to_check(example) if not example.answer.strip() else None

    def examine(self, example: Example, before: GeometricEvidence | None = None) -> GeometricEvidence:
        """Return all signals of an example, without a verdict; with `before`, as `examine_more` does.

        Raises:
            InputError: there are no references with text.
        """
        given = example.answer, self.corpus_of(example)
        if before is not None:
            return examine_more(before, *given, question=example.question, options=self.model.options)
        return examine(*given, question=example.question, options=self.model.options)

    def report(self, example: Example, corpus: Corpus, evidence: GeometricEvidence) -> Report:
        """Return the report on an example from its evidence."""
        if not evidence.claims:
            return self._unjudged(example, "no_claim", CLAIMS_NOTHING)
        scores = self.scores(evidence)
        return judged_report(Judged(example, corpus, evidence, scores, self.thresholds, self.info, self.embedder))

    def scores(self, evidence: GeometricEvidence) -> GeometricScores:
        """Return the scores of an answer's words and statements and of the whole; 0 for one that claims nothing."""
        return score(evidence, self.model)

    def corpus_of(self, example: Example) -> Corpus:
        """Return what an example is checked against: the detector's corpus, else that of its own references."""
        if self.corpus is not None:
            return self.corpus
        with self._lock:
            found = self._recent.pop(example.references, None)
        if found is None:
            found = Corpus.in_memory(example.references, self.embedder, self.model.chunking)
        with self._lock:
            self._recent[example.references] = found
            if len(self._recent) > _RECENT_CORPORA:
                self._recent.pop(next(iter(self._recent)))
        return found

    def warm_up(self, *, chunks: int = 20_000) -> None:
        """Load and compile what the first check would, so that it is as fast as the others; for a service's start.

        The facts of a corpus's chunks are read as well, about a millisecond each, so that no check has to.

        Args:
            chunks: read the facts of this many chunks at most; the others when they are first near a statement.
        """
        text = "The museum opens at 9:00 from Tuesday to Sunday; a ticket costs $12, or €11 since 2019."
        references = (Reference(text),) if self.corpus is None else ()
        if self.corpus is not None:
            self.corpus.warm()
            for number in range(min(chunks, self.corpus.n_chunks)):
                sentences_of(self.corpus.chunk(number))
        self.check_example(Example(None, references, "A ticket costs $12. It is not open on Mondays."))

    @property
    def thresholds(self) -> Thresholds:
        """What scores are compared with: the calibration's, else the score model's own."""
        shipped = self.model.calibration
        if self.calibration is None:
            return Thresholds.of(shipped)
        return Thresholds(shipped.token_threshold, self.calibration.review_threshold, self.calibration.threshold)

    @property
    def info(self) -> DetectorInfo:
        """Who judges: for the report. The reader is the embedding model."""
        data = self.model.calibration.data if self.calibration is None else self.calibration.data
        identity = self.embedder.identity
        return DetectorInfo(self.model.name, self.model.version, identity.id, identity.fingerprint, data, "geometry")


def _opened(
    corpus: Path | str | Corpus, embedder: str | Embedder | None, device: str | None
) -> tuple[Corpus, Embedder]:
    """Return the corpus and the embedder that it was built with, on the device asked for."""
    if device is not None and (embedder is None or isinstance(embedder, str)):
        built_with = (corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)).identity
        # In the corpus's own dimension, which may be less than the model's.
        embedder = load_embedder(embedder or built_with.id, device=device, dimension=built_with.dimension)
    if not isinstance(corpus, Corpus):
        corpus = Corpus.open(corpus, embedder=embedder)
        return corpus, corpus.embedder
    if isinstance(embedder, str):
        embedder = load_embedder(embedder, dimension=corpus.identity.dimension)
    return corpus, corpus.embedder if embedder is None else embedder
