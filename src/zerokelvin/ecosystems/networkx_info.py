"""What networkx reads of its backend ``zerokelvin`` when it is imported: names and words, nothing heavy."""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["describe_backend"]

STEPS = {"max_iter : int or None": "None takes the limit of infinitely many steps, by exact solves."}
EXACT = "By sparse solves with the Laplacian, without its dense pseudo-inverse where that is not needed."


def describe_backend() -> dict[str, Any]:
    """The table of the entry point ``networkx.backend_info``."""
    resistance = {"additional_docs": EXACT}
    return {
        "backend_name": "zerokelvin",
        "project": "zerokelvin",
        "package": "zerokelvin",
        "short_summary": "Resistance distances and node classification by sparse Laplacian solves.",
        "functions": {
            "resistance_distance": resistance,
            "effective_graph_resistance": resistance,
            "kemeny_constant": resistance,
            "current_flow_closeness_centrality": resistance,
            "harmonic_function": {"additional_docs": "", "additional_parameters": STEPS},
            "local_and_global_consistency": {"additional_docs": "", "additional_parameters": STEPS},
        },
    }
