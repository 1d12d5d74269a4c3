"""Names of a package that are imported when they are first used (PEP 562).

A package lists in one table which module has which of its names. Importing the package imports none of them;
the first use of a name does, and the name is then the package's own. Modules inside the package are names of
it too. For type checkers the same names stand under ``if TYPE_CHECKING``; a test compares the two.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

__all__ = ["LazyModule", "lazy_names"]


class LazyModule:
    """A module, by its name, that is imported when an attribute of it is first used.

    >>> LazyModule("math").floor(2.5)
    2
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


def lazy_names(
    package: str, table: Mapping[str, str], extra: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package
        Its ``__name__``.
    table
        Modules, each with the names it has, separated by blanks.
    extra
        The optional dependencies that bring what these modules import; named where that is not installed.

    Returns
    -------
    A function from a name to its value, which raises AttributeError for names the package does not have, and
    one that lists all names there are.
    """
    homes = {name: module for module, names in table.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in homes:
            value = getattr(_imported(homes[name], extra), name)
            setattr(sys.modules[package], name, value)
            return value
        if not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
            return import_module(f"{package}.{name}")
        raise AttributeError(
            f"module '{package}' has no attribute '{name}'", name=name, obj=sys.modules[package]
        )

    def listed() -> list[str]:
        own = vars(sys.modules[package])
        return sorted({*own, *homes, *own.get("__all__", ())})

    return get, listed


def _imported(module: str, extra: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if not extra or (problem.name or "").startswith("zerokelvin"):
            raise
        from zerokelvin.errors import MissingDependencyError

        raise MissingDependencyError(
            f"'{problem.name}' is not installed; get it with pip install 'zerokelvin[{extra}]'."
        ) from None
