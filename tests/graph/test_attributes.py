"""Attributes: the rules that make numbers of them, and what becomes of them as graphs change."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from zerokelvin import Graph
from zerokelvin.client.attribute_bodies import attribute_table
from zerokelvin.errors import GraphError
from zerokelvin.graph.attributes import Attributes
from zerokelvin.graph.attributes.attribute_table import MOST_COLUMNS
from zerokelvin.graph.attributes.encoded_columns import frame_rules, matrix_rules
from zerokelvin.io import read_attributes

LINE = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])


def test_dense_columns_are_standardised_and_mostly_empty_ones_keep_their_zeros():
    table = np.array([[1.0, 0.0, 7.0], [3.0, 0.0, 7.0], [5.0, 4.0, 7.0], [np.nan, 0.0, 7.0]])
    rules = matrix_rules(table)
    found = rules.encode(table).toarray()
    sd = np.std([1.0, 3.0, 5.0])
    assert rules.columns == ("column 0", "column 1", "column 2", "column 0 is missing")
    assert np.allclose(found[:, 0], [-2 / sd, 0, 2 / sd, 0])
    assert found[:, 1].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert found[:, 2].tolist() == [0.0] * 4
    assert found[:, 3].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_of_numbers_categories_text_and_gaps(make):
    cells = {
        "age": [30.0, 50.0, None, 40.0],
        "town": ["Ulm", "Ulm", "Bonn", "Bonn"],
        "says": ["Cats and dogs", "dogs, mostly", "nothing at all", None],
        "paid": [True, False, True, True],
    }
    table = Attributes.of(make(cells), 4)
    assert table.columns == ("age", "age is missing", "town=Bonn", "town=Ulm", "says: dogs", "paid")
    assert np.allclose(np.linalg.norm(table.rows, axis=1), 1.0)
    later = table.extended(make({"age": [40.0], "town": ["Paris"], "says": ["DOGS"], "paid": [None]}), 1)
    assert later.encoded[[4]].toarray()[0].nonzero()[0].tolist() == [4]
    assert later.fixed_on == 4
    assert np.array_equal(later.rows[:4], table.rows)


def test_a_column_node_says_whose_row_it_is():
    frame = {"node": ["d", "a"], "x": [3.0, 1.0]}
    graph = LINE.with_attributes(frame)
    assert graph.attributes.encoded.toarray()[:, 0].tolist() == pytest.approx([-1.0, 0, 0, 1.0], abs=0.01)
    with pytest.raises(GraphError, match="no node is called 'x'"):
        LINE.with_attributes({"node": ["x"], "x": [1.0]})


def test_many_columns_become_leading_directions_and_say_what_they_lose():
    rng = np.random.default_rng(1)
    table = sp.random_array((700, 900), density=0.02, rng=rng, format="csr")
    found = Attributes.of(table, 700)
    assert found.rows.shape == (700, MOST_COLUMNS)
    values = np.linalg.svd(found.encoded.toarray(), compute_uv=False)
    best = 1.0 - (values[:MOST_COLUMNS] ** 2).sum() / (values**2).sum()
    assert best <= found.left_out <= best + 0.02
    assert np.allclose(found.basis.T @ found.basis, np.eye(MOST_COLUMNS))
    shares = found.shares(3, np.arange(MOST_COLUMNS) / 100)
    assert sum(shares.values()) == pytest.approx(found.rows[3] @ np.arange(MOST_COLUMNS) / 100)


def test_dense_and_sparse_words_are_the_same():
    words = (np.random.default_rng(2).random((30, 40)) < 0.1).astype(float)
    dense, sparse = Attributes.of(words, 30), Attributes.of(sp.csr_array(words), 30)
    assert np.array_equal(dense.rows, sparse.rows)
    assert dense.content_hash == sparse.content_hash


def test_graphs_carry_their_attributes():
    known = LINE.with_attributes(np.arange(12.0).reshape(4, 3))
    assert known != LINE
    assert known.with_attributes(None) == LINE
    assert known == LINE.with_attributes(np.arange(12.0).reshape(4, 3))
    part = known.subgraph([3, 1])
    assert np.array_equal(part.attributes.rows, known.attributes.rows[[3, 1]])
    grown = known.extended(["e", "f"], [("d", "e")], attributes=[[0, 1, 2], [9.0, 1, 1]])
    again = grown.with_attributes(
        np.vstack([np.arange(12.0).reshape(4, 3), [[0, 1, 2], [9.0, 1, 1]]]), fixed_on=4
    )
    assert grown == again
    silent = known.extended(["e"], [("d", "e")])
    assert not silent.attributes.rows[4].any()
    assert known.label_components.tolist() == [0] * 4


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_dates_times_and_decimals_are_numbers(make):
    day = dt.datetime(2026, 3, 1, 6, tzinfo=dt.UTC)
    cells = {
        "joined": [day, day + dt.timedelta(days=1), None, day + dt.timedelta(days=5)],
        "born": [dt.date(2000, 1, 1), dt.date(2000, 1, 3), dt.date(2000, 1, 9), dt.date(2000, 1, 3)],
        "paid": [Decimal("1.5"), Decimal(2), Decimal(4), None],
        "active": [dt.timedelta(hours=6), dt.timedelta(days=2), dt.timedelta(0), dt.timedelta(days=1)],
    }
    days = {
        "joined": [20513.25, 20514.25, None, 20518.25],
        "born": [10957, 10959, 10965, 10959],
        "paid": [1.5, 2.0, 4.0, None],
        "active": [0.25, 2.0, 0.0, 1.0],
    }
    found, expected = Attributes.of(make(cells), 4), Attributes.of(days, 4)
    assert found.columns == expected.columns
    assert np.allclose(found.rows, expected.rows, atol=1e-9)
    assert {k: [v if v is None else float(v) for v in c] for k, c in sent(make(cells)).items()} == days


def sent(frame):
    """The columns of a frame as a client sends them."""
    return json.loads(json.dumps(attribute_table(frame)))["columns"]


def test_dates_in_text_files_and_of_new_nodes(tmp_path):
    file = tmp_path / "known.csv"
    file.write_text(
        "node,joined,note\n2026-01-01,2026-03-01,2026-03-01\nb,2026-03-02T12:00,soon\nc,,soon\nd,2026-03-09,\n"
    )
    table = read_attributes(file)
    assert table["node"] == ["2026-01-01", "b", "c", "d"]
    assert table["joined"] == [20513.0, 20514.5, None, 20521.0]
    assert table["note"] == ["2026-03-01", "soon", "soon", None]
    found = Attributes.of({name: table[name] for name in ("joined", "note")}, 4)
    more = [found.extended({"joined": [cell]}, 1) for cell in ("2026-03-05", dt.date(2026, 3, 5), 20517)]
    assert len({one.content_hash for one in more}) == 1
    with pytest.raises(GraphError, match="'joined' is a column of numbers, but holds 'soon'"):
        found.extended({"joined": ["soon"]}, 1)


def test_gaps_of_pandas_are_gaps_in_a_dictionary_too():
    cells = {
        "a": [1, pd.NA, 3, 4],
        "b": [pd.NaT, pd.Timestamp("2026-01-02"), pd.NaT, pd.Timestamp("2026-01-05")],
    }
    assert Attributes.of(cells, 4).columns == ("a", "a is missing", "b", "b is missing")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1, 2], [3], [4, 5], [6, 7]], "differ in length; give as many columns for every node"),
        (np.ones((4, 1), dtype=complex), "complex numbers; give real and imaginary parts"),
        (sp.csr_array(np.ones((4, 1), dtype=complex)), "complex numbers; give real and imaginary parts"),
        (np.zeros((4, 1), dtype="M8[s]"), "times; give them as a column of a data frame"),
        ({"id": list("pqrs")}, r"no column of the attributes \('id'\) says anything"),
        ({"node": list("abcd")}, "there is none"),
        ([[1.0]], "1 rows for 4 nodes"),
        ([[np.inf]] * 4, "infinite"),
        ([["x"]] * 4, "data frame"),
        (np.zeros((4, 0)), "at least one column"),
        ({"a": [1, 2, 3, 4], "b": [1]}, "differ in length"),
        (sp.csr_array(np.full((4, 1), np.nan)), "NaN"),
    ],
)
def test_bad_attributes_are_refused(given, said):
    with pytest.raises(GraphError, match=said):
        LINE.with_attributes(given)


def test_new_nodes_bring_what_the_others_have():
    known = LINE.with_attributes(np.ones((4, 2)))
    with pytest.raises(GraphError, match="have 3 columns, those at the start 2"):
        known.extended(["e"], attributes=[[1.0, 2.0, 3.0]])
    with pytest.raises(GraphError, match="has no attributes"):
        LINE.extended(["e"], attributes=[[1.0]])
    with pytest.raises(GraphError, match="column of numbers, but holds 'x'"):
        frame_rules({"a": [1, 2]}).encode({"a": ["x"]})
