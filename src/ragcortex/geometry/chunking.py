"""Texts → chunks: by paragraph, then overlapping windows of whole sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from typing import Any, Final

import regex

from ragcortex.align import Range, paragraphs, sentences
from ragcortex.checks import check_text
from ragcortex.errors import InputError
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.chunk_cuts import Width, cut
from ragcortex.geometry.document_lines import goes_on

# Names the rules below in every corpus; changed with them, so that one chunked by other rules is not taken for ours.
_RULES: Final = "paragraphs-sentences-1"
# Paragraphs are looked for in stretches of about this many characters, so that memory does not grow with the text.
_STRETCH: Final = 100_000
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")
_HEADING_WIDTH: Final = 80
_SENTENCE_END = regex.compile(r"[.!…。！｡।॥؟۔;；,，][\"'”’»)\]）」』]*$")
_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")
_LINE_BREAK = regex.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Chunking:
    """How texts are divided; part of what identifies a corpus and its calibration.

    Widths count characters, where one of Han, kana, bopomofo or Hangul counts as `cjk_weight`: a chunk is at most 300
    characters of English or 150 of Chinese. A practitioner's report on geometric checks takes 150 to 300 characters for
    Chinese and as many words elsewhere; ours are shorter, because a sentence is compared with them and a chunk of
    several topics lies between all of them.

    Attributes:
        max_chars: the widest chunk, from 1 on.
        min_chars: a window below this takes in further sentences before it, so far as they fit; from 0 to `max_chars`.
            Paragraphs that are shorter stay chunks of their own.
        overlap: how many sentences a window repeats from the one before it, where they fit; 0 for none.
        cjk_weight: from 1 on.

    Raises:
        InputError: a field is no whole number or out of range.
    """

    max_chars: int = 300
    min_chars: int = 150
    overlap: int = 1
    cjk_weight: int = 2

    def __post_init__(self) -> None:
        lowest = {"max_chars": 1, "min_chars": 0, "overlap": 0, "cjk_weight": 1}
        for name, least in lowest.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(name, f"must be a whole number from {least} on, got {value!r}")
        if self.min_chars > self.max_chars:
            raise InputError("min_chars", f"must be at most max_chars={self.max_chars}, got {self.min_chars}")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the name of the rules as JSON values, the inverse of `from_dict`."""
        return {"rules": _RULES, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Chunking":
        """Return what `to_dict` gave.

        Raises:
            InputError: a field is unknown, missing or out of range, or the rules are not those of this version.
        """
        if not isinstance(values, Mapping):
            raise InputError("chunking", f"must be an object, got {type(values).__name__}")
        known = ["rules", *(field.name for field in fields(cls))]
        for name in values:
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
                raise InputError(f"chunking.{name}", f"is unknown; {hint}")
        for name in known:
            if name not in values:
                raise InputError(f"chunking.{name}", "is missing")
        if values["rules"] != _RULES:
            raise InputError(
                "chunking.rules",
                f"must be {_RULES!r}, got {values['rules']!r}: chunked by another version; build it anew",
            )
        try:
            return cls(**{name: values[name] for name in known[1:]})
        except InputError as error:
            raise InputError(f"chunking.{error.field}", error.message) from None


def chunk_text(text: str, reference: int, chunking: Chunking) -> tuple[Chunk, ...]:
    """Return the chunks of a text, in order; every character that is not white space lies in at least one.

    Each paragraph is divided on its own; headings and lines that introduce something stay with the paragraph after
    them. Within it, windows of whole sentences as wide as fits; lines of a list or table count as sentences, those of
    wrapped prose do not. A sentence wider than `max_chars` is cut into pieces of at most half of that, at clauses, else
    between words, and never inside a grapheme. No chunk is blank, lies within another one, or is wider than
    `max_chars`, except one that is a single grapheme.

    Args:
        text: the text; blank gives ().
        reference: position of the text among the documents or references.
        chunking: how to divide it.

    Raises:
        InputError: the text is not a string or has a lone surrogate.
    """
    check_text("text", text)
    chunks: list[Chunk] = []
    for start, body, end in _groups(text, chunking):
        for first, last in _windows(text[start:end], body - start, chunking):
            chunks.append(Chunk(reference, start + first, start + last, text[start + first : start + last]))
    return tuple(chunks)


def _groups(text: str, chunking: Chunking) -> Iterator[tuple[int, int, int]]:
    """Yield each paragraph with the headings before it: start, start of the paragraph itself, end."""
    start: int | None = None
    body = end = 0
    for body, end in _paragraphs(text):
        start = body if start is None else start
        if not _is_heading(text[body:end], chunking):
            yield start, body, end
            start = None
    if start is not None:
        yield start, body, end


def _paragraphs(text: str) -> Iterator[Range]:
    """Yield what `align.paragraphs` does, looking at one stretch of the text at a time."""
    start = 0
    while start < len(text):
        blank = _BLANK_LINE.search(text, start + _STRETCH)
        end = len(text) if blank is None else blank.end()
        for first, last in paragraphs(text[start:end]):
            yield start + first, start + last
        start = end


def _is_heading(paragraph: str, chunking: Chunking) -> bool:
    """Return whether a paragraph speaks of the one after it: a short line without an end, a question, or a «…:»."""
    if paragraph.endswith((":", "：")):
        return True
    if "\n" in paragraph or len(paragraph) > _HEADING_WIDTH or _SENTENCE_END.search(paragraph):
        return False
    width = Width(paragraph, chunking.cjk_weight)(0, len(paragraph))
    return width <= min(_HEADING_WIDTH, chunking.max_chars) and _WORDLIKE.search(paragraph) is not None


def _windows(text: str, body: int, chunking: Chunking) -> Iterator[Range]:
    """Yield overlapping windows of the sentences of one paragraph; `body` is where it begins after its headings."""
    width = Width(text, chunking.cjk_weight)
    units = _units(text, body, width, chunking)

    def fits(first: int, last: int) -> bool:
        return width(units[first][0], units[last][1]) <= chunking.max_chars

    following = earliest = 0  # the next sentence that is in no window, and the first one a window may begin with
    while following < len(units):
        start = last = following
        while start > max(earliest, following - chunking.overlap) and fits(start - 1, last):
            start -= 1
        while last + 1 < len(units) and fits(start, last + 1):
            last += 1
        while (
            chunking.overlap
            and start > earliest
            and width(units[start][0], units[last][1]) < chunking.min_chars
            and fits(start - 1, last)
        ):
            start -= 1
        yield units[start][0], units[last][1]
        earliest, following = start + 1, last + 1


def _units(text: str, body: int, width: Width, chunking: Chunking) -> list[Range]:
    """Return what windows are made of: sentences, with those that are too wide cut into pieces."""
    half = max(1, chunking.max_chars // 2)
    units: list[Range] = []
    for start, end in _unwrapped(text, sentences(text)):
        # The first sentence after headings is cut as well if it would leave them alone in a chunk.
        first = 0 < body <= start and units and units[-1][1] <= body and width(units[0][0], start) <= half
        if width(start, end) > chunking.max_chars or (first and width(units[0][0], end) > chunking.max_chars):
            units.extend(cut(text, start, end, half, width))
        else:
            units.append((start, end))
    return units


def _unwrapped(text: str, lines: tuple[Range, ...]) -> Iterator[Range]:
    """Join the parts of a sentence that wrapped lines divide, as sentences end with their lines."""
    if "\n" not in text:
        yield from lines
        return
    longest = max(len(line.strip()) for line in text.split("\n"))
    start: int | None = None
    for index, (first, end) in enumerate(lines):
        start = first if start is None else start
        if index + 1 == len(lines) or not _is_wrapped(text, end, lines[index + 1][0], longest):
            yield start, end
            start = None


def _is_wrapped(text: str, end: int, following: int, longest: int) -> bool:
    """Return whether one line break stands between a sentence that ends at `end` and the next, and it means nothing."""
    gap = text[end:following]
    if gap.count("\n") != 1 or not _LINE_BREAK.fullmatch(gap):
        return False
    line = text[text.rfind("\n", 0, end) + 1 : end].strip()
    line_end = text.find("\n", following)
    return goes_on(line, text[following : line_end if line_end >= 0 else len(text)].strip(), longest)
