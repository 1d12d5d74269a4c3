"""Read the DBLP four-area text files as a co-authorship graph of the labelled authors.

The files (Ji et al., "Graph regularized transductive classification on heterogeneous information
networks", ECML PKDD 2010) may not be redistributed. Two authors are joined by as many units of weight as they
wrote papers together: with B the 0/1 matrix of papers and authors, the weights are those of BᵀB.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.io.datasets.named_datasets import DataSet
from zerokelvin.io.files import PathLike
from zerokelvin.io.limits import DEFAULT, read_limited
from zerokelvin.io.names import parse_names

__all__ = ["read_dblp_four_area"]


def read_dblp_four_area(folder: PathLike) -> DataSet:
    """Read the co-authorship graph of the labelled authors.

    Parameters
    ----------
    folder
        Holds ``author.txt`` (id, name), ``paper.txt`` (id, title), ``conf.txt`` (id, name),
        ``paper_author.txt`` (paper, author), ``paper_conf.txt`` (paper, conference) and
        ``author_label.txt`` (author, class, …), tab separated, without headers.

    Returns
    -------
    DataSet
        Nodes are the labelled authors in the order of ``author_label.txt``, named by their ids.
        A paper counts if it is listed and appeared at a listed conference. ``extras`` holds the
        ``author_names`` and the number of ``dropped_links`` (lines of ``paper_author.txt`` with a paper
        that does not count or an author that is not listed).
    """
    base = Path(folder)
    if not base.is_dir():
        raise DataError(f"there is no folder '{base}'; name the one with the DBLP four-area text files.")
    author_names = dict(_pairs(base / "author.txt"))
    labels = _pairs(base / "author_label.txt")
    known = dict(labels)
    if len(known) != len(set(labels)):
        twice = next(author for author, label in labels if known[author] != label)
        raise DataError(f"'{base / 'author_label.txt'}' gives author {twice} two labels; keep one of them.")
    listed = {paper for paper, _ in _pairs(base / "paper.txt")}
    conferences = {conf for conf, _ in _pairs(base / "conf.txt")}
    papers = {
        paper for paper, conf in _pairs(base / "paper_conf.txt") if paper in listed and conf in conferences
    }
    links = _pairs(base / "paper_author.txt")
    counted = [(p, a) for p, a in links if p in papers and a in author_names]
    authors = list(known)
    classes = sorted(set(known.values()), key=lambda text: (len(text), text))
    return DataSet(
        name="dblp_four_area",
        labels=np.array([classes.index(known[author]) for author in authors], dtype=np.int64),
        label_names=tuple(classes),
        network=_joint_papers(counted, authors),
        extras={
            "author_names": np.array([author_names.get(author, "") for author in authors]),
            "dropped_links": np.array(len(links) - len(counted)),
        },
    )


def _joint_papers(links: list[tuple[str, str]], authors: list[str]) -> Graph:
    """The graph of authors in which an edge weighs the number of papers that two wrote together."""
    column = {author: i for i, author in enumerate(authors)}
    row: dict[str, int] = {}
    cells: set[tuple[int, int]] = {
        (row.setdefault(paper, len(row)), column[author]) for paper, author in links if author in column
    }
    ends: NDArray[np.int64] = np.array(sorted(cells), dtype=np.int64).reshape(-1, 2)
    shape = (max(len(row), 1), len(authors))
    written = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    joint = sp.triu(written.T @ written, k=1).tocoo()
    pairs = np.column_stack(joint.coords)
    names = parse_names(authors)
    return Graph.from_edges(pairs, joint.data, num_nodes=len(authors), names=names)


def _pairs(path: Path) -> list[tuple[str, str]]:
    """The first two cells of every line of a tab separated file."""
    data = read_limited(path, DEFAULT)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.rstrip("\r").split("\t")
        if len(cells) > 1:
            rows.append((cells[0].strip(), cells[1].strip()))
        elif line.strip():
            raise DataError(
                f"line {number} of '{path}' has no tab: {line.strip()[:60]!r}; two cells are needed."
            )
    return rows
