"""The named policies of Nightmares of Sushi do what their descriptions and formulas say."""

import numpy as np
import pytest
from nightmares_replay import play, script

from sushibalance import PolicyError, load_rules, simulate
from sushibalance.games.nightmares.engine import ENGINE
from sushibalance.games.nightmares.kernel import judge
from sushibalance.games.nightmares.kernel.state import (
    CHEF,
    FACE_DOWN,
    FORTUNE_CAT,
    GONE,
    NINJUTSU_CHIN,
    NOTHING,
    OWN,
    SWELLING_TONGUE,
    TABLE,
    WHATS_UP_WASABI,
    WHERES_THE_SAUCE,
)
from sushibalance.games.nightmares.policies import LIMITS, POLICIES
from sushibalance.games.nightmares.tables import make_table

RULES = load_rules("nightmares")
A, B, C, D, F = range(5)
JUDGING = [name for name in POLICIES if name != "random"]


def at_table(players=4, round_number=2):
    """Return a table in the middle of a game: nothing seen, nothing gone, no points."""
    table = np.zeros(1, TABLE).view(np.recarray)[0]
    table.round_number, table.players, table.plates = round_number, players, players + (players == 2)
    for field in ("ability", "ate", "target"):
        table[field][:] = NOTHING
    table.aside[:] = FACE_DOWN
    table.chef[:] = GONE
    table.chef[:3] = FACE_DOWN
    return table


def holding(hand="ABCDF", ability=NOTHING, abilities=(1, 1, 1, 1, 1)):
    own = np.zeros(1, OWN).view(np.recarray)[0]
    for grade in hand:
        own.hand["ABCDF".index(grade)] += 1
    own.abilities[:] = abilities
    own.aside = own.served = NOTHING
    own.ability = ability
    return own


def decide(policy, decision, table, own, seat=0, rules=RULES, draws=40):
    """Return all choices that a policy makes here, over many random streams."""
    policy = ENGINE.policy(policy)
    function, params = policy.decisions[decision], policy.params(rules)
    found = set()
    for draw in range(draws):
        choice = np.zeros(2, np.int64)
        with np.errstate(over="ignore"):
            function(make_table(rules)[0], table, own, seat, params, np.array([draw * 12345 + 1], np.uint64), choice)
        found.add(tuple(choice.tolist()))
    return found


def meals(*args, **options):
    return {choice[0] for choice in decide(*args[:1], "eat", *args[1:], **options)}


# -- judging: expectations -----------------------------------------------------------------------------


def params(**changes):
    return ENGINE.policy("greedy").with_parameters(**changes).params(RULES)


def test_expected_plate_is_the_mean_of_the_cards_not_seen_there():
    rules, table = make_table(RULES)[0], at_table()
    assert judge.expected_plate(rules, table, 1, params()) == pytest.approx((3 / 5, 3 / 5))
    table.seen[1, F] = table.seen[1, D] = 1
    assert judge.expected_plate(rules, table, 1, params()) == pytest.approx((1, 0))
    assert judge.expected_plate(rules, table, 1, params(trust=1)) == (2, 0)
    assert judge.expected_plate(rules, table, 1, params(trust=-1)) == (0, 0)
    assert judge.expected_plate(rules, table, 1, params(trust=0.5)) == pytest.approx((1.5, 0))
    assert judge.expected_plate(rules, table, 2, params(trust=-1)) == (0, 2)
    table.aside[1] = A  # shown by the option of reading N1
    assert judge.expected_plate(rules, table, 1, params()) == pytest.approx((1 / 2, 0))


def test_expected_chef_is_the_mean_of_the_cards_not_seen():
    rules, table = make_table(RULES)[0], at_table()
    assert judge.expected_chef(rules, table, 0) == pytest.approx((3 / 4, 3 / 4))
    table.chef_seen[3] = 1  # the 2 penalty
    assert judge.expected_chef(rules, table, 0) == pytest.approx((1, 1 / 3))
    table.chef[1] = 3  # lies open by the option of reading N2
    assert judge.expected_chef(rules, table, 1) == (0, 2)


