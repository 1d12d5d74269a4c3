"""Every number on the command line has limits, and what is beyond them is refused in one sentence."""

import click
import pytest

from zerokelvin.cli.main import cli
from zerokelvin.cli.number_options import Number

HUGE = "1" + "0" * 30
RUN = ("run", "edges.csv", "labels.csv", "--learner", "perceptron")
STARTS = {
    "run": RUN,
    "compare": ("compare", "edges.csv", "labels.csv", "--learners", "nearest", "--peers", "none"),
    "predict": ("predict", "edges.csv", "labels.csv", "--learner", "nearest"),
    "queue": ("queue", "edges.csv", "labels.csv", "--learner", "nearest"),
    "evaluate": ("evaluate", "edges.csv", "labels.csv", "--learner", "nearest"),
    "demo": ("demo",),
    "reproduce": ("reproduce", "table2"),
    "check": ("check", "nearest", "--promise", "games"),
    "warm": ("warm", "nearest"),
    "serve": ("serve", "--data", "projects"),
    "label": ("label", "--demo"),
    "durability": ("durability", "kills"),
    "embed": ("embed", "edges.csv", "--out", "embedded"),
}


def number_options():
    """(command, option) of every option that takes a number."""
    for name, command in cli.commands.items():
        for option in command.params:
            numeric = isinstance(option.type, (Number, click.types.IntParamType, click.types.FloatParamType))
            if isinstance(option, click.Option) and numeric:
                yield name, option.opts[0]


def test_every_whole_number_has_limits():
    found = dict.fromkeys(number_options())
    assert len(found) > 15
    for name, command in cli.commands.items():
        for option in command.params:
            assert not isinstance(option.type, click.types.IntParamType), (name, option.opts)


@pytest.mark.parametrize("value", [HUGE, f"-{HUGE}", "9" * 5000, "10^30", "1e30", "nan", "inf", "", "٣٣x"])
@pytest.mark.parametrize(("command", "option"), list(number_options()))
def test_numbers_beyond_reason_are_refused(files, invoke, command, option, value):
    result = invoke(*STARTS[command], option, value)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 400


@pytest.mark.parametrize(
    "arguments", [("--seed", 2**62), ("--delay", 10**12), ("--budget", 10**12), ("--drift", 99)]
)
def test_the_largest_numbers_are_played(files, invoke_json, arguments):
    assert invoke_json(*RUN, "--shuffles", 2, *arguments)["trials"] == 7


def test_games_that_do_not_fit_in_memory(files, invoke):
    result = invoke(*RUN, "--shuffles", 1_000_000, "--repeats", 1_000_000)
    assert result.exit_code == 2
    assert "1,000,000 games of 7,000,000 trials take 238,000 GB" in result.stderr
    assert "lower --shuffles or --repeats" in result.stderr


def test_a_lack_of_memory_is_one_sentence(files, invoke, monkeypatch):
    def greedy(*_arguments, **_options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("zerokelvin.games.play_shuffles", greedy)
    result = invoke(*RUN)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: the memory of this machine is not enough for that (Unable to allocate 7 TiB); ask for less.\n"
    )


def test_parameters_beyond_64_bits(files, invoke):
    result = invoke("run", "edges.csv", "labels.csv", "--learner", "nearest", "--param", f"k={HUGE}")
    assert result.exit_code == 2
    assert "is too large; choose" in result.stderr
