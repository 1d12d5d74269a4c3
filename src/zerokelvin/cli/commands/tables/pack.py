"""``zerokelvin pack``: tables of edges of any size into one file, which is mapped and not read."""

from __future__ import annotations

import time
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import OptionType
from zerokelvin.cli.output import print_json, print_text
from zerokelvin.cli.problem_options import ColumnChoice
from zerokelvin.cli.progress import Report, reporting
from zerokelvin.errors import ParameterError

__all__ = ["pack"]

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


class Memory(OptionType):
    """An amount of memory, as 1.2GB, 800MB or 2GiB."""

    name = "memory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes of a text such as ``8GB``; refuses what is none."""
        if isinstance(value, int):
            return value
        text = str(value).strip().upper()
        digits = text.rstrip("KMGIB ")
        try:
            number = float(digits) * UNITS[text[len(digits) :].strip()]
        except (ValueError, KeyError):
            self.fail(f"'{value}' is no amount of memory; write 1.2GB, 800MB or 2GiB.", param, ctx)
        if not 5e8 <= number <= 1e15:
            self.fail(f"'{value}' is not between 500MB and 1000000GB.", param, ctx)
        return int(number)


@click.command()
@click.argument("parts", nargs=-1, required=True)
@click.option("--out", metavar="FILE.zkg", help="The file to write, whole or not at all.")
@click.option("--order", default="name", show_default=True, metavar="name|rcm", help="How to number nodes.")
@click.option("--memory", type=Memory(), default="1.2GB", show_default=True, help="How much it may take.")
@click.option("--source", type=ColumnChoice(), metavar="COLUMN", help="Column with one node of an edge.")
@click.option("--target", type=ColumnChoice(), metavar="COLUMN", help="Column with the other node.")
@click.option("--weight", type=ColumnChoice(), metavar="COLUMN", help="Column of weights; 'none' for none.")
@click.option("--header/--no-header", default=None, help="Whether the first row names the columns.")
@click.option("--verify", is_flag=True, help="Compare a packed file with its checksums, and write nothing.")
@common_options
def pack(
    parts: tuple[str, ...],
    out: str | None,
    order: str,
    memory: int,
    source: str | int | None,
    target: str | int | None,
    weight: str | int | bool | None,
    header: bool | None,
    verify: bool,
    as_json: bool,
) -> None:
    """Pack edges of any size, in PARTS of parquet or csv, into one file that is mapped and not read.

    Duplicates are summed, self-loops dropped, both counted; memory stays within --memory, and what does not
    fit lies beside the file until it is done. Wherever a graph is taken, such a file is taken too. A pattern
    in quotes, 'edges/**/*.parquet', stands for the files that match it.

    \b
    Examples:
      zerokelvin pack edges/*.parquet --out graph.zkg
      zerokelvin pack paid.csv --source payer --target payee --weight amount --out graph.zkg --memory 4GB
      zerokelvin pack graph.zkg --order rcm --out near.zkg
      zerokelvin pack graph.zkg --verify

    --order rcm brings neighbours near each other (reverse Cuthill-McKee), which makes embeddings and other
    passes over all edges faster; predictions are the same.

    With --json: path, nodes, edges, components, order, bytes, seconds, and of tables rows, self_loops,
    zero_weights, merged, columns; with --verify path, nodes, edges, bytes, verified.

    Next: 'zerokelvin predict graph.zkg known.csv --learner propagation --out labels.csv'.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    parts = tuple(file for part in parts for file in _files(part))
    packed = [part.lower().endswith(".zkg") for part in parts]
    if any(packed) and len(parts) > 1:
        raise ParameterError("a packed graph is packed alone; give one .zkg, or tables of edges.")
    if verify:
        _verify(parts[0] if packed[0] else None, as_json)
        return
    if out is None:
        raise ParameterError("name the file to write with --out graph.zkg.")
    if not out.lower().endswith(".zkg"):
        raise ParameterError(f"'{out}' does not end in .zkg, by which packed graphs are told; name it so.")
    if packed[0] and order == "name":
        raise ParameterError(
            f"'{parts[0]}' is packed already; --order rcm writes it in another order, --verify checks it."
        )
    begun = time.perf_counter()
    chosen = {"source": source, "target": target, "weight": False if weight == "none" else weight}
    with reporting() as report:
        found = (
            _reorder(parts[0], out, order, report)
            if packed[0]
            else _build(parts, out, order, report, memory=memory, header=header, **chosen)
        )
    found["seconds"] = round(time.perf_counter() - begun, 3)
    if as_json:
        print_json(found)
        return
    dropped = [
        f"{found[key]:,} {words}"
        for key, words in (
            ("self_loops", "self-loops dropped"),
            ("zero_weights", "rows of weight 0 dropped"),
            ("merged", "duplicates summed"),
        )
        if found.get(key)
    ]
    more = f" ({', '.join(dropped)})" if dropped else ""
    print_text(f"{out}: {found['nodes']:,} nodes, {found['edges']:,} edges{more}, {found['bytes']:,} bytes")


def _files(part: str) -> list[str]:
    """The files that a pattern stands for where the shell left it alone; a name stands for itself."""
    if Path(part).exists() or not has_magic(part):
        return [part]
    return sorted(glob(part, recursive=True)) or [part]  # noqa: PTH207 - also below a root


def _verify(path: str | None, as_json: bool) -> None:
    from zerokelvin.io.packs.pack_reader import verify_pack

    if path is None:
        raise ParameterError("--verify takes one packed graph, as in zerokelvin pack graph.zkg --verify.")
    with reporting() as report:
        head = verify_pack(path, lambda *at: report("Verifying", *at))
    found = {"path": path, "nodes": head.nodes, "edges": head.arcs // 2, "bytes": head.size, "verified": True}
    if as_json:
        print_json(found)
    else:
        print_text(f"{path}: {head.nodes:,} nodes, {head.arcs // 2:,} edges, all as its checksums say")


def _described(path: str, head: Any) -> dict[str, Any]:
    return {
        "path": path,
        "nodes": head.nodes,
        "edges": head.arcs // 2,
        "components": head.components,
        "order": head.order,
        "bytes": head.size,
    }


def _reorder(path: str, out: str, order: str, report: Report) -> dict[str, Any]:
    from zerokelvin.io.packs.pack_order import order_pack
    from zerokelvin.io.packs.pack_reader import open_graph

    return _described(out, order_pack(open_graph(path), out, order, report))


def _build(parts: tuple[str, ...], out: str, order: str, report: Report, **options: Any) -> dict[str, Any]:
    from zerokelvin.io.packs.pack_builder import pack_edges

    found = pack_edges(parts, out, order=order, progress=report, **options)
    return _described(out, found.head) | {
        "rows": found.rows,
        "self_loops": found.loops,
        "zero_weights": found.zeros,
        "merged": found.merged,
        "columns": found.columns,
    }
