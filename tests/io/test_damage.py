"""Damaged and hostile files: always one sentence, never another traceback, never much time or memory."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from zerokelvin.errors import DataError, ParameterError, ZerokelvinError
from zerokelvin.graph import Graph
from zerokelvin.io import Limits, load_dataset, read_graph, read_labels, write_graph
from zerokelvin.io.limits import parse_limits

NUMBERED = Graph.from_edges([(i, (7 * i + 1) % 30) for i in range(30)], np.arange(30) + 0.5)
NAMED = Graph.from_edges([(f"n{i}", f"n{(7 * i + 1) % 30}") for i in range(30)])
SUFFIXES = ["csv", "tsv", "txt", "csv.gz", "parquet", "mtx", "mtx.gz", "graphml", "gml", "npz", "json"]
PIECES = (
    b"\0 \xff \n \r \t \" , ; - 1e999 nan inf 99999999999999999999999 [ ] { } < > & % # ' \\ L 0 -1 True "
    b"null \xc3 O directed 1e9 007 1000000000 \xef\xbb\xbf"
)
WORDS = [*PIECES.split(b" "), b" "]


def members(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def raw_members(**contents: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def npy(descr: str, shape: str) -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (64 - (11 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def saved(array: object) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def table(**columns: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    """Good files by what reads them and suffix."""
    folder = tmp_path_factory.mktemp("healthy")
    found: dict[tuple[str, str], bytes] = {}
    for suffix in SUFFIXES:
        for kind, graph in (("numbered", NUMBERED), ("named", NAMED)):
            write_graph(graph, folder / f"g.{suffix}")
            found[kind, suffix] = (folder / f"g.{suffix}").read_bytes()
    for kind, matrix in (("csr", NUMBERED.adjacency), ("coo", NUMBERED.adjacency.tocoo())):
        sp.save_npz(folder / "m.npz", matrix)
        found[kind, "npz"] = (folder / "m.npz").read_bytes()
    data = members(edges=NUMBERED.edges, n=30, labels=np.arange(30) % 3 - 1, label_names=np.array(["a", "b"]))
    found["data", "npz"] = found["labels", "npz"] = data
    rows = [(f"n{i}", i % 3) for i in range(30)]
    found["labels", "csv"] = b"node,label\n" + b"".join(b"%s,%d\n" % (n.encode(), c) for n, c in rows)
    found["labels", "txt"] = b"".join(b"%s %d\n" % (n.encode(), c) for n, c in rows)
    found["labels", "parquet"] = table(node=[n for n, _ in rows], label=[c for _, c in rows])
    return found


def damage(data: bytes, rng: random.Random) -> bytes:
    """A few random changes: bits, bytes, pieces lost, doubled or put in, numbers replaced."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(8):
            case 0 if changed:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at : at + rng.choice([1, 2, 5, 50])]
            case 2:
                changed[at:at] = rng.choice(WORDS) * rng.choice([1, 1, 1, 3, 500])
            case 3 if rng.random() < 0.3:
                del changed[at:]
            case 4:
                other = rng.randrange(len(changed)) if changed else 0
                changed[at:at] = changed[other : other + rng.randrange(60)]
            case 5:
                changed[at : at + 8] = rng.choice([0, 2**31 - 1, 2**63 - 1, 2**64 - 1]).to_bytes(8, "little")
            case _:
                runs = [match.span() for match in re.finditer(rb"\d+", changed)]
                start, end = rng.choice(runs or [(at, at + 1)])
                changed[start:end] = rng.choice(WORDS)
    return bytes(changed)


def damaged_inside(data: bytes, suffix: str, rng: random.Random) -> bytes:
    """The same, now and then under the compression, where a checksum would catch all else."""
    if rng.random() < 0.3:
        return damage(data, rng)
    if suffix.endswith(".gz"):
        return gzip.compress(damage(gzip.decompress(data), rng), 1)
    if suffix == "npz":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            contents = {name: archive.read(name) for name in archive.namelist()}
        return raw_members(
            **{
                name.removesuffix(".npy"): damage(content, rng) if rng.random() < 0.4 else content
                for name, content in contents.items()
            }
        )
    return damage(data, rng)


