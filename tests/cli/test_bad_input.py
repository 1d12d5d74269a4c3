import pytest

RUN = ("run", "edges.csv", "labels.csv", "--learner", "perceptron")

CASES = {
    "missing file": (("run", "nowhere.csv", "labels.csv"), "nowhere.csv"),
    "missing file, no labels": (("compare", "nowhere.csv"), "no file 'nowhere.csv'"),
    "missing labels file": (("run", "edges.csv", "nowhere.csv"), "nowhere.csv"),
    "missing npz": (("run", "nowhere.npz"), "nowhere.npz"),
    "broken npz": (("run", "broken.npz"), "broken.npz"),
    "empty file": (("run", "empty.csv", "labels.csv"), "empty.csv"),
    "no labels given": (("run", "edges.csv"), "labels"),
    "unknown data set": (("run", "coar"), "cora"),
    "unknown node": (("run", "edges.csv", "unknown.csv"), "zoe"),
    "NaN weight": (("run", "nan.csv", "labels.csv"), "nan"),
    "text as weight": (("run", "text-weight.csv", "labels.csv"), "much"),
    "missing column": (("run", "one-column.csv", "labels.csv"), "one-column.csv"),
    "columns that are not plain": (("run", "paid.csv", "labels.csv"), "--source"),
    "a weight that is not plain": (
        ("compare", "paid.csv", "labels.csv", "--source", "payer", "--target", "payee"),
        "--weight",
    ),
    "labels that are not plain": (("run", "edges.csv", "who.csv"), "--node"),
    "unknown column": (("run", "edges.csv", "labels.csv", "--source", "sauce"), "sauce"),
    "a column of a data set": (("run", "digits", "--source", "x"), "source='x'"),
    "a column of no labels": (("run", "digits", "--label", "x"), "label='x'"),
    "too many nodes": (("run", "edges.csv", "labels.csv", "--limit", "nodes=3"), "--limit nodes=7"),
    "unknown limit": (("run", "edges.csv", "labels.csv", "--limit", "edges=3"), "edges=3"),
    "unknown suffix": (("run", "edges.xyz", "labels.csv"), ".xyz"),
    "unknown learner": ((*RUN, "--learner", "perceptrn"), "did you mean 'perceptron'"),
    "unknown parameter": ((*RUN, "--param", "q=1"), "'q'"),
    "parameter of another type": ((*RUN, "--param", "b=two"), "b=two"),
    "parameter without value": ((*RUN, "--param", "b"), "name=value"),
    "parameter out of range": ((*RUN, "--param", "b=-1"), "b=-1"),
    "parameter given twice": ((*RUN, "--param", "b=1", "--param", "b=2"), "twice"),
    "unknown kernel": ((*RUN, "--param", "kernel=heat"), "heat"),
    "unknown policy": ((*RUN, "--policy", "sure"), "margin[:SCALE]"),
    "bad rate": ((*RUN, "--policy", "random:7"), "7"),
    "no shuffles": ((*RUN, "--shuffles", "-3"), "-3"),
    "shuffles in words": ((*RUN, "--shuffles", "many"), "many"),
    "negative seed": ((*RUN, "--seed", "-1"), "-1"),
    "negative budget": ((*RUN, "--budget", "-1"), "-1"),
    "negative delay": ((*RUN, "--delay", "-1"), "-1"),
    "no repeats": ((*RUN, "--repeats", "0"), "'--repeats': 0 is not a whole number from 1"),
    "too much label noise": ((*RUN, "--label-noise", "2"), "label_noise=2"),
    "too much concept noise": ((*RUN, "--concept-noise", "-1"), "concept_noise=-1"),
    "unknown component": ((*RUN, "--component", "big"), "big"),
    "no neighbours": (("run", "digits", "--neighbors", "0"), "0"),
    "no picture": ((*RUN, "--plot", "curves.doc"), "curves.doc"),
    "picture in no folder": ((*RUN, "--plot", "nowhere/curves.png"), "nowhere"),
    "unknown option": ((*RUN, "--shufles", "3"), "--shuffles"),
    "missing argument": (("run",), "GRAPH"),
    "unknown command": (("rnu",), "run"),
    "explain an unknown learner": (("learners", "perceptrn"), "perceptron"),
    "too few digits": (("demo", "--nodes", "3"), "nodes=3"),
    "too many digits": (("demo", "--nodes", "99999"), "nodes=99999"),
    "unknown experiment": (("reproduce", "tabel2"), "did you mean 'table2'"),
    "one order to reproduce": (("reproduce", "table2", "--shuffles", "1"), "shuffles=1"),
    "option of another experiment": (("reproduce", "table5.1", "--data", "cora"), "'data'"),
    "results into a file": (("reproduce", "table2", "--output", "edges.csv"), "edges.csv"),
    "unknown data to reproduce": (("reproduce", "table2", "--data", "coar"), "coar"),
    "no co-author files": (("reproduce", "table2", "--coauthor", "nowhere"), "nowhere"),
    "a file as folder": (("demo", "--nodes", "60", "--output", "edges.csv"), "edges.csv"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_exit_code_2(files, invoke, case):
    arguments, named = CASES[case]
    (files / "edges.xyz").write_text("ann bob\n")
    result = invoke(*arguments, "--json") if case != "unknown command" else invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip().endswith(".")
    assert named in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_lets_the_error_through(files, invoke):
    result = invoke("run", "nan.csv", "labels.csv", "--debug")
    assert isinstance(result.exception, ValueError)
    assert "weight nan" in str(result.exception)


def test_a_mistake_in_the_program_is_not_dressed_up(files, invoke, monkeypatch):
    def broken(*_arguments, **_options):
        raise ZeroDivisionError

    monkeypatch.setattr("zerokelvin.experiments.summarize", broken)
    assert isinstance(invoke(*RUN, "--shuffles", 1).exception, ZeroDivisionError)
