"""The DBLP four-area text files as a co-authorship graph, against counting by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from zerokelvin.errors import DataError
from zerokelvin.io import read_dblp_four_area

FILES = {
    "author.txt": "7\tAnn\n5\tJosé\n9\tCem\n11\tDan\n",
    "paper.txt": "1\tOne\n2\tTwo\n3\tThree\n4\tFour\n",
    "conf.txt": "1\tKDD\n2\tVLDB\n",
    "paper_author.txt": "1\t7\n1\t5\n1\t7\n2\t7\n2\t5\n2\t11\n3\t9\n3\t7\n4\t5\n4\t9\n"
    "99\t5\n99\t9\n1\t1000\n",
    "paper_conf.txt": "1\t1\n2\t2\n3\t1\n4\t55\n99\t1\n",
    "author_label.txt": "7\t0\tAnn\n5\t3\tJosé\n9\t1\tCem\n8\t2\tAlone\n",
}


def make(folder: Path, **changes: str | None) -> Path:
    for name, text in {**FILES, **{f"{key}.txt": text for key, text in changes.items()}}.items():
        if text is not None:
            (folder / name).write_bytes(text.encode("latin-1"))
    return folder


def test_joint_papers(tmp_path: Path) -> None:
    data = read_dblp_four_area(make(tmp_path))
    assert data.graph.names == (7, 5, 9, 8)
    edges = {
        tuple(edge): weight
        for edge, weight in zip(data.graph.edges.tolist(), data.graph.edge_weights, strict=True)
    }
    # paper 4 was at no listed conference, paper 99 is not listed, author 11 has no label
    assert edges == {(0, 1): 2.0, (0, 2): 1.0}
    assert data.label_names == ("0", "1", "2", "3")
    assert data.labels.tolist() == [0, 3, 1, 2]
    assert data.extras["author_names"].tolist() == ["Ann", "José", "Cem", ""]
    assert data.extras["dropped_links"] == 5


def test_against_counting(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    links = np.unique(rng.integers(0, [60, 25], (300, 2)), axis=0)
    data = read_dblp_four_area(
        make(
            tmp_path,
            author="".join(f"{i}\tA{i}\n" for i in range(25)),
            paper="".join(f"{i}\tP{i}\n" for i in range(60)),
            paper_conf="".join(f"{i}\t1\n" for i in range(60)),
            author_label="".join(f"{i}\t{i % 4}\tA{i}\n" for i in range(20)),
            paper_author="".join(f"{p}\t{a}\n" for p, a in rng.permutation(links)),
        )
    )
    count: dict[tuple[int, int], int] = {}
    for paper in range(60):
        for pair in combinations(sorted(a for p, a in links.tolist() if p == paper and a < 20), 2):
            count[pair] = count.get(pair, 0) + 1
    pairs = zip(map(tuple, data.graph.edges.tolist()), data.graph.edge_weights, strict=True)
    assert dict(pairs) == count
    assert data.graph.names is None
    assert data.graph.num_nodes == 20


def test_no_joint_papers(tmp_path: Path) -> None:
    data = read_dblp_four_area(make(tmp_path, paper_author="1\t7\n2\t5\n"))
    assert (data.graph.num_nodes, data.graph.num_edges) == (4, 0)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"author_label": "7\t0\n7\t1\n"}, "gives author 7 two labels"),
        ({"paper": "one\n"}, "line 1 of .*paper.txt' has no tab: 'one'"),
        ({"conf": ""}, "is empty"),
        ({"author": None}, "there is no file .*author.txt"),
    ],
)
def test_bad_files(tmp_path: Path, changes: dict[str, str | None], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_dblp_four_area(make(tmp_path, **changes))


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        read_dblp_four_area(tmp_path / "none")
