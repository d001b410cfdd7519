"""Whether chunks are too coarse: chunks of several topics all lie near one another, and similarity tells nothing."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_position, check_text, is_finite
from ragcortex.errors import InputError
from ragcortex.geometry.deduplication import check_unit

_MOSTLY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Coarseness:
    """How alike random chunks are.

    Attributes:
        share_above: share of the pairs whose cosine is above `threshold`, in [0, 1]; None without pairs.
        threshold: the cosine, 0.9.
        mean: mean cosine of the pairs, in [-1, 1]; None without pairs.
        n_pairs: how many pairs were looked at.
        too_coarse: whether more than half of the pairs are above the threshold.
        sentence: the same for a person, with what to do.
    """

    share_above: float | None
    threshold: float
    mean: float | None
    n_pairs: int
    too_coarse: bool
    sentence: str

    def __post_init__(self) -> None:
        check_position("n_pairs", self.n_pairs)
        check_text("sentence", self.sentence, filled=True)
        _check_number("threshold", self.threshold, -1, 1)
        for name, lowest in (("share_above", 0), ("mean", -1)):
            value = getattr(self, name)
            if (value is None) != (self.n_pairs == 0):
                raise InputError(name, f"must be null exactly where there are no pairs, got {value!r}")
            if value is not None:
                _check_number(name, value, lowest, 1)
        if self.too_coarse != (self.share_above is not None and self.share_above > _MOSTLY):
            raise InputError("too_coarse", f"must be whether share_above is above {_MOSTLY}, got {self.too_coarse!r}")


def _check_number(field: str, value: object, lowest: float, highest: float) -> None:
    if not is_finite(value) or not lowest <= value <= highest:
        raise InputError(field, f"must be a number in [{lowest}, {highest}], got {value!r}")


def coarseness(
    unit: npt.NDArray[np.float32], *, n_pairs: int = 1000, seed: int = 0, threshold: float = 0.9
) -> Coarseness:
    """Return how alike random pairs of different chunks are; duplicates are to be merged before.

    Where there are at most `n_pairs` pairs, each is looked at once; else `n_pairs` are drawn, independently.

    Args:
        unit: normalised vectors of the chunks, float32, shape (n, d).
        n_pairs: how many pairs to look at, from 1 on.
        seed: the same one draws the same pairs.
        threshold: the cosine above which two chunks are hardly told apart.

    Raises:
        InputError: the vectors are not of length 1, or an argument is out of range.
    """
    check_unit(unit)
    check_position("seed", seed)
    _check_number("threshold", threshold, -1, 1)
    if isinstance(n_pairs, bool) or not isinstance(n_pairs, int) or n_pairs < 1:
        raise InputError("n_pairs", f"must be a whole number from 1 on, got {n_pairs!r}")
    n = len(unit)
    if n < 2:
        chunks = "only one chunk" if n else "no chunk"
        return Coarseness(
            None, threshold, None, 0, False, f"Whether the chunks are too coarse cannot be told: there is {chunks}."
        )
    first, second = _pairs(n, n_pairs, seed)
    similarities = np.clip(np.einsum("ij,ij->i", unit[first], unit[second], dtype=np.float64), -1, 1)
    share = float((similarities > threshold).mean())
    mean = float(similarities.mean())
    too_coarse = share > _MOSTLY
    return Coarseness(share, threshold, mean, len(first), too_coarse, _sentence(share, threshold, mean, len(first)))


def _pairs(n: int, n_pairs: int, seed: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return both members of each pair; they are never the same."""
    if n * (n - 1) // 2 <= n_pairs:
        return np.triu_indices(n, k=1)
    random = np.random.default_rng(seed)
    first = random.integers(n, size=n_pairs, dtype=np.intp)
    second = random.integers(n - 1, size=n_pairs, dtype=np.intp)
    return first, second + (second >= first)


def _sentence(share: float, threshold: float, mean: float, n_pairs: int) -> str:
    found = f"{share:.0%} of {n_pairs:,} pairs of chunks have a cosine above {threshold:g} (mean {mean:.2f})"
    if share > _MOSTLY:
        return (
            f"The chunks are too coarse to tell apart: {found}. Build the corpus with smaller chunks (a lower "
            "max_chars), or with an embedding model that separates these texts better."
        )
    return f"The chunks can be told apart: {found}."
