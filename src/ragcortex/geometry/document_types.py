"""What reading source files gives: documents, and a record of everything that could not be read."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_position, check_text
from ragcortex.errors import InputError

UnreadableReason = Literal["hidden", "link", "ending", "size", "damaged", "row", "empty", "repeated"]
UNREADABLE_REASONS: Final[tuple[str, ...]] = get_args(UnreadableReason)


@dataclass(frozen=True, slots=True)
class Document:
    """One source text; every offset into it counts characters of exactly `text`.

    Attributes:
        id: unique among the documents read together: the row's own id, `folder/name.ext` relative to the folder that
            was given, with `#row` for a row without an id.
        text: the text, with at least one character that is not white space.
        source: where a person finds it: the row's own `source`, else the file, as in `id`.
        notes: how it was read where that was not plain: a guessed encoding, pages without text, repairs.
        page_starts: offset at which each page begins, ascending from 0; () for a text without pages. A page without
            text begins where the next one does.

    Raises:
        InputError: a field has the wrong type or is out of range.
    """

    id: str
    text: str
    source: str | None = None
    notes: tuple[str, ...] = ()
    page_starts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_text("id", self.id, filled=True)
        check_text("text", self.text, filled=True)
        check_text("source", self.source, optional=True)
        if not isinstance(self.notes, tuple):
            raise InputError("notes", f"must be a tuple of strings, got {type(self.notes).__name__}")
        for index, note in enumerate(self.notes):
            check_text(f"notes[{index}]", note, filled=True)
        check_page_starts(self.page_starts, len(self.text))

    def page(self, offset: int) -> int | None:
        """Return the number of the page, from 1, on which the character at `offset` stands; None without pages.

        >>> Document("a.pdf", "one two", page_starts=(0, 4)).page(5)
        2

        Raises:
            InputError: the offset is not a position in the text.
        """
        check_position("offset", offset)
        if offset >= len(self.text):
            raise InputError("offset", f"must be below the text's length {len(self.text)}, got {offset}")
        return bisect_right(self.page_starts, offset) or None


def check_page_starts(page_starts: object, length: int) -> None:
    """Refuse what is not a tuple of ascending offsets from 0 to `length`, the first of them 0."""
    if not isinstance(page_starts, tuple):
        raise InputError("page_starts", f"must be a tuple of offsets, got {type(page_starts).__name__}")
    for index, start in enumerate(page_starts):
        check_position(f"page_starts[{index}]", start)
    if page_starts and (page_starts[0] != 0 or page_starts[-1] > length or list(page_starts) != sorted(page_starts)):
        raise InputError("page_starts", f"must ascend from 0 to at most the text's length {length}, got {page_starts}")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, row or page that gave no document, and why; whoever reads documents reports and counts these.

    Attributes:
        source: path of the file as it was given, followed by its path within a given folder.
        message: what is wrong and, where something can be done, what; a sentence that begins with its verb.
        reason: `hidden` (a name that begins with a dot), `link` (not followed), `ending` (no known kind of file),
            `size` (above the limit), `damaged` (cannot be opened or parsed, is encrypted), `row` (a row that cannot be
            used), `empty` (no text), `repeated` (a file, id or document that was read before).
        line: line of a JSONL file or number of the row of a JSON file, from 1; None for a whole file.
        field: the row's field, or `page n`; None for a whole file or row.
    """

    source: str
    message: str
    reason: UnreadableReason
    line: int | None = None
    field: str | None = None

    def __post_init__(self) -> None:
        check_text("source", self.source, filled=True)
        check_text("message", self.message, filled=True)
        check_known("reason", self.reason, UNREADABLE_REASONS)
        if self.line is not None:
            check_position("line", self.line)
        check_text("field", self.field, optional=True)

    def __str__(self) -> str:
        """Return one sentence for a person, such as `notes/rows.jsonl, line 3: text: is missing`."""
        place = self.source if self.line is None else f"{self.source}, line {self.line}"
        return f"{place}: {self.message}" if self.field is None else f"{place}: {self.field}: {self.message}"


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of one file that holds one document, before it has a name.

    Attributes:
        text: the text; may be blank.
        notes, page_starts: as in `Document`.
        page_problems: pages that could not be read, as number from 1 and message.
    """

    text: str
    notes: tuple[str, ...] = ()
    page_starts: tuple[int, ...] = ()
    page_problems: tuple[tuple[int, str], ...] = ()
