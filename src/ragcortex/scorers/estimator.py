"""scikit-learn's conventions for classifiers, without importing it: that takes a second, and scoring needs none."""

import inspect
from typing import Any, Self


class Classifier:
    """Parameters by name, so that `sklearn.base.clone`, pipelines and grid search take a scorer for one of theirs.

    The arguments of the constructor are the parameters; each is an attribute of the same name.

    Attributes:
        classes_: the labels, once fitted.
    """

    classes_: Any

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - no parameter is an estimator
        """Return the constructor's arguments."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters and return self; raises ValueError, as scikit-learn does, for one that there is not."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} of {type(self).__name__}; there are {', '.join(names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn asks of an estimator."""
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
        )

    def _check_fitted(self, attribute: str) -> None:
        """Raise scikit-learn's NotFittedError unless the attribute is there."""
        if not hasattr(self, attribute):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
