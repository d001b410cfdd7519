"""Quantifiers and conditions: a claim that holds more widely than what the references say."""

from collections.abc import Iterator
from typing import Final, cast

import regex

from ragcortex.geometry.facts.context import Context, amount_of, clauses
from ragcortex.geometry.facts.fact import Amount, CalendarDate, Fact, Marker
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of

# The sentence must have this share of the claim's content before a limit that the claim leaves out counts as dropped.
_SAME_STATEMENT: Final = 0.7
_NARROWER: Final = {
    "all": frozenset(("most", "some", "few", "none")),
    "both": frozenset(("none", "few")),
    "most": frozenset(("few", "none")),
    "none": frozenset(("all", "most", "some", "both")),
}
_DROPPED: Final = frozenset(("if", "unless", "except", "only_if"))
# «Nearly word for word»: this share of the content words on both sides.
_NEARLY_ALL: Final = 0.8
_LIST_ITEM: Final = regex.compile(r"\s*(?:[-*•–]|\(?\d{1,3}[.)])\s")
_WEEK: Final = CalendarDate(weekday=0, last_weekday=6)
# Says that nothing is left out, where the tables of markers have no quantifier.
_WITHOUT_LIMIT: Final = regex.compile(
    r"\bat (?:all|any) times?\b|\bany ?time\b|\baround the clock\b|\b24/7\b"
    r"|\bwithout (?:any )?(?:exception|restriction|limit)s?\b"
    r"|\bjederzeit\b|\brund um die Uhr\b|\bohne (?:Ausnahme|Einschränkung)\b|\bà tout moment\b|\bà toute heure\b"
    r"|\bsans (?:exception|restriction)\b|\ben todo momento\b|\ba cualquier hora\b|\bsin (?:excepción|restricción)\b"
    r"|随时|全天|一律|いつでも|例外なく|無条件",
    flags=regex.IGNORECASE,
)
# «All other repairs» are not all of them.
_OTHER: Final = regex.compile(
    r"\b(?:other|remaining|rest|else|übrigen?|anderen?|restlichen?|weiteren?|autres?|restante?s?|demás|otros?|otras?)\b"
    r"|其他|其余|その他|ほか|残り",
    flags=regex.IGNORECASE,
)
# Right behind a noun: only those are meant.
_RESTRICTING: Final = regex.compile(
    r"\s+(?:who|that|which|whose|with|without|under|over|aged|from|mit|ohne|unter|über|ab|qui|avec|sans|de moins de"
    r"|de plus de"
    r"|que|con|sin|menores|mayores)\b|,\s+(?:die|der|das|deren)\b",
    flags=regex.IGNORECASE,
)
_ALWAYS: Final = regex.compile(
    r"always|invariably|every time|in every case|in all cases|immer|stets|in jedem Fall|toujours|dans tous les cas"
    r"|siempre|en todos los casos|总是|一直|始终|いつも|常に|必ず",
    flags=regex.IGNORECASE,
)
_MAY: Final = frozenset(("may", "can"))
_CASES: Final = frozenset(("all", "any"))


def condition_findings(claim: PlacedSheet, context: Context) -> Iterator[Finding]:
    """Yield where a claim drops a limit of the sentence it repeats, or says «all» of what holds for some.

    Only the sentences with most of the claim's content are asked, and none where another of them states the claim
    without a limit.
    """
    found = _unlimited(claim, context)
    if found is not None:
        yield found
        return
    ranked = [(context.overlap(claim.stems, place), place) for place in context.places]
    most = max((overlap for overlap, _ in ranked), default=0.0)
    near = [place for overlap, place in ranked if overlap >= max(_SAME_STATEMENT, most - 0.1)]
    for check in (_wider_quantifier, _dropped_condition, _dropped_bound, _stronger):
        every = [check(claim, place) for place in near]
        if every and all(one is not None for one in every):
            yield cast(Finding, every[0])
            return


def _unlimited(claim: PlacedSheet, context: Context) -> Finding | None:
    """«All», «anyone», «every day», «at any time» of what the references say with a limit."""
    for span, scope in _universals(claim):
        counted = claim.stems_within(*scope)
        clause = next(one for one in clauses(claim.sheet.text) if one[0] <= span[0] < one[1])
        said = claim.stems_within(*clause) - counted - claim.stems_within(*span)
        if len(said) < 2:
            said = claim.stems - counted - claim.stems_within(*span)
        if not said:
            continue
        shares = [(context.overlap(said, place), place) for place in context.places]
        most = max((share for share, _ in shares), default=0.0)
        if most < _SAME_STATEMENT:
            continue
        near = [place for share, place in shares if share >= most - 0.1]
        limits = [_limit(claim, place, said, counted, context) for place in near]
        if all(limit is not None for limit in limits):
            return claim.found("condition", span, near[0], limits[0])
    return None


