"""CPU seconds of compilation by kernel, of the README's example or of a learner, with an empty cache.

Run with ``zerokelvin bench compile-times [LEARNER] [--top N] [--nodes N] [--signatures]``. Without a LEARNER
the first example of the README is run (``auto``), else one game of the learner on a planted partition of
three classes and a session that learns and predicts. It runs in a process of its own whose cache is an empty
folder, and nothing is left to the interpreter or to another process.

``own`` is the time of a kernel without the kernels of this package that it calls and had to be compiled
first, ``all`` the time with them; functions of numba's own that a kernel needs are its own time. ``share``
compares own time with all compilation. What numba does once in a process before its first compilation (about
two seconds) is told apart from the kernels, with the imports. A kernel with more than one signature is
compiled once for each: with ``--signatures`` they are listed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"

EXAMPLE = """
import zerokelvin as zk
edges = [("ann", "bob"), ("bob", "cem"), ("ann", "cem"), ("cem", "dan"), ("dan", "eve")]
edges += [("eve", "fay"), ("dan", "fay")]
graph = zk.Graph.from_edges(edges)
session = zk.start(graph, classes=["fraud", "ok"])
session.learn("ann", "fraud")
session.learn("fay", "ok")
p = session.predict("bob")
print(p.label, p.ask, p.reason)
session.add_nodes(["gus"], edges=[("gus", "fay")])
session.save("review.zk")
"""
"""What the README shows; `tests/docs/test_compile_times.py` compares the two."""

LEARNER = """
import numpy
import zerokelvin as zk
problem = zk.generators.planted_partition([{nodes} // 3] * 3, 0.2, 0.02, numpy.random.default_rng(0))
zk.play(problem.graph, problem.labels, {learner!r})
session = zk.start(problem.graph, {learner!r}, classes=[0, 1, 2])
for node in range(5):
    session.learn(node, problem.labels[node])
session.predict(7)
"""

MEASURED = """
import json, sys, time
began = time.perf_counter()
import numba
import numpy
from zerokelvin.jit import compilations
numba.njit(lambda values: values.sum() + numpy.zeros(3)[0])(numpy.ones(3))
first = time.perf_counter() - began
with compilations() as found:
    exec(compile(sys.argv[1], "<measured>", "exec"), {})
wall = time.perf_counter() - began
rows = [(c.module, c.kernel, c.signature, c.cpu_seconds, c.own_cpu_seconds) for c in found]
json.dump({"wall": wall, "first": first, "rows": rows}, open(sys.argv[2], "w"))
"""


def measure(script):
    """Wall seconds of a script in a fresh process with an empty cache, and its compilations."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        subprocess.run(
            [sys.executable, "-c", MEASURED, script, str(found)],
            env=os.environ | {"NUMBA_CACHE_DIR": str(Path(folder) / "cache"), "ZEROKELVIN_COMPILE": "now"},
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return json.loads(found.read_text(encoding="utf-8"))


def by_kernel(rows):
    """Kernels as ``module.name``: how many signatures, own and all seconds, the signatures; slowest first."""
    kernels = {}
    for module, name, signature, seconds, own in rows:
        entry = kernels.setdefault(f"{module.removeprefix('zerokelvin.')}.{name}", [0, 0.0, 0.0, []])
        entry[0] += 1
        entry[1] += own
        entry[2] += seconds
        entry[3].append((own, signature))
    return sorted(kernels.items(), key=lambda item: -item[1][1])


def by_room(kernels):
    """Own seconds by room (the first two parts of a module), slowest first."""
    rooms = {}
    for name, (count, own, _, _) in kernels:
        room = ".".join(name.split(".")[: 2 if name.startswith("learners.") else 1])
        total = rooms.setdefault(room, [0, 0.0])
        total[0] += count
        total[1] += own
    return sorted(rooms.items(), key=lambda item: -item[1][1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("learner", nargs="?", help="a learner; without it the README's example")
    parser.add_argument("--top", type=int, default=40, help="how many kernels to list")
    parser.add_argument("--nodes", type=int, default=90, help="nodes of the graph that a learner plays on")
    parser.add_argument(
        "--signatures", action="store_true", help="list the signatures of kernels with several"
    )
    given = parser.parse_args()
    script = EXAMPLE if given.learner is None else LEARNER.format(learner=given.learner, nodes=given.nodes)
    found = measure(script)
    kernels = by_kernel(found["rows"])
    total = sum(own for _, (_, own, _, _) in kernels)
    what = "the README's example" if given.learner is None else f"'{given.learner}', {given.nodes} nodes"
    print(f"{what}: {total:.1f} CPU s of compilation in {found['wall']:.1f} s", end=", ")
    print(f"{len(kernels)} kernels, {len(found['rows'])} signatures; {time.strftime('%Y-%m-%d')}")
    print(f"before the first kernel (imports, and numba's own start): {found['first']:.1f} s")
    print("\nby room      own s  share  signatures")
    for room, (count, own) in by_room(kernels):
        print(f"{own:18.2f} {own / total:6.1%} {count:11d}  {room}")
    print(f"\nthe {min(given.top, len(kernels))} slowest kernels")
    print(f"{'own s':>8} {'all s':>7} {'share':>6} {'sum':>6}  sig")
    so_far = 0.0
    for name, (count, own, every, signatures) in kernels[: given.top]:
        so_far += own
        print(f"{own:8.2f} {every:7.2f} {own / total:6.1%} {so_far / total:6.1%} {count:4d}  {name}")
        if given.signatures and count > 1:
            for seconds, signature in sorted(signatures, reverse=True):
                print(f"{seconds:27.2f}        {signature}")


if __name__ == "__main__":
    main()
