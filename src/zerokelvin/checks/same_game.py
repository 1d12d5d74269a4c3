"""Compiled play is the step-by-step game, and a session plays it too: to the last bit, in any game.

A game is played three times: by the learner's own `play`, which may be compiled and may go its own ways; by
the plain loop over `margins`, `asks` and `update`; and, where no label comes late, by a session that is asked
for every prediction and told what it asked for. `zerokelvin check` plays thousands of them.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.checks.arenas import Arena, draw_arena
from zerokelvin.checks.promises import PROMISES, Verdict
from zerokelvin.errors import ZerokelvinError
from zerokelvin.games import Run, play
from zerokelvin.games.game import make_trials
from zerokelvin.games.labels import to_signs
from zerokelvin.games.wrapping import wrapped
from zerokelvin.learners import Game, Learner, parse_policy
from zerokelvin.session import start

__all__ = ["find_difference", "play_arena"]


def play_arena(learner: Learner, arena: Arena) -> Run:
    """The game of an arena by `zerokelvin.play`, compiled where the learner is."""
    return play(arena.graph, arena.labels, learner, order=arena.order, **arena.settings)


@PROMISES.add("games")
def find_difference(learner: Learner, seed: int) -> Verdict:
    """What differs between the three ways to play the arena of this number.

    >>> from zerokelvin.learners import make
    >>> find_difference(make("longest-path"), 0)
    Verdict(applies=True, fault=None)
    """
    arena = draw_arena(learner, seed)
    try:
        run = play_arena(learner, arena)
    except ZerokelvinError as refusal:
        return Verdict(fault=f"{arena}: refused: {refusal}")
    for fault in (_against_steps(learner, arena, run), _against_session(learner, arena, run)):
        if fault is not None:
            return Verdict(fault=f"{arena}: {fault}")
    return Verdict()


def _against_steps(learner: Learner, arena: Arena, run: Run) -> str | None:
    """What a run has differently from the plain loop over the same trials, None if nothing."""
    settings = arena.settings
    chosen = wrapped(learner, settings.get("policy"), settings.get("forget"))
    trials = make_trials(
        arena.graph,
        run.nodes,
        to_signs(run.codes, len(run.classes)),
        parse_policy(settings.get("policy")),
        settings["seed"],
        settings.get("delay", 0),
        settings.get("budget"),
    )
    ready = chosen.prepare(arena.graph)
    game = chosen.start_game(arena.graph, max(2, len(run.classes)), ready, settings["seed"])
    trace = Game.play(game, trials)
    if not np.array_equal(trace.margins, run.margins):
        at = int(np.flatnonzero((trace.margins != run.margins).any(axis=1))[0])
        return f"trial {at} has margin {run.margins[at]} in play and {trace.margins[at]} step by step"
    if not np.array_equal(trace.asked, run.asked):
        at = int(np.flatnonzero((trace.asked != run.asked).any(axis=1))[0])
        return f"trial {at} asks {run.asked[at]} in play and {trace.asked[at]} step by step"
    return None


def _against_session(learner: Learner, arena: Arena, run: Run) -> str | None:
    """What a run has differently from a session of the same trials, None if nothing or with a delay."""
    settings = arena.settings
    if settings.get("delay", 0):
        return None
    told = {name: settings[name] for name in ("seed", "policy", "budget", "forget") if name in settings}
    session = start(arena.graph, learner, classes=run.classes, **told)
    for t, (node, label) in enumerate(zip(run.order.tolist(), run.labels.tolist(), strict=True)):
        shown = session.predict(node)
        margins = [shown.margin] if len(run.classes) <= 2 else list(shown.scores.values())
        if shown.label != run.predictions[t] or not np.array_equal(margins, run.margins[t]):
            return (
                f"trial {t} predicts {run.predictions[t]} with {run.margins[t]} in play, "
                f"{shown.label} with {margins} in a session"
            )
        if shown.ask != run.asked[t].any():
            return f"trial {t} asks {run.asked[t]} in play, {shown.ask} in a session"
        session.learn(node, label) if shown.ask else session.skip(node)
    if session.queries != run.asked.any(axis=1).sum():
        return f"{run.asked.any(axis=1).sum()} questions in play, {session.queries} in a session"
    return None
