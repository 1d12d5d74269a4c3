"""`zerokelvin bench service` on small problems: rows have their figures, and ratios."""

import json
import re

import pytest

pytest.importorskip("uvicorn")

SMALL = ["--data", "none", "--nodes", "300", "--events", "400", "--seconds", "0.2", "--learner", "nearest"]
LINES = {"store": 4, "labels": 7, "batch": 3, "studio": 4}


def test_every_row_has_its_lines(invoke):
    result = invoke("bench", "service", "--json", "--", *SMALL, "--batch", "100", "--rows", *LINES)
    assert result.exit_code == 0, result.stderr
    lines = [line for line in json.loads(result.stdout)["output"] if line]
    assert {row: sum(line.startswith(f"{row} ") for line in lines) for row in LINES} == LINES
    assert len(lines) == sum(LINES.values())
    ratios = [line for line in lines if re.search(r"\d\.\d\d × (raw|fdatasync)", line)]
    assert [line.split()[0] for line in ratios] == ["store"] * 2 + ["labels"] * 2
