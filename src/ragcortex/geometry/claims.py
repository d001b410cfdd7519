"""Which sentences claim nothing: refusals, greetings, closing phrases, questions, reports of an action, headings.

Judging such a sentence would count against an answer what it does not say; hiding a claim would be worse. So a sentence
claims nothing only if all of it is known: it matches a phrase from its first word to its last, and the free text that
some phrases have room for («the passages do not mention …») holds no clause of its own.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ragcortex.align import claim_words, words
from ragcortex.geometry.claim_grammar import (
    CLAIMLESS_KINDS,
    CLAIMLESS_LANGUAGES,
    ClaimlessKind,
    Grammar,
    Rule,
    grammar_of,
)
from ragcortex.geometry.facts.fact import Language

__all__ = ["CLAIMLESS_KINDS", "ClaimlessKind", "claims_nothing"]

# No phrase is longer; the bound also keeps the search for one cheap.
_LONGEST: Final = 300
_MOST_SPLITS: Final = 3
# Words behind «Benefits of»; a longer one is likely to have a verb.
_LONGEST_HEADING: Final = 6
# Words of an item in a list («the height, the exact weight and the age»).
_LONGEST_ITEM: Final = 2

_MARKUP = re.compile(r"[*_`>|~]+|^\s*#+|^\s*(?:[-•–—]|\(?\d{1,2}[.)])\s+|[\[(][\s.,;&–-]*[\])]")
_MARKED_HEADING = re.compile(r"\s*(?:#+\s.*|\*\*[^*]+\*\*:?|__[^_]+__:?)\s*", re.DOTALL)
_PART = re.compile(r"(?<=[.!?。！？])(?:\s+|(?<=[。！？]))")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGER: Final = 4
_COMMAS: Final = (",", "，", "、")
# What a name is called by: «Hi John,». Without it, it may be a title.
_CALLS: Final = (*_COMMAS, "!", "！", ":", "：")
_QUOTED: Final = ('"', "“", "„", "«", "「", "『", "《")
_FINAL = re.compile(r"[\s.!。！…:：;；,，、\"'»”)（(]+$")
# What joins the last item of a list to the others, besides the joints.
_OR = re.compile(r"(?:^|\s)(?:or|nor|oder|noch|ou|ni|o|u)\s")
_ASKS = re.compile(r"[?？]\s*$")
_TICKET = re.compile(
    r"(?:ticket|case|request|reference|order|number|nr|no|#|工单|番号|numéro"
    r"|número)\.? ?(?:number )?[#:]?[\w-]*\d[\w-]*|#\d+"
)
_ADDRESS = re.compile(r"\d|@|https?:|www\.")


def claims_nothing(sentence: str, language: Language | None) -> ClaimlessKind | None:
    """Return what kind of claimless sentence this is, None if it claims something (or may do so).

    Markdown, list numbers and citation markers are ignored. `language` None tries these
    six and two more, Italian and Portuguese. A sentence that holds a
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
    languages: Iterable[str] = (language,) if language is not None else CLAIMLESS_LANGUAGES
    for code in languages:
        kind = _of_language(sentence, grammar_of(code))
        if kind is not None:
            return kind
    return None


def _of_language(sentence: str, grammar: Grammar) -> ClaimlessKind | None:
    marked = _MARKED_HEADING.fullmatch(sentence) is not None
    plain = unicodedata.normalize("NFC", _without_citations(sentence)).replace("’", "'").casefold().replace("ß", "ss")
    plain = " ".join(_MARKUP.sub(" ", plain).split())
    if plain.startswith(_QUOTED):  # a title or somebody's words
        return None
    kinds = [_of_part(part, grammar, marked=marked) for part in _PART.split(plain) if part.strip()]
    if not kinds:
        return "meta"
    return None if None in kinds or (kinds[0] == "question" and _is_title(sentence)) else kinds[0]


def _without_citations(sentence: str) -> str:
    """Return the sentence without the words of citation markers; their brackets stay, and go with the markup."""
    claiming = set(claim_words(sentence))
    cited = [span for span in words(sentence) if span not in claiming]
    for start, end in reversed(cited):
        sentence = sentence[:start] + sentence[end:]
    return sentence


