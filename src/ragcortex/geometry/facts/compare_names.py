"""Names of a claim against those of the references."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, cast

from ragcortex.geometry.facts.context import Context
from ragcortex.geometry.facts.fact import Fact, Name
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of
from ragcortex.geometry.facts.name_places import name_words
from ragcortex.geometry.facts.name_words import TITLES
from ragcortex.geometry.facts.names import same_name

# A known name stands in another's slot only where the sentence has this share of the claim's other content words.
_SAME_STATEMENT: Final = 0.6
# Names spelled this much alike are one name with a slip, or a matter for a person.
_SPELLED_ALIKE: Final = 0.85
_LONG_ENOUGH: Final = 5


def name_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet] = ()) -> Iterator[Finding]:
    """Yield the names of a claim that no reference has, nor the question, and known names in another one's slot.

    A name is contradicted where another name stands in its slot: after the same word («in Lyon», «in Paris») in
    sentences about the same thing.
    """
    facts = claim.facts(("name",))
    if not facts:
        return
    known = [name_of(fact) for places in (context.places, given) for place in places for fact in place.facts(("name",))]
    words = frozenset(word for places in (context.places, given) for place in places for word in _words(place))
    stated = frozenset(word for place in context.places for word in _words(place))
    mine = [name_of(fact) for fact in facts]
    for fact in facts:
        name = name_of(fact)
        if words.issuperset(name.words) or any(_may_be_same(name, other) for other in known):
            in_references = stated.issuperset(name.words)
            found = _exchanged(claim, fact, mine, context) if in_references or not context.places else None
            if found is not None:
                yield found
        else:
            yield _finding(claim, fact, mine, context)


def name_of(fact: Fact) -> Name:
    """Return the value of a fact that is a name."""
    return cast(Name, fact.value)


@lru_cache(maxsize=65536)
def _may_be_same(first: Name, second: Name) -> bool:
    if same_name(first, second):
        return True
    one, other = " ".join(first.words), " ".join(second.words)
    if min(len(one), len(other)) < _LONG_ENOUGH:
        initials = "".join(word[0] for word in max(first.words, second.words, key=len) if len(word) > 2)
        short = min(one, other, key=len)
        return len(short) >= 3 and initials.startswith(short)
    slip = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return slip >= _SPELLED_ALIKE and not any(word.isdecimal() for word in (*first.words, *second.words))


def _finding(claim: PlacedSheet, fact: Fact, mine: Sequence[Name], context: Context) -> Finding:
    before = _tokens_before(claim, fact, 1)
    for rival in context.rivals(claim, fact, ("name",)):
        replaced = not any(same_name(name_of(rival.fact), name) for name in mine)
        if rival.is_about_the_same and replaced and before == _tokens_before(rival.place, rival.fact, 1):
            return claim.found("entity", span_of(fact), rival.place, span_of(rival.fact))
    return claim.found("entity", span_of(fact))


def _exchanged(claim: PlacedSheet, fact: Fact, mine: Sequence[Name], context: Context) -> Finding | None:
    """Return a finding where a sentence says the claim of another name, and none says it of this one.

    The sentence has nearly all other content words of the claim and not the name; the other name stands in the same
    slot: the two words before both are the same, or the one before and the content word after.
    """
    others = _stems_beside(claim, fact)
    if not others:
        return None
    name = name_of(fact)
    shares = [(context.overlap(others, place), place) for place in context.places]
    if not any(share >= _SAME_STATEMENT for share, _ in shares):
        return None
    with_name = [(share, place) for share, place in shares if _has(place, name)]
    if _stands_there(claim, fact, [place for _, place in with_name]):
        return None
    best = max((share for share, _ in with_name), default=0.0)
    near = [place for share, place in shares if share >= _SAME_STATEMENT and share > best]
    for rival in context.rivals(claim, fact, ("name",), near):
        place, other = rival.place, rival.fact
        if any(_may_be_same(name_of(other), one) for one in mine):
            continue
        bare = len(others) < 2 and not _stems_beside(place, other) <= others
        if _same_slot(claim, fact, place, other) and not bare:
            return claim.found("entity", span_of(fact), place, span_of(other))
    return None


def _stems_beside(place: PlacedSheet, fact: Fact) -> frozenset[str]:
    """Return the content words of a sentence without those of a name and without titles."""
    text = place.sheet.text
    titles = {term.stem for term in place.sheet.terms if text[term.start : term.end].casefold() in TITLES}
    return place.stems - place.stems_within(fact.start, fact.end) - titles


def _stands_there(claim: PlacedSheet, fact: Fact, places: Sequence[PlacedSheet]) -> bool:
    """Return whether a sentence has the name behind the same content word («the executive of the European Union»)."""
    before = claim.around(fact).before
    return before is not None and any(
        place.around(other).before == before
        for place in places
        for other in place.facts(("name",))
        if same_name(name_of(other), name_of(fact))
    )


def _same_slot(claim: PlacedSheet, fact: Fact, place: PlacedSheet, other: Fact) -> bool:
    here, there = _tokens_before(claim, fact, 2), _tokens_before(place, other, 2)
    if here[-1:] != there[-1:] or not here:
        return False
    around, opposite = claim.around(fact), place.around(other)
    both_before = around.before is not None and around.before == opposite.before
    return (
        (len(here) == 2 and here == there)
        or both_before
        or (around.after is not None and around.after == opposite.after)
    )


def _has(place: PlacedSheet, name: Name) -> bool:
    return _words(place).issuperset(name.words) or any(same_name(name, name_of(one)) for one in place.facts(("name",)))


def _tokens_before(place: PlacedSheet, fact: Fact, count: int) -> list[str]:
    words = place.sheet.text[: fact.start].casefold().split()
    return [word for word in words if word.strip(".") not in TITLES][-count:]


def _words(place: PlacedSheet) -> frozenset[str]:
    return _words_of(place.sheet.text)


@lru_cache(maxsize=65536)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(name_words(text))
