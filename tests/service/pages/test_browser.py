"""A browser walks through: check, queue, correct a span, calibrate, export, verify the audit trail; wide and narrow."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from made_browser import SIZES, Visitor, served, visitor
from made_pages import GROUNDED, QUESTION, REFERENCES, made_app

from installed_browser import browser
from ragcortex.service import audit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Before the marks stand characters of two UTF-16 units, and one that is shown as its code point.
ANSWER = (
    "👩‍👩‍👧 Families \u202elike it. The lighthouse at Cape Arden was built in 1974. "
    "It stands 52 metres above the sea. A poet lived there with two goats."
)


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    with browser() as running:
        yield running


@pytest.fixture
def service(tmp_path: Path) -> Iterator[str]:
    with made_app(tmp_path) as app, served(app) as base:
        yield base


@pytest.mark.parametrize("width", SIZES)
def test_from_a_check_to_the_verified_trail(chromium: "Browser", service: str, width: int) -> None:
    with visitor(chromium, service, width=width) as anna:
        sign_in(anna)
        check_id = check(anna, width)
        correct(anna, check_id, width)
        calibrate(anna, width)
        export(anna, check_id)
        verify(anna, width)
        anna.content()


def sign_in(anna: Visitor) -> None:
    anna.go("/login?next=/")
    anna.one("[name=name]").fill("anna")
    anna.page.keyboard.press("Enter")
    anna.page.wait_for_url(f"{anna.base}/")
    assert "You now review as anna" in anna.one("#said").inner_text()


def check(anna: Visitor, width: int) -> str:
    """Check an answer by the form, look at its marks by mouse and keyboard, and return the check's id."""
    anna.one("[name=question]").fill(QUESTION)
    anna.one("[name=reference]").fill(REFERENCES[0])
    anna.one("button[value=add]").click()
    assert anna.one("legend + .hint ~ .one-reference label > span").all_inner_texts() == ["Reference 1", "Reference 2"]
    anna.one("[name=reference]").nth(1).fill(REFERENCES[1])
    anna.one("[name=answer]").fill(ANSWER)
    anna.shoot(f"walk-{width}-1-form")
    anna.one("[name=answer]").press("Control+Enter")
    anna.page.wait_for_url(re.compile(r"/checks/[0-9a-f]{32}$"))
    anna.one("h1", has_text="Hallucinated").wait_for()
    marks = anna.one(".answer a.mark")
    assert [text for text in marks.all_inner_texts() if text in ("1974", "52")] == ["1974", "52"]
    year = marks.filter(has_text="1974")
    year.hover()
    detail = anna.one("#detail")
    assert "1874" in detail.locator("strong").all_inner_texts()
    assert anna.one(".stretch.differs").all_inner_texts() == ["1874"]
    anna.page.keyboard.press("Escape")
    assert detail.is_hidden()
    marks.filter(has_text="52").focus()
    assert anna.one(".stretch.differs").all_inner_texts() == ["41 metres"]
    described = marks.filter(has_text="52").get_attribute("aria-describedby")
    assert "differs" in anna.one(f"#{described}").inner_text()
    anna.fits()
    anna.shoot(f"walk-{width}-2-result")
    return anna.path().removeprefix("/checks/")


def correct(anna: Visitor, check_id: str, width: int) -> None:
    """Remove a mark, mark something else by selecting it, and save."""
    anna.one("header nav a", has_text="Queue").click()
    anna.shoot(f"walk-{width}-3-queue")
    anna.one("#begin").click()
    anna.page.wait_for_url(f"{anna.base}/review/{check_id}")
    marks = anna.one("#answer mark")
    marks.filter(has_text="52").click()
    assert "41 metres" in anna.one("#detail").inner_text()
    anna.page.keyboard.press("x")
    assert "52" not in marks.all_inner_texts()
    for text in marks.all_inner_texts():
        if text != "1974":
            marks.filter(has_text=text).focus()
            anna.page.keyboard.press("Delete")
    anna.drag_over("#answer", "poet lived")
    assert marks.all_inner_texts() == ["1974", "poet lived"]
    start = ANSWER.index("poet lived")
    year = ANSWER.index("1974")
    expected = [[year, year + 4], [start, start + len("poet lived")]]
    assert json.loads(anna.one("#marks").input_value()) == expected
    assert "Marked: poet lived" in anna.one("#spoken").inner_text()
    anna.fits()
    anna.shoot(f"walk-{width}-4-review")
    anna.one("[name=comment]").fill("goats a g m?")
    anna.one("button[value=accept]").click()
    anna.page.wait_for_url(f"{anna.base}/queue")
    assert "Nothing more waits" in anna.one("#said").inner_text()
    row = json.loads(anna.page.request.get(f"{anna.base}/v1/reviews/export").text())
    assert [ANSWER[span["start"] : span["end"]] for span in row["spans"]] == ["1974", "poet lived"]


