"""Takes a picture of a real report, as a browser shows it, for the README and the first page.

    python docs/make_gallery.py

Needs the embedded models, playwright and a Chromium on the PATH. Fonts differ between machines, so its bytes do too.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from ragcortex import Detector

PICTURE: Final = Path(__file__).parent / "figures" / "report.png"
MOST_BYTES: Final = 300_000
WIDTH: Final = 860
QUESTION: Final = "When was the lighthouse built, and can I visit it?"
REFERENCES: Final = (
    "The lighthouse at Cape Arden was built in 1874. It is 31 metres high and stands on a granite rock.",
    "The lighthouse is open to visitors from May to September, every day except Monday. A ticket costs 5 euros.",
)
ANSWER: Final = (
    "The lighthouse was built in 1874 and is 31 metres high. You can visit it from May to September, and a ticket "
    "costs 8 euros. The keeper's family sells coffee in the tower."
)


def main() -> None:
    """Check the answer, and take the picture of its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=PICTURE)
    options = parser.parse_args()
    report = Detector.load(dtype="float32").check(QUESTION, REFERENCES, ANSWER)
    picture = photographed(report.to_html())
    if len(picture) > MOST_BYTES:
        raise SystemExit(f"the picture has {len(picture):,} bytes, more than {MOST_BYTES:,}; take a smaller one")
    options.out.write_bytes(picture)


def photographed(html: str) -> bytes:
    """Return a page as Chromium shows it, as PNG."""
    browser_path = shutil.which("chromium")
    if browser_path is None:
        raise SystemExit("there is no chromium on the PATH; install one")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "report.html")
        page_file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        try:
            page = browser.new_page(
                viewport={"width": WIDTH, "height": 400}, device_scale_factor=1.5, color_scheme="light"
            )
            page.goto(page_file.as_uri())
            return page.screenshot(full_page=True)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
