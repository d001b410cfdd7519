"""The pages of the documentation in parts: their fenced blocks, and what is said of each in a comment above it.

    <!-- skip: REASON -->      the block is shown and not run
    <!-- background -->        it runs until the page ends: `ragcortex serve`

A block with a title is a file that the reader saves. A `text` block behind one that runs shows what that prints; a line
`…` stands for any number of lines.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(?P<language>[a-z]*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.DOTALL | re.M)
_SAID = re.compile(r"<!-- (?P<said>[^>]*) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, and the line that it begins in."""

    page: str
    language: str
    title: str | None
    text: str
    said: str | None
    line: int

    @property
    def skip_reason(self) -> str | None:
        """Why it is not run; None where it is."""
        return self.said.removeprefix("skip:").strip() if self.said and self.said.startswith("skip:") else None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def pages(*, of_results: bool = False) -> list[str]:
    """Return the names of all pages, those with results on request."""
    names = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    return sorted(name for name in names if of_results or not name.startswith("results/") or name.endswith("index.md"))


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[Block]:
    text = text_of(page)
    for found in _FENCE.finditer(text):
        said = _SAID.search(text, 0, found.start())
        yield Block(
            page,
            found["language"],
            found["title"],
            found["text"],
            said["said"] if said else None,
            text.count("\n", 0, found.start()) + 1,
        )


def saved(page: str, title: str) -> str:
    """Return the file that a page has its reader save."""
    (found,) = (block.text for block in blocks(page) if block.title == title)
    return found