@pytest.mark.parametrize("seed", range(8))
def test_any_damage_is_one_sentence(tmp_path: Path, healthy: dict[tuple[str, str], bytes], seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a fixed sequence of damages
    refused = 0
    for _ in range(250):
        kind, suffix = rng.choice(list(healthy))
        path = tmp_path / f"f.{suffix}"
        path.write_bytes(damaged_inside(healthy[kind, suffix], suffix, rng))
        try:
            if kind == "labels":
                read_labels(path, NAMED)
            elif kind == "data":
                load_dataset(path)
            else:
                read_graph(path)
        except ZerokelvinError as problem:
            refused += 1
            message = str(problem)
            assert "\n" not in message
            assert message.endswith(".")
            assert len(message) < 800
    assert refused > 100


PAIR = saved(np.array([[0, 1]]))
MATRIX = b"%%MatrixMarket matrix coordinate real general\n"


def hostile() -> Iterator[tuple[str, bytes, str]]:
    """Small files that ask for much: the name, the content, what the answer says."""
    yield "blanks.txt", b" " * 400_000, "is empty"
    yield "wide.txt", b"a b\n" + b" " * 100_000 + b"c d\n", "Graph(nodes=4, edges=2)"
    yield "lines.csv", b"\n" * 10_000_000, "is empty"
    yield "between.csv", b"a,b\n" + b"\n" * 5_000_000 + b"b,c\n", "Graph(nodes=3, edges=2)"
    yield "returns.csv", b"\r" * 5_000_000, "is empty"
    yield "comments.csv", b"#\n" * 2_000_000 + b"a,b\n", "Graph(nodes=2, edges=1)"
    yield "commas.csv", b"," * 500_000, "500,001 columns, above the limit of 10,000"
    yield "row.csv", b"a" * 5_000_000, "a row of more than"
    yield "field.csv", b"source,target" + b"x" * 500_000 + b"\na,b\n", "field larger"
    yield "header.csv", b"source,target" + b" " * 100_000 + b"\ra,b\r", "Graph(nodes=2, edges=1)"
    yield "quote.csv", b'a,b\n"c,d\n"e,f\n', "over several lines"
    yield "blanks.gml", b"graph [\n" + b" \n" * 200_000 + b"]", "no nodes"
    yield "deep.gml", b"graph " + b"[ a " * 100_000, "cannot be read as GML"
    yield "deep.json", b"[" * 1_000_000, "cannot be read as JSON"
    yield "id.json", b'{"nodes":[{"id":' + b"[" * 900 + b"]" * 900 + b'}],"edges":[]}', "without end"
    yield "digits.json", b'{"nodes":[{"id":' + b"9" * 50_000 + b'}],"edges":[]}', "cannot be read as JSON"
    entities = b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 30) for i in range(9))
    laughs = b'<!DOCTYPE l [<!ENTITY a "' + b"a" * 40 + b'">' + entities + b"]><graphml>&j;</graphml>"
    yield "laughs.graphml", laughs, "cannot be read as GraphML"
    yield "nodes.mtx", MATRIX + b"1000000000 1000000000 1\n1 1 1\n", "1,000,000,000 nodes, above the limit"
    yield "digits.mtx", MATRIX + b"9" * 20 + b" " + b"9" * 20 + b" 1\n1 1 1\n", "10^19 nodes"
    yield "entries.mtx", MATRIX + b"100 100 1000000000\n1 1 1\n", "more entries than it has lines"
    yield "array.mtx", MATRIX.replace(b"coordinate", b"array") + b"9999 9999\n1\n", "more entries than"
    yield "blanks.mtx", MATRIX + b" " * 1_000_000, "is no size"
    yield "lines.mtx", MATRIX + b"\n" * 5_000_000, "is no size"
    yield "n.npz", members(edges=np.array([[0, 1]]), n=10**12), "1,000,000,000,000 nodes, above the limit"
    yield "index.npz", members(edges=np.array([[0, 10**15]])), "1,000,000,000,000,001 nodes"
    yield "wrapped.npz", members(edges=np.array([[0, 2**64 - 1]], dtype=np.uint64)), "10^19 nodes"
    yield "negative.npz", members(edges=np.array([[0, 1]]), n=-3), "outside the -3 nodes"
    yield "shape.npz", raw_members(edges=npy("<i8", "(99999999999, 2)")), "not a complete npz file"
    yield "empty.npz", raw_members(edges=PAIR, names=npy("<U0", "(1000000000,)")), "not a complete npz file"
    yield "text.npz", raw_members(edges=PAIR, names=npy("<U999999999", "(2,)")), "not a complete npz file"
    yield "zeros.npz", raw_members(edges=npy("<i8", "(9, 2)") + bytes(3 << 20)), "not a complete npz file"
    codes = members(edges=np.array([[0, 1]]), n=2, labels=np.array([0, 10**9]))
    yield "codes.npz", codes, "1,000,000,001 classes, above the limit of 100,000"
    parts = {"data": np.ones(1), "indices": np.array([7]), "indptr": np.array([0, 1, 1])}
    yield "csr.npz", members(format=b"csr", shape=(2, 2), **parts), "damaged sparse matrix"
    yield "large.npz", members(format=b"csr", shape=(10**12, 10**12), **parts), "nodes, above the limit"
    yield "other.npz", members(format=b"xyz", shape=(2, 2), **parts), "no matrix as scipy.sparse.save_npz"
    codes_of_text = pa.array(np.zeros(100_000, dtype=np.int32))
    long = pa.DictionaryArray.from_arrays(codes_of_text, pa.array(["x" * 1_000_000]))
    yield "text.parquet", table(source=long, target=long), "bytes, above the limit"


