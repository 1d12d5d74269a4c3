"""From the key to the next question, laid out in the page: within a frame, 16 ms, in 95 of 100 answers.

On the machine where this was measured; a slower one gets as much longer as it takes for a loop of Python.
"""

import json
import time

import numpy as np
import pytest
from sklearn.datasets import load_digits

from browsing import OthersAtWork, labelling

ANSWERS = 40
FRAME = 16.0
"""Milliseconds."""

SITTINGS = 3
QUIET = 0.1
"""Share of the processors that other programs may have while wall time is judged."""

LOOP = 0.029
"""Seconds of `slowness`'s loop where the goal was measured."""

READ = "() => performance.getEntriesByName('next-question').map(entry => [entry.duration, entry.detail])"


def sit(chromium, person, truth):
    """Answer, looking half a second at each: milliseconds, whether foreseen, processor milliseconds."""
    person.page.evaluate("() => performance.clearMeasures()")
    chromium.start_tracing(page=person.page, categories=["devtools.timeline"])
    for _ in range(ANSWERS):
        person.page.wait_for_timeout(500)
        person.press(str(truth[int(person.node.split("-")[1])]))
    person.saved()
    trace = json.loads(chromium.stop_tracing())["traceEvents"]
    keys = [event for event in trace if event.get("name") == "EventDispatch" and "tdur" in event]
    keys = [event for event in keys if event["args"]["data"]["type"] == "keydown"]
    measured = np.array(person.page.evaluate(READ), dtype=float)
    return measured[:, 0], measured[:, 1] == 1, np.array([event["tdur"] for event in keys]) / 1e3


def slowness():
    """How many times as long as there a loop takes here, at least 1."""
    seconds = []
    for _ in range(10):
        began = time.process_time()
        sum(i * i for i in range(10**6))
        seconds.append(time.process_time() - began)
    return max(1.0, min(seconds) / LOOP)


@pytest.mark.alone
def test_the_next_question_is_there_within_a_frame(tmp_path, chromium, arrive):
    """All answers of a sitting count, from the first one on; one of three has to be within, none far off."""
    truth, seen, frame = load_digits().target, [], FRAME * slowness()
    with labelling(tmp_path, "--demo") as service:
        person = arrive(service.first(), "Quick")
        for _ in range(SITTINGS):
            beside = OthersAtWork()
            times, foreseen, own = sit(chromium, person, truth)
            print("milliseconds", np.round(np.quantile(times, [0.5, 0.9, 0.95, 1]), 1).tolist())
            print("of the processor", np.round(np.quantile(own, [0.5, 0.9, 0.95, 1]), 1).tolist())
            print(f"foreseen {foreseen.mean():.3f}, within {frame:.0f} ms {np.mean(times <= frame):.3f}")
            assert len(times) == len(own) == ANSWERS
            assert np.mean(own <= 2 * frame) >= 0.95, np.sort(own)
            seen.append((beside.share(), foreseen.mean(), np.mean(times <= frame), np.mean(own <= frame)))
            if min(seen[-1][1:]) >= 0.95:
                return
    quiet = [row for row in seen if row[0] <= QUIET]
    if not quiet:
        pytest.skip(f"others had {min(row[0] for row in seen):.0%} of the processors: no wall time")
    pytest.fail(f"others' share, foreseen, within {frame:.0f} ms, so much of the processor: {quiet}")
