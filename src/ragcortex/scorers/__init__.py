"""Scorers by name: what turns features into a probability per token."""

from typing import Final

from ragcortex.errors import InputError
from ragcortex.scorers.base import Scorer
from ragcortex.scorers.gain import GainScorer
from ragcortex.scorers.logistic import LogisticScorer
from ragcortex.scorers.mlp import MLPScorer
from ragcortex.scorers.recurrent import RecurrentScorer

__all__ = ["GainScorer", "LogisticScorer", "MLPScorer", "RecurrentScorer", "Scorer", "scorer_class"]

_SCORERS: Final[dict[str, type[Scorer]]] = {
    "mlp": MLPScorer,
    "recurrent": RecurrentScorer,
    "logistic": LogisticScorer,
    "gain": GainScorer,
}


def scorer_class(name: str) -> type[Scorer]:
    """Return the scorer of that name; raises InputError naming those there are."""
    if name not in _SCORERS:
        raise InputError("scorer", f"{name!r} is not a scorer; there are {', '.join(sorted(_SCORERS))}")
    return _SCORERS[name]
