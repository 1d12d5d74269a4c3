"""The engine that forms the whole inverse as a matrix: every column is then a look-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.solve.dense import dense_inverse
from zerokelvin.solve.engines.engine import ASKED_FOR, Analysis, Engine, Task, engine

__all__ = ["Dense"]


@engine("dense")
@dataclass(frozen=True)
class Dense(Engine):
    """The whole inverse as a matrix.

    Parameters
    ----------
    max_bytes
        Most memory for it: 8 n² bytes, and as many again where the graph has several components.
    """

    max_bytes: float = 4e9
    name: ClassVar[str] = "dense"

    def begin(self, task: Task) -> Analysis:
        """Invert the operator, which no other order of its nodes would make cheaper."""
        self._require_room(task.operator.graph)
        inverse = dense_inverse(task.operator)
        inverse.setflags(write=False)
        return Analysis(self.name, ASKED_FOR, inverse=inverse)

    def _require_room(self, graph: Graph) -> None:
        need = 8.0 * graph.num_nodes**2 * (1 if graph.num_components == 1 else 2)
        if need > self.max_bytes:
            raise ParameterError(
                f"the dense engine needs {need / 1e9:.1f} GB for {graph.num_nodes} nodes and may take "
                f"{self.max_bytes / 1e9:g} GB; choose engine='auto', or raise Dense.max_bytes in analyse."
            )
