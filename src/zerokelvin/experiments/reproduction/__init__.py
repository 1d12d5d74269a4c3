"""The papers' tables and figures, a room for each paper, found by name.

Importing this package imports every room in it, and each of those its experiments, so a new room with one
``@experiment("name")`` line appears on the command line without any other change. Figures are imported when
they are drawn: they bring matplotlib with them.
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

for _module in pkgutil.iter_modules(__path__):
    if _module.ispkg:
        importlib.import_module(f"{__name__}.{_module.name}")
