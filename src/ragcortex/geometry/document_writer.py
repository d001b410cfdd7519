"""Puts the pieces of a marked-up document together as plain text."""

from enum import IntEnum


class Break(IntEnum):
    """What stands between two pieces of text; the widest one asked for wins."""

    NONE = 0
    SPACE = 1
    LINE = 2
    PARAGRAPH = 3


_TEXT_OF_BREAK = ("", " ", "\n", "\n\n")


class TextWriter:
    """A text that grows piece by piece; breaks are written only between two pieces, never at an end.

    Attributes:
        numbers: the next number of each open list, outermost first; None for a list without numbers.
    """

    def __init__(self) -> None:
        self.numbers: list[int | None] = []
        self._pieces: list[str] = []
        self._break = Break.NONE
        self._after_number = False
        self._cells: int | None = None  # of the open row

    def text(self) -> str:
        """Return what was written."""
        return "".join(self._pieces)

    @property
    def in_row(self) -> bool:
        """Whether a table row is open, which no block or line breaks."""
        return self._cells is not None

    def part(self, width: Break) -> None:
        """Ask for a break before the next piece; within a row and after an item's number it is at most a space."""
        self._break = max(self._break, min(width, Break.SPACE) if self.in_row or self._after_number else width)

    def put(self, text: str) -> None:
        """Write a piece; nothing happens, also to the break, if it is empty."""
        if text:
            self._pieces.append(_TEXT_OF_BREAK[self._break] + text if self._pieces else text)
            self._break = Break.NONE
            self._after_number = False

    def touches_word(self) -> bool:
        """Return whether a piece put now follows a letter or digit immediately."""
        return not self._break and bool(self._pieces) and self._pieces[-1][-1].isalnum()

    def open_list(self, first: int | None) -> None:
        """Begin a list with its first number, None for one without numbers."""
        self.part(Break.LINE if self.numbers else Break.PARAGRAPH)
        self.numbers.append(first)

    def close_list(self) -> None:
        """End the innermost list."""
        self.numbers.pop()
        self._after_number = False
        self.part(Break.LINE if self.numbers else Break.PARAGRAPH)

    def item(self, number: int | None = None, mark: str = ".") -> None:
        """Begin an item of the innermost list on a line of its own, with `number` or the next one where it counts."""
        self._after_number = False
        self.part(Break.LINE)
        following = self.numbers[-1] if self.numbers else None
        if following is None:
            return
        following = following if number is None else number
        self.numbers[-1] = following + 1
        self.put(f"{following}{mark}")
        self.part(Break.SPACE)
        self._after_number = True

    def open_row(self) -> None:
        """Begin a row of a table on a line of its own."""
        self.part(Break.LINE)
        self._cells = 0

    def cell(self) -> None:
        """Begin a cell of the open row."""
        assert self._cells is not None
        self.part(Break.SPACE)
        if self._cells:
            self.put("|")
            self.part(Break.SPACE)
        self._cells += 1

    def close_row(self) -> None:
        """End the row."""
        self._cells = None
        self.part(Break.LINE)
