"""The input of every check: a question, its references and the answer, with labels where there are any."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragcortex.checks import check_text
from ragcortex.errors import InputError


@dataclass(frozen=True, slots=True)
class Reference:
    """One retrieved passage; `id` and `source` are carried through to the report untouched."""

    text: str
    id: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        check_text("text", self.text)
        check_text("id", self.id, optional=True)
        check_text("source", self.source, optional=True)


@dataclass(frozen=True, slots=True)
class Span:
    """A hallucinated stretch of the answer: half-open character offsets, `0 <= start < end <= len(answer)`.

    `type` is the annotators' name for the kind of error, for breakdowns ("Evident Conflict", say); None if unknown.
    """

    start: int
    end: int
    type: str | None = None

    def __post_init__(self) -> None:
        check_text("type", self.type, optional=True)
        for name, value in (("start", self.start), ("end", self.end)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise InputError(name, f"must be a whole number of characters, got {value!r}")
        if not 0 <= self.start < self.end:
            raise InputError("start", f"must satisfy 0 <= start < end, got start={self.start}, end={self.end}")


@dataclass(frozen=True, slots=True)
class Example:
    """A question (or none), the references it was answered from, and the answer to be judged.

    Attributes:
        question: the user's question; None where there was none (a summary, say).
        references: the retrieved passages, in the order the generator saw them. May be empty.
        answer: the text to be judged; every offset in this package counts characters of exactly this string.
        id: the row's identifier, carried through.
        spans: the hallucinated stretches; None where they are not known, () where there are none.
        label: 1 if the answer contains a hallucination, 0 if not, None where it is not known.
        group: the source the example was made from; splits never separate rows of one group.
        generator: the model that wrote the answer, for breakdowns.
        task: the kind of task, for breakdowns.

    Raises:
        InputError: a field has the wrong type, a span lies outside the answer, or label and spans disagree.
    """

    question: str | None
    references: tuple[Reference, ...]
    answer: str
    id: str | None = None
    spans: tuple[Span, ...] | None = None
    label: int | None = None
    group: str | None = None
    generator: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        check_text("answer", self.answer)
        for name in ("question", "id", "group", "generator", "task"):
            check_text(name, getattr(self, name), optional=True)
        if not isinstance(self.references, tuple) or not all(isinstance(r, Reference) for r in self.references):
            raise InputError("references", "must be a tuple of Reference; Example.of accepts plain strings")
        if self.label not in (None, 0, 1) or isinstance(self.label, bool):
            raise InputError("label", f"must be 0, 1 or null, got {self.label!r}")
        for index, span in enumerate(self.spans or ()):
            if span.end > len(self.answer):
                raise InputError(
                    f"spans[{index}].end", f"must be at most the answer's length {len(self.answer)}, got {span.end}"
                )
        if self.label == 0 and self.spans:
            raise InputError("label", f"is 0 although {len(self.spans)} spans are marked as hallucinated")

    @property
    def answer_label(self) -> int | None:
        """1 if the answer contains a hallucination, 0 if not, None where neither label nor spans say."""
        if self.label is not None:
            return self.label
        return None if self.spans is None else int(bool(self.spans))

    @property
    def known_spans(self) -> tuple[Span, ...] | None:
        """The hallucinated stretches, () in a grounded answer, None where they are not known.

        An answer labelled hallucinated whose list of spans is empty says that its spans are not known.
        """
        if self.label == 0:
            return ()
        return None if self.label == 1 and not self.spans else self.spans

    @classmethod
    def of(
        cls, question: str | None, references: Sequence[str | Mapping[str, Any] | Reference], answer: str
    ) -> "Example":
        """Return an example from plain values, as a caller of `Detector.check` has them.

        >>> Example.of("Where?", ["In Paris."], "Paris.").references[0].text
        'In Paris.'
        """
        return cls(question=question, references=_references(references), answer=answer)

    @classmethod
    def from_row(cls, row: Mapping[str, Any], *, without_references: bool = False) -> "Example":
        """Return the example of one input row (a decoded JSON object).

        Reads `id, question, references, answer, spans, label, group`, and for breakdowns `generator` and `task`.
        `context` (one string) may stand for `references`, and `model` for `generator`, as in much public data.
        Other fields are ignored. `without_references` allows a row to have neither, since a corpus is asked.

        Raises:
            InputError: naming the field, what was expected and what was found.
        """
        if not isinstance(row, Mapping):
            raise InputError("row", f"must be a JSON object, got {type(row).__name__}")
        if "answer" not in row:
            raise InputError("answer", "is missing; every row needs the text to be judged")
        if "references" in row:
            references = _references(row["references"])
        elif "context" in row:
            references = _references([row["context"]])
        elif without_references:
            references = ()
        else:
            raise InputError("references", "is missing; give the retrieved passages as a list, [] if there were none")
        return cls(
            question=row.get("question"),
            references=references,
            answer=row["answer"],
            id=_identifier(row.get("id")),
            spans=_spans(row["spans"]) if row.get("spans") is not None else None,
            label=row.get("label"),
            group=row.get("group"),
            generator=row.get("generator", row.get("model")),
            task=row.get("task"),
        )


def _identifier(value: Any) -> Any:
    """Return a whole number as its text, since ids are strings here; anything else is judged by its class."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _references(values: object) -> tuple[Reference, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise InputError("references", f"must be a list of passages, got {type(values).__name__}")
    return tuple(_reference(value, index) for index, value in enumerate(values))


def _reference(value: object, index: int) -> Reference:
    if isinstance(value, Reference):
        return value
    if not isinstance(value, str | Mapping):
        raise InputError(f"references[{index}]", f"must be a string or an object with text, got {type(value).__name__}")
    if isinstance(value, Mapping) and "text" not in value:
        raise InputError(f"references[{index}].text", "is missing")
    try:
        if isinstance(value, str):
            return Reference(value)
        return Reference(value["text"], _identifier(value.get("id")), value.get("source"))
    except InputError as error:
        raise InputError(f"references[{index}].{error.field}", error.message) from None


def _spans(values: object) -> tuple[Span, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError("spans", f"must be a list of objects with start and end, got {type(values).__name__}")
    spans = []
    for index, value in enumerate(values):
        if not isinstance(value, Mapping) or "start" not in value or "end" not in value:
            raise InputError(f"spans[{index}]", "must be an object with start and end")
        try:
            spans.append(Span(value["start"], value["end"], value.get("type")))
        except InputError as error:
            raise InputError(f"spans[{index}].{error.field}", error.message) from None
    return tuple(spans)
