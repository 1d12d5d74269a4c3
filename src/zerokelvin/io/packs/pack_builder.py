"""Pack tables of edges of any size in bounded memory: DuckDB reads, numbers and sorts, we make rows.

1. One pass counts rows and finds what is to be refused: a missing name, a weight that is no finite number.
2. The names are numbered in their order (`zerokelvin.graph.name_order`). Whole numbers 0 … n − 1 are their
   own; others are joined to a table of names.
3. Both directions of every edge are sorted by tail, head and weight, on disk where they exceed the memory.
4. They come sorted, a million at a time, and are summed and written.

The memory given is shared: what is kept per node (about 40 bytes) and Python itself come first, DuckDB has
the rest, at least `LEAST` bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zerokelvin.array_types import index_kind
from zerokelvin.errors import DataError, GraphError, ParameterError
from zerokelvin.io.files import PathLike
from zerokelvin.io.formats.table_columns import Column
from zerokelvin.io.packs.arc_stream import ArcStream
from zerokelvin.io.packs.edge_parts import EdgeParts, edge_parts
from zerokelvin.io.packs.making_folder import making_folder
from zerokelvin.io.packs.pack_layout import PackHead
from zerokelvin.io.packs.pack_order import NAME, ORDERS, order_pack
from zerokelvin.io.packs.pack_reader import open_graph
from zerokelvin.io.packs.pack_writer import PackWriter, writing_pack
from zerokelvin.io.packs.sorting_engine import NODE, limit_memory, one_row, require_room, sorting_engine
from zerokelvin.io.packs.sql_text import quoted, whole_numbers
from zerokelvin.io.writable import writable_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["DEFAULT_MEMORY", "PackingReport", "pack_edges"]

Progress = Callable[[str, int, int | None], None]

DEFAULT_MEMORY = 1_200_000_000
BATCH = 1 << 18


@dataclass(frozen=True)
class PackingReport:
    """A graph that was packed: what the file says, and what was left out on the way to it.

    Attributes
    ----------
    head
        What the file says of the graph.
    rows
        Rows of the parts.
    loops, zeros, merged
        Rows dropped as self-loops, edges dropped because they weigh 0, rows added to an edge that was there.
    columns
        The name of the column in each role.
    """

    head: PackHead
    rows: int
    loops: int
    zeros: int
    merged: int
    columns: dict[str, Column]


def pack_edges(
    paths: Sequence[PathLike],
    out: PathLike,
    *,
    source: Column | None = None,
    target: Column | None = None,
    weight: Column | bool | None = None,
    header: bool | None = None,
    order: str = NAME,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> PackingReport:
    """Pack the edges of parquet or text files into one file, whole or not at all.

    Parameters
    ----------
    paths
        The parts, all parquet or all text of one kind, with the same columns.
    out
        The file to write.
    source, target, weight, header
        As in `read_graph`.
    order
        ``"name"``, or ``"rcm"`` to bring neighbours near each other (`zerokelvin.io.packs.pack_order`).
    memory
        Bytes that all of it may take; what does not fit lies beside `out` until it is done.
    progress
        Called with (task, steps done, steps in all or None).
    """
    if order not in (NAME, *ORDERS):
        raise ParameterError(f"unknown order '{order}'; known: {NAME}, {', '.join(ORDERS)}.")
    final = writable_file(out)
    parts = edge_parts(paths, (source, target, weight), header)
    say = progress or (lambda task, done, total: None)
    if order != NAME:
        named: dict[str, Any] = {"weight": weight, "header": header, "memory": memory, "progress": progress}
        with making_folder(final) as folder:
            first = pack_edges(paths, folder / "named.zkg", source=source, target=target, **named)
            head = order_pack(open_graph(folder / "named.zkg", verify=False), final, order, progress)
        return replace(first, head=head)
    with writing_pack(final) as pack:
        with sorting_engine(pack.folder, memory) as work:
            say("Counting", 0, None)
            seen = _survey(work, parts)
            say("Naming", 0, None)
            arcs, nodes = _numbered(work, parts, seen, pack, memory)
            require_room(nodes, memory)
            limit_memory(work, memory - NODE * nodes)
            stream, done, total = ArcStream(pack, nodes), 0, 2 * (seen.rows - seen.loops)
            say("Sorting", 0, None)
            for batch in _sorted(work, arcs, parts.weighted):
                columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
                stream.add(columns[0], columns[1], columns[2] if parts.weighted else None)
                done += batch.num_rows
                say("Writing", done, total)
        head = pack.finish(**stream.finish(), order=NAME)
    zeros = seen.zeros
    return PackingReport(
        head, seen.rows, seen.loops, zeros, seen.rows - seen.loops - zeros - head.arcs // 2, parts.columns
    )


@dataclass(frozen=True)
class _Survey:
    """What one pass over the rows has found."""

    rows: int
    loops: int
    zeros: int
    numbers: bool
    lowest: int
    highest: int


def _survey(work: DuckDBPyConnection, parts: EdgeParts) -> _Survey:
    """Count the rows, and refuse what no graph can have."""
    weight = "w" if parts.weighted else "1.0"
    bad = f"{weight} IS NULL OR NOT isfinite({weight})"
    shown = "raw" if parts.text and parts.weighted else f"CAST({weight} AS VARCHAR)"
    empty = " OR u = '' OR v = ''" if parts.text else ""
    sound = f"count(*), count_if(u IS NULL OR v IS NULL{empty}), count_if({bad}), min({shown}) FILTER ({bad})"

    def seen(numbers: bool) -> str:
        bounds = "least(min(u), min(v)), greatest(max(u), max(v))" if numbers else "0, -1"
        return f"count_if(u = v), count_if(u <> v AND {weight} = 0), {bounds}"

    if parts.text:  # whether names are numbers is known only when all were seen
        whole = f"coalesce(bool_and({whole_numbers('u')} AND {whole_numbers('v')}), true)"
        *found, numbers = one_row(work, f"SELECT {sound}, {whole} FROM {parts.rows}")
        _require_sound(*found)
        more = one_row(work, f"SELECT {seen(numbers)} FROM {parts.named(numbers)}")
    else:
        numbers = parts.numbers
        found = list(one_row(work, f"SELECT {sound}, {seen(numbers)} FROM {parts.named(numbers)}"))
        _require_sound(*found[:4])
        more = tuple(found[4:])
    return _Survey(found[0], more[0], more[1], numbers, more[2], more[3])


def _require_sound(rows: int, nameless: int, unweighted: int, wrong: str | None) -> None:
    """Refuse tables without rows, and rows without names or weights."""
    if rows == 0:
        raise DataError("the files hold no edges; give at least one row.")
    if nameless:
        raise DataError(
            f"{nameless:,} of {rows:,} rows have no name for one of their nodes; fill or drop them."
        )
    if unweighted:
        raise GraphError(
            f"{unweighted:,} of {rows:,} rows have no finite number as weight (one has {wrong!r}); correct "
            "them, or pack without weights (weight=False, --weight none)."
        )


def _numbered(
    work: DuckDBPyConnection, parts: EdgeParts, seen: _Survey, pack: PackWriter, memory: int
) -> tuple[str, int]:
    """Write the names; the relation of edges between node numbers, and how many nodes there are."""
    edges = parts.named(seen.numbers)
    weight = ", w" if parts.weighted else ""
    span = seen.highest - seen.lowest + 1
    if seen.numbers and span <= min(8 * seen.rows, memory // 4):
        limit_memory(work, memory - span)
        there = np.zeros(span, dtype=np.bool_)
        shifted = f"SELECT u - {seen.lowest}, v - {seen.lowest} FROM {edges}"
        for batch in work.sql(shifted).to_arrow_reader(BATCH):
            for column in batch.columns:
                there[column.to_numpy()] = True
        count = int(np.count_nonzero(there))
        if count == span:
            if seen.lowest != 0:
                pack.put("numbers", np.arange(seen.lowest, seen.highest + 1))
            low = seen.lowest
            kind = "INTEGER" if index_kind(count) is np.int32 else "BIGINT"
            return f"(SELECT (u - {low})::{kind} AS u, (v - {low})::{kind} AS v{weight} FROM {edges})", count
        del there
        limit_memory(work, memory)
    work.execute(
        f"""CREATE TABLE nodes AS SELECT name, row_number() OVER (ORDER BY name) - 1 AS node
        FROM (SELECT DISTINCT name FROM (SELECT u AS name FROM {edges} UNION ALL SELECT v FROM {edges}))"""
    )
    count = int(one_row(work, "SELECT count(*) FROM nodes")[0])
    _write_names(work, pack, seen.numbers)
    mapped = quoted(str(pack.folder / "edges.parquet"))
    kind = "INTEGER" if index_kind(count) is np.int32 else "BIGINT"
    work.execute(
        f"""COPY (SELECT a.node::{kind} AS u, b.node::{kind} AS v{weight} FROM {edges} AS e
        JOIN nodes AS a ON e.u = a.name JOIN nodes AS b ON e.v = b.name)
        TO {mapped} (FORMAT parquet, COMPRESSION uncompressed)"""
    )
    work.execute("DROP TABLE nodes")
    return f"read_parquet({mapped})", count


def _write_names(work: DuckDBPyConnection, pack: PackWriter, numbers: bool) -> None:
    """Write the names in their order."""
    names = work.sql("SELECT name FROM nodes ORDER BY node").to_arrow_reader(BATCH)
    if numbers:
        section = pack.section("numbers", np.int64)
        for batch in names:
            section.add(batch.column(0).to_numpy())
        return
    starts, texts, end = pack.section("starts", np.int64), pack.section("texts", np.uint8), 0
    starts.add(np.zeros(1, dtype=np.int64))
    for batch in names:
        import pyarrow as pa

        column = batch.column(0).cast(pa.large_string())
        _, places, content = column.buffers()
        ends = np.frombuffer(places, np.int64)[column.offset : column.offset + len(column) + 1]
        if len(column):
            texts.add(np.frombuffer(content, np.uint8)[ends[0] : ends[-1]])
            starts.add(ends[1:] - ends[0] + end)
            end += int(ends[-1] - ends[0])


def _sorted(work: DuckDBPyConnection, arcs: str, weighted: bool) -> Iterator[Any]:
    """Both directions of every edge but loops, in order, a batch at a time."""
    weight = ", w" if weighted else ""
    query = f"""SELECT u, v{weight} FROM
    (SELECT u, v{weight} FROM {arcs} UNION ALL SELECT v, u{weight} FROM {arcs})
    WHERE u <> v ORDER BY u, v{weight}"""
    yield from work.sql(query).to_arrow_reader(BATCH)
