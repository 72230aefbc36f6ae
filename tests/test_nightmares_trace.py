"""Traces of Nightmares of Sushi: what they show adds up, and is what the engine counted."""

from __future__ import annotations

import re

import pytest
from nightmares_replay import READINGS

from sushibalance import load_rules, simulate, trace

RULES = load_rules("nightmares")
LAST = {f"readings.{key}": values[-1] for key, values in READINGS.items()}
TABLES = [
    (RULES, ["random"] * 6),
    (RULES, ["greedy", "penalty_hunter", "honest", "trickster"]),
    (RULES, ["random"] * 2),
    (RULES.vary({"abilities.whats_up_wasabi.factor": 3, "abilities.ninjutsu_chin.at_most": 2}), ["random"] * 4),
    (RULES.vary(LAST | {"penalty_victory": 7}, name="other readings"), ["random", "penalty_hunter", "random"]),
    (RULES.vary(LAST, name="other readings"), ["random"] * 2),
    (RULES.vary({"readings.fortune_cat_order": "after_ninjutsu_chin"}), ["random"] * 5),
    (RULES.vary({"readings.ninjutsu_chin_point": "swapped", "abilities.ninjutsu_chin.at_most": 6}), ["random"] * 5),
]
ACTS = ("Fortune Cat", "Ninjutsu Chin", "Where's the Sauce?")


def section(part, name):
    """Return the lines of one paragraph of a round."""
    found = re.search(rf"^  {name}.*\n((?:    .*\n)*)", part, re.M)
    return found[1].splitlines() if found else []


def amounts(text):
    """Return gold and penalty of ``2 gold and 1 penalty``, ``nothing``."""
    return tuple(sum(int(n) for n in re.findall(rf"(-?\d+) {kind}", text)) for kind in ("gold", "penalty"))


def sums(part):
    """Return of each seat its sums of gold and penalty: (before, [(count, what)], now)."""
    result = {}
    for line in section(part, "Points"):
        seat, rest = re.fullmatch(r"    seat (\d): (.*)", line).groups()
        gold, penalty = re.fullmatch(r"(.*) gold, (.*) penalty", rest).groups()
        result[int(seat)] = []
        for text in (gold, penalty):
            start, *_, now = re.fullmatch(r"(-?\d+)((?: [+-] \d+ \([^)]*\))* = (-?\d+))?", text).groups()
            parts = [(int(sign + count), what) for sign, count, what in re.findall(r"([+-]) (\d+) \(([^)]*)\)", text)]
            result[int(seat)].append((int(start), parts, int(now or start)))
    return result


@pytest.mark.parametrize(("rules", "policies"), TABLES, ids=range(len(TABLES)))
def test_the_sums_shown_are_true(rules, policies):
    """Each round: what each ability and each plate gave add up to the points, which are those of the simulation."""
    players, games = len(policies), 60
    run = simulate(rules, policies=policies, players=players, games=games, seed=4, progress=False)
    said = set()
    for game in range(games):
        rows = run.rounds[run.rounds["game"] == game]
        text = trace(rules, policies=policies, players=players, seed=4, game=game)
        rounds = text.split("\nRound ")[1:]
        assert len(rounds) == rows["round"].max()
        before = [(0, 0)] * players
        for number, part in enumerate(rounds, 1):
            shown = sums(part)
            assert list(shown) == list(range(players))
            eaten = {seat: [] for seat in range(players)}
            for line in section(part, "Eaten"):
                seat, what, plain, change, after = re.fullmatch(
                    r"    seat (\d) eats (.*?): (.*?)(?: (times \d+ is|swapped to) (.*))?", line
                ).groups()
                eaten[int(seat)].append(amounts(after or plain))
                said.add(change and change.split()[0])
                if change:
                    gold, penalty = amounts(plain)
                    factor = int(change.split()[1]) if change.startswith("times") else 0
                    assert amounts(after) == ((gold * factor, penalty * factor) if factor else (penalty, gold))
                assert "its own" not in what or what.endswith(", which nobody chose")
            worked = {seat: [] for seat in range(players)}
            for line in section(part, "Ability cards"):
                ability, seats, effect = re.fullmatch(r"    (.*?) \((.*?)\): (.*)", line).groups()
                said.add(ability + (" nothing" if effect.startswith("nothing") else ""))
                for seat in (int(name.removeprefix("seat ")) for name in seats.split(", ")):
                    if ability not in ACTS or effect.startswith("nothing"):
                        continue
                    gold, penalty = amounts(effect.partition(" (")[0])
                    if ability == "Fortune Cat":
                        worked[seat].append((penalty, -penalty))
                    elif ability == "Ninjutsu Chin":
                        target = re.search(r" for (itself|seat (\d))", effect)
                        worked[seat if target[1] == "itself" else int(target[2])].append((gold, penalty))
                    else:
                        worked[seat].append((gold, penalty))
            for seat, both in shown.items():
                (kept,) = rows[(rows["round"] == number) & (rows["seat"] == seat)].itertuples()
                for at, (start, parts, now) in enumerate(both):
                    assert start + sum(count for count, _ in parts) == now
                    assert start == before[seat][at]
                    given = [points[at] for points in (*worked[seat], *eaten[seat]) if points[at]]
                    assert sorted(count for count, _ in parts) == sorted(given), part
                assert (both[0][2], both[1][2]) == (kept.gold, kept.penalty)
            before = [tuple(now for *_, now in shown[seat]) for seat in range(players)]
        results = re.findall(r"^  (\d)\. seat (\d): (\d+) gold - (\d+) penalty = (-?\d+)(, wins)?$", text, re.M)
        assert len(results) == players
        for rank, seat, gold, penalty, total, wins in results:
            (kept,) = run.players[(run.players["game"] == game) & (run.players["seat"] == int(seat))].itertuples()
            assert (int(gold), int(penalty)) == before[int(seat)] and int(gold) - int(penalty) == int(total)
            assert (kept.rank, kept.total, kept.win > 0) == (int(rank), int(total), bool(wins))
    assert {"times", "swapped", *ACTS} <= said
