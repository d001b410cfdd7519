"""Small wrong changes to one place of a grounded answer: names, numbers, dates, units, negation, antonyms, roles.

Every function takes the answer, the text of its references, texts of other sources, and a source of chance, and
returns the changed answer with exactly the changed piece as its span, or None where it finds nothing to change.
"""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

import regex

from ragcortex.align import sentences
from ragcortex.datasets.draft import Draft
from ragcortex.datasets.entities import Mention, names, numbers
from ragcortex.datasets.lexicon import (
    ANTONYMS,
    AUXILIARIES,
    MONTHS,
    ONLY_WORDS,
    SUBORDINATORS,
    UNIT_SWAPS,
    WEEKDAYS,
)
from ragcortex.datasets.word_diff import changed_spans

Edit = Callable[[str, str, Sequence[str], random.Random], Draft | None]

_NOT = regex.compile(rf"\b(?P<auxiliary>{'|'.join(AUXILIARIES)}) not (?=\p{{Ll}})")
_AUXILIARY = regex.compile(rf"\b(?:{'|'.join(AUXILIARIES)})(?= \p{{Ll}}+\b)(?! not\b| to\b| no\b)")
# Auxiliaries after which "not" reads well whatever follows, unlike the main verbs "has" or "did".
_NEGATABLE = frozenset(["is", "are", "was", "were", "can", "could", "will", "would", "should", "must", "may", "might"])
_CONDITION = regex.compile(rf",? (?:{'|'.join(SUBORDINATORS)}) [^.;:,\n()]{{8,90}}(?=\.)")
_ONLY = regex.compile(rf" (?:{'|'.join(ONLY_WORDS)})(?= \w)")
_JOINED = frozenset(["and", "or", "nor", "with", "between", "versus", "vs"])
_SYMMETRIC = regex.compile(r"\b(?:married|met|divorced|between|both|also known|same|or)\b")
_VERBS = frozenset(
    [
        "won",
        "beat",
        "wrote",
        "became",
        "led",
        "left",
        "made",
        "took",
        "gave",
        "sent",
        "met",
        "saw",
        "told",
        "said",
        "sold",
        "bought",
    ]
)
_SAME_REFERENCE_RATE = 0.6


def swap_entity(answer: str, references: str, others: Sequence[str], rng: random.Random) -> Draft | None:
    """Replace a name by another of its kind, mostly one of the same references."""
    mentions = names(answer)
    rng.shuffle(mentions)
    own, foreign = names(references), [mention for text in others for mention in names(text)]
    for mention in mentions:
        groups = [own, foreign] if rng.random() < _SAME_REFERENCE_RATE else [foreign, own]
        if mention.kind in {"name", "acronym"}:  # too wide a kind to take from another subject
            groups = [own]
        for group in groups:
            fitting = sorted({other.text for other in group if _can_replace(other, mention, answer, references)})
            if fitting:
                return _put(answer, mention, rng.choice(fitting))
    return None


def _can_replace(other: Mention, mention: Mention, answer: str, references: str) -> bool:
    """Return whether the names differ, are of one kind, read the same with "a" or "an", and hide no alias."""
    if other.kind != mention.kind or set(other.text.casefold().split()) & set(mention.text.casefold().split()):
        return False
    article = answer[max(0, mention.start - 3) : mention.start].endswith(("a ", "an "))
    if article and (other.text[0] in "AEIOU") != (mention.text[0] in "AEIOU"):
        return False
    # "Robert (Bob)" and "Robert, also called Bob" name one thing.
    first, last = sorted((mention.text, other.text), key=references.find)
    gap = references[references.find(first) + len(first) : references.find(last)] if first in references else ""
    return other.text not in _sentence_around(answer, mention) and not (0 < len(gap) < 25 and last in references)


def _sentence_around(answer: str, mention: Mention) -> str:
    return next((answer[s:e] for s, e in sentences(answer) if s <= mention.start < e), answer)


def _put(answer: str, mention: Mention, text: str) -> Draft:
    return Draft(answer).replaced(mention.start, mention.end, text, [(0, len(text))])