def test_chance_to_play_an_ability_alone():
    """A rival that may hold all five plays any of six with the same chance."""
    rules, table = make_table(RULES)[0], at_table()
    assert judge.few_chance(rules, table, 0, WHERES_THE_SAUCE, 0) == pytest.approx((5 / 6) ** 3)
    table.used[1, WHERES_THE_SAUCE] = 1
    table.used[2, FORTUNE_CAT] = 1
    assert judge.few_chance(rules, table, 0, WHERES_THE_SAUCE, 0) == pytest.approx(5 / 6 * 4 / 5)
    assert judge.few_chance(rules, table, 0, WHERES_THE_SAUCE, 1) == pytest.approx(1 - 1 / 6 * 1 / 5)
    assert judge.few_chance(rules, at_table(6), 0, FORTUNE_CAT, 5) == pytest.approx(1)


def test_serving_is_worth_the_own_plate_if_nobody_comes_less_what_guests_get():
    rules, table = make_table(RULES)[0], at_table()
    guest = judge.guest_chance(rules, table, params())
    assert guest == pytest.approx(1 / 6)
    assert judge.guest_chance(rules, table, params(lure=0.5)) == pytest.approx(7 / 12)
    alone = (5 / 6) ** 3
    assert judge.serve_worth(rules, table, A, NOTHING, guest, False, params()) == pytest.approx(2 * alone)
    assert judge.serve_worth(rules, table, A, SWELLING_TONGUE, guest, False, params()) == pytest.approx(-2 * alone)
    assert judge.serve_worth(rules, table, C, NOTHING, guest, False, params(rivals=3)) == pytest.approx(alone)
    assert judge.serve_worth(rules, table, F, NOTHING, guest, False, params(rivals=3)) == pytest.approx(1 - 2 * alone)
    assert judge.serve_worth(rules, table, F, NOTHING, guest, True, params()) == pytest.approx(2 * alone)


def test_worth_of_abilities():
    rules, table = make_table(RULES)[0], at_table()
    table.penalty[0] = 1
    lone = (5 / 6) ** 3

    def worth(ability, hunting=False, **changes):
        return judge.ability_worth(rules, table, 0, ability, hunting, params(**changes))

    assert worth(FORTUNE_CAT) == pytest.approx(2)  # a penalty less and a gold more
    assert worth(FORTUNE_CAT, penalty_weight=3) == pytest.approx(4)
    assert worth(FORTUNE_CAT, hunting=True) == pytest.approx(-1)
    table.penalty[0] = 9
    assert worth(FORTUNE_CAT) == pytest.approx(2 * (1 + 3 / 6))
    assert worth(WHERES_THE_SAUCE) == pytest.approx(2 * lone)
    assert worth(NINJUTSU_CHIN) == 0
    assert worth(NINJUTSU_CHIN, rivals=0.6) == pytest.approx(0.2 * lone)
    assert worth(NINJUTSU_CHIN, hunting=True) == pytest.approx(lone)
    assert worth(SWELLING_TONGUE) == worth(WHATS_UP_WASABI) == 0


@pytest.mark.parametrize(
    ("penalty", "round_number", "hunts"), [(0, 1, True), (1, 2, True), (0, 2, False), (7, 4, True), (6, 4, False)]
)
def test_a_hunter_gives_up_when_reach_points_a_round_would_not_do(penalty, round_number, hunts):
    rules, table = make_table(RULES)[0], at_table(round_number=round_number)
    table.penalty[0] = penalty
    assert judge.hunts(rules, table, 0, ENGINE.policy("penalty_hunter").params(RULES)) == hunts
    assert not judge.hunts(rules, table, 0, params())
    never = make_table(RULES.vary({"penalty_victory": "none"}))[0]
    assert not judge.hunts(never, table, 0, params(reach=1000))


# -- choices ------------------------------------------------------------------------------------------


