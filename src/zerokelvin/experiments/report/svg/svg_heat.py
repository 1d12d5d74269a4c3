"""A heat map with its numbers: a table whose cells are tinted, so that it can be read and copied."""

from __future__ import annotations

import math
from typing import Any

from zerokelvin.experiments.report.svg.drawing_marks import escape, figure

__all__ = ["draw_heat"]


def draw_heat(chart: dict[str, Any]) -> str:
    """The chart as a figure of HTML; in every column the best value is set in bold."""
    columns = range(len(chart["columns"]))
    low_is_best = chart["best"] == "low"
    best, spans = [], []
    for j in columns:
        known = [row[j] for row in chart["values"] if row[j] is not None]
        best.append((min if low_is_best else max)(known, default=None))
        spans.append((min(known, default=0.0), max(known, default=1.0)))
    head = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in chart["columns"])
    body = []
    for name, row in zip(chart["rows"], chart["values"], strict=True):
        cells = []
        for j in columns:
            value = row[j]
            if value is None:
                cells.append('<td class="none">–</td>')
                continue
            low, high = spans[j]
            share = 0.0 if high <= low else (value - low) / (high - low)
            share = share if low_is_best else 1 - share
            shown = f"{value:.{chart['digits']}f}" if math.isfinite(value) else "∞"
            strong = f"<b>{shown}</b>" if value == best[j] else shown
            title = escape(f"{name}, {chart['columns'][j]}: {shown}")
            cells.append(f'<td style="--heat:{share:.2f}" title="{title}">{strong}</td>')
        body.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>')
    table = f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    return figure(
        chart["title"], (), f'<div class="scroll"><table class="heat">{table}</table></div>', chart["caption"]
    )
