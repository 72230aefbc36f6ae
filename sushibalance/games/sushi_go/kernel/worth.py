"""What a card is worth to a seat: the scale of the greedy family of policies.

The formula is told in `policies.py`. Worths are ``float64`` points.
"""

from sushibalance.core.hints import natural
from sushibalance.core.jit import inlined, lean
from sushibalance.games.sushi_go.kernel.scoring import (
    dumpling_points,
    maki_award,
    nigiri_card_points,
    pudding_award,
)
from sushibalance.games.sushi_go.kernel.state import (
    CHOPSTICKS,
    DUMPLING,
    PUDDING,
    SASHIMI,
    TEMPURA,
    WASABI,
)

# Positions in ``params``.
HOPE, MAKI_ICON, PUDDING_RATE, CHOPSTICKS_RATE, OWN, DENY, PUDDING_TASTE = range(7)


@lean
def worth(rules, table, params, seat, kind, after):
    """Return what a card is worth to ``seat`` when it took ``after`` (-1: nothing) just before."""
    left = table.turns - table.turn
    total = params[OWN] * gain(rules, table, params, seat, kind, after, left)
    if params[DENY] != 0.0 and left > 0:
        following = (seat + table.direction) % table.players
        total += params[DENY] * gain(rules, table, params, following, kind, -1, left - 1)
    if kind == PUDDING:
        total += params[PUDDING_TASTE]
    return total


@inlined
def gain(rules, table, params, seat, kind, after, left):
    """Return by how much ``kind``, taken after ``after``, raises the worth of the front of ``seat``."""
    seat, kind = natural(seat), natural(kind)
    held = table.front[seat][kind] + (1 if after == kind else 0)
    if kind == TEMPURA:
        return _set_gain(held, rules.tempura_cards, rules.tempura_points, params[HOPE], left)
    if kind == SASHIMI:
        return _set_gain(held, rules.sashimi_cards, rules.sashimi_points, params[HOPE], left)
    if kind == DUMPLING:
        now = dumpling_points(rules, held + 1) - dumpling_points(rules, held)
        following = dumpling_points(rules, held + 2) - dumpling_points(rules, held + 1)
        return now + params[HOPE] * max(following - now, 0) * (1.0 if left > 0 else 0.0)
    if rules.icons[kind] > 0:
        before = rules.icons[after] if after >= 0 else 0
        with_it = maki_award(rules, table.maki, table.players, seat, before + rules.icons[kind])
        without = maki_award(rules, table.maki, table.players, seat, before)
        over = 1.0 - left / table.turns
        return (1.0 - over) * rules.icons[kind] * params[MAKI_ICON] + over * (with_it - without)
    if kind == PUDDING:
        before = 1 if after == PUDDING else 0
        with_it = pudding_award(rules, table.puddings, table.players, seat, before + 1)
        without = pudding_award(rules, table.puddings, table.players, seat, before)
        over = 1.0 - left / table.turns
        if rules.pudding_every_round == 0:
            over = (table.round_number - 1 + over) / rules.rounds
        return (1.0 - over) * params[PUDDING_RATE] + over * (with_it - without)
    free = table.free_wasabi[seat]
    if after >= 0 and rules.is_nigiri[after] != 0:
        free = max(free - 1, 0)
    if kind == WASABI:
        free += 1 if after == WASABI else 0
        return _wasabi_worth(rules, params, free + 1, left) - _wasabi_worth(rules, params, free, left)
    if rules.is_nigiri[kind] != 0:
        free += 1 if after == WASABI and rules.wasabi_next_turn == 0 else 0
        if free == 0:
            return nigiri_card_points(rules, kind, 0) + 0.0
        used = _wasabi_worth(rules, params, free, left) - _wasabi_worth(rules, params, free - 1, left)
        return nigiri_card_points(rules, kind, 1) - used
    if kind == CHOPSTICKS and held == 0:
        return chopsticks_worth(table, params, left)
    return 0.0


@inlined
def _set_gain(held, cards, points, hope, left):
    """Return what one card more adds to sets of ``cards`` cards."""
    begun = natural(held) % natural(cards)
    return _begun_set(begun + 1, cards, points, hope, left) - _begun_set(begun, cards, points, hope, left)


@inlined
def _begun_set(begun, cards, points, hope, left):
    missing = cards - begun
    if begun == 0 or missing > left:
        return points * (1.0 if missing == 0 else 0.0)
    total = points + 0.0
    for _ in range(missing):
        total *= hope
    return total


@inlined
def _wasabi_worth(rules, params, free, left):
    """Return what ``free`` wasabi without a nigiri may still bring."""
    each = (rules.wasabi_factor - 1) * rules.nigiri_mean
    total = 0.0
    for _ in range(min(free, left)):
        each *= params[HOPE]
        total += each
    return total


@inlined
def chopsticks_worth(table, params, left):
    """Return what a chopsticks card in front may still bring: two cards must be in a later hand."""
    if left < 2:
        return 0.0
    return params[CHOPSTICKS_RATE] * left / table.turns
