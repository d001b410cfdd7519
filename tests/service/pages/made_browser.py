"""A browser at the pages of a running service, which notes everything that it complains about."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    from fastapi import FastAPI
    from playwright.sync_api import Browser, Locator, Page

SCREENSHOTS = "RAGCORTEX_SCREENSHOTS"
SIZES = {1280: 900, 390: 844}
LOCALES = {"en": "en-GB", "ja": "ja-JP", "zh": "zh-CN"}
_POLICY = """
addEventListener("securitypolicyviolation", (event) => {
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile);
});
"""
# Where a text lies in an element, from its first to its last character, as points of the window.
_PLACE = """([selector, text]) => {
  const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  const whole = [];
  while (walker.nextNode()) for (let at = 0; at < walker.currentNode.data.length; at += 1) {
    whole.push([walker.currentNode, at]);
  }
  const start = whole.map(([node, at]) => node.data[at]).join("").indexOf(text);
  const box = ([node, at]) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect();
  };
  const first = box(whole[start]), last = box(whole[start + text.length - 1]);
  return [first.left + 1, (first.top + first.bottom) / 2, last.right - 1, (last.top + last.bottom) / 2];
}"""


@contextmanager
def served(app: "FastAPI") -> Iterator[str]:
    """Return the address of an application that a thread of this process serves."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive(), "the service did not start"
            assert time.monotonic() < until, "the service did not start within 60 s"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


@dataclass
class Visitor:
    """A person at the pages: where the service is, the page, and what the browser complained about."""

    base: str
    page: "Page"
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(_POLICY)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._noted_request)

    def go(self, path: str) -> None:
        self.page.goto(f"{self.base}{path}")

    def path(self) -> str:
        return self.page.url.removeprefix(self.base)

    def one(self, selector: str, **more: Any) -> "Locator":
        return self.page.locator(selector, **more)

    def drag_over(self, selector: str, text: str) -> None:
        """Select the text in an element with the mouse."""
        self.one(selector).scroll_into_view_if_needed()
        x, y, to_x, to_y = self.page.evaluate(_PLACE, [selector, text])
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
        self.page.mouse.move(to_x, to_y)
        self.page.mouse.up()

    def shoot(self, name: str) -> None:
        """Save what is seen where a folder for it is given."""
        folder = os.environ.get(SCREENSHOTS)
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    def fits(self) -> None:
        """Assert that nothing is wider than the window."""
        width = self.page.viewport_size["width"]  # type: ignore[index]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width, self.path()

    def content(self) -> None:
        """Assert that the browser had nothing to complain about."""
        assert self.complaints == []

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _noted_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.complaints.append(f"elsewhere: {request.url}")


@contextmanager
def visitor(
    running: "Browser", base: str, *, width: int = 1280, language: str = "en", dark: bool = False, scripts: bool = True
) -> Iterator[Visitor]:
    """Return a visitor with a session of its own."""
    context = running.new_context(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme="dark" if dark else "light",
        locale=LOCALES[language],
        java_script_enabled=scripts,
        accept_downloads=True,
    )
    context.set_default_timeout(20_000)
    yield Visitor(base, context.new_page())
    context.close()
