"""The quotient graph of approximate minimum degree, and the stages of an elimination in it.

Amestoy, Davis and Duff (1996). The graph that eliminations leave is never formed. A *variable* is a node not
yet eliminated, an *element* a pivot, which stands for the clique of the variables it was joined to. Every
variable has a list: first the elements it belongs to, then the variables it is still joined to by an edge of
the matrix; an element has the list of its variables. All lists lie in one array, `lists`, with free space at
its end.

`zerokelvin.solve.engines.direct.ordering` calls the stages in the order in which they stand here.

Above 300 lines: one data structure, whose operations change the same arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.jit import kernel

__all__ = [
    "DEGREE",
    "HEAD",
    "LENGTH",
    "MARK",
    "OWNER",
    "SIZE",
    "form_element",
    "list_neighbours",
    "make_room",
    "measure_elements",
    "merge_twins",
    "new_graph",
    "update_neighbours",
]

VARIABLE, ELEMENT, GONE = 0, 1, 2

# What is known of a node, the rows of `nodes`, an (11, n) array.
KIND = 0  # VARIABLE, ELEMENT or GONE
OWNER = 1  # what a node that is gone went into; −1 before
START, LENGTH = 2, 3  # where its list lies
ELEMENTS = 4  # how many entries at the beginning of a variable's list are elements
SIZE = 5  # nodes merged into a variable, itself included: negative in the present element, 0 once gone
DEGREE = 6  # the approximate degree of a variable; the nodes in the list of an element
FOLLOWING, BEFORE = 7, 8  # its neighbours in the list of its degree, or of its hash; −1 at the ends
HASH = 9  # of its list
MARK = 10  # a stamp; of an element, plus its nodes outside the present element, or 0 where it is gone
FIELDS = 11

# The rows of `firsts`, a (2, n + 1) array: the first variable of every degree, and of every hash; or −1.
HEAD, BUCKET = 0, 1


@kernel
def new_graph(starts: Any) -> Any:
    """`nodes` and `firsts` of a matrix whose row i has its entries in lists[starts[i]:starts[i + 1]]."""
    n = len(starts) - 1
    nodes, firsts = np.zeros((FIELDS, n), np.int64), np.full((2, n + 1), -1, np.int64)
    for i in range(n - 1, -1, -1):
        length = starts[i + 1] - starts[i]
        nodes[KIND, i] = VARIABLE
        nodes[OWNER, i] = -1
        nodes[START, i] = starts[i]
        nodes[LENGTH, i] = nodes[DEGREE, i] = length
        nodes[SIZE, i] = nodes[MARK, i] = 1
        _link(nodes, firsts, i)
    return nodes, firsts


@kernel
def make_room(nodes: Any, lists: Any, free: int, pivot: int) -> Any:
    """See that the list of a new element fits behind `free`; the array of lists and the new `free`."""
    need = nodes[LENGTH, pivot] - nodes[ELEMENTS, pivot]
    for p in range(nodes[START, pivot], nodes[START, pivot] + nodes[ELEMENTS, pivot]):
        need += nodes[LENGTH, lists[p]]
    if free + need > len(lists):
        free = _compact(nodes, lists, free)
        if free + need > len(lists):
            larger = np.empty(2 * len(lists) + need, np.int64)
            larger[:free] = lists[:free]
            lists = larger
    return lists, free


@kernel
def _compact(nodes: Any, lists: Any, end: int) -> Any:
    """Squeeze out the lists of nodes that are gone, keeping the order of the others; the first free place."""
    for i in range(nodes.shape[1]):  # the first entry of a list goes to `start`, its owner takes its place
        if nodes[KIND, i] != GONE and nodes[LENGTH, i] > 0:
            at = nodes[START, i]
            nodes[START, i] = lists[at]
            lists[at] = -i - 1
    free = 0
    at = 0
    while at < end:
        if lists[at] < 0:
            i = -lists[at] - 1
            lists[free] = nodes[START, i]
            nodes[START, i] = free
            for k in range(1, nodes[LENGTH, i]):
                lists[free + k] = lists[at + k]
            free += nodes[LENGTH, i]
            at += nodes[LENGTH, i]
        else:
            at += 1
    return free


@kernel
def form_element(nodes: Any, firsts: Any, lists: Any, free: int, pivot: int) -> Any:
    """Make the pivot an element of all variables of its elements, which it absorbs, and all its own.

    Its list is written from `free` on. Takes the pivot and these variables out of the lists by degree.
    Returns the new first free place, and the number of nodes in the element.
    """
    _unlink(nodes, firsts, pivot)
    nodes[SIZE, pivot] = -nodes[SIZE, pivot]
    begin, degree = free, 0
    own, absorbed = nodes[START, pivot], nodes[ELEMENTS, pivot]
    for source in range(absorbed + 1):
        if source < absorbed:
            e = lists[own + source]
            first, last = nodes[START, e], nodes[START, e] + nodes[LENGTH, e]
        else:
            e = pivot
            first, last = own + absorbed, own + nodes[LENGTH, pivot]
        for p in range(first, last):
            i = lists[p]
            if nodes[SIZE, i] > 0:
                degree += nodes[SIZE, i]
                nodes[SIZE, i] = -nodes[SIZE, i]
                lists[free] = i
                free += 1
                _unlink(nodes, firsts, i)
        if source < absorbed:
            nodes[OWNER, e] = pivot
            nodes[KIND, e] = GONE
            nodes[MARK, e] = 0
    nodes[KIND, pivot] = ELEMENT
    nodes[START, pivot] = begin
    nodes[LENGTH, pivot] = free - begin
    nodes[MARK, pivot] = 1
    return free, degree


@kernel
def measure_elements(nodes: Any, lists: Any, begin: int, end: int, stamp: int) -> None:
    """Mark every other element that shares a variable with the new one, lists[begin:end].

    Its mark becomes `stamp` plus the number of its nodes that lie outside the new element.
    """
    for q in range(begin, end):
        i = lists[q]
        for p in range(nodes[START, i], nodes[START, i] + nodes[ELEMENTS, i]):
            e = lists[p]
            if nodes[MARK, e] >= stamp:
                nodes[MARK, e] += nodes[SIZE, i]
            elif nodes[MARK, e] != 0:
                nodes[MARK, e] = nodes[DEGREE, e] + stamp + nodes[SIZE, i]


@kernel
def update_neighbours(
    nodes: Any, firsts: Any, lists: Any, begin: int, end: int, stamp: int, pivot: int
) -> Any:
    """Prune the lists of all variables of the new element lists[begin:end] and bound their degrees anew.

    Elements that lie wholly inside the new one are absorbed by it. A variable left with no other neighbour
    can be eliminated with the pivot at once. All others get the new element in front of their list, the
    number of nodes they are joined to outside it as degree, and a place in the bucket of their hash. Returns
    the number of nodes eliminated at once, and the list entries looked at.
    """
    eliminated, looked_at = 0, 0.0
    for q in range(begin, end):
        i = lists[q]
        looked_at += nodes[LENGTH, i]
        first = nodes[START, i]
        free, key, degree = first, 0, 0
        for p in range(first, first + nodes[ELEMENTS, i]):
            e = lists[p]
            if nodes[MARK, e] == 0:
                continue
            outside = nodes[MARK, e] - stamp
            if outside > 0:
                degree += outside
                lists[free] = e
                free += 1
                key += e
            else:
                nodes[OWNER, e] = pivot
                nodes[KIND, e] = GONE
                nodes[MARK, e] = 0
        variables = free
        for p in range(first + nodes[ELEMENTS, i], first + nodes[LENGTH, i]):
            j = lists[p]
            if nodes[SIZE, j] > 0:
                degree += nodes[SIZE, j]
                lists[free] = j
                free += 1
                key += j
        if free == first:
            nodes[OWNER, i] = pivot
            nodes[KIND, i] = GONE
            eliminated -= nodes[SIZE, i]
            nodes[SIZE, i] = 0
            continue
        nodes[DEGREE, i] = min(nodes[DEGREE, i], degree)
        lists[free] = lists[variables]
        lists[variables] = lists[first]
        lists[first] = pivot
        nodes[ELEMENTS, i] = variables - first + 1
        nodes[LENGTH, i] = free - first + 1
        key = key % nodes.shape[1]
        nodes[HASH, i] = key
        nodes[FOLLOWING, i] = firsts[BUCKET, key]
        firsts[BUCKET, key] = i
    return eliminated, looked_at


@kernel
def merge_twins(nodes: Any, firsts: Any, lists: Any, begin: int, end: int, stamp: int) -> int:
    """Merge variables of the new element lists[begin:end] that have the same list; the next free stamp.

    Only those in one bucket are compared.
    """
    for q in range(begin, end):
        if nodes[SIZE, lists[q]] >= 0:
            continue
        key = nodes[HASH, lists[q]]
        i = firsts[BUCKET, key]
        firsts[BUCKET, key] = -1
        while i >= 0 and nodes[FOLLOWING, i] >= 0:
            for p in range(nodes[START, i] + 1, nodes[START, i] + nodes[LENGTH, i]):
                nodes[MARK, lists[p]] = stamp
            before = i
            j = nodes[FOLLOWING, i]
            while j >= 0:
                same = nodes[LENGTH, j] == nodes[LENGTH, i] and nodes[ELEMENTS, j] == nodes[ELEMENTS, i]
                p = nodes[START, j] + 1
                while same and p < nodes[START, j] + nodes[LENGTH, j]:
                    same = nodes[MARK, lists[p]] == stamp
                    p += 1
                if same:
                    nodes[OWNER, j] = i
                    nodes[KIND, j] = GONE
                    nodes[SIZE, i] += nodes[SIZE, j]
                    nodes[SIZE, j] = 0
                    j = nodes[FOLLOWING, j]
                    nodes[FOLLOWING, before] = j
                else:
                    before = j
                    j = nodes[FOLLOWING, j]
            stamp += 1
            i = nodes[FOLLOWING, i]
    return stamp


@kernel
def list_neighbours(
    nodes: Any, firsts: Any, lists: Any, begin: int, end: int, degree: int, left: int, lowest: int
) -> Any:
    """Put the variables that remain of the new element lists[begin:end] back into the lists by degree.

    `degree` is the number of nodes of the element, `left` of those not eliminated, `lowest` the least degree
    so far. Returns the end of the element's list without those that are gone, and the least degree now.
    """
    kept = begin
    for q in range(begin, end):
        i = lists[q]
        if nodes[SIZE, i] == 0:
            continue
        nodes[SIZE, i] = -nodes[SIZE, i]
        bound = min(nodes[DEGREE, i] + degree - nodes[SIZE, i], left - nodes[SIZE, i])
        nodes[DEGREE, i] = bound
        _link(nodes, firsts, i)
        lowest = min(lowest, bound)
        lists[kept] = i
        kept += 1
    return kept, lowest


@kernel
def _unlink(nodes: Any, firsts: Any, i: int) -> None:
    """Take a variable out of the list of its degree."""
    if nodes[FOLLOWING, i] >= 0:
        nodes[BEFORE, nodes[FOLLOWING, i]] = nodes[BEFORE, i]
    if nodes[BEFORE, i] >= 0:
        nodes[FOLLOWING, nodes[BEFORE, i]] = nodes[FOLLOWING, i]
    else:
        firsts[HEAD, nodes[DEGREE, i]] = nodes[FOLLOWING, i]


@kernel
def _link(nodes: Any, firsts: Any, i: int) -> None:
    """Put a variable in front of the list of its degree."""
    degree = nodes[DEGREE, i]
    following = firsts[HEAD, degree]
    nodes[FOLLOWING, i] = following
    nodes[BEFORE, i] = -1
    if following >= 0:
        nodes[BEFORE, following] = i
    firsts[HEAD, degree] = i
