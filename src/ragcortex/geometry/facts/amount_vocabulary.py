"""The number words of English, German, French and Spanish, beyond their values: where they begin, end and do not count.

text2num knows the values of most. What it lacks is here: fractions, halves, dozens, and the rules that keep «the second
half», «vélo neuf» or «one of them» from being numbers.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import regex

Pattern = regex.Pattern[str]
NEVER: Final = r"(?!)"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How one language writes numbers with words.

    Attributes:
        start: where a number may begin.
        run: number words in a row, with what may join them.
        phrases: set phrases and their values; a group `number` ends the number; an empty group `unit` asks for a unit,
            an empty group `rank` makes it an ordinal.
        fraction: groups `above` and `below`.
        numerators, denominators: their values; the denominators are patterns.
        article: the article before a lone magnitude («a million»); where it may be missing it matches nothing at all.
        magnitude_alone: what counts only after such an article.
        word_magnitudes: magnitudes that end a run.
        one: the words for one, which are articles or pronouns too.
        no_number, no_ordinal: words that text2num takes for numbers, and that are none.
        before_no_ordinal, after_no_ordinal: neighbours of words that could rank and do not.
    """

    start: Pattern
    run: Pattern
    phrases: tuple[tuple[Pattern, Decimal], ...]
    fraction: Pattern
    numerators: dict[str, int]
    denominators: tuple[tuple[Pattern, int], ...]
    article: Pattern
    magnitude_alone: Pattern
    word_magnitudes: dict[str, Decimal]
    one: Pattern
    no_number: Pattern
    no_ordinal: Pattern
    before_no_ordinal: Pattern
    after_no_ordinal: Pattern

    def denominator(self, name: str) -> int:
        """Return the value of a word that `fraction` found below the line."""
        return next(value for pattern, value in self.denominators if pattern.fullmatch(name))


def _compiled(pattern: str) -> Pattern:
    return regex.compile(pattern, regex.IGNORECASE)


def vocabulary(
    *,
    words: str,
    joints: str,
    phrases: dict[str, str],
    numerators: dict[str, int],
    denominators: dict[str, int],
    fraction: str,
    magnitudes: dict[str, int],
    article: str,
    alone: str,
    one: str,
    no_number: str = NEVER,
    no_ordinal: str = NEVER,
    before_no_ordinal: str = NEVER,
    after_no_ordinal: str = NEVER,
) -> Vocabulary:
    """Return the vocabulary of a language from its patterns, all of which ignore case.

    `words` are the number words, `joints` what may join them; the others are as in `Vocabulary`.
    """
    starts = regex.sub(r"\(\?P<\w+>", "(?:", "|".join((*phrases, fraction, rf"(?:{words})\b")))
    return Vocabulary(
        start=_compiled(rf"(?<![\p{{L}}\p{{M}}0-9_])(?<!\p{{L}}['’-])(?:{starts})"),
        run=_compiled(
            rf"(?:{words})\b(?:(?:[\s\u00a0]+|-)(?:(?:{joints})[\s\u00a0]+|(?<=-)(?:{joints})-)?(?:{words})\b)*"
        ),
        phrases=tuple((_compiled(pattern), Decimal(value)) for pattern, value in phrases.items()),
        fraction=_compiled(fraction),
        numerators=numerators,
        denominators=tuple((_compiled(pattern), value) for pattern, value in denominators.items()),
        article=_compiled(article),
        magnitude_alone=_compiled(alone),
        word_magnitudes={name: Decimal(value) for name, value in magnitudes.items()},
        one=_compiled(one),
        no_number=_compiled(no_number),
        no_ordinal=_compiled(no_ordinal),
        before_no_ordinal=_compiled(before_no_ordinal),
        after_no_ordinal=_compiled(after_no_ordinal),
    )
