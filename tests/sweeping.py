"""Stages for tests of places; workers import this module, so nothing here is a test."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from zerokelvin.errors import ParameterError
from zerokelvin.sweeps.choosing import choose_place
from zerokelvin.sweeps.places import Here, Threads
from zerokelvin.sweeps.result_store import KeptResult

PLACES = ("threads", "processes", "dask")


def open_place(kind):
    """A place of two workers."""
    if kind == "dask":
        return choose_place(cluster="local:2")
    return {"here": Here(), "threads": Threads(2), "processes": choose_place(jobs=2)}[kind]


class Squares:
    """The square of a number, with an array."""

    def compute(self, task):
        if task < 0:
            raise ParameterError(f"no square of {task} is wanted.")
        return KeptResult({"square": task * task}, {"all": np.arange(4.0).reshape(2, 2) * task})


class BlasThreads:
    """How many threads the BLAS libraries of the worker have, at most."""

    def compute(self, task):
        found = ThreadpoolController().select(user_api="blas").lib_controllers
        return KeptResult({"threads": max((library.num_threads for library in found), default=1)})


@dataclass
class Killing:
    """Squares, but task 5 kills its worker: once, if there is a file to say so, else every time."""

    once: str | None
    log: str

    def compute(self, task):
        with Path(self.log).open("a") as file:
            file.write(f"{task}\n")
        if task == 5 and not (self.once and Path(self.once).exists()):
            if self.once:
                Path(self.once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1)
        return KeptResult({"square": task * task})
