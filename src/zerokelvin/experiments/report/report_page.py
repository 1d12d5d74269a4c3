"""The report as one file of HTML: a summary, every claim as a cell, how close the theorems come, the errata.

The file needs nothing else: style, script and pictures are inside, and it opens from the disk.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import zerokelvin
from zerokelvin.experiments.report.claim import CLAIMS, VERDICTS
from zerokelvin.experiments.report.claim_run import UNMEASURED, ClaimResult
from zerokelvin.experiments.report.papers import PAPERS, Paper
from zerokelvin.experiments.report.report_style import SCRIPT, STYLE
from zerokelvin.experiments.report.svg import draw_chart, escape
from zerokelvin.experiments.reproduction.reproduction import Table

__all__ = ["render_report"]

WORDS = {
    "reproduced": "✓ reproduced",
    "partly": "◐ partly",
    "not": "✗ not",
    "measured": "● measured",
    UNMEASURED: "○ not measured",
}
FEW = 8  # checks shown without unfolding


def render_report(results: Sequence[ClaimResult], command: str) -> str:
    """The whole page; `command` is what wrote it."""
    statements = [r for r in results if not CLAIMS[r.name].erratum]
    errata = [r for r in results if CLAIMS[r.name].erratum]
    closeness = [r for r in statements if r.name == "beyond/closeness"]
    parts = [_summary(statements, errata, command)]
    papers = [name for name in PAPERS if any(r.name.startswith(f"{name}/") for r in statements)]
    for name in papers:
        own = [r for r in statements if r.name.startswith(f"{name}/") and r not in closeness]
        parts.append(_paper(name, PAPERS[name], own))
    if closeness:
        intro = (
            "Every bound below was computed for the game that was played. A bound that is not below the "
            "number of trials says nothing there; those that are close stand first."
        )
        parts.append(f'<section id="closeness"><h2>How close each theorem gets</h2><p>{intro}</p>')
        parts += [_cell(r) for r in closeness] + ["</section>"]
    if errata:
        intro = (
            "Statements that fail as printed, each with the evidence; the package computes the mended form."
        )
        parts.append(f'<section id="errata"><h2>Errata</h2><p>{intro}</p>')
        parts += [_cell(r) for r in errata] + ["</section>"]
    links = [("summary", "Summary"), *((name, name) for name in papers)]
    links += [("closeness", "Bounds")] if closeness else []
    links += [("errata", "Errata")] if errata else []
    menu = "".join(f'<a href="#{target}">{escape(text)}</a>' for target, text in links)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>zerokelvin: every claim of the papers</title><style>{STYLE}</style></head><body>"
        f"<nav>{menu}</nav><main>{''.join(parts)}</main><div id=hint></div>"
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _summary(statements: Sequence[ClaimResult], errata: Sequence[ClaimResult], command: str) -> str:
    """The counts of verdicts, in all and by paper, and how the report came about."""
    counts = Counter(r.verdict for r in statements)
    cards = "".join(
        f"<div><b class={_css(verdict)}>{counts[verdict]}</b>{escape(WORDS[verdict])}</div>"
        for verdict in (*VERDICTS, UNMEASURED)
        if counts[verdict]
    )
    cards += f"<div><b>{len(errata)}</b>errata with evidence</div>" if errata else ""
    rows = []
    for result in (*statements, *errata):
        claim = CLAIMS[result.name]
        paper = result.name.partition("/")[0]
        rows.append(
            f'<tr><td><a href="#{result.name}">{escape(claim.title)}</a></td><td>{paper}</td>'
            f"<td class={_css(result.verdict)}>{escape(WORDS[result.verdict])}</td></tr>"
        )
    open_ones = [r for r in statements if r.verdict in ("partly", "not")]
    listed = "".join(
        f'<li><a href="#{r.name}">{escape(c.title)}</a>: {_failed(r)}. {escape(c.differs)}</li>'
        for r, c in ((r, CLAIMS[r.name]) for r in open_ones)
    )
    differences = f"<h2>What does not agree, and why</h2><ul>{listed}</ul>" if listed else ""
    fast = any(r.fast for r in statements)
    size = "the short form (--fast): fewer orders, smaller graphs" if fast else "the whole"
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    seconds = sum(r.seconds for r in (*statements, *errata))
    about = (
        f"zerokelvin {zerokelvin.__version__}, {size}; written {now} on Python {platform.python_version()}, "
        f"{platform.machine()}; {seconds:,.0f} processor seconds of measuring."
    )
    return (
        '<section id="summary"><h1>Does it reproduce the papers?</h1>'
        "<p>Every claim, table and figure of five papers beside what this library measures. What counts as "
        "agreement was fixed in the code before the run; a verdict is computed from the checks alone.</p>"
        f'<div class="cards">{cards}</div>'
        f'<p class="soft">{escape(about)}<br><code>{escape(command)}</code></p>{differences}'
        '<details><summary>All claims</summary><div class="scroll"><table><thead><tr><th>claim</th>'
        f"<th>paper</th><th>verdict</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div></details></section>"
    )


def _failed(result: ClaimResult) -> str:
    """A sentence that says how many of the checks do not agree."""
    told = [check.agrees for check in result.found.checks if check.agrees is not None]
    return f"{told.count(False)} of {len(told)} checks do not agree"


def _paper(name: str, paper: Paper, results: Sequence[ClaimResult]) -> str:
    cells = "".join(_cell(result) for result in results)
    head = f"<h2>{escape(paper.title)}</h2><p class=soft>{escape(paper.source)}. {escape(paper.about)}</p>"
    return f'<section id="{name}">{head}{cells}</section>'


def _cell(result: ClaimResult) -> str:
    """One claim: what is printed, what was measured, the verdict, how to measure it again."""
    claim = CLAIMS[result.name]
    word = f'<span class="verdict {_css(result.verdict)}">{escape(WORDS[result.verdict])}</span>'
    facts = [("Printed", claim.says), ("Agrees if", claim.tolerance), ("Where", claim.place)]
    if claim.differs and any(check.agrees is False for check in result.found.checks):
        facts.append(("Why not all", claim.differs))
    if result.failure:
        facts.append(("Not measured", result.failure))
    listed = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    found = result.found
    parts = [f'<article id="{result.name}"><div class="head"><h3>{escape(claim.title)}</h3>{word}</div>']
    parts += [f"<dl>{listed}</dl>", _checks(result)]
    parts += [draw_chart(chart) for chart in found.charts]
    parts += [_table(table) for table in found.tables]
    parts += [f"<p>{escape(note)}</p>" for note in found.notes]
    parts.append(
        f"<footer><code>{escape(result.command)}</code> · seed {result.seed} · code {result.version} · "
        f"{result.seconds:,.1f} processor seconds</footer></article>"
    )
    return "".join(parts)


def _checks(result: ClaimResult) -> str:
    """Printed against measured; the ones that do not agree first, the rest unfolds."""
    checks = sorted(result.found.checks, key=lambda check: check.agrees is not False)
    if not checks:
        return ""
    marks = {True: ("yes", "✓ agrees"), False: ("no", "✗ does not"), None: ("soft", "shown")}
    rows = [
        f"<tr><td>{escape(c.what)}</td><td>{escape(c.printed)}</td><td>{escape(c.measured)}</td>"
        f"<td class={marks[c.agrees][0]}>{marks[c.agrees][1]}</td></tr>"
        for c in checks
    ]
    head = "<thead><tr><th>check</th><th>printed</th><th>measured</th><th></th></tr></thead>"
    first = f'<div class="scroll"><table>{head}<tbody>{"".join(rows[:FEW])}</tbody></table></div>'
    if len(rows) <= FEW:
        return first
    right = sum(c.agrees is True for c in checks)
    more = f"{len(rows) - FEW} more checks; {right} of {sum(c.agrees is not None for c in checks)} agree"
    rest = f'<div class="scroll"><table>{head}<tbody>{"".join(rows[FEW:])}</tbody></table></div>'
    return f"{first}<details><summary>{more}</summary>{rest}</details>"


def _table(table: Table) -> str:
    heads = "".join(
        f"<th class={'n' if i in table.numbers else 't'}>{escape(name)}</th>"
        for i, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td class={'n' if i in table.numbers else 't'}>{escape(cell)}</td>"
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    notes = "".join(f"<figcaption>{escape(note)}</figcaption>" for note in table.notes)
    body = f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f"<figure><h5>{escape(table.title)}</h5>{body}{notes}</figure>"


def _css(verdict: str) -> str:
    return "unmeasured" if verdict == UNMEASURED else verdict
