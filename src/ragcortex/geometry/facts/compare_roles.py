"""Roles: who does what to whom, and which figure belongs to whom."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

import regex

from ragcortex.geometry.facts.calendar import contradicts, covers
from ragcortex.geometry.facts.compare_names import name_of
from ragcortex.geometry.facts.compare_relations import exchanged
from ragcortex.geometry.facts.context import Context, amount_of
from ragcortex.geometry.facts.equality import comparable, same_amount
from ragcortex.geometry.facts.fact import Amount, CalendarDate, Fact
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of
from ragcortex.geometry.facts.function_words import FUNCTION_WORDS
from ragcortex.geometry.facts.names import same_name

_SAME_STATEMENT: Final = 0.8
# «was bought by», «wurde … von», «fut … par», «fue … por», 被, ～に～された: the one who acts comes second.
_PASSIVE: Final = regex.compile(
    r"\b(?:by|von|durch|par|por)\b|\b(?:wurde|wird|werden|worden)\b|被|由|(?:ら|さ)れ", regex.IGNORECASE
)
# Between two names that may change places: «A and B», «A met B».
_SYMMETRIC: Final = regex.compile(
    r"[\s,;、，&·/()–—-]*(?:(?:and|or|und|oder|et|ou|y|e|o|u|as well as|along with|with|mit|avec|con|vs\.?|versus"
    r"|met|married|marri\w*|和|与|與|及|と|や)[\s,]*)*",
    flags=regex.IGNORECASE,
)
_FIGURES: Final = ("number", "quantity", "money", "percentage", "duration")
# Parts two figures of a sentence with an owner each.
_LINK: Final = regex.compile(
    r"[,;](?!\d)|[，；、]|\s(?:and|while|whereas|but|or|und|während|aber|et|tandis|mais|y|mientras|pero)\s|和|而|与",
    flags=regex.IGNORECASE,
)
# How much of an owner's words the claim must have, and by how much more than of the other owner's.
_OWNER: Final = 0.75
_MORE: Final = 0.2
_SUBJECT_TERMS: Final = 2
_LAST_WORD: Final = regex.compile(r"(\p{L}+)\P{L}*\Z")
Key = tuple[str, object]


@dataclass(frozen=True, slots=True)
class _Owned:
    """A figure and the words of its part of the sentence, which say whose it is.

    Attributes:
        fact: the figure.
        keys: the stems and dates of its part.
        beside: the stems right before and right after it, with their side.
        lead: the two stems before it.
        subject: the keys of the first two of its part's content words.
    """

    fact: Fact
    keys: frozenset[Key]
    beside: frozenset[tuple[str, str]]
    lead: tuple[str, ...]
    subject: frozenset[Key]


def role_findings(claim: PlacedSheet, context: Context) -> Iterator[Finding]:
    """Yield two names that have changed places around the same words, or figures given to another's owner."""
    near = [place for place in context.places if context.overlap(claim.stems, place) >= _SAME_STATEMENT]
    found = [_swapped_names(claim, place) for place in near] if len(claim.facts(("name",))) > 1 else []
    swapped = next((one for one in found if one is not None), None)
    if swapped is not None and all(one is not None for one in found):
        yield swapped
        return
    yield from exchanged(claim, context)
    yield from _given_to_another(claim, context)


def _swapped_names(claim: PlacedSheet, place: PlacedSheet) -> Finding | None:
    for first, second in combinations(claim.facts(("name",)), 2):
        firsts, seconds = _named_alike(place, first), _named_alike(place, second)
        if not firsts or not seconds or firsts[0].start < seconds[-1].start:
            continue  # in the same order somewhere
        before, behind = seconds[-1], firsts[0]
        here_text = claim.sheet.text[first.end : second.start]
        there_text = place.sheet.text[before.end : behind.start]
        between = claim.stems_within(first.end, second.start)
        passive = (_PASSIVE.search(here_text) is None) != (_PASSIVE.search(there_text) is None)
        same = between == place.stems_within(before.end, behind.start) if between else here_text == there_text
        if same and not passive and not _SYMMETRIC.fullmatch(here_text):
            return claim.found("role", (first.start, second.end), place, (before.start, behind.end))
    return None


