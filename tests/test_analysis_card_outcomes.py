"""Players with a card against those without: plain sums, known effects within their intervals, what is no cause."""

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance.analysis import card_outcomes, tables, win_rates
from sushibalance.analysis.over import over, question, tallied
from sushibalance.errors import UserError
from sushibalance.stats import shrunk
from sushibalance.stats.groups import ColumnError

POLICIES = ["tank", "saver", "saver", "greedy"]


def run(games=150, seed=1):
    return synthetic.otter(games, policies=POLICIES, seed=seed, wanted=(7,))


def plain(players, value, bottom, who):
    """Return the ratio of the players for whom ``who`` is true, and its linearised rest of each game."""
    sums = pd.DataFrame({"game": players["game"], "t": value * who, "n": bottom * who}).groupby("game").sum()
    ratio = sums["t"].sum() / sums["n"].sum()
    return ratio, ((sums["t"] - ratio * sums["n"]) / sums["n"].sum()).to_numpy()


@pytest.mark.parametrize("outcome", card_outcomes.OUTCOMES)
@pytest.mark.parametrize("by", [(), "policy"])
@pytest.mark.parametrize("rounds", [False, True])
def test_against_plain_sums(outcome, by, rounds):
    r = run()
    found = card_outcomes.power_ups(r.picks, r.players, by, outcome=outcome, rounds=rounds)
    tally = card_outcomes.power_ups.tally(r.picks, r.players, by, outcome=outcome, rounds=rounds)
    variances = tally.moments.variance
    assert found.attrs == {"level": 0.95, "association": True}
    ids = r.players["game"] * 4 + r.players["seat"]
    for place in range(0, len(found), 29 if rounds else 3):
        row = found.iloc[place]
        group = r.players if not by else r.players[r.players["policy"] == row["policy"]]
        took = r.picks[r.picks["power_up"] == row["power_up"]]
        then = took[took["round"] == row["round"]] if rounds else took
        have, ever = (ids[group.index].isin(part["game"] * 4 + part["seat"]) for part in (then, took))
        value = group["total"] if outcome == "vp" else group["win"]
        fair = pd.Series(1.0 if outcome == "vp" else 0.25, group.index)
        (with_, one), (without, other) = plain(group, value, fair, have), plain(group, value, fair, ~ever)
        assert row[["with", "without", "estimate"]].tolist() == pytest.approx([with_, without, with_ - without])
        assert row["n"] == have.sum() and row["games"] == group.loc[have, "game"].nunique()
        count, games = row["games"], group["game"].nunique()
        if count > 1:
            expected = (one**2).sum() * count / (count - 1) + (other**2 - 2 * one * other).sum() * games / (games - 1)
            assert variances[place] == pytest.approx(max(expected, 0), abs=1e-9)
    assert found["n"].sum() == len(r.picks)


def test_win_points_are_those_of_win_rates():
    r = run()
    everybody = r.picks.assign(power_up=1).drop_duplicates(["game", "seat"])
    one = card_outcomes.power_ups(everybody, r.players, "policy")
    assert one["with"].to_numpy() == pytest.approx(win_rates.win_points(r.players)["estimate"].to_numpy())
    assert one["without"].isna().all()  # all took something


def test_two_of_one_card_in_a_game_and_none_without():
    """Both players have it: nobody is left to compare with, and no game counts twice."""
    players = pd.DataFrame({"game": [0, 0, 1, 1], "seat": [0, 1, 0, 1], "total": [5, 7, 9, 3], "win": [0, 1, 1, 0]})
    picks = pd.DataFrame({"game": [0, 0, 1, 1, 1], "round": [1, 2, 1, 2, 3], "seat": [0, 1, 0, 1, 1], "power_up": 8})
    found = card_outcomes.power_ups(picks, players, outcome="vp")
    assert found[["with", "n", "games"]].to_numpy().tolist() == [[6, 4, 2]] and found["without"].isna().all()
    first = card_outcomes.power_ups(picks[picks["game"] == 0], players, outcome="vp")
    assert first[["with", "without", "estimate", "games"]].to_numpy().tolist() == [[6, 6, 0, 1]]
    assert first["low"].isna().all()  # one game with it: no spread is known


