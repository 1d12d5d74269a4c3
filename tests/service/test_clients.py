"""The two clients: the verbs of a session, alike in both, on a real service."""

import asyncio
import inspect

import numpy as np
import pytest

import zerokelvin as zk
from serving import Served
from zerokelvin.client import AsyncRemoteProject, RemoteProject, ServiceError

OWN = {
    "next": "open_questions, each kept for a reviewer",
    "state": "the figures of a session at one moment",
    "show": "what it was made with",
    "labels": "predict_all and node_columns",
    "set_budget": "session.budget = …",
    "archive": "of projects",
    "restore": "of projects",
}
"""Methods of a project that no session has, and what they are instead of."""

DIFFERENT = {"add_nodes", "add_edges"} | {"learn_many", "correct_many"}
"""The first two: weights stand in the edges; the others: what a session calls answers or corrections."""

EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]])


def methods(kind):
    return {
        name: inspect.signature(member)
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_both_clients_have_the_same_verbs():
    plain, waiting = methods(RemoteProject), methods(AsyncRemoteProject)
    assert plain == waiting
    for name in plain:
        assert inspect.iscoroutinefunction(getattr(AsyncRemoteProject, name))
        assert getattr(RemoteProject, name).__doc__ == getattr(AsyncRemoteProject, name).__doc__


def test_their_verbs_are_the_sessions():
    for name, signature in methods(RemoteProject).items():
        if name in OWN:
            assert not hasattr(zk.Session, name)
            continue
        own = list(inspect.signature(getattr(zk.Session, name)).parameters)[1:]
        given = list(signature.parameters)[1:]
        if name not in DIFFERENT:
            assert given[: len(own)] == own[: len(given)], name


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("served") / "data", "--quiet") as served:
        yield served.url


def session():
    return zk.start(zk.Graph.from_edges(EDGES), "nearest", classes=["x", "y"])


def test_what_a_session_says_a_project_says(url):
    """With nodes and labels as they come out of arrays."""
    own, truth = session(), np.array(["x", "x", "x", "x", "y", "y", "y", "y"])
    with zk.Client(url) as client:
        project = client.create("p", EDGES, np.unique(truth), learner="nearest", seed=np.int64(0))
        for node in np.array([0, 7, 2]):
            shown = project.predict(node)
            mine = own.predict(int(node))
            assert (shown.label, shown.ask) == (mine.label, mine.ask)
            project.learn(node, truth[node], shown=shown)
            own.learn(int(node), str(truth[node]), shown=mine)
        for told in ({2: "y", 0: None}, {2: "x"}, {7: "y"}):
            assert project.correct_many(told) == project.state().events
            own.correct_many(told)
            assert [one.label for one in project.predict_many(range(8))] == list(own.predict_all())
        with pytest.raises(ServiceError, match="has no label to correct") as refused:
            project.correct_many({2: "y", 5: "x"})
        assert refused.value.errors[0]["field"] == "labels[1].node"
        with pytest.raises(ServiceError, match="stood there before"):
            project.correct_many([(2, "y"), (7, "x"), (2, None)])
        assert [one.label for one in project.predict_many(range(8))] == list(own.predict_all())
        project.teach({0: "x"})
        own.teach({0: "x"})
        while (check := project.random_check("ann")) is not None:
            assert check.check
            assert check.node == own.random_check()
            project.learn(check.node, truth[check.node])
            own.learn(check.node, str(truth[check.node]))
            said = project.guarantee(0.9)
            assert said.sentence == str(own.guarantee(0.9)) or "nothing is proved" in said.sentence
            assert said.wrong_at_most == own.guarantee(0.9).wrong_at_most
        assert project.state().answers == 8
        assert project.archive().archived
        with pytest.raises(ServiceError, match="archived"):
            project.learn(0, "x")
        assert not project.restore().archived
        grown = project.add_nodes(np.array([8]), [(np.int64(7), np.int64(8), np.float64(0.5))])
        assert grown.nodes == 9
        assert client.projects() == ["p"]


def test_and_waiting_for_it(url):
    async def work():
        async with zk.AsyncClient(url) as client:
            project = await client.create("q", EDGES, ["x", "y"], learner="nearest")
            await project.learn_many(zip(np.array([0, 7]), np.array(["x", "x"]), strict=True))
            await project.correct_many({np.int64(7): "y"})
            own = session()
            own.learn_many({0: "x", 7: "y"})
            told = await project.predict_many(np.arange(8))
            assert [one.label for one in told] == list(own.predict_all())
            check = await project.random_check()
            assert check.check
            assert (await project.guarantee()).checks == 0
            assert (await project.archive()).archived
            assert not (await project.restore()).archived

    asyncio.run(work())
