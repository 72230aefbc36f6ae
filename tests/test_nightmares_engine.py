"""The compiled engine: same rows whatever runs it, cards conserved, chances as they must be, readable traces."""

import hashlib
from dataclasses import replace
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from nightmares_replay import READINGS, decisions_of, logged, play

from sushibalance import Policy, PolicyError, load_rules, simulate, trace
from sushibalance.games.nightmares.engine import ENGINE
from sushibalance.games.nightmares.kernel.state import CHEF
from sushibalance.games.nightmares.policies import POLICIES, decision

RULES = load_rules("nightmares")
GOLDEN = Path(__file__).parent / "golden" / "nightmares.txt"
TABLES = [[name] * players for name, players in zip(POLICIES, (2, 3, 4, 5, 6), strict=True)]
TABLES.append(["random", "greedy(rivals=1)", "penalty_hunter(reach=6)", "honest", "trickster"])


def rules_in_use():
    """Return the base game and one with every reading at its last alternative."""
    changes = {f"readings.{key}": values[-1] for key, values in READINGS.items()}
    return [RULES, RULES.vary(changes | {"abilities.ninjutsu_chin.at_most": 3, "penalty_victory": 7})]


def digest(games):
    """Return a hash of all rows of some games of every policy."""
    total = hashlib.sha256()
    for rules in rules_in_use():
        for policies in TABLES:
            for rows in play(rules, policies, seed=21, games=games).values():
                for field in rows.dtype.names:
                    total.update(np.ascontiguousarray(rows[field]).tobytes())
    return total.hexdigest()


DIGEST = "import sys; sys.path.insert(0, 'tests'); import test_nightmares_engine as t; sys.stdout.write(t.digest(6))"


def test_the_same_rows_with_the_jit_off(python):
    assert python(DIGEST, NUMBA_DISABLE_JIT="1") == digest(6)


def test_the_same_rows_with_bounds_checked(python, tmp_path):
    """A fresh cache, or the compiled code without checks would be found there."""
    code = """
import numba, numpy as np
@numba.njit
def beyond(array): return array[len(array)]
try: beyond(np.zeros(3))
except IndexError: pass
else: raise SystemExit("bounds are not checked")
"""
    assert python(code + DIGEST, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)) == digest(6)


def test_policies_see_what_their_player_may_know_and_no_more(python):
    """Every view of a policy is rebuilt from public events and the player's own cards; see nightmares_spy."""
    views = python("import runpy; runpy.run_path('tests/nightmares_spy.py', run_name='__main__')",
                   NUMBA_DISABLE_JIT="1", PYTHONPATH="tests")  # fmt: skip
    assert int(views) > 3_000


def test_a_game_depends_on_the_seed_and_its_number_only():
    whole = play(RULES, ["random", "greedy", "trickster"], seed=5, games=20)
    for first, games in ((0, 7), (7, 12), (19, 1)):
        part = play(RULES, ["random", "greedy", "trickster"], seed=5, first=first, games=games)
        for name, rows in part.items():
            assert np.array_equal(rows, whole[name][first : first + games])
    assert not np.array_equal(
        whole["rounds"], play(RULES, ["random", "greedy", "trickster"], seed=6, games=20)["rounds"]
    )


def test_variants_meet_the_same_shuffles_and_choices():
    """Penalty victory at 8 and at 12: the same games, until one of them ends."""
    eight, twelve = (
        play(load_rules(f"penalty_victory_{points}"), ["random"] * 4, seed=3, games=500) for points in (8, 12)
    )
    short = 0
    for game in range(500):
        rounds = int(min(eight["games"][game].rounds, twelve["games"][game].rounds))
        assert np.array_equal(eight["rounds"][game, :rounds], twelve["rounds"][game, :rounds])
        short += eight["games"][game].rounds < twelve["games"][game].rounds
    assert short > 20
    assert np.array_equal(eight["players"]["aside"], twelve["players"]["aside"])


# -- cards ------------------------------------------------------------------------------------------