def test_greedy_eats_the_best_expected_plate():
    table = at_table()
    table.seen[2, F] = 1
    assert meals("greedy", table, holding()) == {2}
    assert meals("greedy", table, holding(ability=WHATS_UP_WASABI)) == {2}
    table.seen[3, A] = 1
    assert meals("greedy", table, holding(ability=SWELLING_TONGUE)) == {3}
    table.chef_seen[2:] = 1
    assert meals("greedy", table, holding()) == {CHEF, CHEF + 1, CHEF + 2}
    table.chef[:2] = GONE
    assert meals("greedy", table, holding()) == {CHEF + 2}


def test_equal_plates_are_drawn_at_random():
    assert meals("greedy", at_table(), holding(), seat=1, draws=200) == {0, 2, 3, CHEF, CHEF + 1, CHEF + 2}


def test_greedy_keeps_and_serves():
    table = at_table(round_number=0)
    assert decide("greedy", "set_aside", table, holding()) == {(F, 0)}
    table.round_number = 1
    assert decide("greedy", "serve", table, holding("ABCD")) == {(A, 1 + WHERES_THE_SAUCE)}
    table.penalty[0] = 4
    assert decide("greedy", "serve", table, holding("ABCD")) == {(A, 1 + FORTUNE_CAT)}
    assert decide("greedy(hold=5)", "serve", table, holding("ABCD")) == {(A, 0)}
    assert decide("greedy", "serve", at_table(), holding("CF", abilities=(0, 0, 1, 0, 0))) == {(F, 1 + SWELLING_TONGUE)}


def test_honest_believes_that_the_best_card_is_on_the_plate():
    table = at_table()
    for plate in (1, 3):
        table.seen[plate, A] = table.seen[plate, F] = 1
    table.seen[2, B] = table.seen[2, C] = 1  # A, D, F left: the worst on average, with the best card
    table.chef[:] = GONE
    assert meals("honest", table, holding()) == {2}
    assert meals("greedy", table, holding()) == {1, 3}
    assert decide("honest", "set_aside", at_table(round_number=0), holding()) == {(F, 0)}
    assert {grade for grade, _ in decide("honest", "serve", at_table(), holding("BCDF"))} == {B}


def test_honest_never_plays_ninjutsu_chin():
    rounds = simulate("nightmares", policies="honest", games=1_000, progress=False).rounds
    assert not (rounds["ability"] == "ninjutsu_chin").any()


def test_honest_players_serve_from_best_to_worst():
    run = simulate("nightmares", policies="honest", games=200, progress=False)
    served = run.rounds.groupby("round")["served"].agg(lambda cards: cards.mode()[0])
    assert served.tolist() == ["A", "B", "C", "D"]
    assert set(run.frame("set_aside")["grade"]) == {"F"}


def test_trickster_keeps_its_best_back_and_serves_its_worst():
    run = simulate("nightmares", policies="trickster", games=500, progress=False)
    assert set(run.frame("set_aside")["grade"]) == {"A"}
    served = run.rounds.groupby("round")["served"].agg(lambda cards: cards.mode()[0])
    assert served.tolist() == ["F", "D", "C", "B"]


def test_tricksters_plate_draws_greedy_guests():
    """What greedy rivals expect of its plate rises as its bad cards go by: they come more often than to others."""
    run = simulate("nightmares", policies=["trickster", "greedy", "greedy", "greedy"], games=4_000, progress=False)
    later = run.rounds[(run.rounds["round"] == 2) & (run.rounds["seat"] > 0)]
    guests = later["ate"].value_counts()
    assert guests["seat 0"] > 3 * max(guests[f"seat {seat}"] for seat in (1, 2, 3))


def test_hunter_collects_penalty_points():
    table = at_table(round_number=1)
    own = holding()
    assert {grade for grade, _ in decide("penalty_hunter", "set_aside", table, own, draws=200)} == {A, B, C}
    table.seen[1, A] = table.seen[1, B] = 1
    assert meals("penalty_hunter", table, own) == {1}
    assert meals("penalty_hunter", table, holding(ability=SWELLING_TONGUE)) == {CHEF, CHEF + 1, CHEF + 2}
    assert {grade for grade, _ in decide("penalty_hunter", "serve", table, holding("BCDF"))} == {F}
    assert decide("penalty_hunter", "target", table, holding(), seat=2) == {(2, 0)}