def _named_alike(place: PlacedSheet, fact: Fact) -> list[Fact]:
    return [other for other in place.facts(("name",)) if same_name(name_of(fact), name_of(other))]


def _given_to_another(claim: PlacedSheet, context: Context) -> Iterator[Finding]:
    """Yield figures that the references give to another owner, while they give the claimed owner another figure."""
    for mine in _owned_figures(claim):
        rivals: list[tuple[float, PlacedSheet, _Owned]] = []
        equals: list[tuple[PlacedSheet, _Owned]] = []
        for place in context.places:
            if not claim.stems & context.stems(place):
                continue
            for other in _owned_figures(place):
                if not _measures_alike(mine.fact, other.fact) or _is_range(other.fact):
                    continue
                if _is_equal(mine.fact, other.fact):
                    equals.append((place, other))
                else:
                    rivals.append((len(mine.keys & other.keys) / len(other.keys) if other.keys else 0.0, place, other))
        if not equals or not rivals:
            continue
        _, place, rival = max(rivals, key=lambda one: one[0])
        if any(_is_confirmed(claim, mine, owner_place, owner, rival) for owner_place, owner in equals):
            continue
        if all(_is_of_another(mine, owner, rival, same_place=owner_place is place) for owner_place, owner in equals):
            yield claim.found("role", span_of(mine.fact), place, span_of(rival.fact))


def _is_of_another(mine: _Owned, equal: _Owned, rival: _Owned, *, same_place: bool) -> bool:
    """Return whether the claimed figure is the equal one's owner's, and the claim speaks of the rival's owner."""
    told = (mine.keys & rival.keys) - equal.keys
    untold = equal.keys - rival.keys - mine.keys
    if not told or not untold:
        return False
    has_unit = isinstance(mine.fact.value, Amount) and mine.fact.value.unit is not None
    is_bare = isinstance(mine.fact.value, Amount) and not has_unit
    if has_unit and _says_what_it_says_of_another(mine, equal, rival):
        return True
    if len(mine.lead) > 1 and mine.lead == equal.lead != rival.lead:
        return False  # the very words before the figure are the same
    if is_bare and ((mine.beside & equal.beside) - rival.beside or not mine.beside & rival.beside):
        return False  # «1,178 races» in both; «number two» and an age of 21
    if not same_place and not (equal.beside & rival.beside and len(equal.keys & rival.keys) >= 2):
        return False
    of_rival, of_equal = len(mine.keys & rival.keys), len(mine.keys & equal.keys)
    here = of_rival / len(mine.keys) >= _OWNER or of_rival / len(rival.keys) >= _OWNER
    covered = of_rival / len(rival.keys) - of_equal / len(equal.keys)
    return (
        here and (covered >= _MORE or of_rival > of_equal) and (not same_place or of_rival / len(rival.keys) >= _OWNER)
    )


def _says_what_it_says_of_another(mine: _Owned, equal: _Owned, rival: _Owned) -> bool:
    """Return whether the claim says all that the rival's sentence says but its figure, and names no owner of the equal.

    «The bridge of Lyle is 41 metres long», where that is the height of the tower and the bridge is 52 metres long.
    Bare numbers («Passage 2») and dates («since its foundation in 1967») stand beside anything, so they are left out.
    """
    return (
        len(rival.keys) >= _SUBJECT_TERMS
        and rival.keys <= mine.keys
        and not equal.subject & mine.keys
        and not mine.subject <= equal.keys
    )


