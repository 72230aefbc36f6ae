"""The flow of Sushi Otter, section by section, against the naive reference engine: from set-up to ranking.

The names in quotes of the docstrings are the rulebook's headings.
"""

import random

import pytest
from otter_random_game import RULES, begun, deal, pick_all, plain_turn, random_game, shuffled_power_ups, take
from reference import otter, otter_game
from reference.otter_game import Game, IllegalChoice, Pick, Start, Turn

from sushibalance import load_rules

START = load_rules("otter/starting_power_ups")
GANMO, SHIRATAKI, CHIKUWA, HAMPEN = range(4)  # in clockwise order


# ---------------------------------------------------------------- Setup; I. Preparation Phase


def test_setup_deals_eight_cards_and_offers_one_power_up_more_than_players():
    """Section "Setup", 6 and 7: eight cards each; with four players five power-ups."""
    game, _ = begun(4)
    assert [len(hand) for hand in game.hands] == [8, 8, 8, 8]
    assert len(game.rounds[0].offers) == 5


def test_the_button_moves_left_and_hands_fill_up():
    """Section I: the Button goes to the left; played cards go back, unplayed ones stay, up to the hand limit."""
    game, rng = begun(3, button=2)
    kept = [set(hand) for hand in game.hands]
    turns = [
        Turn(hand[:size], otter.declarable(tuple(hand[:size]), RULES)[0]) for size, hand in enumerate(game.hands, 3)
    ]
    game.reveal(turns)
    pick_all(game, rng)
    dealt = deal(game, rng)
    assert [cards.button for cards in game.rounds] == [2, 0]
    assert [len(cards) for cards in dealt] == [3, 4, 5]
    for seat in range(3):
        assert set(game.hands[seat]) >= kept[seat] - set(turns[seat].revealed)
        assert len(game.hands[seat]) == 8


def test_no_power_ups_in_the_last_round():
    """Sections I, 6 and IV: no power-ups in round 8; the game ends after its Scoring Phase."""
    game, record = random_game(RULES, 2, random.Random(5))
    assert [len(each.offers) for each in game.rounds] == [3] * 7 + [0]
    assert [len(each.pick_order) for each in game.rounds] == [2] * 7 + [0]
    with pytest.raises(IllegalChoice, match="no power-ups in the last round"):
        game.pick(record["picks"][0])
    with pytest.raises(IllegalChoice, match="the game is over"):
        game.deal([[], []])


def test_nos_37_and_38_raise_the_hand_limit_from_the_next_round():
    """Section "Power Up Card Details", Nos. 37-38: the hand limit grows by 1 each, starting next round."""
    game, rng = begun(2, first=(37, 1, 2, 38, 3, 4))
    limits = []
    for _ in range(3):
        limits.append(game.rounds[-1].hand_limits)
        game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
        offers = [number for number in game.rounds[-1].offers if number in (37, 38)] or game.rounds[-1].offers[:1]
        other = next(number for number in game.rounds[-1].offers if number not in offers)
        order = game.rounds[-1].pick_order
        game.pick([take(game, seat, offers[0] if seat == 1 else other, rng) for seat in order])
        deal(game, rng)
        assert [len(hand) for hand in game.hands] == game.rounds[-1].hand_limits
    assert limits == [[8, 8], [8, 9], [8, 10]]


# ---------------------------------------------------------------- III. Scoring Phase


def test_example_of_iii_ranks_and_round_card():
    """Section "Example of III": 22, 11, 22, 11 in round 4 with Ganmo at the Button give 6, 4, 2, 0 VP."""
    scores = [0] * 4
    scores[GANMO], scores[SHIRATAKI], scores[HAMPEN], scores[CHIKUWA] = 22, 11, 22, 11
    assert otter_game.ranking(scores, GANMO) == [GANMO, HAMPEN, SHIRATAKI, CHIKUWA]
    places = otter_game.places_of(scores, GANMO, RULES)
    row = RULES.round_cards["4"]["4"]
    assert [row[places[seat] - 1] for seat in (GANMO, HAMPEN, SHIRATAKI, CHIKUWA)] == [6, 4, 2, 0]


@pytest.mark.parametrize("button", range(4))
def test_ties_go_clockwise_from_the_button(button):
    """Section III, 1: the Button first, then the player to its left, and so on."""
    order = otter_game.ranking([7, 7, 7, 7], button)
    assert order == [(button + step) % 4 for step in range(4)]


@pytest.mark.parametrize(
    ("scores", "places"),
    [
        ([20, 10], [1, 2]),
        ([20, 9], [1, 3]),
        ([21, 10], [1, 3]),
        ([21, 11], [1, 2]),
        ([10, 20], [2, 1]),
        ([9, 20], [3, 1]),
        ([0, 0], [1, 2]),
        ([1, 0], [1, 3]),
    ],
)
def test_two_players_need_half_the_score(scores, places):
    """Section III, 2, two-player exception: the second needs at least half of the first's score."""
    assert otter_game.places_of(scores, 0, RULES) == places


