"""``make bench``: C twins play the same games as the kernels, bit for bit, and times are taken in turn."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sushibalance.games.intervention import Intervention
from sushibalance.games.registry import GAMES, engine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import decisions, search
from benchmarks.__main__ import main
from benchmarks.contest import KERNEL, Contest, Disagreement, Times, agreed, race
from benchmarks.twins import CompilerError, Twin

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the twins need gcc")


@pytest.mark.parametrize(
    ("game", "policy", "games"),
    [
        ("sushi_go", "random", 2_000),
        ("sushi_go", "greedy", 500),
        ("nightmares", "random", 2_000),
        ("otter", "random", 300),
        ("otter", "greedy", 60),
    ],
)
def test_same_rows_at_every_table(game, policy, games, tmp_path):
    low, high = engine(game).seats
    for players in range(low, high + 1):
        contest = Contest(game, policy, players, games)
        play = {KERNEL: contest.request.play, "twin": Twin(contest.request, "-O2", tmp_path).play}
        assert len(agreed(contest, play)) == 64


def test_other_games_are_found_out(tmp_path):
    contest = Contest("sushi_go", "random", 2, 100)
    kernel = contest.request.play

    def other(first, rows):
        status = kernel(first, rows)
        rows["players"][-1, 1]["total"] += 1
        return status

    with pytest.raises(Disagreement, match="Sushi Go!, random, 2 players: twin plays other games than numba"):
        agreed(contest, {KERNEL: kernel, "twin": other})


def test_a_policy_without_a_twin_is_named(tmp_path):
    with pytest.raises(CompilerError, match=r"sushi_go.c has no function pudding_lover_choose"):
        Twin(Contest("sushi_go", "pudding_lover").request, "-O2", tmp_path)


def test_a_twin_plays_no_interventions(tmp_path):
    request = replace(Contest("otter", "random").request, intervention=Intervention("power_up", "1"))
    with pytest.raises(CompilerError, match="plays no interventions: found power_up 1 forced"):
        Twin(request, "-O2", tmp_path)


def test_a_race_takes_turns_at_the_same_games():
    contest = Contest("sushi_go", "random", 2)
    seen = {KERNEL: [], "gcc": []}

    def runner(name):
        def play(first, rows):
            seen[name].append((first, len(rows["games"])))
            return contest.request.play(first, rows)

        return play

    times = race(contest, {name: runner(name) for name in seen}, 5, 0.001)
    assert seen["gcc"] == seen[KERNEL][-6:] and len({games for _, games in seen["gcc"]}) == 1
    assert times.best == "gcc" and [len(each) for each in times.seconds.values()] == [5, 5]


def test_ratios_are_taken_turn_by_turn():
    times = Times(100, {KERNEL: np.array([2.0, 6.0, 8.0]), "a": np.array([1.0, 2.0, 8.0]), "b": np.full(3, 9.0)})
    assert times.best == "a" and times.rate(KERNEL) == 100 / 6 and times.ratio("a") == (1.5, 2.0, 2.5)


@pytest.mark.parametrize("game", GAMES)
def test_decisions_are_those_that_policies_were_asked_for(game):
    request = Contest(game, "random", 3).request
    rows = request.new_rows(1)
    request.play(3, rows)
    found = decisions.COUNTS[game](rows)
    if game == "sushi_go":
        assert found == 3 * 9 * 3  # 3 rounds, hands of 9 cards, 3 players
    elif game == "otter":
        assert 8 * 3 + 7 * 3 <= found <= 8 * 3 + 2 * 7 * 3
    else:
        assert found >= 3 + 2 * 3 * int(rows["games"]["rounds"][0])


def test_the_command_prints_a_row_a_contest(capsys):
    assert main(["sushi_go", "--turns", "3", "--seconds", "0.002", "--checked", "300"]) == 0
    said = capsys.readouterr().out
    rows = [line for line in said.splitlines() if re.match(r"Sushi Go!, (random|greedy), 4 players +[\d,]+ ", line)]
    assert len(rows) == 2 and all(re.search(r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)", row) for row in rows)
    with pytest.raises(SystemExit):
        main(["chess"])
    assert "found game chess, allowed nightmares, otter, sushi_go" in capsys.readouterr().err
    assert main(["otter", "--players", "9"]) == 1
    assert "players of Sushi Otter: found 9" in capsys.readouterr().err


def test_the_search_is_timed_where_it_is_made(capsys):
    assert search.main(["--games", "20"]) == 0
    said = capsys.readouterr().out
    rates = re.findall(r"^(none|\d) +[\d,]+ +[\d,]+ to [\d,]+", said, re.M)
    assert rates == ["none", "1", "2", "3", "4"]
    shares = [float(share) for share in re.findall(r"^ +\d +(\d+\.\d\d)%", said, re.M)]
    assert "640 decisions" in said and len(shares) >= 4 and abs(sum(shares) - 100) < 0.1
    assert re.search(r"^ +all 100.00%", said, re.M)
