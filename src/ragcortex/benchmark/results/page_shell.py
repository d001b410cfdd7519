"""The frame of a run's HTML pages: no scripts, nothing loaded but pictures beside the page, in the look of reports."""

import base64
import hashlib
import html
from typing import Final

from ragcortex.rendering.inert import inert_line
from ragcortex.rendering.page import PAGE_STYLE, STYLE

RUN_STYLE: Final = """
.ragcortex.run { max-width: 84rem; }
.ragcortex.run h1 { font-size: 1.5rem; line-height: 1.25; }
.ragcortex.run h2 { font-size: 1.125rem; letter-spacing: 0; text-transform: none; color: var(--ink); margin-top: 2rem; }
.ragcortex.run h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.ragcortex.run p, .ragcortex.run ul { margin: .5rem 0; }
.ragcortex.run ul { padding-left: 1.25rem; }
.ragcortex.run img { max-width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line); }
.ragcortex.run pre { background: var(--panel); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem;
  overflow-x: auto; }
.ragcortex.run .scroll { overflow-x: auto; }
.ragcortex.run .scroll table { font-size: .875rem; font-variant-numeric: tabular-nums; }
.ragcortex.run .scroll td { white-space: nowrap; padding: .25rem .75rem .25rem 0; }
.ragcortex.run .scroll tr:hover td { background: var(--panel); }
.ragcortex.run .right { text-align: right; }
@media (max-width: 36rem) {
  .ragcortex.run .scroll thead { display: table-header-group; } .ragcortex.run .scroll tr { display: table-row; }
  .ragcortex.run .scroll td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; }
}
"""


def page(title: str, body: str, *, style: str = "") -> str:
    """Return a whole page; `body` is HTML whose texts are escaped already, `style` comes after the common one."""
    sheet = PAGE_STYLE + STYLE + RUN_STYLE + style
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; img-src 'self' file:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(inert_line(title))}</title>\n<style>{sheet}</style>\n</head>\n"
        f'<body>\n<main class="ragcortex run" lang="en" dir="ltr">\n{body}</main>\n</body>\n</html>\n'
    )
