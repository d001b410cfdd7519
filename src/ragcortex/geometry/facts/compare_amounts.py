"""Amounts of a claim against those of the references."""

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from ragcortex.geometry.facts.amounts import number_range, unit_range
from ragcortex.geometry.facts.context import AMOUNT_KINDS, Context, Rival, amount_of, years_of
from ragcortex.geometry.facts.derivation import Basis, basis_of, is_derived
from ragcortex.geometry.facts.equality import comparable, same_amount, satisfies, unit_differs
from ragcortex.geometry.facts.fact import Fact
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of

# Small bare counts («two ways», «the first») are an answer's own way of counting what it lists.
_OWN_COUNT: Final = 12
# From this overlap both ways on, a claim repeats a sentence, and a figure without its bound is no instance of it.
_REPEATED: Final = 0.6
# A code, a serial number or noise rather than an amount.
_LONGEST: Final = 12
_STOP: Final = regex.compile(r"[,.;:()!?，、。；：]|\b(?:and|or|und|oder|et|ou|y|o)\b", flags=regex.IGNORECASE)
_WORD: Final = regex.compile(r"[\p{L}\p{M}'’-]+")
_ITEM: Final = regex.compile(r"\s*[.)\]:]\s")
_TITLED: Final = regex.compile(r"\p{Lu}\p{Ll}+ $")
# A step of a calculation that the answer writes out: «250 − 27 = 223».
_CALCULATION: Final = regex.compile(r"\d\s*[)%€$]?\s*[-−–+×*/÷]\s*[€$£(]?\d[^=]{0,30}=|=\s*[€$£]?\d")


def amount_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet] = ()) -> Iterator[Finding]:
    """Yield the amounts of a claim that the references contradict or lack.

    An amount that a reference states in any form, or that follows from what they state (`derivation.is_derived`), is
    none. One that only the question gives is none either, unless a reference surely says otherwise of the same thing.
    Without a rival about the same thing an amount is absent; a small bare count is then none.
    """
    facts = claim.facts(AMOUNT_KINDS)
    open_facts = [fact for fact in facts if not _is_stated(fact, context) and not _is_label(claim, fact)]
    accepted = [amount_of(fact) for fact in facts if fact not in open_facts]
    for fact in open_facts:
        basis = basis_of(claim, context, given, accepted)
        found = _finding(claim, fact, context, basis)
        if found is None:
            accepted.append(amount_of(fact))
        else:
            yield found


def _is_stated(fact: Fact, context: Context) -> bool:
    value = amount_of(fact)
    if any(same_amount(value, amount_of(other)) and _one_kind(fact, other) for _, other in context.amounts):
        return True
    return value.unit is None and value.low in context.years and value.high in context.years


def _finding(claim: PlacedSheet, fact: Fact, context: Context, basis: Basis) -> Finding | None:
    value = amount_of(fact)
    given = [amount_of(other) for place in basis.given for other in place.facts(AMOUNT_KINDS)]
    only_given = any(same_amount(value, other) for other in given) or value.low in years_of(basis.given)
    places = context.rivals(claim, fact, AMOUNT_KINDS)
    for rival in places:
        if rival.is_about_the_same and unit_differs(value, amount_of(rival.fact)):
            return claim.found("unit", unit_range(fact) or span_of(fact), rival.place, span_of(rival.fact))
    limit = next((one for one in places if _is_other_limit(claim, fact, one)), None)
    if limit is not None:
        return claim.found("number", number_range(fact), limit.place, span_of(limit.fact))
    if is_derived(fact, basis) or _CALCULATION.search(claim.sheet.text):
        return None
    about = [one for one in places if (one.is_surely_about_the_same if only_given else one.is_about_the_same)]
    against = [one for one in about if _contradicts(claim, fact, one)]
    if any(_is_instance(claim, fact, one, context) for one in against):
        return None
    if against:
        return claim.found("number", _differing(claim, fact, against[0]), against[0].place, span_of(against[0].fact))
    own_count = value.unit is None and (value.high <= _OWN_COUNT or len(fact.text) > _LONGEST + 6)
    return None if own_count or only_given or fact.kind == "ordinal" else claim.found("number", span_of(fact))


def _is_other_limit(claim: PlacedSheet, fact: Fact, rival: Rival) -> bool:
    """Return whether a sentence about the same sets another limit: «within 60 days» where it says «within 30 days».

    That some amount elsewhere keeps the claimed limit does not make it the limit.
    """
    value, other = amount_of(fact), amount_of(rival.fact)
    both_limits = value.bound in ("at_least", "at_most") and value.bound == other.bound
    return both_limits and rival.is_about_the_same and _contradicts(claim, fact, rival)


def _differing(claim: PlacedSheet, fact: Fact, rival: Rival) -> tuple[int, int]:
    """Return where the number stands, with the two words before it where only the bound differs («at most 15»)."""
    start, end = number_range(fact)
    if amount_of(fact).base != amount_of(rival.fact).base:
        return start, end
    words = list(_WORD.finditer(claim.sheet.text, 0, start))[-2:]
    return (words[0].start() if words else start), end


def _contradicts(claim: PlacedSheet, fact: Fact, rival: Rival) -> bool:
    value, other = amount_of(fact), amount_of(rival.fact)
    if not _one_kind(fact, rival.fact) or not comparable(value, other) or (value.unit is None) != (other.unit is None):
        return False
    if value.unit is not None:
        return True
    counted = _counted(claim, fact)
    if fact.kind == "ordinal":
        return rival.is_surely_about_the_same and counted == _counted(rival.place, rival.fact)
    return rival.shared_near >= 1 and (counted is None or counted == _counted(rival.place, rival.fact))


def _counted(place: PlacedSheet, fact: Fact) -> str | None:
    """Return the stem of what a bare number counts: the next content word, unless a stop comes before it."""
    term = next((one for one in place.sheet.terms if one.start >= fact.end), None)
    if term is None or _STOP.search(place.sheet.text, fact.end, term.start):
        return None
    return term.stem


def _is_label(claim: PlacedSheet, fact: Fact) -> bool:
    """Return whether a bare number only numbers something: the item of a list, «Book 5»."""
    before, after = claim.sheet.text[: fact.start], claim.sheet.text[fact.end :]
    return amount_of(fact).unit is None and (
        (not before.strip(" \t*-•–([#") and _ITEM.match(after) is not None)
        or (_TITLED.search(before) is not None and _counted(claim, fact) is None)
    )


def _is_instance(claim: PlacedSheet, fact: Fact, rival: Rival, context: Context) -> bool:
    """Return whether an exact amount is a case that a stated bound speaks of: a child of 8, free under 10.

    A case that does not keep the bound counts where the claim negates («with 55 % you do not meet the requirement»).
    """
    value, bound = amount_of(fact), amount_of(rival.fact)
    if value.bound != "exact" or bound.bound not in ("at_least", "at_most"):
        return False
    if satisfies(value, bound):
        return True
    shared = len(claim.stems & context.stems(rival.place))
    repeated = rival.overlap >= _REPEATED and shared >= _REPEATED * len(rival.place.stems)
    return bool(claim.by_kind.get("negation")) and not repeated


def _one_kind(first: Fact, second: Fact) -> bool:
    return (first.kind == "ordinal") == (second.kind == "ordinal")
