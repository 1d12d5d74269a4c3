"""Figures for Prometheus: requests, waiting times, queues, events, projects, the disk, learning, epochs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from zerokelvin.service.projects.hall import Hall

__all__ = ["ServiceMetrics"]

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Tallied:
    """How many requests of a kind there were, and how long they took."""

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0


class ServiceMetrics:
    """The figures of one app, in a registry of their own."""

    def __init__(self, hall: Hall) -> None:
        self.registry = CollectorRegistry()
        self._requests: dict[tuple[str, int], Tallied] = {}
        self.registry.register(Requests(self._requests))
        self.registry.register(Projects(hall))

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one request that was answered, with its route, status and seconds."""
        found = self._requests.get((route, status))
        if found is None:
            found = self._requests[(route, status)] = Tallied()
        found.buckets[bisect_left(BUCKETS, seconds)] += 1
        found.seconds += seconds

    def text(self) -> bytes:
        """All figures in Prometheus' own format."""
        return generate_latest(self.registry)


class Requests(Collector):
    """Requests answered and their seconds, by route and status."""

    def __init__(self, tallies: dict[tuple[str, int], Tallied]) -> None:
        self._tallies = tallies

    def collect(self) -> Iterator[Metric]:
        """The figures of all routes that were used."""
        requests = CounterMetricFamily("zerokelvin_requests", "Requests answered", labels=["route", "status"])
        seconds = HistogramMetricFamily(
            "zerokelvin_request_seconds", "Seconds until a request was answered", labels=["route"]
        )
        by_route: dict[str, Tallied] = {}
        for (route, status), tally in list(self._tallies.items()):
            requests.add_metric([route, str(status)], sum(tally.buckets))
            total = by_route.setdefault(route, Tallied())
            total.buckets = [a + b for a, b in zip(total.buckets, tally.buckets, strict=True)]
            total.seconds += tally.seconds
        for route, tally in by_route.items():
            names = [*map(str, BUCKETS), "+Inf"]
            buckets = list(zip(names, map(float, accumulate(tally.buckets)), strict=True))
            seconds.add_metric([route], buckets, tally.seconds)
        yield from (requests, seconds)


class Projects(Collector):
    """What the projects in memory say of themselves, read when somebody asks."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def collect(self) -> Iterator[Metric]:
        """The figures of all projects that are awake."""
        awake = self._hall.awake
        yield GaugeMetricFamily("zerokelvin_projects_awake", "Projects in memory", len(awake))
        waiting = GaugeMetricFamily(
            "zerokelvin_waiting_requests", "Requests waiting to be written", labels=["project"]
        )
        unlearnt = GaugeMetricFamily(
            "zerokelvin_unlearnt_events", "Events waiting to be learnt", labels=["project"]
        )
        events = GaugeMetricFamily("zerokelvin_events", "Events in the log", labels=["project"])
        sync = GaugeMetricFamily(
            "zerokelvin_append_seconds", "Time of the last transaction", labels=["project"]
        )
        groups = CounterMetricFamily("zerokelvin_appends", "Transactions since waking", labels=["project"])
        learning = CounterMetricFamily(
            "zerokelvin_learning_seconds", "Time spent learning", labels=["project"]
        )
        epoch = GaugeMetricFamily("zerokelvin_epoch", "Epoch of the writer", labels=["project"])
        for project in awake:
            label = [project.name]
            waiting.add_metric(label, project.writing.waiting)
            unlearnt.add_metric(label, project.learning.unlearnt)
            events.add_metric(label, project.writing.written)
            sync.add_metric(label, project.writing.sync_seconds)
            groups.add_metric(label, project.writing.groups)
            learning.add_metric(label, project.learning.seconds)
            epoch.add_metric(label, project.epoch)
        yield from (waiting, unlearnt, events, sync, groups, learning, epoch)
