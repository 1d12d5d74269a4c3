from pathlib import Path

import click
import pytest

from zerokelvin.cli.main import cli

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "command-line.md"
COMMANDS = sorted(cli.commands)


def options(command):
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def section(name):
    """The part of the guide about one command."""
    parts = GUIDE.read_text().split("\n## ")
    found = [part for part in parts if part.startswith(f"`zerokelvin {name}")]
    assert len(found) == 1, f"the guide needs one section '## `zerokelvin {name} …`'"
    return found[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches(name):
    command = cli.commands[name]
    text = command.help or ""
    assert "Examples:" in text
    assert f"zerokelvin {name}" in text
    assert "Next:" in text
    for option in options(command):
        assert option.help, f"{name} {option.opts}"
        assert option.help.rstrip("]").strip(), f"{name} {option.opts}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json_and_debug(name):
    names = {opt for option in options(cli.commands[name]) for opt in option.opts}
    assert {"--json", "--debug"} <= names


@pytest.mark.parametrize("name", COMMANDS)
def test_the_guide_documents_every_command_and_option(name):
    text = section(name)
    command = cli.commands[name]
    shared = GUIDE.read_text().split("\n## ")[0]
    for option in options(command):
        where = shared if option.opts[0] in ("--json", "--debug") else text
        assert f"`{option.opts[0]}" in where, f"{name} {option.opts[0]}"
    for argument in command.params:
        if isinstance(argument, click.Argument):
            assert (argument.name or "").upper() in text


def test_help_lists_the_commands(invoke):
    for result in (invoke("--help"), invoke()):
        assert result.exit_code == 0
        assert all(f"\n  {name} " in result.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(invoke, name):
    result = invoke(name, "--help")
    assert result.exit_code == 0
    assert all(option.opts[0] in result.stdout for option in options(cli.commands[name]))
