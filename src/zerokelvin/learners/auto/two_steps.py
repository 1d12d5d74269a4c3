"""Votes from two steps away: a label counts where a neighbour is shared, on the walk kernel A D⁻¹ A.

    v_c(i) = Σ_j (A D⁻¹ A)_ij [j is labelled c]

Where neighbours mostly differ in class, those two steps away mostly agree, and no kernel that decays along
the graph sees that. Beside every node i stands the weight u_c(i) = Σ_j A_ij [j is labelled c] of the labels
next to it, so that a label changes u at its neighbours and v_c(i) = Σ_k A_ik u_c(k) / d_k is read from them:
O(degree · classes) both, nothing approximated.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.learners.auto.evidence_game import EvidenceGame
from zerokelvin.undo import Undo

__all__ = ["TwoSteps"]


class TwoSteps(EvidenceGame):
    """The votes for all classes.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> votes = TwoSteps(line, 2)
    >>> votes.learn(0, 1)
    >>> votes.evidence(range(4)).tolist()
    [[0.0, 0.5], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]]
    """

    def __init__(self, graph: Graph, classes: int) -> None:
        super().__init__(classes)
        self.counts = np.zeros((graph.num_nodes, classes))  # labels of each class at each node
        self._beside = np.zeros((graph.num_nodes, classes))
        self._csr = graph.csr
        self._degrees = graph.degrees

    def evidence(self, nodes: Any) -> Floats:
        """The votes at several nodes, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _table(self._csr, self._degrees, self._beside, np.asarray(nodes, dtype=np.int64), result)
        return result

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in the votes at one node."""
        _read(self._csr, self._degrees, self._beside, node, evidence)

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal that a node has class `code`."""
        self.counts[node, code] += 1.0
        _learn(self._csr, self._beside, node, code)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo:
        """The same, and what takes it back."""
        indptr, indices, _ = self._csr
        undo = Undo()
        undo.keep(self.counts, (node, code))
        undo.keep(self._beside, (indices[indptr[node] : indptr[node + 1]], code))
        self.learn(node, code)
        return undo

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal the classes of nodes one after the other: the votes before each, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _learn_in_order(self._csr, self._degrees, self._beside, nodes, codes, result)
        np.add.at(self.counts, (nodes, codes), 1.0)
        return result

    def parts(self) -> dict[str, NDArray[Any]]:
        """The labels at every node and beside it."""
        return {"0/counts": self.counts, "0/beside": self._beside}

    def twin(self, kept: bool = False) -> TwoSteps:
        """Other votes at the same place."""
        other = copy.copy(self)
        other.counts, other._beside = self.counts.copy(), self._beside.copy()
        return other

    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the votes at `node`: the column of A D⁻¹ A."""
        column = np.zeros(len(self.counts))
        _column(self._csr, self._degrees, node, column)
        return column


@kernel
def _read(csr: Any, degrees: Any, beside: Any, node: int, result: Any) -> None:
    indptr, indices, weights = csr
    result[:] = 0.0
    for arc in range(indptr[node], indptr[node + 1]):
        other = indices[arc]
        share = weights[arc] / degrees[other]
        for c in range(len(result)):
            result[c] += share * beside[other, c]


@kernel
def _learn(csr: Any, beside: Any, node: int, code: int) -> None:
    indptr, indices, weights = csr
    for arc in range(indptr[node], indptr[node + 1]):
        beside[indices[arc], code] += weights[arc]


@kernel
def _table(csr: Any, degrees: Any, beside: Any, nodes: Any, result: Any) -> None:
    for k in range(len(nodes)):
        _read(csr, degrees, beside, nodes[k], result[k])


@kernel
def _learn_in_order(csr: Any, degrees: Any, beside: Any, nodes: Any, codes: Any, result: Any) -> None:
    for t in range(len(nodes)):
        _read(csr, degrees, beside, nodes[t], result[t])
        _learn(csr, beside, nodes[t], codes[t])


@kernel
def _column(csr: Any, degrees: Any, node: int, column: Any) -> None:
    indptr, indices, weights = csr
    for arc in range(indptr[node], indptr[node + 1]):
        middle = indices[arc]
        share = weights[arc] / degrees[middle]
        for onward in range(indptr[middle], indptr[middle + 1]):
            column[indices[onward]] += share * weights[onward]
