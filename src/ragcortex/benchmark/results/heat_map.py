"""Example answers with the token scores of several methods, as typed values and as examples.json."""

from dataclasses import dataclass
from typing import Any, Final

from ragcortex.benchmark.results.codec import from_document, to_values
from ragcortex.checks import check_parts, check_position, check_score, check_text
from ragcortex.errors import InputError

SCHEMA: Final = "ragcortex.examples/1"
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class HeatRow:
    """What one method says of an answer.

    Attributes:
        title: of the method.
        scores: one a token, in [0, 1], higher = more likely hallucinated; None where it scores no tokens.
        answer: its score of the whole answer, of any scale; None where it has none.
        reason: why there are no token scores; None where there are some.
    """

    title: str
    scores: tuple[float, ...] | None
    answer: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        check_text("title", self.title, filled=True)
        check_text("reason", self.reason, optional=True, filled=self.reason is not None)
        for index, score in enumerate(self.scores or ()):
            check_score(f"scores[{index}]", score)
        if (self.scores is None) == (self.reason is None):
            raise InputError("reason", "must be given exactly where there are no token scores")


@dataclass(frozen=True, slots=True)
class AnswerHeatMap:
    """One answer and what methods say of its tokens.

    Attributes:
        id: of the answer.
        question: that it answers; None where there is none.
        answer: the text.
        generator: who wrote it; None where it is not known.
        tokens: half-open character ranges into the answer, one a token.
        gold: ranges annotated as hallucinated; empty where nothing is; None where that is not known.
        rows: one a method.
        references: what it was to be answered from, in the generator's order; empty where there were none.
    """

    id: str
    question: str | None
    answer: str
    generator: str | None
    tokens: tuple[Range, ...]
    gold: tuple[Range, ...] | None
    rows: tuple[HeatRow, ...]
    references: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("id", self.id, filled=True)
        check_text("question", self.question, optional=True)
        check_text("answer", self.answer)
        check_text("generator", self.generator, optional=True)
        for name, ranges in (("tokens", self.tokens), ("gold", self.gold or ())):
            for index, (start, end) in enumerate(ranges):
                check_position(f"{name}[{index}][0]", start)
                check_position(f"{name}[{index}][1]", end)
                if not start <= end <= len(self.answer):
                    length = len(self.answer)
                    raise InputError(f"{name}[{index}]", f"must lie in the answer's 0..{length}, got {start}..{end}")
        check_parts("references", self.references, str)
        for index, reference in enumerate(self.references):
            check_text(f"references[{index}]", reference)
        check_parts("rows", self.rows, HeatRow)
        for index, row in enumerate(self.rows):
            if row.scores is not None and len(row.scores) != len(self.tokens):
                expected = f"must be one a token, {len(self.tokens)}, got {len(row.scores)}"
                raise InputError(f"rows[{index}].scores", expected)


@dataclass(frozen=True, slots=True)
class ExampleAnswers:
    """The answers of a page of heat-maps.

    Attributes:
        title: of the run.
        chosen: how the answers were chosen, one sentence.
        answers: in the order of the page.
    """

    title: str
    chosen: str
    answers: tuple[AnswerHeatMap, ...]

    def __post_init__(self) -> None:
        check_text("title", self.title, filled=True)
        check_text("chosen", self.chosen, filled=True)
        check_parts("answers", self.answers, AnswerHeatMap)

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as JSON values."""
        return {"schema": SCHEMA, **to_values(self)}

    @classmethod
    def from_dict(cls, values: object) -> "ExampleAnswers":
        """Return the answers that `to_dict` wrote.

        Raises:
            InputError: naming the field that is missing, unknown, of the wrong type, or contradicts the others.
        """
        return from_document(cls, values, schema=SCHEMA, place="examples", what="this")
