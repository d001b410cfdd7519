"""A generalised additive model of few answers: boosted shape functions by interpret, kept as plain arrays.

Source: RAGLens, its classifier: ExplainableBoostingClassifier(interactions=0, max_bins=32, validation_size=0.1,
max_rounds=1000, early_stopping_tolerance=1e-5), everything else as interpret has it. Once fitted it is a sum of step
functions, one a column; they are held, saved and evaluated here without interpret.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ragcortex.errors import BundleError, ModelMissingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels, checked_columns, checked_training_set, sigmoid, two_columns


class AdditiveScorer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boosted generalised additive model without interactions.

    Args:
        max_bins: bins of a column, at most; one of them is for missing values.
        n_bags: models on resampled rows that are averaged.
        validation_fraction: share of the rows of a bag that decides when to stop.
        max_rounds: rounds of boosting, at most.
        tolerance: how much a round must improve the validation loss.
        n_jobs: threads, as in scikit-learn; changes nothing but the time.
        seed: of bags and validation rows.

    Attributes:
        cuts_: float32 (columns, most cuts of a column): where the steps of a column are, ascending, then infinity.
        steps_: float32 (columns, most cuts + 1): the log odds added between cuts; the last one is repeated to the end.
        intercept_: float32 (1,).
    """

    def __init__(
        self,
        max_bins: int = 32,
        *,
        n_bags: int = 14,
        validation_fraction: float = 0.1,
        max_rounds: int = 1000,
        tolerance: float = 1e-5,
        n_jobs: int = -1,
        seed: int = 0,
    ) -> None:
        self.max_bins = max_bins
        self.n_bags = n_bags
        self.validation_fraction = validation_fraction
        self.max_rounds = max_rounds
        self.tolerance = tolerance
        self.n_jobs = n_jobs
        self.seed = seed

    def fit(
        self,
        X: Floats,
        y: Labels,
        X_val: Floats | None = None,  # noqa: ARG002 - the protocol's; every bag makes its own validation rows
        y_val: Labels | None = None,  # noqa: ARG002
    ) -> Self:
        """Fit on (n, columns) features and (n,) labels.

        Raises:
            TrainingError: as `checked_training_set`.
            ModelMissingError: interpret is not installed.
        """
        from joblib import parallel_config

        X, y = checked_training_set(X, y)
        model = boosting_classifier()(
            feature_types=["continuous"] * X.shape[1],
            interactions=0,
            max_bins=self.max_bins,
            outer_bags=self.n_bags,
            validation_size=self.validation_fraction,
            max_rounds=self.max_rounds,
            early_stopping_tolerance=self.tolerance,
            n_jobs=self.n_jobs,
            random_state=self.seed,
        )
        with parallel_config(backend="threading"):  # its boosting is native code; processes would copy everything
            model.fit(X, y)
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        self.cuts_, self.steps_ = _step_functions(model, X.shape[1])
        self.intercept_ = np.asarray(model.intercept_, dtype=np.float32)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return float32 (n, 2)."""
        check_is_fitted(self, "steps_")
        X = checked_columns(X, self.n_features_in_)
        log_odds = np.full(len(X), self.intercept_[0], dtype=np.float64)
        for column, (cuts, steps) in enumerate(zip(self.cuts_, self.steps_, strict=True)):
            log_odds += steps[np.searchsorted(cuts, X[:, column], side="right")]
        return two_columns(sigmoid(log_odds.astype(np.float32)))

    def arrays(self) -> dict[str, Floats]:
        """Return cuts, steps and intercept."""
        check_is_fitted(self, "steps_")
        return {"cuts": self.cuts_, "steps": self.steps_, "intercept": self.intercept_}

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer whose parameters and `arrays()` these are."""
        cuts, steps, intercept = arrays["cuts"], arrays["steps"], arrays["intercept"]
        if cuts.ndim != 2 or steps.shape != (cuts.shape[0], cuts.shape[1] + 1) or intercept.shape != (1,):
            raise BundleError(
                "the scorer's arrays cuts, steps and intercept must have shapes (columns, n), (columns, n + 1) and "
                f"(1,), got {cuts.shape}, {steps.shape} and {intercept.shape}"
            )
        if (cuts[:, 1:] < cuts[:, :-1]).any():
            raise BundleError("the scorer's array cuts must ascend in every column")
        scorer = cls(**params)
        scorer.classes_ = np.array([0, 1])
        scorer.n_features_in_ = len(cuts)
        scorer.cuts_, scorer.steps_, scorer.intercept_ = cuts, steps, intercept
        return scorer


def boosting_classifier() -> Any:
    """Return interpret's ExplainableBoostingClassifier; raises ModelMissingError where it is not installed."""
    try:
        from interpret.glassbox import ExplainableBoostingClassifier
    except ImportError as error:
        raise ModelMissingError(
            "the additive model of RAGLens needs interpret-core, which is not installed; "
            "run `pip install 'ragcortex[benchmark]'`"
        ) from error
    return ExplainableBoostingClassifier


def _step_functions(model: Any, n_columns: int) -> tuple[Floats, Floats]:
    """Return the cuts and steps of a fitted model, padded to the column with the most."""
    cuts_of = [np.asarray(model.bins_[column][0], dtype=np.float32) for column in range(n_columns)]
    most = max(len(cuts) for cuts in cuts_of)
    cuts = np.full((n_columns, most), np.inf, dtype=np.float32)
    steps = np.zeros((n_columns, most + 1), dtype=np.float32)
    for (column,), scores in zip(model.term_features_, model.term_scores_, strict=True):
        own = scores[1:-1]  # the first is for missing values, the last for unseen ones: X is finite
        n_cuts = len(cuts_of[column])
        cuts[column, :n_cuts] = cuts_of[column]
        steps[column, : n_cuts + 1] = own
        steps[column, n_cuts + 1 :] = own[-1]
    return cuts, steps
