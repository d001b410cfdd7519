"""Smoothing of token scores: label persistence by forward–backward, window maximum, window mean, none."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.errors import BundleError, InputError, ReadingError, TrainingError
from ragcortex.label_chain import label_persistence
from ragcortex.ranked_scores import RankedScores
from ragcortex.score_arrays import Floats, binary_labels, exact_fields, probability_scores

Method = Literal["persistence", "window_max", "window_mean", "none"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)

P_STAY_MARGIN: Final = 1e-12
"""p_stay keeps this far from 0 and 1, where the odds of the chain would leave the range of a float."""
P_STAY_CANDIDATES: Final = (0.5, 0.7, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.993, 0.995, 0.997, 0.999)
USUAL_P_STAY: Final = 0.993
"""The paper's p_stay for tokens, kept unless validation data speak clearly against it."""
USUAL_ANSWER_P_STAY: Final = 0.93
"""The paper's p_stay for the answer's score, likewise."""
_N_RESAMPLES: Final = 100
WINDOW_CANDIDATES: Final = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


@dataclass(frozen=True, slots=True)
class Smoothing:
    """One way to smooth the scores of an answer's tokens.

    Attributes:
        method: `persistence`, `window_max`, `window_mean` or `none`.
        p_stay: persistence only: the probability, in (0, 1), that two neighbours have the same label.
        window: the windows only: token i sees every j with |j − i| <= window; 0 leaves the scores as they are.

    Raises:
        InputError: the method is unknown, or its parameter is missing, out of range or another method's.
    """

    method: Method
    p_stay: float | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            nearest = difflib.get_close_matches(str(self.method), METHODS, n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else "use another one."
            raise InputError("method", f"must be one of {', '.join(METHODS)}, got {self.method!r}; {hint}")
        if self.method == "persistence":
            _check_p_stay(self.p_stay)
        elif self.p_stay is not None:
            raise InputError("p_stay", f"belongs to persistence, not to {self.method}; leave it out")
        if self.method in ("window_max", "window_mean"):
            _check_window(self.window)
        elif self.window is not None:
            raise InputError("window", f"belongs to window_max and window_mean, not to {self.method}; leave it out")

    @classmethod
    def persistence(cls, p_stay: float) -> "Smoothing":
        """Return label persistence with the probability `p_stay` that neighbours share a label."""
        return cls("persistence", p_stay=p_stay)

    @classmethod
    def window_max(cls, window: int) -> "Smoothing":
        """Return the maximum over the token and `window` neighbours on each side."""
        return cls("window_max", window=window)

    @classmethod
    def window_mean(cls, window: int) -> "Smoothing":
        """Return the mean over the token and those of the `window` neighbours on each side that exist."""
        return cls("window_mean", window=window)

    @classmethod
    def none(cls) -> "Smoothing":
        """Return the smoothing that leaves every score as it is."""
        return cls("none")

    @property
    def reach(self) -> float:
        """How many tokens on each side one token influences; the order in which smoothings count as less or more.

        For windows it is the window. The influence of a chain falls as λ^distance with λ = |2 p_stay − 1|, which adds
        up to λ / (1 − λ) on each side: 0 for p_stay = .5, 99 for .995.
        """
        if self.p_stay is not None:
            decay = abs(2 * self.p_stay - 1)
            return decay / (1 - decay)
        return float(self.window or 0)

    def apply(self, scores: npt.ArrayLike) -> Floats:
        """Return the smoothed scores of one answer: shape (T,), float64, in [0, 1]; the argument is left alone.

        >>> Smoothing.window_max(1).apply([0.1, 0.8, 0.2, 0.3]).tolist()
        [0.8, 0.8, 0.8, 0.3]

        Raises:
            ReadingError: a score is not finite or lies outside [0, 1].
        """
        return self.apply_many([scores])[0]

    def apply_many(self, scores: Iterable[npt.ArrayLike]) -> list[Floats]:
        """Return the smoothed scores of several answers of any lengths, each bit-equal to `apply` on it alone.

        Raises:
            ReadingError: a score is not finite or lies outside [0, 1].
        """
        sequences = [probability_scores(sequence) for sequence in scores]
        if self.method == "persistence":
            return label_persistence(sequences, cast(float, self.p_stay))
        if not self.window:
            return sequences
        smooth = _window_max if self.method == "window_max" else _window_mean
        return [smooth(sequence, self.window) if len(sequence) else sequence for sequence in sequences]

    def to_dict(self) -> dict[str, str | float | int | None]:
        """Return the JSON form, with all three fields."""
        return {"method": self.method, "p_stay": self.p_stay, "window": self.window}

    @classmethod
    def from_dict(cls, data: object) -> "Smoothing":
        """Return the smoothing that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or out of range; the message names it.
        """
        fields = exact_fields(data, ("method", "p_stay", "window"), "smoothing")
        try:
            return cls(**fields)  # type: ignore[arg-type]  # the values are checked by the class itself
        except InputError as error:
            raise BundleError(f"smoothing.{error}") from error


def answer_score(scores: npt.ArrayLike, smoothing: Smoothing) -> float:
    """Return the score of an answer, in [0, 1]: the highest of its smoothed token scores.

    Raises:
        ReadingError: the answer has no tokens, or a score is not finite or lies outside [0, 1].
    """
    smoothed = smoothing.apply(scores)
    if not len(smoothed):
        raise ReadingError("an answer without tokens has no score; report it as having no claim instead")
    return float(smoothed.max())


def candidates(method: Method) -> tuple[Smoothing, ...]:
    """Return what to choose from when only the method is decided: none, and the method over its grid."""
    if method == "persistence":
        return (Smoothing.none(), *(Smoothing.persistence(p_stay) for p_stay in P_STAY_CANDIDATES))
    if method in ("window_max", "window_mean"):
        return tuple(Smoothing(method, window=window) for window in WINDOW_CANDIDATES)
    return (Smoothing.none(),)


def choose_smoothing(
    scores_by_answer: Sequence[npt.ArrayLike],
    labels_by_answer: Sequence[npt.ArrayLike],
    candidates: Sequence[Smoothing],
    *,
    usual: Smoothing | None = None,
) -> Smoothing:
    """Return the candidate with the best average precision over all tokens pooled; of equals, that of least reach.

    Args:
        scores_by_answer: the raw token scores of each validation answer, in [0, 1].
        labels_by_answer: the label of each of these tokens, 1 = hallucinated.
        candidates: what to choose from.
        usual: a candidate that is taken unless the best is better by more than one standard error of the difference
            (100 bootstrap resamples of answers): the choice among smoothings of like quality is noise, and scores
            smoothed differently cannot be compared.

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1].
        InputError: there are no candidates, or labels do not match the scores.
        TrainingError: the tokens are all grounded or all hallucinated.
    """
    sequences = [probability_scores(scores) for scores in scores_by_answer]
    if len(labels_by_answer) != len(sequences):
        raise InputError("labels", f"must be given for {len(sequences)} answers, got {len(labels_by_answer)}")
    labels = [binary_labels(given, len(scores)) for given, scores in zip(labels_by_answer, sequences, strict=True)]
    return _best(
        candidates,
        [np.concatenate([*candidate.apply_many(sequences), []]) for candidate in candidates],
        np.concatenate([*labels, np.zeros(0, np.int8)]),
        "tokens",
        answers=np.repeat(np.arange(len(sequences)), [len(scores) for scores in sequences]),
        usual=usual,
    )


def choose_answer_smoothing(
    scores_by_answer: Sequence[npt.ArrayLike],
    answer_labels: npt.ArrayLike,
    candidates: Sequence[Smoothing],
    *,
    usual: Smoothing | None = None,
) -> Smoothing:
    """Return the candidate whose answer scores have the best average precision; of equals, that of least reach.

    Args:
        scores_by_answer: the raw token scores of each validation answer, in [0, 1].
        answer_labels: the label of each answer, 1 = it contains a hallucination.
        candidates: what to choose from.
        usual: see `choose_smoothing`.

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1], or an answer has no tokens.
        InputError: there are no candidates, or labels do not match the answers.
        TrainingError: the answers are all grounded or all hallucinated.
    """
    sequences = [probability_scores(scores) for scores in scores_by_answer]
    labels = binary_labels(answer_labels, len(sequences))
    if any(not len(scores) for scores in sequences):
        raise ReadingError("an answer without tokens has no score; leave it out of the validation answers")
    return _best(
        candidates,
        [np.array([smoothed.max() for smoothed in candidate.apply_many(sequences)]) for candidate in candidates],
        labels,
        "answers",
        answers=np.arange(len(sequences)),
        usual=usual,
    )


def _best(
    candidates: Sequence[Smoothing],
    scores: Sequence[Floats],
    labels: npt.NDArray[np.int8],
    what: str,
    *,
    answers: npt.NDArray[np.intp],
    usual: Smoothing | None,
) -> Smoothing:
    from sklearn.metrics import average_precision_score

    if not candidates:
        raise InputError("candidates", "must hold at least one smoothing to choose from")
    if not labels.any() or labels.all():
        missing = "grounded" if labels.any() else "hallucinated"
        raise TrainingError(
            f"choosing the smoothing needs grounded and hallucinated {what}, but none of the {len(labels)} validation "
            f"{what} is {missing}; give more labelled validation data"
        )
    quality = [float(average_precision_score(labels, values)) for values in scores]
    best = min(range(len(candidates)), key=lambda index: (-quality[index], candidates[index].reach))
    if usual not in candidates:
        return candidates[best]
    kept = candidates.index(usual)
    difference = quality[best] - quality[kept]
    return candidates[kept if difference <= _standard_error(scores[best], scores[kept], labels, answers) else best]


def _standard_error(
    scores: Floats, others: Floats, labels: npt.NDArray[np.int8], answers: npt.NDArray[np.intp]
) -> float:
    """Return the bootstrap standard error, over answers, of the difference in average precision of two scores."""
    rng = np.random.default_rng(0)
    n_answers = int(answers.max()) + 1
    first, second = RankedScores(scores, labels, answers), RankedScores(others, labels, answers)
    differences = []
    for _ in range(_N_RESAMPLES):
        weights = np.bincount(rng.integers(n_answers, size=n_answers), minlength=n_answers).astype(np.float64)
        one, other = first.weighted(weights), second.weighted(weights)
        if one is not None and other is not None:
            differences.append(one[0] - other[0])
    return float(np.std(differences)) if differences else 0.0


def _check_p_stay(p_stay: object) -> None:
    if not isinstance(p_stay, float) or not P_STAY_MARGIN <= p_stay <= 1 - P_STAY_MARGIN:
        raise InputError("p_stay", f"must be a number between 0 and 1, both excluded, got {p_stay!r}")


def _check_window(window: object) -> None:
    if not isinstance(window, int) or isinstance(window, bool) or window < 0:
        raise InputError("window", f"must be a whole number of tokens, 0 or more, got {window!r}")


def _window_max(scores: Floats, window: int) -> Floats:
    window = min(window, len(scores) - 1)
    return _sliding(np.pad(scores, window), 2 * window + 1, np.maximum)  # scores are >= 0, so padding never wins


def _window_mean(scores: Floats, window: int) -> Floats:
    window = min(window, len(scores) - 1)
    totals = _sliding(np.pad(scores, window), 2 * window + 1, np.add)
    positions = np.arange(len(scores))
    seen = np.minimum(positions, window) + np.minimum(positions[::-1], window) + 1
    means: Floats = np.minimum(totals / seen, 1.0)  # a mean of ones may round to just above 1
    return means


def _sliding(values: Floats, length: int, combine: np.ufunc) -> Floats:
    """Return `combine` over each run of `length` values, from blocks whose size doubles: O(T log length).

    Every run is combined in the same order, so equal runs give bit-equal results (a running sum would not).
    """
    n_runs = len(values) - length + 1
    result: Floats | None = None
    taken, size, blocks = 0, 1, values
    while True:
        if length & size:
            piece = blocks[taken : taken + n_runs]
            result = piece.copy() if result is None else combine(result, piece)
            taken += size
        if 2 * size > length:
            return cast(Floats, result)
        blocks = combine(blocks[:-size], blocks[size:])
        size *= 2
