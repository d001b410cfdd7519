"""Markdown → plain text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ragcortex.geometry.document_html import html_text
from ragcortex.geometry.document_types import FileText
from ragcortex.geometry.document_writer import Break, TextWriter

if TYPE_CHECKING:
    from markdown_it.token import Token

_DEEPEST: Final = 100


def markdown_text(source: str) -> FileText:
    """Return the text of a Markdown file (CommonMark with tables and strikethrough) without its markup.

    Blocks are separated by a blank line; the items of a list and the rows of a table stand one a line, cells separated
    by ` | `, numbered items with their number. Words of links, code and descriptions of pictures are kept; addresses
    and link definitions are not. Blocks of HTML give their text. Metadata before the text stays, as text. NUL becomes
    U+FFFD, as CommonMark has it. A file nested too deeply to be parsed is kept as it is, with a note.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(source)
    except RecursionError:
        return _as_it_is(source)
    # Beyond its limit the parser leaves text out without a word.
    if any(token.level >= _DEEPEST - 2 for outer in tokens for token in (outer, *(outer.children or ()))):
        return _as_it_is(source)
    writer = TextWriter()
    for token in tokens:
        _take(token, writer)
    return FileText(writer.text())


def _as_it_is(source: str) -> FileText:
    return FileText(source, (f"was read as plain text: its Markdown is nested deeper than {_DEEPEST} levels",))


def _take(token: "Token", writer: TextWriter) -> None:
    """Write one token of the parser's flat stream."""
    kind = token.type
    if kind == "inline":
        text = _inline(token.children or ())
        writer.put(text.replace("\n", " ") if writer.in_row else text)
    elif kind in ("fence", "code_block"):
        _block(token.content.rstrip("\n"), writer)
    elif kind == "html_block":
        _block(html_text(token.content, title=False), writer)
    elif kind in ("ordered_list_open", "bullet_list_open"):
        start = token.attrGet("start")
        first = 1 if start is None else int(start)
        writer.open_list(first if kind == "ordered_list_open" else None)
    elif kind in ("ordered_list_close", "bullet_list_close"):
        writer.close_list()
    elif kind == "list_item_open":
        writer.item(mark=token.markup)
    elif kind == "tr_open":
        writer.open_row()
    elif kind == "tr_close":
        writer.close_row()
    elif kind in ("th_open", "td_open"):
        writer.cell()
    elif token.block and not kind.startswith(("thead", "tbody")):
        writer.part(Break.LINE if writer.numbers else Break.PARAGRAPH)


def _block(text: str, writer: TextWriter) -> None:
    width = Break.LINE if writer.numbers else Break.PARAGRAPH
    writer.part(width)
    writer.put(text if text.strip() else "")
    writer.part(width)


def _inline(tokens: Iterable["Token"]) -> str:
    """Return the words of a paragraph; HTML tags within it are dropped, a forced line break is kept."""
    pieces = []
    for token in tokens:
        if token.type in ("text", "code_inline", "image", "text_special"):
            pieces.append(token.content if token.type != "image" else _inline(token.children or ()))
        elif token.type in ("softbreak", "hardbreak") or token.content.lower().startswith("<br"):
            pieces.append("\n")
    return "".join(pieces)
