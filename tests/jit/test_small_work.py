"""Small work left to the interpreter: the same numbers to the last bit, whenever compiled code takes over."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from zerokelvin.jit.small_work import is_small, plain
from zerokelvin.learners import names

GAMES = """
import json, sys
import numpy as np
import zerokelvin as zk
from zerokelvin.errors import ZerokelvinError
from zerokelvin.jit import compile_now, small_work

way, learners = sys.argv[1], sys.argv[2:]
if way != "now":
    small_work.FREE = small_work.OWN = small_work.TOTAL = 1e9
if way == "interpreted":
    recording = small_work.recorded(lambda *_: None)  # no code from disk either
    recording.__enter__()


def exact(value):
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): exact(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [exact(one) for one in value]
    return exact(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def graphs():
    rng = np.random.default_rng(1)
    yield zk.generators.planted_partition([6, 6], 0.6, 0.15, rng)
    yield zk.generators.planted_partition([4, 4, 4], 0.7, 0.2, rng)
    weights = [0.1, 3.0, 1.0, 1e-3, 7.0, 1.0, 1.0, 20.0, 0.5]
    path = zk.Graph.from_edges([(i, i + 1) for i in range(9)], weights)
    yield type("Path", (), {"graph": path, "labels": np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 0])})
    known = path.with_attributes({"size": rng.normal(size=10), "kind": list("aabbaabbab")})
    yield type("Known", (), {"graph": known, "labels": np.array([0, 0, 1, 1, 2, 2, 1, 0, 2, 0])})


found = {}
for name in learners:
    for number, problem in enumerate(graphs()):
        said = found[f"{name} {number}"] = []
        labels = [int(label) for label in problem.labels]
        order = np.random.default_rng(number).permutation(len(labels)).tolist()
        compile_now(way == "now")
        try:
            session = zk.start(problem.graph, name, classes=sorted(set(labels)), seed=number)
            for step, node in enumerate(order[:8]):
                if step == 4:
                    compile_now(way != "interpreted")  # "switched": the second half is compiled
                prediction = session.predict(node)
                said.append(exact([prediction.label, prediction.ask, prediction.confidence]))
                said.append(exact(session.predict_proba_one(node)))
                session.learn(node, labels[node])
            said.append(exact(session.predict_all()))
            said.append(exact(session.open_questions(3)))
            session.correct(order[2], labels[order[-1]])
            said.append(exact(session.predict_all()))
            run = zk.play(problem.graph, labels, name, seed=number)
            said.append(exact([run.margins, run.predictions]))
        except ZerokelvinError as problem:
            said.append(str(problem))
left = small_work._LEFT
print(json.dumps({"found": found, "played": len(left.by_kernel), "compiled": left.compiled_is_used}))
"""

README = """
import sys
import zerokelvin as zk
from zerokelvin.jit import small_work
edges = [("ann", "bob"), ("bob", "cem"), ("ann", "cem"), ("cem", "dan"), ("dan", "eve"), ("eve", "fay")]
with zk.jit.compilation_seconds() as spent:
    session = zk.start(zk.Graph.from_edges([*edges, ("dan", "fay")]), classes=["fraud", "ok"])
    session.learn("ann", "fraud")
    session.learn("fay", "ok")
    session.predict("bob")
    session.add_nodes(["gus"], edges=[("gus", "fay")])
print(spent.kernels, small_work._LEFT.compiled_is_used)
"""


@pytest.fixture
def usual(tmp_path):
    """The environment of a user: kernels may be interpreted. Quiet, so nothing runs in the background."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_DISABLE_JIT",)}
    return kept | {"ZEROKELVIN_COMPILE": "", "ZEROKELVIN_QUIET": "1"}


