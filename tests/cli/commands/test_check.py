"""`zerokelvin check`: promises tried on games drawn at random."""

import json

from zerokelvin.checks import PROMISES, Verdict


def test_the_table_counts_games_and_faults(invoke):
    result = invoke("check", "nearest", "--games", "5", "--promise", "games")
    assert result.exit_code == 0
    assert "5 games, 0 broken promises." in result.stdout


def test_a_broken_promise_is_told_and_the_exit_code_says_so(invoke, monkeypatch):
    monkeypatch.setitem(PROMISES._values, "games", lambda learner, seed: Verdict(fault=f"arena {seed}: alas"))
    result = invoke("check", "nearest", "--games", "2", "--promise", "games", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)[0]["examples"] == ["arena 0: alas", "arena 1: alas"]
    assert (
        "nearest, games: arena 0: alas"
        in invoke("check", "nearest", "--games", "1", "--promise", "games").stdout
    )


def test_bad_input_is_one_sentence(invoke):
    for arguments in (("nearst",), ("nearest", "--games", "0"), ("nearest", "--promise", "gold")):
        result = invoke("check", *arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
