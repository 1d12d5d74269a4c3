"""What an experiment measures for a claim; its parts are kept as they come, so one that was ended goes on."""

from __future__ import annotations

import dataclasses
from typing import Any

from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.reproduction import Experiment
from zerokelvin.sweeps.cells import Spread

__all__ = ["experiment_values"]


def experiment_values(lab: Laboratory, experiment: Experiment) -> dict[str, Any]:
    """The values of an experiment; measured once for all claims that need them."""
    folder = lab.store.folder
    placed = dataclasses.replace(experiment, spread=Spread(results=None if folder is None else str(folder)))
    about = {"kind": experiment.name, "options": repr(experiment)}
    found: dict[str, Any] = lab.remember(about, lambda: placed.run().values)
    return found
