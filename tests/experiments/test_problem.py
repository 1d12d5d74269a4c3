import numpy as np
import pytest

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.experiments import load_problem


@pytest.fixture
def folder(tmp_path, monkeypatch):
    np.savez(
        tmp_path / "both.npz",
        edges=np.array([[0, 1], [2, 3], [3, 4]]),
        labels=np.array([0, 1, -1, 0, 1]),
        n=5,
    )
    np.savez(tmp_path / "bare.npz", edges=np.array([[0, 1]]), n=2)
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    (tmp_path / "labels.txt").write_text("0 u\n2 v\n")
    (tmp_path / "edgelist").write_text("0 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZEROKELVIN_DATA", str(tmp_path))
    return tmp_path


def test_one_npz_by_path_or_by_name(folder):
    by_path, by_name = load_problem(folder / "both.npz"), load_problem("both")
    assert by_path.graph == by_name.graph
    assert by_path.labels.tolist() == by_name.labels.tolist() == [0, 1, None, 0, 1]


def test_two_files(folder):
    problem = load_problem("edges.txt", "labels.txt")
    assert problem.graph.num_edges == 2
    assert problem.labels.tolist() == ["u", None, "v"]


def test_labels_of_a_data_set_can_be_replaced(folder):
    (folder / "other.csv").write_text("node,label\n4,z\n0,z\n")
    assert load_problem("both", "other.csv").labels.tolist() == ["z", None, None, None, "z"]


def test_largest_component_keeps_its_own_labels(folder):
    problem = load_problem("both", component="largest")
    assert problem.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert problem.labels.tolist() == [None, 0, 1]
    assert problem.left_out == 2


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        (("edges.txt",), DataError, "edges.txt"),
        (("bare.npz",), DataError, "labels"),
        (("nothing",), DataError, "nothing"),
        (("edgelist",), DataError, "edgelist"),
        (("nowhere.csv", "labels.txt"), DataError, "nowhere.csv"),
    ],
)
def test_what_cannot_be_loaded_is_named(folder, arguments, error, named):
    with pytest.raises(error, match=named):
        load_problem(*arguments)


def test_unknown_component(folder):
    with pytest.raises(ParameterError, match="'small'"):
        load_problem("both", component="small")
