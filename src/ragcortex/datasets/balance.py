"""What length and position alone tell about the labels of a data set: if much, a detector learns that instead."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragcortex.align import words
from ragcortex.example import Example


@dataclass(frozen=True, slots=True)
class Balance:
    """Base rates and the AUROC of trivial predictors; an AUROC is None where only one class is present.

    Attributes:
        n_examples: number of examples with spans known.
        n_hallucinated: of these, with at least one span.
        hallucinated_char_share: share of answer characters inside spans, in [0, 1].
        length_auroc: the answer's length in words against its label.
        index_auroc: a word's index in the answer against its label, over all words.
        relative_position_auroc: the index divided by the answer's length, against the label, over all words.
        within_position_auroc: the same over the words of hallucinated answers only.
    """

    n_examples: int
    n_hallucinated: int
    hallucinated_char_share: float
    length_auroc: float | None
    index_auroc: float | None
    relative_position_auroc: float | None
    within_position_auroc: float | None


def balance(examples: Sequence[Example]) -> Balance:
    """Return the balance of all examples whose spans are known."""
    known = [example for example in examples if example.spans is not None]
    labels = [_word_labels(example) for example in known]
    answer_labels = [int(bool(example.spans)) for example in known]
    indices = [np.arange(len(label)) for label in labels]
    relative = [(index + 0.5) / max(len(index), 1) for index in indices]
    wrong = [index for index, label in enumerate(answer_labels) if label]
    n_chars = sum(len(example.answer) for example in known)
    n_marked = sum(span.end - span.start for example in known for span in example.spans or ())
    return Balance(
        n_examples=len(known),
        n_hallucinated=sum(answer_labels),
        hallucinated_char_share=n_marked / n_chars if n_chars else 0.0,
        length_auroc=_auroc(answer_labels, [len(label) for label in labels]),
        index_auroc=_auroc(_joined(labels), _joined(indices)),
        relative_position_auroc=_auroc(_joined(labels), _joined(relative)),
        within_position_auroc=_auroc(_joined([labels[i] for i in wrong]), _joined([relative[i] for i in wrong])),
    )


def _word_labels(example: Example) -> np.ndarray:
    spans = example.spans or ()
    inside = [any(span.start < end and start < span.end for span in spans) for start, end in words(example.answer)]
    return np.array(inside, dtype=np.int64)


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def _auroc(labels: Sequence[int] | np.ndarray, scores: Sequence[float] | np.ndarray) -> float | None:
    from sklearn.metrics import roc_auc_score

    if len(set(np.asarray(labels).tolist())) < 2:
        return None
    return float(roc_auc_score(labels, scores))
