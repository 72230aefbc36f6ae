"""When and how often power-ups are taken: by hand, against plain loops, and worths that are known."""

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance import simulate
from sushibalance.analysis import pick_rates, tables
from sushibalance.analysis.over import over
from sushibalance.stats.groups import ColumnError

# Two rounds of three cards for two players. Round 1: 7 first, then 5, 9 stays. Round 2: 9 first, 7 stays, 8 second.
OFFERS = pd.DataFrame({"game": 0, "round": [1, 1, 1, 2, 2, 2], "slot": [0, 1, 2] * 2, "power_up": [5, 9, 7, 9, 7, 8]})
PICKS = pd.DataFrame(
    {"game": 0, "round": [1, 1, 2, 2], "order": [1, 2, 1, 2], "seat": [1, 0, 0, 1], "power_up": [7, 5, 9, 8]}
)
SEATS = pd.DataFrame({"game": 0, "seat": [0, 1], "policy": pd.Categorical(["a", "b"])})


def turns():
    return pick_rates.turns(OFFERS, PICKS)


def estimates(frame, *keys):
    return frame.set_index(list(keys))["estimate"].to_dict()


def test_by_hand():
    assert estimates(pick_rates.first_picks(turns()), "power_up") == {5: 0.0, 7: 0.5, 8: 0.0, 9: 0.5}
    assert estimates(pick_rates.taken_at(turns()), "power_up") == {5: 2.0, 7: 1.0, 8: 2.0, 9: 1.0}
    assert estimates(pick_rates.last_seen(turns()), "power_up") == {5: 2.0, 7: 1.5, 8: 2.0, 9: 1.5}
    assert pick_rates.last_seen(turns())["n"].tolist() == [1, 2, 1, 2]


def test_by_hand_for_the_players_of_a_policy():
    """a sees 5 and 9 in round 1 (second to pick), all three in round 2; b the others."""
    seen = tables.with_policy(turns(), SEATS)
    keys = ["policy", "power_up"]
    last = estimates(pick_rates.last_seen(seen, keys), *keys)
    assert last == {
        ("a", 5): 2, ("a", 7): 1, ("a", 8): 1, ("a", 9): 1.5,
        ("b", 5): 1, ("b", 7): 1.5, ("b", 8): 2, ("b", 9): 1,
    }  # fmt: skip
    found = pick_rates.beside(seen, keys).set_index(keys)
    assert found["taken"].to_dict() == {
        ("a", 5): 1, ("a", 7): 0, ("a", 8): 0, ("a", 9): 0.5,
        ("b", 5): 0, ("b", 7): 0.5, ("b", 8): 1, ("b", 9): 0,
    }  # fmt: skip
    assert found["offered"].to_dict() == {key: 1 + (key in {("a", 9), ("b", 7)}) for key in found.index}


@pytest.mark.parametrize("by", ["power_up", ["policy", "power_up"], ["power_up", "round"], "policy", ()])
def test_against_plain_loops(by):
    run = synthetic.otter(120, policies=["tank", "saver", "saver", "greedy"], seed=3, wanted=(7, 30))
    seen = tables.with_policy(pick_rates.turns(run.offers, run.picks), run.players)
    keys = [by] if isinstance(by, str) else list(by)
    table = pick_rates.beside(seen, by)
    rows = table.set_index(keys) if keys else table
    for key, group in seen.groupby(keys, observed=True) if keys else [(0, seen)]:
        key = key if not keys or len(keys) > 1 else key[0]
        offers = [offer for _, offer in group.groupby(["game", "round", "power_up"])]
        row = rows.loc[key]
        assert row["offered"] == len(offers) and row["games"] == group["game"].nunique()
        assert row["taken"] == pytest.approx(np.mean([offer["taken"].any() for offer in offers]))
        assert row["last_seen"] == pytest.approx(np.mean([offer["order"].max() for offer in offers]))
        assert row["taken_at"] == pytest.approx(group.loc[group["taken"], "order"].mean(), nan_ok=True)
        assert row["first_pick"] == pytest.approx(group.loc[group["order"] == 1, "taken"].mean(), nan_ok=True)
        assert row["against_chance"] == pytest.approx(group["taken"].sum() / group["chance"].sum())
        for name in pick_rates.BESIDE:
            assert not row[f"{name}_low"] > row[name] and not row[name] > row[f"{name}_high"]
    assert len(rows) == (seen.groupby(keys, observed=True).ngroups if keys else 1)


