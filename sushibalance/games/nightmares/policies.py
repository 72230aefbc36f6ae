"""Behaviours of a player, and the hook for the user's own.

A decision function has the signature ``decide(rules, table, own, seat, params, rng, choice)``;
``kernel/state.py`` says what lies in ``rules``, ``table`` and ``own``. It writes its answer into
``choice`` (``int64[2]``, zeroed before the call):

``set_aside``
    ``choice[0]``: the grade (its number in the rule file's order) to put aside.
``serve``
    ``choice[0]``: the grade to serve. ``choice[1]``: 0 for no ability card, or 1 + the ability.
``eat``
    ``choice[0]``: the seat whose plate is chosen (the third seat's is 2), or ``CHEF`` + the place of a chef.
``target``
    ``choice[0]``: the seat that gets the point of Ninjutsu Chin. Asked only of a player whose Chin
    takes effect, when all abilities are revealed and the sushi is not.

So a zero left standing is grade 0, no ability, seat 0. It is checked like any other answer. A policy
of your own, which leaves out what it wants to be made at random::

    from sushibalance import Policy, simulate
    from sushibalance.games.nightmares.policies import decision
    from sushibalance.games.nightmares.kernel.state import CHEF, FACE_DOWN

    @decision
    def likes_chefs(rules, table, own, seat, params, rng, choice):
        choice[0] = (seat + 1) % table.players
        for place in range(rules.chefs_on_table):
            if table.chef[place] == FACE_DOWN:
                choice[0] = CHEF + place

    run = simulate("nightmares", policies=[Policy("chef fan", {"eat": likes_chefs}), "random", "random", "greedy"])

The judging policies (all but ``random``) are one behaviour with six parameters:

``worth`` of points
    ``gold - penalty_weight * penalty``. A hunter counts ``penalty`` instead, as long as ``reach``
    points in each round left (this one included) would bring the penalty victory.
``plate``
    What a plate is expected to give: the mean over the cards not yet seen there, moved by
    ``|trust|`` (at most 1) towards the best of them, below 0 towards the worst. A chef: the mean of
    the cards not yet seen.
``guest``
    The chance that a given rival chooses this player's plate: ``lure + (1 - lure) / offers``.
``serving`` a grade
    ``(1 - guest) ** rivals_at_table * worth(own plate) - rivals * guest * (points for a guest)``.
set_aside
    The card whose serving is worth least.
serve
    The card and ability with the highest ``serving + best meal + extra - hold``: the best meal
    with that ability; the extra is what Fortune Cat converts, the gold of Where's the Sauce? times
    the chance to play it alone, the point of Ninjutsu Chin likewise (its worth to oneself, or
    ``rivals * penalty_weight / rivals_at_table`` for a rival's); ``hold`` is taken off for any
    ability. A rival is expected to play none or any ability card that it may hold alike.
eat
    The plate or chef worth most with the own ability.
target
    Oneself when hunting or when it wins; else the rival with the best score whom it does not make
    a winner.

Equal choices are drawn at random.
"""

from sushibalance.core.hints import at_least
from sushibalance.core.jit import decision as _decision
from sushibalance.core.jit import inlined, lean
from sushibalance.core.random import below
from sushibalance.games.game import Policy
from sushibalance.games.nightmares.kernel.game import DECISION
from sushibalance.games.nightmares.kernel.judge import (
    FAR,
    HOLD,
    ability_worth,
    best_meals,
    expected_meal,
    guest_chance,
    held,
    hunts,
    meal_worth,
    on_offer,
    serve_worth,
    target_worth,
)
from sushibalance.games.nightmares.kernel.state import ABILITIES, CHEF, GONE, NOTHING, SWELLING_TONGUE, WHATS_UP_WASABI

decision = _decision(DECISION)

SAME = 1e-9


@inlined
def any_card(rng, counts, more):
    """Return the kind of a card drawn from ``counts`` and ``more`` cards beyond (kind ``len(counts)``).

    It goes through the grades that the rules do not have as well: a loop of known length is a list of additions.
    """
    cards = more
    for kind in range(len(counts)):
        cards += counts[kind]
    at = below(rng, cards)
    kind = 0
    upto = 0
    for i in range(len(counts)):
        upto += counts[i]
        kind += at_least(at, upto)
    return kind


@decision
def random_set_aside(rules, table, own, seat, params, rng, choice):
    """Choose any of the cards."""
    choice[0] = any_card(rng, own.hand, 0)


@decision
def random_serve(rules, table, own, seat, params, rng, choice):
    """Choose any card, and none or any ability card."""
    choice[0] = any_card(rng, own.hand, 0)
    ability = any_card(rng, own.abilities, 1)
    choice[1] = ability + 1 if ability < ABILITIES else 0


