"""Negations and opposites: a claim that says a sentence of the references the other way round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from ragcortex.geometry.facts.antonyms import opposites_in
from ragcortex.geometry.facts.context import Context, clauses
from ragcortex.geometry.facts.fact import Amount, Fact, FactKind, Marker
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.facts.polarity_words import COMPARING, CONTRAST, EVENTS, NEGATING, OCCURRING, ORDERS, UNLESS
from ragcortex.geometry.facts.terms import Term

# How much of a claim's clause a clause must have before its polarity says anything about the claim.
SAME_STATEMENT: Final = 0.75
# How much of that clause the claim must have in turn, or a long sentence would speak for a short one in it.
_IN_TURN: Final = 0.5
# A sentence of the same polarity that is nearly as close settles the matter in the claim's favour.
_NEARLY: Final = 0.15
_FIGURES: Final = ("date", "time", "number", "quantity", "money", "percentage", "duration", "ordinal")
# With a name in common, this share of the other content words is enough.
_WITH_A_NAME: Final = 0.6
# A sentence with less of the claim than this is not worth a closer look.
_LEAST: Final = 0.4
# In a part of a sentence so many words must agree at least.
_LEAST_OF_A_PART: Final = 3
# Content words of a sentence that may say nothing but one thing of its subject.
_FEW: Final = 4


@dataclass(frozen=True, slots=True)
class _Turned:
    """A sentence that says the opposite of a claim.

    Attributes:
        place: the sentence.
        overlap: how much of the claim it has, in [0, 1].
        is_all: whether it says nothing else.
        here, there: the two stretches that differ, in the claim and in the sentence.
    """

    place: PlacedSheet
    overlap: float
    is_all: bool
    here: tuple[int, int]
    there: tuple[int, int]


def polarity_findings(claim: PlacedSheet, context: Context) -> Iterator[Finding]:
    """Yield where the claim negates what the nearest sentence states, states what it negates, or uses the opposite.

    Clauses are compared with clauses: they count if they have most of each other's content words. A sentence of the
    claim's own polarity that is nearly as close as the best opposite one means that there is no finding.
    """
    turned = [found for place in context.places if (found := _turned(claim, place, context)) is not None]
    best = max(turned, key=lambda one: one.overlap, default=None)
    if best is None:
        return
    against = {id(one.place) for one in turned}
    others = [place for place in context.places if id(place) not in against]
    agreeing = max((context.overlap(claim.stems, place) for place in others), default=0.0)
    if (best.is_all or agreeing < best.overlap - _NEARLY) and not _is_said_elsewhere(claim, best, others, context):
        yield claim.found("negation", best.here, best.place, best.there)


def _is_said_elsewhere(claim: PlacedSheet, turned: _Turned, others: Sequence[PlacedSheet], context: Context) -> bool:
    """Return whether another sentence about half of the claim has its word too, so that both are true."""
    mine = claim.stems_within(*turned.here)
    rest = claim.stems - mine
    if turned.is_all:
        return any(mine & place.stems and claim.sheet.terms[0].stem in place.stems for place in others)
    if len(rest) < 2:
        return any(mine & place.stems for place in others)
    return any(mine & place.stems and context.overlap(rest, place) >= _IN_TURN for place in others)


def _turned(claim: PlacedSheet, place: PlacedSheet, context: Context) -> _Turned | None:
    if claim.sheet.language != place.sheet.language or not _may_bear_on(claim, place, context):
        return None
    there = clauses(place.sheet.text)
    for clause in there:
        found = _opposite(claim, place, clause, context)
        if found is not None:
            return found
    if not claim.by_kind.get("negation") and not place.by_kind.get("negation"):
        return None
    if _is_contrast_or_exception(claim, place):
        return None
    subject = context.stems(place) - place.stems
    whole = (0, len(claim.sheet.text))
    for mine in dict.fromkeys((whole, *clauses(claim.sheet.text))):
        for clause in dict.fromkeys(((0, len(place.sheet.text)), *there)):
            found = _negation(claim, place, mine, clause, subject)
            if found is not None:
                return found
    return None


def _may_bear_on(claim: PlacedSheet, place: PlacedSheet, context: Context) -> bool:
    """Return whether a sentence has enough of the claim to be worth a closer look."""
    shared = len(claim.stems & context.stems(place))
    if not shared:
        return False
    enough = shared >= _LEAST * (len(claim.stems) - 1) or len(place.stems) <= _FEW
    return enough or bool(claim.by_kind.get("date") and place.by_kind.get("date"))


def _is_contrast_or_exception(claim: PlacedSheet, place: PlacedSheet) -> bool:
    """Return whether one of the two negates in a way that clauses do not show, or the other speaks of the exception."""
    texts = claim.sheet.text, place.sheet.text
    here, there = ({match.group().casefold() for match in NEGATING.finditer(text)} for text in texts)
    if here != there or any(CONTRAST.search(text) for text in texts):
        return True
    for one, other in ((claim, place), (place, claim)):
        if one.by_kind.get("negation") and not other.by_kind.get("negation"):
            excepted = _exceptions(other)
            for word, case in _exceptions(one):
                too = any(word == other_word and case & same for other_word, same in excepted)
                if len(case & other.stems) * 2 >= len(case) and not too:
                    return True
    return False


def _exceptions(place: PlacedSheet) -> list[tuple[str, frozenset[str]]]:
    """Return each case that a sentence excepts, its word and its content words: behind «without», before 之前."""
    text = place.sheet.text
    found = []
    for match in UNLESS.finditer(text):
        behind = match.group().isascii() or place.sheet.language not in ("zh", "ja")
        case = place.stems_within(match.end(), len(text)) if behind else place.stems_within(0, match.start())
        if case:
            found.append((match.group().casefold(), case))
    return found


def _opposite(claim: PlacedSheet, place: PlacedSheet, clause: tuple[int, int], context: Context) -> _Turned | None:
    """Return where the claim uses the opposite of a word in one clause of a sentence that says the rest of it."""
    first, last = clause
    stems = context.stems(place)
    if _is_of_another_time(claim, place) or _both_compare(claim, place):
        return None
    pairs = opposites_in(claim.sheet.text, place.sheet.text[first:last], claim.sheet.language)
    for start, end, there_start, there_end in pairs:
        here, there = (start, end), (first + there_start, first + there_end)
        mine = claim.stems_within(start, end)
        # The opposite words themselves are not shared, so the rest of the claim has to be.
        rest = [term for term in claim.sheet.terms if term.end <= start or end <= term.start]
        shared = sum(term.stem in stems for term in rest) / len(rest) if rest else 0.0
        if mine & place.stems_within(*clause) or _is_negated(claim, here) != _is_negated(place, there):
            continue
        beside = _beside(claim, here) & _beside(place, there)
        orders = bool(ORDERS.fullmatch(claim.sheet.text[start:end]))
        is_all = not EVENTS.match(claim.sheet.text, start) and _says_only_that(claim, place, clause, there)
        same = not orders and _speaks_of_the_same(claim, place, clause, shared)
        near = shared >= SAME_STATEMENT and len(rest) > 1 and beside
        if same or is_all or (near and (not orders or _follows_both(claim, place, here[1], there[1]))):
            return _Turned(place, max(shared, SAME_STATEMENT), is_all, here, there)
    return None


def _both_compare(claim: PlacedSheet, place: PlacedSheet) -> bool:
    """Return whether a comparison may start from either side: «A is smaller than B», «B is larger (than A)»."""
    here, there = COMPARING.search(claim.sheet.text), COMPARING.search(place.sheet.text)
    if here is None or there is None:
        return claim.sheet.language == "en" and (here or there) is not None
    return not _follows_both(claim, place, here.end(), there.end())


def _is_of_another_time(claim: PlacedSheet, place: PlacedSheet) -> bool:
    """Return whether both give figures or dates and the claim has one of its own: it opens at 7, it closes at 9."""
    there = {_figure(fact) for fact in place.facts(_FIGURES)}
    return bool(there) and any(_figure(fact) not in there for fact in claim.facts(_FIGURES))


def _figure(fact: Fact) -> object:
    """Return the value of a figure, whatever its bound: «at most» and «at least 15 minutes» are opposites."""
    return fact.value.base if isinstance(fact.value, Amount) else fact.value


def _follows_both(claim: PlacedSheet, place: PlacedSheet, here: int, there: int) -> bool:
    """Return whether the next content word is the same in both («before a meal», «after a meal»)."""
    first = next((term.stem for term in claim.sheet.terms if term.start >= here), None)
    return first is not None and first == next((term.stem for term in place.sheet.terms if term.start >= there), None)


def _says_only_that(claim: PlacedSheet, place: PlacedSheet, clause: tuple[int, int], there: tuple[int, int]) -> bool:
    """Return whether a clause says no more than the opposite word of the claim's own subject («a rash is rare»)."""
    others = place.stems_within(*clause) - place.stems_within(*there) - OCCURRING
    subject = claim.sheet.terms[0].stem if claim.sheet.terms else None
    return bool(others) and others <= claim.stems and subject in others


