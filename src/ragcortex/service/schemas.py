"""What requests and responses of the API hold; the OpenAPI document is made of these."""

import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from ragcortex.service.schema_parts import StrictModel as _Model

Witness = Literal["both", "internal", "geometry", "cascade"]
Action = Literal["pass", "review", "block"]
Queue = Literal["none", "open", "disputed", "decided"]
Name = str


class ReferenceIn(_Model):
    """One retrieved passage."""

    text: str = Field(description="The passage.")
    id: str | None = Field(default=None, description="Its identifier, carried through.")
    source: str | None = Field(default=None, description="Where it is from, shown beside evidence.")


def _as_reference(value: Any) -> Any:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict | ReferenceIn):
        raise PydanticCustomError("reference", "must be a string, or an object with its `text`")
    return value


# A type of its own instead of a union: what is wrong in it is named by the request's own fields.
Passage = Annotated[ReferenceIn, BeforeValidator(_as_reference, json_schema_input_type=str | ReferenceIn)]


class CheckIn(_Model):
    """One answer to be judged, with what it was answered from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "question": "Where was she born?",
                    "references": ["She was born in Warsaw in 1867."],
                    "answer": "She was born in Paris in 1867.",
                }
            ]
        },
    )

    question: str | None = Field(default=None, description="The user's question, if there was one.")
    references: list[Passage] | None = Field(
        default=None, description="The retrieved passages, in order; left out where a corpus is asked."
    )
    answer: str = Field(description="The text to be judged; all positions count its characters.")
    corpus: str | None = Field(
        default=None, max_length=200, description="The name of a corpus to check against instead."
    )
    witness: Witness | None = Field(default=None, description="Who judges; the service's own choice if left out.")
    policy: str | None = Field(
        default=None, max_length=200, description="The triage policy; the service's own if left out."
    )
    id: str | None = Field(default=None, max_length=200, description="The caller's identifier, carried through.")
    group: str | None = Field(
        default=None, max_length=200, description="The source the answer was made from, for breakdowns."
    )
    generator: str | None = Field(
        default=None, max_length=200, description="The model that wrote the answer, for breakdowns."
    )
    task: str | None = Field(default=None, max_length=200, description="The kind of task, for breakdowns.")


class CheckOut(_Model):
    """What the service says of one answer."""

    id: str = Field(description="The check's identifier here.")
    created_at: datetime.datetime
    action: Action = Field(description="What the policy makes of the verdict.")
    policy: str
    queue: Queue = Field(description="Whether the answer waits for a person.")
    report: dict[str, Any] = Field(description="The report: verdict, score, tokens, spans, sentences, evidence, notes.")


class BatchIn(_Model):
    """Several answers, judged together."""

    checks: list[CheckIn] = Field(min_length=1, description="The answers; one that fails does not hinder the others.")


class Problem(BaseModel):
    """What went wrong, as RFC 9457 says: application/problem+json."""

    type: str = Field(default="about:blank", description="A URI of the kind of problem.")
    title: str
    status: int
    detail: str
    field: str | None = Field(default=None, description="The field of the request that is wrong.")
    request_id: str | None = None


class BatchItem(_Model):
    """What became of one answer of a batch: exactly one of `check` and `problem` is given."""

    index: int
    check: CheckOut | None = None
    problem: Problem | None = None


class BatchOut(_Model):
    """One item an answer, in order."""

    items: list[BatchItem]
    n_failed: int


class StreamIn(CheckIn):
    """An answer whose tokens are scored as it arrives.

    With `open`, more of the answer follows at `/v1/check/stream/{id}`; without, `answer` is whole.
    """

    answer: str = Field(default="", description="The answer, or what there is of it.")
    open: bool = Field(default=False, description="Whether more of the answer follows.")


class StreamMore(_Model):
    """More of an answer that is being streamed."""

    text: str = Field(default="", description="What follows, exactly.")
    end: bool = Field(default=False, description="Whether this is the end of the answer.")


class SpanIn(_Model):
    """A stretch of the answer, by characters, half-open."""

    start: int = Field(ge=0)
    end: int = Field(gt=0)
    type: str | None = Field(default=None, max_length=100)


class ReviewIn(_Model):
    """What a reviewer says of one answer."""

    label: Literal[0, 1] = Field(description="1 where the answer says what its references do not support.")
    spans: list[SpanIn] = Field(
        default_factory=list, max_length=1000, description="Those stretches; none with label 0."
    )
    comment: str | None = Field(default=None, max_length=5000)
    reviewer: str | None = Field(default=None, max_length=200, description="Who reviews, where calls need no key.")


class ReviewOut(_Model):
    """A review as it is kept."""

    id: str
    check_id: str
    reviewer: str
    created_at: datetime.datetime
    label: int
    spans: list[dict[str, Any]]
    comment: str | None
    replaced: bool


class FeedbackIn(_Model):
    """What a user says of a verdict."""

    rating: Literal["right", "wrong"]
    comment: str | None = Field(default=None, max_length=5000)


class CheckSummary(_Model):
    """A check in a list."""

    id: str
    created_at: datetime.datetime
    external_id: str | None
    verdict: str
    score: float | None
    action: Action
    queue: Queue
    priority: float
    witness: str
    detector: str
    generator: str | None
    group: str | None
    n_spans: int
    label: int | None
    question: str | None
    answer: str | None
    text_deleted: bool


class CheckList(_Model):
    """A page of checks; `next` is the cursor of the page that follows, null at the end."""

    checks: list[CheckSummary]
    next: str | None


class CheckDetail(_Model):
    """Everything that is kept of one check."""

    summary: CheckSummary
    references: list[dict[str, Any]] | None
    report: dict[str, Any] | None
    reviews: list[ReviewOut]
    n_feedback_right: int
    n_feedback_wrong: int


class CalibrationIn(_Model):
    """Choose thresholds on reviewed answers: the best F1, or by hand."""

    name: str = Field(min_length=1, max_length=200)
    witness: Witness | None = None
    hallucinated_threshold: float | None = Field(
        default=None, ge=0, le=1, description="By hand; the best F1 if left out."
    )
    review_threshold: float | None = Field(
        default=None, ge=0, le=1, description="By hand; from the interval if left out."
    )
    activate: bool = False


class CalibrationOut(_Model):
    """Thresholds, what they do on the answers they were chosen on, and whether they are in force."""

    id: str
    name: str
    created_at: datetime.datetime
    created_by: str
    detector: str
    detector_fingerprint: str
    method: str
    review_threshold: float
    hallucinated_threshold: float
    n_answers: int
    n_hallucinated: int
    figures: dict[str, Any]
    active: bool
    stale: bool


class CorpusIn(_Model):
    """A corpus to be made of documents."""

    name: str = Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")
    documents: list[ReferenceIn] = Field(min_length=1, max_length=10_000)


class DocumentsIn(_Model):
    """Documents to be added to a corpus."""

    documents: list[ReferenceIn] = Field(min_length=1, max_length=10_000)


class CorpusOut(_Model):
    """A corpus in words and figures."""

    name: str
    created_at: datetime.datetime
    changed_at: datetime.datetime
    fingerprint: str
    embedder: str
    n_documents: int
    n_chunks: int
    n_merged: int
    n_conflicts: int


class FoundChunk(_Model):
    """A chunk near a text that was looked for."""

    similarity: float
    document: str
    source: str | None
    start: int
    end: int
    text: str
    n_twins: int
