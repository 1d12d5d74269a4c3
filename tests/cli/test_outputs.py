"""Where results go: checked before the work, kept when saving fails, and no traceback when no one reads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zerokelvin.cli.output import PIPE_WIDTH, print_table
from zerokelvin.errors import DataError
from zerokelvin.io.writable import writable_file, writable_folder

SCRIPT = Path(sys.executable).with_name("zerokelvin")
RUN = ("run", "edges.csv", "labels.csv", "--learner", "perceptron", "--shuffles", "2")
COMPARE = (
    "compare",
    "edges.csv",
    "labels.csv",
    "--learners",
    "perceptron",
    "--peers",
    "none",
    "--shuffles",
    "1",
)

PLACES = {
    "a file": ("edges.csv", "is a file"),
    "below a file": ("edges.csv/deep", "is a file"),
    "no name": ("", "has no name"),
    "a device": ("/dev/null", "is a file"),
    "a name too long": ("x" * 300, "too long"),
    "a long name in a new folder": (f"new/{'y' * 300}", "too long"),
    "no place to make a folder": ("/proc/zerokelvin/out", "cannot be written"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "command", [COMPARE, ("demo",), ("reproduce", "table5.1"), ("reproduce", "table5.1", "--no-figures")]
)
def test_folders_are_checked_before_the_work(files, invoke, monkeypatch, command, place):
    def work(*_arguments, **_options):
        raise AssertionError("worked before looking")

    monkeypatch.setattr("zerokelvin.experiments.compare", work)
    monkeypatch.setattr("zerokelvin.experiments.play_demo", work)
    room = "zerokelvin.experiments.reproduction.second_order_perceptron"
    monkeypatch.setattr(f"{room}.table51.Table51.run", work)
    before = sorted(files.rglob("*"))
    path, named = PLACES[place]
    result = invoke(*command, "--output", path)
    assert result.exit_code == 2, result.output
    assert named in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(files.rglob("*")) == before


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("folder.png", "is a folder"),
        ("nowhere/a.png", "no folder 'nowhere'"),
        (f"{'x' * 245}.png", "too long"),  # long enough for the draft to be refused, not for the file
        ("/proc/a.png", "cannot be written"),
        ("edges.csv/a.png", "no folder"),
    ],
)
def test_pictures_are_checked_before_the_work(files, invoke, monkeypatch, path, named):
    def work(*_arguments, **_options):
        raise AssertionError("worked before looking")

    monkeypatch.setattr("zerokelvin.games.play_shuffles", work)
    (files / "folder.png").mkdir()
    result = invoke(*RUN, "--plot", path)
    assert result.exit_code == 2, result.output
    assert named in result.stderr


def test_a_folder_in_the_place_of_a_file(files, invoke):
    (files / "out" / "compare.png").mkdir(parents=True)
    result = invoke(*COMPARE, "--output", "out")
    assert result.exit_code == 2
    assert "compare.png' is a folder" in result.stderr


def test_what_may_not_be_written_is_refused(tmp_path, monkeypatch):
    """Root may write anywhere, so the refusal comes from the place itself."""

    def refuse(self, *_arguments, **_options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    for check in (writable_file, writable_folder):
        with pytest.raises(DataError, match="cannot be written: permission denied; name another place"):
            check(tmp_path / "result.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ((*RUN, "--plot", "a.png"), "zerokelvin.experiments.plots.save"),
        (COMPARE, "zerokelvin.experiments.plots.save"),
        (("demo", "--nodes", "60"), "zerokelvin.experiments.plots.save"),
        (("reproduce", "table5.1", "--fast", "--draws", "2", "--shuffles", "2", "--output", "o"),
         "zerokelvin.experiments.reproduction.reproduction.Report.save"),
    ],
)  # fmt: skip
def test_results_are_printed_though_they_cannot_be_saved(files, invoke, monkeypatch, command, where):
    def full(*_arguments, **_options):
        raise DataError("'a' cannot be written: No space left on device.")

    monkeypatch.setattr(where, full)
    result = invoke(*command, "--json")
    assert result.exit_code == 2
    assert result.stdout.startswith("{")
    told = [line for line in result.stderr.splitlines() if not line.startswith(("Read ", "Compiling "))]
    assert told == ["Error: 'a' cannot be written: No space left on device."]


def start(*arguments, **options):
    return subprocess.Popen([SCRIPT, *arguments], text=True, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize(
    "arguments", [("learners",), ("learners", "--json"), ("--help",), ("learners", "auto")]
)
def test_a_reader_who_leaves_early_is_no_error_message(files, arguments):
    reader, writer = os.pipe()
    os.close(reader)  # what follows | head -0 has gone before a line is written
    with start(*arguments, stdout=writer) as process:
        os.close(writer)
        assert process.communicate()[1] == ""
    assert process.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [("learners",), ("learners", "--json"), ("--version",)])
def test_a_full_disk_is_one_sentence(arguments):
    with Path("/dev/full").open("w") as full, start(*arguments, stdout=full) as process:
        shown = process.communicate()[1]
    assert process.returncode == 1
    assert shown == "Error: standard output cannot be written: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_standard_error_may_be_full_or_closed(files):
    with Path("/dev/full").open("w") as full:
        for arguments, code in ((RUN, 0), (("run", "nowhere.csv"), 2)):
            done = subprocess.run(
                [SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=full, text=True, check=False
            )
            assert done.returncode == code
            assert ("perceptron" in done.stdout) == (code == 0)
    shell = ["/bin/sh", "-c"]
    closed = [*shell, f"{SCRIPT} {' '.join(RUN)} 2>&- | grep -c perceptron"]
    assert subprocess.run(closed, check=False, stdout=subprocess.PIPE, text=True).stdout == "1\n"
    silent = [*shell, f"{SCRIPT} learners >&-"]
    assert subprocess.run(silent, check=False, stderr=subprocess.PIPE, text=True).stderr == ""


def test_names_are_not_broken_in_narrow_tables(capsys):
    """A package is one word however wide the other columns are; sentences break between words."""
    figures = ["1234567"] * 6
    sentence = "Predicted by many experts together; "
    rows = [["sknetwork-diffusion", "scikit-network", sentence, *figures], ["a", "river", sentence, *figures]]
    columns = ["learner", "package", "why", *(f"figure {i}" for i in range(6))]
    print_table(columns, rows, numbers=tuple(range(3, 9)))
    shown = capsys.readouterr().out
    assert "scikit-network " in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= PIPE_WIDTH
