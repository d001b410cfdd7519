"""What is said of a judged answer outside of a report: to its reader, to the model that wrote it, to a developer."""

from typing import Final

from ragcortex.rendering.explanations import Signs, explain_reasons
from ragcortex.rendering.inert import inert_line
from ragcortex.rendering.words import explain_verdict
from ragcortex.report import FlaggedSpan, Report

_DOUBTFUL: Final = "Note: the sources may not support this answer."
_UNCHECKED: Final = "Note: this answer could not be checked against the sources."
_NO_CLAIM: Final = "Note: this answer states nothing that sources could support."
_MOST_SPANS: Final = 5
_MOST_CHARACTERS: Final = 200
_SIGNS: Final = Signs()


def annotated(report: Report, marks: tuple[str, str]) -> str:
    """Return the answer with its unsupported passages between marks, and a line below that says what is wrong."""
    opening, closing = marks
    pieces, reached = [], 0
    for span in report.spans:
        pieces += [report.answer[reached : span.start], opening, span.text, closing]
        reached = span.end
    text = "".join([*pieces, report.answer[reached:]])
    line = f"{opening} {closing} marks what the sources do not support." if report.spans else _note(report)
    return f"{text.rstrip()}\n\n{line}" if line else text


def hint(report: Report) -> str:
    """Return what to tell the model that wrote an answer: what of it is unsupported, and what the sources say there."""
    if report.verdict == "not_verifiable":
        return "Your previous answer could not be checked against the sources. Answer from the sources alone."
    if report.verdict == "no_claim":
        return "Your previous answer stated nothing. Answer from the sources, or say that they do not have the answer."
    passages = [_quoted(span.text) + _around(report, span) + _otherwise(span) for span in report.spans[:_MOST_SPANS]]
    what = "Your previous answer is not well supported by the sources."
    if passages:
        what = f"The sources do not support these passages of your previous answer: {'; '.join(passages)}."
    return f"{what} Write the answer anew from the sources alone, and leave out what they do not say."


def feedback(report: Report) -> str:
    """Return the verdict in a sentence, the first unsupported passages with the reasons, and what notes say."""
    parts = [explain_verdict(report)]
    parts += [f"{_quoted(span.text)}: {explain_reasons(report, span, _SIGNS)}." for span in report.spans[:_MOST_SPANS]]
    if len(report.spans) > _MOST_SPANS:
        parts.append(f"{len(report.spans) - _MOST_SPANS} more passages are marked.")
    return " ".join([*parts, *(note.text for note in report.notes)])


def _note(report: Report) -> str:
    if report.verdict == "not_verifiable":
        return _UNCHECKED
    if report.verdict == "no_claim":
        return _NO_CLAIM
    return "" if report.verdict == "grounded" else _DOUBTFUL


def _around(report: Report, span: FlaggedSpan) -> str:
    """Return the sentence that a few words stand in, which alone do not say where they are."""
    sentence = next((one for one in report.sentences if one.start <= span.start and span.end <= one.end), None)
    if sentence is None or len(sentence.text) < 2 * len(span.text):
        return ""
    return f" in {_quoted(sentence.text)}"


def _otherwise(span: FlaggedSpan) -> str:
    said = dict.fromkeys(_quoted(one.evidence.text) for one in span.differences)
    return f" (they say {', '.join(said)})" if said else ""


def _quoted(text: str) -> str:
    line = inert_line(text)
    if len(line) > _MOST_CHARACTERS:
        line = line[:_MOST_CHARACTERS].rstrip() + _SIGNS.ellipsis
    return f"{_SIGNS.opening}{line}{_SIGNS.closing}"
