"""How figures with a goal are read off what a benchmark prints; `speed_goals` gathers them in one table.

A reader takes the printed lines and gives what was measured, the figure, ``"at most"`` or ``"at least"``, and
the goal. Where a benchmark prints the goal beside the figure it is read from there; the others stand here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "MISTAKES",
    "printed_rows",
    "read_latency",
    "read_learners_at_scale",
    "read_packing",
    "read_second_order",
    "read_service",
    "read_solvers",
    "read_spectral",
    "read_zero_temperature",
]

Row = Mapping[str, str]
Figure = tuple[str, float, str, float]


def printed_rows(lines: Sequence[str]) -> Iterator[Row]:
    """The rows of all tables among the lines, by their headings.

    >>> list(printed_rows(["| a | b |", "|---|---|", "| 1 | 2 |"]))
    [{'a': '1', 'b': '2'}]
    """
    heads: list[str] = []
    previous: list[str] = []
    for line in lines:
        if not line.startswith("|"):
            heads = previous = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells and all(set(cell) <= {"-", ":"} and cell for cell in cells):
            heads = previous
        elif heads and len(cells) == len(heads):
            yield dict(zip(heads, cells, strict=True))
        previous = cells


def _number(text: str) -> float | None:
    found = re.search(r"-?[\d,]*\.?\d+", text)
    return float(found.group().replace(",", "")) if found else None


def read_latency(lines: Sequence[str]) -> Iterator[Figure]:
    """Shares of the goals, in processor time."""
    for row in printed_rows(lines):
        share = _number(row.get("CPU / goal", ""))
        if share is not None:
            yield f"{row['row']}: {row['what']}, processor time over goal", share, "at most", 1.0


def read_spectral(lines: Sequence[str]) -> Iterator[Figure]:
    """Products of the Laplacian that an embedding takes."""
    for row in printed_rows(lines):
        products, goal = _number(row.get("mv", "")), _number(row.get("goal", ""))
        if products is not None and goal is not None:
            yield f"spectral embedding, {row['graph']}: products", products, "at most", goal


def read_second_order(lines: Sequence[str]) -> Iterator[Figure]:
    """How many times faster than the same in NumPy."""
    for line in lines:
        found = re.match(r"(\w+)\s+(ollgc|sslgc)\s", line)
        if found is None:
            continue
        for version, times in re.findall(r"(\w+)\s+([\d.]+)×", line):
            what = f"{found[2]} on {found[1]}: times faster than NumPy ({version})"
            yield what, float(times), "at least", 20.0


def read_zero_temperature(lines: Sequence[str]) -> Iterator[Figure]:
    """Arcs looked at, and the time beside a flow for every trial."""
    for row in printed_rows(lines):
        if share := _number(row.get("of 20·E·(1+√φ)", "")):
            yield f"longest-path, {row['family']}: arcs touched over 20·E·(1+√φ)", share, "at most", 1.0
        if "scipy flow ms" in row and (ratio := _number(row["ratio"])) is not None:
            what = f"longest-path on {row['data']}: times faster than a flow per trial"
            yield what, ratio, "at least", 1000.0
        if "to play" in row and "grid" in row["graph"] and (seconds := _number(row["to play"])) is not None:
            yield f"longest-path, {row['graph']}: seconds", seconds, "at most", 30.0


MISTAKES = {"tree": 5.0, "knn2": 15.0, "knn16": 80.0, "attachment": 25.0}


def read_learners_at_scale(lines: Sequence[str]) -> Iterator[Figure]:
    """Products that a mistake takes, and the time of a prediction."""
    for row in printed_rows(lines):
        products = _number(row.get("mistake mv", ""))
        if products is None:
            continue
        name = f"{row['learner']}, {row['family']} of {row['nodes']}"
        if row["family"] in MISTAKES:
            yield f"{name}: one mistake, products", products, "at most", MISTAKES[row["family"]]
        if (micro := _number(row.get("prediction µs", ""))) is not None:
            yield f"{name}: prediction, µs", micro, "at most", 2.0


CHEAPER, SLOWER = 2.0, 1.5
"""A column in a block of 24 costs half of one alone; `auto` at most half as much again as the best engine."""


def read_solvers(lines: Sequence[str]) -> Iterator[Figure]:
    """How much cheaper a column is in a block, and how far the automatic choice is from the best engine."""
    for row in printed_rows(lines):
        if (times := _number(row.get("times cheaper per column in a block", ""))) is not None:
            name = f"{row['engine']}, {row['family']} of {row['nodes']}"
            yield f"{name}: times cheaper per column in a block", times, "at least", CHEAPER
        if (ratio := _number(row.get("auto / best engine, per column", ""))) is not None:
            yield f"auto over the best engine, {row['family']} of {row['nodes']}", ratio, "at most", SLOWER


_SERVICE = re.compile(
    r"(?P<row>[a-z]+) +(?P<what>\S.*?) {2,}(?P<value>[\d,.]+) (?P<unit>\S+) +"
    r"(?:(?P<ratio>[\d.]+) × (?P<beside>\S.*?) +)?(?P<goal>[≥≤<] .*?)\s*"
)


def read_service(lines: Sequence[str]) -> Iterator[Figure]:
    """Rates beside a raw app or the disk, waiting times; the goal stands at the end of a line.

    >>> list(read_service(["labels   32 clients     4,200.0 /s   8.00 × fdatasync   ≥ 10, or 4,000/s"]))
    [('labels: 32 clients, share of ≥ 10, or 4,000/s', 1.05, 'at least', 1.0)]
    """
    for line in lines:
        found = _SERVICE.fullmatch(line)
        if found is None:
            continue
        what = f"{found['row']}: {' '.join(found['what'].split())}"
        value, ratio = _number(found["value"]), _number(found["ratio"] or "")
        goals = [goal for goal in map(_number, found["goal"].split(" or ")) if goal is not None]
        if value is None or not goals:
            continue
        if len(goals) == 2 and ratio is not None:
            share = max(ratio / goals[0], value / goals[1])
            yield f"{what}, share of {found['goal']}", round(share, 3), "at least", 1.0
        elif ratio is not None:
            yield f"{what}, × {found['beside']}", ratio, "at least", goals[0]
        else:
            kind = "at least" if found["goal"].startswith("≥") else "at most"
            yield f"{what}, {found['unit']}", value, kind, goals[0]


SORTS = 2.0


def read_packing(lines: Sequence[str]) -> Iterator[Figure]:
    """Processor time of packing over that of the sort alone."""
    spent = {}
    for line in lines:
        found = re.match(r"(sort alone|pack) +[\d.]+ +([\d.]+) ", line)
        if found:
            spent[found[1]] = float(found[2])
    if spent.get("sort alone") and "pack" in spent:
        yield "packing, processor time over a sort", spent["pack"] / spent["sort alone"], "at most", SORTS
