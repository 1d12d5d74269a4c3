"""What a session file says, checked once: settings of the right kind and range, events and outcomes that fit.

`read_record` takes nothing on trust: every field of the header has a kind and a range, every row of `events`
and `outcomes` names a node and a class that are there, and what follows from other fields is compared with
it. What does not fit raises `ValueError` or one of its kin, which `zerokelvin.io.session_file.sound` turns
into the one error of a damaged file.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.array_types import Ints
from zerokelvin.games.class_names import from_json
from zerokelvin.games.counts import require_whole
from zerokelvin.games.wrapping import wrapped
from zerokelvin.guarantee import Audit, Draw, Held
from zerokelvin.io.session_file import WITH_MORE, SessionFile
from zerokelvin.learners import parse_policy
from zerokelvin.learners.base.growth import ORDERED
from zerokelvin.session.growing import Before
from zerokelvin.session.prediction import LEARN, SKIP, TEACH, Event, Outcome
from zerokelvin.session.standing import Terms

__all__ = ["SavedSession", "audit_tables", "growth_tables", "read_record", "require"]


OF_EVENTS = {"events", "outcomes", "left_out"}
OF_GROWTHS = {"growths", "growth_edges", "growth_weights"}
OF_CHECKS = {"checks", "held", "held_codes"}


@dataclass(frozen=True)
class SavedSession:
    """The terms of a session, its events with what they found, and whether its states are in the file.

    `growths` are those whose place among the events matters to the learner.
    """

    terms: Terms
    budget: int | None
    classes: tuple[Hashable, ...]
    events: list[Event]
    outcomes: list[Outcome] | None
    settled: int
    retold: bool
    growths: tuple[Before, ...]
    audit: Audit
    has_states: bool


def read_record(file: SessionFile, num_nodes: int) -> SavedSession:
    """The record in a file for a graph of `num_nodes` nodes; arrays of states are left where they are."""
    header, current = file.header, file.version > 1
    states = {name for name in file.shapes if name.startswith("state/")}
    if current:
        more = [some for some in (OF_GROWTHS, OF_CHECKS) if some & set(file.shapes)]
        require(set(file.shapes) == OF_EVENTS.union(states, *more) and header["nodes"] == num_nodes)
        require((file.version == WITH_MORE) == bool(more))
        require(type(header["events"]) is int and file.shapes["events"][1] == (header["events"], 3))
    terms, budget = _terms(header), _number(header["budget"])
    classes = _classes(header["classes"])
    events = _events(_table(file, "events", 3), classes, num_nodes, TEACH if current else SKIP)
    require(classes == terms.classes_with(events))
    require(not terms.closed or classes == terms.given)
    outcomes = None
    if "outcomes" in file.shapes:
        names = _classes(header["outcome_classes"]) if current else classes
        rows = _table(file, "outcomes", 5 if current else 3)
        left_out = _table(file, "left_out", 2) if current else np.zeros((0, 2), dtype=np.int64)
        outcomes = _outcomes(rows, left_out, names, events)
    settled = require_whole("settled", header.get("settled", 0))
    retold = header.get("retold", False)
    has_states = header["states"] if current else bool(states)
    require(settled <= len(events) and type(retold) is bool and type(has_states) is bool)
    require(outcomes is not None or settled == 0)
    require(has_states == bool(states))
    growths = _growths(file, num_nodes, settled) if "growths" in file.shapes else ()
    require(not growths or terms.learner.growth == ORDERED)
    audit = _audit(file, num_nodes, events) if "checks" in file.shapes else Audit()
    return SavedSession(terms, budget, classes, events, outcomes, settled, retold, growths, audit, has_states)


def growth_tables(growths: Sequence[Before]) -> dict[str, NDArray[Any]]:
    """Growths as the tables of a file: events and nodes of each; growth, nodes and weight of each edge."""
    rows = np.array([(one.events, one.nodes) for one in growths], dtype=np.int64)
    own = np.repeat(np.arange(len(growths)), [len(one.edges) for one in growths])
    edges = np.concatenate([one.edges for one in growths]).reshape(-1, 2)
    weights = np.concatenate([one.weights for one in growths])
    return {"growths": rows, "growth_edges": np.column_stack([own, edges]), "growth_weights": weights}


def _growths(file: SessionFile, num_nodes: int, settled: int) -> tuple[Before, ...]:
    """The growths of a file, each with edges of distinct nodes that were there before it."""
    dtype, shape = file.shapes["growth_weights"]
    require(dtype == np.float64 and len(shape) == 1 and shape[0] == file.shapes["growth_edges"][1][0])
    rows, edges = _table(file, "growths", 2), _table(file, "growth_edges", 3)
    weights, (own, low, high) = file.array("growth_weights"), edges.T
    both = np.vstack([rows, [settled, num_nodes]])
    require(len(rows) > 0 and bool((np.diff(both, axis=0) >= 0).all() and (rows >= 1).all()))
    require(bool(((own >= 0) & (own < len(rows))).all() and (np.diff(own) >= 0).all()))
    require(bool(((low >= 0) & (low < high) & (high < rows[own, 1])).all()))
    require(bool((np.isfinite(weights) & (weights >= 0)).all()))
    ends = np.searchsorted(own, np.arange(len(rows) + 1))
    return tuple(
        Before(events, nodes, edges[start:stop, 1:], weights[start:stop])
        for (events, nodes), start, stop in zip(rows.tolist(), ends[:-1], ends[1:], strict=True)
    )


def audit_tables(audit: Audit) -> dict[str, NDArray[Any]]:
    """Random checks as the tables of a file: events and node of each; events and nodes of what was held."""
    return {
        "checks": np.array(audit.draws, dtype=np.int64).reshape(-1, 2),
        "held": np.array([(one.told, len(one.codes)) for one in audit.held], dtype=np.int64).reshape(-1, 2),
        "held_codes": np.concatenate([one.codes for one in audit.held]).reshape(-1, 1),
    }


def _audit(file: SessionFile, num_nodes: int, events: Sequence[Event]) -> Audit:
    """The checks of a file: nodes that were unanswered when they were drawn, labellings of the nodes then."""
    labels = _classes(file.header["checked_labels"])
    draws, held, codes = (
        _table(file, name, width) for name, width in (("checks", 2), ("held", 2), ("held_codes", 1))
    )
    for rows, least in ((draws, 1), (held, 1)):
        require(len(rows) > 0 and bool((np.diff(rows[:, 0]) >= least).all()))
        require(bool((rows[:, 0] >= 0).all() and (rows[:, 0] <= len(events)).all()))
    require(bool((draws[:, 1] >= 0).all() and (draws[:, 1] < num_nodes).all()))
    require(bool((np.diff(held[:, 1], append=num_nodes) >= 0).all() and (held[:, 1] > 0).all()))
    require(len(codes) == held[:, 1].sum() and bool(((codes >= 0) & (codes < len(labels))).all()))
    first: dict[int, int] = {}
    for i, event in enumerate(events):
        if event.kind != SKIP:
            first.setdefault(event.node, i)
    require(all(first.get(node, len(events)) >= told for told, node in draws.tolist()))
    parts = np.split(codes[:, 0], np.cumsum(held[:-1, 1]))
    return Audit(
        labels,
        tuple(Draw(told, node) for told, node in draws.tolist()),
        tuple(Held(told, part) for told, part in zip(held[:, 0].tolist(), parts, strict=True)),
    )


def require(fits: bool) -> None:
    """Refuse a file in which something does not fit."""
    if not fits:
        raise ValueError("damaged")


def _terms(header: Mapping[str, Any]) -> Terms:
    name, params, policy = header["learner"], header["params"], header["policy"]
    require(isinstance(name, str) and isinstance(params, dict) and isinstance(policy, str))
    open_classes = header.get("open_classes", True)  # version 1 knew no others
    require(type(open_classes) is bool)
    forget = _number(header.get("forget"))
    given = None if header["classes_given"] is None else _classes(header["classes_given"])
    asking = parse_policy(policy)
    learner = wrapped(learners.make(name, **params), asking, forget)
    return Terms(learner, asking, require_whole("seed", header["seed"]), given, open_classes)


def _number(value: Any) -> int | None:
    require(value is None or type(value) is int)
    return None if value is None else require_whole("number", value)


def _classes(values: Any) -> tuple[Hashable, ...]:
    require(isinstance(values, list))
    classes = tuple(from_json(value) for value in values)
    require(len(set(classes)) == len(classes))
    return classes


def _table(file: SessionFile, name: str, columns: int) -> Ints:
    dtype, shape = file.shapes[name]
    require(dtype == np.int64 and len(shape) == 2 and shape[1] == columns)
    if name == "outcomes":
        require(shape[0] == file.shapes["events"][1][0])
    return file.array(name)


def _events(rows: Ints, classes: tuple[Hashable, ...], num_nodes: int, most: int) -> list[Event]:
    kinds, nodes, codes = rows.T
    require(bool(((kinds >= LEARN) & (kinds <= most)).all()))
    require(bool(((nodes >= 0) & (nodes < num_nodes)).all()))
    skipped = kinds == SKIP
    require(bool((codes[skipped] == -1).all()))
    require(bool(((codes[~skipped] >= 0) & (codes[~skipped] < len(classes))).all()))
    names = (*classes, None)  # the code of a skip is −1
    both = zip(kinds.tolist(), nodes.tolist(), codes.tolist(), strict=True)
    return [Event(kind, node, names[code]) for kind, node, code in both]


def _outcomes(rows: Ints, left_out: Ints, names: tuple[Hashable, ...], events: list[Event]) -> list[Outcome]:
    codes, flags = rows[:, 0], rows[:, 1:]
    answered = np.array([event.kind == LEARN for event in events], dtype=np.bool_)
    require(bool(((flags == 0) | (flags == 1)).all()))
    require(bool(((codes >= -1) & (codes < len(names))).all()))
    require(not flags[~answered].any() and bool((codes[~answered] == -1).all()))
    at, code = left_out.T
    require(bool(((at >= 0) & (at < len(events)) & (code >= 0) & (code < len(names))).all()))
    require(bool(answered[at].all()))
    silent: dict[int, list[Hashable]] = {}
    for event, name in left_out.tolist():
        silent.setdefault(event, []).append(names[name])
    keys = (codes << flags.shape[1]) | (flags @ (1 << np.arange(flags.shape[1])))
    _, first, own = np.unique(keys, return_index=True, return_inverse=True)  # few of them are different
    alike = [_outcome(row, names) for row in rows[first].tolist()]
    found = [alike[k] for k in own.tolist()]
    for event, labels in silent.items():
        found[event] = found[event]._replace(left_out=tuple(labels))
    return found


def _outcome(row: list[int], names: tuple[Hashable, ...]) -> Outcome:
    """What an answer found, by a row of the table; nobody was left out."""
    code, asked, overruled, *late = row
    predicted = None if code < 0 else names[code]
    return Outcome(predicted, bool(asked), bool(overruled), (), *(bool(flag) for flag in late))
