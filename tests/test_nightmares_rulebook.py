"""The rulebook of Nightmares of Sushi, line by line; names in quotes are its headings."""

from itertools import product

import pytest
from nightmares_replay import decisions_of, dish, logged, play, script
from reference import nightmares as reference

from sushibalance import load_rules, simulate
from sushibalance.games.nightmares import resolve_round
from sushibalance.games.nightmares.kernel import state
from sushibalance.games.nightmares.rules import ABILITIES

RULES = load_rules("nightmares")
NOBODY = [None, None, None, None]


def changes(served, abilities, eaten, *, targets=None, penalties=None, chefs=(2, 1, -1), **readings):
    """Return what a round changes, each player as (gold, penalty); a meal is a seat or ``"chef 1"``."""
    rules = RULES.vary({f"readings.{key}": value for key, value in readings.items()}) if readings else RULES
    players = len(abilities)
    meals = [("chef", int(meal.split()[1])) if isinstance(meal, str) else ("player", meal) for meal in eaten]
    gold, penalty = resolve_round(
        list(served), abilities, targets or [None] * players, meals, penalties or [0] * players, chefs, rules=rules
    )
    return list(zip(gold, penalty, strict=True))


# "Component List", "Game Setup"


def test_component_list_thirty_sushi_and_ability_cards_four_chefs():
    assert 6 * sum(grade.cards for grade in RULES.grades.values()) == 30
    assert 6 * sum(getattr(RULES.abilities, name).cards for name in ABILITIES) == 30
    assert list(RULES.grades) == list("ABCDF")
    assert len(RULES.chefs.points) == 4


def test_set_up_each_player_has_one_card_of_each_grade_and_ability():
    assert {grade.cards for grade in RULES.grades.values()} == {1}
    assert {getattr(RULES.abilities, name).cards for name in ABILITIES} == {1}


def test_table_set_up_one_card_aside_three_of_four_chefs_face_down():
    for players in range(2, 7):
        _, (events,) = logged(RULES, ["random"] * players)
        decisions, left_out = decisions_of(RULES, events)
        assert len(decisions.chefs) == 3 and len(left_out) == 1
        assert sorted(decisions.chefs + left_out) == sorted(RULES.chefs.points)
        assert sorted(decisions.aside) == list(range(players + (players == 2)))


def test_set_up_the_starting_player_is_random():
    frame = simulate("nightmares", players=5, games=2_000, progress=False).rounds
    first = frame[(frame["round"] == 1) & (frame["order"] == 1)]
    assert first["seat"].value_counts().between(330, 470).all()


# "Summary of Each Round", "Choose Cards"


def test_the_game_has_four_rounds_and_one_card_is_served_in_each():
    run = simulate("nightmares/no_penalty_victory", games=500, progress=False)
    assert set(run.games["rounds"]) == {4}
    served = run.rounds.groupby(["game", "seat"], observed=True)["served"]
    assert (served.nunique() == 4).all() and (served.size() == 4).all()


def test_an_ability_card_is_optional_and_played_once_a_game():
    run = simulate("nightmares/no_penalty_victory", games=500, progress=False)
    played = run.rounds[run.rounds["ability"] != "none"]
    assert 0 < len(played) < len(run.rounds)
    assert not played.duplicated(["game", "seat", "ability"]).any()


# "Eat Sushi"


def test_players_eat_clockwise_from_the_starter():
    _, (events,) = logged(RULES, ["random"] * 5, seed=4)
    starter, seats, seen = None, [], 0
    for kind, seat, _ in events:
        if kind == state.ROUND:
            starter, seats = seat, []
        if kind == state.EATS:
            seats.append(seat)
            if len(seats) == 5:
                assert seats == [(starter + step) % 5 for step in range(5)]
                seen += 1
    assert seen >= 3


def test_nobody_chooses_the_own_sushi():
    frame = simulate("nightmares", games=2_000, progress=False).rounds
    assert not (frame["ate"].astype(str) == "seat " + frame["seat"].astype(str)).any()


def test_several_players_may_choose_the_same_sushi_or_chef():
    """Each gets the same ("Scoring")."""
    assert changes("AFFF", NOBODY, [1, 0, 0, 0])[1:] == [(2, 0), (2, 2), (2, 2)]
    assert changes("CCCC", NOBODY, ["chef 0", "chef 0", "chef 2", "chef 2"]) == [(3, 0), (3, 0), (1, 1), (1, 1)]


# "Scoring (Awarded Points)"


