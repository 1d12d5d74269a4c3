"""Downloads from a local server: parsing, checksums, progress, and everything that can go wrong."""

from __future__ import annotations

import functools
import http.server
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from zerokelvin.errors import DataError
from zerokelvin.io import find_datasets, load_dataset

CONTENT = "p1\t0\t1\tTheory\np2\t1\t1\tAI\nnone-cited\t0\t0\tAI\np3\t1\t0\tTheory\n"
CITES = "p1\tp2\np2\tp1\np3\tp1\np3\tp3\nmissing\tp1\n"
NODES = (
    "NODE\tpaper\ncat=1,2,3:label\tnumeric:w-rat:0.0\tsummary\n"
    "12\tlabel=1\tw-rat=0.5\tsummary=w-rat\n34\tlabel=3\tw-rat=0.1\tsummary=w-rat\n"
    "56\tlabel=2\tw-rat=0.1\tsummary=w-rat\n"
)
LINKS = (
    "DIRECTED\tcites\nNO_FEATURES\n1\tpaper:12\t|\tpaper:34\n2\tpaper:34\t|\tpaper:12\n"
    "3\tpaper:56\t|\tpaper:56\n4\tpaper:56\t|\tpaper:99\n5\tpaper:34\t|\tpaper:56\n"
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def archive(**files: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def cora(**more: str) -> bytes:
    return archive(**{"cora/README": "x", "cora/cora.content": CONTENT, "cora/cora.cites": CITES, **more})


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A web site with the three archives, and an empty cache."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "cora.tgz").write_bytes(cora())
    (folder / "citeseer.tgz").write_bytes(
        archive(**{"citeseer/citeseer.content": CONTENT, "citeseer/citeseer.cites": CITES})
    )
    papers = "Pubmed-Diabetes/data/Pubmed-Diabetes.NODE.paper.tab"
    links = "Pubmed-Diabetes/data/Pubmed-Diabetes.DIRECTED.cites.tab"
    (folder / "Pubmed-Diabetes.tgz").write_bytes(archive(**{papers: NODES, links: LINKS}))
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ZEROKELVIN_DATA", raising=False)
    monkeypatch.setenv("ZEROKELVIN_DATASETS_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield folder
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "zerokelvin"


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_citations(site: Path, name: str) -> None:
    data = load_dataset(name)
    graph = data.graph
    assert graph.names == ("p1", "p2", "none-cited", "p3")
    assert {(graph.name(u), graph.name(v)) for u, v in graph.edges.tolist()} == {("p1", "p2"), ("p1", "p3")}
    assert graph.edge_weights.tolist() == [1.0, 1.0]
    assert [data.label_names[code] for code in data.labels] == ["Theory", "AI", "AI", "Theory"]
    assert data.extras["unknown_citations"] == 1
    assert data.extras["self_citations"] == 1


def test_pubmed(site: Path) -> None:
    data = load_dataset("pubmed")
    assert data.graph.names == ("12", "34", "56")
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert [data.label_names[code] for code in data.labels] == [
        "Diabetes Mellitus, Experimental",
        "Diabetes Mellitus Type 2",
        "Diabetes Mellitus Type 1",
    ]
    assert (data.extras["unknown_citations"], data.extras["self_citations"]) == (1, 1)


def test_downloaded_once_with_progress(site: Path, cache: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    first = load_dataset("cora", progress=lambda done, total: calls.append((done, total)))
    size = (site / "cora.tgz").stat().st_size
    assert calls[-1] == (size, size)
    (site / "cora.tgz").unlink()
    second = load_dataset("cora", progress=lambda *_: pytest.fail("downloaded again"))
    assert second.graph == first.graph
    assert sorted(path.name for path in cache.iterdir()) == ["cora.download.json", "cora.npz"]
    row = next(info for info in find_datasets() if info.name == "cora")
    assert (row.where, row.nodes, row.edges, row.classes) == (str(cache / "cora.npz"), 4, 2, 2)


def test_changed_cache_is_refused(site: Path, cache: Path) -> None:
    load_dataset("cora")
    load_dataset("citeseer")
    (cache / "cora.npz").write_bytes((cache / "citeseer.npz").read_bytes() + b"x")
    with pytest.raises(DataError, match="has changed since its download"):
        load_dataset("cora")
    (cache / "cora.npz").unlink()
    assert load_dataset("cora").graph.num_nodes == 4


def test_changed_archive_is_refused(site: Path, cache: Path) -> None:
    load_dataset("cora")
    (cache / "cora.npz").unlink()
    (site / "cora.tgz").write_bytes(cora(**{"cora/extra": "more"}))
    with pytest.raises(DataError, match=r"not [0-9a-f]{64} as before"):
        load_dataset("cora")
    assert not (cache / "cora.npz").exists()
    (cache / "cora.download.json").unlink()
    assert load_dataset("cora").graph.num_nodes == 4


def test_damaged_record(site: Path, cache: Path) -> None:
    load_dataset("cora")
    record = cache / "cora.download.json"
    assert set(json.loads(record.read_text())) == {"url", "archive_sha256", "npz_sha256"}
    for content in ("garbage", "[1]"):
        record.write_text(content)
        with pytest.raises(DataError, match="is damaged; delete it"):
            load_dataset("cora")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"garbage", "archive is damaged"),
        (cora()[:-60], "archive is damaged"),
        (archive(**{"x/readme": "x"}), r"no file ending in \.content or \.cites"),
        (
            archive(**{"cora.content": "p1\n", "cora.cites": CITES}),
            r"line 1 of the \.content file has no class",
        ),
        (
            archive(**{"cora.content": CONTENT, "cora.cites": "p1 p2 p3\n"}),
            "line 1 .* is not a pair of papers",
        ),
        (archive(**{"cora.content": CONTENT * 2, "cora.cites": CITES}), "one of them twice"),
        (archive(**{"cora.content": "", "cora.cites": CITES}), "lists no papers"),
    ],
)
def test_wrong_archives(site: Path, cache: Path, content: bytes, sentence: str) -> None:
    (site / "cora.tgz").write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        load_dataset("cora")
    assert not cache.exists()


@pytest.mark.parametrize(
    ("nodes", "links", "sentence"),
    [
        (NODES + "78\tw-rat=1\n", LINKS, "line 6 .* has no label"),
        (NODES, LINKS + "6\tpaper:12\n", "line 8 .* is no citation"),
    ],
)
def test_wrong_pubmed(site: Path, nodes: str, links: str, sentence: str) -> None:
    (site / "Pubmed-Diabetes.tgz").write_bytes(
        archive(**{"a.NODE.paper.tab": nodes, "a.DIRECTED.cites.tab": links})
    )
    with pytest.raises(DataError, match=sentence):
        load_dataset("pubmed")


def test_paths_in_the_archive_are_never_used(site: Path, tmp_path: Path) -> None:
    (site / "cora.tgz").write_bytes(archive(**{"../../evil.content": CONTENT, "/abs/evil.cites": CITES}))
    before = {path for path in tmp_path.rglob("*") if "cache" not in path.parts}
    assert load_dataset("cora").graph.num_nodes == 4
    assert {path for path in tmp_path.rglob("*") if "cache" not in path.parts} == before
    assert not Path("/abs").exists()


def test_links_in_the_archive_are_not_followed(site: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in ("cora.content", "cora.cites"):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/hostname"
            tar.addfile(info)
    (site / "cora.tgz").write_bytes(buffer.getvalue())
    with pytest.raises(DataError, match="no file ending in"):
        load_dataset("cora")


def test_server_and_address_errors(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "cora.tgz").unlink()
    with pytest.raises(DataError, match=r"cora\.tgz' cannot be downloaded: the server answered 404"):
        load_dataset("cora")
    monkeypatch.setenv("ZEROKELVIN_DATASETS_URL", "http://127.0.0.1:9")
    with pytest.raises(DataError, match=r"cannot be downloaded: .*; check the connection"):
        load_dataset("cora")
    monkeypatch.setenv("ZEROKELVIN_DATASETS_URL", f"file://{site}")
    with pytest.raises(DataError, match="is no web address"):
        load_dataset("cora")
