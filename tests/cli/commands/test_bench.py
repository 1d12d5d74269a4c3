import json

import pytest


def test_lists_every_benchmark(invoke):
    result = invoke("bench", "--json")
    assert result.exit_code == 0
    listed = json.loads(result.stdout)
    assert {"solvers", "second-order"} <= {entry["name"] for entry in listed}
    assert all(entry["summary"] for entry in listed)
    assert "solvers" in invoke("bench").stdout


def test_runs_one_and_returns_what_it_printed(invoke):
    result = invoke(
        "bench", "solvers", "--json", "--sizes", "4000", "--families", "tree", "--engines", "auto", "jacobi"
    )
    assert result.exit_code == 0, result.stderr
    value = json.loads(result.stdout)
    assert value["benchmark"] == "solvers"
    assert any("tree" in line for line in value["output"])
    assert value["seconds"] > 0


def test_the_first_word_is_enough(monkeypatch):
    from zerokelvin.experiments import benchmarks

    asked = []
    monkeypatch.setattr(benchmarks.subprocess, "Popen", lambda words, **_: asked.append(words) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        benchmarks.run_benchmark("compile", ["--top", "3"])
    assert asked[0][1].endswith("compile_times.py")
    assert asked[0][2:] == ["--top", "3"]


def test_an_unknown_benchmark_is_refused_with_the_known_ones(invoke):
    result = invoke("bench", "solver")
    assert result.exit_code == 2
    assert "unknown benchmark 'solver'; known:" in result.stderr
    assert "solvers" in result.stderr


def test_the_default_learner_is_compared_in_other_orders(invoke):
    graphs = ("--graphs", "flower", "women and events", "--drawn", "13", "--fields", "20")
    arguments = (*graphs, "--learners", "bbq", "spanning-tree")
    result = invoke("bench", "default-learner", "--json", *arguments, "--shuffles", "2", "--again", "3")
    assert result.exit_code == 0, result.output
    _, _, *rows = json.loads(result.stdout)["output"]
    cells = [[cell.strip() for cell in row.strip("| ").split("|")] for row in rows]
    names = ["flower", "women and events", "tiny", "field, random edges, 4 classes"]
    assert [row[0] for row in cells] == names
    for row in cells:
        difference, again = row[6].split(" ± "), row[7].split(" ± ")
        assert float(difference[0]) == pytest.approx(float(row[3]) - float(row[5]), abs=1.1e-4)
        assert abs(float(again[0])) < 0.5
        assert min(float(difference[1]), float(again[1])) >= 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--graphs", "flour"), "there is no graph 'flour'"),
        (("--graphs", "--drawn", "-1"), "seed -1 after --drawn is negative"),
        (("--graphs", "--fields", "-2"), "seed -2 after --fields is negative"),
        (("--learners", "gausian"), "invalid choice: 'gausian'"),
    ],
)
def test_the_default_learner_benchmark_refuses_what_it_does_not_know(arguments, message, capfd, invoke):
    assert invoke("bench", "default-learner", *arguments).exit_code != 0
    told = capfd.readouterr().err
    assert message in told
    assert "Traceback" not in told
