"""The page itself: a shell of HTML without code in it, and the files of the built bundle.

Nothing comes from elsewhere and no code stands in the page, so that a text of the data can never become one.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from html import escape
from importlib import resources

from zerokelvin.service.records.refusals import NotThereError
from zerokelvin.service.web.roles import OPEN
from zerokelvin.service.web.route_table import Call, RawAnswer, route

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    b"connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
KINDS = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "map": "application/json",
}
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='%235a6ce0' "
    "stroke='%235a6ce0' stroke-width='1.6'%3E%3Cpath d='M8.5 9l3 6.5M8.8 6.8l7-.5M17 8.2l-2.8 7'/%3E"
    "%3Ccircle cx='6' cy='7' r='3'/%3E%3Ccircle cx='18' cy='6' r='2.4'/%3E%3Ccircle cx='13' cy='18' r='3'/%3E"
    "%3C/svg%3E"
)
"""The sign of the page in the browser's tab; in the page, so that nothing else is asked for."""

SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="/label/assets/app.css">
<script type="module" src="/label/assets/app.js"></script>
</head>
<body>
<div id="app" data-project="{project}"></div>
<noscript>This page needs JavaScript; everything it does can also be done over HTTP, see /docs.</noscript>
</body>
</html>
"""


@route("GET", "/", OPEN, kind="text/html")
async def first_page(call: Call) -> RawAnswer:
    """Show the page of the project that is labelled here, or the list of projects."""
    return _shell(call.hall.settings.first_project)


@route("GET", "/label/", OPEN, kind="text/html")
async def label_projects(_: Call) -> RawAnswer:
    """Show the page with the list of projects."""
    return _shell("")


@route("GET", "/label/{project}", OPEN, kind="text/html")
async def label_page(call: Call) -> RawAnswer:
    """Show the labelling page of a project."""
    return _shell(call.path["project"])


@route("GET", "/label/assets/{file}", OPEN, kind="text/javascript", kinds=tuple(KINDS.values()))
async def label_asset(call: Call) -> RawAnswer:
    """Give a file of the page's bundle."""
    name = call.path["file"]
    data, tag = _asset(name)
    headers = ((b"etag", tag), (b"cache-control", b"no-cache"))
    if tag in call.headers.get(b"if-none-match", b""):
        return RawAnswer(b"", KINDS[name.rpartition(".")[2]], 304, headers)
    return RawAnswer(data, KINDS[name.rpartition(".")[2]], headers=headers)


@lru_cache(16)
def _asset(name: str) -> tuple[bytes, bytes]:
    """A file of the bundle with its tag."""
    known = name.rpartition(".")[2] in KINDS and name.replace(".", "").replace("-", "").isalnum()
    found = resources.files("zerokelvin.web").joinpath("bundle", name)
    if not known or not found.is_file():
        raise NotThereError(f"the page has no file '{name[:100]}'.")
    data = found.read_bytes()
    return data, f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'.encode()


def _shell(project: str) -> RawAnswer:
    title = f"{project} · zerokelvin" if project else "zerokelvin"
    page = SHELL.format(title=escape(title[:200]), icon=ICON, project=escape(project[:200]))
    headers = ((b"content-security-policy", POLICY), (b"cache-control", b"no-cache"))
    return RawAnswer(page.encode(), "text/html; charset=utf-8", headers=headers)
