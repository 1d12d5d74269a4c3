"""A pack that was cut off or changed is refused, whatever bit it is."""

import os
import pickle
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.errors import DataError
from zerokelvin.io import whole_files
from zerokelvin.io.packs import pack_reader, pack_writer
from zerokelvin.io.packs.pack_layout import BLOCK
from zerokelvin.io.packs.pack_reader import verify_pack

GRAPH = zk.Graph.from_edges([("ann", "bob", 0.1), ("bob", "cem", 2.0), ("dan", "eve", 1.5)])


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    path = tmp_path_factory.mktemp("packs") / "graph.zkg"
    zk.write_graph(GRAPH, path)
    return path


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_flipped_bit_is_found(pack, tmp_path_factory, data):
    content = bytearray(pack.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    other = pack.with_name("flipped.zkg")
    other.write_bytes(content)
    with pytest.raises(DataError, match=r"flipped\.zkg"):
        zk.open_graph(other)
    with pytest.raises(DataError, match=r"flipped\.zkg"):
        verify_pack(other)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_every_truncation_is_found_at_once(pack, data):
    content = pack.read_bytes()
    other = pack.with_name("cut.zkg")
    other.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(DataError, match=r"cut\.zkg"):
        zk.open_graph(other, verify=False)


def test_large_packs_are_compared_once(tmp_path, monkeypatch):
    """What was written here is known; what was copied or written to since is compared when it is opened."""
    for module in (pack_reader, pack_writer):
        monkeypatch.setattr(module, "AT_ONCE", 1000)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ZEROKELVIN_CACHE", raising=False)
    path, compared = tmp_path / "graph.zkg", []
    compare = pack_reader._compare
    monkeypatch.setattr(pack_reader, "_compare", lambda *at: compared.append(at[0]) or compare(*at))
    edges = np.column_stack([np.arange(80_000), np.arange(1, 80_001)])
    zk.write_graph(zk.Graph.from_edges(edges, np.linspace(1.0, 2.0, 80_000) ** 0.5), path)

    def forgotten():
        whole_files._KNOWN.clear()  # as in another process

    forgotten()
    zk.open_graph(path)
    assert not compared
    copy = tmp_path / "copy.zkg"
    shutil.copy2(path, copy)
    for _ in range(2):
        zk.open_graph(copy)
        forgotten()
    assert compared == [copy]
    done = []
    head = verify_pack(path, lambda *at: done.append(at))
    blocks = sum(-(-one.size // BLOCK) for one in head.sections.values())
    assert done == [(k + 1, blocks) for k in range(blocks)]
    assert blocks > len(head.sections)  # some section has several
    weights, times = head.sections["weights"], path.stat()
    with path.open("r+b") as file:
        file.seek(weights.offset + BLOCK + 5)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 16]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert zk.open_graph(path, verify=False).num_edges == 80_000
    for verify in (None, True):
        with pytest.raises(DataError, match="'weights' differs from its checksum"):
            zk.open_graph(path, verify=verify)
    monkeypatch.setenv("ZEROKELVIN_CACHE", "off")
    compared.clear()
    forgotten()
    for _ in range(2):
        zk.open_graph(copy)
    assert compared == [copy]  # for the length of this process


def test_a_pack_sent_to_where_another_lies_is_refused(pack, tmp_path):
    path = tmp_path / "graph.zkg"
    path.write_bytes(pack.read_bytes())
    sent = pickle.dumps(zk.open_graph(path))
    assert pickle.loads(sent).num_edges == 3  # noqa: S301
    zk.write_graph(zk.Graph.from_edges([("ann", "bob")]), path)
    with pytest.raises(DataError, match="another packed graph here"):
        pickle.loads(sent)  # noqa: S301


def test_another_version_and_another_file_are_told_apart(pack, tmp_path):
    content = bytearray(pack.read_bytes())
    content[8] = 9
    (tmp_path / "new.zkg").write_bytes(content)
    with pytest.raises(DataError, match="version 9"):
        zk.open_graph(tmp_path / "new.zkg")
    (tmp_path / "text.zkg").write_text("a,b\n")
    with pytest.raises(DataError, match="is no packed graph"):
        zk.open_graph(tmp_path / "text.zkg")
    with pytest.raises(DataError, match="there is no file"):
        zk.open_graph(tmp_path / "missing.zkg")


def test_nothing_is_left_of_a_writer_that_fails(tmp_path):
    with pytest.raises(zk.errors.GraphError):
        zk.write_graph(zk.Graph.from_edges([(("a", 1), "b")]), tmp_path / "graph.zkg")
    with pytest.raises(zk.errors.GraphError):
        zk.write_graph(zk.Graph.from_edges([("a\udc80", "b")]), tmp_path / "graph.zkg")
    assert list(tmp_path.iterdir()) == []
