import json


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


def test_an_unknown_benchmark_is_refused_with_the_known_ones(invoke):
    result = invoke("bench", "solver")
    assert result.exit_code == 2
    assert "unknown benchmark 'solver'; known:" in result.stderr
    assert "solvers" in result.stderr
