"""A detector that takes its references from a corpus, for answers that come without any."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.detectors.notes import embedding_notes
from ragcortex.errors import InputError, RagcortexError
from ragcortex.example import Example
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.retrieval import K, references_for
from ragcortex.report import DetectorInfo, Note, Report


class RetrievingDetector(Detector):
    """Looks up the passages nearest to each answer in a corpus, and checks the answer against them.

    `Evidence.reference` and the notes of its reports count the passages looked up, of which a note gives the number.
    """

    def __init__(self, detector: Detector, corpus: Corpus, *, k: int = K) -> None:
        self.detector = detector
        self.corpus = corpus
        self.k = k

    def check_example(self, example: Example) -> Report:
        """Return the report on one example without references of its own.

        Raises:
            InputError: it has references; whatever else `Detector.check_example` raises.
        """
        found = self._retrieved(example)
        return self._noted(self.detector.check_example(found), found)

    @property
    def info(self) -> DetectorInfo:
        """Who judges: the detector that checks against the passages."""
        return self.detector.info

    def _outcomes(self, examples: Iterator[Example]) -> Iterator[Outcome]:
        """Look up each example's passages and read those found in groups; what could not be looked up keeps its place.

        The detector takes a group of examples before its first outcome, so `waiting` holds what was given meanwhile.
        """
        waiting: deque[tuple[Example, Example | RagcortexError]] = deque()

        def found() -> Iterator[Example]:
            for example in examples:
                looked_up = self._looked_up(example)
                waiting.append((example, looked_up))
                if isinstance(looked_up, Example):
                    yield looked_up

        for outcome in self.detector.check_many(found()):
            yield from _failed(waiting)
            example, looked_up = waiting.popleft()
            report = outcome.report
            if report is not None and isinstance(looked_up, Example):
                report = self._noted(report, looked_up)
            yield Outcome(example, report, outcome.error)
        yield from _failed(waiting)

    def _looked_up(self, example: Example) -> Example | RagcortexError:
        try:
            return self._retrieved(example)
        except RagcortexError as error:
            return error

    def _retrieved(self, example: Example) -> Example:
        """Return the example with its passages; as it is if its answer is blank, for which there is nothing to find."""
        if example.references:
            raise InputError("references", "must be empty where a corpus is checked against; give one or the other")
        if not example.answer.strip():
            return example
        return replace(example, references=references_for(self.corpus, example.question, example.answer, k=self.k))

    def _noted(self, report: Report, found: Example) -> Report:
        """Return the report with a note on how many passages were looked up, if any were."""
        n_passages = len(found.references)
        if not n_passages:
            return report
        passages = "the passage" if n_passages == 1 else f"the {n_passages} passages"
        nearest = "is" if n_passages == 1 else "are"
        text = f"Checked against {passages} of the corpus that {nearest} nearest to the question and the answer."
        notes = (Note("references_from_corpus", text), *embedding_notes(self.corpus.embedder))
        return replace(report, notes=(*notes, *report.notes))


def _failed(waiting: deque[tuple[Example, Example | RagcortexError]]) -> Iterator[Outcome]:
    """Take the examples at the front that could not be looked up."""
    while waiting and isinstance(waiting[0][1], RagcortexError):
        example, error = waiting.popleft()
        yield Outcome(example, None, error if isinstance(error, RagcortexError) else None)