def _is_title(sentence: str) -> bool:
    """Whether all longer words are capitalised, as in the film «Can I Borrow a Dollar?»."""
    longer = [word for word in _LETTERS.findall(sentence)[1:] if len(word) >= _LONGER]
    return len(longer) > 1 and all(word[0].isupper() for word in longer)


def _of_part(part: str, grammar: Grammar, *, marked: bool, splits: int = 0) -> ClaimlessKind | None:
    """Return the kind of one sentence in plain text, else of its two halves if both claim nothing."""
    asks = _ASKS.search(part) is not None
    heads = marked or part.rstrip(" ,、，").endswith((":", "："))
    text = _FINAL.sub("", part.rstrip("?？ ")).lstrip("(¡ ")
    if not any(character.isalnum() for character in text):
        return "meta"
    kind = _of_phrase(text.lstrip("¿"), grammar, called=part.endswith(_CALLS))
    if kind is not None:
        return kind
    if _is_heading(text, grammar, heads=heads):
        return "meta"
    if _is_question(text, grammar, asks=asks):
        return "question"
    if splits < _MOST_SPLITS:
        return _of_halves(part, grammar, splits)
    return None


def _of_phrase(text: str, grammar: Grammar, *, called: bool) -> ClaimlessKind | None:
    """Return the kind of the phrase that all of `text` matches, behind any leading phrases."""
    starts = grammar.starts(text)
    for rule in grammar.rules:
        if rule.needed is not None and not rule.needed.search(text):
            continue
        for start in starts:
            match = rule.pattern.fullmatch(text, start)
            if match and not _holds_claim(match, grammar, rule, called=called):
                return rule.kind
    return None


def _of_halves(part: str, grammar: Grammar, splits: int) -> ClaimlessKind | None:
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


def _holds_claim(match: re.Match[str], grammar: Grammar, rule: Rule, *, called: bool) -> bool:
    """Whether the free text of a matched phrase holds a claim, or its name is not `called` as in «Hi John,»."""
    named = match.groupdict()
    if any(text for group, text in named.items() if group.startswith("name")) and not called:
        return True
    objects = {text for group, text in named.items() if text and group.startswith("object")}
    return any(_holds_clause(text, grammar, strict=text in objects, bare=rule.bare) for text in match.groups() if text)


def _holds_clause(slot: str, grammar: Grammar, *, strict: bool, bare: bool) -> bool:
    """Whether the free text of a phrase says something by itself.

    A word that turns («but», «because»), or a verb or a number behind the first comma or «and»; where it is an object
    also a verb before it («a summary of how it was built» is taken for a claim); where bare a number or address.
    """
    if grammar.turn.search(slot) or grammar.relative.search(slot):
        return True
    if bare and _ADDRESS.search(_TICKET.sub("", slot)):
        return True
    cuts = [joint.start() for joint in grammar.joint.finditer(slot)]
    first = slot[: cuts[0]] if cuts else slot
    if strict and grammar.finite.search(first):
        return True
    clauses = [slot[start:end] for start, end in pairwise([*cuts, len(slot)])]
    return any(_claims_further(clause, after, grammar) for clause, after in pairwise([*clauses, ""]))


def _claims_further(clause: str, after: str, grammar: Grammar) -> bool:
    """Whether a clause behind a joint, which it begins with, tells something and does not only ask more.

    Its verb may be one that is not known, so one behind a comma that is too long for an item of a list tells something.
    """
    if _ADDRESS.search(clause):
        return True
    if grammar.indirect.match(clause):
        return False
    listed = after.startswith(" ") or _OR.search(clause) is not None
    long = grammar.spaced and clause.startswith(_COMMAS) and len(clause.lstrip(", ").split()) > _LONGEST_ITEM
    return (long and not listed) or grammar.further.search(clause) is not None


def _is_heading(text: str, grammar: Grammar, *, heads: bool) -> bool:
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


def _is_question(text: str, grammar: Grammar, *, asks: bool) -> bool:
    if not asks and not (
        not grammar.spaced
        and text.endswith(
            ("ますか", "ですか", "でしょうか", "ませんか", "吗", "嗎", "教えてください", "お聞かせください")
        )
    ):
        return False
    body = text[grammar.starts(text)[0] :]
    if grammar.rhetorical.search(text):
        return False
    return grammar.question.match(body) is not None and (grammar.spaced or not grammar.joint.search(body))
