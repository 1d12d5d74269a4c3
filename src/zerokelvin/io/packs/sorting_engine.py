"""DuckDB as it is used here: on data of any size, within a given memory, with errors that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerokelvin.errors import DataError, MissingDependencyError, ParameterError
from zerokelvin.io.limits import short
from zerokelvin.io.packs.sql_text import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["NODE", "limit_memory", "one_row", "require_room", "sorting_engine"]

LEAST = 120_000_000
PYTHON = 370_000_000
"""What Python, NumPy, numba and pyarrow take before there is any data, with what DuckDB does not count of its
own: measured."""
THREAD = 90_000_000
"""Bytes for each thread of DuckDB."""
SMALLEST = 500_000_000
"""Bytes that packing takes in any case."""
NODE, KEPT = 48, 40
"""Bytes a node: left free for what is kept of each, and kept at least."""
FEW = 1_000_000
"""Nodes that fit into whatever is allowed."""
ON_DISK = ("offload", "temp_directory", "temp directory", "No space")
"""How the engine says that the disk, not the memory, is full."""


@contextmanager
def sorting_engine(folder: Path, memory: int) -> Iterator[DuckDBPyConnection]:
    """An engine of its own, within bounds; its errors are ours."""
    if memory < SMALLEST:
        raise ParameterError(
            f"memory={memory:,} is less than packing takes; allow at least {SMALLEST // 10**6} MB."
        )
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "'duckdb' is not installed; get it with pip install 'zerokelvin[scale]'."
        ) from None
    work = duckdb.connect()
    try:
        limit_memory(work, memory)
        work.execute(f"SET temp_directory={quoted(str(folder))}")
        work.execute("SET preserve_insertion_order=false")
        work.execute("SET enable_progress_bar=false")
        work.execute("SET arrow_large_buffer_size=true")
        yield work
    except duckdb.OutOfMemoryException as problem:
        if any(word in str(problem) for word in ON_DISK):
            raise DataError(
                f"there is no room beside '{folder.parent}' for what does not fit into memory: "
                f"{_brief(problem)}; make room, about 40 bytes a row, or raise the memory."
            ) from None
        raise DataError(
            f"the edges cannot be sorted within the memory given: {_brief(problem)}; raise the memory."
        ) from None
    except duckdb.ConversionException as problem:
        raise DataError(
            f"a name does not fit into 64 bits with a sign, so cast the column to text: {_brief(problem)}."
        ) from None
    except duckdb.Error as problem:
        raise DataError(f"the edges cannot be read: {_brief(problem)}.") from None
    finally:
        work.close()


def limit_memory(work: DuckDBPyConnection, memory: int) -> None:
    """Let the engine have what Python leaves of so much memory, and no more threads than that carries."""
    left = max(LEAST, memory - PYTHON)
    work.execute(f"SET memory_limit='{left >> 20}MiB'")
    (most,) = one_row(work, "SELECT current_setting('threads')")
    work.execute(f"SET threads={max(1, min(int(most), left // THREAD))}")


def require_room(nodes: int, memory: int) -> None:
    """Refuse more nodes than can be kept."""
    needed = PYTHON + LEAST + KEPT * nodes
    if needed > memory and nodes > FEW:
        raise ParameterError(
            f"{nodes:,} nodes need {needed / 1e9:.1f} GB, and {memory / 1e9:.1f} GB are allowed; raise "
            f"the memory (--memory {needed // 10**8 / 10 + 0.1:.1f}GB)."
        )


def one_row(work: DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    """The one row of a result."""
    row: tuple[Any, ...] = work.execute(query).fetchall()[0]
    return row


def _brief(problem: Exception) -> str:
    """The first line of an error, and the file it is about, as part of a sentence."""
    told = short(str(problem).split("\n", 1)[0], 200).rstrip(".")
    file = re.search(r"^\s*file = (.+)$", str(problem), re.MULTILINE)
    return f"{told} of '{file[1]}'" if file else told
