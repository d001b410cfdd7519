"""How an answer is laid out: prose or list, openers, connectives, and where another sentence can be put in."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ragcortex.align import sentences
from ragcortex.datasets.draft import Draft
from ragcortex.datasets.lexicon import STOPWORDS
from ragcortex.datasets.phrases import CONNECTIVES, LIST_INTROS, OPENERS
from ragcortex.datasets.text_pool import starts_with_pronoun

_ITEM = regex.compile(r"[ \t]*(?:(?P<number>\d{1,2})(?P<stop>[.)])|[-*•])[ \t]+")
_SENTENCE_END = regex.compile(r"[.!?][\"”')]*$")
_INTRODUCTION = regex.compile(
    r"(?:sure|certainly|of course|based on|according to|here (?:is|are)|here's|yes|no)\b", regex.I
)
_ANNOUNCEMENT = regex.compile(r"(?:sure|certainly|of course|here (?:is|are)|here's)\b", flags=regex.IGNORECASE)
_MIN_ITEM_WORDS = 5
_CONNECTIVE_RATE = 0.2


@dataclass(frozen=True, slots=True)
class Slot:
    """A place where a whole sentence can be inserted: its offset and what goes before and after the sentence."""

    offset: int
    before: str
    after: str
    is_item: bool = False


def is_introduction(sentence: str) -> bool:
    """Return whether a sentence only announces the answer ("Here is what the passages say:")."""
    return sentence.endswith(":") or (bool(_INTRODUCTION.match(sentence)) and len(sentence.split()) < 12)


def item_text(sentence: str) -> tuple[int, str]:
    """Return the length of a leading list marker and the sentence behind it."""
    match = _ITEM.match(sentence)
    length = match.end() if match else 0
    return length, sentence[length:]


def slots(answer: str) -> list[Slot]:
    """Return the places for one more sentence, in order: before the first, after each, and as list items."""
    found: list[Slot] = []
    ranges = sentences(answer)
    for index, (start, end) in enumerate(ranges):
        piece = answer[start:end]
        line_start = answer.rfind("\n", 0, start) + 1
        line_end = answer.find("\n", start)
        line_end = len(answer) if line_end < 0 else line_end
        marker = _ITEM.match(answer, line_start, line_end)
        if index == 0 and marker is None and not is_introduction(piece) and not starts_with_pronoun(piece):
            found.append(Slot(start, "", " "))
        if piece.endswith(":") or _ANNOUNCEMENT.match(piece):
            continue
        if marker is not None and not answer[end:line_end].strip():
            if len(piece.split()) < _MIN_ITEM_WORDS:
                continue
            found.append(Slot(end, "\n" + _next_marker(marker), "", is_item=True))
        elif _SENTENCE_END.search(piece):
            found.append(Slot(end, " ", ""))
    return found


def _next_marker(marker: "regex.Match[str]") -> str:
    text, number = str(marker[0]), marker["number"]
    return text if number is None else text.replace(number, str(int(number) + 1))


def insert_sentence(draft: Draft, sentence: str, rng: random.Random, *, marked: bool) -> Draft | None:
    """Return the draft with the sentence put in at a random place, or None if there is no place for one.

    Args:
        draft: the answer so far.
        sentence: the sentence with its final stop.
        rng: the source of chance.
        marked: whether the sentence is hallucinated; connectives and list markers are not part of the span.
    """
    leans = starts_with_pronoun(sentence)
    places = [slot for slot in slots(draft.answer) if _is_free(draft, slot.offset) and (slot.before or not leans)]
    if not places:
        return None
    slot = rng.choice(places)
    lead = slot.before
    if slot.before == " " and not leans and rng.random() < _CONNECTIVE_RATE and can_follow(sentence):
        lead += rng.choice(CONNECTIVES) + " "
        sentence = lower_first(sentence)
    if slot.is_item:
        draft = _renumbered(draft, slot.offset)
    inner = [(len(lead), len(lead) + len(sentence))] if marked else []
    return draft.replaced(slot.offset, slot.offset, lead + sentence + slot.after, inner)


def _is_free(draft: Draft, offset: int) -> bool:
    return not any(span.start < offset < span.end for span in draft.spans)


def _renumbered(draft: Draft, offset: int) -> Draft:
    """Return the draft with the numbers of the list items behind `offset`, up to the list's end, one higher."""
    numbers: list[tuple[int, int, int]] = []
    position = draft.answer.find("\n", offset) + 1
    expected: int | None = None
    while position > 0:
        match = _ITEM.match(draft.answer, position)
        if match is not None:
            if match["number"] is None or (expected is not None and int(match["number"]) != expected):
                break
            numbers.append((*match.span("number"), int(match["number"])))
            expected = int(match["number"]) + 1
        position = draft.answer.find("\n", position) + 1
    for start, end, number in reversed(numbers):
        draft = draft.replaced(start, end, str(number + 1))
    return draft


def lower_first(sentence: str) -> str:
    """Return the sentence with a small first letter if its first word is a function word and so not a name."""
    first = sentence.split(maxsplit=1)[0]
    return sentence[0].lower() + sentence[1:] if first.casefold() in STOPWORDS and first != "I" else sentence


def can_follow(sentence: str) -> bool:
    """Return whether the sentence reads well behind "Also,": its first word can be written small, or is a name."""
    first, *rest = sentence.split(maxsplit=2)
    return lower_first(sentence) != sentence or (bool(rest) and first[:1].isupper() and rest[0][:1].isupper())


def laid_out(pieces: Sequence[str], rng: random.Random) -> str:
    """Return the sentences as one answer: prose with or without opener and connectives, or a list with or without
    introduction.
    """
    style = rng.random()
    if style < 0.25 and len(pieces) > 2:
        numbered = rng.random() < 0.5
        items = [f"{index}. {piece}" if numbered else f"- {piece}" for index, piece in enumerate(pieces, start=1)]
        introduction = rng.choice(LIST_INTROS) + ("\n\n" if rng.random() < 0.6 else "\n")
        return introduction + "\n".join(items)
    parts = list(pieces)
    if rng.random() < 0.3 and can_follow(parts[0]):
        parts[0] = f"{rng.choice(OPENERS)} {lower_first(parts[0])}"
    for index in range(1, len(parts)):
        if rng.random() < _CONNECTIVE_RATE and not starts_with_pronoun(parts[index]) and can_follow(parts[index]):
            parts[index] = f"{rng.choice(CONNECTIVES)} {lower_first(parts[index])}"
    if len(parts) > 3 and rng.random() < 0.3:
        cut = rng.randrange(2, len(parts) - 1)
        return " ".join(parts[:cut]) + "\n\n" + " ".join(parts[cut:])
    return " ".join(parts)
