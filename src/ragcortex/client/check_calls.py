"""Calls about answers: judged, listed, reviewed."""

import datetime
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ragcortex.client.answers import (
    Action,
    Agreement,
    Batch,
    CheckDetail,
    Checked,
    CheckPage,
    CheckSummary,
    Queue,
    Review,
)
from ragcortex.client.call import Call, given, named, nothing, path, query, read_row, reads
from ragcortex.example import Reference, Span

Witness = Literal["both", "internal", "geometry", "cascade"]
Rating = Literal["right", "wrong"]
References = Sequence[str | Reference]
Text = str | Iterable[str] | AsyncIterable[str]
_EVENTS = {"Accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class StreamedCall:
    """A call that is answered by events, and the pieces of the answer that are to be pushed meanwhile, if any."""

    call: Call[None]
    pieces: Iterable[str] | AsyncIterable[str] | None


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """One answer to be judged, with what it was answered from.

    Attributes:
        question: the user's question, None if there was none.
        references: the retrieved passages, in order; None where a corpus is asked.
        answer: the text to be judged.
        corpus: the name of a corpus to check against instead of references.
        witness: who judges; the service's own choice if None.
        policy: the triage policy; the service's own if None.
        id: the caller's identifier, carried through.
        group, generator, task: the source, the model and the kind of task, for breakdowns.
    """

    question: str | None
    references: References | None
    answer: str
    corpus: str | None = None
    witness: Witness | None = None
    policy: str | None = None
    id: str | None = None
    group: str | None = None
    generator: str | None = None
    task: str | None = None

    def values(self) -> dict[str, Any]:
        """Return the JSON form."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.references is not None:
            values["references"] = [_reference(one) for one in self.references]
        return given(**values)


def check(
    question: str | None,
    references: References | None,
    answer: str,
    *,
    corpus: str | None = None,
    witness: Witness | None = None,
    policy: str | None = None,
    id: str | None = None,
    group: str | None = None,
    generator: str | None = None,
    task: str | None = None,
    idempotency_key: str | None = None,
) -> Call[Checked]:
    """Judge one answer.

    Args:
        question, references, answer, corpus, witness, policy, id, group, generator, task: see `CheckRequest`.
        idempotency_key: a name for this request, made if not given: sent again it is judged and kept once.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    request = CheckRequest(question, references, answer, corpus, witness, policy, id, group, generator, task)
    return Call(
        "POST", "/v1/check", reads(Checked), body=request.values(), headers=named(idempotency_key), repeatable=True
    )


def check_batch(checks: Sequence[CheckRequest], *, idempotency_key: str | None = None) -> Call[Batch]:
    """Judge several answers together; one that cannot be judged has a problem, and the others go on.

    Raises:
        ClientError: the service refuses the batch as a whole, or does not answer.
    """
    body = {"checks": [one.values() for one in checks]}
    return Call("POST", "/v1/check/batch", reads(Batch), body=body, headers=named(idempotency_key), repeatable=True)


def check_stream(
    question: str | None,
    references: References,
    answer: Text,
    *,
    witness: Witness | None = None,
    policy: str | None = None,
    id: str | None = None,
    group: str | None = None,
    generator: str | None = None,
    task: str | None = None,
) -> StreamedCall:
    """Judge one answer while it arrives, and yield what is found: provisional scores, then the check.

    Args:
        answer: the whole of it, or its pieces, which are sent as they come; the client that waits takes them in another
            thread. Pieces that come asynchronously are for the client that does not wait.
        question, references, witness, policy, id, group, generator, task: see `CheckRequest`.

    Raises:
        InputError: the pieces are of the other client's kind.
        ClientError: the service refuses, does not answer, or stops in the middle.
        Exception: whatever the pieces raise; nothing is then kept.
    """
    whole = answer if isinstance(answer, str) else None
    request = CheckRequest(question, references, whole or "", None, witness, policy, id, group, generator, task)
    return StreamedCall(_streamed(request, more=whole is None), None if isinstance(answer, str) else answer)


def open_stream(
    question: str | None,
    references: References,
    *,
    witness: Witness | None = None,
    policy: str | None = None,
    id: str | None = None,
    group: str | None = None,
    generator: str | None = None,
    task: str | None = None,
) -> StreamedCall:
    """Open an answer that is judged while it arrives: push its text, end it, and iterate over what is found.

    It is empty at first. Close it, or use it in a `with` block; an answer that has not ended then is not kept.

    Args:
        question, references, witness, policy, id, group, generator, task: see `CheckRequest`.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    request = CheckRequest(question, references, "", None, witness, policy, id, group, generator, task)
    return StreamedCall(_streamed(request, more=True), None)


def push(stream_id: str, text: str, *, end: bool) -> Call[None]:
    """Send more of an answer that is being streamed."""
    return Call("POST", path("v1", "check", "stream", stream_id), nothing, body={"text": text, "end": end})


def list_checks(
    *,
    verdict: str | None = None,
    action: Action | None = None,
    queue: Queue | None = None,
    generator: str | None = None,
    group: str | None = None,
    external_id: str | None = None,
    label: int | None = None,
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
    text: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[CheckPage]:
    """List checks, the newest first; give `next` of one page as the `cursor` of the following one.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    parameters = query(
        verdict=verdict,
        action=action,
        queue=queue,
        generator=generator,
        group=group,
        external_id=external_id,
        label=label,
        since=since,
        until=until,
        text=text,
        cursor=cursor,
        limit=limit,
    )
    return Call("GET", "/v1/checks", reads(CheckPage), query=parameters, repeatable=True)


def get_check(check_id: str) -> Call[CheckDetail]:
    """Return everything that is kept of one check.

    Raises:
        ClientError: there is none (404), the service refuses, or does not answer.
    """
    return Call("GET", path("v1", "checks", check_id), reads(CheckDetail), repeatable=True)


def delete_text(check_id: str) -> Call[CheckSummary]:
    """Delete the texts of a check for good; its figures stay.

    Raises:
        ClientError: there is no such check (404), the service refuses, or does not answer.
    """
    return Call("DELETE", path("v1", "checks", check_id, "text"), reads(CheckSummary), repeatable=True)


def feedback(check_id: str, rating: Rating, *, comment: str | None = None) -> Call[CheckSummary]:
    """Say whether a verdict was right; an answer called wrongly judged comes before a person first.

    Raises:
        ClientError: there is no such check (404), the service refuses, or does not answer.
    """
    body = given(rating=rating, comment=comment)
    return Call("POST", path("v1", "checks", check_id, "feedback"), reads(CheckSummary), body=body)


def queue(*, reviewer: str | None = None, limit: int | None = None) -> Call[CheckPage]:
    """List the answers that wait for a person, what needs one most first.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    parameters = query(reviewer=reviewer, limit=limit)
    return Call("GET", "/v1/queue", reads(CheckPage), query=parameters, repeatable=True)


def claim(check_id: str, *, reviewer: str | None = None) -> Call[CheckSummary]:
    """Keep an answer for one reviewer for a while.

    Raises:
        ClientError: another reviewer is at it (409), it waits for nobody (404), or the service does not answer.
    """
    place = path("v1", "checks", check_id, "claim")
    return Call("POST", place, reads(CheckSummary), query=query(reviewer=reviewer), repeatable=True)


def review(
    check_id: str,
    label: int,
    spans: Sequence[Span] = (),
    *,
    comment: str | None = None,
    reviewer: str | None = None,
) -> Call[Review]:
    """Say whether an answer is hallucinated (1) or not (0), and where; it replaces the same reviewer's earlier one.

    Raises:
        ClientError: another reviewer is at it (409), a span lies outside the answer, or the service does not answer.
    """
    body = given(label=label, spans=[given(**asdict(span)) for span in spans], comment=comment, reviewer=reviewer)
    return Call("POST", path("v1", "checks", check_id, "reviews"), reads(Review), body=body)


def agreement() -> Call[Agreement]:
    """Say how far reviewers agree on the answers that two have seen.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("GET", "/v1/reviews/agreement", reads(Agreement), repeatable=True)


def export_labels() -> Call[dict[str, Any]]:
    """Yield the answers that reviewers decided, as the rows that `ragcortex calibrate` and `train` read.

    Written as JSON, one a line, they are the file that those read; `Example.from_row` takes one.

    Raises:
        ClientError: the service refuses, does not answer, or stops in the middle.
    """
    return Call("GET", "/v1/reviews/export", read_row, repeatable=True)


def _streamed(request: CheckRequest, *, more: bool) -> Call[None]:
    return Call("POST", "/v1/check/stream", nothing, body=request.values() | {"open": more}, headers=_EVENTS)


def _reference(value: str | Reference) -> str | Mapping[str, Any]:
    return value if isinstance(value, str) else given(**asdict(value))
