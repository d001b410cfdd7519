"""Reviewing by pages, without any script: the queue, its order and filters, and what reviewers see and do not see."""

import datetime

import pytest
from fastapi.testclient import TestClient
from made_pages import GROUNDED, REFERENCES, WRONG, database, judged, page, send

from ragcortex.service import reviews
from ragcortex.service.pages.queue_view import QueueFilter, next_waiting, waiting
from ragcortex.service.storage.tables import Check, Review


@pytest.fixture
def queue(client: TestClient) -> TestClient:
    """Return the client of a service in which nothing waits."""

    def work(session) -> None:  # type: ignore[no-untyped-def]
        for check in session.query(Check).filter(Check.queue.in_(reviews.WAITING)):
            check.queue, check.claimed_by, check.claimed_until = "none", None, None

    database(client).run(work)
    return client


def named(client: TestClient, name: str) -> TestClient:
    client.cookies.clear()
    send(client, "/login", {"name": name, "next": "/queue"})
    return client


def own_reviews(client: TestClient, check_id: str) -> list[tuple[str, int, list[dict[str, int]], str | None, bool]]:
    def work(session):  # type: ignore[no-untyped-def]
        found = session.query(Review).filter_by(check_id=check_id).order_by(Review.created_at)
        return [(one.reviewer, one.label, one.spans, one.comment, one.replaced) for one in found]

    return database(client).run(work)  # type: ignore[no-any-return]


def test_the_queue_is_in_the_order_of_the_service(queue: TestClient) -> None:
    for answer in (WRONG, f"{GROUNDED} It inspired an opera.", WRONG.replace("52", "41"), WRONG):
        judged(queue, answer)
    now = datetime.datetime.now(datetime.UTC)
    database(queue).run(lambda session: session.query(Check).first())

    def both(session):  # type: ignore[no-untyped-def]
        mine = waiting(session, QueueFilter(), reviewer="anna", now=now)
        return [one.id for one in mine], [one.id for one in reviews.queue(session, reviewer="anna", now=now)]

    mine, service = database(queue).run(both)
    assert mine == service
    assert len(mine) == 4
    links = [str(one.attributes["href"]) for one in page(queue, "/queue").all("tbody a")]
    assert links == [f"/review/{one}" for one in service]


def test_the_queue_is_filtered(queue: TestClient) -> None:
    first, second = judged(queue, WRONG, generator="a"), judged(queue, WRONG, generator="b", group="g")

    def found(query: str) -> set[str]:
        return {str(one.attributes["href"]).removeprefix("/review/") for one in page(queue, query).all("tbody a")}

    assert found("/queue?generator=a") == {first}
    assert found("/queue?group=g") == {second}
    assert found("/queue?why=block") == {first, second}
    for why in ("sample", "review", "disputed", "feedback"):
        assert found(f"/queue?why={why}") == set()
    assert found("/queue?verdict=grounded") == set()
    assert page(queue, "/queue?verdict=grounded").text(".empty").startswith("Nothing that waits fits")


def test_an_answer_is_corrected_by_fields_and_the_next_one_follows(queue: TestClient) -> None:
    first, second = judged(queue, WRONG), judged(queue, WRONG)
    shown = page(queue, f"/review/{first}")
    assert [one.text() for one in shown.all("#answer mark")] == ["1974", "52"]
    assert [one.attributes.get("value") for one in shown.all("[name=start]")] == ["42", "58", "", "", ""]
    form = {"decision": "accept", "marks": "", "start": ["42", "58", "0"], "end": ["46", "60", "3"], "remove": "1"}
    after = send(queue, f"/review/{first}", form | {"comment": "half\r\nright"})
    assert after.response.url.path == f"/review/{second}"
    assert after.text("#said") == "Saved: hallucinated."
    spans = [{"start": 0, "end": 3}, {"start": 42, "end": 46}]
    assert own_reviews(queue, first) == [("local", 1, spans, "half\nright", False)]


