"""HTML → plain text. Parsed by selectolax (Lexbor): as browsers do, at their speed, with no dependency of its own.

Beautiful Soup, the other candidate, is as well kept, but its parser in pure Python is no HTML5 parser (it leaves out
implied tags, so that cells and paragraphs run together) and takes many times as long.
"""

from typing import TYPE_CHECKING, Final

import regex

from ragcortex.errors import InputError
from ragcortex.geometry.document_text import decode
from ragcortex.geometry.document_types import FileText
from ragcortex.geometry.document_writer import Break, TextWriter

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_LEFT_OUT: Final = _names(
    "script style template nav svg iframe noscript object embed applet audio video canvas rt rp head"
)
_PARAGRAPHS: Final = _names(
    "p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre div section article header footer main aside figure form "
    "fieldset details hr address center nav td th"
)
_LINES: Final = _names("dt dd br caption figcaption summary option legend")
_VOID: Final = _names("area base br col embed hr img input link meta param source track wbr")
# Closed by what follows them, so that many in a row are no sign of depth.
_UNNESTED: Final = _VOID | _names("p li dt dd tr td th thead tbody tfoot colgroup option optgroup rt rp html head body")
_DEEPEST: Final = 5_000  # Lexbor's time grows with the square of the depth
_WHITE: Final = " \t\n\r\f"  # what HTML folds into one space; a no-break space is not among it
_FOLDED = regex.compile(rf"[{_WHITE}]+")
_RAISED = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_POWER = regex.compile(r"[+\-−]?(?:\d+|n)")
_CHARSET = regex.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.\-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.\-]+)""", regex.I
)
_CLOSED = regex.compile(r"""<([A-Za-z][\w:\-]*)((?:[^<>"'/]|"[^"<]*"|'[^'<]*'|/(?!>))*+)/>""")
_TAG = regex.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")


def html_file_text(raw: bytes, *, xhtml: bool = False) -> FileText:
    """Return the text of an HTML file: its title, then what `html_text` finds in its body.

    The encoding is that of a byte-order mark, UTF-8, or what the page declares; see `decode`.

    Args:
        raw: the whole file.
        xhtml: whether the file is XML, in which `<div/>` is an element without content.

    Raises:
        InputError: it is not text in any known encoding, or nested too deeply.
    """
    declared = _CHARSET.search(raw, 0, 4096)
    name = None if declared is None else (declared[1] or declared[2]).decode("ascii", errors="replace")
    decoded = decode(raw, name)
    source = decoded.text
    if xhtml or source.lstrip().startswith("<?xml"):
        source = _CLOSED.sub(_opened, source)
    return FileText(html_text(source), decoded.notes)


def _opened(match: "regex.Match[str]") -> str:
    name = match[1]
    return match[0] if name.lower() in _VOID else f"<{name}{match[2]}></{name}>"


def html_text(source: str, *, title: bool = True) -> str:
    """Return the text of HTML: blocks separated by a blank line, items of lists and rows of tables one a line.

    Cells are separated by ` | `, numbered items have their number, entities are characters, white space is folded
    outside `pre`, numbers raised by `sup` stay raised (10⁶, not 106), pictures give their description. Left out are
    scripts, styles, navigation (`nav`), drawings, embedded frames and media with the text for browsers that lack
    them, and the readings above words (`rt`). NUL is dropped, as HTML has it. Nothing is run or fetched.

    Args:
        source: a page or a piece of one.
        title: whether the page's title comes first, as a line of its own, unless the text begins with it anyway.

    Raises:
        InputError: elements are nested more than 5,000 deep, which no page for people is.
    """
    from selectolax.lexbor import LexborHTMLParser

    _check_depth(source)
    parser = LexborHTMLParser(source)
    writer = _Writer()
    root = parser.body or parser.root
    if root is not None:
        _walk(root, writer)
    text = writer.text()
    head = parser.css_first("head > title") if title else None
    name = "" if head is None else _FOLDED.sub(" ", head.text()).strip()
    if not name or text == name or text.startswith(f"{name}\n"):
        return text
    return f"{name}\n\n{text}" if text else name


def _check_depth(source: str) -> None:
    depth = 0
    for match in _TAG.finditer(source):
        if match[2].lower() not in _UNNESTED:
            depth = max(0, depth - 1) if match[1] else depth + 1
            if depth > _DEEPEST:
                raise InputError(
                    "file", f"has elements nested more than {_DEEPEST:,} deep, which no page for people has"
                )


class _Writer(TextWriter):
    """Writes text as HTML has it: white space folded outside `pre`."""

    def __init__(self) -> None:
        super().__init__()
        self.verbatim = 0  # above 0 in pre

    def words(self, text: str) -> None:
        """Add the text of one node."""
        if self.verbatim and not self.in_row:
            self.put(text)
            return
        if text[:1] in _WHITE:
            self.part(Break.SPACE)
        self.put(_FOLDED.sub(" ", text).strip(" "))
        if text[-1:] in _WHITE:
            self.part(Break.SPACE)

    def power(self, text: str) -> bool:
        """Add a raised number after a letter or digit; return whether it is one."""
        if not self.touches_word() or not _POWER.fullmatch(text):
            return False
        self.put(text.translate(_RAISED))
        return True


def _walk(root: "LexborNode", writer: _Writer) -> None:
    """Visit the elements in order without recursion, since pages may be nested deeper than Python's stack."""
    node: LexborNode | None = root
    while node is not None:
        child = node.first_child if _enter(node, writer) else None
        if child is not None:
            node = child
            continue
        while node is not None:
            _leave(node, writer)
            if node.mem_id == root.mem_id:
                return
            if node.next is not None:
                node = node.next
                break
            node = node.parent


def _enter(node: "LexborNode", writer: _Writer) -> bool:
    """Write what comes before the content of a node; return whether its content is to be visited."""
    tag = node.tag
    if tag == "-text":
        writer.words(node.text_content or "")
        return False
    if tag is None or tag in _LEFT_OUT or tag.startswith(("-", "!")):
        return False
    if tag == "sup" and writer.power(node.text().strip()):
        return False
    if tag == "tr":
        return _enter_row(node, writer)
    if tag == "ol":
        writer.open_list(_number(node, "start") or 1)
    elif tag == "ul":
        writer.open_list(None)
    elif tag == "li":
        writer.item(_number(node, "value"))
    elif tag in ("td", "th") and writer.in_row:
        writer.cell()
    elif tag == "img":
        writer.words(node.attributes.get("alt") or "")
    else:
        writer.verbatim += tag == "pre"
        writer.part(_break_around(tag, writer))
    return True


def _leave(node: "LexborNode", writer: _Writer) -> None:
    tag = node.tag or ""
    if tag in ("ol", "ul"):
        writer.close_list()
    elif tag == "tr":
        writer.close_row()
    elif tag not in ("td", "th") or not writer.in_row:
        writer.verbatim -= tag == "pre"
        writer.part(_break_around(tag, writer))


def _break_around(tag: str, writer: _Writer) -> Break:
    """Return the break before and after an element; in an item of a list a block begins a line and no paragraph."""
    if tag in _PARAGRAPHS:
        return Break.LINE if writer.numbers else Break.PARAGRAPH
    return Break.LINE if tag in _LINES else Break.NONE


def _enter_row(node: "LexborNode", writer: _Writer) -> bool:
    """Begin a row; one that holds a table is there for the layout, and its cells are blocks."""
    if not node.text().strip() and node.css_first("img") is None:
        return False
    if node.css_first("table") is None:
        writer.open_row()
    return True


def _number(node: "LexborNode", name: str) -> int | None:
    value = node.attributes.get(name) or ""
    return int(value) if regex.fullmatch(r"-?[0-9]{1,9}", value) else None
