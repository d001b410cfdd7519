"""One number as it stands in a text."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Form = Literal["digits", "words", "signs"]


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at `text[start:end]`.

    Attributes:
        value: the number, magnitude words included.
        scale: product of the magnitude words at its end (million: 10⁶); 1 without.
        ordinal: whether it ranks («third») instead of counting.
        form: written with digits, with words, or with the number signs of Chinese and Japanese.
        needs_unit: whether it is a number only where a unit follows («one day», but not «one of them»).
        unit: canonical name of the unit that its form already says («百分之五»: percent).
    """

    start: int
    end: int
    value: Decimal
    scale: Decimal = Decimal(1)
    ordinal: bool = False
    form: Form = "digits"
    needs_unit: bool = False
    unit: str | None = None
