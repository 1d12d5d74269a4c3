"""The papers' tables and figures, a room for each paper, found by name.

A new module with one ``@experiment("name")`` line appears on the command line without any other change
(`zerokelvin.registry`). Figures are imported when they are drawn: they bring matplotlib with them.
"""

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
