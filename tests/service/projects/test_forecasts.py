"""What goes out is what the session says, for every policy and kind of learner, to the last decision."""

import base64

import msgspec
import pytest

import zerokelvin as zk
from zerokelvin.service.projects.forecasts import Forecasts
from zerokelvin.service.records.decisions import read_decision
from zerokelvin.service.records.facts import Created
from zerokelvin.service.records.projection import Projection
from zerokelvin.session.late import ShownDecision

SECRET = b"k" * 32
EDGES = [(f"n{i}", f"n{(i * 5 + 1) % 30}") for i in range(30)] + [("far", "away"), ("n0", "n9")]
LEARNERS = [
    "perceptron",
    "nearest",
    "sslgc",
    "bbq",
    "longest-path",
    "propagation",
    "gaussian",
    "auto",
    "random",
]


def view(session):
    classes = tuple(session.classes)
    made = Created("p", classes, session.learner.name, base64.b64encode(SECRET).decode(), "")
    return Forecasts(session, Projection(made, session))


def view_at(session, other):
    """Forecasts of the same moment that have read nothing yet."""
    found = view(session)
    found._now = other._now
    return found


@pytest.mark.parametrize("classes", [("x", "y"), ("x", "y", "z")])
@pytest.mark.parametrize("policy", [None, "margin:1", "doubt:0.5", "variance:0.5", "random:0.5"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_forecasts_are_the_sessions_predictions(learner, policy, classes):
    session = zk.start(zk.Graph.from_edges(EDGES), learner, classes=classes, policy=policy, budget=9)
    for told in range(12):
        forecasts = view(session)
        for i in range(0, session.graph.num_nodes, 3):
            name = session.graph.name(i)
            own, shown = session.predict(name), forecasts.of(i)
            assert (shown.node, shown.label, shown.ask, shown.reason) == (
                name,
                own.label,
                own.ask,
                own.reason,
            )
            shares = session.predict_proba_one(name)
            assert shown.probabilities == pytest.approx(shares, rel=1e-12)
            record, decision = ShownDecision.of(own), read_decision(SECRET, shown.decision)
            assert decision.node == i
            assert session.classes[decision.code] == record.label
            assert (decision.ask, decision.overruled, decision.made_at, decision.digest) == (
                record.ask,
                record.overruled,
                record.made_at,
                record.digest,
            )
            assert tuple(session.classes[c] for c in decision.left_out) == record.left_out
        every = [*range(session.graph.num_nodes), 3, 3, 0]
        together = [msgspec.json.decode(text) for text in view_at(session, forecasts).as_json(every)]
        assert together == [msgspec.to_builtins(forecasts.of(i)) for i in every]
        session.learn(session.graph.name((told * 7) % 32), classes[told % len(classes)])
