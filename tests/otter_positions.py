"""Random positions of Sushi Otter, and the exhaustive search that the fast one must equal."""

from __future__ import annotations

import numpy as np

from sushibalance.core.jit import kernel
from sushibalance.games.otter.kernel import learn, outcomes, search
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.reveals import ADDED, N_CARDS, PARENT, ROWS
from sushibalance.games.otter.tables import card_of, rules_table, unpacked

MOST_STATES = 30_000_000
TIES = np.array([1e-6, 1e-8])  # more VP, then more cards


@kernel
def exhaustive(rules, own, round_number, weight, most):
    """Return the highest key over all reveals and all that `outcomes` finds for each; -1e300 when given up."""
    best = -1e300
    for row in range(1, ROWS[own.n_hand]):
        if not rules.reveal_low <= N_CARDS[row] <= rules.reveal_high:
            continue
        packed = icons = 0
        at = row
        while at:
            code = own.hand[ADDED[at]]
            packed = packed << 9 | code
            icons += rules.icon[code]
            at = PARENT[at]
        found, complete = outcomes.outcomes(rules, own, round_number, packed, N_CARDS[row], icons, most)
        if not complete:
            return -1e300
        for i in range(found.shape[0]):
            best = max(best, found[i, 1] + (weight + TIES[0]) * found[i, 2] + TIES[1] * N_CARDS[row])
    return best


class Positions:
    """Seeded random positions: a hand, Change cards, other power-ups, Key Client cards, a round, a weight."""

    def __init__(self, rules, seed):
        self.rules = rules
        self.table = rules_table(rules)
        self.rng = np.random.default_rng(seed)
        cards = list(rules.power_ups.values())
        self.changes = [i for i, card in enumerate(cards) if card.type == "change"]
        self.others = [i for i, card in enumerate(cards) if card.type in ("score", "passive")]

    def draw(self, changes, hand):
        """Return (own, round, weight, description)."""
        rules, rng, table = self.rules, self.rng, self.table[0]
        own = np.zeros(1, s.OWN).view(np.recarray)
        learn.forget(table, own[0])
        held = [*rng.permutation(rng.choice(self.changes, changes, replace=False))]
        held += [*rng.choice(self.others, rng.integers(0, 6), replace=False)]
        for index in held:
            learn.learn_power_up(table, own[0], index)
        clients = rng.choice(table.n_clients, rng.integers(0, 4), replace=False)
        for client in clients:
            learn.learn_client(table, own[0], client)
        round_number = int(rng.integers(1, rules.play.rounds + 1))
        learn.start_round(table, own[0], round_number)
        cards = np.sort(rng.choice(table.card_code[: table.n_cards], hand, replace=False))
        own[0].n_hand = hand
        own[0].hand[:hand] = cards
        weight = float(rng.choice([0.0, 1.0, 2.0, 3.5]))
        numbers = [list(rules.power_ups)[index] for index in held]
        named = [list(rules.key_clients)[client] for client in clients]
        return own, round_number, weight, (numbers, named, round_number, weight, [card_of(c) for c in cards.tolist()])

    def check(self, changes, hand):
        """Compare the fast search with the exhaustive one on a new position."""
        own, round_number, weight, description = self.draw(changes, hand)
        choice = np.zeros(s.CHOICE, np.int64)
        value, _ = search.best_play(self.table[0], own[0], round_number, weight, choice)
        score, vp = unpacked(int(value))
        key = score + (weight + TIES[0]) * vp + TIES[1] * choice[s.CHOICE_CARDS]
        best = exhaustive(self.table[0], own[0], round_number, weight, MOST_STATES)
        assert best > -1e300, ("too many states", description)
        assert abs(key - best) < 1e-9, (score, vp, best, description)