def test_a_known_effect_is_inside_its_interval():
    """The card adds 3 VP to whoever draws it at random; all at a table share its luck."""
    inside, found = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        games, seats = 120, 4
        total = rng.normal(0, 4, (games, 1)) + rng.normal(30, 5, (games, seats))
        holder = rng.integers(0, seats, games)
        has = rng.random(games) < 0.4
        total[has, holder[has]] += 3
        players = synthetic.players_frame(np.rint(total).astype(int), POLICIES)
        picks = pd.DataFrame({"game": np.flatnonzero(has), "round": 1, "seat": holder[has], "power_up": 5})
        row = card_outcomes.power_ups(picks, players, outcome="vp").iloc[0]
        inside.append(row["low"] <= 3 <= row["high"])
        found.append(row["estimate"])
    assert 0.92 < np.mean(inside) < 0.98 and np.mean(found) == pytest.approx(3, abs=0.2)


def test_win_points_of_a_card_that_nobody_won_with_have_an_upper_bound():
    r = run()
    losers = r.players[r.players["win"] == 0].groupby("game").head(1)
    picks = losers[["game", "seat"]].assign(round=1, power_up=3)
    row = card_outcomes.power_ups(picks, r.players).iloc[0]
    assert row["with"] == 0 and row["with_low"] == 0 and 0 < row["with_high"] < 0.2
    assert row["low"] <= row["estimate"] < row["high"] < -0.5


def test_selection_shows_as_an_effect_where_there_is_none():
    """A card that does nothing, taken by those who will be behind: what goes with it is no cause."""
    r = run(400)
    worst = r.players.sort_values(["game", "total"]).groupby("game").head(1)
    picks = worst[["game", "seat"]].assign(round=7, power_up=3)
    assert card_outcomes.power_ups(picks, r.players, outcome="vp")["high"].iloc[0] < 0


def test_key_clients_and_rounds():
    r = run()
    found = card_outcomes.key_clients(r.picks, r.players, rounds=True)
    came = r.picks[r.picks["key_client"].notna()]
    assert list(found.columns[:2]) == ["key_client", "round"] and found["n"].sum() == len(came)
    whole = card_outcomes.key_clients(r.picks, r.players)
    assert whole["key_client"].tolist() == synthetic.CLIENTS
    parts = found.assign(top=found["with"] * found["n"]).groupby("key_client", observed=True)[["top", "n"]].sum()
    assert (parts["top"] / parts["n"]).to_numpy() == pytest.approx(whole["with"].to_numpy())


def test_parts_add_up_and_runs_of_any_size():
    r = run(90)
    keyed = {"picks": tables.with_policy(r.picks, r.players), "players": r.players}
    ask = card_outcomes.power_ups.tally
    parts = [{name: frame[frame["game"] % 3 == k] for name, frame in keyed.items()} for k in range(3)]
    whole = card_outcomes.power_ups(*keyed.values(), by="policy", rounds=True)
    added = sum(ask(*part.values(), by="policy", rounds=True) for part in parts).frame()
    pd.testing.assert_frame_equal(added, whole, check_exact=True)
    pd.testing.assert_frame_equal(
        over(r, card_outcomes.power_ups, "picks", "players", by="policy", rounds=True), whole, check_exact=True
    )
    mixed = {name: frame.sample(frac=1, random_state=0) for name, frame in keyed.items()}
    pd.testing.assert_frame_equal(card_outcomes.power_ups(*mixed.values(), by="policy", rounds=True), whole)
    tenths = keyed["players"].assign(total=keyed["players"]["total"] / 8)
    halves = [ask(part["picks"], (tenths if k else part["players"]).loc[part["players"].index], outcome="vp")
              for k, part in enumerate(parts)]  # fmt: skip
    assert np.isfinite(sum(halves).frame()["estimate"]).all()


def test_rare_cards_lean_on_the_others():
    r = run()
    found = shrunk(tallied(r, question(card_outcomes.power_ups, "picks", "players")))
    alone = card_outcomes.power_ups(r.picks, r.players)
    assert found["estimate"].std() < alone["estimate"].std() and (found["weight"] < 1).all()


def test_what_cannot_be_asked_is_told():
    r = run(5)
    with pytest.raises(UserError, match=r"outcome: found .*VP.*, allowed win_points or vp"):
        card_outcomes.power_ups(r.picks, r.players, outcome="VP")
    with pytest.raises(ColumnError, match='picks: no column "power_up"'):
        card_outcomes.power_ups(r.picks.drop(columns="power_up"), r.players)
    with pytest.raises(ColumnError, match="too large"):
        card_outcomes.power_ups(r.picks, r.players.assign(total=r.players["total"] / 17), outcome="vp")
    with pytest.raises(ColumnError, match="players: no row with game 4"):
        card_outcomes.power_ups(r.picks, r.players[r.players["game"] < 4])
