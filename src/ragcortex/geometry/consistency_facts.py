"""Which hard facts of two answers to one question contradict each other.

An answer that leaves a fact out contradicts nothing. So a fact counts as differing only where both answers have a fact
of that kind which the other one lacks: «330 m» against «320 m», not «330 m tall, 125 m wide» against «330 m».
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.align import Range, claim_words, sentences, words
from ragcortex.geometry.consistency_values import agree, comparable
from ragcortex.geometry.facts.fact import Fact, FactKind, Marker, Name

FactsOf = Callable[[str], tuple[Fact, ...]]
_HARD: Final = frozenset(
    ("number", "quantity", "money", "percentage", "duration", "ordinal", "date", "time", "name")
)  # fmt: skip
_STEM: Final = 5
_LEAST_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Ranges of two texts that contradict each other in a fact of this kind."""

    kind: FactKind
    first: Range
    second: Range


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence with the stems of its content words, and its negations that are no mere contrast."""

    start: int
    end: int
    stems: frozenset[str]
    negations: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """What an answer says in hard facts.

    Attributes:
        text: the answer.
        facts: its numbers, dates, times and names, those denied by contrast («not in Lyon») left out.
        asserted: those of them that no negation covers.
        denied: the ones denied by contrast, with the negation that denies each.
        clauses: its sentences.
        vocabulary: its words, case-folded, for names that stand in it without being read as such.
    """

    text: str
    facts: tuple[Fact, ...]
    asserted: tuple[Fact, ...]
    denied: tuple[tuple[Fact, Fact], ...]
    clauses: tuple[Clause, ...]
    vocabulary: frozenset[str]

    @classmethod
    def of(cls, text: str, facts_of: FactsOf, question: str = "") -> "Profile":
        """Return the profile of an answer; citation markers such as `[3]` and names of the question are left out."""
        ranges = claim_words(text)
        asked = frozenset(question[start:end].casefold() for start, end in claim_words(question))
        facts = [fact for fact in facts_of(text) if _overlaps(fact, ranges) and not _is_asked(fact, asked)]
        negations = [fact for fact in facts if fact.kind == "negation"]
        hard = [fact for fact in facts if fact.kind in _HARD]
        places = sentences(text)
        denied = [
            (fact, negation)
            for negation in negations
            for fact in _contrasted(negation, hard, next((p for p in places if _within(negation, p)), None))
        ]
        contrasts = {negation.start for _, negation in denied}
        left_out = {(fact.kind, fact.start) for fact, _ in denied}
        kept = tuple(fact for fact in hard if (fact.kind, fact.start) not in left_out)
        return cls(
            text=text,
            facts=kept,
            asserted=tuple(fact for fact in kept if not any(_covers(negation, fact) for negation in negations)),
            denied=tuple(denied),
            clauses=tuple(
                Clause(
                    start,
                    end,
                    _stems(text, [(a, b) for a, b in ranges if start <= a < end], negations),
                    tuple(n for n in negations if _within(n, (start, end)) and n.start not in contrasts),
                )
                for start, end in places
            ),
            vocabulary=frozenset(text[start:end].casefold() for start, end in ranges),
        )


def contradictions(first: Profile, second: Profile) -> tuple[Contradiction, ...]:
    """Return where two answers contradict each other, by position in the first; symmetric up to the order.

    Amounts are compared by value and dimension, dates by the parts that both give, names by their words. A negation
    counts where the sentence of the other answer that says most of the same has none, or where the other answer asserts
    the very fact that is denied.
    """
    found = [*_differing_facts(first, second), *_denials(first, second)]
    found += [Contradiction("negation", each.second, each.first) for each in _denials(second, first)]
    distinct = {(each.kind, each.first, each.second): each for each in found}
    return tuple(sorted(distinct.values(), key=lambda each: (each.first, each.second, each.kind)))


def _differing_facts(first: Profile, second: Profile) -> list[Contradiction]:
    ours, theirs = _unmatched(first, second), _unmatched(second, first)
    shared = any(agree(fact.value, other.value) for fact in first.facts for other in second.facts)
    found = []
    taken: set[int] = set()
    for fact in ours:
        candidates = [
            index
            for index, other in enumerate(theirs)
            if _same_kind(fact, other)
            and (fact.kind != "name" or not shared or _in_one_place(first, fact, second, other))
        ]
        if not candidates:
            continue
        # In text order as far as there are enough: the first differing length beside the first, and so on.
        choice = next((index for index in candidates if index not in taken), candidates[-1])
        taken.add(choice)
        other = theirs[choice]
        found.append(Contradiction(fact.kind, (fact.start, fact.end), (other.start, other.end)))
    return found


def _unmatched(profile: Profile, other: Profile) -> list[Fact]:
    """Return the facts of one answer that the other does not have."""
    return [
        fact
        for fact in profile.facts
        if not any(agree(fact.value, theirs.value) for theirs in other.facts)
        and not (isinstance(fact.value, Name) and other.vocabulary.issuperset(fact.value.words))
    ]


def _same_kind(fact: Fact, other: Fact) -> bool:
    return (fact.kind == "ordinal") == (other.kind == "ordinal") and comparable(fact.value, other.value)


def _in_one_place(first: Profile, fact: Fact, second: Profile, other: Fact) -> bool:
    """Return whether two names follow the same word («in Paris», «in Lyon»), or both begin a sentence.

    Other names are details that one answer gives and the other does not, as long as they agree in some fact.
    """
    return _word_before(first, fact) == _word_before(second, other)


def _word_before(profile: Profile, fact: Fact) -> str | None:
    clause = next((each for each in profile.clauses if each.start <= fact.start < each.end), None)
    if clause is None:
        return None
    before = profile.text[clause.start : fact.start]
    return next((before[start:end].casefold() for start, end in reversed(words(before))), None)


def _denials(first: Profile, second: Profile) -> list[Contradiction]:
    """Return what the first answer denies and the second says."""
    found = [
        Contradiction("negation", (negation.start, negation.end), (theirs.start, theirs.end))
        for fact, negation in first.denied
        if not any(agree(fact.value, ours.value) for ours in first.asserted)
        for theirs in second.asserted
        if agree(fact.value, theirs.value)
    ]
    for clause in first.clauses:
        if not clause.negations:
            continue
        counterparts = _counterparts(clause, first, second)
        if counterparts and not any(each.negations for each in counterparts):
            negation, other = clause.negations[0], counterparts[0]
            found.append(Contradiction("negation", (negation.start, negation.end), (other.start, other.end)))
    return found


def _counterparts(clause: Clause, first: Profile, second: Profile) -> list[Clause]:
    """Return the sentences of the second answer that say most of the same; none if it is silent about that."""
    if len(first.clauses) == len(second.clauses) == 1:
        return list(second.clauses)
    shared = [len(clause.stems & other.stems) for other in second.clauses]
    most = max(shared, default=0)
    return [other for other, count in zip(second.clauses, shared, strict=True) if count == most] if most else []


def _contrasted(negation: Fact, hard: Sequence[Fact], sentence: Range | None) -> list[Fact]:
    """Return the facts a negation denies in favour of another one: of «in Paris, not in Lyon» Lyon."""
    if sentence is None:
        return []
    inside = [fact for fact in hard if _covers(negation, fact)]
    outside = [fact for fact in hard if _within(fact, sentence) and not _covers(negation, fact)]
    return [fact for fact in inside if any(_same_kind(fact, other) for other in outside)]


def _covers(negation: Fact, fact: Fact) -> bool:
    assert isinstance(negation.value, Marker)
    scope = negation.value.scope
    return scope is not None and scope[0] <= fact.start and fact.end <= scope[1]


def _is_asked(fact: Fact, asked: frozenset[str]) -> bool:
    return isinstance(fact.value, Name) and asked.issuperset(fact.value.words)


def _within(fact: Fact, place: Range) -> bool:
    return place[0] <= fact.start < place[1]


def _overlaps(fact: Fact, ranges: Sequence[Range]) -> bool:
    return any(start < fact.end and fact.start < end for start, end in ranges)


def _stems(text: str, ranges: Sequence[Range], negations: Sequence[Fact]) -> frozenset[str]:
    """Return the first letters of the longer words, and every letter of scripts that write no spaces."""
    words = (
        text[start:end].casefold() for start, end in ranges if not any(n.start <= start < n.end for n in negations)
    )
    return frozenset(word[:_STEM] for word in words if len(word) >= _LEAST_WORD or _is_ideograph(word))


def _is_ideograph(word: str) -> bool:
    return len(word) == 1 and "\u3400" <= word <= "\u9fff"
