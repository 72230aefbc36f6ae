"""What is told while several tables play: of deals, as the answer counts them."""

import re

import pytest

from sushibalance import compare
from sushibalance.analysis import sides
from sushibalance.analysis.sides import Deals, Open
from sushibalance.simulation.progress import Progress


class Kept(Progress):
    """Keeps what it is told."""

    def __init__(self):
        self.games = []

    def advance(self, games):
        """Keep it."""
        self.games.append(games)


def test_deals_are_told_when_their_games_are_played_at_all_tables():
    kept = Kept()
    told = Deals(kept, 3)
    for games in (1, 1, 1, 5, 1, 30):
        told.advance(games)
    assert kept.games == [1, 1, 1, 10]


@pytest.mark.parametrize(("policies", "unit"), [("greedy", "games"), (["greedy", "random"], "deals")])
def test_the_last_line_tells_as_many_as_the_answer(capsys, policies, unit):
    asked = {"players": 2, "policies": policies, "metrics": "points", "workers": 1}
    found = compare("sushi_go", "pudding_every_round", games=700, **asked)
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"{found.games} of {found.games} {unit}, " in last and found.unit == unit


@pytest.mark.parametrize(("policies", "unit"), [("greedy", "games"), (["greedy", "random"], "deals")])
def test_what_is_played_ahead_is_not_told_of(capsys, monkeypatch, policies, unit):
    """Where nobody knows how many it will be: never more than the answer rests on, at any moment."""
    monkeypatch.setattr(sides, "SECONDS", 0.0)
    asked = {"players": 2, "policies": policies, "metrics": "points_by_kind", "margin": 0.02, "most": 3_000}
    found = compare("sushi_go", "pudding_every_round", games="auto", workers=2, **asked)
    counts = re.findall(rf": ([\d,]+) {unit}", capsys.readouterr().err)
    numbers = [int(count.replace(",", "")) for count in counts]
    assert numbers == sorted(numbers) and 500 <= max(numbers) <= found.games


def test_an_open_line_says_what_is_beside_it(capsys, monkeypatch):
    monkeypatch.setattr(sides, "SECONDS", 0.0)
    told = Open("a and b", "deals")
    told.done, told.beside = 1_500, "3 undecided"
    told.advance(7)
    assert capsys.readouterr().err == "a and b: 1,500 deals, 3 undecided\n"
