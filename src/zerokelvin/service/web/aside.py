"""Work that takes time, done in another thread so that the event loop does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

__all__ = ["aside"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def aside(work: Callable[[*Ts], T], *args: *Ts) -> T:
    """What a function gives, called in another thread."""
    return await asyncio.get_running_loop().run_in_executor(None, work, *args)
