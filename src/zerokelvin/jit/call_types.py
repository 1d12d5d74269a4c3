"""How numba sees a kernel that another kernel calls: compiled for types, never for values.

Left to itself, numba compiles ``length(cut, 0, node)`` and ``length(cut, 1, node)`` as two functions, since a
number that is written in the caller has a type of its own. A kernel is called here for ``int64`` and ``bool``
whatever is written, as it is from Python: one signature, compiled once.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["called_by_type"]


def called_by_type(dispatcher: Any) -> Any:
    """The numba type of a dispatcher whose whole numbers and truth values are types, not values."""
    return _kernel_type()(dispatcher)


@functools.cache
def _kernel_type() -> Any:
    """The class of these types, which cannot be made before numba is imported."""
    from numba import types
    from numba.extending import models, register_model

    def plain(given: Any) -> Any:
        values = types.IntegerLiteral | types.BooleanLiteral
        return given.literal_type if isinstance(given, values) else given

    class KernelType(types.Dispatcher):
        def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
            named = {name: plain(given) for name, given in kws.items()}
            return super().get_call_type(context, tuple(map(plain, args)), named)

    register_model(KernelType)(models.OpaqueModel)
    return KernelType