def test_every_card_stays_in_the_game_and_is_used_once():
    """Over 10,000 games of all policies: no grade or ability twice, no chef chosen after it left."""
    for policies in TABLES:
        run = simulate(RULES, policies=policies, players=len(policies), games=2_000, seed=8, progress=False)
        rounds = run.rounds
        aside = run.frame("set_aside").assign(served=lambda frame: frame["grade"].astype(str))
        served = rounds[["game", "seat"]].assign(served=rounds["served"].astype(str))
        cards = pd.concat([served, aside[["game", "seat", "served"]]])
        assert not cards.duplicated().any()
        assert len(served) == run.games["rounds"].sum() * len(policies)
        assert not rounds[rounds["ability"] != "none"].duplicated(["game", "seat", "ability"]).any()
        chefs = rounds[rounds["ate"].astype(str).str.startswith("chef")]
        assert not chefs.drop_duplicates(["game", "ate", "round"]).duplicated(["game", "ate"]).any()


def test_own_sushi_is_eaten_exactly_when_nobody_chose_it():
    rounds = simulate(RULES, players=5, games=500, progress=False).rounds
    for (_, _), group in rounds.groupby(["game", "round"]):
        chosen = set(group["ate"])
        assert [f"seat {seat}" not in chosen for seat in group["seat"]] == group["ate_own"].tolist()


# -- chances ----------------------------------------------------------------------------------------


def close(found, expected, n, variance=None, sigmas=4.5):
    """Check a mean of ``n`` independent draws; by default of 0 and 1."""
    variance = expected * (1 - expected) if variance is None else variance
    assert abs(found - expected) < sigmas * sqrt(variance / n), (found, expected)


N = 40_000


@pytest.fixture(scope="module")
def four():
    return simulate("nightmares/no_penalty_victory", games=N, seed=31, progress=False)


def test_random_serves_and_sets_aside_every_grade_alike(four):
    for number in range(1, 5):
        rounds = four.rounds[four.rounds["round"] == number]
        for share in rounds["served"].value_counts(normalize=True):
            close(share, 1 / 5, N)  # seats of a game are independent here; N is on the safe side
    for share in four.frame("set_aside")["grade"].value_counts(normalize=True):
        close(share, 1 / 5, N)


def test_random_plays_none_or_any_ability_alike(four):
    """One in six at first; later one in (cards left + 1), which keeps all five alike."""
    first = four.rounds[four.rounds["round"] == 1]["ability"].value_counts(normalize=True)
    for share in first:
        close(share, 1 / 6, N)
    chance, left = 1.0, {5: 1.0}
    for number in range(1, 5):
        rounds = four.rounds[four.rounds["round"] == number]
        chance = sum(share / (cards + 1) for cards, share in left.items())
        close((rounds["ability"] == "none").mean(), chance, N)
        after: dict[int, float] = {}
        for cards, share in left.items():
            after[cards] = after.get(cards, 0) + share / (cards + 1)
            after[cards - 1] = after.get(cards - 1, 0) + share * cards / (cards + 1)
        left = after


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_random_eats_anything_on_offer_alike(players):
    run = simulate(RULES, players=players, games=N, seed=32, progress=False)
    first = run.rounds[run.rounds["round"] == 1]
    offers = players - 1 + (players == 2) + 3
    for seat in range(players):
        shares = first[first["seat"] == seat]["ate"].value_counts(normalize=True)
        assert shares[f"seat {seat}"] == 0
        for name, share in shares.items():
            if name != f"seat {seat}":
                close(share, 1 / offers, N)
    alone = (1 - 1 / offers) ** (players - 1)
    close(first[first["seat"] == 0]["ate_own"].mean(), alone, N)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_chance_of_a_lone_ninjutsu_chin(players):
    """Each player plays it with chance 1/6 in round 1; its target is any player."""
    run = simulate(RULES, players=players, games=N, seed=33, progress=False)
    first = run.rounds[run.rounds["round"] == 1]
    lone = first.groupby("game")["target"].count()
    assert set(lone) == {0, 1}
    close(lone.mean(), players / 6 * (5 / 6) ** (players - 1), N)
    targets = first["target"].dropna().value_counts(normalize=True)
    for share in targets:
        close(share, 1 / players, int(lone.sum()))