def _universals(claim: PlacedSheet) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield each expression that leaves nothing out, with what it counts, and the range of what it counts alone."""
    negated = [cast(Marker, fact.value).scope for fact in claim.facts(("negation",))]
    if negated or claim.by_kind.get("condition"):
        return
    for fact in claim.facts(("quantifier",)):
        if _sense(fact) not in _CASES or any(one.start <= fact.start < one.end for one in claim.facts(("name",))):
            continue
        start, end = _with_scope(fact)
        scope = cast(Marker, fact.value).scope or span_of(fact)
        if _sense(fact) == "any" or scope[1] - scope[0] > 40 or _counts_nothing(claim, fact):
            start, end = span_of(fact)
            scope = span_of(fact)
        yield (start, end), scope
    for match in _WITHOUT_LIMIT.finditer(claim.sheet.text):
        yield match.span(), match.span()


def _counts_nothing(claim: PlacedSheet, fact: Fact) -> bool:
    """Return whether the marker bears on the whole clause («always») rather than on a noun («all visitors»)."""
    scope = cast(Marker, fact.value).scope
    if scope is None or scope == span_of(fact) or _ALWAYS.fullmatch(fact.text):
        return True
    inside = claim.stems_within(*scope)
    return len(inside) * 2 > len(claim.stems) or len(inside) > 3


def _limit(
    claim: PlacedSheet, place: PlacedSheet, said: frozenset[str], counted: frozenset[str], context: Context
) -> tuple[int, int] | None:
    """Return where a sentence limits what the claim says of all; None where it does not, or the claim says it too."""
    for span in _limits(place, claim):
        clause = next((one for one in clauses(place.sheet.text) if one[0] <= span[0] < one[1]), None)
        here = place.stems_within(*clause) if clause is not None else place.stems
        own = place.stems_within(*span)
        if said & (here | (context.stems(place) - place.stems)) and not own & claim.stems - counted:
            return span
    return None


def _limits(place: PlacedSheet, claim: PlacedSheet) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a sentence that narrow what it says."""
    universal = [fact for fact in place.facts(("quantifier",)) if _sense(fact) in _CASES]
    for fact in universal:
        other = _OTHER.search(place.sheet.text, *_with_scope(fact))
        if other is not None and not _OTHER.search(claim.sheet.text):
            yield other.span()
    for fact in place.facts(("condition",)):
        if _sense(fact) in _DROPPED:
            yield _with_scope(fact)
    if universal:
        return
    for fact in place.facts(("quantifier",)):
        scope = _with_scope(fact)
        shared = claim.stems & place.stems_within(*scope)
        if _sense(fact) == "only" or (_sense(fact) in ("some", "most", "few") and shared):
            yield scope
    figures = [fact for fact in claim.sheet.facts if isinstance(fact.value, Amount)]
    daily = _is_daily(claim)
    for fact in place.sheet.facts:
        if (not figures and _is_partial(fact)) or (daily and _is_some_weekdays(fact)):
            yield span_of(fact)
    yield from _narrowed_nouns(place, claim)


def _is_partial(fact: Fact) -> bool:
    """Return whether an amount narrows who or what is meant: an age, a bound on a count, less than 100 percent."""
    if not isinstance(fact.value, Amount):
        return False
    bounded = fact.value.bound in ("at_least", "at_most") and fact.value.unit in ("year", None, "percent")
    return bounded or (fact.kind == "percentage" and fact.value.high < 100)


def _is_some_weekdays(fact: Fact) -> bool:
    return isinstance(fact.value, CalendarDate) and fact.value.weekday is not None and fact.value != _WEEK


def _narrowed_nouns(place: PlacedSheet, claim: PlacedSheet) -> Iterator[tuple[int, int]]:
    """Yield a word before what the claim counts («unopened items»), or the clause behind it («applicants who …»)."""
    for fact in claim.facts(("quantifier",)):
        scope = cast(Marker, fact.value).scope
        nouns = claim.stems_within(*scope) if scope is not None and not _counts_nothing(claim, fact) else frozenset()
        for index, term in enumerate(place.sheet.terms):
            if term.stem not in nouns:
                continue
            restricted = _RESTRICTING.match(place.sheet.text, term.end)
            if restricted is not None:
                behind = place.sheet.terms[index + 1 : index + 2]
                if behind and behind[0].stem not in claim.stems:
                    yield restricted.start() + 1, behind[-1].end
            elif index and _is_modifier(place, index) and place.sheet.terms[index - 1].stem not in claim.stems:
                yield place.sheet.terms[index - 1].start, term.end


