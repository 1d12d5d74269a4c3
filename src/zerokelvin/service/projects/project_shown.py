"""What a project is shown as: where it is made, looked at, put away and taken out again."""

from __future__ import annotations

from datetime import UTC, datetime

from zerokelvin.client.messages import ProjectShown
from zerokelvin.graph import Graph
from zerokelvin.service.records.projection import Book, Projection

__all__ = ["project_shown"]


def project_shown(
    known: Projection, graph: Graph, budget: int | None, book: Book, events: int
) -> ProjectShown:
    """A project with the graph, the budgets and the number of events that it has at some moment."""
    made = known.created
    return ProjectShown(
        name=made.name,
        classes=list(known.classes),
        learner=made.learner,
        params=made.params,
        policy=known.policy,
        budget=budget,
        daily_budget=book.daily_budget,
        seed=made.seed,
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        graph=made.graph,
        created_at=datetime.fromtimestamp(known.created_at, UTC).isoformat(),
        events=events,
        archived=book.archived,
        audit_share=book.audit_share,
        attributes=0 if graph.attributes is None else len(graph.attributes.columns),
    )