def test_each_chef_card_lies_on_the_table_three_times_in_four():
    _, logs = logged(RULES, ["random"] * 2, seed=34, games=8_000)
    out = [left_out[0] for _, left_out in (decisions_of(RULES, events) for events in logs)]
    first = [decisions_of(RULES, events)[0].chefs[0] for events in logs]
    for value in RULES.chefs.points:
        close(out.count(value) / 8_000, 1 / 4, 8_000)
        close(first.count(value) / 8_000, 1 / 4, 8_000)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_mean_score_of_the_first_round_under_random(players):
    """What is eaten from others is worth 0 on average, own sushi 1/5 (C is worth 1 to its owner).

    Own sushi is eaten with the chance that nobody comes, and counts negative with a Swelling Tongue (1/6);
    a lone Sauce (1/6 * (5/6)**rivals) gives 2; a lone Chin takes 1 from any player.
    """
    run = simulate(RULES, players=players, games=N, seed=35, progress=False)
    first = run.rounds[(run.rounds["round"] == 1) & (run.rounds["seat"] == 0)]
    score = (first["gold"] - first["penalty"]).to_numpy()
    rivals = players - 1
    alone = (1 - 1 / (rivals + 3)) ** rivals
    only = 1 / 6 * (5 / 6) ** rivals
    expected = alone * (5 / 6 - 1 / 6) / 5 + 2 * only - only
    close(score.mean(), expected, N, variance=score.var())


def test_first_starter_and_seats_are_alike(four):
    first = four.rounds[(four.rounds["round"] == 1) & (four.rounds["order"] == 1)]
    for share in first["seat"].value_counts(normalize=True):
        close(share, 1 / 4, N)
    for share in four.players.groupby("seat")["win"].mean():
        close(share, 1 / 4, N)


def test_two_cats_meet_as_often_as_they_must(four):
    """At least two Fortune Cats in round 1, from the binomial distribution."""
    first = four.rounds[four.rounds["round"] == 1]
    cats = (first["ability"] == "fortune_cat").groupby(first["game"]).sum()
    for count in range(3):
        close((cats == count).mean(), comb(4, count) * 5 ** (4 - count) / 6**4, N)


# -- illegal choices, the user's own policy, traces ----------------------------------------------------


@decision
def bad_choice(rules, table, own, seat, params, rng, choice):
    if table.round_number == params[0]:
        choice[0] = int(params[1])
        choice[1] = int(params[2])


@decision
def first_card(rules, table, own, seat, params, rng, choice):
    while own.hand[choice[0]] == 0:
        choice[0] += 1


@decision
def first_plate(rules, table, own, seat, params, rng, choice):
    choice[0] = 1 if seat == 0 else 0


@decision
def lone_chin(rules, table, own, seat, params, rng, choice):
    while own.hand[choice[0]] == 0:
        choice[0] += 1
    choice[1] = 2 if own.abilities[1] and table.round_number == 1 else 0


def make(parameters=(), **decisions):
    return Policy("mine", decisions, {f"p{at}": float(value) for at, value in enumerate(parameters)})


LEGAL = {"set_aside": first_card, "serve": first_card, "eat": first_plate}


@pytest.mark.parametrize(
    ("bad", "numbers", "complaint", "number"),
    [
        ("set_aside", (0, 5, 0), "a sushi card that is not in its hand", 0),
        ("set_aside", (0, -1, 0), "a sushi card that is not in its hand", 0),
        ("serve", (1, 0, 0), "a sushi card that is not in its hand", 1),  # grade A was set aside
        ("serve", (1, 1, 6), "an ability card that it does not hold", 1),
        ("serve", (1, 1, -1), "an ability card that it does not hold", 1),
        ("eat", (1, 1, 0), "a plate or chef that it may not eat", 1),  # the own plate
        ("eat", (1, 4, 0), "a plate or chef that it may not eat", 1),
        ("eat", (1, CHEF + 3, 0), "a plate or chef that it may not eat", 1),
        ("eat", (1, -1, 0), "a plate or chef that it may not eat", 1),
    ],
)
def test_an_illegal_choice_ends_the_run_with_an_error_that_finds_it(bad, numbers, complaint, number):
    decisions = LEGAL | {bad: bad_choice}
    with pytest.raises(PolicyError, match=complaint) as caught:
        simulate(RULES, policies=["random", make(numbers, **decisions), "random", "random"], games=50, progress=False)
    assert f"seat 1, round {number}, game 0, seed 0" in str(caught.value)
    assert '"mine"' in str(caught.value)


