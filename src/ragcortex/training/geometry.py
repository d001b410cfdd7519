"""Fits the geometric score: linear models of words and of statements, smoothing, thresholds, from labelled answers."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.calibration import Calibration, f1_threshold, false_alarm_threshold
from ragcortex.errors import TrainingError
from ragcortex.example import Example, Span
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import GeometricScores, any_of, with_findings
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.geometry.model import GeometryModel
from ragcortex.geometry.statement_features import STATEMENT_FEATURES, statement_features
from ragcortex.geometry.witness import WitnessOptions, examine
from ragcortex.geometry.word_features import FEATURES, WordFeatures, word_features
from ragcortex.smoothing import candidates, choose_smoothing
from ragcortex.splits import folds

Floats = npt.NDArray[np.float64]
N_FOLDS: Final = 5
# The thresholds: at most these shares of the grounded answers are called hallucinated, and are for review or worse.
FALSE_ALARMS: Final = 0.1
REVIEWED: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Witnessed:
    """A labelled example with what the witness saw: its words' features, and its evidence."""

    example: Example
    evidence: GeometricEvidence
    words: WordFeatures

    def word_labels(self) -> npt.NDArray[np.int8] | None:
        """Return 1 for each word that overlaps a hallucinated span; None where the spans are not known."""
        spans = self.example.known_spans
        return (
            None if spans is None else np.array([_touches(spans, *word) for word in self.words.ranges], dtype=np.int8)
        )


def witnessed(
    examples: Iterable[Example],
    embedder: Embedder,
    *,
    chunking: Chunking | None = None,
    options: WitnessOptions | None = None,
    claimless: bool = False,
) -> list[Witnessed]:
    """Return what the witness sees in each example with references that have text and an answer with claims.

    `claimless` keeps answers that claim nothing as well, for measuring: they have no words to fit on.
    """
    found: list[Witnessed] = []
    corpora: dict[tuple[str, ...], Corpus] = {}
    for example in examples:
        key = tuple(reference.text for reference in example.references)
        if key not in corpora:
            corpora.clear()
            corpora[key] = Corpus.in_memory(example.references, embedder, chunking)
        corpus = corpora[key]
        if not corpus.n_chunks or not example.answer.strip():
            continue
        evidence = examine(example.answer, corpus, question=example.question, options=options)
        if evidence.claims or claimless:
            found.append(Witnessed(example, evidence, word_features(evidence)))
    return found


def fit_geometry(
    rows: Sequence[Witnessed],
    embedder: Embedder,
    *,
    name: str,
    data: str,
    training: str,
    version: str = "1",
    chunking: Chunking | None = None,
    options: WitnessOptions | None = None,
    seed: int = 0,
) -> GeometryModel:
    """Return the score model fitted on labelled answers.

    Words are fitted on the answers whose spans are known, each answer weighing as much as it has words. The statements'
    model and all thresholds see only scores of words whose model was fitted on other sources (five folds).

    Args:
        rows: what the witness saw, with labels.
        embedder: the embedding model that it looked with.
        name, version: of the model.
        data: which labelled answers the thresholds come from, in words.
        training: on which data, under which licences.
        chunking, options: how the witness looked.
        seed: for the folds.

    Raises:
        TrainingError: a class is missing, or fewer than five sources have labels.
    """
    labelled = [row for row in rows if row.example.answer_label is not None]
    known = np.array([row.example.answer_label for row in labelled], dtype=np.int64)
    fold = folds([row.example.group for row in labelled], N_FOLDS, seed, strata=known.tolist())
    raw = _out_of_fold(labelled, fold)
    spanned = [index for index, row in enumerate(labelled) if row.word_labels() is not None]
    labels = [_labels(labelled[index]) for index in spanned]
    smoothing = choose_smoothing([raw[index] for index in spanned], labels, candidates("persistence"))
    smoothed = [np.asarray(smoothing.apply(raw[index]), dtype=np.float64) for index in spanned]
    features = [statement_features(row.evidence, row.words, scores) for row, scores in zip(labelled, raw, strict=True)]
    answers = np.array([any_of(own) for own in _held_out_statements(labelled, features, fold)])
    all_words = np.concatenate([labelled[index].words.values for index in spanned])
    return GeometryModel(
        name=name,
        version=version,
        words=LinearModel.fit(FEATURES, all_words, np.concatenate(labels), balanced=True),
        statements=_fit_statements(labelled, features),
        smoothing=smoothing,
        options=options or WitnessOptions(),
        chunking=chunking or Chunking(),
        embedder_fingerprint=embedder.identity.fingerprint,
        calibration=_calibration(np.concatenate(smoothed), np.concatenate(labels), answers, known, data),
        training=training,
    )


