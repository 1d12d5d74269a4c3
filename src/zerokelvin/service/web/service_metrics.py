"""Figures for Prometheus: requests, waiting times, queues, events, projects, the disk, learning, epochs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from zerokelvin.service.projects.hall import Hall

__all__ = ["ServiceMetrics"]

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class ServiceMetrics:
    """The figures of one app, in a registry of their own."""

    def __init__(self, hall: Hall) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "zerokelvin_requests", "Requests answered", ["route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "zerokelvin_request_seconds",
            "Seconds until a request was answered",
            ["route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._counted: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        self.registry.register(Projects(hall))

    def count(self, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        found = self._counted.get((route, status))
        if found is None:
            found = (self._requests.labels(route, str(status)), self._seconds.labels(route))
            self._counted[(route, status)] = found
        found[0].inc()
        found[1].observe(seconds)

    def text(self) -> bytes:
        """All figures in Prometheus' own format."""
        return generate_latest(self.registry)


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