def test_grounded_ends_the_queue(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    after = send(queue, f"/review/{own}", {"decision": "grounded", "marks": "[[0,3]]"})
    assert (after.response.url.path, after.text("#said")) == ("/queue", "Nothing more waits for you.")
    assert own_reviews(queue, own) == [("local", 0, [], None, False)]


def test_marks_outside_the_answer_come_back(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    shown = send(queue, f"/review/{own}", {"decision": "accept", "marks": "[[0,999]]", "comment": "kept"}, 422)
    assert "must satisfy 0 <= start < end <= 82" in shown.text("[role=alert]")
    assert shown.one("[name=comment]").text() == "kept"
    assert own_reviews(queue, own) == []


def test_sending_a_review_twice_keeps_it_once(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    shown = page(queue, f"/review/{own}")
    form = {
        "csrf": shown.all("[name=csrf]")[0].attributes["value"],
        "review": shown.value("review"),
        "decision": "grounded",
    }
    for _ in range(2):
        assert queue.post(f"/review/{own}", data=form).status_code == 200
    assert len(own_reviews(queue, own)) == 1


def test_an_answer_is_one_reviewers_at_a_time(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    page(named(queue, "anna"), f"/review/{own}")
    refused = page(named(queue, "ben"), f"/review/{own}", 409)
    assert "anna is at check" in refused.text("main")
    assert page(queue, "/queue").all("tbody tr") == []
    assert "anna is at it" in page(queue, "/queue?everybody=1").text("tbody")
    # Skipping gives it back.
    named(queue, "anna").get(f"/review/next?after={own}")
    assert page(named(queue, "ben"), f"/review/{own}").text("h1").startswith("Review")


def test_skipping_goes_round_the_queue(queue: TestClient) -> None:
    ids = [judged(queue, WRONG) for _ in range(3)]
    now = datetime.datetime.now(datetime.UTC)

    def following(after: str | None) -> str | None:
        return database(queue).run(  # type: ignore[no-any-return]
            lambda session: next_waiting(session, after, reviewer="anna", now=now)
        )

    assert [following(after) for after in (None, *ids)] == [ids[0], ids[1], ids[2], ids[0]]
    assert following("unknown") == ids[0]


def test_what_others_said_is_seen_only_after_ones_own_review(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    settings = queue.app.state.service.settings  # type: ignore[attr-defined]
    queue.app.state.service.settings = settings.model_copy(update={"reviewers": 2})  # type: ignore[attr-defined]
    try:
        send(named(queue, "anna"), f"/review/{own}", {"decision": "accept", "marks": "[[42,46]]", "comment": "anna's"})
        for path in (f"/checks/{own}", f"/review/{own}"):
            shown = page(named(queue, "ben"), path)
            assert "anna" not in shown.text("main")
            assert shown.one("[name=csrf]" if "checks" not in path else "#reviews-name")
        assert "What they said is shown once you have saved" in page(queue, f"/checks/{own}").text("main")
        send(queue, f"/review/{own}", {"decision": "grounded", "comment": "ben's"})
        shown = page(queue, f"/review/{own}")
        assert [one for one in ("anna's", "You reviewed this answer on") if one not in shown.text("main")] == []
        assert "anna's" in page(queue, f"/checks/{own}").text("main")
        # A third one sees neither, and decides.
        third = page(named(queue, "carl"), f"/review/{own}")
        assert "anna" not in third.text("main")
        assert "Two reviewers disagree" in third.text(".headline")
        send(queue, f"/review/{own}", {"decision": "grounded"})
        assert "Reviewers have decided: grounded." in page(queue, f"/checks/{own}").text(".policy")
        assert "1 answer" in page(queue, "/queue").text("main")
    finally:
        queue.app.state.service.settings = settings  # type: ignore[attr-defined]


def test_a_later_review_replaces_ones_own(queue: TestClient) -> None:
    own = judged(queue, WRONG)
    send(queue, f"/review/{own}", {"decision": "accept", "marks": "[[42,46]]"})
    shown = page(queue, f"/review/{own}")
    assert [one.text() for one in shown.all("#answer mark")] == ["1974"]
    send(queue, f"/review/{own}", {"decision": "grounded"})
    assert [(label, replaced) for _, label, _, _, replaced in own_reviews(queue, own)] == [(1, True), (0, False)]


def test_labels_are_taken_away_as_a_table(queue: TestClient) -> None:
    answer = f"=HYPERLINK(1) {WRONG}"
    own = judged(queue, answer, generator="@gen", group="table")
    send(queue, f"/review/{own}", {"decision": "accept", "marks": "[[56,60]]"})
    response = queue.get("/history/labels.csv")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    lines = response.text.split("\r\n")
    assert (
        lines[0] == "\ufeffcheck,id,label,verdict,score,question,answer,references,spans,group,generator,task,reviewers"
    )
    (row,) = [line for line in lines if line.startswith(own)]
    assert "'=HYPERLINK(1)" in row
    assert ",'@gen," in row
    assert '"[{""start"": 56, ""end"": 60}]",table' in row
    assert REFERENCES[0] in row
