"""The page /docs: every route with what it takes and gives, as plain HTML without any code in it.

It needs nothing from elsewhere, so it can be read where there is no network. Routes stand under what their
module says of itself; light or dark is as the reader's system has it, and a phone has one column.
"""

from __future__ import annotations

import sys
from html import escape
from itertools import groupby

import msgspec

from zerokelvin import __version__
from zerokelvin.service.web.route_table import RouteInfo

__all__ = ["STYLE", "docs_page"]

STYLE = b""":root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dfe6; --back: #fff;
  --card: #f6f8fa; --get: #0b6bcb; --post: #1a7f4b; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa7b6; --line: #303a46;
  --back: #12171e; --card: #1a212a; --get: #6cb2ff; --post: #5fd39b; --delete: #ff8f86; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 58rem;
  margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; padding-bottom: .3rem;
  border-bottom: 1px solid var(--line); }
a { color: var(--get); }
code, pre { font: .875em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem;
  overflow-x: auto; white-space: pre-wrap; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem;
  margin: .5rem 0; }
article p { margin: .15rem 0 0; }
h3 { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; margin: 0; font-size: 1rem;
  font-weight: 400; }
h3 code { flex: 1 1 14rem; }
.method { font-weight: 700; font-size: .8rem; min-width: 3.6rem; }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.role { color: var(--soft); font-size: .85rem; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .1rem 1rem;
  margin: .5rem 0 .1rem; font-size: .9rem; }
dt { grid-column: 1; } dd { grid-column: 2; margin: 0; color: var(--soft); }
nav ul { columns: 2; padding-left: 1.1rem; font-size: .9rem; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dd { grid-column: 1; margin: 0 0 .3rem 1rem; }
  nav ul { columns: 1; } }
"""

EXAMPLE = """curl -X POST http://127.0.0.1:8321/v1/projects/fraud/predict \\
     -H 'content-type: application/json' -H 'authorization: Bearer KEY' -d '{"nodes": ["ann"]}'"""


def docs_page(routes: list[RouteInfo]) -> bytes:
    """The page as HTML."""
    ordered = sorted(routes, key=lambda one: (one.handler.__module__, one.path, one.method))
    groups = [(room, list(group)) for room, group in groupby(ordered, key=lambda one: one.handler.__module__)]
    index = "\n".join(f'<li><a href="#{_place(room)}">{_heading(room)}</a></li>' for room, _ in groups)
    sections = "\n".join(_section(room, group) for room, group in groups)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>zerokelvin {escape(__version__)}: the API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<h1>zerokelvin {escape(__version__)}</h1>
<p>Decisions now, answers later. Requests and answers are JSON; every write takes an
<code>Idempotency-Key</code>; errors are problem documents (RFC 9457) that name the bad value and the remedy.
The whole description is <a href="/openapi.json">openapi.json</a>.</p>
<pre>{escape(EXAMPLE)}</pre>
<nav><ul>
{index}
</ul></nav>
<main>
{sections}
</main>
</body>
</html>
""".encode()


def _place(room: str) -> str:
    return escape(room.rpartition(".")[2].replace("_", "-"))


def _heading(room: str) -> str:
    """The first sentence of a module, which says what its routes are for."""
    said = (sys.modules[room].__doc__ or room).strip().partition("\n")[0]
    return escape(said.rstrip("."))


def _section(room: str, routes: list[RouteInfo]) -> str:
    shown = "\n".join(_route(info) for info in routes)
    return f'<section id="{_place(room)}">\n<h2>{_heading(room)}</h2>\n{shown}\n</section>'


def _route(info: RouteInfo) -> str:
    method = escape(info.method)
    asked = "".join(
        f"<dt><code>?{escape(one.name)}</code></dt><dd>{escape(one.text)}</dd>" for one in info.query
    )
    who = "" if info.role == "open" else f"role {escape(info.role)}"
    return (
        f'<article><h3><span class="method {method.lower()}">{method}</span><code>{escape(info.path)}</code>'
        f'<span class="role">{who}</span></h3><p>{escape(info.text)}</p>'
        f"<dl>{_fields(info)}{asked}</dl></article>"
    )


def _fields(info: RouteInfo) -> str:
    """The fields of the body, those that must be there first."""
    if info.takes is None:
        return ""
    fields = sorted(msgspec.structs.fields(info.takes), key=lambda one: not one.required)
    return "".join(
        f"<dt><code>{escape(one.name)}</code></dt><dd>{'required' if one.required else 'if wanted'}</dd>"
        for one in fields
    )
