"""The start of a game, its random draws, and what is remembered after a round."""

from sushibalance.core.hints import copy, natural
from sushibalance.core.jit import inlined
from sushibalance.core.log import note
from sushibalance.core.random import below, shuffle, start
from sushibalance.games.nightmares.kernel.state import (
    ABILITIES,
    CHEF,
    CHEF_CARD,
    FACE_DOWN,
    GONE,
    MAX_CHEFS,
    MAX_GRADES,
    MAX_SEATS,
    NOTHING,
    SETUP,
)

# Purposes of the random streams. Choices are keyed by decision, round and seat, so that a change of
# the rules leaves the draws of all other choices as they were.
STARTER, CHEFS, THIRD_SEAT, CHOICES, FORCED = range(5)


@inlined
def set_up(rules, table, own, hidden, players, seed, game, rng, log):
    """Clear the records, draw the starter and shuffle the chefs."""
    table.round_number = 0
    table.players = players
    table.plates = players + (1 if players == 2 and rules.third_seat else 0)
    for seat in range(MAX_SEATS):
        table.gold[seat] = 0
        table.penalty[seat] = 0
        table.aside[seat] = NOTHING
        table.ability[seat] = NOTHING
        table.ate[seat] = NOTHING
        table.target[seat] = NOTHING
        mine = own[seat]
        mine.aside = NOTHING
        mine.served = NOTHING
        mine.ability = NOTHING
        copy(mine.hand, rules.cards)
        copy(mine.abilities, rules.ability_cards)
    forget(table)
    on_table = rules.chefs_on_table
    for card in range(MAX_CHEFS):
        hidden.chef[card] = card
        table.chef[card] = FACE_DOWN if card < on_table else GONE
    start(rng, seed, game, STARTER, 0)
    table.starter = below(rng, players)
    start(rng, seed, game, CHEFS, 0)
    shuffle(rng, hidden.chef, rules.chefs)
    note(log, SETUP, table.starter, players, table.plates)
    for place in range(rules.chefs):
        note(log, CHEF_CARD, -1, place if place < rules.chefs_on_table else NOTHING, hidden.chef[place])


@inlined
def draw_third(rules, table, own, seed, game, index, rng):
    """Return a random card of the third seat, taken from its deck."""
    mine = own[table.plates - 1]
    cards = 0
    for grade in range(rules.grades):
        cards += mine.hand[grade]
    start(rng, seed, game, THIRD_SEAT, index)
    at = below(rng, cards)
    grade = 0
    while at >= mine.hand[grade]:
        at -= mine.hand[grade]
        grade += 1
    mine.hand[grade] -= 1
    return grade


@inlined
def forget(table):
    """Clear what has been seen."""
    for seat in range(MAX_SEATS):
        for grade in range(MAX_GRADES):
            table.seen[seat, grade] = 0
        for ability in range(ABILITIES):
            table.used[seat, ability] = 0
    for card in range(MAX_CHEFS):
        table.chef_seen[card] = 0


@inlined
def clear_round(table, own):
    """Take the last round's plates, ability cards and tokens off the table."""
    for seat in range(table.plates):
        table.ability[seat] = NOTHING
        table.ate[seat] = NOTHING
        table.target[seat] = NOTHING
        own[seat].served = NOTHING
        own[seat].ability = NOTHING


@inlined
def discard(rules, table, own, hidden):
    """Let all players see what was revealed, and take the chosen chefs away (readings N2, N10)."""
    if not rules.remember_all:
        forget(table)
        for place in range(rules.chefs_on_table):
            if table.chef[place] >= 0:
                table.chef_seen[table.chef[place]] = 1
    for seat in range(table.plates):
        table.seen[seat, natural(own[seat].served)] += 1
    for seat in range(table.players):
        if table.ability[seat] >= 0:
            table.used[seat, table.ability[seat]] += 1
        if table.ate[seat] >= CHEF:
            place = table.ate[seat] - CHEF
            card = natural(hidden.chef[place])
            table.chef_seen[card] = 1
            table.chef[place] = GONE if rules.chef_leaves else card
