"""The words that change what a clause claims, and the words they bear on.

Scope rules of the word tables, all within the marker's clause:
    after: from the marker to the end of its clause; what stands before the marker where nothing follows it.
    before: from the start of the clause to the marker, as in Japanese; what follows where nothing stands before it.
    phrase: the noun phrase that follows: up to a verb, a comma or eight words (sixteen characters in Chinese and
        Japanese); what stands before the marker where nothing follows.
    self: the marker itself («daily»).
    run: the characters of the marker's own script that follow it («非会員»).
    ne, needs_ne, needs_ne_after: French; from behind the «ne» of the clause, which the last two require («ne … plus»,
        «ne … que»), so that the verb inside the bracket belongs to the scope.
    concord: as after, but only where no earlier negation of the clause covers it («no … nadie», «neither … nor»).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, cast, get_args

import regex

from ragcortex.align import Range
from ragcortex.geometry.facts.fact import Fact, FactKind, Language, Marker
from ragcortex.geometry.facts.marker_words import ENGLISH, GERMAN, LanguageMarkers
from ragcortex.geometry.facts.marker_words_cjk import CHINESE, JAPANESE
from ragcortex.geometry.facts.marker_words_romance import FRENCH, SPANISH

ScopeRule = Literal[
    "after", "before", "phrase", "self", "unit", "prefix", "run", "ne", "needs_ne", "needs_ne_after", "concord"
]
SCOPE_RULES: Final[tuple[str, ...]] = get_args(ScopeRule)

_TABLES: Final[dict[str, LanguageMarkers]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
    "ja": JAPANESE,
}
_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_HAN_OR_KATAKANA = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fffァ-ヶー]+")
# «ne», «n'» and at most five words up to the position asked about.
_NE = re.compile(r"\b(?:ne\s+|n['’])(?:[\w'’-]+\s+){0,5}(?:[\w'’-]*['’])?$", re.IGNORECASE)
_NE_ITSELF = re.compile(r"ne\s+|n['’]", re.IGNORECASE)
# «No, …», «Nein, …», «Non, …»: an answer to a question, not a negation of what follows.
_ANSWER_PARTICLE = re.compile(r"[\s\"'«¿¡*_]*(?:no|non|not|nein)(?=\s*[,.!?:;–—])", re.IGNORECASE)
_LOOK_BEHIND = re.compile(r"\(\?<[=!][^()]*\)")
# The first letters of a word, with what follows them if it is short.
_BEGINNING = re.compile(r"\b(?=(\w.{0,3}))", re.DOTALL)
_PHRASE_WORDS = 8
_PHRASE_CHARS = 16


@dataclass(frozen=True, slots=True)
class _Entry:
    meanings: tuple[tuple[FactKind, str], ...]
    rule: ScopeRule


@dataclass(frozen=True, slots=True)
class _Grammar:
    pattern: re.Pattern[str]
    entries: dict[str, _Entry]
    boundary: re.Pattern[str]
    phrase_end: re.Pattern[str]
    spaced: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    """The clause of one marker, and the grammar of its language."""

    text: str
    start: int
    end: int
    grammar: _Grammar


def markers(text: str, language: Language) -> tuple[Fact, ...]:
    """Return the markers of `text` in order: facts of kind negation, quantifier, condition, cause and modal.

    Two facts may share a range («cannot» is a negation and a modal). A scope is given without surrounding spaces and
    punctuation, and is None where there is no word it could be. «No, …» at the start of a text answers a question and
    is left out, as are bounds («no more than 5»), which belong to the amounts. Of repeated negations that are one
    («no … nadie») the first is given; double negations («not uncommon») are not resolved.

    >>> [(fact.text, fact.value.sense) for fact in markers("Smoking is not allowed.", "en")]
    [('not', 'not')]
    """
    grammar = _grammar(language)
    plain = text.replace("’", "'")  # of the same length, so offsets stay
    edges = [match.span() for match in grammar.boundary.finditer(plain)]
    particle = _ANSWER_PARTICLE.match(plain)
    found: list[Fact] = []
    for match in _matches(plain, particle.end() if particle else 0, language):
        entry = grammar.entries[cast(str, match.lastgroup)]
        if not entry.meanings:
            continue
        marker = match.span()
        scope = _scope(entry, marker, _clause(plain, marker, edges, grammar), edges)
        if scope is _DROPPED or (entry.rule in _IN_CONCORD and _is_covered(marker, found)):
            continue
        found += (Fact(kind, *marker, text[slice(*marker)], Marker(sense, scope)) for kind, sense in entry.meanings)
    kept = _without_shadowed(found, text, language)
    return tuple(sorted(kept, key=lambda fact: (fact.start, fact.end, fact.kind)))


def _matches(text: str, start: int, language: Language) -> Iterator[re.Match[str]]:
    """Yield what the pattern's `finditer` does; between spaces only the words are tried that begin like a marker."""
    pattern = _grammar(language).pattern
    if not _grammar(language).spaced:
        yield from pattern.finditer(text, start)
        return
    reached = start
    for word in _BEGINNING.finditer(text, start):
        if word.start() >= reached and _may_begin(word[1], language):
            match = pattern.match(text, word.start())
            if match is not None:
                yield match
                reached = match.end()