def run(script, environment, *words):
    command = [sys.executable, "-W", "error", "-c", script, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_interpreted_and_compiled_learners_agree_to_the_last_bit_and_may_change_over_in_between(usual):
    ways = {way: json.loads(run(GAMES, usual, way, *names())) for way in ("now", "interpreted", "switched")}
    for way in ("interpreted", "switched"):
        assert ways[way]["found"] == ways["now"]["found"]
    assert ways["now"]["played"] == 0
    assert ways["interpreted"]["played"] > 60
    assert ways["switched"]["played"] > 20
    assert ways["switched"]["compiled"]


def test_the_readme_compiles_nothing_and_does_without_numba(usual, tmp_path):
    script = f"{README}\nimport sys\nprint('numba' in sys.modules)"
    assert run(script, usual | {"NUMBA_CACHE_DIR": str(tmp_path)}).split() == ["0", "False", "False"]
    assert not list(tmp_path.iterdir())


def test_it_can_be_switched_off(usual, tmp_path):
    script = (
        "import zerokelvin as zk\nline = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])\n"
        "print(zk.play(line, [0, 0, 1, 1], 'nearest').compile_seconds > 0)\n"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(script, usual | cache) == "False\n"
    assert run(script, usual | cache | {"ZEROKELVIN_COMPILE": "now"}) == "True\n"


def test_large_work_and_long_work_are_compiled(usual, tmp_path):
    script = (
        "import zerokelvin as zk\nfrom zerokelvin.jit import small_work\n"
        "def compiled(nodes):\n"
        "    line = zk.Graph.from_edges([(i, i + 1) for i in range(nodes)])\n"
        "    return zk.play(line, [0] * (nodes + 1), 'nearest').compile_seconds > 0\n"
        "print(compiled(10), compiled(3000))\n"
        "small_work.OWN = 0.0\n"
        "print(zk.play(zk.Graph.from_edges([(0, 1), (1, 2)]), [0, 1, 1], 'perceptron').compile_seconds > 0)\n"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(script, usual | cache).split() == ["False", "True", "True"]


def test_an_interrupt_in_an_interpreted_kernel_leaves_the_session_right(usual):
    script = (
        "import zerokelvin as zk\n"
        "from zerokelvin.learners.auto import mixing\n"
        "graph = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4)])\n"
        "def begun():\n"
        "    session = zk.start(graph, classes=['a', 'b'])\n"
        "    session.learn(0, 'a'); session.learn(3, 'b')\n"
        "    return session\n"
        "session, whole = begun(), mixing._learn.py_func\n"
        "def halfway(*given):\n"
        "    whole(*given)\n"
        "    raise KeyboardInterrupt\n"
        "mixing._learn.py_func = halfway\n"
        "zk.jit.exact_python._KNOWN[halfway] = True\n"
        "try:\n"
        "    session.learn(1, 'a')\n"
        "    raise SystemExit('not interrupted')\n"
        "except KeyboardInterrupt:\n"
        "    mixing._learn.py_func = whole\n"
        "other = begun()\n"
        "assert repr(session.predict_proba_all()) == repr(other.predict_proba_all())\n"
        "session.learn(1, 'a'); other.learn(1, 'a')\n"
        "assert repr(session.predict_proba_all()) == repr(other.predict_proba_all())\n"
    )
    run(script, usual)


def test_threads_play_each_for_itself(usual):
    script = (
        "import threading, zerokelvin as zk\n"
        "graph = zk.Graph.from_edges([(i, (i + 1) % 9) for i in range(9)])\n"
        "labels, found = [0, 0, 0, 0, 1, 1, 1, 1, 1], []\n"
        "def work(): found.append([float(x).hex() for x in zk.play(graph, labels, 'auto').margins.ravel()])\n"
        "threads = [threading.Thread(target=work) for _ in range(3)]\n"
        "[one.start() for one in threads]; [one.join() for one in threads]\n"
        "assert len(found) == 3 and found[0] == found[1] == found[2]\n"
    )
    run(script, usual)


def test_sizes_count_arrays_in_tuples():
    assert is_small((np.zeros(4000), (np.zeros(50), (np.zeros(46), 3.0))))
    assert not is_small((np.zeros(4000), (np.zeros(50), (np.zeros(47), 3.0))))


def test_numbers_come_back_as_compiled_code_hands_them_out():
    from zerokelvin.learners.auto.mixing import Said

    result = plain(Said(np.zeros(2), np.float64(1.5), np.int64(2), np.bool_(False), (np.float64(2.0),)))
    assert type(result) is Said
    assert [type(value) for value in result[1:]] == [float, int, bool, tuple]
    assert type(result[4][0]) is float