def _beside(place: PlacedSheet, span: tuple[int, int]) -> frozenset[str]:
    """Return the content words right before and right after a stretch."""
    before = [term.stem for term in place.sheet.terms if term.end <= span[0]][-1:]
    after = [term.stem for term in place.sheet.terms if term.start >= span[1]][:1]
    return frozenset((*before, *after))


def _speaks_of_the_same(claim: PlacedSheet, place: PlacedSheet, clause: tuple[int, int], shared: float) -> bool:
    """Return whether a clause gives a day that the claim gives too, or a name and most of the rest."""
    kinds: tuple[FactKind, ...] = ("date", "name") if shared >= _WITH_A_NAME else ("date",)
    there = {fact.value for fact in place.sheet.of_kind(*kinds) if clause[0] <= fact.start and fact.end <= clause[1]}
    return any(fact.value in there for fact in claim.sheet.of_kind(*kinds))


def _is_negated(place: PlacedSheet, span: tuple[int, int]) -> bool:
    return any(
        scope[0] <= span[0] < scope[1]
        for fact in place.sheet.of_kind("negation")
        if (scope := cast(Marker, fact.value).scope) is not None
    )


def _negation(
    claim: PlacedSheet, place: PlacedSheet, mine: tuple[int, int], clause: tuple[int, int], subject: frozenset[str]
) -> _Turned | None:
    stems, others = claim.stems_within(*mine), place.stems_within(*clause)
    shared = stems & (others | subject)
    is_part = mine[1] - mine[0] < len(claim.sheet.text) or clause[1] - clause[0] < len(place.sheet.text)
    if is_part and len(shared) < _LEAST_OF_A_PART:
        return None
    if len(shared) < max(2, SAME_STATEMENT * len(stems)) or len(shared & others) < _IN_TURN * len(others):
        return None
    here, there = _negated(claim), _negated(place)
    turned = {stem for stem in shared & others if (stem in here) != (stem in there)} - _doubly_negated(claim, place)
    if not turned or len(turned) * 2 < len(shared & others):
        return None
    at = _nearest_to_negation(claim, place, turned, here, there)
    negating, fact = (claim, here[at.stem]) if at.stem in here else (place, there[at.stem])
    if not _bears_on(negating, fact, turned):
        return None
    overlap = len(shared) / len(stems)
    if negating is claim:
        term = _term(place, at.stem)
        return _Turned(
            place, overlap, False, (min(fact.start, at.start), max(fact.end, at.end)), (term.start, term.end)
        )
    # «not allowed» rather than a bare «not»: the negation with the word it turns.
    term = _term(place, at.stem)
    there_span = min(fact.start, term.start), max(fact.end, term.end)
    return _Turned(place, overlap, False, (at.start, at.end), there_span)


