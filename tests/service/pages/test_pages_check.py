"""Checking an answer by pages, without any script: the form, the result, feedback, history and deletion."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from made_pages import GROUNDED, QUESTION, REFERENCES, WRONG, Shown, database, judged, made_client, page, send

from ragcortex.service.middleware import PAGE_POLICY
from ragcortex.service.storage.tables import Check

ATTACK = "<script>alert(1)</script> \"'&amp; {{ 7*7 }} \u202etxt\u202c\x1b[2J"
ALL = ("/", "/queue", "/history", "/dashboard", "/corpora", "/calibration", "/audit", "/keys", "/login")


@pytest.mark.parametrize("path", ALL)
def test_every_page_has_its_landmarks_and_its_policy(client: TestClient, path: str) -> None:
    shown = page(client, path)
    assert shown.one("html").attributes["lang"] == "en"
    assert shown.text("head title").endswith("· ragcortex")
    assert len(shown.all("h1")) == 1
    for landmark in ("header.top", "main#main", "footer", "a.skip[href='#main']"):
        shown.one(landmark)
    headers = shown.response.headers
    assert headers["content-security-policy"] == PAGE_POLICY
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "same-origin")
    # Nothing that the policy would refuse: no inline script that runs, no inline style, no handler.
    assert not shown.all("[style], style, [onclick], [onload], script:not([src]):not([type='application/json'])")
    for field in shown.all("input:not([type=hidden]), textarea, select"):
        labels = [parent for parent in parents(field) if parent.tag == "label"]
        named = shown.all(f"label[for='{field.attributes.get('id')}']") or field.attributes.get("aria-label")
        assert labels or named, field.html


def test_every_page_on_each_database(database_url: str, tmp_path: Path) -> None:
    with made_client(tmp_path, database=database_url) as client:
        own, other = judged(client, WRONG, generator="gen", group="g"), judged(client, GROUNDED)
        send(client, f"/review/{own}", {"decision": "accept", "marks": "[[0,3]]"})
        send(client, f"/checks/{other}/feedback", {"rating": "wrong"}, at=f"/checks/{other}")
        form = {"witness": "geometry", "name": "x", "method": "manual", "hallucinated": "0.5", "activate": "1"}
        send(client, "/calibration", form)
        filtered = (
            "/history?verdict=hallucinated&generator=gen&group=g&since=2001-01-01&until=2100-01-01&text=CAPE&label=1"
        )
        assert len(page(client, filtered).all("tbody tr")) == 1
        for path in (
            *ALL,
            "/queue?why=feedback&everybody=1",
            "/dashboard?days=365",
            f"/checks/{own}",
            f"/review/{other}",
        ):
            page(client, path)
        assert len(client.get("/history/labels.csv").text.splitlines()) == 2
        assert "The trail is unbroken." in send(client, "/audit", {}).text("#chain")


def parents(node):  # type: ignore[no-untyped-def]
    while node is not None:
        yield node
        node = node.parent


def test_an_answer_is_checked_and_shown_with_its_evidence(client: TestClient) -> None:
    form = {"question": QUESTION, "reference": list(REFERENCES), "answer": WRONG, "generator": "gen", "group": "g"}
    shown = send(client, "/", form)
    assert shown.response.url.path.startswith("/checks/")
    assert shown.texts("h1") == ["Hallucinated score 0.99"]
    assert shown.one(".answer").text().strip() == WRONG.replace("1974", "19741").replace("52", "522")
    assert shown.texts(".answer a.mark") == ["1974", "52"]
    passage = shown.one("#passage-1")
    assert passage.css_first(".evidence strong").text() == "1874"
    assert [mark.attributes["href"] for mark in shown.all(".answer a.mark")] == ["#passage-1", "#passage-2"]
    differ = {one.text(): one.attributes["data-differs"] for one in shown.all(".stretch")}
    assert (differ["1874"], differ["41 metres"]) == ("1", "2")
    assert "holds the answer back" in shown.text(".policy")
    assert shown.texts(".facts dd")[1] == "Geometry"
    link = shown.one("a[href^='/v1/checks/']").attributes["href"]
    assert client.get(str(link)).json()["summary"]["generator"] == "gen"


def test_fields_for_references_come_and_go_without_a_script(client: TestClient) -> None:
    shown = send(client, "/", {"reference": ["a", "b"], "answer": "x", "question": "q", "change": "add"})
    assert [one.text() for one in shown.all("textarea[name=reference]")] == ["a", "b", ""]
    shown = send(client, "/", {"reference": ["a", "b"], "answer": "x", "change": "remove-0"})
    assert [one.text() for one in shown.all("textarea[name=reference]")] == ["b"]
    assert shown.one("textarea[name=answer]").text() == "x"


@pytest.mark.parametrize(
    ("form", "message", "field"),
    [
        ({"answer": " ", "reference": "a"}, "is empty; paste the text to be checked", "answer"),
        ({"answer": "x" * 50_001, "reference": "a"}, "has 50,001 characters; this service takes 50,000", "answer"),
        ({"answer": "x", "corpus": "none"}, "no corpus is called 'none'", ""),
        ({"answer": "x", "reference": "a", "witness": "both"}, "'both' is not loaded by this service", ""),
        ({"answer": "x", "reference": "a", "corpus": "c"}, "or a corpus must be given, and not both", "references"),
    ],
)
def test_what_cannot_be_checked_comes_back_with_the_reason(
    client: TestClient, form: dict[str, str], message: str, field: str
) -> None:
    status = 404 if "corpus is called" in message else 422
    shown = send(client, "/", form, status)
    assert message in shown.text("[role=alert]")
    wrong = {one.attributes["name"] for one in shown.all("[aria-invalid=true]")}
    assert wrong == ({"reference" if field == "references" else field} if field else set())
    assert shown.one("textarea[name=answer]").text() == form["answer"]


def test_hostile_texts_stay_texts(client: TestClient) -> None:
    answer = f"{ATTACK} The lighthouse was built in 1974."
    own = judged(
        client, answer, [f"</textarea></script>{ATTACK} It was built in 1874."], generator=ATTACK, group=ATTACK
    )
    for path in (f"/checks/{own}", f"/review/{own}", "/queue", "/history", "/dashboard", "/history?text=<script>"):
        shown = page(client, path)
        assert not shown.all("script:not([src]):not([type='application/json'])")
        assert "<script>alert" not in shown.response.text
        assert not set("\u202e\u202c\x1b") & set(shown.response.text)
        assert "49" not in shown.texts("h1")
    data = json.loads(page(client, f"/review/{own}").one("#data").text())
    assert "".join(text for _, _, text, _ in data["segments"]).startswith(
        "<script>alert(1)</script> \"'&amp; {{ 7*7 }}"
    )
    assert data["length"] == len(answer)


def test_feedback_brings_an_answer_before_a_person(client: TestClient) -> None:
    own = judged(client, GROUNDED)
    shown = send(client, f"/checks/{own}/feedback", {"rating": "wrong", "comment": "no\r\nway"}, at=f"/checks/{own}")
    assert shown.text("#said") == "Thank you. The answer comes before a reviewer first."
    assert "Verdict wrong" in shown.text(".said")
    assert page(client, "/queue").texts("tbody tr:first-child td")[1] == "A user calls the verdict wrong"
    send(client, f"/checks/{own}/feedback", {"rating": "<b>"}, 422, at=f"/checks/{own}")


def test_texts_are_deleted_once_that_is_confirmed(client: TestClient) -> None:
    own = judged(client, GROUNDED, generator="forgotten")
    asked = page(client, f"/checks/{own}/delete")
    assert asked.text("h1") == "Delete the texts of this check?"
    shown = send(client, f"/checks/{own}/delete", {})
    assert shown.text("#said") == "The texts are deleted."
    assert "were deleted or never kept" in shown.text("main")
    assert GROUNDED not in shown.response.text
    assert database(client).run(lambda session: session.get(Check, own).answer) is None
    assert "(texts deleted or never kept)" in page(client, "/history").text("tbody")
    page(client, f"/review/{own}", 404)


def test_history_is_filtered_and_goes_on(client: TestClient) -> None:
    ids = [judged(client, GROUNDED, generator="pager") for _ in range(51)]
    first = page(client, "/history?generator=pager")
    assert len(first.all("tbody tr")) == 50
    following = str(first.one("a[rel=next]").attributes["href"])
    rest = page(client, following)
    assert [one.attributes["href"] for one in rest.all("tbody a")] == [f"/checks/{ids[0]}"]
    assert page(client, "/history?generator=pager&verdict=hallucinated").text(".empty") == "Nothing fits the filter."
    assert len(page(client, "/history?generator=pager&since=2001-01-01&until=2001-01-02").all("tbody tr")) == 0
    assert "A date is not one" in page(client, "/history?since=yesterday").text("[role=alert]")
    assert len(page(client, "/history?generator=pager&cursor=nonsense").all("tbody tr")) == 50


def test_languages_are_chosen_kept_and_negotiated(client: TestClient) -> None:
    assert page(client, "/", **{"Accept-Language": "ja"}).text("h1") == "回答を検査する"
    shown = page(client, "/history?verdict=grounded&lang=zh")
    assert (shown.one("html").attributes["lang"], shown.text("h1")) == ("zh-Hans", "历史")
    links = {one.attributes["lang"]: one.attributes["href"] for one in shown.all("footer a")}
    assert links["ja"] == "/history?verdict=grounded&lang=ja"
    assert page(client, "/").text("h1") == "检查一个回答"
    assert page(client, "/?lang=<b>").text("h1") == "检查一个回答"


def test_errors_are_pages_for_browsers_and_problems_for_others(client: TestClient) -> None:
    shown = page(client, "/checks/nothing", 404)
    assert (shown.text("h1"), "no check has the id 'nothing'" in shown.text("main")) == ("Not found", True)
    assert Shown(client.get("/nowhere"), 404).text("h1") == "Not found"
    response = client.get("/checks/nothing", headers={"Accept": "*/*"})
    assert response.headers["content-type"] == "application/problem+json"


def test_a_form_without_its_token_changes_nothing(client: TestClient) -> None:
    own = judged(client, GROUNDED)
    for path, form in (
        ("/", {"answer": "x", "reference": "y"}),
        (f"/checks/{own}/feedback", {"rating": "wrong"}),
        (f"/checks/{own}/delete", {}),
        (f"/review/{own}", {"decision": "grounded"}),
        ("/calibration", {"name": "x", "hallucinated": "0.5"}),
        ("/calibration/deactivate", {}),
        ("/keys", {"name": "x", "scope": "admin"}),
        ("/corpora", {"name": "x", "text": "y"}),
        ("/audit", {}),
        ("/login", {"name": "x"}),
        ("/logout", {}),
    ):
        for token in ({}, {"csrf": "wrong"}):
            assert client.post(path, data=form | token).status_code == 403, path
    assert page(client, "/keys").text(".empty") == "There is no key yet."


def test_static_files_are_checked_each_time(client: TestClient) -> None:
    for name, kind in (("style.css", "text/css"), ("review.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
        response = client.get(f"/static/{name}")
        assert response.headers["content-type"].startswith(kind)
        assert (response.headers["cache-control"], response.headers["x-content-type-options"]) == (
            "no-cache",
            "nosniff",
        )
        assert client.get(f"/static/{name}", headers={"If-None-Match": response.headers["etag"]}).status_code == 304
    assert client.get("/static/../routes.py").status_code == 404
