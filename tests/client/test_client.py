"""Both clients against a real service: every call, and what its answer becomes."""

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from made_pdf import made_pdf
from ragcortex import Report
from ragcortex.client import (
    AnswerChecked,
    AsyncClient,
    CheckRequest,
    ClientError,
    Reference,
    Retries,
    Span,
    TokensScored,
)
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.service.audit import verify

if TYPE_CHECKING:
    from service_thread import RunningService

QUESTION = "When was the lighthouse built?"
REFERENCES = ("The lighthouse at Cape Arden was built in 1874.", Reference("It stands 41 metres high.", "r2", "p. 3"))
WRONG = "The lighthouse at Cape Arden was built in 1902."
RIGHT = "The lighthouse at Cape Arden was built in 1874."


def test_an_answer_is_checked(client: Any) -> None:
    before = datetime.datetime.now(datetime.UTC)
    checked = client.check(QUESTION, REFERENCES, WRONG, witness="geometry", id="mine", generator="g")
    assert isinstance(checked.report, Report)
    assert checked.report.answer == WRONG
    assert [span.text for span in checked.report.spans] == ["1902"]
    assert checked.report.spans[0].evidence[0].text == REFERENCES[0]
    assert checked.created_at >= before
    assert (checked.policy, checked.report.id) == ("triage", "mine")


def test_a_request_that_is_named_is_judged_once(client: Any) -> None:
    first = client.check(None, REFERENCES, WRONG, idempotency_key="named once")
    again = client.check(None, REFERENCES, WRONG, idempotency_key="named once")
    assert again == first
    assert client.check(None, REFERENCES, WRONG).id != first.id


def test_a_batch_has_a_problem_for_what_fails(client: Any) -> None:
    batch = client.check_batch([CheckRequest(QUESTION, REFERENCES, RIGHT), CheckRequest(None, None, RIGHT)])
    good, bad = batch.items
    assert (batch.n_failed, good.index, bad.index) == (1, 0, 1)
    assert good.check.report.verdict == "grounded"
    assert good.problem is None
    assert bad.check is None
    assert (bad.problem.status, bad.problem.field) == (422, "checks[1].references")


def test_what_was_judged_is_listed_read_and_forgotten(client: Any) -> None:
    group = repr(client)
    made = [client.check(QUESTION, REFERENCES, WRONG, group=group).id for _ in range(3)]
    first = client.checks.list(group=group, limit=2)
    rest = client.checks.list(group=group, limit=2, cursor=first.next)
    assert {one.id for page in (first, rest) for one in page.checks} == set(made)
    assert rest.next is None
    assert client.checks.list(until=datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)).checks == ()

    detail = client.checks.get(made[0])
    assert detail.references == (Reference(REFERENCES[0]), REFERENCES[1])
    assert detail.report.answer == detail.summary.answer == WRONG
    assert client.feedback(made[0], "wrong", comment="It is right.").queue == "open"
    assert client.checks.get(made[0]).n_feedback_wrong == 1
    assert client.checks.delete_text(made[0]).text_deleted
    gone = client.checks.get(made[0])
    assert (gone.references, gone.report, gone.summary.answer) == (None, None, None)


def test_answers_are_reviewed_and_their_labels_exported(client: Any) -> None:
    check_id = client.check(QUESTION, REFERENCES, WRONG, id="to review").id
    assert client.feedback(check_id, "wrong").queue == "open"
    assert check_id in [one.id for one in client.queue(limit=200).checks]
    assert client.claim(check_id).id == check_id
    review = client.review(check_id, 1, [Span(42, 46, "number")], comment="The year.")
    assert (review.label, review.spans) == (1, (Span(42, 46, "number"),))
    assert review.reviewer.startswith("tests ")

    (row,) = [row for row in client.export_labels() if row["check"] == check_id]
    example = Example.from_row(row)
    assert (example.id, example.label, example.spans) == ("to review", 1, (Span(42, 46),))
    assert client.agreement().n == 0