def test_the_table_agrees_with_its_parts():
    run = synthetic.otter(200, seed=4)
    seen = pick_rates.turns(run.offers, run.picks)
    table = pick_rates.beside(seen, level=0.8)
    assert table.attrs["level"] == 0.8
    alone = {
        "taken": pick_rates.taken(run.offers, level=0.8),
        "first_pick": pick_rates.first_picks(seen, level=0.8),
        "against_chance": pick_rates.against_chance(seen, level=0.8),
        "taken_at": pick_rates.taken_at(seen, level=0.8),
        "last_seen": pick_rates.last_seen(seen, level=0.8),
    }
    for name, frame in alone.items():
        for column, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high")):
            assert table[name + suffix].to_numpy() == pytest.approx(frame[column].to_numpy()), (name, column)


def test_shuffled_turns_say_the_same():
    run = synthetic.otter(50, seed=5)
    seen = pick_rates.turns(run.offers, run.picks)
    mixed = seen.sample(frac=1, random_state=1).sort_values("order", kind="stable")
    pd.testing.assert_frame_equal(pick_rates.beside(mixed), pick_rates.beside(seen))
    pd.testing.assert_frame_equal(pick_rates.worths(mixed), pick_rates.worths(seen))


def test_worths_of_a_run_whose_players_choose_by_worth():
    """Offers of five cards; each of four turns takes one with a chance in proportion to its worth."""
    rng, cards = np.random.default_rng(6), 20
    log = np.linspace(-1, 1, cards)
    sets = rng.random((600, 5, cards)).argpartition(5, axis=-1)[..., :5]
    order = np.take_along_axis(sets, np.argsort(-(log[sets] + rng.gumbel(size=sets.shape)), axis=-1), -1)
    game, number, place = (index.ravel() for index in np.indices(order.shape))
    offers = pd.DataFrame({"game": game, "round": number + 1, "slot": place, "power_up": order.ravel() + 1})
    picks = offers[place < 4].assign(order=place[place < 4] + 1, seat=place[place < 4])
    found = pick_rates.worths(pick_rates.turns(offers, picks))
    assert found["power_up"].tolist() == list(range(1, cards + 1))
    assert np.log(found["estimate"]).sum() == pytest.approx(0.0, abs=1e-9)
    inside = (np.log(found["low"]) <= log) & (log <= np.log(found["high"]))
    assert inside.mean() >= 0.8 and abs(np.log(found["estimate"]) - log).max() < 0.25
    by = pick_rates.worths(tables.with_policy(pick_rates.turns(offers, picks), SEATS4), "policy")
    assert by.columns[:2].tolist() == ["policy", "power_up"] and len(by) == 2 * cards
    even = pick_rates.worths(pick_rates.turns(offers, picks), "order")
    assert np.abs(np.log(even["estimate"]).groupby(even["order"]).corr(pd.Series(np.tile(log, 4)))).min() > 0.9