def _bears_on(place: PlacedSheet, fact: Fact, turned: set[str]) -> bool:
    """Return whether the content word next to the negation in its scope is one of those that the two texts share."""
    scope = cast(Marker, fact.value).scope
    if scope is None:
        return False
    inside = [term for term in place.sheet.terms if scope[0] <= term.start < scope[1]]
    nearest = min(inside, key=lambda term: max(fact.start - term.end, term.start - fact.end, 0), default=None)
    return nearest is not None and nearest.stem in turned


def _nearest_to_negation(
    claim: PlacedSheet, place: PlacedSheet, turned: set[str], here: dict[str, Fact], there: dict[str, Fact]
) -> Term:
    """Return the claim's turned word next to the negation: before it in Japanese, after it elsewhere.

    In German it is the last one that the negation bears on, as the verb stands at the end.
    """
    terms = [term for term in claim.sheet.terms if term.stem in turned]

    def distance(term: Term) -> int:
        negating, at = (claim, term) if term.stem in here else (place, _term(place, term.stem))
        fact = (here if negating is claim else there)[term.stem]
        return max(fact.start - at.end, at.start - fact.end, 0)

    if claim.sheet.language == "de":
        return terms[-1]
    return min(terms, key=lambda term: (distance(term), term.start))


def _term(place: PlacedSheet, stem: str) -> Term:
    return next(term for term in place.sheet.terms if term.stem == stem)


def _doubly_negated(*places: PlacedSheet) -> frozenset[str]:
    """Return the stems in the scope of two negations of one text, of which nobody can tell what is left."""
    found: set[str] = set()
    for place in places:
        seen: set[str] = set()
        for fact in place.facts(("negation",)):
            scope = cast(Marker, fact.value).scope
            inside = place.stems_within(*scope) if scope is not None else frozenset()
            found |= seen & inside
            seen |= inside
    return frozenset(found)


def _negated(place: PlacedSheet) -> dict[str, Fact]:
    """Return the stems that stand in the scope of an odd number of negations, each with the last of them."""
    found: dict[str, list[Fact]] = {}
    for fact in place.sheet.of_kind("negation"):
        scope = cast(Marker, fact.value).scope
        for term in place.sheet.terms:
            if scope is not None and scope[0] <= term.start < scope[1]:
                found.setdefault(term.stem, []).append(fact)
    return {stem: facts[-1] for stem, facts in found.items() if len(facts) % 2}