@pytest.mark.parametrize("target", [-1, 4])
def test_an_illegal_target(target):
    quiet = replace(make(**LEGAL), name="quiet")
    aiming = make((1, target, 0), **(LEGAL | {"serve": lone_chin, "target": bad_choice}))
    with pytest.raises(PolicyError, match="a Ninjutsu Chin target that is no player"):
        simulate(RULES, policies=[quiet, quiet, aiming, quiet], games=1, progress=False)


def test_a_chef_that_has_left_cannot_be_chosen():
    @decision
    def same_chef(rules, table, own, seat, params, rng, choice):
        choice[0] = CHEF

    with pytest.raises(PolicyError, match=r"a plate or chef that it may not eat .*round 2"):
        simulate(RULES, policies=[make(eat=same_chef), "random", "random"], players=3, games=1, progress=False)


def test_a_users_own_policy_plugs_in_without_recompiling_the_engine():
    """The policy of the module's own documentation."""
    from sushibalance.games.nightmares.kernel.game import play_games
    from sushibalance.games.nightmares.kernel.state import FACE_DOWN

    simulate(RULES, games=10, progress=False)
    compiled = len(play_games.signatures)

    @decision
    def likes_chefs(rules, table, own, seat, params, rng, choice):
        choice[0] = (seat + 1) % table.players
        for place in range(rules.chefs_on_table):
            if table.chef[place] == FACE_DOWN:
                choice[0] = CHEF + place

    fan = Policy("chef fan", {"eat": likes_chefs})
    run = simulate(RULES, policies=[fan, "random", "random", "greedy"], games=300, progress=False)
    eaten = run.rounds[(run.rounds["seat"] == 0) & (run.rounds["round"] == 1)]["ate"]
    assert set(eaten) == {"chef 2"}
    assert len(play_games.signatures) == compiled


def test_engine_names():
    assert ENGINE.decisions == ("set_aside", "serve", "eat", "target")
    assert set(ENGINE.policies) == {"random", "greedy", "penalty_hunter", "honest", "trickster"}
    assert ENGINE.seats == (2, 6)


def test_frames_have_the_columns_that_are_promised():
    run = simulate(RULES, policies=["penalty_hunter"] * 6, players=6, games=300, progress=False)
    assert list(run.rounds.columns) == [
        "game", "round", "seat", "order", "served", "ability", "target", "ate", "ate_own", "gold", "penalty",
    ]  # fmt: skip
    rounds = run.games.set_index("game")["rounds"]
    assert (run.rounds.groupby("game")["round"].max() == rounds).all() and (rounds < 4).any()
    assert list(run.rounds["ate"].cat.categories) == [
        *(f"seat {seat}" for seat in range(6)), "chef 0", "chef 1", "chef 2",
    ]  # fmt: skip
    assert list(run.rounds["served"].cat.categories) == list("ABCDF")
    assert str(run.rounds["target"].dtype) == "Int8"
    assert not run.rounds.drop(columns="target").isna().any().any()


def golden_trace():
    return "\n".join(
        [
            trace(RULES, policies=["greedy", "penalty_hunter", "honest", "trickster"], seed=12, game=1),
            trace(RULES, players=2, policies=["random", "penalty_hunter"], seed=5, game=8),
            trace(RULES, players=5, policies="penalty_hunter", seed=2, game=7),
        ]
    )


def test_golden_trace():
    """To mend after a wanted change: ``python tests/test_nightmares_engine.py``."""
    assert golden_trace() == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN.write_text(golden_trace(), encoding="utf-8")
