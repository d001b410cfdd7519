"""The documentation builds without a warning, its links lead somewhere, and its pages load nothing from elsewhere."""

import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from doc_pages import DOCS, ROOT, blocks, pages, text_of

from installed_browser import browser

CONFIG = ROOT / "mkdocs.yml"
MOST_PICTURE_BYTES = 300_000
_LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Page(HTMLParser):
    """What a built page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        if "id" in values:
            self.ids.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get(_LOADED.get(tag, "")) and values.get("rel") != "canonical":
            self.loaded.append(values[_LOADED[tag]])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the site, and what was said while it was built."""
    if find_spec("zensical") is None:
        pytest.skip("zensical is not installed: pip install 'ragcortex[dev]'")
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(DOCS, folder / "docs")
    shutil.copy(CONFIG, folder / "mkdocs.yml")
    (folder / "src").symlink_to(ROOT / "src", target_is_directory=True)
    run = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = _ANSI.sub("", run.stdout + run.stderr)
    assert run.returncode == 0, said
    return folder / "site", said


@pytest.fixture(scope="module")
def read(built: tuple[Path, str]) -> dict[str, Page]:
    """Return all built pages by their names."""
    found = {}
    for path in built[0].rglob("*.html"):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        found[path.relative_to(built[0]).as_posix()] = page
    return found


def test_the_build_says_nothing_but_that_it_is_done(built: tuple[Path, str]) -> None:
    lines = [line for line in built[1].splitlines() if line.strip()]
    said = {re.sub(r"[\d.]+", "#", line) for line in lines}
    assert said == {"Build started", "No issues found", "Build finished in #s"}


def test_links_and_anchors_lead_somewhere(built: tuple[Path, str], read: dict[str, Page]) -> None:
    site = built[0]
    assert len(read) > len(pages(of_results=True))  # and the page for what is not there
    for name, page in read.items():
        if name == "404.html":  # its links are those of any other page, from the site's own root
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{name} links to {link}"
            if parts.fragment and target.suffix == ".html":
                ids = read[target.resolve().relative_to(site.resolve()).as_posix()].ids
                assert unquote(parts.fragment) in ids, f"{name} links to {link}, which has no such place"


def test_what_pages_load_is_part_of_the_site(built: tuple[Path, str], read: dict[str, Page]) -> None:
    for name, page in read.items():
        for loaded in page.loaded:
            parts = urlsplit(loaded)
            assert not parts.netloc, f"{name} loads {loaded}"
            if parts.scheme != "data" and name != "404.html":
                assert ((built[0] / name).parent / unquote(parts.path)).is_file(), f"{name} loads {loaded}"
    for sheet in built[0].rglob("*.css"):
        assert not re.search(r"(?:@import\s*|url\()[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


@pytest.mark.weights
def test_a_browser_asks_no_other_host(built: tuple[Path, str]) -> None:
    with _served(built[0]) as address, browser() as running:
        page = running.new_page()
        asked: list[str] = []
        failed: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("requestfailed", lambda request: failed.append(request.url))
        for name in ("index.html", "method.html", "reference.html"):
            page.goto(f"{address}/{name}", wait_until="networkidle")
        page.keyboard.press("Control+k")
        page.wait_for_timeout(500)
    assert asked
    assert not failed
    assert {url for url in asked if not url.startswith((address, "data:", "blob:"))} == set()


def test_every_page_is_in_the_navigation() -> None:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    listed = list(_listed(config["nav"]))
    assert len(listed) == len(set(listed))
    named = {*listed, *_linked("decisions/index.md", "decisions/")}
    assert set(pages(of_results=True)) == named, "name new pages in mkdocs.yml, and new decisions in their index"


def test_pages_have_one_heading_and_pictures_have_words() -> None:
    for page in pages():
        text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
        if page != "map.md":
            assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, page
        for words, place in re.findall(r"!\[(.*?)\]\((.*?)\)", text):
            assert len(words) > 20, f"{page}: say what {place} shows"
            assert (DOCS / page).parent.joinpath(place).stat().st_size < MOST_PICTURE_BYTES


def test_no_block_is_without_its_end() -> None:
    for page in pages(of_results=True):
        assert len(re.findall(r"^```", text_of(page), re.MULTILINE)) == 2 * len(list(blocks(page))), page


def _listed(entries: object) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    elif isinstance(entries, dict):
        for value in entries.values():
            yield from _listed(value)
    elif isinstance(entries, list):
        for entry in entries:
            yield from _listed(entry)


def _linked(page: str, folder: str) -> Iterator[str]:
    yield from (folder + target for target in re.findall(r"\]\(([^)#]+\.md)\)", text_of(page)))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _served:  # noqa: N801  # reads as a verb where it is used
    """Serve a folder on a free port of loopback while the block runs."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(_Quiet, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
