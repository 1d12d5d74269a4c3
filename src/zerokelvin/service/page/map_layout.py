"""The map of a project: the first layout at once, then refined in a thread beside the requests."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.layout import first_layout, refine
from zerokelvin.service.page.desk import Desk
from zerokelvin.service.page.overview import Overview
from zerokelvin.service.projects.project import Project

if TYPE_CHECKING:
    from zerokelvin.layout import LayoutStage

__all__ = ["MapLayout", "colours_bytes", "layout_of"]

NONE = 0xFFFF


class MapLayout:
    """Where the nodes of a graph lie: `stage` is 0 at first, 1 while it is refined, 2 at the end.

    Where the items brought their places, (nodes, 2), those are the end.
    """

    def __init__(self, graph: Graph, seed: int, places: Floats | None = None) -> None:
        self.graph, self.seed = graph, seed
        self.positions = places
        self.stage, self.revision = (0, 0) if places is None else (2, 1)
        self.stopping = False
        self._begun = threading.Lock()

    def ready(self) -> bytes:
        """The layout as the page reads it; made first, and its refinement begun, where it is new."""
        with self._begun:
            if self.positions is None:
                self.positions = first_layout(self.graph, self.seed)
                threading.Thread(target=self._refine, name="layout", daemon=True).start()
        head = struct.pack("<8sIIII", b"ZKMAP1\0\0", self.graph.num_nodes, self.stage, self.revision, 0)
        places = self.positions.astype("<f4")
        return head + places[:, 0].tobytes() + places[:, 1].tobytes()

    def _refine(self) -> None:
        def report(stage: LayoutStage) -> bool:
            self.positions, self.stage = stage.positions, 1
            self.revision += 1
            return not self.stopping

        start = self.positions
        assert start is not None  # noqa: S101 - for the type checker: made before this thread
        self.positions = refine(self.graph, start, self.seed, report=report)
        self.stage = 2
        self.revision += 1


def layout_of(project: Project, desk: Desk) -> MapLayout:
    """The layout of a project's graph; another once the graph has grown."""
    found = desk.layout
    if found is None or found.graph is not project.known.graph:
        if found is not None:
            found.stopping = True
        graph, items = project.known.graph, desk.items
        places = None if items is None or len(items) < graph.num_nodes else items.places
        found = desk.layout = MapLayout(graph, project.created.seed, places)
    return found


def colours_bytes(found: Overview, mine: set[int], events: int) -> bytes:
    """What every node is coloured by: class, confidence, and who answered."""
    count = len(found.predicted)
    final = np.where(found.told >= 0, found.told, found.predicted)
    codes = np.where((final < 0) | (final >= NONE), NONE, final).astype("<u2")
    sure = np.clip(np.rint(found.probability * 255), 0, 255).astype(np.uint8)
    source = np.where(found.told < 0, 0, np.where(found.taught, 2, 1)).astype(np.uint8)
    source[[node for node in mine if node < count]] = 3
    head = struct.pack("<8sIIII", b"ZKCOL1\0\0", count, events, len(found.classes), 0)
    return head + codes.tobytes() + sure.tobytes() + source.tobytes()