def calibrate(anna: Visitor, width: int) -> None:
    """Review a grounded answer too, move the threshold over both scores, and put it in force."""
    body = {"question": QUESTION, "references": list(REFERENCES), "answer": GROUNDED}
    with httpx.Client(base_url=anna.base) as client:
        own = client.post("/v1/check", json=body).json()["id"]
        client.post(f"/v1/checks/{own}/reviews", json={"label": 0, "reviewer": "ben"}).raise_for_status()
    anna.one("header nav a", has_text="Calibration").click()
    slider = anna.one("input[type=range][data-for=hallucinated]")
    value = anna.one("[data-value=true_positives]")
    assert (value.inner_text(), anna.one("[data-value=f1]").inner_text()) == ("1", "1.000")
    line = anna.one("line[data-limit=hallucinated]")
    before = float(line.get_attribute("x1") or 0)
    slider.focus()
    anna.page.keyboard.press("End")
    assert anna.one("#hallucinated").input_value() == "1"
    assert (value.inner_text(), anna.one("[data-value=recall]").inner_text()) == ("0", "0.000")
    assert float(line.get_attribute("x1") or 0) > before
    slider.fill("0.3")
    assert value.inner_text() == "1"
    anna.one("input[type=range][data-for=review]").fill("0.7")
    assert anna.one("#hallucinated").input_value() == "0.7"
    anna.fits()
    anna.shoot(f"walk-{width}-5-calibration")
    anna.one("#keep [name=name]").fill("By anna")
    anna.one("#keep button[value=manual]").click()
    anna.one("#said", has_text="is in force").wait_for()
    assert "hallucinated from 0.70" in anna.one("main").inner_text()


def export(anna: Visitor, check_id: str) -> None:
    """Download the labels as lines and as a table."""
    anna.one("header nav a", has_text="History").click()
    with anna.page.expect_download() as begun:
        anna.one("a", has_text="Labels as JSON lines").click()
    rows = [json.loads(line) for line in Path(begun.value.path()).read_text(encoding="utf-8").splitlines()]
    assert {(row["check"] == check_id, row["label"], row["reviewers"][0]) for row in rows} == {
        (True, 1, "anna"),
        (False, 0, "ben"),
    }
    with anna.page.expect_download() as begun:
        anna.one("a", has_text="Labels as CSV").click()
    assert check_id in Path(begun.value.path()).read_text(encoding="utf-8")


def verify(anna: Visitor, width: int) -> None:
    """Note the head of the trail, verify it here, download it and verify it there."""
    anna.one("header nav a", has_text="Audit").click()
    head = anna.one("section[aria-labelledby=head-name] .digest").inner_text()
    anna.one("[name=noted]").fill(head)
    anna.one("button", has_text="Verify the whole trail").click()
    assert "The trail is unbroken." in anna.one("#chain").inner_text()
    anna.fits()
    anna.shoot(f"walk-{width}-6-audit")
    with anna.page.expect_download() as begun:
        anna.one("a", has_text="Download the trail").click()
    lines = Path(begun.value.path()).read_text(encoding="utf-8").splitlines()
    verdict = audit.verify(lines, noted=head)
    assert (verdict.unbroken, verdict.last_digest) == (True, head)
    kinds = {json.loads(json.loads(line)["body"])["kind"] for line in lines}
    assert kinds == {"check.judged", "review.saved", "check.decided", "calibration.created", "calibration.activated"}
    assert not audit.verify([lines[0].replace("anna", "otto"), *lines[1:]]).unbroken
