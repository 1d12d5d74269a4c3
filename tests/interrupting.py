"""Ctrl-C at any line of the package, and what a session shows before and after it."""

import contextlib
import sys

import zerokelvin as zk
from zerokelvin.session.prediction import LEARN, SKIP, TEACH

HERE = str(zk.__path__[0])


class Interrupts:
    """Raises KeyboardInterrupt at the k-th line of the package that runs inside the block."""

    def __init__(self, at):
        self.at, self.lines = at, 0

    def __enter__(self):
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(HERE) or "importlib" in frame.f_code.co_filename:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._trace


def interrupted(call, at):
    """Make a call that is interrupted at its `at`-th line, if it has so many."""
    with contextlib.suppress(KeyboardInterrupt), Interrupts(at):
        call()


def lines_of(call):
    with Interrupts(at=-1) as counting:
        call()
    return counting.lines


def figures(session):
    margins = session._all_margins()
    return (
        session.events,
        session.mistakes,
        session.queries,
        session.trials,
        session.classes,
        margins.tolist(),
    )


def fresh(session):
    """A session started on the same graph and told the same events."""
    other = zk.start(
        session.graph, session.learner, classes=["a", "b"], open_classes=True, policy="margin:0.4", seed=3
    )
    for kind, node, label in session.events:
        name = session.graph.name(node)
        if kind == LEARN:
            other.learn(name, label)
        elif kind == SKIP:
            other.skip(name)
        else:
            assert kind == TEACH
            other.teach({name: label})
    return other
