"""What the pages say in each language, by key, and how each writes numbers and times.

The texts lie in `texts/LANGUAGE.json`, every file with the same keys; places in braces are filled in.
"""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel import Locale, negotiate_locale
from babel.dates import format_date, format_datetime, format_timedelta
from babel.numbers import format_decimal, format_percent

FOLDER: Final = Path(__file__).parent / "texts"
LANGUAGES: Final[dict[str, str]] = {"en": "English", "ja": "日本語", "zh": "中文"}
"""The languages there are, each by its own name."""
TAGS: Final[dict[str, str]] = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
"""What each is called in HTML."""
_NO_VALUE: Final = "–"
_LOCALES: Final[dict[str, str]] = {"en": "en_GB", "ja": "ja", "zh": "zh_Hans_CN"}


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one language; calling it gives that of a key.

    Attributes:
        language: one of LANGUAGES.
        entries: each text by its key.
        locale: how numbers and times are written.
    """

    language: str
    entries: Mapping[str, str]
    locale: Locale = field(repr=False)

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of a key, its places filled in; a key that is missing is a fault of ours (KeyError)."""
        return self.entries[key].format(**values)

    def has(self, key: str) -> bool:
        """Tell whether there is a text for a key."""
        return key in self.entries

    def some(self, key: str, n: int, **values: object) -> str:
        """Return the text about so many things: `KEY.one` for one, else `KEY.many`; `{n}` is the number written out."""
        return self(f"{key}.one" if n == 1 else f"{key}.many", n=self.count(n), **values)

    def count(self, n: float) -> str:
        """Return a number as this language writes it: thousands apart."""
        return format_decimal(n, locale=self.locale)

    def share(self, value: float | None, *, digits: int = 1) -> str:
        """Return a share in per cent; a dash for none."""
        if value is None:
            return _NO_VALUE
        return format_percent(value, "#,##0" + ("." + "0" * digits if digits else "") + "%", locale=self.locale)

    def figure(self, value: float | None, *, digits: int = 3) -> str:
        """Return a figure with so many decimals; a dash for none."""
        return _NO_VALUE if value is None else f"{value:.{digits}f}"

    def moment(self, at: datetime.datetime) -> str:
        """Return a moment in UTC."""
        return f"{format_datetime(at, 'medium', tzinfo=datetime.UTC, locale=self.locale)} UTC"

    def day(self, day: datetime.date) -> str:
        """Return a day."""
        return format_date(day, "medium", locale=self.locale)

    def span_of_time(self, seconds: float) -> str:
        """Return about how long something takes: `3 hours`."""
        delta = datetime.timedelta(seconds=max(1.0, seconds))
        return format_timedelta(delta, granularity="second", threshold=1.2, locale=self.locale)


@cache
def texts_in(language: str) -> Texts:
    """Return the texts of a language, one of LANGUAGES."""
    values = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return Texts(language, dict(_flat(values)), Locale.parse(_LOCALES[language]))


def best_language(accepted: str) -> str:
    """Return which language an `Accept-Language` header wants most; English where it wants none of them.

    >>> best_language("fr;q=0.9, zh-TW;q=0.8, en;q=0.1")
    'zh'
    """
    wanted: list[tuple[float, str]] = []
    for part in accepted[:500].split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), tag.strip()))
        except ValueError:
            continue
    tags = [tag for weight, tag in sorted(wanted, key=lambda one: one[0]) if weight < 0 and tag]
    return negotiate_locale(tags, list(LANGUAGES), sep="-") or "en"


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the texts of nested objects, keys joined by full stops."""
    found: list[tuple[str, str]] = []
    for name, value in values.items():
        key = f"{prefix}{name}"
        found += _flat(value, f"{key}.") if isinstance(value, dict) else [(key, value)]
    return found
