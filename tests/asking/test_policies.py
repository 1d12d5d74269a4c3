"""The registry of policies, and the one step that decides to ask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.asking import POLICIES, Always, Margin, Policy, RandomRate, list_policies, parse_policy
from zerokelvin.asking.class_prior import follow_prior, most_frequent, without_label
from zerokelvin.asking.decision import AskingRule, confidence, label_is_due, lead, wants_label, worth_asking
from zerokelvin.asking.policies import policy
from zerokelvin.errors import ParameterError
from zerokelvin.sklearn import GraphClassifier

pytestmark = pytest.mark.kernels

NUMBERS = st.floats(-10, 10, allow_subnormal=False)


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_parses_prints_and_tells_what_it_does(name):
    form = POLICIES.forms[list(POLICIES).index(name)]
    written = "miss=20,alarm=1,ask=0.5" if name == "costs" else "0.5"
    found = parse_policy(name if form == name else f"{name}:{written}")
    assert type(found) is POLICIES[name]
    assert parse_policy(str(found)) == found
    assert parse_policy(found) is found
    coins, numbers = np.array([0.2, 0.7]), np.arange(2)
    assert (
        found.limits(coins).shape == found.gains(numbers).shape == found.floors(numbers, coins).shape == (2,)
    )
    listed, sentence = list_policies()[list(POLICIES).index(name)]
    assert listed == form
    assert form.startswith(name)
    assert sentence.startswith("Ask ")


def test_the_default_asks_always():
    assert parse_policy(None) == Always()
    assert zk.learners.Margin is Margin
    assert parse_policy("random:1") == RandomRate(1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("margni:1", "did you mean 'margin'"),
        ("random", "write random:RATE"),
        ("always:1", "takes no number"),
        ("margin:", "needs a number"),
        ("margin:wide", "'wide' is no number"),
        ("random:2", "between 0 and 1"),
        ("value:-1", "positive, finite"),
        ("find:", "needs a number; write find[:CLASS]"),
        ("costs", "write costs:miss=M,alarm=A,ask=Q"),
        ("costs:miss=20,alarm=1", "costs lack 'ask'"),
        ("costs:miss=20,alarm=1,ask=cheap", "ask='cheap' is no number"),
        ("costs:miss=0,alarm=1,ask=1", "miss=0.0 must be a positive"),
        ("costs:miss=1,alarm=1,ask=-1", "ask=-1.0 must be a finite number from 0 on"),
        ("costs:hit=1,miss=1,alarm=1,ask=1", "'hit' is no price"),
        ("costs:20,1", "no NAME=PRICE"),
        (3, "unknown policy '3'"),
    ],
)
def test_a_bad_text_says_what_to_write(text, says):
    with pytest.raises(ParameterError, match=says.replace("[", r"\[")):
        parse_policy(text)


def test_a_policy_is_one_class():
    """What a new file in the folder holds works everywhere at once."""

    class Never(Policy):
        def limits(self, coins):
            return np.zeros(len(coins))

    policy("never")(Never)
    try:
        line = zk.Graph.from_edges([(0, 1), (1, 2)])
        run = zk.play(line, ["a", "a", "b"], "perceptron", policy="never")
        assert run.queried_nodes == 1  # the first trial always asks
        assert "never" in POLICIES.forms
    finally:
        del POLICIES._values["never"], POLICIES._numbers["never"]


@pytest.mark.parametrize("documented", [zk.play, zk.start, GraphClassifier])
def test_docstrings_name_every_policy(documented):
    assert [form for form in POLICIES.forms if form not in documented.__doc__] == []


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_confidence_is_half_the_gap_of_the_two_best(margins):
    best = sorted(margins)[-2:]
    expected = abs(best[0]) if len(margins) == 1 else 0.5 * (best[1] - best[0])
    assert confidence(np.array(margins)) == expected
    if len(margins) > 1:
        assert lead(np.array(margins)) == best[1] - best[0]


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 3), st.floats(0, 2))
def test_a_trial_asks_within_the_budget_first_or_where_it_is_worth_it(margins, asked, budget, spread):
    rule = AskingRule(0.5, 0.3, 0.1)
    worth = worth_asking(confidence(np.array(margins)), spread, *rule)
    expected = asked < budget and (asked == 0 or worth)
    assert wants_label(asked, budget, np.array(margins), spread, rule) == expected


@given(st.integers(1, 8), st.integers(0, 9))
def test_every_label_arrives_once_as_late_as_it_must(total, delay):
    cursor, seen = np.array([0, 0]), []
    while True:
        while label_is_due(cursor, delay, total):
            seen.append((int(cursor[1]), int(cursor[0])))
            cursor[1] += 1
        if cursor[0] == total:
            break
        cursor[0] += 1
    assert seen == [(t, min(t + delay + 1, total)) for t in range(total)]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.booleans()), min_size=1, max_size=12),
    st.integers(0, 4),
)
def test_the_prior_is_the_most_frequent_class_where_a_component_has_no_label(trials, delay):
    components = np.array([0, 0, 1, 1, 2, 2])
    nodes, codes, asked = (np.array(column) for column in zip(*trials, strict=True))
    predicted = np.full(len(nodes), -1)
    follow_prior(nodes, codes, asked, delay, components, 3, predicted)
    for t, node in enumerate(nodes):
        known = [s for s in range(t - delay) if asked[s]]
        lacks = bool(known) and components[node] not in components[nodes[known]]
        counts = np.bincount(codes[known], minlength=3) if known else np.zeros(3, dtype=np.int64)
        labelled = np.isin(np.arange(3), components[nodes[known]]) if known else np.zeros(3, dtype=bool)
        assert without_label(counts, labelled, components[node]) == lacks
        assert predicted[t] == (most_frequent(counts) if lacks else -1)