def change_number(answer: str, references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Replace a number that is not a year by another of its form that the references do not give there."""
    mentions = [mention for mention in numbers(answer) if mention.kind != "year"]
    known = {mention.text for mention in numbers(references)} | {mention.text for mention in numbers(answer)}
    rng.shuffle(mentions)
    for mention in mentions:
        same_form = sorted(
            {
                other.text
                for other in numbers(references)
                if other.kind == mention.kind and other.text != mention.text and _similar(other.text, mention.text)
            }
        )
        if same_form and rng.random() < 0.4:
            return _put(answer, mention, rng.choice(same_form))
        for _ in range(8):
            text = _perturbed(mention.text, rng)
            if text not in known:
                return _put(answer, mention, text)
    return None


def _similar(first: str, second: str) -> bool:
    return 0.2 < (float(first.replace(",", "")) + 1) / (float(second.replace(",", "")) + 1) < 5


def _perturbed(digits: str, rng: random.Random) -> str:
    """Return a number of the same form: as many decimals, grouped alike, rounded alike."""
    decimals = len(digits.partition(".")[2])
    value = float(digits.replace(",", ""))
    if decimals:
        text = f"{value * rng.choice((0.6, 0.75, 1.3, 1.5, 2.0)) + 10**-decimals:.{decimals}f}"
        return f"{float(text):,.{decimals}f}" if "," in digits else text
    whole = int(value)
    if whole <= 20:
        changed = max(1, whole + rng.choice((-3, -2, -1, 1, 2, 3, 4)))
    else:
        step = 10 ** (len(str(whole)) - len(str(whole).rstrip("0")))
        changed = max(step, round(whole * rng.choice((0.5, 0.7, 0.8, 1.2, 1.3, 1.5, 2.0)) / step) * step)
    return f"{changed:,}" if "," in digits or (changed >= 10_000 and whole >= 1_000) else str(changed)


def change_date(answer: str, references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Replace a year, a month or a weekday by another one."""
    years = [mention for mention in numbers(answer) if mention.kind == "year"]
    calendar = [
        Mention(match.start(), match.end(), match[0], "calendar")
        for match in regex.finditer(rf"\b(?:{'|'.join((*MONTHS, *WEEKDAYS))})\b(?! \p{{Lu}})", answer)
        if match[0] not in {"May", "March"} or regex.match(r" \d", answer[match.end() :])
    ]
    mentions = years + calendar
    if not mentions:
        return None
    mention = rng.choice(mentions)
    if mention.kind == "calendar":
        family = MONTHS if mention.text in MONTHS else WEEKDAYS
        return _put(answer, mention, rng.choice([word for word in family if word != mention.text]))
    given = {other.text for other in numbers(answer) if other.kind == "year"}
    confused = sorted({other.text for other in numbers(references) if other.kind == "year"} - given)
    if confused and rng.random() < 0.5:
        return _put(answer, mention, rng.choice(confused))
    step = rng.choice((-20, -11, -10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10, 12))
    return _put(answer, mention, str(int(mention.text) + step))


def change_unit(answer: str, _references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Replace the unit or the magnitude word behind a number."""
    return _swapped(answer, UNIT_SWAPS, rng, before=r"(?<=\d )")


def swap_antonym(answer: str, _references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Replace a word by its opposite, or a quantifier by another one."""
    return _swapped(answer, ANTONYMS, rng)


def _swapped(answer: str, pairs: Sequence[tuple[str, str]], rng: random.Random, before: str = r"\b") -> Draft | None:
    both = [*pairs, *((second, first) for first, second in pairs)]
    found = [
        (match.span(), new)
        for old, new in both
        for match in regex.finditer(rf"{before}{regex.escape(old)}\b(?![-'’])", answer)
        if answer[max(0, match.start() - 1) : match.start()] not in {"-", "'", "’"}
    ]
    if not found:
        return None
    (start, end), new = rng.choice(sorted(found))
    return Draft(answer).replaced(start, end, new, [(0, len(new))])


def flip_negation(answer: str, _references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Take a "not" away, or put one behind an auxiliary verb."""
    negated = list(_NOT.finditer(answer))
    if negated and rng.random() < 0.7:
        match = rng.choice(negated)
        return _without(answer, match.end("auxiliary"), match.end() - 1)
    plain = [match for match in _AUXILIARY.finditer(answer) if match[0] in _NEGATABLE]
    if not plain:
        return None
    match = rng.choice(plain)
    return Draft(answer).replaced(match.end(), match.end(), " not", [(1, 4)])


def drop_condition(answer: str, _references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Leave out a condition ("unless …", "if …") at the end of a sentence, or a limiting "only" or "at least"."""
    found = [*_CONDITION.finditer(answer), *_ONLY.finditer(answer)]
    if not found:
        return None
    match = rng.choice(found)
    return _without(answer, *match.span())


def _without(answer: str, start: int, end: int) -> Draft | None:
    edited = answer[:start] + answer[end:]
    spans = changed_spans(answer, edited)
    return Draft(edited, spans) if spans else None


def swap_roles(answer: str, _references: str, _others: Sequence[str], rng: random.Random) -> Draft | None:
    """Exchange two names of one kind in a sentence that have a verb between them."""
    pairs: list[tuple[Mention, Mention]] = []
    mentions = names(answer)
    for start, end in sentences(answer):
        inside = [mention for mention in mentions if start <= mention.start < end]
        for first, second in pairwise(inside):
            between = answer[first.end : second.start].split()
            alike = first.kind == second.kind and first.text != second.text
            has_verb = any(word in AUXILIARIES or word in _VERBS or word.endswith("ed") for word in between)
            joined = bool(_JOINED & set(between)) or _SYMMETRIC.search(answer[first.end : second.start])
            if alike and has_verb and not joined:
                pairs.append((first, second))
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    draft = Draft(answer).replaced(second.start, second.end, first.text, [(0, len(first.text))])
    return draft.replaced(first.start, first.end, second.text, [(0, len(second.text))])


EDITS: dict[str, Edit] = {
    "entity": swap_entity,
    "number": change_number,
    "date": change_date,
    "unit": change_unit,
    "negation": flip_negation,
    "antonym": swap_antonym,
    "condition": drop_condition,
    "role": swap_roles,
}
