"""The benchmark of costs measures what it says, in small."""

import re

import pytest

from benchmarks import costs
from benchmarks.apart import apart, peak


def test_every_table_has_its_row(capsys, monkeypatch):
    monkeypatch.setattr(costs, "GAMES", ["sushi_go"])
    monkeypatch.setattr(costs, "PIECES", 2)
    assert costs.main(["--seconds", "0.002"]) == 0
    said = capsys.readouterr().out
    for row in (r"( +[\d,]{5,}){4}", r" +419 +8\d( +[\d.]+){4}", r"( +[\d.]+){3} +8\d"):
        assert re.search(rf"^sushi_go random{row}$", said, re.M) and re.search(rf"^sushi_go greedy{row}$", said, re.M)


def test_the_memory_of_a_run_is_that_of_a_process_of_its_own(capsys, monkeypatch):
    monkeypatch.setattr(costs, "PILE", {"sushi_go": 200})
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])  # memory that is only asked for is not taken
    assert costs.main(["--memory"]) == 0
    row = re.search(r"^sushi_go +200 +(\d+) +(\d+)$", capsys.readouterr().out, re.M)
    assert row and all(50 < int(most) < 400 for most in row.groups()) and peak() > 300
    assert apart(peak) < 300


def test_no_seconds_are_refused():
    with pytest.raises(SystemExit):
        costs.main(["--seconds", "0"])
