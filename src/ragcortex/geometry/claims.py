"""Which sentences claim nothing: refusals, greetings, closing phrases, questions, reports of an action, headings.

Judging such a sentence would count against an answer what it does not say; hiding a claim would be worse. So a sentence
claims nothing only if all of it is known: it matches a phrase from its first word to its last, and the free text that
some phrases have room for («the passages do not mention …») holds no clause of its own.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from ragcortex.geometry.claim_phrases import ENGLISH, ClaimPhrases
from ragcortex.geometry.claim_phrases_cjk import CHINESE, JAPANESE
from ragcortex.geometry.claim_phrases_german import GERMAN
from ragcortex.geometry.claim_phrases_romance import FRENCH, SPANISH
from ragcortex.geometry.facts.fact import LANGUAGES, Language

ClaimlessKind = Literal["refusal", "greeting", "closing", "question", "action", "meta"]
CLAIMLESS_KINDS: Final[tuple[str, ...]] = get_args(ClaimlessKind)

_TABLES: Final[dict[str, ClaimPhrases]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
    "ja": JAPANESE,
}
_UNSPACED: Final = frozenset({"zh", "ja"})
# No phrase is longer; the bound also keeps the search for one cheap.
_LONGEST: Final = 300
_MOST_SPLITS: Final = 3
# Words behind «Benefits of»; a longer one is likely to have a verb.
_LONGEST_HEADING: Final = 6

_FREE: Final = r"[^.;:!?。；：！？\n]*?"
_NAMES: Final = {
    "zh": r"\w{1,4}(?:先生|女士|小姐|老师)",
    "ja": r"\w{1,6}(?:さん|様)",
}
_NAME = r"(?:(?:mr|mrs|ms|dr|herr|frau|m|mme|señora?|sra?)\.? )?[\w'-]+"
_MARKUP = re.compile(r"[*_`>|~]+|^\s*#+|^\s*(?:[-•–—]|\(?\d{1,2}[.)])\s+|\[\d{1,3}(?:[,;–-]\s?\d{1,3})*\]")
_MARKED_HEADING = re.compile(r"\s*(?:#+\s.*|\*\*[^*]+\*\*:?|__[^_]+__:?)\s*", re.DOTALL)
_PART = re.compile(r"(?<=[.!?。！？])(?:\s+|(?<=[。！？]))")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGER: Final = 4
_COMMAS: Final = (",", "，", "、")
# What a name is called by: «Hi John,». Without it, it may be a title.
_CALLS: Final = (*_COMMAS, "!", "！")
_QUOTED: Final = ('"', "“", "„", "«", "「", "『", "《")
_FINAL = re.compile(r"[\s.!。！…:：;；,，、\"'»”)（(]+$")
_ASKS = re.compile(r"[?？]\s*$")
_TICKET = re.compile(
    r"(?:ticket|case|request|reference|order|number|nr|no|#|工单|番号|numéro"
    r"|número)\.? ?(?:number )?[#:]?[\w-]*\d[\w-]*|#\d+"
)
_ADDRESS = re.compile(r"\d|@|https?:|www\.")


@dataclass(frozen=True, slots=True)
class _Rule:
    """Whole-sentence patterns of one kind; `bare`: their free text may hold no number or address."""

    kind: ClaimlessKind
    pattern: re.Pattern[str]
    bare: bool


@dataclass(frozen=True, slots=True)
class _Grammar:
    rules: tuple[_Rule, ...]
    lead: re.Pattern[str]
    heading: re.Pattern[str]
    headed: re.Pattern[str]
    question: re.Pattern[str]
    rhetorical: re.Pattern[str]
    turn: re.Pattern[str]
    joint: re.Pattern[str]
    finite: re.Pattern[str]
    spaced: bool


def claims_nothing(sentence: str, language: Language | None) -> ClaimlessKind | None:
    """Return what kind of claimless sentence this is, None if it claims something (or may do so).

    Markdown, list numbers and citation markers are ignored. `language` None tries all six. A sentence that holds a
    claimless phrase and a claim claims something; of two claimless ones the first names the kind. One without words is
    `meta`. «Yes.» and «No.» answer a question, so they claim something; so does any sentence of over 300 characters.

    >>> claims_nothing("Hello! How can I help?", "en")
    'greeting'
    >>> claims_nothing("I don't know the height, but it was built in 1889.", "en") is None
    True
    """
    return _claimless(sentence, language)


@lru_cache(maxsize=8192)
def _claimless(sentence: str, language: Language | None) -> ClaimlessKind | None:
    if not any(character.isalnum() for character in sentence):
        return "meta"
    if len(sentence) > _LONGEST:
        return None
    languages: Iterable[str] = (language,) if language is not None else LANGUAGES
    for code in languages:
        kind = _of_language(sentence, _grammar(code))
        if kind is not None:
            return kind
    return None


def _of_language(sentence: str, grammar: _Grammar) -> ClaimlessKind | None:
    marked = _MARKED_HEADING.fullmatch(sentence) is not None
    plain = unicodedata.normalize("NFC", sentence).replace("’", "'").casefold().replace("ß", "ss")
    plain = " ".join(_MARKUP.sub(" ", plain).split())
    if plain.startswith(_QUOTED):  # a title or somebody's words
        return None
    titled = _is_title(sentence)
    kinds = [_of_part(part, grammar, marked=marked) for part in _PART.split(plain) if part.strip()]
    if not kinds:
        return "meta"
    return None if None in kinds or (titled and kinds[0] == "question") else kinds[0]


def _is_title(sentence: str) -> bool:
    """Whether all longer words are capitalised, as in the film «Can I Borrow a Dollar?»."""
    longer = [word for word in _LETTERS.findall(sentence)[1:] if len(word) >= _LONGER]
    return len(longer) > 1 and all(word[0].isupper() for word in longer)


def _of_part(part: str, grammar: _Grammar, *, marked: bool, splits: int = 0) -> ClaimlessKind | None:
    """Return the kind of one sentence in plain text, else of its two halves if both claim nothing."""
    asks = _ASKS.search(part) is not None
    heads = marked or part.endswith((":", "："))
    text = _FINAL.sub("", part.rstrip("?？ ")).lstrip("(¡ ")
    if not any(character.isalnum() for character in text):
        return "meta"
    for rule in grammar.rules:
        match = rule.pattern.fullmatch(text.lstrip("¿"))
        if match and not _holds_claim(match, grammar, rule, called=part.endswith(_CALLS)):
            return rule.kind
    if _is_heading(text, grammar, heads=heads):
        return "meta"
    if _is_question(text, grammar, asks=asks):
        return "question"
    if splits < _MOST_SPLITS:
        return _of_halves(part, grammar, splits)
    return None


def _of_halves(part: str, grammar: _Grammar, splits: int) -> ClaimlessKind | None:
    """Return the kind of the first half wherever the sentence falls into two that claim nothing."""
    for cut in (*grammar.joint.finditer(part), *grammar.turn.finditer(part)):
        left, right = part[: cut.end() if cut.group() in _COMMAS else cut.start()], part[cut.end() :]
        if not left.strip() or not right.strip():
            continue
        kind = _of_part(left, grammar, marked=False, splits=_MOST_SPLITS)
        other = _of_part(right, grammar, marked=False, splits=splits + 1) if kind is not None else None
        if other is not None:
            return kind
    return None


def _holds_claim(match: re.Match[str], grammar: _Grammar, rule: _Rule, *, called: bool) -> bool:
    """Whether the free text of a matched phrase holds a claim, or its name is not `called` as in «Hi John,»."""
    named = match.groupdict()
    if any(text for group, text in named.items() if group.startswith("name")) and not called:
        return True
    objects = {text for group, text in named.items() if text and group.startswith("object")}
    return any(_holds_clause(text, grammar, strict=text in objects, bare=rule.bare) for text in match.groups() if text)


def _holds_clause(slot: str, grammar: _Grammar, *, strict: bool, bare: bool) -> bool:
    """Whether the free text of a phrase says something by itself.

    A word that turns («but», «because»), or a verb or a number behind the first comma or «and»; where it is an object
    also a verb before it («a summary of how it was built» is taken for a claim); where bare a number or address.
    """
    if grammar.turn.search(slot):
        return True
    if bare and _ADDRESS.search(_TICKET.sub("", slot)):
        return True
    first, *further = grammar.joint.split(slot)
    if strict and grammar.finite.search(first):
        return True
    return any(grammar.finite.search(clause) or _ADDRESS.search(clause) for clause in further)


def _is_heading(text: str, grammar: _Grammar, *, heads: bool) -> bool:
    """Whether this stands as a heading and is a heading noun, or one with a few words («Benefits of green tea:»)."""
    if not heads:
        return False
    if grammar.heading.fullmatch(text):
        return True
    headed = grammar.headed.fullmatch(text)
    return headed is not None and not (
        len(headed[1].split()) > _LONGEST_HEADING
        or grammar.finite.search(headed[1])
        or grammar.turn.search(headed[1])
        or _ADDRESS.search(headed[1])
    )


def _is_question(text: str, grammar: _Grammar, *, asks: bool) -> bool:
    if not asks and not (
        not grammar.spaced and text.endswith(("ますか", "ですか", "でしょうか", "ませんか", "吗", "嗎"))
    ):
        return False
    body = text[grammar.lead.match(text).end() :] if grammar.lead.match(text) else text  # type: ignore[union-attr]
    if grammar.rhetorical.search(text):
        return False
    return grammar.question.match(body) is not None and (grammar.spaced or not grammar.joint.search(body))


@lru_cache(maxsize=len(_TABLES))
def _grammar(language: str) -> _Grammar:
    table = _TABLES[language]
    spaced = language not in _UNSPACED
    name = _NAMES.get(language, _NAME)
    noun = table.heading if not spaced else rf"(?:(?:{table.linking}|{table.heading}) ){{0,6}}?(?:{table.heading})"

    def filled(phrase: str) -> str:
        parts = {"source": f"(?:{table.source})", "given": f"(?:{table.given})", "yours": table.yours}
        for part, text in (*parts.items(), ("heading", f"(?:{noun})"), ("topic", f"({_FREE})")):
            phrase = phrase.replace(f"{{{part}}}", text)
        return phrase.replace("ß", "ss")

    def numbered(whole: str, part: str, expression: str) -> str:
        """Give each place of an object or name a group of its own."""
        first, *further = whole.split(f"{{{part}}}")
        return first + "".join(f"(?P<{part}{index}>{expression}){piece}" for index, piece in enumerate(further))

    edge = r"\b[,:!.]* *" if spaced else r"[,，、:：!！。 ]*"
    lead = rf"(?:(?:{filled(table.lead)}){edge})*"

    def rule(kind: ClaimlessKind, phrases: tuple[str, ...], *, bare: bool = True) -> _Rule:
        whole = numbered("|".join(filled(phrase) for phrase in phrases), "object", _FREE)
        whole = numbered(whole, "name", name)
        return _Rule(kind, re.compile(rf"{lead}(?:{whole})"), bare)

    def words(listed: str) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{filled(listed)})\b" if spaced else f"(?:{listed})")

    return _Grammar(
        rules=(
            rule("refusal", table.refusal, bare=False),
            rule("greeting", table.greeting),
            rule("closing", table.closing),
            rule("action", table.action),
            rule("meta", table.meta),
        ),
        lead=re.compile(lead),
        heading=re.compile(noun if spaced else rf"(?:{noun})(?:(?:{table.linking})(?:{noun}))*"),
        headed=re.compile(rf"{noun} (?:{table.linking}) ({_FREE})" if spaced else rf"([^，,。]{{1,12}}?){noun}"),
        question=re.compile(filled(table.question)),
        rhetorical=re.compile(filled(table.rhetorical)),
        turn=words(table.turn),
        joint=re.compile(table.joint),
        finite=words(table.finite),
        spaced=spaced,
    )
