"""Behaviours of a seat, and the hook for a designer's own.

A policy of Sushi Go! makes one decision, ``choose``. It is called once a turn for each seat, before
any seat's cards are turned over, with records of `kernel/state.py`:

``rules``
    The rule set (`RULES`).
``table``
    What lies open (`TABLE`): fronts, points, puddings, the turn.
``own``
    What this seat knows (`OWN`): ``own.hand[kind]`` counts the cards of its hand. ``own.seen[h]`` is what it
    remembers of hand h as it passed it on in turn ``own.seen_turn[h]`` (0: not yet); hands are named by the
    seat that they were dealt to, and ``other`` holds hand ``(own.holding + other - seat) % table.players``.

It writes into ``choice``, which is all 0 before:

``choice[0]``
    The kind of the card taken first, an index into `CARDS`.
``choice[1]``
    0 for no second card; or the kind of a second card, plus 1. That takes chopsticks that lay in front of
    the seat before this turn. Both cards come from the hand as it was.

A designer's own policy is compiled alone; the engine is not compiled again::

    from sushibalance import Policy, simulate
    from sushibalance.games.sushi_go.policies import CARDS, KINDS, decision

    DUMPLING = CARDS.index("dumpling")

    @decision
    def dumplings_first(rules, table, own, seat, params, rng, choice):
        for kind in range(KINDS):
            if own.hand[kind] > 0:
                choice[0] = kind
        if own.hand[DUMPLING] > 0:
            choice[0] = DUMPLING

    mine = Policy("dumplings_first", {"choose": dumplings_first})
    simulate("sushi_go", policies=[mine, "greedy", "greedy", "greedy"])

Give parameters by ``Policy(..., parameters={"name": 1.0})`` and read them as ``params[0]``, ``params[1]``,
... in that order. Draw only from ``rng``, by the functions of `sushibalance.core.random`.

The greedy family
-----------------
``greedy``, ``pudding_lover``, ``pudding_avoider`` and ``denier`` are one function with different
parameters. Each card of the hand is worth

    own x gain(me) + deny x gain(next player) + pudding_taste (for a pudding)

and the card worth most is taken; the kind named first in `CARDS` wins a tie. ``gain`` is what the front is
worth with the card, less what it is worth without, when ``left`` turns remain after this one:

- Tempura, sashimi: complete sets at their points; a begun set that lacks m cards at points x hope^m, if m <= left.
- Dumplings: points now, and hope x (what the next one would add beyond what this one adds) while turns remain.
- Nigiri: its points, tripled (or as the rules say) on a free wasabi, which is then used up.
- The i-th free wasabi: (factor - 1) x points of an average nigiri x hope^i, if i <= left.
- Maki: (1 - t) x icons x maki_icon + t x (award with the icons - award without), t = turn / turns in the round.
- Pudding: (1 - t) x pudding + t x (award with it - award without), t = the part of the game that is over
  (of the round, where puddings are scored every round).
- Chopsticks: chopsticks x left / turns, for the first one and while a later turn can use it.

With chopsticks in front, each ordered pair is weighed in the same way, the second card after the first, less
what the chopsticks would still be worth; they are used when the best pair beats the best card.
"""

from __future__ import annotations

from sushibalance.core.hints import at_least, natural
from sushibalance.core.jit import decision as decision_for
from sushibalance.core.jit import lean
from sushibalance.core.random import below
from sushibalance.games.game import Policy
from sushibalance.games.sushi_go.kernel.game import DECISION
from sushibalance.games.sushi_go.kernel.state import CARDS, CHOPSTICKS, KINDS
from sushibalance.games.sushi_go.kernel.worth import chopsticks_worth, worth

__all__ = ["CARDS", "KINDS", "POLICIES", "decision"]

decision = decision_for(DECISION)


@lean
def _kind_at(hand, at):
    """Return the kind of the ``at``-th card of a hand, without a branch that is hard to foresee."""
    kind = 0
    before = 0
    for k in range(KINDS - 1):
        before += hand[k]
        kind += at_least(at, before)
    return kind


@decision
def choose_random(rules, table, own, seat, params, rng, choice):
    """Take a card uniformly; with chopsticks in front, uniformly among single cards and ordered pairs."""
    hand = own.hand
    cards = table.turns - table.turn + 1
    if table.front[seat][CHOPSTICKS] == 0:
        choice[0] = _kind_at(hand, below(rng, cards))
        return
    # cards x cards outcomes: the pairs of distinct cards, and a card with itself for the single card.
    draw = below(rng, cards * cards)
    first = natural(draw) // natural(cards)
    second = natural(draw) % natural(cards)
    choice[0] = _kind_at(hand, first)
    if second != first:
        choice[1] = _kind_at(hand, second) + 1


@decision
def choose_greedy(rules, table, own, seat, params, rng, choice):
    """Take the card, or by chopsticks the two cards, worth most (see the module)."""
    hand = own.hand
    chopsticks = table.front[seat][CHOPSTICKS] > 0
    kept = chopsticks_worth(table, params, table.turns - table.turn)
    best = best_pair = -1e300
    pair = second_of_pair = 0
    for first in range(KINDS):
        if hand[first] > 0:
            alone = worth(rules, table, params, seat, first, -1)
            if alone > best:
                best = alone
                choice[0] = first
            if chopsticks:
                for second in range(KINDS):
                    if hand[second] > (1 if second == first else 0):
                        total = alone - kept + worth(rules, table, params, seat, second, first)
                        if total > best_pair:
                            best_pair = total
                            pair, second_of_pair = first, second + 1
    if best_pair > best:
        choice[0] = pair
        choice[1] = second_of_pair


GREEDY = {
    "hope": 0.45,
    "maki_icon": 0.5,
    "pudding": 3.0,
    "chopsticks": 4.0,
    "own": 1.0,
    "deny": 0.0,
    "pudding_taste": 0.0,
}


def _greedy(name: str, description: str, **changes: float) -> Policy:
    return Policy(name, {"choose": choose_greedy}, {**GREEDY, **changes}, description)


POLICIES = {
    "random": Policy(
        "random",
        {"choose": choose_random},
        description="Takes any card; with chopsticks in front, any card or any ordered pair of cards.",
    ),
    "greedy": _greedy("greedy", "Takes what adds most points, begun sets counted in part."),
    "pudding_lover": _greedy("pudding_lover", "Greedy, but fond of puddings.", pudding_taste=4.0),
    "pudding_avoider": _greedy("pudding_avoider", "Greedy, but takes puddings last.", pudding_taste=-20.0),
    "denier": _greedy("denier", "Takes what the next player would gain most from.", own=0.5, deny=1.0),
}
