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
from zerokelvin.service.page.map_layout import MapLayout
from zerokelvin.service.page.opening_folder import open_project

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


def test_the_columns_of_edges_may_be_named(tmp_path):
    rows = [("day", "payer", "payee", "amount"), ("1", "ann", "bob", "2.5"), ("2", "bob", "cem", "4")]
    table = csv_of(tmp_path / "payments.csv", rows)
    found = prepared(table, edges={"source": "payer", "target": "payee", "weight": "amount"})
    assert found.items.kind == "node"
    assert found.items.names == ["ann", "bob", "cem"]
    assert set(found.graph.weights.tolist()) == {2.5, 4.0}
    with pytest.raises(DataError, match="payed"):
        prepared(table, edges={"source": "payer", "target": "payed"})


def test_cells_of_an_anndata_file(tmp_path):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32))
    data.obs["kind"] = ["b"] * 3 + [""] * 9
    path = tmp_path / "cells.h5ad"
    data.write_h5ad(path)
    found = prepared(path, label="kind")
    assert found.items.labels.count("b") == 3
    assert found.graph.num_nodes == 12


def test_the_map_of_cells_is_the_files_own(tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    data = anndata.AnnData(rng.normal(size=(12, 4)).astype(np.float32))
    umap = rng.normal(size=(12, 2)) * 7 + 3
    data.obsm["X_umap"] = umap
    data.write_h5ad(tmp_path / "cells.h5ad")
    found = prepared(tmp_path / "cells.h5ad")
    assert "the map is its 'X_umap'" in found.said
    write_items(tmp_path / "items.arrow", found.items, found.groups)
    kept = ItemFile(tmp_path / "items.arrow")
    assert kept.columns == []
    middle = (umap.min(axis=0) + umap.max(axis=0)) / 2
    expected = (umap - middle) / (np.ptp(umap, axis=0).max() / 2)
    assert np.allclose(kept.places, expected)
    layout = MapLayout(found.graph, 0, kept.places)
    head, body = layout.ready()[:24], np.frombuffer(layout.ready()[24:], dtype="<f4")
    assert struct.unpack("<8sIIII", head)[1:4] == (12, 2, 1)  # as it will stay
    assert np.allclose(body, expected.T.ravel(), atol=1e-6)
    data.obsm["X_umap"] = np.full((12, 2), np.nan)
    data.write_h5ad(tmp_path / "cells.h5ad")
    assert prepared(tmp_path / "cells.h5ad").items.places is None


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_csv_as_spreadsheets_of_many_countries_save_it(tmp_path, encoding, delimiter):
    rows = [("id", "body"), ("1", "grüße an alle"), ("2", "你好")]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(map(delimiter.join, rows)) + "\n", encoding=encoding)
    source = read_items(path, ItemOptions(text="body", name="id"))
    assert source.items.texts == ["grüße an alle", "你好"]
    assert source.items.names == ["1", "2"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_another_encoding_is_named_with_its_remedy(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    lines = {"csv": "id,body\n1,café\n", "jsonl": '{"body": "café"}\n'}
    path.write_bytes(lines[suffix].encode("latin-1"))
    with pytest.raises(DataError, match=r"is not UTF-8 text; convert it first, as by 'iconv"):
        read_items(path, ItemOptions(text="body"))


def test_a_folder_whose_images_are_all_broken(tmp_path):
    for name in ("a.png", "b.jpg"):
        (tmp_path / name).write_bytes(b"junk")
    with pytest.raises(DataError, match=r"none of the 2 images in .* can be read \(the first is 'a.png'\)"):
        prepared(tmp_path)


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


def test_cells_of_a_named_column_that_are_no_numbers_are_counted(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,x\n6,\n", encoding="utf-8")
    source = read_items(tmp_path / "t.csv", ItemOptions(columns=("b",)))
    assert source.said == [
        "rows are compared by one column of numbers: b",
        "one cell there holds no number ('x') and counts as the mean of the column",
    ]


def test_a_start_that_fails_leaves_no_folder_behind(tmp_path):
    (tmp_path / "t.csv").write_text("id,body\n", encoding="utf-8")
    with pytest.raises(DataError, match="no rows"):
        open_project(tmp_path / "kept", "t", tmp_path / "t.csv", ItemOptions(text="body"), ())
    assert not (tmp_path / "kept").exists()