def test_grades_a_and_b_give_gold_c_gives_a_gold_to_its_owner_only_d_and_f_give_penalty():
    for grade, eater, owner in [
        ("A", (2, 0), (2, 0)),
        ("B", (1, 0), (1, 0)),
        ("C", (0, 0), (1, 0)),
        ("D", (0, 1), (0, 1)),
        ("F", (0, 2), (0, 2)),
    ]:
        assert changes([grade, "C"], [None, None], ["chef 0", 0], chefs=(0,)) == [(0, 0), (eater[0] + 1, eater[1])]
        assert changes([grade, "C"], [None, None], [1, "chef 0"], chefs=(0,))[0] == owner


def test_sushi_that_nobody_chose_is_eaten_by_its_owner():
    assert changes("DBFA", NOBODY, [1, 0, 0, 0]) == [(1, 0), (0, 1), (0, 3), (2, 1)]


def test_scoring_example():
    """Blue 4 gold 1 penalty, purple 1 and 2, red 2 and 0, green 2 and 0.

    Blue and red chose green's sushi, purple red's, green a chef; all but green played an ability. Blue's
    Where's the Sauce? was activated. Here purple and red convert nothing with a Fortune Cat.
    """
    blue, purple, red, green = range(4)
    result = changes(
        ["D", "C", "F", "A"],
        ["wheres_the_sauce", "fortune_cat", "fortune_cat", None],
        [green, red, green, "chef 0"],
    )
    assert result[blue] == (4, 1)
    assert result[purple] == (1, 2)
    assert result[red] == (2, 0)
    assert result[green] == (2, 0)


def test_scoring_example_fits_these_cards_only():
    """Of all cards, and all abilities of blue, those that give the printed points.

    Green served an A and blue ate its own D, whichever of the two gold-giving abilities blue played.
    """
    fitting = set()
    for served in product("ABCDF", repeat=4):
        for blue in (None, *ABILITIES):
            abilities, targets = [blue, "fortune_cat", "fortune_cat", None], [1, None, None, None]
            result = changes(served, abilities, [3, 2, 3, "chef 0"], targets=targets)
            if result == [(4, 1), (1, 2), (2, 0), (2, 0)]:
                fitting.add(("".join(served), blue))
    gold = ("wheres_the_sauce", "whats_up_wasabi")
    assert fitting == {(cards, blue) for cards in ("DBFA", "DCFA", "DFBA") for blue in gold}


# "Ability Card Descriptions"


def test_fortune_cat_converts_one_point_for_each_cat_played():
    cats = ["fortune_cat", "fortune_cat", "fortune_cat", None]
    plain = changes("AAAA", NOBODY, [1, 2, 3, 0])
    result = changes("AAAA", cats, [1, 2, 3, 0], penalties=[5, 1, 0, 4])
    assert [(g - a, p - b) for (g, p), (a, b) in zip(result, plain, strict=True)] == [(3, -3), (1, -1), (0, 0), (0, 0)]


def test_fortune_cat_one_each():
    """Reading N4, and the shipped variant."""
    cats = ["fortune_cat", "fortune_cat", None, None]
    result = changes("CCCC", cats, [1, 2, 3, 0], penalties=[5, 0, 3, 3], fortune_cat="one_each")
    assert result == [(1, -1), (0, 0), (0, 0), (0, 0)]
    assert load_rules("fortune_cat_one_each").readings.fortune_cat == "one_each"


def test_fortune_cat_does_not_touch_the_penalty_points_of_this_rounds_sushi():
    assert changes(["C", "F"], ["fortune_cat", None], [1, 0]) == [(0, 2), (0, 0)]
    assert changes(["C", "F"], ["fortune_cat", None], [1, 0], penalties=[1, 0]) == [(1, 1), (0, 0)]


def test_fortune_cat_activates_before_ninjutsu_chin():
    """Reading N5: the point of this round's Chin is not there yet; by the option it is."""
    abilities, targets = ["fortune_cat", "ninjutsu_chin"], [None, 0]
    assert changes("CC", abilities, [1, 0], targets=targets) == [(0, 1), (0, 0)]
    later = changes("CC", abilities, [1, 0], targets=targets, fortune_cat_order="after_ninjutsu_chin")
    assert later == [(1, 0), (0, 0)]


def test_ninjutsu_chin_gives_any_player_a_penalty_point():
    for target in range(4):
        result = changes("CCCC", ["ninjutsu_chin", None, None, None], [1, 2, 3, 0], targets=[target, None, None, None])
        assert result == [(0, int(seat == target)) for seat in range(4)]


