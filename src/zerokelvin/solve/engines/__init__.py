"""The engines that solve what leaf elimination leaves, one file each.

Importing this package imports every module in it, so a new file with one ``@engine("name")`` line is
registered without any other change.
"""

import importlib
import pkgutil

from zerokelvin.solve.engines.engine import ENGINES, CoreEngine, Engine, Prepared, check_engine, engine

__all__ = ["ENGINES", "CoreEngine", "Engine", "Prepared", "check_engine", "engine"]

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
