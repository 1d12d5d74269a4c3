"""Making a project for labelling: the graph and its first event in the store, the items beside it.

```
DIR/projects/NAME/     the log, as every project of a service has one
DIR/items/NAME.arrow   what people see of the nodes
```

The items are written first: a project that is there has its items, and items without a project do no harm.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from zerokelvin.client.messages import Named
from zerokelvin.labelling.items import write_items
from zerokelvin.labelling.reading import PreparedItems
from zerokelvin.service.projects.practice_run import practise
from zerokelvin.service.records.facts import KIND_OF, Created, Fact, Owned, PageSet
from zerokelvin.service.records.graph_source import graph_bytes
from zerokelvin.service.records.project_snapshot import start_session
from zerokelvin.service.store import NewEvent, Store
from zerokelvin.service.store.transfer import project_with

__all__ = ["LEARNER", "POLICY", "create_page_project", "items_file"]

LEARNER, POLICY = "auto", "value"
WHO = "label"


def items_file(data: str | Path, name: str) -> Path:
    """Where the items of a project lie; for a store without a folder a file that is not there."""
    return Path(data) / "items" / f"{name}.arrow"


def create_page_project(
    store: Store,
    data: Path,
    name: str,
    prepared: PreparedItems,
    classes: Sequence[Named],
    *,
    open_classes: bool,
    settings: PageSet | None = None,
    audit_share: float = 0.1,
    seed: int = 0,
) -> None:
    """Make a project of items; labels known already are taught."""
    path = items_file(data, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_items(path, prepared.items, prepared.groups, prepared.origin)
    graph = graph_bytes(prepared.graph)
    created = Created(
        name=name,
        classes=tuple(classes),
        learner=LEARNER,
        secret=base64.b64encode(secrets.token_bytes(32)).decode(),
        graph=prepared.graph.content_hash,
        policy=POLICY,
        seed=seed,
        open_classes=open_classes,
        audit_share=audit_share,
    )
    if classes:
        practise(start_session(created, graph))
    now = time.time()
    facts: list[Fact] = [created, *([] if settings is None else [settings])]
    told = zip(prepared.items.names, prepared.items.labels or (), strict=False)
    facts += [Owned(node, label) for node, label in told if label is not None]
    events = [NewEvent(KIND_OF[type(fact)], msgspec.json.encode(fact), now, WHO) for fact in facts]
    store.receive(project_with(name, graph, events))  # with its labels or not at all
