"""The features of statements, by hand from the scores of their words and their findings."""

import math
import re

import numpy as np
import pytest

from made_embedder import WordEmbedder
from ragcortex.errors import ReadingError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.statement_features import STATEMENT_FEATURES, statement_features
from ragcortex.geometry.witness import examine
from ragcortex.geometry.word_features import FEATURES, word_features

REFERENCES = ("The lighthouse at Cape Arden was built in 1874.", "Mary Holt painted the lamps.")
ANSWER = "The lighthouse at Cape Arden was built in 1902. Hello! Otto Brandt collected stamps. It was."


def seen(answer: str = ANSWER) -> GeometricEvidence:
    return examine(answer, Corpus.in_memory(tuple(map(Reference, REFERENCES)), WordEmbedder()))


def named(row: np.ndarray) -> dict[str, float]:
    return dict(zip(STATEMENT_FEATURES, row.tolist(), strict=True))


def test_features_by_hand() -> None:
    evidence = seen()
    words = word_features(evidence)
    # Content words: lighthouse, Cape, Arden, built; Otto, Brandt, collected, stamps; «It was.» has none.
    assert [one.text for one in evidence.claims] == [
        *("The lighthouse at Cape Arden was built in 1902.", "Otto Brandt collected stamps.", "It was."),
    ]
    raw = np.linspace(0.1, 0.9, len(words))
    content = words.values[:, FEATURES.index("content")] > 0
    rows = statement_features(evidence, words, raw)
    first, second, third = map(named, rows)
    for row, one in zip((first, second), evidence.claims, strict=False):
        own = [
            score
            for (start, _), score, counts in zip(words.ranges, raw.tolist(), content.tolist(), strict=True)
            if counts and one.start <= start < one.end
        ]
        assert len(own) == 4
        assert row["highest_word"] == pytest.approx(math.log(max(own) / (1 - max(own))))
        assert row["mean_word"] == pytest.approx(sum(own) / 4)
        assert one.similarity is not None
        assert row["distance"] == 1 - one.similarity.max_similarity
        assert row["uncovered"] == 1 - one.covered
    # Of four content words and one year all but the year; of four words none.
    assert (first["uncovered"], second["uncovered"]) == (pytest.approx(1 / 5), 1)
    assert (first["contradicted"], first["absent_name"], first["pieced"]) == (1, 0, 0)
    assert (second["contradicted"], second["absent_figure"], second["absent_name"]) == (0, 0, 1)
    # Otto, Brandt, collected, stamps.
    assert second["novel_words"] == pytest.approx(math.log(5))
    assert third["highest_word"] == pytest.approx(math.log(1e-4 / (1 - 1e-4)))
    assert (third["mean_word"], third["uncovered"], third["novel_words"]) == (0, 0, 0)


def test_certain_words_have_finite_logits() -> None:
    evidence = seen()
    words = word_features(evidence)
    for certain in (np.zeros(len(words)), np.ones(len(words))):
        assert np.isfinite(statement_features(evidence, words, certain)).all()


def test_an_answer_without_claims_has_no_rows() -> None:
    evidence = seen("Hello!")
    words = word_features(evidence)
    assert statement_features(evidence, words, np.zeros(0)).shape == (0, len(STATEMENT_FEATURES))


def test_scores_are_one_a_word() -> None:
    evidence = seen()
    words = word_features(evidence)
    message = f"word scores must have shape ({len(words)},), got (3,)"
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        statement_features(evidence, words, np.zeros(3))
