"""Every kind of input as items: texts, rows, images, graphs, cells; and what is refused in one sentence."""

import json
import struct
import zlib

import numpy as np
import pytest

from zerokelvin.errors import DataError
from zerokelvin.labelling.agreement import cohen_kappa, krippendorff_alpha
from zerokelvin.labelling.duplicates import duplicate_groups
from zerokelvin.labelling.item_vectors import number_vectors, text_vectors
from zerokelvin.labelling.items import ItemFile, write_items
from zerokelvin.labelling.reading import prepare, read_items
from zerokelvin.labelling.source import ItemOptions

TEXTS = ["the cat sat on the mat", "a cat on a mat", "stocks fell on Monday", "Monday: stocks fell again"]


def prepared(path, **options):
    wanted = ItemOptions(**options)
    return prepare(read_items(path, wanted), wanted)


def csv_of(path, rows):
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in rows) + "\n", encoding="utf-8")
    return path


def png(path, shade):
    data = zlib.compress(b"".join(b"\0" + bytes([shade] * 4) for _ in range(4)))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)), (b"IDAT", data), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def test_texts_of_a_csv_are_joined_by_what_they_say(tmp_path):
    rows = [("body", "kind"), *((text, "") for text in TEXTS)]
    found = prepared(csv_of(tmp_path / "t.csv", rows), text="body", label="kind")
    assert found.items.kind == "text"
    assert found.items.labels == [None] * 4
    near = found.graph.weight(0, 1), found.graph.weight(0, 2)
    assert near[0] > near[1]


def test_a_text_column_may_hold_anything(tmp_path):
    odd = ["<script>alert(1)</script>", "=SUM(A1)", "שלום עולם", "", "x" * 300_000, "tab\tand\nline"]
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(json.dumps({"t": text}) for text in odd), encoding="utf-8")
    found = prepared(path, text="t")
    file = tmp_path / "items.arrow"
    write_items(file, found.items, found.groups)
    items = ItemFile(file)
    assert [items.text(i) for i in range(4)] == odd[:4]
    assert items.text(4).endswith("(100,000 more characters)")
    assert items.title(3) == "row 4"
    assert items.matching("SCRIPT").tolist() == [0]


def test_rows_are_compared_by_their_numbers(tmp_path):
    rows = [("name", "a", "b"), ("p", "1", "0"), ("q", "1.1", "0"), ("r", "9", "5"), ("s", "9.2", "5.1")]
    found = prepared(csv_of(tmp_path / "n.csv", rows), name="name")
    assert found.items.kind == "row"
    assert list(found.graph.names) == ["p", "q", "r", "s"]
    assert "2 columns of numbers" in " ".join(found.said)


def test_images_of_a_folder_also_those_that_cannot_be_read(tmp_path):
    for i, shade in enumerate((0, 5, 250, 255)):
        png(tmp_path / "deep" / f"{i}.png", shade)
    (tmp_path / "bad.png").write_bytes(b"<svg onload=alert(1)>")
    found = prepared(tmp_path)
    assert found.items.names == ["bad.png", "deep/0.png", "deep/1.png", "deep/2.png", "deep/3.png"]
    assert any("1 of 5 images cannot be read" in said for said in found.said)


def test_a_graph_with_a_table_of_attributes(tmp_path):
    edges = csv_of(tmp_path / "e.csv", [("source", "target"), ("ann", "bob"), ("bob", "cem")])
    table = csv_of(tmp_path / "a.csv", [("id", "city", "verdict"), ("ann", "Bonn", "ok"), ("bob", "Rom", "")])
    found = prepared(edges, attributes=table, label="verdict")
    assert found.items.kind == "node"
    assert found.items.fields["city"] == ["Bonn", "Rom", ""]
    assert found.items.labels == ["ok", None, None]
    assert prepared(edges).items.kind == "node"


def test_cells_of_an_anndata_file(tmp_path):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32))
    data.obs["kind"] = ["b"] * 3 + [""] * 9
    path = tmp_path / "cells.h5ad"
    data.write_h5ad(path)
    found = prepared(path, label="kind")
    assert found.items.labels.count("b") == 3
    assert found.graph.num_nodes == 12


def test_an_embedding_must_have_a_row_for_each_item(tmp_path):
    path = csv_of(tmp_path / "t.csv", [("t",), *((text,) for text in TEXTS)])
    np.save(tmp_path / "e.npy", np.eye(4))
    assert prepared(path, text="t", embedding=tmp_path / "e.npy").graph.num_nodes == 4
    np.save(tmp_path / "e.npy", np.eye(3))
    with pytest.raises(DataError, match="has 3 rows, and there are 4 items"):
        prepared(path, text="t", embedding=tmp_path / "e.npy")


def test_one_item_is_enough(tmp_path):
    found = prepared(csv_of(tmp_path / "one.csv", [("t",), ("alone",)]), text="t")
    assert found.graph.num_nodes == 1


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("a,b\n1,2\n", {"text": "body"}, "no column 'body'; its columns are a, b"),
        ("a,b\n", {"text": "a"}, "has no rows"),
        ("", {"text": "a"}, "is empty"),
        ("a\nx\ny\n", {}, "no columns of numbers"),
        ("a,t\nx,1\nx,2\n", {"name": "a"}, "stands there twice"),
    ],
)
def test_what_cannot_be_labelled_is_said_in_one_sentence(tmp_path, text, options, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=sentence):
        prepared(path, **options)


def test_a_folder_without_images_and_a_file_of_no_known_kind(tmp_path):
    with pytest.raises(DataError, match="holds no images"):
        prepared(tmp_path)
    (tmp_path / "x.doc").write_text("x")
    with pytest.raises(DataError, match="of no known kind"):
        prepared(tmp_path / "x.doc")


def test_the_same_input_gives_the_same_graph(tmp_path):
    path = csv_of(tmp_path / "t.csv", [("t",), *((f"{text} {i}",) for i in range(9) for text in TEXTS)])
    first, second = prepared(path, text="t"), prepared(path, text="t")
    assert first.graph.content_hash == second.graph.content_hash
    assert (first.groups == second.groups).all()


def test_near_duplicates_share_a_group():
    texts = ["Hello, World!", "hello world", "bye"]
    assert duplicate_groups(3, None, None, texts, cosine=False).tolist() == [0, 0, 2]
    assert text_vectors(["", "!!"]).tolist() == [[0.0], [0.0]]
    assert number_vectors(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist() == [[-1.0], [1.0]]


def test_agreement_of_people():
    assert cohen_kappa([]) is None
    assert cohen_kappa([("a", "a"), ("b", "b")]) == 1.0
    assert krippendorff_alpha([{"x": "a"}]) is None
    rng = np.random.default_rng(0)
    chance = [dict(zip("xyz", rng.integers(0, 2, 3).tolist(), strict=True)) for _ in range(4000)]
    assert abs(krippendorff_alpha(chance)) < 0.05