@decision
def random_eat(rules, table, own, seat, params, rng, choice):
    """Choose any plate but the own one, or any chef that is left."""
    others = table.plates - 1
    offers = others
    for place in range(rules.chefs_on_table):
        offers += table.chef[place] != GONE
    at = below(rng, offers)
    place = 0
    upto = others
    for i in range(rules.chefs_on_table):
        upto += table.chef[i] != GONE
        place += at_least(at, upto)
    choice[0] = CHEF + place if at >= others else at + (at >= seat)


@decision
def random_target(rules, table, own, seat, params, rng, choice):
    """Choose any player."""
    choice[0] = below(rng, table.players)


@lean
def better(value, best, ties, rng):
    """Return whether ``value`` replaces ``best``, the highest of ``ties`` equal ones so far, and the new count."""
    if value > best + SAME:
        return True, 1
    if value >= best - SAME:
        return below(rng, ties + 1) == 0, ties + 1
    return False, ties


@decision
def judged_set_aside(rules, table, own, seat, params, rng, choice):
    """Put aside the card whose serving is worth least."""
    hunting = hunts(rules, table, seat, params)
    guest = guest_chance(rules, table, params)
    best, ties = -FAR, 0
    for grade in range(rules.grades):
        if own.hand[grade]:
            value = -serve_worth(rules, table, grade, NOTHING, guest, hunting, params)
            take, ties = better(value, best, ties, rng)
            if take:
                best, choice[0] = value, grade


@decision
def judged_serve(rules, table, own, seat, params, rng, choice):
    """Choose the card and ability that promise most."""
    hunting = hunts(rules, table, seat, params)
    guest = guest_chance(rules, table, params)
    plain, swapped = best_meals(rules, table, seat, hunting, params)
    best, ties = -FAR, 0
    for ability in range(NOTHING, ABILITIES):
        if not held(own, ability):
            continue
        extra = ability_worth(rules, table, seat, ability, hunting, params)
        if ability == SWELLING_TONGUE:
            extra += swapped
        else:
            extra += plain * rules.wasabi_factor if ability == WHATS_UP_WASABI else plain
        if ability != NOTHING:
            extra -= params[HOLD]
        for grade in range(rules.grades):
            if own.hand[grade]:
                value = extra + serve_worth(rules, table, grade, ability, guest, hunting, params)
                take, ties = better(value, best, ties, rng)
                if take:
                    best, choice[0], choice[1] = value, grade, ability + 1


@decision
def judged_eat(rules, table, own, seat, params, rng, choice):
    """Choose the plate or chef that promises most."""
    hunting = hunts(rules, table, seat, params)
    best, ties = -FAR, 0
    for what in range(CHEF + rules.chefs_on_table):
        if on_offer(table, seat, what):
            gold, penalty = expected_meal(rules, table, what, params)
            value = meal_worth(rules, gold, penalty, own.ability, hunting, params)
            take, ties = better(value, best, ties, rng)
            if take:
                best, choice[0] = value, what


@decision
def judged_target(rules, table, own, seat, params, rng, choice):
    """Choose whom the Ninjutsu Chin point suits best."""
    hunting = hunts(rules, table, seat, params)
    best, ties = -2 * FAR, 0
    for target in range(table.players):
        value = target_worth(rules, table, seat, target, hunting, params)
        take, ties = better(value, best, ties, rng)
        if take:
            best, choice[0] = value, target


JUDGED = {"set_aside": judged_set_aside, "serve": judged_serve, "eat": judged_eat, "target": judged_target}
LIMITS = {
    "penalty_weight": (-10, 10),
    "trust": (-1, 1),
    "rivals": (-10, 10),
    "lure": (0, 1),
    "hold": (-100, 100),
    "reach": (0, 1000),
}


def _judging(name: str, description: str, **changes: float) -> Policy:
    parameters = {"penalty_weight": 1.0, "trust": 0.0, "rivals": 0.0, "lure": 0.0, "hold": 0.0, "reach": 0.0}
    return Policy(name, JUDGED, parameters | changes, description, limits=LIMITS)


POLICIES = {
    policy.name: policy
    for policy in (
        Policy(
            "random",
            {"set_aside": random_set_aside, "serve": random_serve, "eat": random_eat, "target": random_target},
            description="Draws every choice at random, each allowed one alike.",
        ),
        _judging("greedy", "Takes what promises the most points this round, by the cards seen so far."),
        _judging(
            "penalty_hunter",
            "Collects penalty points as long as the penalty victory is in reach, then plays like greedy.",
            reach=3.0,
        ),
        _judging(
            "honest",
            "Serves its best sushi for all to enjoy, and believes that all others do.",
            trust=1.0,
            rivals=-1.0,
        ),
        _judging(
            "trickster",
            "Keeps its best sushi back, so that its plate looks good, and counts on guests for its worst.",
            rivals=1.0,
            lure=0.5,
        ),
    )
}
