"""Licence, citation and security: they are there, agree with the package, and come with what is built."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import zerokelvin as zk

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def citation():
    """The plain keys of the citation file."""
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    pairs = (re.match(r"([a-z-]+): (.+)", line) for line in lines)
    return {pair[1]: pair[2].strip('"') for pair in pairs if pair}


def test_the_licence_is_the_one_that_is_named():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["license"] == citation()["license"] == "MIT"
    assert text.startswith("MIT License\n\nCopyright (c) ")
    assert 'THE SOFTWARE IS PROVIDED "AS IS"' in text


def test_versions_agree():
    assert PROJECT["version"] == zk.__version__ == citation()["version"]
    supported = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"| {zk.__version__.rpartition('.')[0]} | yes |" in supported


def test_the_citation_says_what_it_is():
    assert citation()["cff-version"] == "1.2.0"
    assert citation()["title"].startswith(f"{PROJECT['name']}: ")
    words = re.findall(r"^  - ([a-z].*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert [word for word in words if not word.startswith("name:")] == PROJECT["keywords"]


def test_the_pages_that_security_names_exist():
    links = re.findall(r"\]\((docs/[^)]+)\)", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and a source archive, as they would be published."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_what_is_built_holds_the_licence(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        assert "License-Expression: MIT" in archive.read(metadata).decode()
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        inside = {Path(name).name for name in archive.getnames()}
    assert {"LICENSE", "CITATION.cff", "SECURITY.md"} <= inside
