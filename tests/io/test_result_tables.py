"""Tables of results: every format holds the same rows, whole or not at all, and no cell is a formula."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.io.formats.result_tables import TABLES, check_table, write_table
from zerokelvin.io.spreadsheet import FORMULA, safe_cell

PARTS = [
    {"node": ["ann", '=1+1, "x"'], "share": np.array([0.25, 1.0]), "ask": np.array([True, False])},
    {"node": ["-bob\nbee"], "share": np.array([0.5]), "ask": np.array([True])},
]
NAMES = ["ann", '=1+1, "x"', "-bob\nbee"]


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    with io.StringIO(text, newline="") as stream:
        if ".jsonl" in path.suffixes:
            return [json.loads(line) for line in stream]
        rows = list(csv.DictReader(stream, delimiter="\t" if ".tsv" in path.suffixes else ","))
    return [
        {"node": r["node"], "share": float(r["share"]), "ask": {"true": True, "false": False}[r["ask"]]}
        for r in rows
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet", "a.jsonl", "a.csv.gz", "a.jsonl.gz"])
def test_every_format_holds_all_rows(tmp_path, name):
    path = tmp_path / name
    assert write_table(path, iter(PARTS)) == 3
    rows = read(path)
    assert [row["share"] for row in rows] == [0.25, 1.0, 0.5]
    assert [row["ask"] for row in rows] == [True, False, True]
    text = ".csv" in name or ".tsv" in name
    assert [row["node"] for row in rows] == [safe_cell(value) if text else value for value in NAMES]


@pytest.mark.parametrize("sign", FORMULA)
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_no_cell_is_a_formula(tmp_path, sign, suffix):
    path = tmp_path / f"a.{suffix}"
    write_table(path, [{"node": [f"{sign}cmd|' /C calc'!A0", "a=b"], "n": [-1, 2]}])
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream, delimiter="," if suffix == "csv" else "\t"))[1:]
    assert rows[0] == [f"'{sign}cmd|' /C calc'!A0", "-1"]
    assert rows[1] == ["a=b", "2"]


def test_a_table_that_fails_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def parts():
        yield PARTS[0]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_table(path, parts())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_table_has_its_columns(tmp_path):
    path = tmp_path / "a.csv"
    assert write_table(path, [{"node": [], "label": []}]) == 0
    assert path.read_text().strip() == '"node","label"'


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("a.xlsx", ParameterError, "'.xlsx' for a table; end its name in .csv, .tsv, .parquet, .jsonl"),
        ("labels", ParameterError, "unknown suffix ''"),
        ("a.parquet.gz", ParameterError, "compressed already"),
        ("nowhere/a.csv", DataError, "there is no folder"),
    ],
)  # fmt: skip
def test_bad_names_are_refused_before_the_work(tmp_path, monkeypatch, name, error, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said.replace("(", "\\(")):
        check_table(name)
    assert set(TABLES) == {"csv", "tsv", "parquet", "jsonl"}