def held_out_scores(rows: Sequence[Witnessed], seed: int = 0) -> list[GeometricScores]:
    """Return the geometric scores of labelled answers by models that saw no answer to their source (five folds).

    Words are not smoothed. Statements have at least SPEAKS where a finding speaks for itself.

    Raises:
        TrainingError: as `fit_geometry`.
    """
    known = [row.example.answer_label for row in rows]
    fold = folds([row.example.group for row in rows], N_FOLDS, seed, strata=known)
    raw = _out_of_fold(rows, fold)
    features = [statement_features(row.evidence, row.words, scores) for row, scores in zip(rows, raw, strict=True)]
    statements = _held_out_statements(rows, features, fold)
    return [
        GeometricScores(row.words, words, words, own, any_of(own))
        for row, words, own in zip(rows, raw, statements, strict=True)
    ]


def _out_of_fold(rows: Sequence[Witnessed], fold: npt.NDArray[np.intp]) -> list[Floats]:
    """Return each answer's raw word scores by a model that saw no answer to its source."""
    found: list[Floats] = [np.zeros(0)] * len(rows)
    for held_out in range(N_FOLDS):
        others = [row for row, own in zip(rows, fold, strict=True) if own != held_out]
        train = [row for row in others if row.word_labels() is not None]
        if not train:
            raise TrainingError("no answer outside one fold of sources has known spans; give more labelled answers")
        model = LinearModel.fit(
            FEATURES,
            np.concatenate([row.words.values for row in train]),
            np.concatenate([_labels(row) for row in train]),
            balanced=True,
        )
        for index, row in enumerate(rows):
            if fold[index] == held_out:
                found[index] = model.probabilities(row.words.values)
    return found


def _held_out_statements(
    rows: Sequence[Witnessed], features: Sequence[Floats], fold: npt.NDArray[np.intp]
) -> list[Floats]:
    """Return the scores of each answer's statements by a model of statements that saw no answer to its source."""
    found: dict[int, Floats] = {}
    for held_out in range(N_FOLDS):
        train = np.flatnonzero(fold != held_out).tolist()
        model = _fit_statements([rows[index] for index in train], [features[index] for index in train])
        for index in np.flatnonzero(fold == held_out).tolist():
            found[index] = with_findings(model.probabilities(features[index]), rows[index].evidence)
    return [found[index] for index in range(len(rows))]


def _fit_statements(rows: Sequence[Witnessed], features: Sequence[Floats]) -> LinearModel:
    """Return the model of statements; a statement is hallucinated if it overlaps a span."""
    known = [
        (values, [_touches(spans, one.start, one.end) for one in row.evidence.claims])
        for row, values in zip(rows, features, strict=True)
        if (spans := row.example.known_spans) is not None
    ]
    values = np.concatenate([part for part, _ in known])
    return LinearModel.fit(STATEMENT_FEATURES, values, [label for _, part in known for label in part])


def _labels(row: Witnessed) -> npt.NDArray[np.int8]:
    labels = row.word_labels()
    if labels is None:
        raise TrainingError("the spans of this answer are not known")
    return labels


def _touches(spans: Sequence[Span], start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in spans)


def _calibration(
    words: Floats, word_labels: npt.NDArray[np.int8], answers: Floats, labels: npt.NDArray[np.int64], data: str
) -> Calibration:
    token = f1_threshold(words, word_labels)
    # Training answers are hallucinated far more often than real ones, which pulls the best F1 to a low threshold.
    hallucinated = false_alarm_threshold(answers, labels, FALSE_ALARMS)
    review = false_alarm_threshold(answers, labels, REVIEWED)
    return Calibration(
        token_threshold=token.threshold,
        review_threshold=min(review.threshold, hallucinated.threshold),
        hallucinated_threshold=hallucinated.threshold,
        data=data,
        n_answers=len(labels),
        n_hallucinated=int(labels.sum()),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        figures={
            "token_f1": token.f1, "token_precision": token.precision or 0.0, "token_recall": token.recall,
            "answer_f1": hallucinated.f1, "answer_precision": hallucinated.precision or 0.0,
            "answer_recall": hallucinated.recall,
        },
    )  # fmt: skip
