"""Tasks on several threads: results in order, errors and interrupts after all have ended, the same on any
number of cores."""

import sys
import threading
import time

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin import threads
from zerokelvin.learners.auto import mixing, mixture
from zerokelvin.learners.auto.auto import Auto
from zerokelvin.threads import in_threads


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_results_come_in_order_and_every_task_runs_once(monkeypatch, cores):
    monkeypatch.setattr(threads, "_cores", lambda: cores)
    seen = []

    def task(k):
        time.sleep(0.001 * (k % 3))
        seen.append((k, threading.get_ident()))
        return k

    assert in_threads([lambda k=k: task(k) for k in range(20)]) == list(range(20))
    assert sorted(k for k, _ in seen) == list(range(20))
    assert len({thread for _, thread in seen}) <= cores
    assert in_threads([]) == []


@pytest.mark.parametrize("cores", [1, 2])
def test_the_error_of_the_first_task_is_raised_when_all_have_ended(monkeypatch, cores):
    monkeypatch.setattr(threads, "_cores", lambda: cores)
    running = []

    def fails(number):
        running.append(number)
        time.sleep(0.02)
        running.remove(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        in_threads([lambda k=k: fails(k) for k in range(4)])
    assert running == []


def test_an_interrupt_at_any_line_leaves_no_task_running(monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 3)
    struck, at = 0, 0
    while True:
        at += 1
        running, lines = set(), [0]

        def task(k, running=running):
            running.add(k)
            time.sleep(0.003)
            running.discard(k)

        def trace(frame, event, _, lines=lines, at=at):
            if (
                not frame.f_code.co_filename.endswith("threads.py")
                or "zerokelvin" not in frame.f_code.co_filename
            ):
                return None
            if event == "line":
                lines[0] += 1
                if lines[0] == at:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return trace

        try:
            sys.settrace(trace)
            in_threads([lambda k=k: task(k) for k in range(4)])
            sys.settrace(None)
            break
        except KeyboardInterrupt:
            struck += 1
            assert running == set(), at
        finally:
            sys.settrace(None)
    assert struck > 10


@pytest.mark.parametrize("columns", [0, 4])
def test_auto_is_the_same_to_the_last_bit_on_any_number_of_cores(monkeypatch, columns):
    """The experts of a whole game and those of many nodes speak in threads, and the nodes are judged so."""
    monkeypatch.setattr(mixture, "MANY", 2)
    monkeypatch.setattr(mixing, "PART", 7)
    example = zk.generators.grid(6, 7)
    graph, count = example.graph, example.graph.num_nodes
    if columns:
        graph = graph.with_attributes(np.random.default_rng(1).normal(size=(count, columns)))
    order = np.random.default_rng(0).permutation(count)
    codes = np.array([node % 3 for node in order])
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr(threads, "_cores", lambda cores=cores: cores)
        game = Auto().start_game(graph, 3)
        foreseen = game.scores_in_order(order[:30], codes[:30])
        found.append((foreseen, game.scores(np.arange(count)), game.chances_of(np.arange(count))))
    for other in found[1:]:
        assert all(np.array_equal(own, theirs) for own, theirs in zip(found[0], other, strict=True))
