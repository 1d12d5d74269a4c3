"""Rows of a block at once: every row function against its definition, and blocks against single solves."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.inverses import SolverKernel
from zerokelvin.kernels.kernels import kernel_columns
from zerokelvin.machine import products, rows
from zerokelvin.machine.blocks import WIDTHS, empty_block, parts
from zerokelvin.solve.solver import analyse

ENGINES = ["auto", "dense", "direct", "jacobi", "approximate", "approximate-2"]


@kernel
def every_function(lanes, blocks, lengths, places, worth):
    out, x, y = blocks
    sums = rows.sums_for(lanes)
    rows.put(lanes, out, 0, 2.5, x, 1)
    rows.move(lanes, out, 8 * len(lanes) + 1 - len(lanes), y, 2)
    rows.add(lanes, out, 1, -0.5, x, 3)
    rows.add_lanes(lanes, out, 2, lengths, x, 0)
    rows.scale_lanes(lanes, out, 3, lengths)
    rows.set_row(lanes, out, 4, x, places, worth, 0, 3)
    rows.add_row(lanes, out, 5, x, places, worth, 1, 4)
    rows.spread_row(lanes, y, 6, x, places, worth, 0, 4)
    rows.add_run(lanes, out, 6, 1, worth, 1, 4)
    rows.spread_run(lanes, out, 7, 2, worth, 0, 3)
    for i in range(len(x)):
        rows.add_products(lanes, sums, 3.0, x, i, y, i)
    return rows.total(sums)


def by_definition(blocks, lengths, places, worth):
    out, x, y = blocks
    out[0] = 2.5 * x[1]
    width = len(lengths)
    out.flat[7 * width + 1 : 8 * width + 1] = y.flat[2 : width + 2]
    out[1] += -0.5 * x[3]
    out[2] += lengths * x[0]
    out[3] *= lengths
    out[4] = worth[:3] @ x[places[:3]]
    out[5] += worth[1:] @ x[places[1:]]
    np.add.at(y, places, worth[:, None] * x[6])
    out[6] -= worth[1:4] @ out[1:4]
    out[2:5] -= worth[:3, None] * out[7]
    return 3.0 * (x * y).sum(axis=0)


@pytest.mark.kernels
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("integer", [np.int32, np.int64])
def test_row_functions_do_what_they_say(width, integer):
    rng = np.random.default_rng(width)
    blocks = tuple(rng.standard_normal((9, width)) for _ in range(3))
    lengths, worth = rng.standard_normal(width), rng.standard_normal(4)
    places = np.array([2, 8, 2, 5], dtype=integer)
    expected = [block.copy() for block in blocks]
    total = by_definition(tuple(expected), lengths, places, worth)
    found = every_function((0,) * width, blocks, lengths, places, worth)
    assert np.allclose(found, total, rtol=1e-12)
    for block, wanted in zip(blocks, expected, strict=True):
        assert np.allclose(block, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.kernels
@pytest.mark.parametrize("width", WIDTHS)
def test_products_that_fetch_ahead_are_the_same(width):
    rng = np.random.default_rng(width)
    matrix = sp.random_array((90, 90), density=0.05, format="csr", rng=rng)
    csr, lanes = products.rows_of(matrix), (0,) * width
    block, right = rng.standard_normal((2, 90, width))
    plainly, ahead = np.empty((2, 90, width))
    last = len(matrix.data) - rows.AHEAD
    assert last > 0
    inner = products.multiply_block(lanes, csr, 0, block, plainly)
    assert (products.multiply_block(lanes, csr, last, block, ahead) == inner).all()
    assert (plainly == ahead).all()
    assert np.allclose(plainly, matrix @ block, rtol=1e-12)
    assert np.allclose(inner, (block * plainly).sum(axis=0), rtol=1e-12)
    squares = products.residual_squares(lanes, csr, last, right, block)
    assert (squares == products.residual_squares(lanes, csr, 0, right, block)).all()
    assert np.allclose(squares, ((right - plainly) ** 2).sum(axis=0), rtol=1e-12)


def test_rows_are_fetched_ahead_only_where_many_are_far():
    count = 2 * products.FAR // 64
    rng = np.random.default_rng(0)
    near = np.arange(count)
    far = (near + count // 2 + 1) % count
    starts = np.arange(count + 1)
    wide, narrow = np.empty((count, 8)), np.empty((count, 2))
    few, many = (np.where(rng.random(count) < share, far, near) for share in (0.05, 0.5))

    def fetched(indices, block, starts=starts):
        return products.fetched(products.MatrixRows(starts, indices, np.ones(len(indices))), block)

    assert fetched(near, wide) == fetched(few, wide) == 0
    assert fetched(many, wide) == fetched(far, wide) == count - rows.AHEAD
    assert fetched(far, narrow) == 0  # all of it is within reach
    assert fetched(far[:0], wide, np.zeros(count + 1, np.int64)) == 0


@pytest.mark.kernels
@pytest.mark.parametrize("engine", ["jacobi", "approximate"])
def test_solves_that_fetch_ahead_are_the_same(engine, monkeypatch):
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 80, (300, 2)), num_nodes=80)
    right = rng.standard_normal((80, 13))
    solver = analyse(graph, engine, tol=1e-10)
    plainly = solver.solve(right)
    monkeypatch.setattr(products, "FAR", 0)
    ahead = solver.solve(right)
    assert (ahead.value == plainly.value).all()
    assert (ahead.residual, ahead.iterations) == (plainly.residual, plainly.iterations)


def test_parts_cover_the_columns_once():
    for columns in range(30):
        covered = [i for part in parts(columns) for i in range(part.start, part.stop)]
        assert covered == list(range(columns))
        assert all(part.stop - part.start <= part.width in WIDTHS for part in parts(columns))


def test_blocks_lie_within_cache_lines():
    for width in WIDTHS:
        block = empty_block(5, width)
        assert (block.shape, block.ctypes.data % 64) == ((5, width), 0)


@pytest.mark.kernels
@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_of_every_width_equal_single_solves(engine):
    for seed, width in enumerate([1, 2, 3, 4, 5, 7, 8, 9, 13, 24]):
        graph = random_graph(6 * seed + 5, signed=seed % 3 == 2)
        rng = np.random.default_rng(seed)
        solver = analyse(graph, engine, shift=0.2 * (seed % 2), normalized=seed % 4 == 1, tol=1e-11)
        right = rng.standard_normal((graph.num_nodes, width))
        right[:, width // 2] = 0.0
        many = solver.solve(right)
        singly = np.column_stack([solver.solve(column).value for column in right.T])
        assert many.status == "converged"
        assert np.allclose(many.value, singly, atol=1e-8 * max(1.0, np.abs(singly).max()))
        nodes = rng.integers(0, graph.num_nodes, width)
        inverse = naive.pseudoinverse(graph, 0.2 * (seed % 2), seed % 4 == 1)
        assert np.allclose(
            solver.columns(nodes), inverse[:, nodes], atol=1e-7 * max(1.0, np.abs(inverse).max())
        )


def test_a_result_is_never_overwritten_by_the_next_solve():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 4000, (9000, 2)), num_nodes=4000)
    solver = analyse(graph, "jacobi")
    first = solver.columns([1, 2, 3])
    kept = first.copy()
    solver.columns([4, 5, 6, 7, 8])
    assert (first == kept).all()


def test_threads_share_a_solver():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 4000, (9000, 2)), num_nodes=4000)
    solver = analyse(graph, "jacobi")
    wanted = {node: solver.columns([node, node + 1]) for node in range(0, 12, 2)}
    found = {}

    def work(node):
        found[node] = [solver.columns([node, node + 1]) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(node,)) for node in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((block == wanted[node]).all() for node, blocks in found.items() for block in blocks)


@pytest.mark.parametrize("engine", ["dense", "jacobi"])
def test_columns_outside_the_graph_are_refused(engine):
    solver = analyse(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), engine)
    with pytest.raises(ParameterError, match="node index 3"):
        solver.columns([0, 3])
    with pytest.raises(ParameterError, match="node index -1"):
        solver.columns([-1])


@pytest.mark.parametrize("engine", ["dense", "jacobi"])
def test_columns_of_several_nodes_at_once(engine):
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(rng.integers(0, 60, (150, 2)), num_nodes=60)
    kernel_of = SolverKernel.of(graph, engine=engine, tol=1e-11)
    remembered = kernel_columns(graph, engine=engine, tol=1e-11)
    inverse = naive.pseudoinverse(graph)
    for nodes in ([5], [7, 5], [5, 7, 5], [9, 7, 2, 30]):
        for columns in (kernel_of.several(nodes), remembered.several(nodes)):
            assert np.allclose(np.column_stack(columns), inverse[:, nodes], atol=1e-8)
    with pytest.raises(ValueError, match="read-only"):
        remembered.several([1, 2])[1][0] = 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("engine", ["jacobi", "approximate"])
def test_slow_columns_go_on_by_themselves(engine):
    """Columns that take 1 to 30 times as many iterations as others, number for number as alone."""
    length = 60
    ring = np.column_stack([np.arange(length), np.roll(np.arange(length), 1)])
    hub = np.array([(i, j) for i in range(length, length + 6) for j in range(i)])
    graph = Graph.from_edges(np.vstack([ring, hub[hub[:, 1] >= length], [[0, length]]]))
    solver = analyse(graph, engine, tol=1e-10)
    rng = np.random.default_rng(0)
    easy = np.zeros(graph.num_nodes)
    easy[length + 1], easy[length + 2] = 1.0, -1.0  # an eigenvector
    for hard in range(9):
        right = np.column_stack([easy] * 8)
        right[:, rng.permutation(8)[:hard]] = rng.standard_normal((graph.num_nodes, min(hard, 8)))
        many = solver.solve(right)
        alone = [solver.solve(column) for column in right.T]
        assert many.iterations == max(one.iterations for one in alone)
        assert np.allclose(many.value, np.column_stack([one.value for one in alone]), rtol=1e-9, atol=1e-12)


def lattice(side):
    place = np.random.default_rng(0).permutation(side * side).reshape(side, side)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return Graph.from_edges(np.vstack([across, down]))


def scattered_path(size):
    names = np.random.default_rng(0).permutation(size)
    return Graph.from_edges(np.column_stack([names[:-1], names[1:]]))


@pytest.mark.parametrize(
    ("engine", "graph"),
    [
        ("tree", scattered_path(20_000)),
        ("direct", lattice(100)),
        ("jacobi", lattice(50)),
        ("approximate", lattice(50)),
        ("approximate-2", lattice(50)),
    ],
)
def test_a_column_is_cheaper_in_a_block(engine, graph):
    """Half the price is the goal; the best of some rounds is 2.1 to 6 times cheaper, also on a busy one."""
    singly, block = best_seconds(analyse(graph, engine), 24, 3)
    assert singly > 2 * block, (singly, block)


def test_a_column_is_cheaper_in_a_block_larger_than_the_cache():
    """The same where a row of the block comes from memory, at random; here it is 3 to 4 times cheaper."""
    ends = np.random.default_rng(0).integers(0, 400_000, (2_000_000, 2))
    singly, block = best_seconds(analyse(Graph.from_edges(ends), "jacobi"), 8, 1)
    assert singly > 2 * block, (singly, block)


def best_seconds(solver, columns, fewest):
    """Columns one by one and in a block: the best of `fewest` rounds, or of more while the goal is missed."""
    nodes = np.random.default_rng(1).choice(solver.operator.graph.num_nodes, columns, replace=False)
    ways = (lambda: [solver.column(node) for node in nodes], lambda: solver.columns(nodes))
    seconds = [np.inf, np.inf]
    solver.column(nodes[0])  # compile before any clock runs
    solver.columns(nodes)
    for turn in range(15):
        for way, work in enumerate(ways):
            began = time.process_time()
            work()
            seconds[way] = min(seconds[way], time.process_time() - began)
        if turn + 1 >= fewest and seconds[0] > 2 * seconds[1]:
            break
    return seconds
