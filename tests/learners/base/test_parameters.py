"""Parameters of the wrong type: one clear sentence from every learner, whichever way it is made."""

import copy
import dataclasses

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base import LEARNERS

WRONG = {
    "float": ["x", [1], None, True],
    "int": ["x", [1], None, 1.5, True],
    "bool": ["x", 1, None],
    "str": [1, [1], None, True],
    "float | None": ["x", [1], True],
    "int | None": ["x", [1], 1.5],
}
FIELDS = [(name, field) for name in LEARNERS for field in dataclasses.fields(LEARNERS[name])]


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=lambda part: getattr(part, "name", part))
def test_wrong_types_are_refused(name, field):
    graph = zk.Graph.from_edges([(0, 1), (1, 2)])
    for value in WRONG.get(field.type, []):
        with pytest.raises(ParameterError, match=f"^{field.name}=.* must be "):
            LEARNERS[name](**{field.name: value})
        with pytest.raises(ParameterError, match=f"^{field.name}=.* must be "):
            zk.play(graph, [0, 1, 1], name, **{field.name: value})


@pytest.mark.parametrize("cover", [[1], None, 2.0, "widest"])
def test_covers_that_are_no_paths(cover):
    with pytest.raises(ParameterError, match=r"^cover=.* choose longest, shortest or paths of nodes"):
        zk.learners.FixedPaths(cover=cover)


def test_what_is_no_learner():
    with pytest.raises(ParameterError, match="3 is no learner; give one of auto, "):
        zk.start(zk.Graph.from_edges([(0, 1)]), 3)
    with pytest.raises(ParameterError, match=r"\[1\] is no learner"):
        zk.learners.RandomQuery(inner=[1])


def test_numbers_of_numpy_and_places_instead_of_names():
    nearest = zk.learners.Nearest(np.int64(3))
    assert nearest.k == 3
    assert zk.learners.Gaussian(mu=np.float32(0.5)).mu == 0.5
    assert zk.learners.Gaussian(mu=1).mu == 1
    assert copy.deepcopy(nearest) == dataclasses.replace(nearest) == nearest
    with pytest.raises(ParameterError, match="k='3' must be a whole number"):
        zk.learners.Nearest("3")


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("nearest", {"k": 10**30}),
        ("nearest", {"k": -(10**5000)}),
        ("gaussian", {"mu": 1e-320}),
        ("gaussian", {"b": 1e308}),
        ("sslgc", {"mu": 1e-320}),
        ("bbq", {"b": np.float64(1e308)}),
        ("second-order", {"b": -1e308}),
    ],
)
def test_numbers_out_of_reach_are_refused(name, params):
    with pytest.raises(zk.errors.ParameterError, match=r"is too large|is out of reach"):
        zk.learners.make(name, **params)


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_numbers_within_reach_play_finite_games(size):
    line = zk.Graph.from_edges([(i, i + 1) for i in range(5)])
    for name, param in (("gaussian", "mu"), ("gaussian", "b"), ("sslgc", "mu"), ("ollgc", "b")):
        assert np.isfinite(zk.play(line, list("xxyyxy"), name, **{param: size}).margins).all()


def test_more_neighbours_than_nodes_vote_as_all_do():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(5)])
    many, all_of_them = (zk.play(line, list("xxyyxy"), "nearest", k=k, repeats=2) for k in (2**62, 6))
    assert np.array_equal(many.margins, all_of_them.margins)
