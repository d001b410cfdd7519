"""An answer in the making: text and its hallucinated spans, changed together so that offsets stay exact."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragcortex.errors import InputError
from ragcortex.example import Span


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer and its hallucinated spans, in order and disjoint.

    Raises:
        InputError: a span lies outside the answer, or spans overlap or are out of order.
    """

    answer: str
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        reached = 0
        for index, span in enumerate(self.spans):
            if span.start < reached or span.end > len(self.answer):
                raise InputError(
                    f"spans[{index}]",
                    f"must follow the previous span and lie within {len(self.answer)} characters,"
                    f" got {span.start}..{span.end}",
                )
            reached = span.end

    def replaced(self, start: int, end: int, text: str, marks: Iterable[tuple[int, int]] = ()) -> "Draft":
        """Return the draft with `answer[start:end]` replaced by `text`, in which `marks` are hallucinated.

        Spans before the cut stay, spans behind it move along, and spans around an insertion grow with it.

        >>> Draft("In Paris.", ()).replaced(3, 8, "Rome", [(0, 4)])
        Draft(answer='In Rome.', spans=(Span(start=3, end=7),))

        Raises:
            InputError: the range cuts an existing span in two, or is not within the answer.
        """
        if not 0 <= start <= end <= len(self.answer):
            raise InputError("start", f"must satisfy 0 <= start <= end <= {len(self.answer)}, got {start}..{end}")
        shift = len(text) - (end - start)
        spans: list[Span] = []
        inner = [Span(start + first, start + last) for first, last in marks]
        for span in self.spans:
            if span.end <= start:
                spans.append(span)
            elif span.start >= end:
                spans.append(Span(span.start + shift, span.end + shift))
            elif span.start <= start and span.end >= end:
                spans.append(Span(span.start, span.end + shift))
                inner = []
            else:
                raise InputError("start", f"{start}..{end} cuts the span {span.start}..{span.end} in two")
        answer = self.answer[:start] + text + self.answer[end:]
        return Draft(answer, tuple(sorted([*spans, *inner], key=lambda span: span.start)))
