"""`zerokelvin durability`: checks of the store by name."""

import json

import pytest

from zerokelvin.service.store_checks import named_checks
from zerokelvin.service.store_checks.power_cuts import PowerCuts


def test_power_cuts_are_played_and_counted(invoke):
    pytest.importorskip("apsw")
    result = invoke("durability", "power-cuts", "--rounds", "45", "--seed", "3")
    assert result.exit_code == 0
    assert "0 lost something" in result.stdout
    found = json.loads(invoke("durability", "power-cuts", "--rounds", "45", "--seed", "3", "--json").stdout)
    assert [(one["check"], one["rounds"], one["cuts"], one["losing"], one["faults"]) for one in found] == [
        ("power-cuts", 45, 45, 0, [])
    ]


def test_a_new_place_is_written_to(invoke, tmp_path):
    result = invoke("durability", "kills", "--rounds", "1", "--store", str(tmp_path / "try"), "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)[0]["acknowledged"] >= 1
    assert (tmp_path / "try" / "projects" / "p" / "log.sqlite").is_file()
    again = invoke("durability", "kills", "--rounds", "1", "--store", str(tmp_path / "try"))
    assert again.exit_code == 2
    assert "there is a project 'p' already" in again.stderr


def test_faults_are_told_and_the_exit_code_says_so(invoke, monkeypatch):
    monkeypatch.setattr(
        named_checks,
        "play_power_cuts",
        lambda rounds, seed, report: PowerCuts(rounds, 1, 2, ["event 7 is gone"]),
    )
    result = invoke("durability", "power-cuts", "--rounds", "5")
    assert result.exit_code == 1
    assert "power-cuts: event 7 is gone" in result.stdout
    assert json.loads(invoke("durability", "power-cuts", "--json").stdout)[0]["faults"] == ["event 7 is gone"]


def test_bad_input_is_one_sentence(invoke):
    for arguments in (("fires",), ("kills", "--rounds", "0"), ("takeovers", "--store", "/some/folder")):
        result = invoke("durability", *arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
