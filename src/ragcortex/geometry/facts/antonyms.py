"""Opposites: open and closed, legal and illegal, 営業 and 休業."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from ragcortex.align import Range, claim_words
from ragcortex.geometry.facts.antonym_words import NO_OPPOSITES, PAIRS, PREFIXES, SUFFIXES
from ragcortex.geometry.facts.fact import Fact, Language, Marker
from ragcortex.geometry.facts.function_words import FUNCTION_WORDS
from ragcortex.geometry.facts.markers import markers
from ragcortex.geometry.facts.terms import base_form, stem

_PART = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W\d_][^\W_]*)*")
_LONGEST_PHRASE: Final = 3
# What must remain behind a prefix for it to be a word of its own.
_SHORTEST_ROOT: Final = 4


@dataclass(frozen=True, slots=True)
class _Words:
    """What a text has that may have an opposite.

    Attributes:
        terms: ranges of the words and phrases of the table, by key.
        forms: ranges of all words, by each of their forms; for prefixes and suffixes. Empty in Chinese and Japanese.
        negations: the scopes of its negations.
    """

    terms: Mapping[str, Sequence[Range]]
    forms: Mapping[str, Sequence[Range]]
    negations: tuple[Range, ...]

    def is_negated(self, span: Range) -> bool:
        """Whether a negation of the text bears on the range."""
        return any(start <= span[0] and span[1] <= end for start, end in self.negations)


def opposed(a: str, b: str, language: Language) -> bool:
    """Return whether two words or short terms are opposites, whatever their inflection.

    By the table of the language, and in English, German, French and Spanish by its prefixes and suffixes of negation
    («valid», «invalid»; «harmful», «harmless»).

    >>> opposed("Opened", "closing", "en"), opposed("important", "portant", "en")
    (True, False)
    """
    listed = _is_listed(a, language) and _is_listed(b, language)
    if listed and _key(b, language) in _table(language).get(_key(a, language), ()):
        return True
    if language not in PREFIXES or " " in a.strip() + b.strip():
        return False
    forms_a, forms_b = _forms(a, language), _forms(b, language)
    return bool(_derived(forms_a, language) & forms_b or _derived(forms_b, language) & forms_a)


def opposites_in(text_a: str, text_b: str, language: Language) -> tuple[tuple[int, int, int, int], ...]:
    """Return (start_a, end_a, start_b, end_b) for each opposed pair of terms of the two texts, in order.

    Left out are pairs of which either text holds both terms («open from nine, closed on Sunday»), and pairs of which
    exactly one term is negated in its text, since «not open» and «closed» agree.

    >>> opposites_in("The pool is open.", "The pool is closed.", "en")
    ((12, 16, 12, 18),)
    """
    a, b = _words(text_a, language), _words(text_b, language)
    table = _table(language)
    found = set[tuple[int, int, int, int]]()
    for one in a.terms:
        for other in table[one] & b.terms.keys():
            if other not in a.terms and one not in b.terms:
                found |= _ranges(a, b, a.terms[one], b.terms[other])
    for one in a.forms:
        for other in _derived(frozenset((one,)), language) & b.forms.keys():
            if other not in a.forms and one not in b.forms:
                found |= _ranges(a, b, a.forms[one], b.forms[other])
    for other in b.forms:
        for one in _derived(frozenset((other,)), language) & a.forms.keys():
            if other not in a.forms and one not in b.forms:
                found |= _ranges(a, b, a.forms[one], b.forms[other])
    return tuple(sorted(found))


def _ranges(a: _Words, b: _Words, of_a: Sequence[Range], of_b: Sequence[Range]) -> set[tuple[int, int, int, int]]:
    """Return the ranges of a pair wherever both terms are negated or neither is."""
    return {(*one, *other) for one in of_a for other in of_b if a.is_negated(one) == b.is_negated(other)}


@lru_cache(maxsize=len(PAIRS))
def _table(language: Language) -> Mapping[str, frozenset[str]]:
    """Return the opposites of every key."""
    table: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in PAIRS[language]:
        table[_key(first, language)].add(_key(second, language))
        table[_key(second, language)].add(_key(first, language))
    return {key: frozenset(opposites) for key, opposites in table.items()}


def _is_listed(word: str, language: Language) -> bool:
    """Whether the word may be read by its stem: a function word only if the table names it («sich» is not «sicher»)."""
    plain = word.lower()
    return plain not in FUNCTION_WORDS.get(language, ()) or plain in _named(language)


@lru_cache(maxsize=len(PAIRS))
def _named(language: Language) -> frozenset[str]:
    return frozenset(term for pair in PAIRS[language] for term in pair)


def _key(term: str, language: Language) -> str:
    return " ".join(stem(word, language) for word in term.split())


@lru_cache(maxsize=65536)
def _forms(word: str, language: Language) -> frozenset[str]:
    """Return the word as it stands, its dictionary form and its stem, in which «unopened» is «open» with a prefix.

    None of a word that only begins like an opposite («important»).
    """
    forms = frozenset((word.lower(), base_form(word, language), stem(word, language)))
    return frozenset() if forms & NO_OPPOSITES[language] else forms


def _derived(forms: frozenset[str], language: Language) -> frozenset[str]:
    """Return the words that `forms` would be the opposites of: without its prefix, or with the other suffix."""
    return frozenset().union(*(_opposite_forms(form, language) for form in forms))


@lru_cache(maxsize=65536)
def _opposite_forms(form: str, language: Language) -> frozenset[str]:
    roots = (form.removeprefix(prefix).lstrip("-") for prefix in PREFIXES[language] if _fits(prefix, form))
    swapped = (form.removesuffix(lacking) + having for having, lacking in SUFFIXES[language] if form.endswith(lacking))
    return frozenset(root for root in (*roots, *swapped) if len(root) >= _SHORTEST_ROOT)


def _fits(prefix: str, form: str) -> bool:
    """Whether the word begins with the prefix, and that is the one its next letter asks for (im-possible, il-legal)."""
    asked = {"im": "mpb", "il": "l", "ir": "r", "i": "lr"}.get(prefix)
    following = form.removeprefix(prefix)[:1]
    return form.startswith(prefix) and (asked is None or (following != "" and following in asked))


@lru_cache(maxsize=4096)
def _words(text: str, language: Language) -> _Words:
    terms: defaultdict[str, list[Range]] = defaultdict(list)
    forms: defaultdict[str, list[Range]] = defaultdict(list)
    if language in PREFIXES:
        _collect(text, language, terms, forms)
    else:
        for match in _east_asian(language).finditer(text):
            terms[match.group()].append(match.span())
    return _Words(dict(terms), dict(forms), _negated(markers(text, language)))


def _collect(
    text: str, language: Language, terms: defaultdict[str, list[Range]], forms: defaultdict[str, list[Range]]
) -> None:
    parts = [
        (start + part.start(), start + part.end(), part.group())
        for start, end in claim_words(text)
        for part in _PART.finditer(text[start:end])
    ]
    table = _table(language)
    stems = [stem(word, language) for _, _, word in parts]
    for index, (start, end, word) in enumerate(parts):
        for form in _forms(word, language):
            forms[form].append((start, end))
        for count in range(1, min(_LONGEST_PHRASE, len(parts) - index) + 1):
            key = " ".join(stems[index : index + count])
            if key in table and (count > 1 or _is_listed(word, language)):
                terms[key].append((start, parts[index + count - 1][1]))


@lru_cache(maxsize=2)
def _east_asian(language: Language) -> re.Pattern[str]:
    """Return the pattern of all terms, longest first, so that 対象外 is not read as 対象."""
    return re.compile("|".join(re.escape(key) for key in sorted(_table(language), key=lambda key: (-len(key), key))))


def _negated(found: Iterable[Fact]) -> tuple[Range, ...]:
    scopes = (cast(Marker, fact.value).scope for fact in found if fact.kind == "negation")
    return tuple(scope for scope in scopes if scope is not None)
