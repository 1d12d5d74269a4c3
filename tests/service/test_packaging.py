"""What is packaged names what is there: options of the command, figures of the service, files."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from serving import app_client, make_project
from zerokelvin.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
OPTIONS = {name for parameter in cli.commands["serve"].params for name in parameter.opts}

pytestmark = pytest.mark.skipif(not PACKAGING.is_dir(), reason="the repository is not here")


def options(words):
    return {word for word in words if word.startswith("--")}


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    """The names of all figures a service with a project tells."""
    with app_client(tmp_path_factory.mktemp("data")) as client:
        path = make_project(client)
        client.post(f"{path}/predict", json={"nodes": ["a"]})
        text = client.get("/metrics").text
    return set(re.findall(r"^(zerokelvin_\w+)[ {]", text, flags=re.MULTILINE))


def test_the_unit_starts_the_command_with_its_options():
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read(PACKAGING / "zerokelvin.service")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[0].endswith("/zerokelvin")
    assert words[1] == "serve"
    assert options(words) <= OPTIONS
    assert words[words.index("--data") + 1] == f"/var/lib/{unit['Service']['StateDirectory']}"
    assert unit["Service"]["KillSignal"] == "SIGTERM"


def test_the_container_starts_the_command_with_its_options():
    text = (PACKAGING / "Containerfile").read_text()
    entry = json.loads(re.search(r"^ENTRYPOINT (\[.*\])$", text, flags=re.MULTILINE).group(1))
    assert entry[:2] == ["zerokelvin", "serve"]
    assert options(entry) <= OPTIONS
    for source in re.findall(r"^COPY (?!--)(.*) \S+$", text, flags=re.MULTILINE):
        assert all((ROOT / name).exists() for name in source.split())
    assert re.findall(r"^RUN zerokelvin (\w+)$", text, flags=re.MULTILINE) == ["warm"]
    for line in re.findall(r"^#   podman run .* zerokelvin (--.*)$", text, flags=re.MULTILINE):
        assert options(line.split()) <= OPTIONS


def test_the_container_builds_from_all_that_the_wheel_is_made_of():
    """Without the licence among them, the wheel is built all the same, and lacks it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    text = (PACKAGING / "Containerfile").read_text()
    copied = {
        name for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, flags=re.M) for name in line.split()
    }
    taken = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    taken |= {path.split("/")[0] for path in (*wheel.get("packages", ()), *wheel.get("force-include", {}))}
    assert taken <= copied


def test_the_check_of_the_image_says_what_it_lacks(tmp_path):
    done = subprocess.run(
        ["/bin/sh", PACKAGING / "check_image.sh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "The container is not tried: no buildah (apt-get install buildah mmdebstrap).\n"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_takes_the_unit(tmp_path):
    text = (PACKAGING / "zerokelvin.service").read_text()
    unit = tmp_path / "zerokelvin.service"
    unit.write_text(text.replace("/opt/zerokelvin/bin/zerokelvin", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_dashboard_asks_for_figures_that_there_are(figures):
    board = json.loads((PACKAGING / "dashboard.json").read_text())
    asked = set(re.findall(r"zerokelvin_\w+", json.dumps(board)))
    assert len(asked) > 8
    assert asked <= figures
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    variables = {variable["name"] for variable in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", " ".join(t["expr"] for p in board["panels"] for t in p["targets"])))
    assert used <= variables | {"__rate_interval"}


def test_the_page_names_figures_and_options_that_there_are(figures):
    text = (ROOT / "docs" / "guide" / "production.md").read_text(encoding="utf-8")
    whole = {name.removesuffix("_bucket").removesuffix("_total") for name in figures} | figures
    assert set(re.findall(r"zerokelvin_\w+", text)) <= whole
    for line in re.findall(r"^\$ zerokelvin serve (.*)$", text, flags=re.MULTILINE):
        assert options(line.split()) <= OPTIONS
    for name in re.findall(r"`packaging/([\w.]+)`", text):
        assert (PACKAGING / name).is_file()
