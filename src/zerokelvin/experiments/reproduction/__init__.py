"""The papers' tables and figures, one file each, found by name.

Importing this package imports every module in it, so a new file with one ``@experiment("name")`` line
appears on the command line without any other change.
"""

import importlib
import pkgutil

from zerokelvin.experiments.reproduction.base import (
    EXPERIMENTS,
    Experiment,
    Picture,
    Report,
    Table,
    experiment,
    make_experiment,
)

__all__ = ["EXPERIMENTS", "Experiment", "Picture", "Report", "Table", "experiment", "make_experiment"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
