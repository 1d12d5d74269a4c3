"""Graphs on disk: packing against a sort alone, learning on packs within memory, reordering, embedding.

Every step runs in a process of its own, whose peak of resident memory is what the system counted. The graph
is a ring in which a node is joined to nodes some hundred places away, a tenth of the edges to any node; for
embeddings 120 communities of neighbours, a tenth of the edges to any node. An embedding is made by one worker
of a Dask cluster, and by two of which one is killed on the way; what both write is compared.

    zerokelvin bench scale --edges 1e8
    zerokelvin bench scale --edges 2e7 --rows embed
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

LEARNERS = ("propagation", "gaussian", "nearest", "auto")
STEP = 2_000_000
COLUMNS = 32
COMMUNITIES = 120
WORKER_BYTES = 2 << 30


def draw(path: Path, edges: int, nodes: int, far: float, shuffled: bool) -> None:
    """Draw the edges into a parquet file, two million at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = rng.permutation(nodes).astype(np.int32) if shuffled else np.arange(nodes, dtype=np.int32)
    schema = pa.schema({"source": pa.int32(), "target": pa.int32()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, edges, STEP):
            count = min(STEP, edges - start)
            u = rng.integers(0, nodes, count)
            v = (u + rng.geometric(0.002, count) * rng.choice([-1, 1], count)) % nodes
            v = np.where(rng.random(count) < far, rng.integers(0, nodes, count), v)
            writer.write_table(pa.table({"source": names[u], "target": names[v]}))


def sort_alone(path: str, memory: str, folder: str) -> dict:
    """DuckDB sorts both directions of every edge, and hands them over."""
    import duckdb

    work = duckdb.connect()
    limit = max(10**8, int(memory) - 250_000_000) >> 20
    for setting in (f"memory_limit='{limit}MiB'", f"temp_directory='{folder}'"):
        work.execute(f"SET {setting}")
    work.execute("SET preserve_insertion_order=false")
    work.execute("SET enable_progress_bar=false")
    both = f"SELECT source AS u, target AS v FROM '{path}' UNION ALL SELECT target, source FROM '{path}'"  # noqa: S608
    rows = 0
    for batch in work.sql(f"SELECT u, v FROM ({both}) ORDER BY u, v").to_arrow_reader(1 << 20):  # noqa: S608
        rows += batch.num_rows
    return {"arcs": rows}


def pack(path: str, out: str, memory: str) -> dict:
    """Pack the edges."""
    from zerokelvin.io.packs.pack_builder import pack_edges

    found = pack_edges([path], out, memory=int(memory))
    return {"nodes": found.head.nodes, "edges": found.head.arcs // 2, "bytes": found.head.size}


def order(path: str, out: str) -> dict:
    """Reorder a pack."""
    import zerokelvin as zk
    from zerokelvin.io.packs.pack_order import order_pack

    order_pack(zk.open_graph(path), out, "rcm")
    return {}


def learn(path: str, learner: str) -> dict:
    """Play 100 labels, then predict 1,000 nodes; a pack is opened, read is what is needed."""
    import zerokelvin as zk

    graph = zk.open_graph(path)
    rng = np.random.default_rng(1)
    nodes = rng.integers(0, graph.num_nodes, 100)
    label = ["a", "b"]

    def classes(node: int) -> str:
        return label[int(2 * node // graph.num_nodes)]

    begun = time.perf_counter()
    session = zk.start(graph, learner, classes=label)
    started = time.perf_counter()
    first = int(nodes[0])
    session.learn(first, classes(first))
    warm = time.perf_counter()
    for node in nodes[1:].tolist():
        session.predict(node)
        session.learn(node, classes(node))
    learnt = time.perf_counter()
    asked = (nodes[:, None] + np.arange(1, 11)).ravel() % graph.num_nodes
    right = sum(session.predict(node).label == classes(node) for node in asked.tolist())
    done = time.perf_counter()
    return {
        "start": started - begun,
        "first": warm - started,
        "label_ms": 1e3 * (learnt - warm) / 99,
        "predict_ms": 1e3 * (done - learnt) / len(asked),
        "right": right / len(asked),
    }


def product(path: str) -> dict:
    """A sparse product with 32 columns of 32 bits, straight from the file: nanoseconds per arc and column."""
    import zerokelvin as zk
    from zerokelvin.jit import kernel

    @kernel
    def multiply(indptr, indices, weights, x, y):
        for i in range(len(indptr) - 1):
            row = y[i]
            row[:] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                other, weight = x[indices[p]], np.float32(weights[p])
                for c in range(x.shape[1]):
                    row[c] += weight * other[c]

    graph = zk.open_graph(path)
    x = np.random.default_rng(0).normal(size=(graph.num_nodes, COLUMNS)).astype(np.float32)
    y = np.empty_like(x)
    multiply(*graph.csr, x, y)
    begun = time.process_time()
    multiply(*graph.csr, x, y)
    return {"ns": 1e9 * (time.process_time() - begun) / len(graph.indices) / COLUMNS}


def draw_communities(path: Path, edges: int, nodes: int) -> None:
    """Draw edges within communities of neighbours, a tenth of them to any node, into a parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, size = np.random.default_rng(0), nodes // COMMUNITIES
    schema = pa.schema({"source": pa.int32(), "target": pa.int32()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, edges, STEP):
            u = rng.integers(0, size * COMMUNITIES, min(STEP, edges - start))
            v = u // size * size + rng.integers(0, size, len(u))
            v = np.where(rng.random(len(u)) < 0.1, rng.integers(0, size * COMMUNITIES, len(u)), v)
            columns = {"source": u.astype(np.int32), "target": v.astype(np.int32)}
            writer.write_table(pa.table(columns))


def embed(path: str, out: str, rank: str, workers: str, kill: str) -> dict:
    """Embed on workers of a cluster, 2 GiB each; one is killed if told so. Their peak is sampled."""
    import psutil

    from zerokelvin.sweeps.choosing import choose_place
    from zerokelvin.sweeps.columns.column_embedding import embed_graph

    me, killed, peak = psutil.Process(), [], [0]

    def watch(task: str, done: int, _: int | None) -> None:
        theirs = []
        for process in me.children():
            with suppress(psutil.Error):  # it may have ended
                if "spawn_main" in " ".join(process.cmdline()):
                    peak[0] = max(peak[0], process.memory_info().rss)
                    theirs.append(process)
        if int(kill) and not killed and "turn 2: filter" in task and done:
            killed.append(theirs[-1].pid)
            os.kill(theirs[-1].pid, signal.SIGKILL)

    with choose_place(cluster=f"local:{workers}", memory=WORKER_BYTES) as place:
        found = embed_graph(path, out, int(rank), place=place, progress=watch)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = found.manifest
    return {
        "workers_cpu": theirs.ru_utime + theirs.ru_stime,
        "worker_peak": peak[0] / 1e9,
        "killed": len(killed),
        "residual": said["residual"],
        "largest": float(found.values[-1]),
        "turns": said["turns"],
        "products": said["products"],
        "hash": said["hash"],
    }


ROWS = ("pack", "learn", "order", "embed")
STEPS = {one.__name__: one for one in (sort_alone, pack, order, learn, product, embed)}


def run(step: str, *arguments: object) -> dict:
    """A step in a process of its own: what it found, seconds, processor seconds, peak gigabytes."""
    command = [sys.executable, __file__, "--step", step, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def own(step: str, arguments: list[str]) -> None:
    """What `run` starts."""
    wall, used = time.perf_counter(), time.process_time()
    found = STEPS[step](*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    found |= {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - used, "peak": peak}
    print(json.dumps(found))


def packing(folder: Path, edges: int, nodes: int, memory: int) -> Path:
    """Packing beside a sort alone."""
    path, out = folder / "edges.parquet", folder / "graph.zkg"
    draw(path, edges, nodes, 0.1, False)
    print(f"\n{edges:,} edges among {nodes:,} nodes, memory {memory / 1e9:g} GB")
    print(f"{'step':<22}{'seconds':>9}{'cpu s':>8}{'peak GB':>9}{'ratio':>7}")
    alone = run("sort_alone", path, memory, folder / "sorting")
    packed = run("pack", path, out, memory)
    for name, found in (("sort alone", alone), ("pack", packed)):
        ratio = found["seconds"] / alone["seconds"]
        print(f"{name:<22}{found['seconds']:>9.1f}{found['cpu']:>8.1f}{found['peak']:>9.2f}{ratio:>7.2f}")
    print(f"{packed['edges']:,} edges kept, {packed['bytes'] / 1e9:.2f} GB on disk", flush=True)
    path.unlink()
    return out


def learning(path: Path) -> None:
    """Every learner that takes packs."""
    print(f"\n{'learner':<14}{'start s':>9}{'first s':>9}{'label ms':>10}{'predict ms':>12}", end="")
    print(f"{'right':>7}{'peak GB':>9}")
    for learner in LEARNERS:
        found = run("learn", path, learner)
        print(f"{learner:<14}{found['start']:>9.1f}{found['first']:>9.1f}{found['label_ms']:>10.2f}", end="")
        print(f"{found['predict_ms']:>12.3f}{found['right']:>7.0%}{found['peak']:>9.2f}", flush=True)


def ordering(folder: Path, edges: int, nodes: int) -> None:
    """Products before and after reordering, of graphs whose names say nothing about who is near."""
    print(f"\n{edges:,} edges among {nodes:,} nodes, names shuffled")
    print(f"{'far edges':<12}{'order s':>9}{'by name ns':>12}{'rcm ns':>9}{'ratio':>7}")
    for far in (0.0, 0.1):
        path = folder / "shuffled.parquet"
        draw(path, edges, nodes, far, True)
        run("pack", path, folder / "shuffled.zkg", 1_200_000_000)
        taken = run("order", folder / "shuffled.zkg", folder / "near.zkg")
        before, after = (run("product", folder / name)["ns"] for name in ("shuffled.zkg", "near.zkg"))
        row = f"{far:<12.0%}{taken['seconds']:>9.1f}{before:>12.2f}{after:>9.2f}{before / after:>7.1f}"
        print(row, flush=True)


def embedding(folder: Path, edges: int, nodes: int, rank: int) -> None:
    """One worker, and two of which one is killed; what they write must be the same."""
    draw_communities(folder / "edges.parquet", edges, nodes)
    made = run("pack", folder / "edges.parquet", folder / "blocks.zkg", 1_200_000_000)
    (folder / "edges.parquet").unlink()
    print(f"\n{made['edges']:,} edges among {made['nodes']:,} nodes, rank {rank}, workers of 2 GiB")
    print(f"{'workers':<10}{'killed':>7}{'seconds':>9}{'their cpu s':>13}{'command cpu s':>15}", end="")
    print(f"{'worker GB':>11}{'turns':>7}{'products':>10}{'residual':>10}{'of at most':>11}")
    hashes = set()
    for workers, kill in ((1, 0), (2, 1)):
        found = run("embed", folder / "blocks.zkg", folder / f"emb-{workers}", rank, workers, kill)
        hashes.add(found["hash"])
        print(
            f"{workers:<10}{found['killed']:>7}{found['seconds']:>9.0f}{found['workers_cpu']:>13.1f}", end=""
        )
        print(f"{found['cpu']:>15.1f}{found['worker_peak']:>11.2f}{found['turns']:>7}", end="")
        print(f"{found['products']:>10,}{found['residual']:>10.1e}{1e-3 * min(1, found['largest']):>11.1e}")
    print("the same bits" if len(hashes) == 1 else "DIFFERENT BITS", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--edges", type=float, default=2e6)
    parser.add_argument("--nodes", type=float, help="a tenth of the edges by default")
    parser.add_argument("--memory", type=float, default=1.2e9, help="bytes")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--rank", type=int, default=100, help="of the embedding")
    parser.add_argument("--folder", help="where the files lie for the while; a temporary folder by default")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        own(given.step, given.arguments)
        return
    edges = int(given.edges)
    nodes = int(given.nodes or edges / 10)
    folder = Path(tempfile.mkdtemp(prefix="zerokelvin-scale-", dir=given.folder))
    try:
        if {"pack", "learn"} & set(given.rows):
            path = packing(folder, edges, nodes, int(given.memory))
            if "learn" in given.rows:
                learning(path)
            path.unlink()
        if "order" in given.rows:
            ordering(folder, min(edges, 5_000_000), min(nodes, 1_000_000))
        if "embed" in given.rows:
            embedding(folder, edges, nodes, given.rank)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
