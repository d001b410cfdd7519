"""How a reader is fine-tuned as a token classifier; see `tuning` for the recipe and its source."""

import math
from dataclasses import dataclass, field

from ragcortex.errors import InputError
from ragcortex.readers.token_classifier import ClassifierForm


@dataclass(frozen=True, slots=True)
class TuningOptions:
    """How a token classifier is trained.

    Attributes:
        form: what is trained, and how it is read.
        learning_rate: of the reader's own weights or its adapter's, at its highest.
        head_learning_rate: of the linear head, at its highest.
        weight_decay: of AdamW.
        n_epochs: passes over the training answers, at most.
        patience: epochs without a better validation average precision before stopping; unused without validation.
        batch_answers: a step takes whole groups of answers of one source until it has this many.
        warmup: the share of all steps in which the rates rise; afterwards they fall to zero at the last one.
        max_gradient_norm: longer gradients are shortened to it.
        positive_weight: what a hallucinated token counts in the loss; None balances the classes (N_neg / N_pos).
        seed: of the order of steps, and of an adapter's first matrices and dropout.
    """

    form: ClassifierForm = field(default_factory=ClassifierForm)
    learning_rate: float = 1e-5
    head_learning_rate: float = 1e-3
    weight_decay: float = 0.01
    n_epochs: int = 6
    patience: int = 2
    batch_answers: int = 4
    warmup: float = 0.1
    max_gradient_norm: float = 1.0
    positive_weight: float | None = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "head_learning_rate", "max_gradient_norm", "positive_weight"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise InputError(name, f"must be a finite number greater than 0, got {value}")
        for name in ("n_epochs", "patience", "batch_answers"):
            if getattr(self, name) < 1:
                raise InputError(name, f"must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.warmup < 1:
            raise InputError("warmup", f"must lie in [0, 1), got {self.warmup}")
        if not 0 <= self.weight_decay < math.inf:
            raise InputError("weight_decay", f"must be a finite number from 0 on, got {self.weight_decay}")