def _is_confirmed(claim: PlacedSheet, mine: _Owned, place: PlacedSheet, equal: _Owned, rival: _Owned) -> bool:
    """Return whether a sentence says the claimed figure of the claim's subject, and nothing tells two owners apart.

    What the claim shares with the rival alone is an owner where the other sentence has another word in its slot:
    another date, or a word behind the same function word («for children», «for adults»). Else the references disagree.
    """
    subject = mine.subject & (equal.keys | rival.keys)
    if not subject or not subject <= equal.keys:
        return False
    told = (mine.keys & rival.keys) - equal.keys
    untold = equal.keys - rival.keys - mine.keys
    if all(any(kind == "date" for kind, _ in keys) for keys in (told, untold)):
        return False
    if claim.sheet.language in ("zh", "ja"):
        shared = [term for term in claim.sheet.terms if ("stem", term.stem) in equal.keys]
        own = [term for term in claim.sheet.terms if ("stem", term.stem) in told]
        return all(any(one.start < other.end and other.start < one.end for other in shared) for one in own)
    return _slots(claim, told).isdisjoint(_slots(place, untold))


def _slots(place: PlacedSheet, keys: frozenset[Key]) -> set[str]:
    """Return the function words right before the words of these keys."""
    known = FUNCTION_WORDS[place.sheet.language]
    terms = [term for term in place.sheet.terms if ("stem", term.stem) in keys]
    before = (_LAST_WORD.search(place.sheet.text, 0, term.start) for term in terms)
    return {match[1].casefold() for match in before if match is not None} & known


def _is_range(fact: Fact) -> bool:
    return isinstance(fact.value, Amount) and fact.value.low != fact.value.high


def _measures_alike(first: Fact, second: Fact) -> bool:
    if first.kind == "date" or second.kind == "date":
        return first.kind == second.kind
    one, other = amount_of(first), amount_of(second)
    return one.dimension == other.dimension and comparable(one, other)


def _is_equal(first: Fact, second: Fact) -> bool:
    if isinstance(first.value, CalendarDate) and isinstance(second.value, CalendarDate):
        return covers(first.value, second.value) or not contradicts(first.value, second.value)
    return same_amount(amount_of(first), amount_of(second))


@lru_cache(maxsize=16384)
def _owned_figures(place: PlacedSheet) -> tuple[_Owned, ...]:
    return tuple(_owned(place))


def _owned(place: PlacedSheet) -> Iterator[_Owned]:
    """Yield each figure with the words of its part: the sentence is parted where a link stands between two alike."""
    text = place.sheet.text
    figures = place.facts(_FIGURES) + place.facts(("date",))
    for fact in figures:
        alike = [other for other in figures if other is not fact and _measures_alike(fact, other)]
        start = max((_part(text, other.end, fact.start) for other in alike if other.end <= fact.start), default=0)
        end = min((_part(text, fact.end, other.start) for other in alike if other.start >= fact.end), default=len(text))
        if start < 0 or end < 0:
            continue
        terms = [term for term in place.sheet.terms if start <= term.start < end]
        outside = [term for term in terms if term.end <= fact.start or fact.end <= term.start]
        keys: set[Key] = {("stem", term.stem) for term in outside}
        keys |= {
            ("date", other.value)
            for other in place.facts(("date",))
            if other is not fact and start <= other.start < end
        }
        lead = tuple(term.stem for term in outside if term.end <= fact.start)[-2:]
        behind = next((term.stem for term in outside if term.start >= fact.end), None)
        sides = {(side, stem) for side, stem in (("before", lead[-1] if lead else None), ("after", behind)) if stem}
        subject: frozenset[Key] = frozenset(("stem", term.stem) for term in outside[:_SUBJECT_TERMS])
        yield _Owned(fact, frozenset(keys), frozenset(sides), lead, subject)


def _part(text: str, start: int, end: int) -> int:
    """Return where a link parts a stretch between two figures, -1 where none does."""
    link = _LINK.search(text, max(start - 1, 0), end)
    return -1 if link is None else max(link.start(), start)