def test_worths_of_cards_that_are_alike_are_those_of_one():
    """Four power-ups, of which two are one card; over several runs the card's worth is found without bias."""
    alike, log = np.array([0, 0, 1, 2]), np.log([3.0, 3.0, 1.0, 0.5])
    expected, off, inside = np.array([3.0, 1.0, 0.5]) / np.cbrt(1.5), [], []
    for seed in range(12):
        gumbel = np.random.default_rng(seed).gumbel(size=(1_000, 4))
        order = np.argsort(-(log + gumbel), axis=1)
        game, place = (index.ravel() for index in np.indices(order.shape))
        offers = pd.DataFrame({"game": game, "round": 1, "slot": place, "power_up": order.ravel() + 1})
        picks = offers[place < 3].assign(order=place[place < 3] + 1, seat=place[place < 3])
        seen = pick_rates.turns(offers, picks)
        seen["card"] = pd.Categorical.from_codes(alike[seen["power_up"] - 1], ["a", "b", "c"])
        found = pick_rates.worths(seen, item="card")
        assert found["card"].tolist() == ["a", "b", "c"]
        assert found["n"].tolist() == seen.groupby("card", observed=True).size().tolist()
        off.append(np.log(found["estimate"] / expected))
        inside.append((found["low"] <= expected) & (expected <= found["high"]))
    assert np.abs(np.mean(off, axis=0)).max() < 0.04 and np.mean(inside) >= 0.85
    same = pick_rates.worths(seen.assign(card=seen["power_up"]), item="card")
    assert same["estimate"].equals(pick_rates.worths(seen)["estimate"])


def test_rates_by_number_of_players_and_worths_of_cards_of_any_run():
    runs = {players: simulate("otter", players=players, games=40, seed=3, progress=False) for players in (2, 3)}
    found = over(runs, pick_rates.against_chance, "turns", by=["players", "card"], keys=["players"])
    assert found["players"].unique().tolist() == [2, 3] and found["card"].str.startswith("52 to 63").sum() == 2
    ceilings = found.groupby("players")["ceiling"].max()
    assert ceilings.tolist() == [3, 4]
    worth = over(runs[3], pick_rates.worths, "turns", item="card")
    told = tables.with_cards(pick_rates.turns(runs[3].offers, runs[3].picks), runs[3].rules)
    pd.testing.assert_frame_equal(worth, pick_rates.worths(told, item="card"))


SEATS4 = pd.DataFrame({"game": 0, "seat": range(4), "policy": pd.Categorical(["a", "b", "a", "b"])})


def test_a_missing_column_is_told():
    with pytest.raises(ColumnError, match='turns: no column "order"'):
        pick_rates.first_picks(turns().drop(columns="order"))
    with pytest.raises(ColumnError, match='no column "polcy"'):
        pick_rates.worths(turns(), "polcy")


@pytest.mark.parametrize("by", ["power_up", ["power_up", "round"], "round", ()])
def test_a_row_an_offer_says_the_same_as_a_row_a_turn(by):
    run = synthetic.otter(120, policies=["tank", "saver", "saver", "greedy"], seed=3, wanted=(7, 30))
    offers, picks = run.offers, run.picks[run.picks["game"] != 5]  # a game in which nobody picks has no turns
    short, long = pick_rates.met(offers, picks), pick_rates.turns(offers, picks)
    assert len(short) < len(long) / 2 and short["turns"].sum() == len(long)
    rows = long.groupby(["game", "round", "power_up"], as_index=False)
    slow = rows.agg(turns=("taken", "size"), taken=("taken", "any"), chance=("chance", "sum"), least=("chance", "min"))
    order = ["game", "round", "power_up"]
    pd.testing.assert_frame_equal(short.sort_values(order, ignore_index=True), slow, check_dtype=False, rtol=1e-15)
    expected = pick_rates.against_chance(long, by)
    pd.testing.assert_frame_equal(pick_rates.against_chance(short, by), expected, check_exact=True)


def test_offers_that_nobody_met_have_no_rows():
    none = pick_rates.met(OFFERS, PICKS[:0])
    assert none.empty and pick_rates.met(OFFERS[:0], PICKS[:0]).empty
    assert list(none.columns) == ["game", "round", "power_up", "turns", "taken", "chance", "least"]