def test_two_player_exception_is_for_two_only():
    """Section III, 2: with three players the last gets its place whatever the score."""
    assert otter_game.places_of([50, 1, 0], 0, RULES) == [1, 2, 3]


def test_two_player_third_place_earns_nothing():
    """Section III, 2: less than half of the first's score earns no VP."""
    assert all(row[2] == 0 for row in RULES.round_cards["2"].values())
    assert all(row[1] > 0 for row in RULES.round_cards["2"].values())


def test_two_player_percent_is_a_value_of_the_rules():
    """The share that the second needs can be changed."""
    rules = RULES.vary({"play.two_player_percent": 75})
    assert otter_game.places_of([20, 15], 0, rules) == [1, 2]
    assert otter_game.places_of([20, 14], 0, rules) == [1, 3]


# ---------------------------------------------------------------- IV. Power Up Phase


def test_example_of_iv_pick_order():
    """Section "Example of IV": Chikuwa, Shirataki, Hampen, Ganmo pick in this order."""
    game, rng = begun(4, seed=3)
    wanted = {GANMO: 22, SHIRATAKI: 11, HAMPEN: 22, CHIKUWA: 11}
    turns = [plain_turn(game, seat, rng) for seat in range(4)]
    game._score = lambda seat, turn: (wanted[seat], 0)  # the example tells scores, not cards
    game.reveal(turns)
    assert game.rounds[0].ranks == [1, 3, 4, 2]
    assert game.rounds[0].pick_order == [CHIKUWA, SHIRATAKI, HAMPEN, GANMO]


def test_variant_without_catch_up_picks_best_rank_first():
    """Shipped variant: the best rank of the round picks first."""
    game, rng = begun(4, rules=load_rules("otter/no_catch_up"), seed=3)
    game.reveal([plain_turn(game, seat, rng) for seat in range(4)])
    ranks = game.rounds[0].ranks
    assert game.rounds[0].pick_order == sorted(range(4), key=lambda seat: ranks[seat])


def test_a_two_player_third_place_still_picks_first():
    """Section IV, 1: the largest number in the ranking square picks first, third place or second."""
    game, rng = begun(2)
    turns = [plain_turn(game, seat, rng) for seat in range(2)]
    game._score = lambda seat, turn: ([9, 20][seat], 0)
    game.reveal(turns)
    assert (game.rounds[0].places, game.rounds[0].ranks) == ([3, 1], [2, 1])
    assert game.rounds[0].pick_order == [0, 1]
    assert game.rounds[0].round_vp == [0, RULES.round_cards["2"]["1"][0]]


def test_a_key_client_power_up_brings_a_card_at_once():
    """Section IV, 1 and Nos. 52-63: a Key Client card is taken with the power-up, from those left."""
    game, rng = begun(2, first=(52, 53, 1))
    game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
    first, second = game.rounds[0].pick_order
    with pytest.raises(IllegalChoice, match="takes one of"):
        game.pick([Pick(first, 52, "learn_even"), Pick(second, 53, "learn_even")])
    game, rng = begun(2, first=(52, 53, 1))
    game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
    first, second = game.rounds[0].pick_order
    game.pick([Pick(first, 52, "learn_even"), Pick(second, 53, "upgrade_top_hands")])
    assert game.player(first).new_hands == ("all_even", "flush_even")
    assert game.player(second).upgrades == ("straight_flush", "five_of_a_kind")
    assert len(game.rounds[0].clients_left) == 12


@pytest.mark.parametrize("client", [None, "learn_everything"])
def test_a_key_client_power_up_must_bring_a_card(client):
    """Section IV, 1: one card is acquired, if one is left."""
    game, rng = begun(2, first=(52, 53, 1))
    game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
    first, second = game.rounds[0].pick_order
    with pytest.raises(IllegalChoice, match="takes one of"):
        game.pick([Pick(first, 52, client), Pick(second, 1)])


def test_without_key_clients_left_the_power_up_stays_alone():
    """Section IV, 1: if no Key Client card is left, the power-up stays without one."""
    few = RULES.vary({f"key_clients.{name}": None for name in list(RULES.key_clients)[1:]})
    game, rng = begun(2, rules=few, first=(52, 53, 1))
    game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
    first, second = game.rounds[0].pick_order
    game.pick([Pick(first, 52, "upgrade_no_hand"), Pick(second, 53)])
    assert game.power_ups[second] == [53]
    assert game.clients_left == []