CHILD = """
import json, resource, sys, time
from pathlib import Path
from zerokelvin.errors import ZerokelvinError
from zerokelvin.io import load_dataset, read_graph
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_graph(Path(sys.argv[1]) / "first.csv")
before, answers = used(), {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    began = time.process_time()
    try:
        said = repr(load_dataset(path) if path.name == "codes.npz" else read_graph(path))
    except ZerokelvinError as problem:
        said = str(problem)
    answers[path.name] = [said, time.process_time() - began, used() - before]
print(json.dumps(answers))
"""


def test_small_files_that_ask_for_much(tmp_path: Path) -> None:
    """40,000 blanks took 9 s, 10 MB of newlines 3.3 GB, one label code 4.8 GB: not any more."""
    expected = {}
    (tmp_path / "first.csv").write_text("a,b\n")
    for name, content, words in hostile():
        (tmp_path / name).write_bytes(content)
        expected[name] = words
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)], capture_output=True, text=True, check=True
    )
    answers = json.loads(done.stdout)
    for name, words in expected.items():
        said, seconds, grown = answers[name]
        assert words in said, (name, said)
        assert seconds < 5, (name, seconds)
        assert grown < 500_000, (name, grown)  # kilobytes
        assert len(said) < 500 + len(str(tmp_path)), name


@pytest.mark.parametrize("suffix", ["csv.gz", "npz", "parquet"])
def test_inflated_bytes_have_a_limit_that_can_be_raised(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"e.{suffix}"
    write_graph(Graph.from_edges([(i, i + 1) for i in range(3000)]), path)
    small = Limits(bytes=5000)
    with pytest.raises(
        DataError, match=r"bytes, above the limit of 5,000; .* limits=Limits\(bytes="
    ) as caught:
        read_graph(path, limits=small)
    assert "--limit bytes=" in str(caught.value)
    assert read_graph(path, limits=Limits(bytes=10**6)).num_nodes == 3001


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nodes_have_a_limit_that_can_be_raised(tmp_path: Path, suffix: str) -> None:
    for graph in (NUMBERED, NAMED):
        path = tmp_path / f"e.{suffix}"
        write_graph(graph, path)
        with pytest.raises(DataError, match=r"30 nodes, above the limit of 29; .* raise it with limits="):
            read_graph(path, limits=Limits(nodes=29))
        assert read_graph(path, limits=Limits(nodes=30)).num_nodes == 30


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "txt", "parquet"])
def test_rows_have_a_limit_that_can_be_raised(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"e.{suffix}"
    write_graph(Graph.from_edges([(i, i + 1) for i in range(300)]), path)
    with pytest.raises(DataError, match=r"rows, above the limit of 200; .* --limit rows=30"):
        read_graph(path, limits=Limits(rows=200))
    assert read_graph(path, limits=Limits(rows=400)).num_edges == 300


def test_classes_have_a_limit_that_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("".join(f"n{i},{i}\n" for i in range(30)))
    with pytest.raises(DataError, match="30 classes, above the limit of 29"):
        read_labels(path, NAMED, limits=Limits(classes=29))
    assert read_labels(path, NAMED, limits=Limits(classes=30)).max() == 29
    data = tmp_path / "d.npz"
    data.write_bytes(members(edges=np.array([[0, 1]]), labels=np.array([0, 200_000])))
    with pytest.raises(DataError, match="200,001 classes"):
        load_dataset(data)
    assert len(load_dataset(data, limits=Limits(classes=200_001)).label_names) == 200_001


def test_an_endless_file_ends() -> None:
    with pytest.raises(DataError, match="bytes, above the limit"):
        read_graph("/dev/zero", format="csv", limits=Limits(bytes=10**7))


def test_limits_are_whole_numbers() -> None:
    for value in (0, -1, 1.5, True, "9"):
        with pytest.raises(ParameterError, match="limit nodes="):
            Limits(nodes=value)  # type: ignore[arg-type]
    assert parse_limits(("nodes=5_000", "bytes = 7")) == Limits(nodes=5000, bytes=7)
    for text in ("nodes", "nodes=", "nodes=many", "edges=5", "nodes=-1", "nodes=0", "nodes=" + "9" * 30):
        with pytest.raises(ParameterError, match="limit"):
            parse_limits((text,))
