import json

import pytest
from click.testing import CliRunner

import zerokelvin as zk
from zerokelvin.cli.main import cli


@pytest.fixture(scope="session")
def compiled():
    """The perceptron's game is compiled, so that no command says on standard error that it compiles."""
    line = zk.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    zk.play(line, list("xyxy"), "perceptron")
    zk.play(line, list("xyzx"), "perceptron")


@pytest.fixture
def invoke(compiled):
    """Run a command line in this process; the result has exit_code, stdout and stderr."""

    def call(*arguments):
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    return call


@pytest.fixture
def invoke_json(invoke):
    """Run a command line that must succeed and print exactly one JSON value."""

    def call(*arguments):
        result = invoke(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with small files, some of them bad; it becomes the working folder."""
    contents = {
        "edges.csv": (
            "source,target,weight\nann,bob,1\nbob,cem,2\ncem,dan,1\ndan,eve,0.5\neve,ann,1\nfay,gus,1\n"
        ),
        "labels.csv": "node,label\nann,x\nbob,x\ncem,y\ndan,y\neve,x\nfay,y\ngus,y\n",
        "unknown.csv": "node,label\nann,x\nzoe,y\n",
        "nan.csv": "source,target,weight\nann,bob,nan\n",
        "one-column.csv": "source\nann\nbob\n",
        "text-weight.csv": "source,target,weight\nann,bob,much\n",
        "empty.csv": "",
        "paid.csv": (
            "date,payer,payee,amount\n1,ann,bob,1\n2,bob,cem,2\n3,cem,cem,9\n4,cem,dan,1\n5,dan,eve,3\n"
        ),
        "who.csv": "who,kind\nann,x\nbob,-1\ncem,y\ndan,y\neve,x\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 not a zip file")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ZEROKELVIN_DATA", raising=False)
    return tmp_path