def test_corpora_are_made_changed_and_searched(client: Any, tmp_path: Path) -> None:
    with pytest.raises(ClientError) as caught:
        client.corpora.get("coast")
    assert (caught.value.status, caught.value.field) == (404, "name")

    made = client.corpora.create("coast", [RIGHT, Reference("Ferries stop in winter.", "ferries/1")])
    assert (made.corpus.name, made.corpus.n_documents, made.n_embedded) == ("coast", 2, 2)
    assert client.corpora.add("coast", ["A museum shows maps."]).corpus.n_documents == 3
    (tmp_path / "notes.txt").write_text("A note on tides.")
    uploaded = client.corpora.upload(
        "coast", [tmp_path / "notes.txt", ("a.pdf", made_pdf([("Boats.",)])), ("b.exe", b"")]
    )
    assert (uploaded.corpus.n_documents, uploaded.unreadable[0].reason) == (5, "damaged")
    with pytest.raises(InputError, match=r"^files\[0\]: '.*nothing.txt' cannot be read: No such file or directory$"):
        client.corpora.upload("coast", [tmp_path / "nothing.txt"])

    detail = client.corpora.get("coast", limit=4)
    assert [one.id for one in detail.documents][1] == "ferries/1"
    assert detail.next_offset == 4
    assert client.corpora.remove("coast", "ferries/1").corpus.n_documents == 4
    assert client.corpora.search("coast", "lighthouse", k=1)[0].text == RIGHT
    assert client.corpora.map_html("coast").startswith("<!DOCTYPE html>")
    assert [one.name for one in client.corpora.list()] == ["coast"]
    checked = client.check(QUESTION, None, WRONG, corpus="coast", witness="geometry")
    assert [span.text for span in checked.report.spans] == ["1902"]
    client.corpora.delete("coast")
    assert client.corpora.list() == ()


def test_what_is_too_large_is_refused_before_it_has_arrived(client: Any) -> None:
    with pytest.raises(ClientError) as caught:
        client.corpora.upload("coast", [("a.txt", b"text " * 1_000_000)], create=True)
    assert caught.value.status == 413
    assert "1,000,000 bytes" in caught.value.detail
    assert client.corpora.list() == ()


def test_thresholds_are_chosen_and_put_in_force(client: Any) -> None:
    made = client.calibrations.create("by hand", hallucinated_threshold=0.8, review_threshold=0.3)
    assert (made.hallucinated_threshold, made.active, made.method) == (0.8, False, "manual")
    assert client.calibrations.activate(made.id).active
    assert [one.id for one in client.calibrations.list() if one.active] == [made.id]
    client.calibrations.deactivate(witness="geometry")
    assert not any(one.active for one in client.calibrations.list())
    assert {policy.name for policy in client.policies()} >= {"triage", "strict"}


def test_keys_are_made_replaced_and_revoked(service: "RunningService", client: Any, make_client: Any) -> None:
    made = client.keys.create("another", ["check"], rate_per_minute=100)
    assert (made.scopes, made.secret.startswith("rck_")) == (("check",), True)
    assert made.secret not in repr(made)
    assert make_client(service.url, made.secret).check(None, REFERENCES, RIGHT).report.verdict == "grounded"
    newer = client.keys.rotate(made.id, overlap_minutes=0)
    assert client.keys.revoke(newer.id).revoked_at is not None
    assert made.id in [one.id for one in client.keys.list()]
    with pytest.raises(ClientError) as caught:
        make_client(service.url, newer.secret).health() and make_client(service.url, newer.secret).queue()
    assert caught.value.status == 401
    assert newer.secret not in repr(make_client(service.url, newer.secret))


def test_the_trail_is_exported_as_it_is_verified(client: Any) -> None:
    client.check(None, REFERENCES, RIGHT)
    lines = list(client.audit_export())
    assert verify(lines).unbroken
    assert json.loads(json.loads(lines[-1])["body"])["kind"] == "check.judged"


def test_the_service_says_how_it_is(client: Any) -> None:
    assert client.health().status == "alive"
    assert client.ready().ready
    assert client.ready().problems == ()
    assert "# HELP" in client.metrics()


def test_a_refusal_names_status_title_detail_and_field(client: Any) -> None:
    with pytest.raises(ClientError) as caught:
        client.check(QUESTION, REFERENCES, RIGHT, policy="none of that name")
    error = caught.value
    assert (error.status, error.field) == (422, "policy")
    assert "must be one of" in error.detail
    assert error.request_id
    assert str(error) == f"422 {error.title}: policy: {error.detail}"


