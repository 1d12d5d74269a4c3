"""`zerokelvin bench latency` on small problems: every row has times, a goal and something beside them."""

import json
import runpy
from argparse import Namespace
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "benchmarks"

SMALL = {
    "data": "digits",
    "session": "digits",
    "answers": 60,
    "trials": 20,
    "nodes": 300,
    "known": 20,
    "points": 200,
    "classes": 3,
    "asked": 4,
    "large": 300,
    "labels": 40,
    "knn": 200,
    "far": 200,
    "wide": 150,
    "repeats": 1,
}

LINES = {
    "import": 1,
    "help": 1,
    "start": 1,
    "trial": 4,
    "correct": 4,
    "file": 2,
    "grow": 1,
    "questions": 3,
    "ahead": 20,
    "proba": 1,
    "classifier": 1,
    "perceptron": 1,
    "slowest": 3,
}
"""Lines of every row in a small run; `first-use` and `game` are tried apart or take too long."""


def seconds(cell):
    """Seconds from a cell of the table."""
    number, unit = cell.removeprefix("≤ ").split()
    return float(number) / {"ms": 1000.0, "s": 1.0}[unit]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return runpy.run_path(str(SCRIPTS / "latency.py"))


def test_every_row_has_times_a_goal_and_something_beside(invoke):
    sizes = [word for name, value in SMALL.items() for word in (f"--{name}", value)]
    result = invoke("bench", "latency", "--json", *sizes, "--rows", *LINES)
    assert result.exit_code == 0, result.output
    head, _, *lines = json.loads(result.stdout)["output"]
    cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in (head, *lines)]
    assert cells[0] == ["row", "what", "wall", "CPU", "goal", "CPU / goal", "beside"]
    assert {row: sum(line[0] == row for line in cells[1:]) for row in LINES} == LINES
    assert len(cells) == 1 + sum(LINES.values())
    for _, _, wall, cpu, goal, share, beside in cells[1:]:
        assert min(seconds(wall), seconds(cpu)) > 0
        assert float(beside.split()[0].replace(",", "")) > 0
        assert (goal == "–") == (share == "–")
        if goal != "–":
            assert float(share) == pytest.approx(seconds(cpu) / seconds(goal), rel=0.02, abs=0.006)


def test_first_use_is_a_process_with_nothing_compiled_and_another_with_what_the_first_left(script):
    rows = script["first_use"]
    rows.__globals__["EXAMPLE"] = (
        "import os, pathlib, time\n"
        "folder = pathlib.Path(os.environ['NUMBA_CACHE_DIR'])\n"
        "until = time.process_time() + (0 if folder.exists() else 0.5)\n"
        "folder.mkdir(exist_ok=True)\n"
        "while time.process_time() < until: pass\n"
    )
    rows.__globals__["LARGER"] = rows.__globals__["EXAMPLE"]
    first, again, *larger = rows(None)
    assert len(larger) == 2
    assert larger[0].times.cpu > larger[1].times.cpu + 0.3
    assert first.goal == 8.0
    assert first.times.cpu > again.times.cpu + 0.3
    assert first.beside == pytest.approx(first.times.cpu / again.times.cpu)


def test_a_game_is_compared_with_gaussian_on_the_same_graph(script):
    given = Namespace(data=["digits"], million=False, repeats=1)
    (line,) = script["whole_games"](given)
    assert line.row == "game"
    assert line.unit == "gaussian"
    assert line.beside > 0
    assert "wrong" in line.what


def test_the_least_of_several_and_percentiles(script):
    waits = iter([3, 1, 2])
    least, last = script["best"](lambda k: sum(range(200_000 * k)), 3, given=lambda: (next(waits),))
    assert last == sum(range(400_000))
    assert 0 < least.cpu
    times = [script["Times"](float(k), 2.0 * k) for k in range(101)]
    assert script["percentile"](times, 99) == pytest.approx((99.0, 198.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rows", "strat"), "invalid choice: 'strat'"),
        (("--repeats", "0"), "--repeats 0 must be at least 1"),
    ],
)
def test_what_it_does_not_know_is_refused(arguments, message, capfd, invoke):
    assert invoke("bench", "latency", *arguments).exit_code != 0
    told = capfd.readouterr().err
    assert message in told
    assert "Traceback" not in told


def test_a_data_set_that_is_not_found_is_left_out_and_said(script, capsys):
    assert list(script["trials"](Namespace(session="nowhere"))) == []
    assert "nowhere is left out: " in capsys.readouterr().err
