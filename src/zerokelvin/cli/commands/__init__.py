"""The commands, one file each: a module with one `click.Command` of its own name, here or in a folder here.

A new file is a new command, without any other change.
"""

import importlib
import pkgutil

import click

__all__ = ["COMMANDS"]

COMMANDS: dict[str, click.Command] = {
    name: getattr(importlib.import_module(module.name), name)
    for module in pkgutil.walk_packages(__path__, f"{__name__}.")
    if not module.ispkg
    for name in [module.name.rpartition(".")[2]]
}
