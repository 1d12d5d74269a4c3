"""A session as a header and arrays: what `Session.save` writes and `load` reads back.

The events alone determine a session on a graph that never grew. Next to them go the states' arrays and the
session's counters, so that loading need not replay, and what every event found: predictions made before the
last growth cannot be made again.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import SessionError
from zerokelvin.graph import Graph
from zerokelvin.io.session_file import read_session, write_session
from zerokelvin.learners import Learner
from zerokelvin.learners.forgetting import Forgetting
from zerokelvin.session.prediction import LEARN, Outcome

if TYPE_CHECKING:
    from zerokelvin.session.session import Session

__all__ = ["outcomes", "read", "restore", "save"]

COUNTERS = ("mistakes", "queries", "_by_prior")
TALLIES = ("_counts", "_labelled")


def save(session: Session, path: str | os.PathLike[str]) -> None:
    """Write events, settings and states."""
    code = {label: i for i, label in enumerate(session.classes)}
    given = session._given
    learner = session.learner
    forget = learner.window if isinstance(learner, Forgetting) else None
    header = {
        "graph": session.graph.content_hash,
        "learner": learner.name,
        "params": _plain_params(learner.inner if isinstance(learner, Forgetting) else learner),
        "forget": forget,
        "classes": [_plain_class(label) for label in session.classes],
        "classes_given": None if given is None else [_plain_class(label) for label in given],
        "policy": str(session.policy),
        "budget": session.budget,
        "seed": session.seed,
        "nodes": session.graph.num_nodes,
        "settled": session._settled,
        "retold": session._retold,
    }
    rows = [(e.kind, e.node, code[e.label] if e.kind == LEARN else -1) for e in session.events]
    arrays = {"events": np.array(rows, dtype=np.int64).reshape(-1, 3)}
    found = [(code.get(o.predicted, -1), o.asked, o.overruled) for o in session._outcomes]
    arrays["outcomes"] = np.array(found, dtype=np.int64).reshape(-1, 3)
    for i, state in enumerate(session._problems.states):
        arrays |= {f"state/{i}/{name}": array for name, array in state.snapshot().items()}
    arrays |= {f"session/{name.lstrip('_')}": np.array(getattr(session, name)) for name in COUNTERS + TALLIES}
    write_session(path, header, arrays)


def read(path: str | os.PathLike[str], graph: Graph) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header, its classes as they were, and the arrays; refused on another graph."""
    header, arrays = read_session(path)
    if header["graph"] != graph.content_hash:
        raise SessionError(_other_graph(path, header, graph))
    for name in ("classes", "classes_given"):
        if header[name] is not None:
            header[name] = [_restored_class(label) for label in header[name]]
    return header, arrays


def outcomes(arrays: dict[str, NDArray[Any]], classes: list[Hashable]) -> list[Outcome] | None:
    """What every event found; None where the file does not say."""
    if "outcomes" not in arrays:
        return None
    rows = arrays["outcomes"].tolist()
    return [Outcome(None if code < 0 else classes[code], bool(a), bool(o)) for code, a, o in rows]


def restore(session: Session, arrays: dict[str, NDArray[Any]]) -> bool:
    """Put saved arrays into a fresh session; False, and nothing done, where some are missing."""
    states = session._problems.states
    wanted = [{name: f"state/{i}/{name}" for name in state.fields} for i, state in enumerate(states)]
    complete = all(fields and all(key in arrays for key in fields.values()) for fields in wanted)
    if not complete:
        return False
    for state, fields in zip(states, wanted, strict=True):
        state.restore({name: arrays[key] for name, key in fields.items()})
    for name in COUNTERS:
        setattr(session, name, int(arrays[f"session/{name.lstrip('_')}"]))
    for name in TALLIES:
        setattr(session, name, arrays[f"session/{name.lstrip('_')}"])
    return True


def _other_graph(path: str | os.PathLike[str], header: dict[str, Any], graph: Graph) -> str:
    if header.get("settled") and graph.num_nodes <= header["nodes"]:
        return (
            f"'{path}' was saved on a graph that had grown to {header['nodes']} nodes, not on this one of "
            f"{graph.num_nodes}; load it with the grown graph, as session.graph was."
        )
    return f"'{path}' was saved on another graph; load it with the graph it was made on."


def _plain_params(learner: Learner) -> dict[str, Any]:
    for name, value in learner.params().items():
        if not isinstance(value, (str, int, float, bool, type(None))):
            raise SessionError(
                f"parameter {name} of '{learner.name}' is a {type(value).__name__}, which a session file "
                "cannot hold; save works with numbers and names."
            )
    return learner.params()


def _plain_class(label: Hashable) -> Any:
    if isinstance(label, tuple):
        return {"tuple": [_plain_class(part) for part in label]}
    if isinstance(label, (str, int, float, bool)):
        return label
    raise SessionError(f"class {label!r} is a {type(label).__name__}; a session file holds text and numbers.")


def _restored_class(label: Any) -> Hashable:
    return tuple(_restored_class(part) for part in label["tuple"]) if isinstance(label, dict) else label
