"""Cross-validation: every answer judged once, by a detector that never saw its source."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.recipes import recipe
from ragcortex.evaluation.cross_validation import cross_validate, predict
from ragcortex.example import Span
from ragcortex.readers.reader import Reader
from ragcortex.readers.store import ReadingStore
from ragcortex.splits import folds
from ragcortex.training import TrainingOptions, train

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))
from labelled_answers import labelled_answers

OPTIONS = TrainingOptions(layers=(2,), validation_fraction=0.3, n_seeds=1)


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


def test_every_answer_is_judged_once_by_a_fold_without_its_source(reader: Reader, tmp_path: Path) -> None:
    examples = labelled_answers()
    store = ReadingStore(tmp_path)
    lines: list[str] = []
    predictions = cross_validate(
        examples, reader, recipe("scalars"), store, n_folds=5, options=OPTIONS, report=lines.append
    )
    assert [one.example for one in predictions] == examples
    assert sum("fold" in line for line in lines) == 5
    for one in predictions:
        assert len(one.raw) == len(one.smoothed) == len(one.tokens)


def test_no_fold_trains_on_a_source_that_it_judges(reader: Reader, tmp_path: Path) -> None:
    examples = labelled_answers(n_groups=5)
    fold_of = folds([one.group for one in examples], 5, OPTIONS.seed, strata=[one.answer_label for one in examples])
    by_fold = [{one.group for one, number in zip(examples, fold_of, strict=True) if number == f} for f in range(5)]
    assert sum(len(groups) for groups in by_fold) == len({one.group for one in examples})

    # Judged together or alone, a fold's answers get the same scores: nothing of theirs went into its detector.
    together = cross_validate(examples, reader, recipe("scalars"), ReadingStore(tmp_path), n_folds=5, options=OPTIONS)
    changed = [
        replace(one, spans=(Span(0, 8),), label=1) if one.group in by_fold[0] else one
        for one in examples
    ]  # fmt: skip
    relabelled = cross_validate(changed, reader, recipe("scalars"), ReadingStore(tmp_path), n_folds=5, options=OPTIONS)
    own = [index for index, one in enumerate(examples) if one.group in by_fold[0]]
    others = folds([one.group for one in changed], 5, OPTIONS.seed, strata=[one.answer_label for one in changed])
    if {examples[index].group for index in np.flatnonzero(others == others[own[0]])} == by_fold[0]:
        for index in own:
            np.testing.assert_array_equal(together[index].raw, relabelled[index].raw)


def test_predictions_of_a_detector_equal_its_reports(reader: Reader, tmp_path: Path) -> None:
    examples = labelled_answers()
    store = ReadingStore(tmp_path)
    bundle = train(examples, reader, recipe("scalars"), store, name="x", data="made up", options=OPTIONS)
    detector = InternalDetector(bundle, reader)
    for prediction in predict(examples[:4], detector, store):
        report = detector.check_example(prediction.example)
        np.testing.assert_allclose([token.raw for token in report.tokens], prediction.raw, atol=1e-6)
        assert report.score == pytest.approx(prediction.answer_score, abs=1e-6)
