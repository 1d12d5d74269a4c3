"""The commands, one file each: a module with one `click.Command` of its own name.

A new file is a new command, without any other change.
"""

import importlib
import pkgutil

import click

__all__ = ["COMMANDS"]

COMMANDS: dict[str, click.Command] = {
    module.name: getattr(importlib.import_module(f"{__name__}.{module.name}"), module.name)
    for module in pkgutil.iter_modules(__path__)
}
