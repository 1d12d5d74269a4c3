"""Columns that are not plain are refused with advice, never guessed; what was read is announced."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zerokelvin.errors import DataError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.io import ReadReport, read_graph, read_labels

PAID = "date,payer,payee,amount\n2020-01-01,ann,bob,3\n2020-01-02,bob,cem,1\n2020-01-02,cem,cem,1\n"
WORDS = Graph.from_edges([("ann", "bob"), ("bob", "cem")])


def write(folder: Path, content: str, name: str = "e.csv") -> Path:
    path = folder / name
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (PAID, "date, payer, payee, amount"),
        ("customer_id,merchant_id\n17,25\n18,25\n", "customer_id, merchant_id"),
        ("customer_id,merchant_id\nc17,m25\nc18,m25\n", "customer_id, merchant_id"),
        ("customer_id,merchant_id\nann,shop\nbob,shop\n", "customer_id, merchant_id"),
        ("payer,payee\nann,bob\nbob,cem\n", "payer, payee"),
        ("CustomerId,MerchantId\nann,bob\n", "CustomerId, MerchantId"),
        ("left thing,right thing\nann,bob\n", "left thing, right thing"),
        ("wer,wen\na1,b2\nb2,c3\n", "wer, wen"),  # words without digits over cells that all have some
        ("wer,wen,wie\nann,bob,2\nbob,cem,1\n", "wer, wen, wie"),
        ("source,payee\nann,bob\n", "source, payee"),
        ("x,y,weight\nann,bob,1\n", "x, y, weight"),
        ("from,to,u,v\na,b,c,d\n", "from, to, u, v"),
        ("source,source,target\na,b,c\n", "source, source, target"),
        ("node,label\nann,x\nbob,y\n", "node, label"),
    ],
)
def test_a_header_that_is_not_plain_is_refused_not_read(tmp_path: Path, content: str, columns: str) -> None:
    with pytest.raises(DataError, match=f"has the columns {columns}, of which no two are plainly") as caught:
        read_graph(write(tmp_path, content))
    for option in ("source=", "target=", "--source", "--target", "header=False", "--no-header"):
        assert option in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", "2020-01-01,ann,bob,3\n2020-01-02,bob,cem,1\n"),
        ("e.csv", "2020-01-01,ann,bob\n2020-01-02,bob,cem\n"),
        ("e.csv", "ann,bob,knows\nbob,cem,likes\n"),
        ("e.txt", "1 2 1700000000\n2 3 1700000100\n"),
        ("e.txt", "1 2 1700000000123\n2 3 1700000100456\n"),
        ("e.txt", "1700000000 1 2\n1700000100 2 3\n"),
        ("e.csv", "ann,bob,2020-01-01\n"),
        ("e.csv", "2020-01-01,ann\n2020-01-02,bob\n"),
        ("e.txt", "1 2 3 4\n2 3 1 5\n"),
    ],
)
def test_rows_without_header_that_are_not_plain_are_refused(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(DataError, match="columns without a header, and it is not plain which") as caught:
        read_graph(write(tmp_path, content, name))
    for option in ("--source", "--target", "weight=", "header=True"):
        assert option in str(caught.value)


@pytest.mark.parametrize("more", ["amount", "timestamp", "year", "score"])
def test_numbers_are_weights_only_by_name(tmp_path: Path, more: str) -> None:
    path = write(tmp_path, f"source,target,{more}\nann,bob,1700000000\n")
    with pytest.raises(DataError, match=f"not plain whether '{more}' is the weight; give weight="):
        read_graph(path)
    assert read_graph(path, weight=False).edge_weights.tolist() == [1.0]
    assert read_graph(path, weight=more).edge_weights.tolist() == [1.7e9]
    table = tmp_path / "e.parquet"
    pq.write_table(pa.table({"source": ["a"], "target": ["b"], more: [3]}), table)
    with pytest.raises(DataError, match=f"not plain whether '{more}' is the weight"):
        read_graph(table)
    assert read_graph(table, weight=more).edge_weights.tolist() == [3.0]


def test_two_weights_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="whether 'w' is the weight"):
        read_graph(write(tmp_path, "source,target,w,value\na,b,1,2\n"))
    assert read_graph(write(tmp_path, "source,target,w,weight\na,b,1,2\n")).edge_weights.tolist() == [2.0]


def test_words_are_never_weights_and_index_columns_neither(tmp_path: Path) -> None:
    path = write(tmp_path, ",source,target,kind\n0,a,b,x\n1,b,c,y\n")
    assert read_graph(path).edge_weights.tolist() == [1.0, 1.0]


def test_parquet_columns_are_not_guessed_either(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"customer_id": [1, 2], "merchant_id": [2, 3]}), path)
    with pytest.raises(DataError, match="columns customer_id, merchant_id, of which no two") as caught:
        read_graph(path)
    assert "header" not in str(caught.value)
    assert read_graph(path, source="customer_id", target="merchant_id").num_edges == 2


def test_one_end_given_and_the_other_plain(tmp_path: Path) -> None:
    path = write(tmp_path, "payer,payee\nann,bob\n")
    assert read_graph(path, source="payee").names == ("bob", "ann")
    assert read_graph(path, target="payer").names == ("bob", "ann")
    path = write(tmp_path, "date,who,to,from\nx,ann,bob,cem\n")
    assert read_graph(path, source="who").names == ("ann", "bob")
    with pytest.raises(DataError, match="not plain which is the target; name it with target="):
        read_graph(write(tmp_path, "date,who,whom\nx,ann,bob\n"), source="who")


def test_a_position_keeps_an_evident_header_out_of_the_nodes(tmp_path: Path) -> None:
    path = write(tmp_path, "customer_id,merchant_id\nann,shop\nbob,shop\n")
    assert read_graph(path, source=0, target=1).names == ("ann", "bob", "shop")
    assert read_graph(path, header=False).num_nodes == 5


def test_what_was_read_is_announced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found: list[ReadReport] = []
    path = write(tmp_path, PAID, "paid.csv")
    with caplog.at_level(logging.INFO, "zerokelvin.io"):
        read_graph(path, source="payer", target="payee", weight="amount", report=found.append)
    (report,) = found
    assert dict(report.columns) == {"source": "payer", "target": "payee", "weight": "amount"}
    assert (report.rows, dict(report.dropped), report.unread) == (3, {"self-loops": 1}, ("date",))
    assert str(report) == (
        "paid.csv: source = payer, target = payee, weight = amount, 1 of 3 rows dropped: self-loops; "
        "not read: date; 3 nodes, 2 edges."
    )
    assert caplog.messages == [str(report)]
    text = write(tmp_path, "1,2,0\n2,2,1\n1,3,4\n", "bare.csv")
    read_graph(text, report=found.append)
    assert str(found[-1]) == (
        "bare.csv: source = column 0, target = column 1, weight = column 2, 2 of 3 rows dropped: "
        "1 self-loops, 1 of weight 0; 3 nodes, 1 edges."
    )
    np.savez(tmp_path / "g.npz", edges=np.array([[0, 1]]), n=3)
    read_graph(tmp_path / "g.npz", report=found.append)
    assert str(found[-1]) == "g.npz: 3 nodes, 1 edges."


def test_labels_are_announced(tmp_path: Path) -> None:
    found: list[ReadReport] = []
    path = write(tmp_path, "who,kind,since\nann,x,1\nbob,,2\ncem,y,3\n", "who.csv")
    with pytest.raises(DataError, match="columns who, kind, since, and it is not plain which") as caught:
        read_labels(path, WORDS)
    for option in ("node=", "label=", "--node", "--label"):
        assert option in str(caught.value)
    labels = read_labels(path, WORDS, node="who", label="kind", report=found.append)
    assert labels.tolist() == ["x", None, "y"]
    assert str(found[0]) == (
        "who.csv: node = who, label = kind, 1 of 3 rows dropped: no label; not read: since; 2 "
        "labels, 2 classes."
    )


@pytest.mark.parametrize(
    "content",
    [
        "who,kind\nann,1\nbob,2\n",
        "customer_id,segment\nann,x\n",
        "node,name,label,class,x\nann,ann,1,2,3\n".replace("node,", "id,").replace("label,", "y,"),
        "ann,x,3\nbob,y,4\n",
        "id,name\nann,ann\n",
    ],
)
def test_columns_of_labels_are_not_guessed(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match="not plain which are the node and its label"):
        read_labels(write(tmp_path, content), WORDS)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("node,name,label,class\nann,a,x,3\n", {"node": "node", "label": "label"}),
        ("customer_id,label\nann,x\n", {"node": "customer_id", "label": "label"}),
        ("segment,node\nx,ann\n", {"node": "node", "label": "segment"}),
        ("ann,x\n", {"node": 0, "label": 1}),
    ],
)
def test_plain_columns_of_labels(tmp_path: Path, content: str, columns: dict[str, object]) -> None:
    found: list[ReadReport] = []
    assert read_labels(write(tmp_path, content), WORDS, report=found.append)[0] == "x"
    assert dict(found[0].columns) == columns


def test_a_first_row_that_names_no_node_is_not_dropped_silently(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match=r"line 1 of .* labels node 'zoe'"):
        read_labels(write(tmp_path, "zoe,x\nann,y\n"), WORDS)
    path = write(tmp_path, "ann,x\nbob,y\n")
    assert read_labels(path, WORDS, header=True, node=0, label=1).tolist() == [None, "y", None]


def test_minus_one_is_noted(tmp_path: Path) -> None:
    found: list[ReadReport] = []
    read_labels(write(tmp_path, "ann,-1\nbob,0\ncem,1\n"), WORDS, report=found.append)
    assert "The label -1 is a class like the others here" in str(found[0])
    for quiet in ("ann,-1\nbob,1\n", "ann,0\nbob,1\n", "ann,x\nbob,-1\n"):
        read_labels(write(tmp_path, quiet), WORDS, report=found.append)
        assert found[-1].note == ""
