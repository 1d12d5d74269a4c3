"""The papers' tables and figures, a room for each paper, found by name.

Importing this package imports every module in it, so a new file with one ``@experiment("name")`` line
appears on the command line without any other change.
"""

import importlib
import pkgutil

from zerokelvin.experiments.reproduction.reproduction import (
    EXPERIMENTS,
    Experiment,
    Picture,
    Report,
    Table,
    experiment,
    make_experiment,
)

__all__ = ["EXPERIMENTS", "Experiment", "Picture", "Report", "Table", "experiment", "make_experiment"]

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
