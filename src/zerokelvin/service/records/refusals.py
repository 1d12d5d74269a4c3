"""Why a request is not carried out: errors that the web turns into problem documents."""

from __future__ import annotations

from typing import Any

from zerokelvin.errors import ZerokelvinError

__all__ = [
    "BusyError",
    "ConflictError",
    "NotThereError",
    "RefusedError",
    "TooLargeError",
    "UnderWayError",
]


class RefusedError(ZerokelvinError, ValueError):
    """A value of a request that cannot be used: the field it stands in, the value, what is wrong with it."""

    def __init__(self, field: str, value: Any, wrong: str) -> None:
        shown = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else str(value)
        shown = shown if len(shown) <= 120 else f"{shown[:119]}…"
        super().__init__(f"{field}: {shown} {wrong}.")
        self.field = field
        self.value = shown


class TooLargeError(ZerokelvinError, ValueError):
    """More than a request may hold."""


class NotThereError(ZerokelvinError, LookupError):
    """What a request names is not there."""


class ConflictError(ZerokelvinError, RuntimeError):
    """A request that cannot be carried out beside what is there, or beside another under way."""


class UnderWayError(ConflictError):
    """The same request is being carried out; its answer is there when it is sent again."""

    def __init__(self) -> None:
        super().__init__(
            "a request with this Idempotency-Key is under way; wait for its answer, or send it again."
        )


class BusyError(ZerokelvinError, RuntimeError):
    """Too much to do at the moment; `after` is when to try again, in seconds."""

    def __init__(self, text: str, after: float = 1.0) -> None:
        super().__init__(text)
        self.after = after
