"""What the order of picking causes: the spread by hand, pairs of runs, and the direction of each rule."""

import numpy as np
import pandas as pd
import pytest
from synthetic import otter

from sushibalance import load_rules, simulate
from sushibalance.analysis import leads
from sushibalance.analysis.catch_up import catch_up, spread
from sushibalance.errors import UserError

RULES = load_rules("otter")


def test_the_spread_by_hand():
    rounds = otter(games=30, seed=1).rounds.sample(frac=1, random_state=0)
    found = spread(rounds)
    for row in found.itertuples():
        after = rounds[rounds["round"] == row.round].groupby("game")["vp"]
        differences = after.max() - after.min()
        assert row.n == row.games == 30
        assert row.estimate == pytest.approx(differences.mean())
        half = 2.0452296 * (differences.std() or np.nan) / np.sqrt(30)  # none where no game differs
        assert (row.low, row.high) == pytest.approx((row.estimate - half, row.estimate + half), nan_ok=True)
    apart = spread(rounds.assign(table=pd.Categorical(np.where(rounds["game"] < 10, "a", "b"))), ["table", "round"])
    assert apart.groupby("table", observed=True)["games"].max().to_dict() == {"a": 10, "b": 20}


@pytest.fixture(scope="module")
def found():
    return catch_up(games=500, seed=3, policies="greedy", progress=False, workers=2)


def test_both_orders_are_set_against_picking_by_lot(found):
    assert found.base.play.pick_order == "random"
    assert {name: rules.play.pick_order for name, rules in found.variants.items()} == {
        "worst_rank_first": "worst_rank_first",
        "best_rank_first": "best_rank_first",
    }
    runs = {
        order: simulate(RULES.vary({"play.pick_order": order}), policies="greedy", games=500, seed=3, progress=False)
        for order in ("random", "worst_rank_first")
    }
    lot, worst = (spread(run.rounds) for run in runs.values())
    frame = found.frames["spread"]
    frame = frame[frame["change"] == "worst_rank_first"].reset_index(drop=True)
    assert frame["base"].to_numpy() == pytest.approx(lot["estimate"])
    assert frame["variant"].to_numpy() == pytest.approx(worst["estimate"])
    changes = [leads.lead_changes(leads.standings(run.rounds, run.players))["estimate"][0] for run in runs.values()]
    row = found.frames["lead_changes_a_game"].iloc[0]
    assert (row["base"], row["variant"]) == pytest.approx(changes)


def test_worst_first_brings_the_players_together_and_best_first_drives_them_apart(found):
    for metric, up in (("spread", "best_rank_first"), ("lead_changes_a_game", "worst_rank_first")):
        frame = found.frames[metric]
        frame = frame[frame["round"] == 8] if "round" in frame else frame
        for row in frame.itertuples():
            assert row.low > 0 if row.change == up else row.high < 0
    comebacks = found.frames["comebacks"].query("3 <= round <= 5").groupby("change", observed=True)["estimate"].mean()
    assert comebacks["worst_rank_first"] > 0.03 and comebacks["best_rank_first"] < 0
    before = found.frames["spread"].query("round == 1")  # nobody has picked yet
    assert (
        (before["estimate"] == 0).all() and (before["low"] == -before["high"]).all() and (before["high"] < 0.05).all()
    )


def test_it_is_told_in_words(found):
    text = " ".join(found.sentences(most=20))
    assert "VP between first and last after a round" in text and "lead changes a game" in text


def test_other_games_are_refused():
    with pytest.raises(UserError, match="catch_up: found rules of nightmares, allowed Sushi Otter"):
        catch_up("nightmares", games=10, progress=False)


def test_the_numbers_are_always_the_same():
    with pytest.raises(UserError, match="catch_up: found metrics, which are always spread"):
        catch_up(metrics="vp")
