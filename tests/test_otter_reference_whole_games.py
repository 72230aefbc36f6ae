"""Whole games of Otter on the naive reference engine add up, and what the rulebook does not allow is refused.

The names in quotes of the docstrings are the rulebook's headings.
"""

import random
from itertools import chain

import pytest
from otter_random_game import RULES, begun, plain_turn, printed_deck, random_game, shuffled_power_ups
from reference import otter_game
from reference.otter_game import Game, IllegalChoice, Pick, Turn

from sushibalance import load_rules

VARIANTS = [
    ("otter", {}),
    ("otter/starting_power_ups", {}),
    ("otter/no_catch_up", {}),
    ("otter/inventions", {}),
    ("otter", {"play.pick_order": "random"}),
    ("otter", {"readings.kinds": "contained", "readings.no_hand": "always"}),
    ("otter", {"readings.declared_hand": "highest_score", "readings.change_conditions": "as_revealed"}),
]


@pytest.mark.parametrize(("name", "changes"), VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games(name, changes, players):
    """All cards and power-ups are somewhere, once; the totals add up; a replay of the record is the same game."""
    rules = load_rules(name).vary(changes)
    game, record = random_game(rules, players, random.Random(f"{name}{changes}{players}"))
    held = [card for hand in game.hands for card in hand]
    assert len(set(held)) == len(held)
    assert set(held) <= set(printed_deck(rules))
    everywhere = [*game.deck, *(number for held in game.power_ups for number in held)]
    assert sorted(everywhere) == sorted(map(int, rules.power_ups))
    assert sorted([*game.clients_left, *chain(*game.held_clients)]) == sorted(rules.key_clients)
    gained = [sum(each.hand_vp[seat] + each.round_vp[seat] for each in game.rounds) for seat in range(players)]
    assert game.vp == gained == game.rounds[-1].vp
    assert sorted(game.final_ranks()) == list(range(1, players + 1))
    assert game.vp[game.final_ranks().index(1)] == max(game.vp)
    replay = otter_game.play(rules, players, **record)
    assert replay.rounds == game.rounds
    assert replay.final_ranks() == game.final_ranks()


HAND = [("tuna", 11), ("tuna", 4), ("egg", 4), ("squid", 6), ("shrimp", 8), ("shrimp", 9), ("shrimp", 10), ("egg", 13)]


@pytest.mark.parametrize(
    ("turn", "complaint"),
    [
        (Turn((), "no_hand"), "reveals so many cards"),
        (Turn(HAND[:6], "no_hand"), "reveals so many cards"),
        (Turn([HAND[0], HAND[0]], "one_pair"), "reveals each card once"),
        (Turn([("tuna", 5)], "no_hand"), "reveals cards of its hand"),
        (Turn(HAND[1:3], "no_hand"), "declares no_hand"),
        (Turn(HAND[:1], "one_pair"), "declares one_pair"),
        (Turn(HAND[:1], "all_odd"), "declares all_odd"),
        (Turn(HAND[:2], "one_pair", [(51, (("tuna", 4), ("tuna", 4)))]), "holds No. 51"),
        (Turn(HAND[:2], "one_pair", [(1, (("tuna", 4), ("tuna", 4)))]), "is a Change card"),
        (Turn(HAND[:2], "one_pair", [(28, (("tuna", 11), ("tuna", 11)))]), "No. 28 turns"),
        (Turn(HAND[:2], "no_hand", [(28, tuple(HAND[:2]))]), "No. 28 turns"),
        (Turn(HAND[:2], "no_hand", [(28, (("tuna", 3), ("tuna", 4)))] * 2), "uses each Change card once"),
        (Turn(HAND[:2], "no_hand", [(28, (("tuna", 3),))]), "No. 28 turns"),
    ],
)
def test_illegal_turns_are_refused(turn, complaint):
    """Section II: what a player may not do."""
    game, _ = begun(2)
    game.hands[0] = list(HAND)
    game.power_ups[0] = [28, 1]
    other = Turn(game.hands[1][:1], "no_hand")
    with pytest.raises(IllegalChoice, match=complaint):
        game.reveal([turn, other])


def test_a_legal_turn_is_accepted():
    """Section II: the turn that the cases above spoil."""
    game, _ = begun(2)
    game.hands[0] = list(HAND)
    game.power_ups[0] = [28, 1]
    other = Turn(game.hands[1][:1], "no_hand")
    game.reveal([Turn(HAND[:2], "one_pair", [(28, (("tuna", 4), ("tuna", 4)))]), other])
    assert game.rounds[0].scores[0] == 1 + 1 + 1  # the pair, the icon of Tuna 11, No. 1
    assert game.hands[0] == HAND[2:]


@pytest.mark.parametrize(
    ("picks", "complaint"),
    [
        ([(1, 1), (0, 2)], "pick in the order"),
        ([(0, 1)], "pick in the order"),
        ([(0, 1), (1, 1)], "takes one of"),
        ([(0, 64), (1, 1)], "takes one of"),
        ([(0, 1, "learn_even"), (1, 2)], "takes no Key Client card"),
    ],
)
def test_illegal_picks_are_refused(picks, complaint):
    """Section IV: what a player may not do."""
    game, rng = begun(2, first=(1, 2, 3))
    turns = [plain_turn(game, seat, rng) for seat in range(2)]
    game._score = lambda seat, turn: ([4, 5][seat], 0)
    game.reveal(turns)
    assert game.rounds[0].pick_order == [0, 1]
    with pytest.raises(IllegalChoice, match=complaint):
        game.pick([Pick(*pick) for pick in picks])


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda dealt: dealt[0].pop(), "seat 0 is dealt 8 cards"),
        (lambda dealt: dealt[0].__setitem__(0, ("tuna", 14)), "a card of the deck"),
        (lambda dealt: dealt[0].__setitem__(0, ("rice", 1)), "a card of the deck"),
        (lambda dealt: dealt[0].__setitem__(0, dealt[1][0]), "is in a hand already"),
    ],
)
def test_impossible_deals_are_refused(spoil, complaint):
    """Section "Setup", 7: one deck of 65 cards."""
    rng = random.Random(1)
    game = Game(RULES, 2, 0, shuffled_power_ups(RULES, rng))
    cards = printed_deck(RULES)
    dealt = [cards[:8], cards[8:16]]
    spoil(dealt)
    with pytest.raises(IllegalChoice, match=complaint):
        game.deal(dealt)


def test_the_power_up_deck_must_be_whole():
    """Section "Setup", 5: all power-ups, each once."""
    game = Game(RULES, 2, 0, list(range(1, 64)))
    cards = printed_deck(RULES)
    with pytest.raises(IllegalChoice, match="every power-up is in the deck"):
        game.deal([cards[:8], cards[8:16]])
