"""Named features of each statement of an answer, from the scores of its words and what its facts find."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.errors import ReadingError
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.word_features import FEATURES, WordFeatures

Floats = npt.NDArray[np.float64]

STATEMENT_FEATURES: Final = (
    "highest_word", "mean_word", "contradicted", "absent_figure", "absent_name", "pieced", "distance", "uncovered",
    "confirmed_figures", "confirmed_names", "novel_words",
)  # fmt: skip
# Scores nearer to 0 or 1 than this count as this near, so that their logits stay finite.
_MARGIN: Final = 1e-4


def statement_features(evidence: GeometricEvidence, words: WordFeatures, raw: Floats) -> Floats:
    """Return the features of the m statements that claim something, in their order: float64, shape (m, 11).

    highest_word: logit of the highest raw score of its content words. mean_word: their mean raw score. contradicted,
    absent_figure, absent_name, pieced: 1 where its facts have such a finding. distance: 1 − max_similarity.
    uncovered: 1 − covered. confirmed_figures, confirmed_names: 1 where it has some and the references confirm each.
    novel_words: log(1 + how many of its words no sentence asked has).

    Args:
        evidence: what the witness saw.
        words: the n words of the claims and their features.
        raw: the words' scores before smoothing, shape (n,), in [0, 1].

    Raises:
        ReadingError: the scores are not one a word.
    """
    if raw.shape != (len(words),):
        raise ReadingError(f"word scores must have shape ({len(words)},), got {raw.shape}")
    content = words.values[:, FEATURES.index("content")] > 0
    starts = np.array([start for start, _ in words.ranges], dtype=np.intp)
    novel = words.values[:, FEATURES.index("novel_words")]
    rows = []
    for one in evidence.claims:
        own = (one.start <= starts) & (starts < one.end)
        rows.append(_row(one, raw[content & own], novel[own].max(initial=0.0)))
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(STATEMENT_FEATURES))


def _row(statement: StatementEvidence, scores: Floats, novel_words: float) -> tuple[float, ...]:
    highest = float(np.clip(scores.max(initial=_MARGIN), _MARGIN, 1 - _MARGIN))
    found = {(one.relation, "name" if one.reason == "entity" else "figure") for one in statement.findings}
    relations = {relation for relation, _ in found}
    similarity = statement.similarity
    return (
        float(np.log(highest / (1 - highest))),
        float(scores.mean()) if len(scores) else 0.0,
        float("contradicted" in relations),
        float(("absent", "figure") in found),
        float(("absent", "name") in found),
        float("pieced" in relations),
        1 - (similarity.max_similarity if similarity is not None else 0.0),
        1 - statement.covered,
        float(statement.confirms_figures),
        float(statement.confirms_names),
        novel_words,
    )
