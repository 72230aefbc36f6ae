"""The flow of Sushi Otter, section by section, against the naive reference engine: whole games.

The names in quotes of the docstrings are the rulebook's headings.
"""

import random
from itertools import chain, product

import pytest
from reference import otter, otter_game
from reference.otter_game import Game, IllegalChoice, Pick, Start, Turn

from sushibalance import load_rules

RULES = load_rules("otter")
START = load_rules("otter/starting_power_ups")
GANMO, SHIRATAKI, CHIKUWA, HAMPEN = range(4)  # in clockwise order


def printed_deck(rules):
    """Return all sushi cards."""
    return list(product(rules.deck.suits, range(1, rules.deck.numbers + 1)))


def shuffled_power_ups(rules, rng, first=()):
    """Return a power-up deck, some cards on top."""
    rest = [number for number in map(int, rules.power_ups) if number not in first]
    rng.shuffle(rest)
    return [*first, *rest]


def deal(game, rng):
    """Begin the next round with random cards; return what was dealt."""
    held = {card for hand in game.hands for card in hand}
    deck = [card for card in printed_deck(game.rules) if card not in held]
    rng.shuffle(deck)
    missing = [max(game.hand_limit(seat) - len(game.hands[seat]), 0) for seat in range(game.players)]
    dealt = [[deck.pop() for _ in range(count)] for count in missing]
    game.deal(dealt)
    return dealt


def plain_turn(game, seat, rng):
    """Reveal one to five random cards, use no Change card, declare any hand."""
    hand = game.hands[seat]
    play = game.rules.play
    revealed = tuple(rng.sample(hand, rng.randint(play.reveal_at_least, play.reveal_at_most)))
    return Turn(revealed, rng.choice(otter.declarable(revealed, game.rules, game.player(seat))))


def changing_turn(game, seat, rng):
    """Like `plain_turn`, with a random use of each Change card that can be used."""
    turn = plain_turn(game, seat, rng)
    now, used = turn.revealed, []
    changes = list(otter.power_ups(game.rules, game.player(seat), "change"))
    rng.shuffle(changes)
    for number in changes:
        options = {"round_number": game.number, "revealed": turn.revealed, "margin": 2}
        results = sorted(otter.uses(now, number, game.rules, **options))
        if results and rng.random() < 0.7:
            now = rng.choice(results)
            used.append((number, now))
    return Turn(turn.revealed, rng.choice(otter.declarable(now, game.rules, game.player(seat))), used)


def take(game, seat, power_up, rng):
    """Return the pick of a power-up, with a random Key Client card if it brings one."""
    brings = game.rules.power_ups[str(power_up)].type == "key_client" and game.clients_left
    return Pick(seat, power_up, rng.choice(game.clients_left) if brings else None)


def pick_all(game, rng):
    """Let every seat take a random power-up, in order; return the picks."""
    order = game.rounds[-1].pick_order or rng.sample(range(game.players), game.players)
    left, clients, picks = list(game.rounds[-1].offers), list(game.clients_left), []
    for seat in order:
        number = left.pop(rng.randrange(len(left)))
        client = None
        if game.rules.power_ups[str(number)].type == "key_client" and clients:
            client = clients.pop(rng.randrange(len(clients)))
        picks.append(Pick(seat, number, client))
    game.pick(picks)
    return picks


def random_game(rules, players, rng, turn=changing_turn):
    """Play a random game step by step; return it with the arguments that `otter_game.play` takes."""
    deck = shuffled_power_ups(rules, rng)
    start = None
    button = rng.randrange(players)
    if rules.play.starting_power_ups:
        dealt = [[deck.pop() for _ in range(rules.play.starting_power_ups)] for _ in range(players)]
        kept = [rng.choice(cards) for cards in dealt]
        deck += [number for cards, own in zip(dealt, kept, strict=True) for number in cards if number != own]
        rng.shuffle(deck)
        clients, left = [None] * players, list(rules.key_clients)
        for seat in otter_game.first_to_take_clients(button, players):
            if rules.power_ups[str(kept[seat])].type == "key_client":
                clients[seat] = left.pop(rng.randrange(len(left)))
        start = Start(dealt, kept, clients)
    game = Game(rules, players, button, deck)
    if start:
        game.start(start)
    deals, turns, picks = [], [], []
    for number in range(1, rules.play.rounds + 1):
        deals.append(deal(game, rng))
        turns.append([turn(game, seat, rng) for seat in range(players)])
        game.reveal(turns[-1])
        if number < rules.play.rounds:
            picks.append(pick_all(game, rng))
    return game, {"button": button, "deck": deck, "deals": deals, "turns": turns, "picks": picks, "start": start}


def begun(players=4, rules=RULES, first=(), button=0, seed=1):
    """Return a game whose first round is dealt, and its random numbers."""
    rng = random.Random(seed)
    game = Game(rules, players, button, shuffled_power_ups(rules, rng, first))
    deal(game, rng)
    return game, rng


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
    """Return a game of four whose seats were dealt these, 61 to 63 and others at the start."""
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


# ---------------------------------------------------------------- whole games, and what is refused


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
