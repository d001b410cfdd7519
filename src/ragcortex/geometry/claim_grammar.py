"""The phrases of one language as compiled patterns, built on first use and kept."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from ragcortex.geometry.claim_phrases import ClaimPhrases
from ragcortex.geometry.claim_phrases_chinese import CHINESE
from ragcortex.geometry.claim_phrases_english import ENGLISH
from ragcortex.geometry.claim_phrases_french import FRENCH
from ragcortex.geometry.claim_phrases_german import GERMAN
from ragcortex.geometry.claim_phrases_italian import ITALIAN
from ragcortex.geometry.claim_phrases_japanese import JAPANESE
from ragcortex.geometry.claim_phrases_portuguese import PORTUGUESE
from ragcortex.geometry.claim_phrases_spanish import SPANISH

ClaimlessKind = Literal["refusal", "greeting", "closing", "question", "action", "meta"]
CLAIMLESS_KINDS: Final[tuple[str, ...]] = get_args(ClaimlessKind)

_TABLES: Final[dict[str, ClaimPhrases]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
    "ja": JAPANESE,
    "it": ITALIAN,
    "pt": PORTUGUESE,
}
# More than the languages whose facts can be read: a refusal is told in two others as well.
CLAIMLESS_LANGUAGES: Final = tuple(_TABLES)
_UNSPACED: Final = frozenset({"zh", "ja"})
# Phrases that may stand before another one, one behind the other.
_MOST_LEADS: Final = 4

_FREE: Final = r"[^.;:!?。；：！？\n]*?"
_NAMES: Final = {
    "zh": r"\w{1,4}(?:先生|女士|小姐|老师)",
    "ja": r"\w{1,6}(?:さん|様)",
}
_NAME: Final = r"(?:(?:mr|mrs|ms|dr|herrn?|frau|m|mme|monsieur|madame|señora?|sra?)\.? )?[\w'-]+"


@dataclass(frozen=True, slots=True)
class Rule:
    """Whole-sentence patterns of one kind; `bare`: their free text may hold no number or address.

    Attributes:
        needed: what every sentence of this kind holds, None where there is no such thing.
    """

    kind: ClaimlessKind
    pattern: re.Pattern[str]
    bare: bool
    needed: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of one language; `spaced`: whether it writes spaces between words. See `ClaimPhrases`."""

    rules: tuple[Rule, ...]
    lead: re.Pattern[str]
    heading: re.Pattern[str]
    headed: re.Pattern[str]
    question: re.Pattern[str]
    rhetorical: re.Pattern[str]
    turn: re.Pattern[str]
    joint: re.Pattern[str]
    finite: re.Pattern[str]
    further: re.Pattern[str]
    indirect: re.Pattern[str]
    relative: re.Pattern[str]
    spaced: bool

    def starts(self, text: str) -> list[int]:
        """Return where a phrase may begin: behind none, one or more of the leading phrases, the last first."""
        found = [0]
        while len(found) <= _MOST_LEADS and (match := self.lead.match(text, found[-1])) and match.end() > found[-1]:
            found.append(match.end())
        return found[::-1]


@lru_cache(maxsize=len(_TABLES))
def grammar_of(language: str) -> Grammar:
    """Return the compiled phrases of one of CLAIMLESS_LANGUAGES."""
    table = _TABLES[language]
    spaced = language not in _UNSPACED
    fill = _Filler(table, spaced=spaced, name=_NAMES.get(language, _NAME))
    noun = fill.noun

    def words(listed: str) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{fill(listed)})\b" if spaced else f"(?:{fill(listed)})")

    return Grammar(
        rules=(
            Rule("refusal", fill.whole(table.refusal), bare=False, needed=re.compile(fill(table.denial))),
            Rule("greeting", fill.whole(table.greeting), bare=True),
            Rule("closing", fill.whole(table.closing), bare=True),
            Rule("action", fill.whole(table.action), bare=True),
            Rule("meta", fill.whole(table.meta), bare=True),
        ),
        lead=re.compile(
            rf"(?:{fill(table.lead)})" + (r"(?:(?<=\s)|(?!\w))[,:!.]* *" if spaced else r"[,，、:：!！。 ]*")
        ),
        heading=re.compile(noun if spaced else rf"(?:{noun})(?:(?:{table.linking})(?:{noun}))*"),
        headed=re.compile(rf"{noun} (?:{table.linking}) ({_FREE})" if spaced else rf"([^，,。]{{1,12}}?){noun}"),
        question=re.compile(fill(table.question)),
        rhetorical=re.compile(fill(table.rhetorical)),
        turn=words(table.turn),
        joint=re.compile(table.joint),
        finite=words(table.finite),
        further=words(f"{table.finite}|{table.further}"),
        indirect=re.compile(fill(table.indirect)),
        relative=re.compile(fill(table.relative)),
        spaced=spaced,
    )


class _Filler:
    """Puts the parts of a language into its phrases."""

    def __init__(self, table: ClaimPhrases, *, spaced: bool, name: str) -> None:
        linked = rf"(?:(?:{table.linking}|{table.heading}) ){{0,6}}?(?:{table.heading})"
        self.noun = linked if spaced else table.heading
        self._name = name
        self._parts = {
            "source": f"(?:{table.source})",
            "given": f"(?:{table.given})",
            "yours": table.yours,
            "heading": f"(?:{self.noun})",
            "topic": f"({_FREE})",
        }

    def __call__(self, phrase: str) -> str:
        for part, text in self._parts.items():
            phrase = phrase.replace(f"{{{part}}}", text)
        return phrase.replace("ß", "ss")

    def whole(self, phrases: tuple[str, ...]) -> re.Pattern[str]:
        """Return one pattern of all phrases, each place of an object or name in a group of its own."""
        joined = "|".join(self(phrase) for phrase in phrases)
        return re.compile(_numbered(_numbered(joined, "object", _FREE), "name", self._name))


def _numbered(whole: str, part: str, expression: str) -> str:
    first, *further = whole.split(f"{{{part}}}")
    return first + "".join(f"(?P<{part}{index}>{expression}){piece}" for index, piece in enumerate(further))
