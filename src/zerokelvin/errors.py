"""Errors that name the bad value and the remedy.

Everything the package raises on purpose derives from `ZerokelvinError`; the command line turns any
of them into one sentence and exit code 2. The leaves also derive from the built-in error a Python
programmer would expect, so ``except ValueError`` keeps working.
"""

__all__ = [
    "ClusterError",
    "DataError",
    "GraphError",
    "LabelError",
    "LabelWarning",
    "MissingDependencyError",
    "NodeError",
    "ParameterError",
    "SessionError",
    "ZerokelvinError",
]


class ZerokelvinError(Exception):
    """Base of all errors raised on purpose; its text is one sentence meant for the user."""


class GraphError(ZerokelvinError, ValueError):
    """The graph, or the points it is built from, cannot be used as given."""


class NodeError(ZerokelvinError, LookupError):
    """A node is not in the graph."""


class LabelError(ZerokelvinError, ValueError):
    """A label or a labelling cannot be used as given."""


class LabelWarning(UserWarning):
    """Labels are used as given, but are probably not meant so; the text says what to write instead."""


class ParameterError(ZerokelvinError, ValueError):
    """A learner, parameter or option is unknown or out of range."""


class DataError(ZerokelvinError, ValueError):
    """A file or data set is missing, malformed or incomplete."""


class SessionError(ZerokelvinError, RuntimeError):
    """A session cannot do what was asked of it in its present state."""


class MissingDependencyError(ZerokelvinError, ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


class ClusterError(ZerokelvinError, RuntimeError):
    """Workers cannot be reached, run other code, or are lost again and again."""
