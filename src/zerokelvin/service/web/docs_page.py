"""The page /docs: every route with what it takes and gives, as plain HTML without any code in it.

It needs nothing from elsewhere, so it can be read where there is no network.
"""

from __future__ import annotations

from html import escape

from zerokelvin import __version__
from zerokelvin.service.web.route_table import RouteInfo

__all__ = ["STYLE", "docs_page"]

STYLE = b"""body { font: 16px system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #ccc; padding: .4rem .6rem; text-align: left; vertical-align: top; }
code { font: 14px ui-monospace, monospace; }
.method { font-weight: 600; }
"""


def docs_page(routes: list[RouteInfo]) -> bytes:
    """The page as HTML."""
    rows = "\n".join(_row(info) for info in sorted(routes, key=lambda one: (one.path, one.method)))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>zerokelvin</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<h1>zerokelvin {escape(__version__)}</h1>
<p>Decisions now, answers later. Requests and answers are JSON; every write takes an
<code>Idempotency-Key</code>; errors are problem documents (RFC 9457). The whole description is
<a href="/openapi.json">openapi.json</a>.</p>
<table>
<thead><tr><th>request</th><th>what it does</th><th>parameters</th><th>role</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
""".encode()


def _row(info: RouteInfo) -> str:
    takes = (
        ""
        if info.takes is None
        else "".join(f"<li><code>{escape(name)}</code></li>" for name in info.takes.__struct_fields__)
    )
    asked = "".join(f"<li><code>?{escape(one.name)}</code> {escape(one.text)}</li>" for one in info.query)
    return (
        f'<tr><td><span class="method">{info.method}</span> <code>{escape(info.path)}</code></td>'
        f"<td>{escape(info.text)}</td><td><ul>{takes}{asked}</ul></td><td>{info.role}</td></tr>"
    )
