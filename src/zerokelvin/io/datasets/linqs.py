"""Parse the LINQS archives of citation networks: Cora, Citeseer and PubMed.

``*.content`` has a line per paper (id, word indicators, class), ``*.cites`` a line per citation (cited
id, citing id). PubMed has the same in ``*.NODE.paper.tab`` and ``*.DIRECTED.cites.tab``. The graph is
undirected with weight 1: citations both ways are one edge. A citation to a paper that is not listed,
or to itself, is dropped and counted.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from io import BytesIO
from typing import Any

import numpy as np

from zerokelvin.errors import DataError

__all__ = ["citation_arrays", "pubmed_arrays"]

_LARGEST = 1 << 30
_PUBMED_CLASSES = {
    "1": "Diabetes Mellitus, Experimental",
    "2": "Diabetes Mellitus Type 1",
    "3": "Diabetes Mellitus Type 2",
}


def citation_arrays(archive: bytes) -> dict[str, Any]:
    """The arrays of an npz file from an archive with ``*.content`` and ``*.cites``."""
    content, cites = _members(archive, ".content", ".cites")
    papers = []
    for number, line in enumerate(content.splitlines(), 1):
        cells = line.split()
        if len(cells) == 1:
            raise DataError(f"line {number} of the .content file has no class: {line[:60]!r}.")
        if cells:
            papers.append((cells[0], cells[-1]))
    pairs = []
    for number, line in enumerate(cites.splitlines(), 1):
        cells = line.split()
        if cells and len(cells) != 2:
            raise DataError(f"line {number} of the .cites file is not a pair of papers: {line[:60]!r}.")
        if cells:
            pairs.append((cells[0], cells[1]))
    return _arrays(papers, pairs)


def pubmed_arrays(archive: bytes) -> dict[str, Any]:
    """The arrays of an npz file from the archive Pubmed-Diabetes."""
    nodes, cites = _members(archive, ".NODE.paper.tab", ".DIRECTED.cites.tab")
    papers = []
    for number, line in enumerate(nodes.splitlines()[2:], 3):
        cells = line.split("\t")
        label = next((cell[6:].strip() for cell in cells[1:] if cell.startswith("label=")), None)
        if label is None and line.strip():
            raise DataError(f"line {number} of the .NODE.paper.tab file has no label: {line[:60]!r}.")
        if label is not None:
            papers.append((cells[0].strip(), _PUBMED_CLASSES.get(label, label)))
    pairs = []
    for number, line in enumerate(cites.splitlines()[2:], 3):
        ends = [cell.strip()[6:] for cell in line.split("\t") if cell.strip().startswith("paper:")]
        if len(ends) != 2 and line.strip():
            raise DataError(f"line {number} of the .DIRECTED.cites.tab file is no citation: {line[:60]!r}.")
        if line.strip():
            pairs.append((ends[0], ends[1]))
    return _arrays(papers, pairs)


def _members(archive: bytes, *suffixes: str) -> list[str]:
    """The texts of the first file with each suffix, read in memory: no path of the archive is used."""
    found: dict[str, str] = {}
    inflated = 0
    try:
        with tarfile.open(fileobj=BytesIO(archive), mode="r:*") as tar:
            for member in tar:
                inflated += member.size
                if inflated > _LARGEST:
                    raise DataError(f"the archive would take more than {_LARGEST:,} bytes; refused.")
                name = member.name.rsplit("/", 1)[-1]
                suffix = next((s for s in suffixes if name.endswith(s) and not name.startswith(".")), None)
                if suffix is None or suffix in found or not member.isfile():
                    continue
                file = tar.extractfile(member)
                found[suffix] = "" if file is None else file.read().decode("utf-8", errors="replace")
    except (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"the archive is damaged: {problem}.") from None
    missing = [suffix for suffix in suffixes if suffix not in found]
    if missing:
        raise DataError(
            f"the archive has no file ending in {' or '.join(missing)}; it is not the expected one."
        )
    return [found[suffix] for suffix in suffixes]


def _arrays(papers: list[tuple[str, str]], pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """The arrays of a data set from (paper, class) and (paper, cited paper); unknown papers are counted."""
    position = {name: i for i, (name, _) in enumerate(papers)}
    if not papers or len(position) != len(papers):
        raise DataError("the archive lists no papers, or one of them twice; it is not the expected one.")
    classes = sorted({label for _, label in papers})
    code = {label: i for i, label in enumerate(classes)}
    known = [(position[a], position[b]) for a, b in pairs if a in position and b in position]
    ends = np.array(known, dtype=np.int32).reshape(-1, 2)
    loops = ends[:, 0] == ends[:, 1]
    edges = np.unique(np.sort(ends[~loops], axis=1), axis=0)
    return {
        "edges": edges,
        "n": np.int64(len(papers)),
        "names": np.array([name for name, _ in papers]),
        "labels": np.array([code[label] for _, label in papers], dtype=np.int16),
        "label_names": np.array(classes),
        "unknown_citations": np.int64(len(pairs) - len(known)),
        "self_citations": np.int64(np.count_nonzero(loops)),
    }
