"""A standing as a header and arrays: what `Session.save` writes and `load` reads back.

The events and what they found determine a session on a graph that never grew. Next to them go the states'
arrays, so that loading need not replay, and because what a learner carried over from a smaller graph cannot
be learnt again; and what the graph was before it grew, for a learner that goes over growths again
(`session.growing`). Figures are counted anew from events and outcomes.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.errors import SessionError
from zerokelvin.games.class_names import to_json
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Graph
from zerokelvin.guarantee import Audit
from zerokelvin.io.session_file import WITH_MORE, SessionFile, read_session, sound, write_session
from zerokelvin.learners import Learner
from zerokelvin.learners.base import signs_of
from zerokelvin.learners.base.growth import CARRIED
from zerokelvin.learners.base.multiclass import MIXED
from zerokelvin.learners.base.noting import SEEN
from zerokelvin.learners.wrappers.forgetting import Forgetting
from zerokelvin.session.file_schema import SavedSession, audit_tables, growth_tables, read_record, require
from zerokelvin.session.growing import Before
from zerokelvin.session.prediction import SKIP, Event, Outcome
from zerokelvin.session.standing import Standing, Terms

__all__ = ["Packed", "packed", "read", "save", "unpacked"]

Snapshot = Mapping[str, NDArray[Any]]

STATE = "state/"
"""Before the names of the arrays of a game."""


class Packed(NamedTuple):
    """All that a copy of a standing is made from; see there for what each is."""

    terms: Terms
    graph: Graph
    budget: int | None
    events: list[Event]
    outcomes: list[Outcome]
    settled: int
    retold: bool
    growths: tuple[Before, ...]
    audit: Audit
    snapshot: Snapshot | None


def save(standing: Standing, path: str | os.PathLike[str]) -> None:
    """Write settings, events, outcomes and the arrays of the game to a file."""
    terms, learner = standing.terms, standing.terms.learner
    code = {label: i for i, label in enumerate(standing.classes)}
    found = standing.outcomes
    named = [label for one in found for label in (one.predicted, *one.left_out) if label is not None]
    place = {label: i for i, label in enumerate(dict.fromkeys([*standing.classes, *named]))}
    snapshot = _snapshot(standing)
    params = _plain_params(learner.inner if isinstance(learner, Forgetting) else learner)
    window = learner.window if isinstance(learner, Forgetting) else None
    if wrapped(learners.make(learner.name, **params), terms.policy, window) != learner:
        raise SessionError(
            f"learner '{learner.name}' is wrapped in a way that a session file cannot hold; start with "
            "policy= and forget= instead."
        )
    header = {
        "graph": standing.graph.content_hash,
        "nodes": standing.graph.num_nodes,
        "learner": learner.name,
        "params": params,
        "forget": window,
        "classes": [to_json(label) for label in standing.classes],
        "classes_given": None if terms.given is None else [to_json(label) for label in terms.given],
        "open_classes": terms.open_classes,
        "outcome_classes": [to_json(label) for label in place],
        "policy": str(terms.policy),
        "budget": standing.budget,
        "seed": terms.seed,
        "events": len(standing.events),
        "settled": standing.settled,
        "retold": standing.retold,
        "states": snapshot is not None,
    }
    known = getattr(standing.graph, "attributes", None)
    if known is not None:
        header["attributes_fixed_on"] = known.fixed_on
    if standing.growths or standing.audit.draws:
        header["version"] = WITH_MORE
        header["checked_labels"] = [to_json(label) for label in standing.audit.labels]
    events = [(e.kind, e.node, -1 if e.kind == SKIP else code[e.label]) for e in standing.events]
    outcomes = [
        (-1 if o.predicted is None else place[o.predicted], o.asked, o.overruled, o.shown, o.late)
        for o in found
    ]
    left_out = [(i, place[label]) for i, one in enumerate(found) for label in one.left_out]
    arrays = {"events": _rows(events, 3), "outcomes": _rows(outcomes, 5), "left_out": _rows(left_out, 2)}
    if standing.growths:
        arrays |= growth_tables(standing.growths)
    if standing.audit.draws:
        arrays |= audit_tables(standing.audit)
    arrays |= {STATE + name: array for name, array in (snapshot or {}).items()}
    write_session(path, header, arrays)


def read(path: str | os.PathLike[str], graph: Graph, attributes: Any = None) -> Standing:
    """The standing in a file; refused on another graph, or with other attributes, than its own."""
    file = read_session(path)
    with sound(path):
        if attributes is not None:
            graph = graph.with_attributes(attributes, _fixed_on(file, graph))
        if file.header["graph"] != graph.content_hash:
            raise SessionError(_other_graph(file, graph))
        return _standing(read_record(file, graph.num_nodes), file, graph)


def packed(standing: Standing) -> Packed:
    """All that a copy of a standing is made from."""
    return Packed(
        standing.terms,
        standing.graph,
        standing.budget,
        standing.events,
        standing.outcomes,
        standing.settled,
        standing.retold,
        standing.growths,
        standing.audit,
        _snapshot(standing),
    )


def unpacked(parts: Packed) -> Standing:
    """The copy: with the states as they were, or made anew from the events where they cannot be kept."""
    standing = Standing(parts.terms, parts.graph, parts.terms.classes_with(parts.events), parts.budget)
    standing.growths, standing.audit = parts.growths, parts.audit
    if parts.snapshot is None:
        standing = standing.told(parts.events, parts.outcomes)
    else:
        standing.game.restore(parts.snapshot)
        standing.note(parts.events, parts.outcomes)
    standing.settled, standing.retold = parts.settled, parts.retold
    return standing


def _standing(record: SavedSession, file: SessionFile, graph: Graph) -> Standing:
    terms, events, outcomes = record.terms, record.events, record.outcomes
    terms.learner.check_domain(graph)
    standing = Standing(terms, graph, record.classes, record.budget)
    standing.growths, standing.audit = record.growths, record.audit
    carried = terms.learner.growth == CARRIED and record.settled > 0
    if outcomes is None:
        return standing.retelling(events, [None] * len(events), 0, ())
    if record.has_states and not carried and _of_other_experts(standing, file):
        standing = standing.told(events, outcomes)
    elif record.has_states and (file.version > 1 or carried):  # version 1 has no hash to trust its states by
        _restore(standing, file, events)
        standing.note(events, outcomes)
    else:
        standing = standing.told(events, outcomes)
    standing.settled, standing.retold = record.settled, record.retold
    return standing


def _of_other_experts(standing: Standing, file: SessionFile) -> bool:
    """Whether a file holds the states of a mixture of other experts than it has now: another version's.

    They say nothing to those that there are, so the events are learnt again.
    """
    wanted = {f"{STATE}{name}" for name in standing.game.fields}
    found = {name for name in file.shapes if name.startswith(STATE)}
    return wanted != found and any(MIXED in name for name in wanted & found)


def _restore(standing: Standing, file: SessionFile, events: Sequence[Event]) -> None:
    """Put saved arrays into a fresh game, each of the type it has there and no larger than it can be.

    Files of version 1 have no record of the labels shown: it is made from the events. Others may have one
    that the learner does not need any more.
    """
    game, shown = standing.game, _shown(standing, events) if file.version == 1 else {}
    wanted = {f"{STATE}{name}" for name in game.fields if name not in shown}
    found = {name for name in file.shapes if name.startswith(STATE)}
    require(wanted <= found and all(name.endswith(SEEN) for name in found - wanted))
    reach = 4 * (standing.graph.num_nodes + len(events)) + 64
    for name, fresh in game.snapshot().items():
        if name not in shown:
            dtype, shape = file.shapes[STATE + name]
            grown = fresh.size == 0 and len(shape) <= 2  # a list that was empty does not say what it holds
            require(grown or (dtype.kind == fresh.dtype.kind and len(shape) == fresh.ndim))
            require(max(shape, default=0) <= max(reach, 0, *fresh.shape))
    saved = {name: file.array(STATE + name) for name in game.fields if name not in shown}
    game.restore(saved | {name: array for name, array in shown.items() if name in game.fields})


def _shown(standing: Standing, events: Sequence[Event]) -> dict[str, NDArray[Any]]:
    """The record of every problem, made from the events, under the names it has in a snapshot."""
    nodes, codes = standing.lessons(events)
    signs, record = signs_of(codes, standing.game.columns), dict[str, NDArray[Any]]()
    for c in range(standing.game.columns):
        record |= {f"{c}/{SEEN[0]}": nodes, f"{c}/{SEEN[1]}": signs[:, c]}
    return record


def _snapshot(standing: Standing) -> Snapshot | None:
    """The arrays of the game; None where a learner can only learn all answers again."""
    return standing.game.snapshot() if standing.game.fields else None


def _rows(rows: Sequence[tuple[Any, ...]], columns: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


def _fixed_on(file: SessionFile, graph: Graph) -> int:
    """How many of the first nodes the rules of the attributes come from."""
    count = file.header.get("attributes_fixed_on")
    if count is None:
        raise SessionError(f"'{file.path}' was saved without attributes; load it without them.")
    require(isinstance(count, int) and 0 < count <= graph.num_nodes)
    return int(count)


def _other_graph(file: SessionFile, graph: Graph) -> str:
    nodes = file.header.get("nodes")
    if file.header.get("settled") and isinstance(nodes, int) and graph.num_nodes <= nodes:
        return (
            f"'{file.path}' was saved on a graph that had grown to {nodes} nodes, not on this one of "
            f"{graph.num_nodes}; load it with the grown graph, as session.graph was."
        )
    if "attributes_fixed_on" in file.header:
        return (
            f"'{file.path}' was saved on another graph or with other attributes; load it with the graph and "
            "the attributes= it was made with."
        )
    return f"'{file.path}' was saved on another graph; load it with the graph it was made on."


def _plain_params(learner: Learner) -> dict[str, Any]:
    params: dict[str, Hashable] = learner.params()
    for name, value in params.items():
        if not isinstance(value, (str, int, float, bool, type(None))):
            raise SessionError(
                f"parameter {name} of '{learner.name}' is a {type(value).__name__}, which a session file "
                "cannot hold; save works with numbers and names."
            )
    return params
