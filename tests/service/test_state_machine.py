"""The service against a session in memory: whatever is sent, in whatever order, both say the same."""

import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import zerokelvin as zk
from serving import app_client, label, make_project
from zerokelvin.errors import SessionError

CLASSES = ("fraud", "ok", "odd")
NODES = [f"n{i}" for i in range(9)]
EDGES = [[NODES[i], NODES[i + 1], 1.0 + i % 3] for i in range(5)] + [
    [NODES[6], NODES[7]],
    [NODES[7], NODES[8]],
]
LEARNERS = [("nearest", {}), ("perceptron", {}), ("ollgc", {"mu": 0.1}), ("sslgc", {"mu": 0.1})]
nodes = st.integers(0, 11)
labels = st.sampled_from(CLASSES)


class ServiceMachine(RuleBasedStateMachine):
    """A project and a session that are told the same."""

    @initialize(
        learner=st.sampled_from(LEARNERS),
        policy=st.sampled_from([None, "margin:0.5", "doubt:0.2"]),
        budget=st.sampled_from([None, 3]),
        classes=st.integers(2, 3),
    )
    def begin(self, learner, policy, budget, classes):
        name, params = learner
        self.folder = Path(tempfile.mkdtemp(prefix="zk-machine-"))
        self.classes = CLASSES[:classes]
        graph = zk.Graph.from_edges([(u, v, *w) if w else (u, v, 1.0) for u, v, *w in EDGES])
        graph = zk.Graph.from_edges(
            graph.edges, graph.edge_weights, names=[graph.name(i) for i in range(graph.num_nodes)]
        )
        self.session = zk.start(graph, name, classes=self.classes, policy=policy, budget=budget, **params)
        self.shown, self.events, self.opened = [], 0, None
        self.open()
        self.path = make_project(
            self.client,
            edges=EDGES,
            classes=self.classes,
            learner=name,
            params=params,
            policy=policy,
            budget=budget,
        )

    def open(self):
        self.opened = app_client(self.folder, snapshot_every=4)
        self.client = self.opened.__enter__()

    def name(self, i):
        return self.session.graph.name(i % self.session.graph.num_nodes)

    def sent(self, answer, events=1):
        assert answer.status_code == 200, answer.text
        self.events += events
        assert answer.json()["events"] == self.events

    @rule(several=st.lists(nodes, min_size=1, max_size=7))
    def predict(self, several):
        names = [self.name(i) for i in several]
        answer = self.client.post(f"{self.path}/predict", json={"nodes": names})
        assert answer.status_code == 200, answer.text
        assert answer.json()["events"] == self.events
        for name, told in zip(names, answer.json()["predictions"], strict=True):
            own = self.session.predict(name)
            assert (told["node"], told["label"], told["ask"]) == (name, own.label, own.ask)
            assert told["reason"] == own.reason
            shares = self.session.predict_proba_one(name)
            assert told["probabilities"] == pytest.approx(shares, abs=1e-12)  # many at once: other rounding
            self.shown.append((name, told["decision"], own))

    @rule(i=nodes, given=labels)
    def label(self, i, given):
        given = given if given in self.classes else self.classes[0]
        self.sent(label(self.client, self.path, self.name(i), given))
        self.session.learn(self.name(i), given)

    @rule(told=st.lists(st.tuples(nodes, labels), min_size=2, max_size=6))
    def label_many(self, told):
        pairs = [(self.name(i), c if c in self.classes else self.classes[0]) for i, c in told]
        body = {"labels": [{"node": node, "label": given} for node, given in pairs]}
        self.sent(self.client.post(f"{self.path}/labels", json=body), len(pairs))
        for node, given in pairs:
            self.session.learn(node, given)

    @precondition(lambda self: getattr(self, "shown", None))
    @rule(which=st.integers(0, 30), given=labels, by_node=st.booleans())
    def label_late(self, which, given, by_node):
        given = given if given in self.classes else self.classes[0]
        node, decision, prediction = self.shown[which % len(self.shown)]
        one = {"label": given, "decision": decision} | ({"node": node} if by_node else {})
        self.sent(self.client.post(f"{self.path}/labels", json={"labels": [one]}))
        self.session.learn(node, given, shown=prediction)

    @rule(told=st.dictionaries(nodes, labels, min_size=1, max_size=4))
    def teach(self, told):
        pairs = {self.name(i): c if c in self.classes else self.classes[1] for i, c in told.items()}
        body = {"labels": [{"node": node, "label": given} for node, given in pairs.items()]}
        self.sent(self.client.post(f"{self.path}/teach", json=body), len(pairs))
        self.session.teach(pairs)

    @rule(i=nodes)
    def skip(self, i):
        self.sent(self.client.post(f"{self.path}/skip", json={"node": self.name(i)}))
        self.session.skip(self.name(i))

    @rule(i=nodes, given=st.none() | labels)
    def correct(self, i, given):
        given = given if given is None or given in self.classes else self.classes[0]
        answer = self.client.post(f"{self.path}/correct", json={"node": self.name(i), "label": given})
        try:
            self.session.correct(self.name(i), given)
        except SessionError:
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"] == "node"
        else:
            self.sent(answer)

    @rule(told=st.dictionaries(nodes, st.none() | labels, min_size=1, max_size=4))
    def correct_many(self, told):
        pairs = {self.name(i): c if c in (None, *self.classes) else self.classes[0] for i, c in told.items()}
        body = {"labels": [{"node": node, "label": given} for node, given in pairs.items()]}
        answer = self.client.post(f"{self.path}/correct", json=body)
        try:
            self.session.correct_many(pairs)
        except SessionError:
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"].startswith("labels[")
        else:
            self.sent(answer)

    @rule(i=nodes, j=nodes, weight=st.sampled_from([0.5, 1.0, 2.0]))
    def grow(self, i, j, weight):
        if self.session.graph.num_nodes >= 12:
            edges = [[self.name(i), self.name(j), weight]]
            self.sent(self.client.post(f"{self.path}/edges", json={"edges": edges}))
            self.session.add_edges([(self.name(i), self.name(j))], [weight])
            return
        new = f"n{self.session.graph.num_nodes}"
        edges = [[self.name(i), new, weight]]
        self.sent(self.client.post(f"{self.path}/nodes", json={"nodes": [new], "edges": edges}))
        self.session.add_nodes([new], [(self.name(i), new)], [weight])

    @rule()
    def check(self):
        """A random check, which is an event where none waits for its answer."""
        answer = self.client.get(f"{self.path}/next", params={"check": 1, "reviewer": "ann"})
        assert answer.status_code == 200, answer.text
        try:
            waiting = self.session._standing.audit.pending(self.session._standing.told_labels())
            expected = [self.session.random_check()]
        except SessionError:
            expected, waiting = [], 0
        self.events += waiting is None
        assert [one["node"] for one in answer.json()["questions"]] == expected
        assert answer.json()["events"] == self.events

    @rule(budget=st.none() | st.integers(0, 6))
    def set_budget(self, budget):
        self.sent(self.client.post(f"{self.path}/budget", json={"budget": budget}))
        self.session.budget = budget

    @rule(i=nodes)
    def refused(self, i):
        """A batch of which one part is wrong changes nothing."""
        body = {
            "labels": [{"node": self.name(i), "label": self.classes[0]}, {"node": "nobody", "label": "ok"}]
        }
        assert self.client.post(f"{self.path}/labels", json=body).status_code == 422

    @rule()
    def restart(self):
        self.opened.__exit__(None, None, None)
        self.open()

    @rule()
    def wake(self):
        """Put to sleep and woken, with its snapshot."""
        self.client.call(self.client.hall.sleep("p"))

    @invariant()
    def the_same_state(self):
        if getattr(self, "opened", None) is None or not hasattr(self, "path"):
            return
        state = self.client.get(f"{self.path}/state").json()
        told = (state["mistakes"], state["queries"], state["trials"], state["events"])
        assert told == (self.session.mistakes, self.session.queries, self.session.trials, self.events)
        last = {self.session.graph.name(e.node): e.label for e in self.session.events if e.label is not None}
        bound = self.session.bound(last)
        assert state["bound"]["holds"] == bound.holds
        assert state["bound"]["value"] == bound.as_dict()["value"]
        found = self.session.guarantee()
        said = state["guarantee"]
        assert (said["checks"], said["wrong_at_most"]) == (found.checks, found.wrong_at_most)

    def teardown(self):
        if getattr(self, "opened", None) is not None:
            self.opened.__exit__(None, None, None)
            shutil.rmtree(self.folder)


TestServiceMachine = ServiceMachine.TestCase
TestServiceMachine.settings = settings(
    max_examples=15, stateful_step_count=20, deadline=None, phases=[Phase.reuse, Phase.generate]
)