def test_too_many_requests_are_sent_again_when_they_may_be(service: "RunningService", make_client: Any) -> None:
    key = service.key("check", rate_per_minute=120)
    hurried = make_client(service.url, key, retries=Retries(n=0))

    def hurry() -> None:
        for _ in range(200):
            hurried.corpora.list()

    with pytest.raises(ClientError) as caught:
        hurry()
    assert caught.value.status == 429
    patient = make_client(service.url, key, retries=Retries(n=5, longest_wait=5))
    assert patient.corpora.list() == ()


def test_a_whole_answer_is_streamed(client: Any) -> None:
    events = list(client.check_stream(QUESTION, REFERENCES, f"{RIGHT} {WRONG}", witness="geometry"))
    *scored, last = events
    assert isinstance(last, AnswerChecked)
    assert last.check.report.answer == f"{RIGHT} {WRONG}"
    assert all(isinstance(event, TokensScored) for event in scored)
    for token in (token for event in scored for token in event.tokens):
        assert f"{RIGHT} {WRONG}"[token.start : token.end] == token.text
        assert 0 <= token.score <= 1


def test_an_answer_is_streamed_piece_by_piece(client: Any) -> None:
    pieces = [f"{RIGHT} ", "The lighthouse ", "at Cape Arden ", "was built in 1902."]
    *scored, last = client.check_stream(QUESTION, REFERENCES, pieces, witness="geometry")
    assert isinstance(last, AnswerChecked)
    assert [span.text for span in last.check.report.spans] == ["1902"]
    assert any(isinstance(event, TokensScored) and event.sentences for event in scored)


def test_an_open_stream_takes_text_until_it_ends(client: Any) -> None:
    with client.open_stream(QUESTION, REFERENCES, witness="geometry") as stream:
        assert len(stream.id) == 32
        stream.push(f"{RIGHT} And")
        stream.push(" more.")
        stream.end()
        *_, last = stream
        assert isinstance(last, AnswerChecked)
        assert last.check.report.answer == f"{RIGHT} And more."
        with pytest.raises(ClientError) as caught:
            stream.push("late")
        assert caught.value.status in (404, 409)


def test_a_stream_that_is_refused_is_an_error(client: Any) -> None:
    with pytest.raises(ClientError) as caught:
        list(client.check_stream(QUESTION, REFERENCES, RIGHT, policy="none of that name"))
    assert (caught.value.status, caught.value.field) == (422, "policy")


def test_pieces_that_fail_end_the_stream_and_are_raised(service: "RunningService", client: Any) -> None:
    def pieces() -> Iterator[str]:
        yield f"{RIGHT} "
        raise OSError("the model went away")

    n_before = len(client.checks.list(limit=200).checks)
    with pytest.raises(OSError, match=r"^the model went away$"):
        list(client.check_stream(QUESTION, REFERENCES, pieces(), witness="geometry"))
    assert len(client.checks.list(limit=200).checks) == n_before


def test_asynchronous_pieces_are_for_the_client_that_does_not_wait(
    service: "RunningService", make_client: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    async def pieces() -> AsyncIterator[str]:
        for piece in (RIGHT, " And more."):
            await asyncio.sleep(0)
            yield piece

    client = make_client(service.url, service.key("check"))
    if "async" not in request.node.name.rpartition("[")[2]:
        with pytest.raises(InputError, match=r"^answer: comes asynchronously; give its pieces to AsyncClient, or "):
            list(client.check_stream(QUESTION, REFERENCES, pieces(), witness="geometry"))
        return
    *_, last = client.check_stream(QUESTION, REFERENCES, pieces(), witness="geometry")
    assert last.check.report.answer == f"{RIGHT} And more."


def test_many_answers_at_the_same_time(service: "RunningService") -> None:
    async def scene() -> set[str]:
        async with AsyncClient(service.url, service.key("check")) as client:
            checked = await asyncio.gather(*(client.check(None, REFERENCES, f"{RIGHT} {n}") for n in range(20)))
            return {one.report.answer for one in checked}

    assert asyncio.run(scene()) == {f"{RIGHT} {n}" for n in range(20)}
