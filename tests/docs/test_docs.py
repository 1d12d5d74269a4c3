"""The docs are true: every snippet runs, the site builds, every public name is in the reference."""

import html
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import zerokelvin as zk
from page_program import PageProgram
from zerokelvin.asking import POLICIES
from zerokelvin.cli.main import cli
from zerokelvin.experiments.reproduction.beyond.every_learner import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))  # where mkdocs finds its hooks and what they import

import learner_figures  # noqa: E402
import notebook_pages  # noqa: E402

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PROGRAMS = [page for page in PAGES if page.name != "CONTRIBUTING.md"]  # its files: test_contributing.py
NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.ipynb"))
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def registries_as_before():
    """A page may register a learner or a policy; it is gone after the test."""
    registries = (zk.learners.LEARNERS, POLICIES)
    before = [set(registry) for registry in registries]
    yield
    for registry, names in zip(registries, before, strict=True):
        for name in set(registry) - names:
            del registry._values[name], registry._numbers[name]


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_python_snippet_runs(page, tmp_path, monkeypatch):
    """The snippets of a page run in order, as one program, in an empty folder."""
    if page.name == "networkx.md" and "zerokelvin" not in entry_points(group="networkx.backends").names:
        pytest.skip("the installed package is older than this tree; pip install -e . --no-deps")
    if page.name == "scikit-activeml.md":
        pytest.importorskip(
            "skactiveml", reason="the environment is older than this tree; pip install '.[dev]'"
        )
    monkeypatch.chdir(tmp_path)
    program = PageProgram(page)
    printed = program.run()
    assert printed == program.text, "run 'python tests/page_program.py' on this page, and read what changed"
    shown = re.findall(r"images/tutorials/([\w-]+\.png)", program.text)
    assert [picture for picture in shown if not (tmp_path / picture).exists()] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_runs_and_says_what_it_shows(path):
    kept, now = notebook_pages.read(path), notebook_pages.execute(path)
    assert notebook_pages.said_by(now) == notebook_pages.said_by(kept)
    assert now["metadata"] == kept["metadata"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_notebook_tells_of_the_machine_it_ran_on(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(?:home|root|tmp|work|Users|usr|opt)/", text)
    assert "!doctype" not in text.lower()
    assert path.stat().st_size < 300_000


def test_the_site_builds(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    table = (site / "reference/learners/index.html").read_text(encoding="utf-8")
    assert [name for name in zk.learners.names() if f"<code>{name}</code>" not in table] == []
    for path in NOTEBOOKS:
        page = (site / "tutorials" / path.stem / "index.html").read_text(encoding="utf-8")
        assert page.count("data:image/png") == path.read_text(encoding="utf-8").count('"image/png"')
    home = (site / "index.html").read_text(encoding="utf-8")
    inside = re.findall(r'<a href="((?:tutorials|guide|reference|theory)/[^"#]*)', home)
    assert len(inside) > 6
    assert [link for link in inside if not (site / link / "index.html").exists()] == []
    assert "@software{zerokelvin," in re.sub("<[^>]*>", "", home)  # in colours
    assert "<!--" not in home
    commands = html.unescape((site / "reference/commands/index.html").read_text(encoding="utf-8"))
    for name, command in cli.commands.items():
        assert f"zerokelvin {name}" in commands
        for option in command.params:
            assert [o for o in option.opts if o.startswith("--") and o not in commands] == [], name
    pages = ("guide/asking", "reference/python")
    asking, reference = ((site / page / "index.html").read_text(encoding="utf-8") for page in pages)
    assert [form for form in POLICIES.forms if f"<code>{form}</code>" not in asking] == []
    assert "{policies}" not in reference


def test_the_figures_of_the_learners_are_those_of_the_report():
    """Every learner of the claim is in the games kept, and those played again have the same errors."""
    games = learner_figures.games_of(learner_figures.ERRORS)
    assert {game.learner for game in games} == set(zk.learners.names())
    assert {"cora", "polblogs", "tree", "octopus"} < {game.graph for game in games}
    tree = zk.generators.tree(2, 5)
    again = [game for game in games if game.graph == "tree" and game.seed == 0]
    assert len(again) == len(zk.learners.names())
    for game in again:
        params = {"k": 4} if game.learner == "halving" else SETTINGS.get(game.learner, {})
        run = zk.play(tree.graph, list(tree.labels), game.learner, seed=0, **params)
        assert run.error_multiclass == game.error_multiclass, (
            f"'{game.learner}' plays otherwise now: keep the games.parquet of '{learner_figures.WRITTEN_BY}'"
        )


def test_every_public_name_is_in_the_reference():
    reference = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    missing = [name for name in zk.__all__ if f"zerokelvin.{name}" not in reference]
    assert not missing


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [str(p.relative_to(ROOT / "docs")) for p in PAGES if (ROOT / "docs") in p.parents]
    assert [page for page in pages if page not in navigation] == []


def test_the_readme_shows_the_two_commands():
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8")[:1200]
    assert "make demo" in first_screen
    assert "make test" in first_screen


def test_the_learner_of_contributing_keeps_the_contract():
    """The page's example, registered as written, passes the shipped checks."""
    source = SNIPPET.search((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")).group(1)
    names: dict[str, object] = {"__name__": "majority_example"}
    exec(compile(source, "CONTRIBUTING.md", "exec", dont_inherit=True), names)  # noqa: S102
    zk.checks.check_learner(names["Majority"]())
