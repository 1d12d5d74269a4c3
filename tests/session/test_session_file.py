"""Session files: whatever is done to one, it loads as what was saved or is refused in one way."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

import zerokelvin as zk
from session_files import rewrite, write_version_1
from zerokelvin.errors import SessionError
from zerokelvin.io import session_file
from zerokelvin.learners.auto import settings as auto_settings

RING = zk.Graph.from_edges([(i, (i + 1) % 9) for i in range(9)] + [(0, 4)])


def told(learner="perceptron", **terms):
    session = zk.start(
        RING, learner, classes=["x", "y", ("z", 1)], policy="margin:0.5", budget=5, seed=3, **terms
    )
    session.teach({8: "y"})
    for node, label in [(0, "x"), (4, "y"), (2, ("z", 1)), (6, "x"), (1, "y")]:
        session.learn(node, label)
    session.skip(7)
    session.learn(3, "x", shown=session.predict(3))
    return session


def view(session):
    return (
        session.events,
        session._standing.outcomes,
        session.mistakes,
        session.queries,
        session.trials,
        session.budget,
        session.seed,
        str(session.policy),
        session.learner,
        session.classes,
        session.predict_many(range(session.graph.num_nodes)),
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A session, and files of it in both versions."""
    session, folder = told(), tmp_path_factory.mktemp("saved")
    session.save(folder / "two.zk")
    older = zk.start(RING, "perceptron", classes=["x", "y"], policy="margin:0.5", seed=3, open_classes=True)
    for node, label in [(0, "x"), (4, "y"), (2, "y"), (6, "x")]:
        older.learn(node, label)
    older.skip(7)
    write_version_1(older, folder / "one.zk")
    return {2: (session, folder / "two.zk"), 1: (older, folder / "one.zk")}


def load_or_refuse(path, expected):
    """Whether a file still loads; then it is the session that was saved."""
    try:
        loaded = zk.load(path, RING)
    except SessionError:
        return False
    assert view(loaded) == expected
    return True


def damaged(data, rng):
    """A file with bytes flipped, cut out, put in, repeated or cut off."""
    data, at = bytearray(data), int(rng.integers(len(data)))
    kind = int(rng.integers(6))
    if kind == 0:
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        for place in rng.integers(0, len(data), 5):
            data[place] = int(rng.integers(256))
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data[at:at] = rng.bytes(int(rng.integers(1, 9)))
    elif kind == 4:
        del data[at : at + int(rng.integers(1, 9))]
    else:
        data[at:at] = data[at : at + 40]
    return bytes(data)


@pytest.mark.parametrize("version", [1, 2])
def test_damage_is_refused_or_harmless(saved, version, tmp_path):
    session, path = saved[version]
    whole, expected = path.read_bytes(), view(session)
    assert load_or_refuse(path, expected)
    rng = np.random.default_rng(version)
    refused = 0
    for _ in range(300):
        (tmp_path / "d.zk").write_bytes(damaged(whole, rng))
        refused += not load_or_refuse(tmp_path / "d.zk", expected)
    assert refused > 200


def test_damage_inside_the_archive_is_refused(saved, tmp_path):
    """Members changed and packed again, so that the checksums of the archive fit."""
    session, path = saved[2]
    expected = view(session)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rng = np.random.default_rng(0)
    for i in range(300):
        changed = dict(members)
        name = list(members)[i % len(members)]
        changed[name] = damaged(members[name], rng)
        with zipfile.ZipFile(tmp_path / "d.zk", "w") as archive:
            for member, content in changed.items():
                archive.writestr(member, content)
        if load_or_refuse(tmp_path / "d.zk", expected):
            assert changed == members or np.array_equal(
                *(np.load(io.BytesIO(part), allow_pickle=False) for part in (changed[name], members[name]))
            )


