"""The docs are true: every snippet runs, the site builds, every public name is in the reference."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import zerokelvin as zk
from zerokelvin.asking import POLICIES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PROGRAMS = [page for page in PAGES if page.name != "CONTRIBUTING.md"]  # its files: test_contributing.py
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
    monkeypatch.chdir(tmp_path)
    code = "\n".join(SNIPPET.findall(page.read_text(encoding="utf-8")))
    exec(compile(code, str(page), "exec"), {"__name__": "snippet"})  # noqa: S102


def test_the_site_builds(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    table = (site / "reference/learners/index.html").read_text(encoding="utf-8")
    assert [name for name in zk.learners.names() if f"<code>{name}</code>" not in table] == []
    pages = ("guide/asking", "reference/python")
    asking, reference = ((site / page / "index.html").read_text(encoding="utf-8") for page in pages)
    assert [form for form in POLICIES.forms if f"<code>{form}</code>" not in asking] == []
    assert "{policies}" not in reference


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
