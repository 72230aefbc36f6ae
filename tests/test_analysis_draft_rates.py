"""Hands of Sushi Go! found again from the picks, and how players choose out of them."""

from collections import Counter
from math import comb

import numpy as np
import pandas as pd
import pytest
from sushi_go_replay import logged

from sushibalance import load_rules, simulate
from sushibalance.analysis import draft_rates, tables
from sushibalance.analysis.over import over
from sushibalance.errors import UserError
from sushibalance.simulation.run import Run

POLICIES = ["greedy", "random", "denier", "pudding_lover", "random"]


def played(rules, players, games=15):
    """Return a run, and what its log says was in every hand: Counter by (game, round, turn, seat)."""
    from sushibalance.games.sushi_go.engine import ENGINE

    log = logged(rules, POLICIES[:players], 11, 0, games)
    held = {}
    for game in range(games):
        for number, (dealt, turns) in enumerate(zip(log.deal(game), log.choices(game), strict=True), 1):
            inhand = [Counter(cards) for cards in dealt]
            right = rules.readings.passing == "right" or (rules.readings.passing == "alternating" and number % 2 == 0)
            for turn, chosen in enumerate(turns, 1):
                for seat, (first, second) in enumerate(chosen):
                    held[game, number, turn, seat] = inhand[seat].copy()
                    inhand[seat][first] -= 1
                    if second:
                        inhand[seat][second] -= 1
                        inhand[seat]["chopsticks"] += 1
                inhand = inhand[1:] + inhand[:1] if right else inhand[-1:] + inhand[:-1]
    policies = [ENGINE.policy(policy) for policy in POLICIES[:players]]
    return Run(rules, policies, 11, log.rows), held


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("passing", ["left", "right", "alternating"])
def test_hands_are_those_of_the_log(players, passing):
    rules = load_rules("sushi_go").vary({"readings.passing": passing})
    run, held = played(rules, players)
    frame = draft_rates.hands(run.picks, rules)
    found = {}
    for row in frame.itertuples():
        found.setdefault((row.game, row.round, row.turn, row.seat), Counter())[row.card] = row.copies
    assert found == {key: +cards for key, cards in held.items()}
    moments = frame.groupby(["game", "round", "turn", "seat"])
    assert (moments["copies"].sum() == moments["cards"].first()).all()
    assert (moments["taken"].sum() == moments["of"].first()).all() and frame["of"].max() == 2
    for row in frame[::7].itertuples():
        assert row.chance == pytest.approx(1 - comb(row.cards - row.copies, row.of) / comb(row.cards, row.of))
    first = frame[frame["turn"] == 1]
    assert (first["hand"] == first["seat"]).all()
    taken = run.picks.groupby(["game", "round", "turn", "seat", "card"], observed=True).size()
    some = frame[frame["took"]].set_index(["game", "round", "turn", "seat", "card"])["taken"]
    assert some.sort_index().tolist() == taken.sort_index().tolist()
    shuffled = draft_rates.hands(run.picks.sample(frac=1, random_state=0), rules)
    pd.testing.assert_frame_equal(shuffled, frame)


def test_rates_against_plain_loops():
    run = simulate("sushi_go", policies=POLICIES[:4], games=40, seed=3, progress=False)
    frame = tables.with_policy(draft_rates.hands(run.picks), run.players)
    for by in ("card", ["policy", "card"], ()):
        keys = [by] if isinstance(by, str) else list(by)
        table = draft_rates.beside(frame, by)
        rows = table.set_index(keys) if keys else table
        for key, group in frame.groupby(keys, observed=True) if keys else [(0, frame)]:
            row = rows.loc[key if not keys or len(keys) > 1 else key[0]]
            assert row["offered"] == len(group)
            assert row["taken"] == pytest.approx((group["taken"] > 0).mean())
            assert row["against_chance"] == pytest.approx(group["took"].sum() / group["chance"].sum())
            assert row["taken_at"] == pytest.approx(np.average(group["turn"], weights=group["taken"]))
            last = group.groupby(["game", "round", "hand", "card"], observed=True)["turn"].max()
            assert row["last_seen"] == pytest.approx(last.mean())
    mixed = frame.sample(frac=1, random_state=2)
    pd.testing.assert_frame_equal(draft_rates.beside(mixed), draft_rates.beside(frame))


def test_random_players_take_all_alike():
    """Against chance 1 and worth by copies: each card of the hand is as likely as the others."""
    run = simulate("sushi_go", policies="random", games=1_500, seed=5, progress=False)
    frame = draft_rates.hands(run.picks)
    single = frame[frame["of"] == 1]
    found = draft_rates.against_chance(single, ["card", "turn"])
    found = found[found["turn"] < 8]
    inside = (found["low"] <= 1) & (found["estimate"] > 0) & (found["high"] >= 1)
    assert 0.88 < inside.mean() <= 1
    alone = single[single.groupby(["game", "round", "turn", "seat"])["copies"].transform("max") == 1]
    worth = draft_rates.worths(alone)
    assert ((worth["low"] <= 1) & (worth["high"] >= 1)).mean() > 0.8


def test_a_pudding_lover_takes_puddings():
    run = simulate("sushi_go", policies=["pudding_lover", "random", "random", "random"], games=300, progress=False)
    found = over(run, draft_rates.beside, "hands", by=["policy", "card"]).set_index(["policy", "card"])
    lover, random = found.loc["pudding_lover", :].loc["pudding"], found.loc["random", :].loc["pudding"]
    assert lover["taken_low"] > 0.9 and random["taken_high"] < 0.4
    assert lover["last_seen"] < random["last_seen"] + 1
    worth = over(run, draft_rates.worths, "hands", by="policy").set_index(["policy", "card"])["estimate"]
    assert worth["pudding_lover"].idxmax() == "pudding"


def test_whole_runs_part_by_part(monkeypatch):
    from sushibalance.analysis import over as module

    rules = load_rules("sushi_go").vary({"readings.passing": "alternating"})
    run = simulate(rules, policies="greedy", games=60, seed=2, progress=False)
    whole = draft_rates.taken(draft_rates.hands(run.picks, rules), ["card", "turn"])
    monkeypatch.setattr(module, "PIECE", 17)
    pd.testing.assert_frame_equal(over(run, draft_rates.taken, "hands", by=["card", "turn"]), whole, check_exact=True)


def test_picks_that_cannot_be_are_told():
    rules = load_rules("sushi_go").vary({"readings.passing": "right"})
    run = simulate(rules, policies="random", games=30, seed=2, progress=False)
    with pytest.raises(UserError, match="found cards that cannot have been in the hands"):
        draft_rates.hands(run.picks)  # as if they went left: chopsticks come from nowhere
    with pytest.raises(UserError, match="picks: in game 0, round 1"):
        draft_rates.hands(run.picks.drop(index=3), rules)
    lost = run.picks.assign(card=run.picks["card"].where(run.picks.index != 9))
    with pytest.raises(UserError, match="picks: in game 0, round 1"):
        draft_rates.hands(lost, rules)
    with pytest.raises(UserError, match='picks: no column "turn"'):
        draft_rates.hands(run.picks.drop(columns="turn"))
    assert draft_rates.hands(run.picks.iloc[:0]).empty