def test_power_ups_left_over_go_to_the_bottom_of_the_deck():
    """Section IV, 2: they come again when the deck has been gone through."""
    small = RULES.vary(
        {f"power_ups.{number}": None for number in RULES.power_ups if int(number) > 16}
        | {f"round_cards.{players}": None for players in "345"}
    )
    rng = random.Random(2)
    game = Game(small, 2, 0, list(range(1, 17)))
    left = []
    for _ in range(7):
        deal(game, rng)
        game.reveal([plain_turn(game, seat, rng) for seat in range(2)])
        offers = game.rounds[-1].offers
        game.pick([Pick(seat, number) for seat, number in zip(game.rounds[-1].pick_order, offers, strict=False)])
        left.append(offers[-1])
    assert [each.offers for each in game.rounds[:5]] == [[3 * n + 1, 3 * n + 2, 3 * n + 3] for n in range(5)]
    assert game.rounds[5].offers == [16, left[0], left[1]]
    assert game.rounds[6].offers == [left[2], left[3], left[4]]


# ---------------------------------------------------------------- Ending the Game


def one_round(row):
    """Return rules of a game of one round for three players."""
    return RULES.vary({"play.rounds": 1, "round_cards": {"3": {"1": row}}, "power_ups.33": None})


def test_a_tie_goes_to_the_better_rank_of_the_last_round():
    """Section "Ending the Game": equal VP, then the higher rank in the final round."""
    rng = random.Random(4)
    rules = one_round([5, 5, 5])
    game = Game(rules, 3, 1, shuffled_power_ups(rules, rng))
    deal(game, rng)
    game._score = lambda seat, turn: ([4, 9, 9][seat], 0)
    game.reveal([None] * 3)
    assert game.vp == [5, 5, 5]
    assert game.rounds[0].ranks == [3, 1, 2]
    assert game.final_ranks() == [3, 1, 2]


def test_most_vp_wins_whatever_the_last_rank():
    """Section "Ending the Game": the highest total wins; VP of hands count."""
    rng = random.Random(4)
    rules = one_round([5, 4, 3])
    game = Game(rules, 3, 0, shuffled_power_ups(rules, rng))
    deal(game, rng)
    game._score = lambda seat, turn: ([9, 8, 7][seat], [0, 0, 4][seat])
    game.reveal([None] * 3)
    assert game.vp == [5, 4, 7]
    assert game.final_ranks() == [2, 3, 1]


# ---------------------------------------------------------------- Optional Rules


def test_starting_clients_are_taken_counterclockwise_from_the_dealers_right():
    """Section "Optional Rules", 5: the dealer's right first, then counterclockwise; the dealer comes last."""
    assert otter_game.first_to_take_clients(1, 4) == [0, 3, 2, 1]
    assert otter_game.first_to_take_clients(0, 2) == [1, 0]


def started(kept, clients, button=0):
    """Return a game of four whose seats were each dealt one of these and two others at the start."""
    others = iter(range(1, 30))
    dealt = [[number, next(others), next(others)] for number in kept]
    gone = set(kept)
    deck = [number for number in map(int, START.power_ups) if number not in gone]
    game = Game(START, 4, button, deck)
    game.start(Start(dealt, kept, clients))
    return game


def test_starting_power_ups():
    """Section "Optional Rules", 5: three dealt, one kept, the others back in the deck; Key Clients at once."""
    game = started([52, 60, 37, 51], ["learn_odd", "learn_even", None, None])
    assert game.player(0) == otter.Player((52,), (), ("all_odd", "flush_odd"))
    rng = random.Random(1)
    deal(game, rng)
    assert game.rounds[0].hand_limits == [8, 8, 8, 8]  # No. 37 counts from the next round on
    assert len(game.deck) == 64 - 4 - 5
    game.reveal([plain_turn(game, seat, rng) for seat in range(4)])
    pick_all(game, rng)
    deal(game, rng)
    assert game.rounds[1].hand_limits[2] == 9


def test_starting_clients_cannot_be_taken_twice():
    """Section "Optional Rules", 5: a Key Client card that an earlier player took is gone."""
    with pytest.raises(IllegalChoice, match="seat 0 takes one of"):
        started([52, 60, 37, 51], ["learn_odd", "learn_odd", None, None], button=0)


def test_the_optional_rule_is_all_or_nothing():
    """Section "Optional Rules": only with that rule, and then always."""
    rng = random.Random(1)
    with pytest.raises(IllegalChoice, match="starting power-ups first"):
        deal(Game(START, 2, 0, shuffled_power_ups(START, rng)), rng)
    with pytest.raises(IllegalChoice, match="no starting power-ups"):
        Game(RULES, 2, 0, shuffled_power_ups(RULES, rng)).start(Start([[1, 2, 3], [4, 5, 6]], [1, 4], [None, None]))
