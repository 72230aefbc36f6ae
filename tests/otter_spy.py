"""What players of Otter see at each pick, against what happened; runs with the jit off.

`check` plays games in which something is forced, with policies that record their view of the table, and rebuilds from
the log what lies before each seat.
"""

from __future__ import annotations

import sys

from otter_replay import logged

from sushibalance import Policy, load_rules
from sushibalance.core.random import below
from sushibalance.games.intervention import Intervention
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.policies import POLICIES


def spies(players, views):
    """Return policies that act as random and append what they see when they pick."""
    random = POLICIES["random"].decisions["draft"]

    def draft(rules, table, own, seat, params, rng, choice):
        held = [[int(p) for p in table.held[i, : table.n_held[i]]] for i in range(players)]
        clients = [[int(c) for c in table.held_client[i, : table.n_held[i]]] for i in range(players)]
        taken = {int(c) for c in range(rules.n_clients) if table.client_taken[c]}
        offer = [int(p) for p in table.offer[: table.n_offers] if p >= 0]
        changes = sorted(int(p) for p in own.change[: own.n_changes])
        views.append((seat, held, clients, taken, offer, changes, [int(n) for n in table.hand_limit[:players]]))
        random(rules, table, own, seat, params, rng, choice)

    return [Policy("spy", {"draft": draft})] * players


def expected(rules, players, events, out_of_play):
    """Yield what each seat should see when it picks."""
    numbers, cards = list(rules.power_ups), list(rules.power_ups.values())
    held: list[list[int]] = [[] for _ in range(players)]
    clients: list[list[int]] = [[] for _ in range(players)]
    taken, offer = set(out_of_play), []
    for at, (kind, seat, args) in enumerate(events):
        if kind == s.E_ROUND:
            offer = []
        elif kind == s.E_OFFER:
            offer.append(args[0])
        elif kind == s.E_PICK:
            mine = sorted(p for p in held[seat] if cards[p].type == "change")
            limits = [
                rules.play.hand_limit + sum(getattr(cards[p], "hand_limit", 0) or 0 for p in held[i] if
                                            cards[p].type == "passive")
                for i in range(players)
            ]  # fmt: skip
            yield seat, [list(h) for h in held], [list(c) for c in clients], set(taken), list(offer), mine, limits
            offer.remove(args[0])
            after = {what: values[0] for what, who, values in events[at + 1 : at + 3] if who == seat}
            got = after.get(s.E_FORCED, args[0])
            if got >= 0:
                held[seat].append(got)
                clients[seat].append(after.get(s.E_CLIENT, -1))
                taken |= {after[s.E_CLIENT]} if s.E_CLIENT in after else set()
    assert len(numbers) == len(cards)


def check(kind, card, given, games):
    """Play games and compare all views; return how many there were."""
    rules, compared = load_rules("otter"), 0
    out_of_play = {list(rules.key_clients).index(card)} if kind == "key_client" else set()
    for game in range(games):
        views: list = []
        _, events = logged(rules, spies(3, views), 9, game, Intervention(kind, card, given))
        wanted = list(expected(rules, 3, events, out_of_play))
        assert len(views) == len(wanted) == 21
        for view, right in zip(views, wanted, strict=True):
            assert view == right, (kind, card, given, game, view, right)
        compared += len(views)
    return compared


if __name__ == "__main__":
    assert below.__class__.__name__ == "function", "to be run with NUMBA_DISABLE_JIT=1"
    CASES = [("power_up", "57"), ("power_up", "37"), ("power_up", "28"), ("key_client", "learn_even")]
    total = sum(check(kind, card, given, 3) for kind, card in CASES for given in (True, False))
    total += check("pick", "own", False, 3)
    sys.stdout.write(f"{total}\n")
