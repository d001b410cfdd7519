"""Whether a whole answer claims nothing: a refusal, a greeting, a question back."""

from ragcortex.align import sentences


def states_nothing(answer: str) -> bool:
    """Return whether every sentence of an answer claims nothing; a blank answer has none that does."""
    from ragcortex.geometry.claims import claims_nothing

    return all(claims_nothing(answer[start:end], None) is not None for start, end in sentences(answer))
