"""Random games of Otter on the reference engine, whole or begun: deals, turns and picks by lot."""

import random
from itertools import product

from reference import otter, otter_game
from reference.otter_game import Game, Pick, Start, Turn

from sushibalance import load_rules

RULES = load_rules("otter")


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
