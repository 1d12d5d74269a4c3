"""The engines that solve what leaf elimination leaves, one file each.

A new file with one ``@engine("name")`` line is registered without any other change (`zerokelvin.registry`).
"""

from zerokelvin.solve.engines.engine import ENGINES, CoreEngine, Engine, Prepared, check_engine, engine

__all__ = ["ENGINES", "CoreEngine", "Engine", "Prepared", "check_engine", "engine"]