def test_ninjutsu_chin_works_only_alone():
    chins = ["ninjutsu_chin", None, "ninjutsu_chin", None]
    assert changes("CCCC", chins, [1, 2, 3, 0]) == [(0, 0)] * 4
    assert changes("CCCC", chins, [1, 2, 3, 0], targets=[1, None, 1, None]) == [(0, 0)] * 4


def test_swelling_tongue_does_not_change_the_chin_point():
    """The option of reading N5 does change it."""
    abilities, targets = ["swelling_tongue", "ninjutsu_chin"], [None, 0]
    assert changes("CC", abilities, [1, 0], targets=targets) == [(0, 1), (0, 0)]
    assert changes("CC", abilities, [1, 0], targets=targets, ninjutsu_chin_point="swapped") == [(1, 0), (0, 0)]


def test_swelling_tongue_swaps_what_is_eaten_the_own_plate_too():
    """Reading N6 and its option."""
    tongue = ["swelling_tongue", None, None]
    assert changes("FAC", tongue, [1, 2, "chef 2"])[0] == (2, 2)
    assert changes("FAC", tongue, [1, 2, "chef 2"], swelling_tongue="not_own_plate")[0] == (0, 4)
    assert changes("AAC", tongue, ["chef 2", 0, 1])[0] == (1, 0)


def test_swelling_tongue_leaves_the_gold_of_abilities():
    """Fortune Cat and Where's the Sauce? of others go with their own plates only."""
    result = changes("CCC", ["swelling_tongue", "wheres_the_sauce", "fortune_cat"], [1, 2, 0], penalties=[2, 0, 2])
    assert result == [(0, 0), (2, 0), (1, -1)]


def test_whats_up_wasabi_doubles_anothers_or_the_chefs_plate():
    wasabi = ["whats_up_wasabi", None, None]
    assert changes("CFC", wasabi, [1, 0, 0])[0] == (0, 4)
    assert changes("CFC", wasabi, ["chef 0", 0, 0])[0] == (4, 0)


def test_whats_up_wasabi_does_not_double_the_own_plate():
    """The option of reading N6 does."""
    wasabi = ["whats_up_wasabi", None, None]
    assert changes("ABC", wasabi, [1, 2, 1])[0] == (2 * 1 + 2, 0)
    assert changes("ABC", wasabi, [1, 2, 1], whats_up_wasabi="every_plate")[0] == (2 * 1 + 2 * 2, 0)


def test_wheres_the_sauce_gives_two_gold_to_the_only_one_who_played_it():
    assert changes("CCC", ["wheres_the_sauce", None, None], [1, 2, 0]) == [(2, 0), (0, 0), (0, 0)]
    assert changes("CCC", ["wheres_the_sauce", None, "wheres_the_sauce"], [1, 2, 0]) == [(0, 0)] * 3


# "Setup for Next Round"


def test_chosen_chefs_leave_the_game():
    """Reading N2 and its option, in which a chef is chosen again."""
    for name, again in (("leaves", False), ("stays_open", True)):
        frame = simulate(RULES.vary({"readings.chosen_chef": name}), games=400, progress=False).rounds
        chefs = frame[frame["ate"].astype(str).str.startswith("chef")].drop_duplicates(["game", "round", "ate"])
        assert chefs.duplicated(["game", "ate"]).any() == again


def test_with_no_chef_left_only_players_sushi_can_be_chosen():
    frame = simulate("nightmares", players=6, games=400, progress=False).rounds
    chefs = frame["ate"].astype(str).str.startswith("chef")
    gone = frame[chefs].groupby("game")["ate"].nunique() == 3
    assert gone.any()
    assert frame[chefs].groupby(["game", "ate"], observed=True)["round"].nunique().max() == 1


def starter_after(gold, present, ties="starter_first"):
    """Return the next starter, by the reference's walk around the table."""
    rules = RULES.vary({"readings.ties": ties})
    return next(seat for seat in reference.clockwise(rules, present, len(gold)) if gold[seat] == max(gold))


def test_the_starting_player_token_goes_to_the_most_gold_ties_clockwise():
    """Reading N8 and its option; the present starter counts first, or last."""
    assert starter_after([1, 5, 2, 3], 0) == 1
    assert starter_after([5, 5, 5, 0], 1) == 1
    assert starter_after([5, 5, 5, 0], 1, "starter_last") == 2
    assert starter_after([5, 5, 0, 0], 2) == 0
    for ties in ("starter_first", "starter_last"):
        rules = RULES.vary({"readings.ties": ties, "penalty_victory": "none"})
        rounds = play(rules, ["random"] * 4, seed=3, games=400)["rounds"]
        tied = 0
        for game in rounds:
            for number in range(3):
                gold = game[number]["gold"].tolist()
                present = game[number]["order"].tolist().index(1)
                assert game[number + 1]["order"].tolist().index(1) == starter_after(gold, present, ties)
                tied += gold.count(max(gold)) > 1
        assert tied > 100