HEADERS = {
    "graph": [None, 3, "", ["x"]],
    "nodes": [8, "9", None, 1e9, True],
    "learner": ["nobody", None, 3, ["perceptron"], "auto\0"],
    "params": [None, [], {"b": "x"}, {"nothing": 1}, {"b": None}, {"b": 10**400}, {"b": {}}],
    "forget": ["x", 0, -1, 1.5, True],
    "classes": [
        None,
        [],
        ["x", "y"],
        ["x", "x", "y"],
        ["y", "x", {"tuple": ["z", 1]}],
        [None],
        [[1]],
        {},
        "xyz",
    ],
    "classes_given": [[], ["x"], "x", [{"tuple": 3}], [{"list": []}], 3],
    "open_classes": [None, 1, "yes"],
    "outcome_classes": [None, [], ["x"], ["x", "x", "x"], [{"tuple": [[]]}]],
    "policy": [None, "", "sometimes", "margin:x", "random:7", 3],
    "budget": ["x", -1, 1.5, 2**63, True],
    "seed": [None, "x", -1, 2**64, 1.5, True],
    "events": [None, 0, 10**12, "8", -1, 8.0],
    "settled": [None, -1, 99, "x", 1.5],
    "retold": [None, 1, "x"],
    "states": [None, 1, False, "x"],
    "version": [None, 0, 3, "2", 2.0, True],
    "format": [None, "", 3, "zip"],
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("field", HEADERS)
def test_crafted_headers_are_refused(saved, version, field, tmp_path):
    session, path = saved[version]
    for value in HEADERS[field]:

        def change(header, arrays, value=value):
            header[field] = value

        if version == 1 and field in ("open_classes", "outcome_classes", "events", "states", "nodes"):
            continue  # unknown to version 1
        rewrite(path, tmp_path / "c.zk", change, sign=version == 2)
        loaded = load_or_refuse(tmp_path / "c.zk", view(session))
        assert not loaded or (version == 1 and field.startswith("classes")), value

    def drop(header, arrays):
        del header[field]

    if version == 2:
        rewrite(path, tmp_path / "c.zk", drop)
        if field in ("forget", "open_classes", "settled", "retold"):
            return
        assert not load_or_refuse(tmp_path / "c.zk", view(session))


def put(name, at, value):
    def change(header, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][at] = value

    return change


def reshape(name, array):
    def change(header, arrays):
        arrays[name] = array

    return change


ARRAYS = [
    put("events", (0, 0), 3),
    put("events", (0, 0), -1),
    put("events", (1, 1), 9),
    put("events", (1, 1), -1),
    put("events", (1, 2), 3),
    put("events", (1, 2), -1),
    put("events", (6, 2), 0),
    put("events", (0, 1), 2**62),
    put("outcomes", (1, 0), 3),
    put("outcomes", (1, 0), -2),
    put("outcomes", (0, 0), 0),
    put("outcomes", (1, 1), 2),
    put("outcomes", (6, 1), 1),
    reshape("outcomes", np.zeros((3, 5), dtype=np.int64)),
    reshape("events", np.zeros((8, 3))),
    reshape("events", np.zeros(24, dtype=np.int64)),
    reshape("events", np.zeros((8, 3), dtype=np.int32)),
    reshape("left_out", np.array([[0, 0]])),
    reshape("left_out", np.array([[9, 0]])),
    reshape("left_out", np.array([[1, 9]])),
    reshape("state/0/w", np.zeros((9, 9))),
    reshape("state/0/w", np.zeros(9, dtype=np.int64)),
    reshape("state/0/w", np.zeros(10**5)),
    reshape("state/7/w", np.zeros(9)),
    reshape("more", np.zeros(9)),
]


@pytest.mark.parametrize("change", ARRAYS)
def test_crafted_arrays_are_refused(saved, change, tmp_path):
    session, path = saved[2]
    rewrite(path, tmp_path / "c.zk", change)
    assert not load_or_refuse(tmp_path / "c.zk", view(session))


@pytest.mark.parametrize("member", ["events", "outcomes", "left_out", "state/0/w", "header"])
def test_missing_members_are_refused(saved, member, tmp_path):
    session, path = saved[2]
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(tmp_path / "c.zk", "w") as left:
        for name in archive.namelist():
            if name != f"{member}.npy":
                left.writestr(name, archive.read(name))
    assert not load_or_refuse(tmp_path / "c.zk", view(session))
    if member != "header":
        rewrite(path, tmp_path / "c.zk", lambda header, arrays: arrays.pop(member))
        assert not load_or_refuse(tmp_path / "c.zk", view(session))


def test_arrays_that_are_inflated_twice_are_the_same(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(session_file, "ROOM", 0)
    monkeypatch.setattr(session_file, "DENSE", 0)
    for session, path in saved.values():
        assert load_or_refuse(path, view(session))
        file = session_file.read_session(path)
        assert not file._inflated


def test_what_does_not_shrink_is_stored(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "noise": rng.random(5000),
        "zeros": np.zeros(5000),
        "none": np.zeros((0, 3)),
        "one": np.array(2.5),
    }
    session_file.write_session(tmp_path / "s.zk", {}, arrays)
    with zipfile.ZipFile(tmp_path / "s.zk") as archive:
        kinds = {info.filename: info.compress_type for info in archive.infolist()}
    assert kinds["noise.npy"] == zipfile.ZIP_STORED
    assert kinds["zeros.npy"] == zipfile.ZIP_DEFLATED
    file = session_file.read_session(tmp_path / "s.zk")
    with np.load(tmp_path / "s.zk", allow_pickle=False) as plain:
        for name, array in arrays.items():
            for found in (file.array(name), plain[name]):
                assert found.dtype == array.dtype
                assert np.array_equal(found, array)


def npy(shape, descr="<i8", content=b""):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header + " " * (118 - len(header) - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + content


def test_what_a_file_only_claims_is_not_allocated(saved, tmp_path):
    """Arrays of terabytes, bombs, pickles, nested headers: refused, and in little memory."""
    _, path = saved[2]
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    bombs = [
        {"events.npy": npy((10**12, 3))},
        {"events.npy": npy((10**30, 3))},
        {"events.npy": npy((8, 3), "|O")},
        {"state/0/w.npy": npy((2**40,), "<f8")},
        {"state/0/w.npy": npy((2**25,), "<f8", bytes(2**28))},
        {"header.npy": npy((2**28,), "|u1", bytes(2**28))},
        {"header.npy": npy((2 * 10**5,), "|u1", b"[" * 2 * 10**5)},
        {"header.npy": npy((6,), "|u1", b"[1, 2]")},
        {"header.npy": npy((12,), "|u1", b'{"a": Infin}')},
        {"header.npy": b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 65535},
    ]
    for bomb in bombs:
        with zipfile.ZipFile(tmp_path / "b.zk", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {**members, **bomb}.items():
                archive.writestr(name, content)
        del content
        tracemalloc.start()
        with pytest.raises(SessionError):
            zk.load(tmp_path / "b.zk", RING)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 2**27
    small = bytearray((tmp_path / "b.zk").read_bytes())
    (tmp_path / "b.zk").write_bytes(small.replace(b"\x08\x00", b"\x63\x00"))  # an unknown compression
    with pytest.raises(SessionError):
        zk.load(tmp_path / "b.zk", RING)
    for odd in (tmp_path, tmp_path / "none" / "s.zk"):
        with pytest.raises(SessionError):
            zk.load(odd, RING)


def test_version_1_counts_what_its_outcomes_say(saved, tmp_path):
    """Its counters are not believed, and its states only where nothing else is known."""
    session, _ = saved[1]

    def lie(header, arrays):
        arrays["session/mistakes"] = np.array(-7)
        arrays["session/counts"] = np.array([9, 9])
        arrays["state/0/w"] = np.full(9, 1e9)

    write_version_1(session, tmp_path / "v.zk", change=lie)
    assert view(zk.load(tmp_path / "v.zk", RING)) == view(session)
    write_version_1(session, tmp_path / "v.zk", change=lambda header, _: header.update(classes_given=["x"]))
    assert zk.load(tmp_path / "v.zk", RING).open_classes  # as it was then


def test_version_1_forgot_classes_that_vanished_and_is_saved_all_the_same(saved, tmp_path):
    session, _ = saved[1]
    write_version_1(
        session, tmp_path / "v.zk", change=lambda _, arrays: arrays["outcomes"].__setitem__((1, 0), -1)
    )
    loaded = zk.load(tmp_path / "v.zk", RING)
    assert loaded._standing.outcomes[1].predicted is None
    loaded.save(tmp_path / "w.zk")
    assert view(zk.load(tmp_path / "w.zk", RING)) == view(loaded)


@pytest.mark.parametrize("learner", zk.learners.names())
def test_every_learner_is_saved_within_its_limits(learner, tmp_path):
    classes = ["x", "y", ("z", 1)]
    session = zk.start(RING, learner, classes=classes)
    for i in range(40):
        session.learn(i % 9, classes[i % 3])
        if i == 20:
            session.add_nodes(2, [(9, 0), (10, 9)])
    session.save(tmp_path / "s.zk")
    assert view(zk.load(tmp_path / "s.zk", session.graph)) == view(session)


def test_the_header_holds_the_hash_of_everything(saved):
    _, path = saved[2]
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(file["header"].tobytes())
    assert len(header["sha256"]) == 64
    assert header["events"] == 8


LABELLED = {"longest-path": "0/", "spanning-tree": "0/", "auto": "longest-path/0/"}


@pytest.mark.parametrize("learner", LABELLED)
@pytest.mark.parametrize(
    ("field", "at", "value"),
    [("seen_nodes", 1, 9), ("seen_nodes", 0, -1), ("seen_labels", 2, 0), ("seen_labels", 2, 5)],
)
def test_labels_that_are_learnt_again_are_looked_at_first(learner, field, at, value, tmp_path):
    session = begun(learner)
    session.save(tmp_path / "s.zk")
    rewrite(tmp_path / "s.zk", tmp_path / "c.zk", put(f"state/{LABELLED[learner]}{field}", at, value))
    with pytest.raises(SessionError, match="damaged"):
        zk.load(tmp_path / "c.zk", RING)


def begun(learner):
    session = zk.start(RING, learner, classes=["x", "y"])
    for i in range(6):
        session.learn(i, "xy"[i % 2])
    return session


def members(path):
    with np.load(path, allow_pickle=False) as file:
        return set(file.files)


@pytest.mark.parametrize("shape", [(1, 9), (2, 1), (9, 2), (2, 10)])
def test_an_array_of_another_shape_is_refused(shape, tmp_path):
    """None of them may be spread over the array that it belongs into."""
    session = begun("auto")
    session.save(tmp_path / "s.zk")
    name = next(name for name in sorted(members(tmp_path / "s.zk")) if name.endswith("0/x"))
    rewrite(tmp_path / "s.zk", tmp_path / "c.zk", reshape(name, np.zeros(shape)))
    with pytest.raises(SessionError, match="damaged"):
        zk.load(tmp_path / "c.zk", RING)


def test_the_states_of_other_experts_are_not_used(tmp_path, monkeypatch):
    session = begun("auto")
    session.save(tmp_path / "s.zk")
    assert any(name.startswith("state/longest-path/") for name in members(tmp_path / "s.zk"))
    monkeypatch.setattr(auto_settings, "VOTERS", auto_settings.VOTERS[:1])
    loaded, fewer = zk.load(tmp_path / "s.zk", RING), begun("auto")
    assert view(loaded) == view(fewer)
    assert len(loaded.standing.game.trusted()) < len(session.standing.game.trusted())
