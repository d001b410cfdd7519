"""Measures by name."""

from collections.abc import Sequence
from typing import Final

from ragcortex.errors import InputError
from ragcortex.readers.measures.external_context import ExternalContext
from ragcortex.readers.measures.icr import ICR
from ragcortex.readers.measures.lens_progress import LensProgress
from ragcortex.readers.measures.lookback import Lookback
from ragcortex.readers.measures.measure import Measure, PassContext
from ragcortex.readers.measures.parametric_knowledge import ParametricKnowledge
from ragcortex.readers.measures.self_attention import SelfAttention
from ragcortex.readers.measures.top_tokens import TopEntropy, TopTokens

_MEASURES: Final[dict[str, type[Measure]]] = {
    measure.name: measure
    for measure in (
        ExternalContext,
        ICR,
        LensProgress,
        Lookback,
        ParametricKnowledge,
        SelfAttention,
        TopEntropy,
        TopTokens,
    )
}


def measures(names: Sequence[str], context: PassContext) -> list[Measure]:
    """Return new measures of these names for one forward pass; raises InputError naming those there are."""
    for name in names:
        if name not in _MEASURES:
            raise InputError("measures", f"{name!r} is not a measure; there are {', '.join(sorted(_MEASURES))}")
    return [_MEASURES[name](context) for name in names]
