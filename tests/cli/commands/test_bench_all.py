"""Every speed goal in one table, from what the benchmarks print."""

import importlib.util
import json

import pytest

from zerokelvin.experiments.benchmarks import BenchmarkResult, find_benchmarks
from zerokelvin.experiments.speeds import goal_readers, speed_goals

PRINTED = {
    "latency": """| row | what | wall | CPU | goal | CPU / goal | beside |
|---|---|---|---|---|---|---|
| start | auto, cora | 30 ms | 30 ms | ≤ 50 ms | 0.60 | 3 mv |
| trial | predict p50 | 1 ms | 1 ms | – | – | 3 mv |
| game | auto, cora | 1 s | 1 s | ≤ 500 ms | 2.00 | 3 gaussian |""",
    "spectral": """| graph | mv | goal | residual |
|---|---|---|---|
| pubmed | 21000 | 25000 | 1e-9 |""",
    "second-order": "cora    ollgc     0.2 µs per class and trial   inverse   29.0×   stacked   34.0×",
    "zero-temperature": """
| family | edges | φ | mistakes | touches | of 20·E·(1+√φ) | ms |
|---|---|---|---|---|---|---|
| grid | 10 | 2 | 3 | 40 | 0.120 | 1.0 |

| data | nodes | edges | game ms | scipy flow ms | ratio | touches / bound | binary error |
|---|---|---|---|---|---|---|---|
| cora | 10 | 20 | 1.0 | 2.0 | 4100 | 0.1 | 0.05 |

| graph | edges | φ | touches / bound | seconds to prepare | to play |
|---|---|---|---|---|---|
| grid 1000×1000 | 10 | 2 | 0.1 | 1.0 | 12.5 |""",
    "learners-at-scale": """| family | nodes | learner | mistake mv | prediction µs |
|---|---|---|---|---|
| tree | 1000000 | perceptron | 3.1 | 0.100 |""",
    "solvers": """| family | nodes | engine | times cheaper per column in a block |
|---|---|---|---|
| grid | 10000 | direct | 2.4 |

| family | nodes | auto / best engine, per column |
|---|---|---|
| grid | 10000 | 1.29 |""",
    "scale": """
20,000,000 edges among 2,000,000 nodes, memory 1.2 GB
step                    seconds   cpu s  peak GB  ratio
sort alone                 31.0    10.0     0.90   1.00
pack                       68.0    16.1     0.97   2.20
20,000,000 edges kept, 0.38 GB on disk""",
    "service": """store    appends of 1                          4,326.0 events/s 1.08 × fdatasync   ≥ .4
store    fdatasync                                         4,000.0 /s                           \n\
predict  single, 8 at a time                  21,818.0 /s       0.45 × raw         ≥ .4
labels   32 clients                            4,400.0 /s       1.29 × fdatasync   ≥ 10, or 4,000/s
labels   p99 of predictions meanwhile                          9.3 ms                          ≤ 25 ms
batch    10000 nodes a request, after an event           125,873.0 nodes/s           ≥ 100,000/s
restart  with 100000 events                                    2.8 s                           < 5 s""",
}


@pytest.fixture
def printed(monkeypatch):
    def run(name, arguments, *, capture):
        assert capture
        return BenchmarkResult(name, PRINTED[name], 1.0)

    monkeypatch.setattr(speed_goals, "run_benchmark", run)


def test_every_source_is_a_benchmark():
    assert {source.benchmark for source in speed_goals.SOURCES} <= set(find_benchmarks())


