"""Training: labelled examples → readings → a fitted detector, every choice made on validation groups."""

from ragcortex.training.fit import Fitted, TrainingOptions, choose_smoothings, fit
from ragcortex.training.tables import ReadingSource, stored_readings
from ragcortex.training.train import layer_candidates, train

__all__ = [
    "Fitted",
    "ReadingSource",
    "TrainingOptions",
    "choose_smoothings",
    "fit",
    "layer_candidates",
    "stored_readings",
    "train",
]
