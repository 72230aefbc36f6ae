"""Otter's policies, and the hook for a user's own.

A policy is made of four decisions; each writes its answer into ``choice`` (``kernel/state.py``):

``reveal``
    ``choice[CHOICE_CARDS]`` cards, their places in ``own.hand`` from ``choice[CHOICE_SLOTS]``;
    ``choice[CHOICE_HAND]`` the declared hand + 1, or 0 for the formed hand worth most score;
    ``choice[CHOICE_USES]`` uses of Change cards, each the power-up's index and all cards after it.
``draft``
    ``choice[CHOICE_PICK]``: the slot in ``table.offer``.
``client``
    ``choice[CHOICE_PICK]``: the Key Client card, an index not in ``table.client_taken``.
``start``
    ``choice[CHOICE_PICK]``: the place in ``own.dealt`` (optional starting power-ups).

Your own policy compiles alone; the engine is not compiled again:

>>> from sushibalance.games.otter.policies import POLICIES, decision
>>> @decision
... def first_on_offer(rules, table, own, seat, params, rng, choice):
...     while table.offer[choice[0]] < 0:
...         choice[0] += 1
>>> mine = POLICIES["greedy"].with_decisions("mine", draft=first_on_offer)

It gets the parameters of the policy that it is made of: ``params[0]`` is vp_weight, the draft values begin at
``params[VALUES]``. A policy made from nothing, ``Policy("mine", {"draft": ...}, {"eagerness": 2.0})``, gets its own
in their order, and plays the other decisions at random.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from sushibalance.core.calls import addresses
from sushibalance.core.jit import decision as decision_decorator
from sushibalance.core.jit import decision_signature, ready
from sushibalance.core.random import below
from sushibalance.games.game import Policy
from sushibalance.games.otter.kernel import reveals, search
from sushibalance.games.otter.kernel.added import added_values
from sushibalance.games.otter.kernel.state import (
    CHOICE,
    CHOICE_PICK,
    HIDDEN,
    OWN,
    RULES,
    TABLE,
)
from sushibalance.games.otter.kernel.valuation import (
    best_client,
    best_of,
    lowest_play,
    nth_open,
    saving_play,
)
from sushibalance.games.otter.kernel.work import FEATURES
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.otter.tables import rules_table
from sushibalance.games.otter.vocabulary import ChangePowerUp, PassivePowerUp, PowerUp, ScorePowerUp, resolve_numbers

decision = decision_decorator(decision_signature(RULES, TABLE, OWN))

FAMILIES = ("flush", "straight", "pairs", "score")

# Places in the parameter vector of all policies but `random`: their own parameters, then the draft values.
VP_WEIGHT, FIRST, SECOND, VALUES = range(4)


@decision
def random_reveal(rules, table, own, seat, params, rng, choice):
    """Reveal a uniform subset of the hand, use no Change card, declare the hand worth most score."""
    while True:
        row = 1 + below(rng, reveals.ROWS[own.n_hand] - 1)
        if rules.reveal_low <= reveals.N_CARDS[row] <= rules.reveal_high:
            break
    reveals.write_reveal(row, choice)


@decision
def random_draft(rules, table, own, seat, params, rng, choice):
    """Take any power-up on offer."""
    slot = below(rng, table.n_offers - table.n_picked)
    choice[CHOICE_PICK] = nth_open(table.offer, table.n_offers, slot)


@decision
def random_client(rules, table, own, seat, params, rng, choice):
    """Take any Key Client card that is left."""
    left = 0
    for client in range(rules.n_clients):
        left += table.client_taken[client] == 0
    nth = below(rng, left)
    for client in range(rules.n_clients):
        if table.client_taken[client] == 0:
            if nth == 0:
                choice[CHOICE_PICK] = client
                return
            nth -= 1


@decision
def random_start(rules, table, own, seat, params, rng, choice):
    """Keep any of the power-ups dealt."""
    choice[CHOICE_PICK] = below(rng, own.n_dealt)


@decision
def greedy_reveal(rules, table, own, seat, params, rng, choice):
    """Make the play with the highest score + vp_weight * VP, Change cards used."""
    search.best_play(rules, own, table.round_number, params[VP_WEIGHT], choice)


@decision
def value_draft(rules, table, own, seat, params, rng, choice):
    """Take the power-up on offer with the highest draft value."""
    choice[CHOICE_PICK] = best_of(rules, table, params[VALUES:], table.offer, table.n_offers)


@decision
def value_client(rules, table, own, seat, params, rng, choice):
    """Take the Key Client card left with the highest draft value."""
    choice[CHOICE_PICK] = best_client(rules, table, params[VALUES + rules.n_power_ups :])


@decision
def value_start(rules, table, own, seat, params, rng, choice):
    """Keep the power-up dealt with the highest draft value."""
    choice[CHOICE_PICK] = best_of(rules, table, params[VALUES:], own.dealt, own.n_dealt)


@decision
def tank_reveal(rules, table, own, seat, params, rng, choice):
    """Reveal what is worth least in the first rounds, play as greedy afterwards."""
    if table.round_number <= params[FIRST]:
        lowest_play(rules, own, params[VP_WEIGHT], choice)
    else:
        search.best_play(rules, own, table.round_number, params[VP_WEIGHT], choice)


@decision
def saver_reveal(rules, table, own, seat, params, rng, choice):
    """Play as greedy when that is worth enough, or in the last round; otherwise keep promising cards."""
    value, _ = search.best_play(rules, own, table.round_number, params[VP_WEIGHT], choice)
    if table.round_number < rules.n_rounds and reveals.key_of(value, params[VP_WEIGHT]) < params[SECOND]:
        choice[:] = 0
        saving_play(rules, own, params[VP_WEIGHT], params[FIRST], choice)


LIMITS = {"vp_weight": (0.0, 100.0), "rounds": (0.0, 12.0), "hold": (0.0, 100.0), "bonus": (-100.0, 100.0)}
Vector = Callable[[Mapping[str, float], OtterRules], np.ndarray]

SAMPLE_HANDS = 240


_sampled: dict[tuple[str, float], np.ndarray] = {}


def _sampled_values(rules: OtterRules, weight: float) -> np.ndarray:
    """Return `added_values` for a fixed sample of hands, the same for every rule set with that deck."""
    if (rules.fingerprint, weight) in _sampled:
        return _sampled[rules.fingerprint, weight]
    table = rules_table(rules)[0]
    generator = np.random.Generator(np.random.PCG64(20_260_101))
    deck = table.card_code[: table.n_cards]
    size = rules.most_hand_limit
    hands = np.array([np.sort(generator.permutation(deck)[:size]) for _ in range(SAMPLE_HANDS)])
    for hand in hands:  # the cards beyond the hand limit are any, not the highest
        generator.shuffle(hand)
    (best_play,) = addresses([ready(greedy_reveal)])
    _sampled[rules.fingerprint, weight] = _added_values(rules, hands, best_play, weight)
    return _sampled[rules.fingerprint, weight]


def _added_values(rules: OtterRules, hands: np.ndarray, reveal: int, weight: float) -> np.ndarray:
    """Return `added_values` for some hands and the address of a decision."""
    open_table, own, hidden, features = (
        np.zeros(1, dtype).view(np.recarray) for dtype in (TABLE, OWN, HIDDEN, FEATURES)
    )
    gains = np.empty(len(rules.power_ups) + len(rules.key_clients))
    with np.errstate(over="ignore"):
        added_values(
            rules_table(rules), open_table, own, hidden, features, hands, reveal, np.array([float(weight)]),
            np.zeros(1, np.uint64), np.zeros(CHOICE, np.int64), gains,
        )  # fmt: skip
    return gains


def compile_ahead(rules: OtterRules, decisions: Collection[Callable[..., None]]) -> None:
    """Compile what the search comes to last, and what `draft_values` calls beside it: value no hands."""
    if not set(decisions) <= set(_RANDOM.values()):
        search.compile_last(rules_table(rules)[0])
    if not set(decisions).isdisjoint(_VALUED.values()):
        _added_values(rules, np.empty((0, rules.most_hand_limit), np.int64), 0, 0.0)


def draft_values(rules: OtterRules, vp_weight: float = 2.0) -> dict[str, float]:
    """Return how many score points each power-up and Key Client card adds, by itself, to a hand's best play.

    The mean over 240 fixed random hands, in rounds 2 to the last. Power-ups by number, Key Client cards
    by name; a power-up that brings a Key Client card is worth the best card left.

    Parameters
    ----------
    vp_weight : float
        Score points that a VP is worth.
    """
    values = _sampled_values(rules, vp_weight)
    return dict(zip([*rules.power_ups, *rules.key_clients], values.tolist(), strict=True))


def family_of(rules: OtterRules, card: PowerUp) -> set[str]:
    """Return the families (flush, straight, pairs, score) that a power-up serves.

    Score cards serve ``score``, and the family whose shape they pay. Change cards serve ``flush`` when they
    change suits, ``straight`` and ``pairs`` when they change numbers; passive ones what they lower.
    """
    result = set()
    if isinstance(card, ScorePowerUp):
        result.add("score")
        if card.marks.suits is not None and card.bounds[0] != 0:
            result.add("flush")
        numbers = resolve_numbers(card.marks.numbers, rules.deck.numbers) if card.marks.numbers else []
        if len(numbers) == 1 and card.bounds[1]:
            result.add("pairs")
    elif isinstance(card, ChangePowerUp):
        for conversion in card.conversions:
            if conversion.to.suits is not None:
                result.add("flush")
            if conversion.to.numbers is not None or conversion.to.add is not None:
                result |= {"straight", "pairs"}
    elif isinstance(card, PassivePowerUp):
        if card.flush_cards is not None:
            result.add("flush")
        if card.run_cards is not None or card.run_gaps:
            result.add("straight")
    return result


def _vector(first: str | None = None, second: str | None = None, family: str | None = None) -> Vector:
    """Return the ``vector`` of a policy: vp_weight, its own two parameters, the draft values."""

    def vector(parameters: Mapping[str, float], rules: OtterRules) -> np.ndarray:
        weight = parameters["vp_weight"]
        values = list(draft_values(rules, weight).values())
        if family is not None:
            bonus = parameters["bonus"]
            for place, card in enumerate(rules.power_ups.values()):
                values[place] += bonus * (family in family_of(rules, card))
            for place, client in enumerate(rules.key_clients.values(), len(rules.power_ups)):
                hands = [rules.hands[name] for name in client.hands]
                serves = {
                    "flush": any(hand.same_suit for hand in hands),
                    "straight": any(hand.run for hand in hands),
                    "pairs": any(hand.groups for hand in hands),
                    "score": False,
                }
                values[place] += bonus * serves[family]
        own = [parameters[name] if name else 0.0 for name in (first, second)]
        return np.array([weight, *own, *values])

    return vector


_RANDOM: dict[str, Callable[..., None]] = {
    "reveal": random_reveal,
    "draft": random_draft,
    "client": random_client,
    "start": random_start,
}
_VALUED: dict[str, Callable[..., None]] = {"draft": value_draft, "client": value_client, "start": value_start}

POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("random", _RANDOM, {}, "Every choice uniform; no Change card is used."),
        Policy(
            "greedy",
            {"reveal": greedy_reveal, **_VALUED},
            {"vp_weight": 2.0},
            "Best play now by score + vp_weight x VP; drafts what adds most to a random hand.",
            _vector(),
            LIMITS,
        ),
        Policy(
            "tank",
            {"reveal": tank_reveal, **_VALUED},
            {"vp_weight": 2.0, "rounds": 3.0},
            "Reveals as little as possible in the first rounds, to draft first; greedy afterwards.",
            _vector("rounds"),
            LIMITS,
        ),
        Policy(
            "saver",
            {"reveal": saver_reveal, **_VALUED},
            {"vp_weight": 2.0, "hold": 1.0, "enough": 18.0},
            "Keeps cards on the way to a flush or equal numbers until a play is worth enough.",
            _vector("hold", "enough"),
            LIMITS,
        ),
        *(
            Policy(
                f"collector_{family}",
                {"reveal": greedy_reveal, **_VALUED},
                {"vp_weight": 2.0, "bonus": 4.0},
                f"Greedy, but drafts the {family} family: bonus score points for each of its cards.",
                _vector(family=family),
                LIMITS,
            )
            for family in FAMILIES
        ),
    )
}