@lru_cache(maxsize=16384)
def _may_begin(beginning: str, language: Language) -> bool:
    """Return whether a marker may begin with these characters; that one cannot is certain."""
    return _first_letters(language).match(beginning, partial=True) is not None


@lru_cache(maxsize=len(_TABLES))
def _first_letters(language: Language) -> "regex.Pattern[str]":
    """Return the markers' pattern without what it asks of the text before it, for partial matches."""
    return regex.compile(_LOOK_BEHIND.sub("", _grammar(language).pattern.pattern), regex.IGNORECASE)


# A scope no text has: the marker turned out to be none.
_DROPPED: Final[Range] = (-1, -1)
_IN_CONCORD: Final = frozenset({"concord", "ne", "needs_ne", "needs_ne_after"})


@lru_cache(maxsize=len(_TABLES))
def _grammar(language: Language) -> _Grammar:
    table = _TABLES[language]
    entries = {}
    branches = []
    for index, (meanings, rule, alternatives) in enumerate(table.rows):
        name = f"row{index}"
        pairs = (meaning.split(":") for meaning in meanings.split())
        entries[name] = _Entry(
            tuple((cast(FactKind, kind), sense) for kind, sense in pairs), cast(ScopeRule, rule or "after")
        )
        branches.append(f"(?P<{name}>{alternatives})")
    whole = "|".join(branches)
    if table.spaced:
        whole = _LOOK_BEHIND.sub(_one_space, rf"\b(?:{whole})(?:\b|(?<='))".replace(" ", r"\s+"))
    return _Grammar(
        re.compile(whole, re.IGNORECASE),
        entries,
        re.compile(table.boundary, re.IGNORECASE),
        re.compile(table.phrase_end, re.IGNORECASE),
        table.spaced,
    )


def _one_space(lookbehind: re.Match[str]) -> str:
    """Return a look-behind with one white space where it had any number, since its width must be fixed."""
    return lookbehind.group().replace(r"\s+", r"\s")


def _clause(text: str, marker: Range, edges: Sequence[Range], grammar: _Grammar) -> _Clause:
    start = max((end for _, end in edges if end <= marker[0]), default=0)
    end = min((first for first, _ in edges if first >= marker[1]), default=len(text))
    return _Clause(text, start, end, grammar)


def _scope(entry: _Entry, marker: Range, clause: _Clause, edges: Sequence[Range]) -> Range | None:
    """Return the words the marker bears on by the rule of its entry, None if there are none."""
    start, end = marker
    found: Range | None
    match entry.rule:
        case "self":
            found = marker
        case "unit":
            found = _words_between(clause.text, end, end + 1)
        case "before":
            return _words_between(clause.text, clause.start, start) or _words_between(clause.text, end, clause.end)
        case "run":
            run = _HAN_OR_KATAKANA.match(clause.text, end)
            found = run.span() if run else None
        case "phrase":
            found = _phrase(end, clause)
        case "prefix":
            attribute = clause.text.find("的", end, clause.end)
            found = _phrase(end, clause, None if attribute < 0 else attribute)
        case "ne" | "needs_ne" | "needs_ne_after":
            found = _in_bracket(entry.rule, marker, clause)
        case _:
            negates = any(kind == "negation" for kind, _ in entry.meanings)
            found = _words_between(clause.text, end, clause.end) or (None if negates else _next_clause(clause, edges))
    return found or _words_between(clause.text, clause.start, start)