def test_hunter_wins_more_often_by_penalties_than_others():
    shares = {}
    for name in POLICIES:
        run = simulate("nightmares", policies=[name, "random", "random", "random"], games=5_000, progress=False)
        won = run.players[(run.players["seat"] == 0) & (run.players["win"] > 0)].merge(run.games, on="game")
        shares[name] = (won["ended_by"] == "penalty_victory").mean() * len(won) / 5_000
    assert shares["penalty_hunter"] > 0.15
    assert all(share < 0.05 for name, share in shares.items() if name != "penalty_hunter")


def test_greedy_beats_random():
    wins = simulate("nightmares", policies=["greedy", *["random"] * 3], games=3_000, progress=False).players
    assert wins[wins["seat"] == 0]["win"].mean() > 0.6


# -- targets ------------------------------------------------------------------------------------------


def targets(table, policy="greedy", seat=0, rules=RULES):
    return {choice[0] for choice in decide(policy, "target", table, holding(), seat=seat, rules=rules)}


def test_the_chin_point_goes_to_the_leader_but_makes_no_winner():
    table = at_table()
    table.gold[:4] = [9, 5, 7, 7]
    assert targets(table) == {2, 3}
    table.penalty[:4] = [0, 0, 1, 0]
    assert targets(table) == {3}
    table.penalty[3] = 9
    table.gold[3] = 40
    assert targets(table) == {2}
    table.penalty[1:4] = 9
    assert targets(table) == {0}  # all rivals would win by it
    table.penalty[0] = 9
    assert targets(table) == {0}  # it wins itself


def test_the_chin_point_does_not_become_gold_for_a_rival():
    rules = RULES.vary({"readings.ninjutsu_chin_point": "swapped"})
    table = at_table(3)
    table.gold[:3] = [0, 9, 1]
    assert targets(table, rules=rules) == {1}
    table.ability[1] = SWELLING_TONGUE
    assert targets(table, rules=rules) == {2}


# -- parameters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JUDGING)
def test_parameters_are_named_and_bounded(name):
    policy = POLICIES[name]
    assert list(policy.parameters) == list(LIMITS)
    assert policy.params(RULES).shape == (judge.PARAMETERS,)
    assert policy.description.endswith(".")
    for parameter, (low, high) in LIMITS.items():
        for value in (low - 1, high + 1):
            with pytest.raises(PolicyError, match=f"{parameter}: found .* allowed"):
                simulate("nightmares", policies=policy.with_parameters(**{parameter: float(value)}), games=1)


def test_the_vector_has_the_order_that_the_judge_reads():
    order = [name.upper() for name in LIMITS]
    assert [getattr(judge, name) for name in order] == list(range(judge.PARAMETERS))


def test_an_unknown_parameter_names_the_nearest():
    with pytest.raises(PolicyError, match="did you mean reach"):
        simulate("nightmares", policies="penalty_hunter(reech=3)", games=1)


def test_policies_mix_by_seat_and_a_missing_decision_is_random():
    run = simulate("nightmares", policies=["greedy", "honest", "random", "trickster"], games=50, progress=False)
    assert run.players.groupby("seat")["policy"].first().tolist() == ["greedy", "honest", "random", "trickster"]
    told = script("F", *((grade, None, 1, None) for grade in "ABCD"))
    serving = type(told)("serving", {"serve": told.decisions["serve"]}, told.parameters)
    rows = play(RULES.vary({"readings.set_aside": "none"}), [serving, "random"], games=300)
    assert np.unique(rows["rounds"]["served"][:, 0, 0]).tolist() == [A]
    assert len(np.unique(rows["rounds"]["ate"][:, 0, 0])) == 5
