"""What a browser makes of the pages: hostile answers, reviewing by keys alone, no scripts, every language and width."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from made_browser import SIZES, Visitor, served, visitor
from made_pages import GROUNDED, QUESTION, REFERENCES, WRONG, made_app

from installed_browser import browser
from ragcortex.service.pages.wording import LANGUAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'> \"quoted\" 'single' &amp; {{7*7}} "
    "\u202egnirts\u202c 👨‍👩‍👧‍👦🇯🇵 "
    + "W" * 300
    + " http://elsewhere.example/x </textarea></script>\r\nIt was built in 1974.\x07"
)
PATHS = ("/", "/queue", "/history", "/dashboard", "/corpora", "/corpora/coast?q=sea", "/calibration", "/audit", "/keys",
         "/login", "/logout")  # fmt: skip


LOOKS = ((1280, "en", False), (390, "en", True), (1280, "ja", True), (390, "zh", False))


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with made_app(tmp_path_factory.mktemp("service")) as app, served(app) as base:
        yield base


def judged(service: str, answer: str, **values: Any) -> str:
    """Return the id of an answer that was judged now."""
    body = {"question": QUESTION, "references": REFERENCES, "answer": answer} | values
    return str(httpx.post(f"{service}/v1/check", json=body).raise_for_status().json()["id"])


@pytest.fixture(scope="module")
def ids(service: str) -> dict[str, str]:
    """Return the checks there are, by what they are for: some reviewed, one hostile, and a corpus."""
    values = {"references": [*REFERENCES, f"<b>{HOSTILE}"], "generator": HOSTILE[:150], "group": HOSTILE[:150]}
    answers = {"hostile": HOSTILE, "wrong": WRONG, "grounded": GROUNDED, "again": WRONG}
    made = {name: judged(service, answer, **values) for name, answer in answers.items()}
    with httpx.Client(base_url=service) as client:
        for name, label in (("grounded", 0), ("again", 1)):
            client.post(f"/v1/checks/{made[name]}/reviews", json={"label": label, "reviewer": "ben"}).raise_for_status()
        documents = [{"text": text, "source": HOSTILE[:100]} for text in REFERENCES]
        client.post("/v1/corpora", json={"name": "coast", "documents": documents}).raise_for_status()
    return made


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_in_every_language_and_width(
    chromium: "Browser", service: str, ids: dict[str, str], look: tuple[int, str, bool]
) -> None:
    width, language, dark = look
    assert language in LANGUAGES
    with visitor(chromium, service, width=width, language=language, dark=dark) as anna:
        results = [f"/checks/{ids[name]}" for name in ("wrong", "hostile", "again")]
        for path in (*PATHS, *results, f"/checks/{ids['wrong']}/delete", f"/review/{ids['hostile']}"):
            anna.go(path)
            name = re.sub(r"[0-9a-f]{32}", lambda found: next(n for n, one in ids.items() if one == found[0]), path)
            anna.shoot(f"{language}-{width}-{'dark' if dark else 'light'}{name.split('?')[0].replace('/', '-')}")
            assert anna.one("html").get_attribute("lang") == {"zh": "zh-Hans"}.get(language, language)
            anna.fits()
        anna.go(f"/review/next?after={ids['hostile']}")
        anna.content()


@pytest.mark.parametrize("width", SIZES)
def test_hostile_answers_neither_run_nor_break_anything(
    chromium: "Browser", service: str, ids: dict[str, str], width: int
) -> None:
    with visitor(chromium, service, width=width) as anna:
        for path in (f"/checks/{ids['hostile']}", f"/review/{ids['hostile']}", "/queue", "/history", "/corpora/coast"):
            anna.go(path)
            assert anna.page.evaluate("window.hacked") is None
            assert anna.one("main img, main script").count() == 0
            anna.fits()
        anna.go(f"/review/{ids['hostile']}")
        shown = anna.one("#answer").inner_text()
        assert shown.startswith("<script>window.hacked=1</script><img src=x")
        assert "<U+202E>gnirts<U+202C>" in shown
        assert shown.endswith("It was built in 1974.<U+0007>")
        # A stretch that holds characters of two units, a replaced one and a line break of two characters.
        while anna.one("#answer mark").count():
            anna.one("#answer mark").first.focus()
            anna.page.keyboard.press("x")
        anna.page.evaluate("getSelection().selectAllChildren(document.getElementById('answer'))")
        anna.page.keyboard.press("m")
        assert json.loads(anna.one("#marks").input_value()) == [[0, len(HOSTILE)]]
        anna.page.keyboard.press("z")
        anna.drag_over("#answer", "👨‍👩‍👧‍👦🇯🇵")
        ((start, end),) = json.loads(anna.one("#marks").input_value())
        assert HOSTILE[start:end] == "👨‍👩‍👧‍👦🇯🇵"
        anna.go(f"/review/next?after={ids['hostile']}")
        anna.content()


def test_an_answer_is_reviewed_by_keys_alone(chromium: "Browser", service: str) -> None:
    own = judged(service, WRONG)
    with visitor(chromium, service) as anna:
        anna.go("/login")
        anna.one("[name=name]").fill("keys")
        anna.page.keyboard.press("Enter")
        anna.page.wait_for_url(f"{service}/")
        anna.go(f"/review/{own}")
        press, marks = anna.page.keyboard.press, anna.one("#answer mark")

        def marked() -> list[str]:
            return [WRONG[start:end] for start, end in json.loads(anna.one("#marks").input_value())]

        def focused() -> str:
            return str(anna.page.evaluate("document.activeElement.textContent"))

        assert marked() == ["1974", "52"]
        press("j")
        assert (focused(), "1874" in anna.one("#detail").inner_text()) == ("1974", True)
        press("j")
        assert focused() == "52"
        press("j")
        assert focused() == "1974"
        press("k")
        assert focused() == "52"
        press("x")
        assert (marked(), focused()) == (["1974"], "1974")
        press("z")
        assert marked() == ["1974", "52"]
        # By words: The lighthouse at Cape …; four of them are selected.
        anna.one("#answer").focus()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"):
            press(key)
        assert anna.page.evaluate("getSelection().toString()") == "lighthouse at Cape Arden"
        assert anna.one("#spoken").inner_text() == "lighthouse at Cape Arden"
        press("m")
        assert marked() == ["lighthouse at Cape Arden", "1974", "52"]
        press("Shift+ArrowLeft")
        press("u")
        assert marked() == [" Arden", "1974", "52"]
        press("z")
        press("?")
        assert anna.one("#help").is_visible()
        press("g")
        press("Escape")
        assert anna.path() == f"/review/{own}"
        # Keys that write do not act, nor do any once they are switched off.
        anna.one("[name=comment]").focus()
        press("g")
        assert anna.one("[name=comment]").input_value() == "g"
        press("?")
        anna.one("#help-button").click()
        anna.one("#shortcuts").press("Space")
        press("Escape")
        anna.one("#answer").focus()
        press("g")
        assert anna.path() == f"/review/{own}"
        anna.one("#help-button").press("Enter")
        anna.one("#shortcuts").press("Space")
        press("Escape")
        assert marks.count() == 3
        anna.one("#answer").focus()
        press("a")
        anna.page.wait_for_url(lambda url: not url.endswith(own))
        rows = [json.loads(line) for line in anna.page.request.get(f"{service}/v1/reviews/export").text().splitlines()]
        (row,) = [row for row in rows if row["check"] == own]
        spans = [WRONG[span["start"] : span["end"]] for span in row["spans"]]
        assert (spans, row["reviewers"]) == (["lighthouse at Cape Arden", "1974", "52"], ["keys"])
        anna.content()


def test_everything_that_matters_works_without_scripts(chromium: "Browser", service: str, ids: dict[str, str]) -> None:
    with visitor(chromium, service, scripts=False) as anna:
        anna.go("/")
        anna.one("[name=reference]").fill(REFERENCES[0])
        anna.one("button[value=add]").click()
        anna.one("[name=reference]").nth(1).wait_for()
        anna.one("[name=answer]").fill(WRONG)
        anna.one("[name=generator]").press("Enter")
        anna.page.wait_for_url(re.compile(r"/checks/[0-9a-f]{32}$"))
        anna.one(".answer a.mark").first.click()
        assert anna.path().endswith("#passage-1")
        anna.one("a", has_text="Review this answer").click()
        assert anna.one("#tools").is_hidden()
        anna.one("[name=end]").first.fill("3")
        anna.one("[name=start]").first.fill("0")
        anna.one("[name=remove]").nth(1).check()
        anna.one("button[value=accept]").click()
        assert (
            "Saved: hallucinated" in anna.one("#said").inner_text() or "Nothing more" in anna.one("#said").inner_text()
        )
        anna.go("/calibration?hallucinated=0.5&review=0.5")
        assert anna.one("input[type=range]").first.is_hidden()
        anna.one("#try button").click()
        assert int(anna.one("[data-value=true_positives]").inner_text()) >= 1


def test_places_are_counted_in_code_points_by_the_script(chromium: "Browser", service: str) -> None:
    with visitor(chromium, service) as anna:
        anna.go("/login")

        def run(call: str) -> Any:
            return anna.page.evaluate(f"import('/static/marks.js').then((marks) => marks.{call})")

        assert run("pointsBefore('a👩b', 1)") == 1
        assert run("pointsBefore('a👩b', 2)") == run("pointsBefore('a👩b', 3)") == 2
        assert run("unitsBefore('a👩b', 2)") == 3
        assert run("joined([[4, 6], [0, 2], [2, 3], [5, 9]])") == [[0, 3], [4, 9]]
        assert run("without([[0, 3], [5, 9]], 2, 6)") == [[0, 2], [6, 9]]
        assert run("without([[0, 9]], 2, 6)") == [[0, 2], [6, 9]]
        assert run("trimmed(Array.from(' a👩 \\n'), 0, 5)") == [1, 3]
        assert run("trimmed(Array.from('  '), 0, 2)") is None
        assert run("words(Array.from('A 👩 is, 5% «so»'))") == [[0, 1], [2, 3], [4, 6], [8, 9], [9, 10], [12, 14]]


def test_a_passage_opens_at_the_bottom_where_there_is_no_room_beside(
    chromium: "Browser", service: str, ids: dict[str, str]
) -> None:
    with visitor(chromium, service, width=390) as anna:
        anna.go(f"/checks/{ids['wrong']}")
        detail = anna.one("#detail")
        assert detail.is_hidden()
        anna.one(".answer a.mark").first.click()
        box = detail.bounding_box()
        assert box is not None
        assert SIZES[390] - 40 < box["y"] + box["height"] <= SIZES[390]
        detail.locator("[data-close]").click()
        assert detail.is_hidden()
        anna.content()


def test_the_map_of_a_corpus_is_shown_in_its_frame(chromium: "Browser", service: str, ids: dict[str, str]) -> None:
    assert ids
    with visitor(chromium, service) as anna:
        anna.go("/corpora/coast")
        anna.one("summary", has_text="Map").click()
        frame = anna.page.frame_locator("iframe.map")
        frame.locator("svg.plane a.point").first.wait_for()
        # Its script runs, and reaches nothing of the page around it.
        frame.locator(".stage").press("ArrowRight")
        assert frame.locator(".tip.on").count() == 1
        inner: Visitor = anna
        assert inner.page.frames[1].evaluate("origin") == "null"
        anna.content()
