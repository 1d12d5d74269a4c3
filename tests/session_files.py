"""Session files as older and other hands make them."""

import json

import numpy as np

from zerokelvin.io.session_file import _canonical, _title
from zerokelvin.session.prediction import SKIP


def write_version_1(session, path, leave_out=(), change=lambda header, arrays: None):
    """The file that version 1 would have written of a session, less the members whose name begins so."""
    standing = session._standing
    code = {label: i for i, label in enumerate(standing.classes)}
    spell = lambda c: {"tuple": [spell(p) for p in c]} if isinstance(c, tuple) else c  # noqa: E731
    terms = standing.terms
    header = {
        "format": "zerokelvin session",
        "version": 1,
        "graph": standing.graph.content_hash,
        "learner": terms.learner.name,
        "params": terms.learner.params(),
        "forget": None,
        "classes": [spell(c) for c in standing.classes],
        "classes_given": None if terms.given is None else [spell(c) for c in terms.given],
        "policy": str(terms.policy),
        "budget": standing.budget,
        "seed": terms.seed,
        "nodes": standing.graph.num_nodes,
        "settled": standing.settled,
        "retold": standing.retold,
    }
    events = [(e.kind, e.node, -1 if e.kind == SKIP else code[e.label]) for e in standing.events]
    found = [(code.get(o.predicted, -1), o.asked, o.overruled) for o in standing.outcomes]
    arrays = {
        "events": np.array(events, dtype=np.int64).reshape(-1, 3),
        "outcomes": np.array(found, dtype=np.int64).reshape(-1, 3),
        "session/mistakes": np.array(standing.mistakes),
        "session/queries": np.array(standing.queries),
        "session/by_prior": np.array(standing.overruled),
        "session/counts": standing.counts,
        "session/labelled": standing.labelled,
    }
    arrays |= {f"state/{name}": array for name, array in standing.game.snapshot().items()}
    arrays = {name: array for name, array in arrays.items() if not name.startswith(tuple(leave_out) or "\0")}
    change(header, arrays)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(path, "wb") as file:  # noqa: PTH123
        np.savez_compressed(file, header=text, **arrays)


def rewrite(path, target, change, sign=True):
    """The file at `path` with header and arrays changed by hand, and its hash made to fit again."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    change(header, arrays)
    if sign:
        import hashlib

        header.pop("sha256", None)
        found = hashlib.sha256(_canonical(header))
        for name in sorted(arrays):
            array = np.asarray(arrays[name], order="C")
            found.update(_title(name, array.dtype, array.shape) + array.tobytes())
        header["sha256"] = found.hexdigest()
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(target, "wb") as file:  # noqa: PTH123
        np.savez_compressed(file, header=text, **arrays)


__all__ = ["rewrite", "write_version_1"]
