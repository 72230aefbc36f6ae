"""Traces of Sushi Otter: what they show adds up, and is what the engine counted."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from otter_replay import logged
from test_rules_games import mutant

from sushibalance import RulesError, load_rules, simulate, trace
from sushibalance.errors import UserError
from sushibalance.games.otter.arithmetic import parts
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.worth import CODE_BITS, CODE_MASK
from sushibalance.games.otter.tables import card_of

GOLDEN = Path(__file__).parent / "golden" / "otter.txt"
RULES = load_rules("otter")
TABLES = [
    ("otter", ["random"] * 5),
    ("otter", ["greedy", "tank", "saver", "random"]),
    ("otter", ["greedy"] * 2),
    ("otter/inventions", ["collector_flush", "collector_pairs", "collector_straight"]),
    ("otter/starting_power_ups", ["greedy", "random", "greedy"]),
]
SCORES = r"(-?\d+) score(?:, +(-?\d+) VP)?"


def golden_trace():
    return trace("otter", policies=["greedy", "tank", "saver", "random"], seed=2026, game=1)


def test_golden_trace():
    """One game, line by line. After a change on purpose: ``python tests/test_otter_trace.py``, and read it."""
    assert golden_trace() == GOLDEN.read_text(encoding="utf-8")


def shown(text):
    """Yield of each round of a trace: the VP of each rank, and of each seat (parts, sum) and its ranking."""
    for part in text.split("\nRound ")[1:]:
        row = [int(vp) for vp in re.search(r"Round card: (.*) VP", part)[1].split(", ")]
        reveals = {}
        for seat, lines in re.findall(r"^  seat (\d) reveals .*\n((?:    .*\n)+)", part, re.M):
            sums = [(int(score), int(vp or 0)) for score, vp in re.findall(rf"^ +{SCORES} ", lines, re.M)]
            reveals[int(seat)] = sums[:-1], sums[-1]
            assert len(re.findall("in all$", lines, re.M)) == 1
        pattern = (
            r"^    (\d)\. seat (\d), (-?\d+) score: (-?\d+) VP from the Round card, (-?\d+) VP from its reveal, "
            r"(-?\d+) VP so far$"
        )
        yield row, reveals, [[int(number) for number in found] for found in re.findall(pattern, part, re.M)], part


@pytest.mark.parametrize(("name", "policies"), TABLES)
def test_the_sums_shown_are_true(name, policies):
    """Parts of a score add up to it, VP to the running total, and both are those of the simulation."""
    players, games = len(policies), 12
    run = simulate(name, policies=policies, players=players, games=games, seed=9, progress=False)
    for game in range(games):
        rows = run.rounds[run.rounds["game"] == game]
        total = [0] * players
        text = trace(name, policies=policies, players=players, seed=9, game=game)
        rounds = list(shown(text))
        assert len(rounds) == 8
        for number, (row, reveals, ranking, part) in enumerate(rounds, 1):
            assert sorted(reveals) == list(range(players)) and len(ranking) == players
            for place, (rank, seat, score, gained, revealed, so_far) in enumerate(ranking, 1):
                found, (in_all, vp) = reveals[seat]
                assert (sum(score for score, _ in found), sum(vp for _, vp in found)) == (in_all, vp)
                assert (in_all, vp, rank) == (score, revealed, place)
                third = f"seat {seat} gets the VP of the third place" in part
                assert gained == row[rank if third else rank - 1]
                total[seat] += gained + revealed
                assert so_far == total[seat]
                (kept,) = rows[(rows["round"] == number) & (rows["seat"] == seat)].itertuples()
                assert (kept.score, kept.rank, kept.vp) == (score, rank, so_far)
            told = re.findall(r"Equal at (-?\d+): (.*), as they come", part)
            scores = [line[2] for line in ranking]
            assert [int(score) for score, _ in told] == sorted({s for s in scores if scores.count(s) > 1}, reverse=True)
        for seat, vp in enumerate(total):
            assert f". seat {seat}: {vp} VP\n" in text.partition("\nResult\n")[2]


def score_parts(rules, events):
    """Yield of each reveal of a log the parts of its score, and what the engine counted."""
    suits, numbers, hands = rules.deck.suits, list(rules.power_ups), list(rules.hands)
    held, clients, number, waiting = {}, {}, 0, None

    def cards(packed, count):
        codes = [(packed >> (CODE_BITS * slot)) & CODE_MASK for slot in range(count)]
        return [(suits[suit], value) for suit, value in map(card_of, codes)]

    for kind, seat, args in events:
        if kind == s.E_ROUND:
            number = args[0]
        elif kind in (s.E_PICK, s.E_KEPT):
            held.setdefault(seat, []).append(numbers[args[0]])
        elif kind == s.E_CLIENT:
            clients.setdefault(seat, []).append(list(rules.key_clients)[args[0]])
        elif kind == s.E_REVEAL:
            waiting = cards(args[1], args[0]), cards(args[2], args[0])
            found = parts(rules, *waiting, hands[args[3]], held.get(seat, ()), clients.get(seat, ()), number)
            yield found, (args[4], args[5])


def test_parts_are_the_engines_score_under_many_rules():
    """Rule sets near the printed one, whatever power-ups and hands they have."""
    dice, rule_sets = random.Random(3), [RULES, load_rules("otter/inventions")]
    while len(rule_sets) < 60:
        try:
            rule_sets.append(RULES.vary(mutant(RULES, dice)))
        except RulesError:
            continue
    rich = {f"power_ups.{number}.vp": -1 for number in ("3", "12", "33", "46")} | {"hands.one_pair.vp": -2}
    rule_sets.append(RULES.vary(rich))
    seen = 0
    for at, rules in enumerate(rule_sets):
        try:
            _, events = logged(rules, ["random"] * 4, at, 0)
        except UserError:
            continue
        for found, counted in score_parts(rules, events):
            assert (sum(part.score for part in found), sum(part.vp for part in found)) == counted, (rules, found)
            seen += len(found)
    assert seen > 2_000


if __name__ == "__main__":
    GOLDEN.write_text(golden_trace(), encoding="utf-8")
