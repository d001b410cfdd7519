"""The facts of a text, each in a normal form, so that «5.9 million» and «5,900,000» are equal.

Positions are half-open and count characters of the text the fact was found in: `text[start:end] == fact.text`.

Raises:
    InputError: from every constructor, naming the field, what was expected and what was given.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_range, check_text
from ragcortex.errors import InputError

Language = Literal["en", "de", "fr", "es", "zh", "ja"]
LANGUAGES: Final[tuple[str, ...]] = get_args(Language)

FactKind = Literal[
    "number", "quantity", "money", "percentage", "duration", "ordinal", "date", "time",
    "name", "negation", "quantifier", "condition", "cause", "modal",
]  # fmt: skip
FACT_KINDS: Final[tuple[str, ...]] = get_args(FactKind)

Bound = Literal["exact", "about", "at_least", "at_most"]
BOUNDS: Final[tuple[str, ...]] = get_args(Bound)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number or a range of numbers, with its unit where it has one.

    Attributes:
        low, high: the ends of the range, equal for a single number.
        unit: canonical name of the unit («metre», «percent», «working_day», an ISO 4217 code such as «USD»); None for
            a bare number.
        dimension: what the unit measures («length», «time», «currency», «share» …); None for a bare number.
        factor: how many base units of its dimension one unit is (one kilometre: 1000 metres); 1 where unknown.
        bound: whether the text says exactly, about, at least (over, from) or at most (under, up to) this much.
    """

    low: Decimal
    high: Decimal
    unit: str | None = None
    dimension: str | None = None
    factor: Decimal = Decimal(1)
    bound: Bound = "exact"

    def __post_init__(self) -> None:
        for name in ("low", "high", "factor"):
            value = getattr(self, name)
            if not isinstance(value, Decimal) or not value.is_finite():
                raise InputError(name, f"must be a finite Decimal, got {value!r}")
        if self.low > self.high:
            raise InputError("low", f"must be at most high={self.high}, got {self.low}")
        if self.factor <= 0:
            raise InputError("factor", f"must be above 0, got {self.factor}")
        check_text("unit", self.unit, optional=True)
        check_text("dimension", self.dimension, optional=True)
        if (self.unit is None) != (self.dimension is None):
            raise InputError("dimension", "must be given exactly where there is a unit")
        check_known("bound", self.bound, BOUNDS)

    @property
    def base(self) -> tuple[Decimal, Decimal]:
        """Both ends in base units of the dimension."""
        return self.low * self.factor, self.high * self.factor


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A day, month, year, weekday, or a stretch of them; parts that the text does not give are None.

    Attributes:
        year: 1889; negative before the common era. `last_year` ends a stretch of years («the 1880s», «1914–1918»).
        month: 1 to 12; `last_month` ends a stretch of months («June to August»).
        day: 1 to 31; `last_day` ends a stretch of days of one month («3–5 May»).
        weekday: 0 Monday to 6 Sunday; `last_weekday` ends a stretch of weekdays («Monday to Friday»).
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    last_year: int | None = None
    last_month: int | None = None
    last_day: int | None = None
    last_weekday: int | None = None

    def __post_init__(self) -> None:
        if self.year is None and self.month is None and self.day is None and self.weekday is None:
            raise InputError("year", "a date must have a year, month, day or weekday")
        limits = (("month", 1, 12), ("day", 1, 31), ("weekday", 0, 6))
        for name, lowest, highest in limits:
            for field in (name, f"last_{name}"):
                value = getattr(self, field)
                if value is not None and not lowest <= value <= highest:
                    raise InputError(field, f"must be from {lowest} to {highest}, got {value!r}")


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day in minutes after midnight, or a stretch of it («9:00–17:00»); `first == last` for a single time."""

    first: int
    last: int

    def __post_init__(self) -> None:
        for name in ("first", "last"):
            value = getattr(self, name)
            if not 0 <= value <= 24 * 60:
                raise InputError(name, f"must be from 0 to 1440 minutes, got {value!r}")


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name: its words case-folded, without diacritics, possessive endings and titles, in order."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words or not all(isinstance(word, str) and word for word in self.words):
            raise InputError("words", f"must be at least one word, got {self.words!r}")


@dataclass(frozen=True, slots=True)
class Marker:
    """A word that changes what a clause claims.

    Attributes:
        sense: the class of the marker in its kind. negation: «not»; quantifier: «all», «most», «some», «few», «none»,
            «only», «both», «any»; condition: «if», «unless», «except», «only_if», «until», «when»; cause: «cause»;
            modal: «may», «can», «must», «should», «will», «usually».
        scope: half-open character range of what it bears on (of a negation: what is negated), the marker itself
            excluded; None where that cannot be told.
    """

    sense: str
    scope: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        check_text("sense", self.sense, filled=True)
        if self.scope is not None and not 0 <= self.scope[0] < self.scope[1]:
            raise InputError("scope", f"must satisfy 0 <= start < end, got {self.scope}")


FactValue = Amount | CalendarDate | ClockTime | Name | Marker
_VALUE_OF: Final[dict[str, type]] = {
    **dict.fromkeys(("number", "quantity", "money", "percentage", "duration", "ordinal"), Amount),
    "date": CalendarDate, "time": ClockTime, "name": Name,
    **dict.fromkeys(("negation", "quantifier", "condition", "cause", "modal"), Marker),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a text: where it stands, its words there, and its value in normal form."""

    kind: FactKind
    start: int
    end: int
    text: str
    value: FactValue

    def __post_init__(self) -> None:
        check_known("kind", self.kind, FACT_KINDS)
        check_range(self.start, self.end, self.text)
        if not isinstance(self.value, _VALUE_OF[self.kind]):
            raise InputError("value", f"must be {_VALUE_OF[self.kind].__name__} for a {self.kind}, got {self.value!r}")