# "End Game Victory Condition #1"


def with_starter(rules, policies, starter):
    """Return the number of a game in which ``starter`` begins."""
    rounds = play(rules, policies, games=60)["rounds"]
    return next(at for at in range(60) if rounds[at, 0]["order"].tolist().index(1) == starter)


def play_script(policies, starter, rules=RULES):
    """Return the rows of one game in which ``starter`` begins."""
    rows = play(rules, policies, first=with_starter(rules, policies, starter))
    return rows["games"][0], rows["players"][0], rows["rounds"][0]


def test_final_score_is_gold_minus_penalty_as_in_the_example():
    """The text's player with 7 gold and 2 penalty points has 5."""
    run = simulate("nightmares", games=3_000, progress=False)
    last = run.rounds.groupby(["game", "seat"]).last().reset_index()
    players = run.players.merge(last, on=["game", "seat"])
    assert (players["total"] == players["gold"] - players["penalty"]).all()
    like = players[(players["gold"] == 7) & (players["penalty"] == 2)]
    assert len(like) and (like["total"] == 5).all()


TWO_SEATS = RULES.vary({"readings.two_players": "no_third_seat", "chefs.on_table": 0, "penalty_victory": "none"})


def test_a_tie_goes_to_the_fewest_penalty_points_whoever_started():
    """Each eats what the other serves; seat 0 gets 5 gold and 3 penalty, seat 1 gets 3 gold and 1 penalty."""
    zero = script(
        "F", ("C", None, 1, None), ("A", "wheres_the_sauce", 1, None), ("D", None, 1, None), ("B", None, 1, 0)
    )
    one = script("C", ("D", None, 0, None), ("F", None, 0, None), ("B", None, 0, None), ("A", None, 0, None))
    for starter in (0, 1):
        game, players, rounds = play_script([zero, one], starter, TWO_SEATS)
        assert rounds[3]["gold"].tolist() == [5, 3] and rounds[3]["penalty"].tolist() == [3, 1]
        assert players["total"].tolist() == [2, 2]
        assert players["rank"].tolist() == [2, 1]
        assert game.winners == 1


def test_ties_of_score_and_penalty_go_clockwise_from_the_last_starter():
    """All alike in every round, so the starter keeps the token and wins; by the option the next one does."""
    rounds = [("A", None), ("B", None), ("C", None), ("D", None)]
    policies = [
        script("F", *((grade, ability, (seat + 1) % 3, None) for grade, ability in rounds)) for seat in range(3)
    ]
    for starter in range(3):
        game, players, _ = play_script(policies, starter)
        assert len(set(players["total"])) == 1
        assert players["rank"].tolist() == [(seat - starter) % 3 + 1 for seat in range(3)]
        assert game.winners == 1
    rules = RULES.vary({"readings.ties": "starter_last"})
    _, players, _ = play_script(policies, 0, rules)
    # The token moves on by one after each of three rounds, back to seat 0: seat 1 is first, seat 0 last.
    assert players["rank"].tolist() == [3, 1, 2]


def test_gold_victories_have_one_winner_with_the_best_score():
    run = simulate("nightmares/no_penalty_victory", games=3_000, players=6, progress=False)
    assert (run.games["winners"] == 1).all() and set(run.games["ended_by"]) == {"gold_victory"}
    best = run.players.groupby("game")["total"].transform("max")
    assert (run.players["total"] == best)[run.players["rank"] == 1].all()
    assert (run.players.groupby("game")["rank"].apply(sorted).map(tuple) == (1, 2, 3, 4, 5, 6)).all()


# "End Game Victory Condition #2"


def test_the_first_to_reach_ten_penalty_points_wins_and_ends_the_game():
    run = simulate("nightmares", policies="penalty_hunter", games=3_000, progress=False)
    frame = run.rounds.merge(run.games, on="game")
    last = frame[frame["round"] == frame["rounds"]].merge(run.players, on=["game", "seat"])
    earlier = frame[frame["round"] < frame["rounds"]]
    assert earlier["penalty"].max() < 10
    by_penalty = last[last["ended_by"] == "penalty_victory"]
    assert ((by_penalty["penalty"] >= 10) == (by_penalty["rank"] == 1)).all()
    assert (last[last["ended_by"] == "gold_victory"]["penalty"] < 10).all()
    assert (by_penalty["rounds"] < 4).any() and (by_penalty["rounds"] == 4).any()


