"""From the key to the next question, laid out in the page: within a frame, 16 ms, in 95 of 100 answers."""

import json

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


@pytest.mark.alone
def test_the_next_question_is_there_within_a_frame(tmp_path, chromium, arrive):
    """All answers count, from the first one on; processor time is held in any case."""
    truth, others = load_digits().target, []
    with labelling(tmp_path, "--demo") as service:
        person = arrive(service.first(), "Quick")
        for _ in range(SITTINGS):
            beside = OthersAtWork()
            times, foreseen, own = sit(chromium, person, truth)
            others.append(beside.share())
            print("milliseconds", np.round(np.quantile(times, [0.5, 0.9, 0.95, 1]), 1).tolist())
            print("of the processor", np.round(np.quantile(own, [0.5, 0.9, 0.95, 1]), 1).tolist())
            print(f"foreseen {foreseen.mean():.3f}, within {FRAME} ms {np.mean(times <= FRAME):.3f}")
            assert len(times) == len(own) == ANSWERS
            assert np.mean(own <= FRAME) >= 0.95, np.sort(own)
            if others[-1] <= QUIET:
                assert foreseen.mean() >= 0.95, foreseen
                assert np.mean(times <= FRAME) >= 0.95, np.sort(times)
                return
    pytest.skip(f"processor time is right; others had {min(others):.0%} of the processors: no wall time")