def _is_modifier(place: PlacedSheet, index: int) -> bool:
    before, term = place.sheet.terms[index - 1], place.sheet.terms[index]
    return place.sheet.language not in ("zh", "ja") and not place.sheet.text[before.end : term.start].strip(" -")


def _wider_quantifier(claim: PlacedSheet, place: PlacedSheet) -> Finding | None:
    for fact in claim.facts(("quantifier",)):
        narrower = _NARROWER.get(_sense(fact), frozenset())
        for other in place.facts(("quantifier",)):
            if (
                _sense(other) in narrower
                and _heads(claim, fact) & _heads(place, other)
                and not _quantifiers(place, _sense(fact))
                and not claim.by_kind.get("negation")
            ):
                return claim.found("condition", _with_scope(fact), place, _with_scope(other))
    return None


def _stronger(claim: PlacedSheet, place: PlacedSheet) -> Finding | None:
    """«Always» of what the sentence says may be."""
    always = [fact for fact in _quantifiers(claim, "all") if _counts_nothing(claim, fact)]
    may = [fact for fact in place.facts(("modal",)) if _sense(fact) in _MAY]
    if not always or not may or claim.by_kind.get("modal") or _quantifiers(place, "all"):
        return None
    alike = len(place.stems & claim.stems) >= _SAME_STATEMENT * len(place.stems)
    return claim.found("condition", span_of(always[0]), place, span_of(may[0])) if alike else None


def _dropped_condition(claim: PlacedSheet, place: PlacedSheet) -> Finding | None:
    """A condition of the reference that the claim leaves out while it repeats the rest nearly word for word.

    An item of a list is none: steps are told for the case that is asked about.
    """
    if claim.by_kind.get("condition") or _LIST_ITEM.match(claim.sheet.text):
        return None
    for fact in place.facts(("condition",)):
        scope = cast(Marker, fact.value).scope
        condition = place.stems_within(*scope) if scope is not None else frozenset()
        main = place.stems - condition
        alike = len(main & claim.stems) >= _NEARLY_ALL * max(len(main), len(claim.stems))
        if _sense(fact) in _DROPPED and condition and not condition & claim.stems and alike:
            return claim.found("condition", _predicate(claim), place, _with_scope(fact))
    return None


def _dropped_bound(claim: PlacedSheet, place: PlacedSheet) -> Finding | None:
    """A bound right after the subject («orders above $50 ship free») that the claim leaves out."""
    if not claim.sheet.terms or any(isinstance(fact.value, Amount) for fact in claim.sheet.facts):
        return None
    subject = claim.sheet.terms[0].stem
    for fact in place.sheet.facts:
        if not isinstance(fact.value, Amount) or amount_of(fact).bound not in ("at_least", "at_most"):
            continue
        before = [term.stem for term in place.sheet.terms if term.end <= fact.start]
        after = [term.stem for term in place.sheet.terms if term.start >= fact.end]
        if before and before[-1] == subject and set(after[:2]) & claim.stems:
            return claim.found("condition", _predicate(claim), place, span_of(fact))
    return None


def _quantifiers(place: PlacedSheet, sense: str) -> list[Fact]:
    return [fact for fact in place.facts(("quantifier",)) if _sense(fact) == sense]


def _is_daily(place: PlacedSheet) -> bool:
    for fact in _quantifiers(place, "all"):
        start, end = _with_scope(fact)
        text = place.sheet.text[start:end].casefold()
        if any(
            word in text for word in ("day", "daily", "tag", "täglich", "jour", "día", "diari", "天", "日", "always")
        ):
            return True
    return _WITHOUT_LIMIT.search(place.sheet.text) is not None


def _sense(fact: Fact) -> str:
    return cast(Marker, fact.value).sense


def _with_scope(fact: Fact) -> tuple[int, int]:
    scope = cast(Marker, fact.value).scope
    return span_of(fact) if scope is None else (min(fact.start, scope[0]), max(fact.end, scope[1]))


def _heads(place: PlacedSheet, fact: Fact) -> frozenset[str]:
    """Return the first two content words of what a quantifier counts."""
    scope = cast(Marker, fact.value).scope
    if scope is None:
        return frozenset()
    return frozenset([term.stem for term in place.sheet.terms if scope[0] <= term.start < scope[1]][:2])


def _predicate(claim: PlacedSheet) -> tuple[int, int]:
    """Return the claim from its first content word to its last: what holds only under a condition."""
    return claim.sheet.terms[0].start, claim.sheet.terms[-1].end