def test_players_who_reach_ten_in_the_same_round_share_the_victory():
    run = simulate("nightmares", policies="penalty_hunter", players=6, games=3_000, progress=False)
    shared = run.games[run.games["winners"] > 1]
    assert len(shared) and set(shared["ended_by"]) == {"penalty_victory"}
    players = run.players[run.players["game"].isin(shared["game"])]
    first = players[players["rank"] == 1].merge(shared, on="game")
    assert (first["win"] == 1 / first["winners"]).all()
    assert first.groupby("game").size().equals(shared.set_index("game")["winners"].astype(int))
    following = players[players["rank"] > 1].groupby("game")["rank"].min()
    assert (following == shared.set_index("game")["winners"].reindex(following.index) + 1).all()


def test_the_penalty_victory_outranks_the_best_score():
    """Reading N7: a winner by penalties may have the lowest score of all."""
    run = simulate("nightmares", policies=["penalty_hunter", "greedy", "greedy", "greedy"], games=3_000, progress=False)
    won = run.games[run.games["ended_by"] == "penalty_victory"]["game"]
    players = run.players[run.players["game"].isin(won) & (run.players["rank"] == 1)]
    lowest = run.players.groupby("game")["total"].min()
    assert (players.set_index("game")["total"] == lowest.reindex(players["game"])).mean() > 0.9


def test_penalty_victory_looked_at_only_at_the_end_of_the_game():
    """The option of reading N7: no game is short; whoever has ten then wins."""
    rules = RULES.vary({"readings.penalty_victory": "game_end"})
    run = simulate(rules, policies="penalty_hunter", games=2_000, progress=False)
    assert set(run.games["rounds"]) == {4}
    last = run.rounds[run.rounds["round"] == 4].merge(run.games, on="game")
    assert (
        (last.groupby("game")["penalty"].max() >= 10).to_numpy() == (run.games["ended_by"] == "penalty_victory")
    ).all()


# "2 Player Variant"


def test_two_players_have_a_third_seat_that_serves_all_but_its_set_aside_card():
    run = simulate("nightmares", players=2, games=500, progress=False)
    assert "third seat" in set(run.rounds["ate"])
    assert set(run.rounds["seat"]) == {0, 1} and len(run.players) == 1000
    for game in range(40):
        _, (events,) = logged(RULES.vary({"penalty_victory": "none"}), ["random", "greedy"], first=game)
        decisions, _ = decisions_of(RULES, events)
        cards = [decisions.serve[number, 2] for number in range(1, 5)]
        assert all(ability is None for _, ability in cards)
        assert sorted([decisions.aside[2], *(grade for grade, _ in cards)]) == list("ABCDF")
        assert not any(kind in (state.EATS, state.SCORE, state.PLACE) and seat == 2 for kind, seat, _ in events)


def test_the_third_seats_sushi_is_eaten_like_any_other():
    assert changes("CCF", [None, None], [2, 2]) == [(1, 2), (1, 2)]
    assert changes("CCF", ["whats_up_wasabi", "swelling_tongue"], [2, 2]) == [(1, 4), (2, 1)]


def test_no_third_seat_from_three_players_on_or_by_the_option():
    """Reading N9."""
    for players, rules in [(3, RULES), (2, RULES.vary({"readings.two_players": "no_third_seat"}))]:
        run = simulate(rules, players=players, games=200, progress=False)
        assert "third seat" not in run.rounds["ate"].cat.categories


@pytest.mark.parametrize("reading", ["unseen", "shown", "none"])
def test_one_card_set_aside_or_none(reading):
    """Reading N1: without a card aside there are five to serve."""
    rules = RULES.vary(
        {"readings.set_aside": reading, "rounds": 5 if reading == "none" else 4, "penalty_victory": "none"}
    )
    run = simulate(rules, games=100, progress=False)
    served = run.rounds.groupby(["game", "seat"])["served"].apply(lambda cards: set(cards))
    aside = run.frame("set_aside").set_index(["game", "seat"])["grade"]
    if reading == "none":
        assert aside.isna().all()
        assert (served.map(len) == 5).all()
    else:
        assert all(cards | {aside[at]} == set("ABCDF") and len(cards) == 4 for at, cards in served.items())


def test_dishes_are_coded_as_the_policies_are_told():
    assert dish(5) == ("player", 5) and dish(state.CHEF + 2) == ("chef", 2)