def test_one_table_with_verdicts(printed, files, invoke, invoke_json):
    found = invoke_json("bench", "--all", "--output", "speeds.json")
    by_name = {row["what"]: row for row in found["speeds"]}
    assert len(by_name) == 19
    service = {name: row["measured"] for name, row in by_name.items() if "bench service" in row["command"]}
    assert service == {
        "store: appends of 1, × fdatasync": 1.08,
        "predict: single, 8 at a time, × raw": 0.45,
        "labels: 32 clients, share of ≥ 10, or 4,000/s": 1.1,
        "labels: p99 of predictions meanwhile, ms": 9.3,
        "batch: 10000 nodes a request, after an event, nodes/s": 125873.0,
        "restart: with 100000 events, s": 2.8,
    }
    assert by_name["restart: with 100000 events, s"]["kind"] == "at most"
    assert by_name["direct, grid of 10000: times cheaper per column in a block"]["goal"] == 2.0
    assert by_name["auto over the best engine, grid of 10000"]["reached"]
    assert by_name["packing, processor time over a sort"]["measured"] == pytest.approx(1.61)
    assert found["missed"] == 1
    missed = by_name["game: auto, cora, processor time over goal"]
    assert (missed["measured"], missed["goal"], missed["reached"]) == (2.0, 1.0, False)
    assert by_name["longest-path on cora: times faster than a flow per trial"]["reached"]
    assert by_name["ollgc on cora: times faster than NumPy (stacked)"]["measured"] == 34.0
    assert json.loads((files / "speeds.json").read_text())["version"]
    shown = invoke("bench", "--all", "--against", "speeds.json")
    assert shown.exit_code == 0
    text = " ".join(shown.stdout.split())
    assert "before" in text
    assert "18 of 19 goals reached" in text
    assert "MISSED" in text


def test_check_fails_on_a_missed_goal(printed, invoke):
    assert invoke("bench", "--all", "--check").exit_code == 1
    assert invoke("bench", "spectral", "--all", "--check").exit_code == 0


def test_nothing_read_is_an_error(printed, invoke, monkeypatch):
    monkeypatch.setitem(PRINTED, "spectral", "nothing")
    result = invoke("bench", "spectral", "--all")
    assert result.exit_code == 2
    assert "printed no figure that has a goal" in result.stderr


def test_one_that_fails_does_not_lose_the_others(printed, files, invoke, invoke_json, monkeypatch):
    monkeypatch.setitem(PRINTED, "service", "nothing")
    found = invoke_json("bench", "--all", "--output", "speeds.json")
    assert len(found["speeds"]) == 13
    assert [one["command"] for one in found["failed"]] == ["zerokelvin bench service"]
    assert len(json.loads((files / "speeds.json").read_text())["speeds"]) == 13
    shown = invoke("bench", "--all", "--check")
    assert shown.exit_code == 1
    assert "Not measured: zerokelvin bench service." in shown.stdout


def test_what_was_measured_before_an_interruption_is_kept(printed, files, invoke, monkeypatch):
    def stop(name, arguments, *, capture):
        if name == "spectral":
            raise KeyboardInterrupt
        return BenchmarkResult(name, PRINTED[name], 1.0)

    monkeypatch.setattr(speed_goals, "run_benchmark", stop)
    assert invoke("bench", "--all", "--output", "speeds.json").exit_code != 0
    assert len(json.loads((files / "speeds.json").read_text())["speeds"]) == 2


def test_the_lines_of_the_service_are_read_as_they_are_printed(capsys):
    service = load_benchmark("service")
    service.show(service.Line("labels", "32 clients", 4400.0, "/s", 1.29, "fdatasync", "≥ 10, or 4,000/s"))
    service.show(service.Line("restart", "with 9 events", 2.8, "s", None, "", "< 5 s"))
    service.show(service.Line("store", "fdatasync", 5000.0, "/s", None, "", ""))
    assert list(goal_readers.read_service(capsys.readouterr().out.splitlines())) == [
        ("labels: 32 clients, share of ≥ 10, or 4,000/s", 1.1, "at least", 1.0),
        ("restart: with 9 events, s", 2.8, "at most", 5.0),
    ]


def load_benchmark(name):
    specification = importlib.util.spec_from_file_location(f"benchmark_{name}", find_benchmarks()[name].path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_files_that_are_none_of_ours(files, invoke):
    (files / "other.json").write_text("[]")
    assert "holds no figures" in invoke("bench", "--all", "--against", "other.json").stderr
    assert "there is no file" in invoke("bench", "--all", "--against", "missing.json").stderr
    assert "goes with --all" in invoke("bench", "--check").stderr
    assert "has no goal" in invoke("bench", "trees", "--all").stderr


def test_the_families_with_goals_are_those_of_the_benchmark():
    text = (find_benchmarks()["solvers"].path).read_text(encoding="utf-8")
    for family in goal_readers.MISTAKES:
        assert f'"{family}"' in text
