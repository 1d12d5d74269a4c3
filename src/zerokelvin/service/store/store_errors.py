"""What can go wrong with a store; each text names the remedy."""

# ruff: noqa: N818 - they say what is the case, and are caught by what they say

from zerokelvin.errors import ZerokelvinError

__all__ = [
    "LeadLost",
    "LedElsewhere",
    "LogDamaged",
    "NoSuchProject",
    "ProjectExists",
    "SchemaTooNew",
    "StoreError",
    "StoreFull",
    "StoreInUse",
    "StoreUnavailable",
]


class StoreError(ZerokelvinError, RuntimeError):
    """A store cannot do what was asked of it."""


class StoreInUse(StoreError):
    """The data folder belongs to another process that is running."""


class SchemaTooNew(StoreError):
    """The data were written by a newer version of zerokelvin."""


class NoSuchProject(StoreError, LookupError):
    """There is no project of this name."""


class ProjectExists(StoreError):
    """There is a project of this name already."""


class LedElsewhere(StoreError):
    """Another instance writes to this project; `holder` says which."""

    def __init__(self, project: str, holder: str) -> None:
        super().__init__(f"project '{project}' is written to by {holder}; send the request there, or wait.")
        self.holder = holder


class LeadLost(StoreError):
    """The process is not the writer of the project (any more): nothing was written."""


class StoreFull(StoreError):
    """There is no room: nothing was written, and what was written before is safe."""


class StoreUnavailable(StoreError):
    """The disk or the database server failed: whether the last append was written is not known."""


class LogDamaged(StoreError):
    """A log, a graph or a file beside them is not what was written."""
