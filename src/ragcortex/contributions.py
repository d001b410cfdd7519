"""What each named signal adds to the log-odds of a token, and which token speaks for a stretch of the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens
from ragcortex.checks import check_parts, check_text
from ragcortex.errors import InputError, ReadingError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TokenContributions:
    """What n named signals add to the log-odds that each of T tokens is hallucinated.

    Attributes:
        names: the signals, each once.
        values: float64, shape (T, n), finite; above 0 speaks for a hallucination.

    Raises:
        InputError: a name is blank or given twice, or the values are not finite float64 of that shape.
    """

    names: tuple[str, ...]
    values: Floats

    def __post_init__(self) -> None:
        check_parts("names", self.names, str)
        for index, name in enumerate(self.names):
            check_text(f"names[{index}]", name, filled=True)
            if name in self.names[:index]:
                raise InputError(f"names[{index}]", f"must be given once, got {name!r} again")
        if not isinstance(self.values, np.ndarray) or self.values.dtype != np.float64:
            kind = getattr(self.values, "dtype", type(self.values).__name__)
            raise InputError("values", f"must be an array of float64, got {kind}")
        if self.values.ndim != 2 or self.values.shape[1] != len(self.names):
            raise InputError("values", f"must have shape (tokens, {len(self.names)}), got {self.values.shape}")
        wrong = np.argwhere(~np.isfinite(self.values))
        if wrong.size:
            token, signal = wrong[0].tolist()
            value = float(self.values[token, signal])
            raise InputError("values", f"must be finite, got {value!r} for {self.names[signal]} at token {token}")


class StretchContributions:
    """The contributions of the highest-scored token in any stretch of an answer."""

    def __init__(
        self,
        contributions: TokenContributions,
        tokens: AnswerTokens,
        scores: npt.NDArray[np.floating[Any]],
        by_character: Floats,
    ) -> None:
        """Find the token that speaks for each character: of the pieces of one character, the highest-scored one.

        Args:
            contributions: one row a token.
            tokens: the answer and its T tokens.
            scores: the scores that the pieces of a character compete with, shape (T,).
            by_character: the score of each character, -1 where it belongs to no word that was judged; kept, not copied.

        Raises:
            ReadingError: there is not one row a token.
        """
        if len(contributions.values) != len(tokens):
            raise ReadingError(
                f"the contributions must have {len(tokens)} rows, one a token, got {len(contributions.values)}"
            )
        units, membership = tokens.units()
        # The last one written stays: the highest, of equals the first.
        order = np.lexsort((-np.arange(len(tokens)), scores))
        strongest = np.zeros(len(units), dtype=np.intp)
        strongest[membership[order]] = order
        self._contributions = contributions
        self._by_character = by_character
        self._tokens = np.repeat(strongest, _lengths(units))

    def within(self, start: int, end: int) -> dict[str, float]:
        """Return what each signal adds to the highest-scored word in `start..end`; nothing where there is no word."""
        scores = self._by_character[start:end]
        if scores.max(initial=-1.0) < 0:
            return {}
        row = self._contributions.values[self._tokens[start + int(scores.argmax())]]
        return dict(zip(self._contributions.names, row.tolist(), strict=True))


def _lengths(units: Sequence[tuple[int, int]]) -> list[int]:
    return [end - start for start, end in units]