def _next_clause(clause: _Clause, edges: Sequence[Range]) -> Range | None:
    """Return the words of the clause behind a comma, for «Usually, refunds take five days»."""
    if clause.text[clause.end : clause.end + 1] not in (",", "，", "、"):
        return None
    end = min((first for first, _ in edges if first > clause.end), default=len(clause.text))
    return _words_between(clause.text, clause.end, end)


def _in_bracket(rule: ScopeRule, marker: Range, clause: _Clause) -> Range | None:
    """Return the scope of the second half of a French negation, found behind its «ne»."""
    bracket = _NE.search(clause.text, clause.start, marker[0])
    if bracket is None:
        return _words_between(clause.text, marker[1], clause.end) if rule == "ne" else _DROPPED
    if rule == "needs_ne_after":
        return _phrase(marker[1], clause)
    ne = cast(re.Match[str], _NE_ITSELF.match(clause.text, bracket.start()))
    return _words_between(clause.text, ne.end(), clause.end)


def _phrase(start: int, clause: _Clause, limit: int | None = None) -> Range | None:
    """Return the noun phrase from `start` on: to a verb, a boundary, `limit`, or its greatest length."""
    first = _WORD.search(clause.text, start, clause.end)
    if first is None:
        return None
    searched = first.end() if clause.grammar.spaced else first.start() + 1
    stop = clause.grammar.phrase_end.search(clause.text, searched, clause.end)
    end = min(stop.start() if stop else clause.end, clause.end if limit is None else limit)
    if clause.grammar.spaced:
        words = [match.end() for match in _WORD.finditer(clause.text, start, end)][:_PHRASE_WORDS]
        end = words[-1] if words else end
    else:
        end = min(end, start + _PHRASE_CHARS)
    return _words_between(clause.text, start, end)


def _words_between(text: str, start: int, end: int) -> Range | None:
    """Return the range from the first to the last letter or digit of `start..end`, None if there is none."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return (start, end) if start < end else None


def _is_covered(marker: Range, found: Iterable[Fact]) -> bool:
    """Whether an earlier negation bears on this marker, so that both are one."""
    scopes = (cast(Marker, fact.value).scope for fact in found if fact.kind == "negation")
    return any(scope is not None and scope[0] <= marker[0] and marker[1] <= scope[1] for scope in scopes)


def _without_shadowed(found: Sequence[Fact], text: str, language: Language) -> Iterable[Fact]:
    """Leave out what another marker of the clause already says or changes.

    «any» under a negation or a condition is no free choice; a Japanese negation that closes «しか» is part of it; a
    Chinese «都» repeats an «all» of its clause; «nor» follows its «neither» over a comma.
    """
    negated = [fact for fact in found if fact.kind in ("negation", "condition")]
    for index, fact in enumerate(found):
        sense = cast(Marker, fact.value).sense
        if sense == "any" and _in_scope(fact, negated):
            continue
        if fact.text.lower() in ("nor", "ni") and _follows_neither(found[:index]):
            continue
        if language == "ja" and fact.kind == "negation" and _closes_only(found[:index], fact, text):
            continue
        if fact.text == "都" and any(_is_all(other) and other.end <= fact.start for other in found[:index]):
            continue
        yield fact


def _in_scope(fact: Fact, others: Iterable[Fact]) -> bool:
    scopes = (cast(Marker, other.value).scope for other in others)
    return any(scope is not None and scope[0] <= fact.start and fact.end <= scope[1] for scope in scopes)


def _follows_neither(earlier: Iterable[Fact]) -> bool:
    return any(fact.text.lower() in ("neither", "ni") for fact in earlier)


def _closes_only(earlier: Iterable[Fact], negation: Fact, text: str) -> bool:
    return any(fact.text == "しか" and not re.search(r"[、。]", text[fact.end : negation.start]) for fact in earlier)


def _is_all(fact: Fact) -> bool:
    return fact.kind == "quantifier" and cast(Marker, fact.value).sense in ("all", "most", "both", "any")
