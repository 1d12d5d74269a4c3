"""kill -9 under load: an independent client counts what was acknowledged, and all of it is there afterwards.

ZEROKELVIN_KILLS=1000 pytest tests/service/test_killing.py     a thousand instead of fifty
"""

import json
import os
import random
import threading
import time

import httpx
import pytest

import zerokelvin as zk
from serving import Nursery, kill

KILLS = int(os.environ.get("ZEROKELVIN_KILLS", "50"))
NODES = 60
EDGES = [[f"n{i}", f"n{(i + 1) % NODES}"] for i in range(NODES)]
CLASSES = ["x", "y"]


class Sender:
    """Sends labels, each with a key of its own, again and again until it is acknowledged."""

    def __init__(self, number, where):
        self.number, self.where = number, where
        self.acknowledged, self.doubtful, self.stopping = [], None, False
        self._coins = random.Random(number)  # noqa: S311
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        with httpx.Client(timeout=10, trust_env=False) as http:
            while not self.stopping:
                key = f"{self.number}-{len(self.acknowledged)}"
                node, given = f"n{self._coins.randrange(NODES)}", self._coins.choice(CLASSES)
                self.doubtful = (key, node, given)
                while not self.stopping and not self.send(http, key, node, given):
                    time.sleep(0.005)

    def send(self, http, key, node, given):
        try:
            answer = http.post(
                f"{self.where[0]}/v1/projects/p/labels",
                json={"labels": [{"node": node, "label": given}]},
                headers={"idempotency-key": key},
            )
        except httpx.TransportError:
            return False
        if answer.status_code in (409, 503):  # under way, or busy
            return False
        assert answer.status_code == 200, answer.text
        self.acknowledged.append((answer.json()["events"], node, given))
        self.doubtful = None
        return True


def labels_in(url):
    """What the log says: number of the event, node and label, in order."""
    lines = httpx.get(f"{url}/v1/projects/p/log", timeout=30, trust_env=False).text.splitlines()
    events = [json.loads(line) for line in lines[1:]]
    return [(event["number"] - 1, event["body"]["node"], event["body"]["label"]) for event in events]


def replayed(labels):
    """A session in memory that is told the labels from scratch."""
    graph = zk.Graph.from_edges([tuple(edge) for edge in EDGES])
    session = zk.start(graph, "nearest", classes=CLASSES)
    for _, node, given in labels:
        session.learn(node, given)
    return session


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path):
    data, coins = tmp_path / "data", random.Random(0)  # noqa: S311
    with Nursery(tmp_path) as nursery:
        process, url = nursery.start(data, snapshot_every=40)
        body = {"name": "p", "graph": {"edges": EDGES}, "classes": CLASSES, "learner": "nearest"}
        made = httpx.post(f"{url}/v1/projects", json=body, timeout=60, trust_env=False)
        assert made.status_code == 201, made.text
        where = [url]
        senders = [Sender(i, where) for i in range(3)]
        for sender in senders:
            sender.thread.start()
        for _ in range(KILLS):
            time.sleep(coins.uniform(0.02, 0.25))
            kill(process)
            process, where[0] = nursery.start(data, snapshot_every=40)
        time.sleep(0.2)
        for sender in senders:
            sender.stopping = True
        for sender in senders:
            sender.thread.join(20)
        kill(process)
        process, url = nursery.start(data, snapshot_every=40)
        found = labels_in(url)
        acknowledged = [one for sender in senders for one in sender.acknowledged]
        doubtful = sum(sender.doubtful is not None for sender in senders)
        assert set(acknowledged) <= set(found), "an acknowledged label is lost"
        assert len(set(acknowledged)) == len(acknowledged)
        assert len(acknowledged) <= len(found) <= len(acknowledged) + doubtful, "a label is doubled"
        assert len(acknowledged) > KILLS
        session = replayed(found)
        state = httpx.get(f"{url}/v1/projects/p/state", timeout=30, trust_env=False).json()
        assert (state["mistakes"], state["queries"], state["trials"]) == (
            session.mistakes,
            session.queries,
            session.trials,
        )
        rows = httpx.get(f"{url}/v1/projects/p/labels", timeout=30, trust_env=False).json()["labels"]
        last = {node: given for _, node, given in found}
        wanted = dict(zip(session.graph.names, session.predict_all().tolist(), strict=True)) | last
        assert {row["node"]: row["label"] for row in rows} == wanted
        kill(process)
