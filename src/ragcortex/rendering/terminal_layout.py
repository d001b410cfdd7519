"""What a printed report holds, from the question down to the notes. Imports rich, so only printing imports this."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ragcortex.rendering.explanations import (
    ASCII_SIGNS,
    EVIDENCE_ROOM,
    SOURCE_ROOM,
    Fragment,
    Signs,
    evidence_fragments,
    explain_contributions,
    explain_reasons,
    has_contributions,
    name_evidence,
)
from ragcortex.rendering.inert import inert, inert_line
from ragcortex.rendering.words import (
    CONTRIBUTIONS,
    NO_CONTRIBUTIONS,
    STATES,
    VERDICTS,
    explain_spans,
    explain_verdict,
    name_detector,
    name_models,
    name_reference,
    needs_explaining,
    number,
    shown_score,
)
from ragcortex.report import FlaggedSpan, Report, SentenceScore

_NARROW: Final = 64
_BAR_CELLS: Final = 8
_LEAD: Final = 16
# The first pair that the answer does not hold itself, so that no answer can fake or hide a mark.
_BRACKETS: Final = (("⟦", "⟧"), ("[[", "]]"), ("{{", "}}"), (">>>", "<<<"), ("<unsupported>", "</unsupported>"))
_STYLES: Final = {
    "grounded": "bold green",
    "review": "bold yellow",
    "hallucinated": "bold red",
    "supported": "green",
    "contradicted": "red",
    "unsupported": "red",
}
_MARK: Final = "bold underline red"
_INDENT: Final = (0, 0, 0, 5)


class TerminalLayout:
    """The renderables of one report, for a number of columns.

    Args:
        report: what to show.
        width: the columns there are.
        color: mark by colour and underlining; without it, in brackets.
        unicode: use block characters and `⟦⟧` rather than ASCII for our own signs.
        explain: show the sources of supported sentences, and what each signal contributes.
    """

    def __init__(self, report: Report, *, width: int, color: bool, unicode: bool, explain: bool) -> None:
        self.report = report
        self.width = width
        self.color = color
        self.unicode = unicode
        self.explain = explain
        self.signs = Signs() if unicode else ASCII_SIGNS
        self.dash = "–" if unicode else "-"
        usable = _BRACKETS if unicode else _BRACKETS[1:]
        free = (pair for pair in usable if not any(sign in report.answer for sign in pair))
        self.opening, self.closing = ("", "") if color else next(free, usable[-1])

    def parts(self) -> Iterator[RenderableType]:
        """Yield the sections from top to bottom."""
        report = self.report
        if report.question is not None:
            yield from _section("Question", [Text(_lines(report.question), overflow="fold")])
        answer = self._marked(0, len(report.answer), one_line=False) if report.answer else Text("(empty)", style="dim")
        yield from _section("Answer", [answer])
        if report.sentences:
            yield from _section("Sentences", [self._sentence(sentence) for sentence in report.sentences])
        explained = [span for span in report.spans if needs_explaining(span, explain=self.explain)]
        if explained:
            yield from _section("Why", [self._span(span) for span in explained])
        yield from self._verdict()
        yield self._footer()

    def _marked(self, start: int, end: int, *, one_line: bool) -> Text:
        """Return a stretch of the answer, inert, with what is marked in it in colour or brackets."""
        show = _spaced if one_line else _lines
        text = Text(overflow="fold")
        position = start
        for span in self.report.spans:
            first, last = max(span.start, start), min(span.end, end)
            if first < last:
                text.append(show(self.report.answer[position:first]))
                text.append(self.opening)
                text.append(show(self.report.answer[first:last]), style=_MARK if self.color else "")
                text.append(self.closing)
                position = last
        return text.append(show(self.report.answer[position:end]))

    def _sentence(self, sentence: SentenceScore) -> RenderableType:
        row = self._sentence_row(sentence)
        if not self.explain:
            return row
        sources = sentence.evidence if sentence.state == "supported" else ()
        shown = [
            self._evidence(name_reference(one), evidence_fragments(one, (), SOURCE_ROOM, self.signs)) for one in sources
        ]
        return Group(row, *shown, *self._contributions(sentence))

    def _sentence_row(self, sentence: SentenceScore) -> RenderableType:
        color = _STYLES.get(sentence.state, "dim")
        shown = f"  {self.dash} " if sentence.score is None else number(sentence.score)
        width = max(len(STATES[other.state]) for other in self.report.sentences)
        head = Text(f"{shown} {self._bar(sentence.score)} {STATES[sentence.state]:<{width}}", style=color)
        if self.width < _NARROW:
            return Group(head, Padding(self._marked(sentence.start, sentence.end, one_line=True), (0, 0, 0, 2)))
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_row(head, self._excerpt(sentence, self.width - 2 - head.cell_len - 2))
        return row

    def _excerpt(self, sentence: SentenceScore, width: int) -> Text:
        """Return the sentence on one line of `width` cells, cut visibly, and so that what is marked first is seen."""
        text = self._marked(sentence.start, sentence.end, one_line=True)
        if text.cell_len <= width:
            return text
        start = sentence.start
        marked = next((span for span in self.report.spans if sentence.start <= span.start < sentence.end), None)
        if marked is not None:
            before = self.report.answer[sentence.start : marked.start]
            needed = cell_len(_spaced(before)) + min(cell_len(_spaced(marked.text)), width - _LEAD) + 4
            if needed > width:
                start = marked.start - len(_last_words(before, _LEAD))
        text = self._marked(start, sentence.end, one_line=True)
        if start > sentence.start:
            text = Text(self.signs.ellipsis + " ").append_text(text)
        return self._cut(text, width)

    def _cut(self, text: Text, width: int) -> Text:
        """Return the text in `width` cells, ending in an ellipsis if it was longer, with its bracket closed."""
        if text.cell_len <= width:
            return text
        ellipsis = self.signs.ellipsis
        for room in (width - len(ellipsis), width - len(ellipsis) - len(self.closing)):
            cut = text.copy()
            cut.truncate(room, overflow="crop")
            cut.rstrip()
            is_open = bool(self.opening) and cut.plain.rfind(self.opening) > cut.plain.rfind(self.closing)
            if not is_open:
                return cut.append(ellipsis)
        return cut.append(ellipsis + self.closing)

    def _bar(self, score: float | None) -> str:
        full, empty = ("█", "░") if self.unicode else ("#", ".")
        cells = 0 if score is None else round(score * _BAR_CELLS)
        return " " * _BAR_CELLS if score is None else full * cells + empty * (_BAR_CELLS - cells)

    def _span(self, span: FlaggedSpan) -> RenderableType:
        quoted = self._cut(self._marked(span.start, span.end, one_line=True), max(self.width - 9, 12))
        reasons = Text(explain_reasons(self.report, span, self.signs), overflow="fold")
        shown = [
            self._evidence(
                name_evidence(self.report, span, one),
                evidence_fragments(one, span.differences, EVIDENCE_ROOM, self.signs),
            )
            for one in span.evidence
        ]
        head = Text(f"{number(span.score)} ").append_text(quoted)
        return Group(head, Padding(reasons, _INDENT), *shown, *(self._contributions(span) if self.explain else ()))

    def _evidence(self, name: str, fragments: Sequence[Fragment]) -> RenderableType:
        """Return a text of a reference with its source, the pieces that differ in bold."""
        text = Text(f"{inert_line(name)}: ", style="dim", overflow="fold")
        for fragment in fragments:
            text.append(_spaced(fragment.text), style="not dim bold" if fragment.is_piece else "not dim")
        return Padding(text, _INDENT)

    def _contributions(self, part: FlaggedSpan | SentenceScore) -> Iterator[RenderableType]:
        if part.contributions:
            shown = explain_contributions(part.contributions, self.signs)
            yield Padding(Text(shown, style="dim", overflow="fold"), _INDENT)

    def _verdict(self) -> Iterator[RenderableType]:
        report = self.report
        head = Text("Verdict: ", style="bold").append(VERDICTS[report.verdict], style=_STYLES.get(report.verdict, ""))
        if report.score is not None:
            head.append(f", score {shown_score(report)}", style="bold")
        yield head
        explained = [explain_verdict(report), explain_spans(report)]
        if report.spans and not self.color:
            explained[1] += f" They stand in {self.opening} {self.closing}."
        if self.explain and report.score is not None:
            explained.append(CONTRIBUTIONS if has_contributions(report) else NO_CONTRIBUTIONS)
        for sentence in filter(None, explained):
            yield Padding(Text(sentence), (0, 0, 0, 2))
        yield ""

    def _footer(self) -> RenderableType:
        rows = [
            ("Detector", name_detector(self.report)),
            *name_models(self.report, self.signs.ellipsis),
        ]
        rows += [("Note", note.text) for note in self.report.notes]
        footer = Table.grid(padding=(0, 1, 0, 0))
        footer.add_column(style="dim", no_wrap=True)
        footer.add_column(overflow="fold")
        for name, value in rows:
            footer.add_row(Text(name), Text(inert_line(value)))
        return footer


def _section(title: str, parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text(title, style="bold")
    for part in parts:
        yield Padding(part, (0, 0, 0, 2))
    yield ""


def _lines(text: str) -> str:
    return inert(text).replace("\t", "    ")


def _spaced(text: str) -> str:
    """Return the inert text on one line, its edges kept, since it is a piece of a sentence."""
    return re.sub(r"\s+", " ", inert(text))


def _last_words(text: str, length: int) -> str:
    """Return the end of the text, about `length` characters, from the start of a word where there are spaces."""
    tail = text[-length:]
    _, space, words = tail.partition(" ")
    return words if space and words.strip() else tail
