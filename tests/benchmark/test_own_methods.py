"""Our own detectors as methods: geometry, the fusion fitted in a fold, and those that ship."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from labelled_sources import labelled_sources
from ragcortex.benchmark.config import ProtocolConfig
from ragcortex.benchmark.method import Workbench, checked
from ragcortex.benchmark.protocol import make_folds
from ragcortex.benchmark.registry import make_method
from ragcortex.errors import BundleError
from ragcortex.readers.reader import Reader
from ragcortex.readers.store import ReadingStore

EXAMPLES = labelled_sources(12)
pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def bench(tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    folder = tmp_path_factory.mktemp("work")
    return Workbench(EXAMPLES, Reader.load(str(tiny_reader_folder)), ReadingStore(folder / "readings"), folder)


@pytest.mark.parametrize("name", ["geometry", "fusion"])
def test_what_no_reference_says_scores_higher(bench: Workbench, name: str) -> None:
    method = make_method(name, {})
    (fold, *_) = make_folds(EXAMPLES, [None] * len(EXAMPLES), ProtocolConfig(folds=4, validation=0.2), 0)
    scores = list(method.fit(bench, fold.data).score(bench, fold.test))
    for position, one in zip(fold.test, scores, strict=True):
        checked(one, method.card, len(bench.tokens(position)))
    labels = np.concatenate([bench.token_labels(position) for position in fold.test])
    assert roc_auc_score(labels, np.concatenate([one.tokens for one in scores])) > 0.8
    assert roc_auc_score(bench.answer_labels(fold.test), [one.answer for one in scores]) > 0.8


def test_a_shipped_detector_reads_as_it_ships(tmp_path: Path) -> None:
    from ragcortex import Detector

    examples = EXAMPLES[:3]
    for name in ("reference-gain", "fusion-clean"):
        detector = Detector.load(name)
        reader = detector.reader if name == "reference-gain" else detector.internal.reader
        bench = Workbench(examples, reader, ReadingStore(tmp_path / "readings"), tmp_path)
        method = make_method("shipped", {"detector": name})
        (fold, *_) = make_folds(EXAMPLES, [None] * len(EXAMPLES), ProtocolConfig(folds=2), 0)
        scores = list(method.fit(bench, fold.data).score(bench, range(3)))
        for example, one in zip(examples, scores, strict=True):
            report = detector.check_example(example)
            if name == "fusion-clean":
                assert one.answer == pytest.approx(report.score, abs=1e-4)
                np.testing.assert_allclose(one.tokens, [token.score for token in report.tokens], atol=1e-4)
            else:
                np.testing.assert_allclose(one.tokens, [token.raw for token in report.tokens], atol=1e-4)


def test_a_shipped_detector_of_another_reader_is_refused(bench: Workbench) -> None:
    with pytest.raises(BundleError, match="embedded"):
        make_method("shipped", {"detector": "cortex-clean"}).spec(bench.reader)
