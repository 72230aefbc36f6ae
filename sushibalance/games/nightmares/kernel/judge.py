"""What a player can expect, from what lies open and from its own cards.

The named policies but ``random`` choose by these numbers. All are expectations of gold and penalty
points; `worth` makes one number of the two. The formulas stand in ``policies.py``.
"""

from sushibalance.core.jit import lean
from sushibalance.games.nightmares.kernel.scoring import chin_swaps
from sushibalance.games.nightmares.kernel.state import (
    ABILITIES,
    CHEF,
    FACE_DOWN,
    FORTUNE_CAT,
    GONE,
    NINJUTSU_CHIN,
    NOTHING,
    SWELLING_TONGUE,
    WHATS_UP_WASABI,
    WHERES_THE_SAUCE,
)

# Parameters, in the order of a policy's vector.
PENALTY_WEIGHT, TRUST, RIVALS, LURE, HOLD, REACH = range(6)
PARAMETERS = 6

FAR = 1e6


@lean
def hunts(rules, table, seat, params):
    """Return whether ``seat`` still plays for the penalty victory: ``reach`` points a round would do."""
    missing = rules.penalty_victory - table.penalty[seat]
    left = rules.rounds - max(table.round_number, 1) + 1
    return rules.penalty_victory > 0 and params[REACH] > 0 and missing <= params[REACH] * left


@lean
def worth(gold, penalty, hunting, params):
    """Return what some gold and penalty points are worth to a player."""
    return 1.0 * penalty if hunting else gold - params[PENALTY_WEIGHT] * penalty


@lean
def expected_plate(rules, table, plate, params):
    """Return the (gold, penalty) to expect from a plate: the mean of the cards not yet seen there.

    A ``trust`` above 0 moves it towards the best of these cards, one below 0 towards the worst.
    """
    cards = 0
    gold = 0.0
    penalty = 0.0
    best = 0
    far = -FAR
    for grade in range(rules.grades):
        unseen = rules.cards[grade] - table.seen[plate, grade] - (table.aside[plate] == grade)
        if unseen > 0:
            cards += unseen
            gold += unseen * rules.eater_gold[grade]
            penalty += unseen * rules.eater_penalty[grade]
            points = params[TRUST] * (rules.eater_gold[grade] - rules.eater_penalty[grade])
            if points > far:
                far = points
                best = grade
    if cards == 0:
        return 0.0, 0.0
    sure = abs(params[TRUST])
    return (
        (1 - sure) * gold / cards + sure * rules.eater_gold[best],
        (1 - sure) * penalty / cards + sure * rules.eater_penalty[best],
    )


@lean
def expected_chef(rules, table, place):
    """Return the (gold, penalty) to expect from a chef: its card, or the mean of the cards not yet seen."""
    if table.chef[place] != FACE_DOWN:
        points = rules.chef_points[table.chef[place]]
        return float(max(points, 0)), float(max(-points, 0))
    cards = 0
    gold = 0.0
    penalty = 0.0
    for card in range(rules.chefs):
        if table.chef_seen[card] == 0:
            cards += 1
            gold += max(rules.chef_points[card], 0)
            penalty += max(-rules.chef_points[card], 0)
    return gold / max(cards, 1), penalty / max(cards, 1)


@lean
def on_offer(table, seat, what):
    """Return whether ``seat`` may choose ``what``, a plate's number or ``CHEF`` + the place of a chef."""
    if what >= CHEF:
        return table.chef[what - CHEF] != GONE
    return what != seat and what < table.plates


@lean
def expected_meal(rules, table, what, params):
    """Return the (gold, penalty) to expect from a plate or a chef."""
    if what >= CHEF:
        return expected_chef(rules, table, what - CHEF)
    return expected_plate(rules, table, what, params)


@lean
def meal_worth(rules, gold, penalty, ability, hunting, params):
    """Return what a meal is worth to a player with ``ability``."""
    if ability == SWELLING_TONGUE:
        return worth(penalty, gold, hunting, params)
    points = worth(gold, penalty, hunting, params)
    return points * rules.wasabi_factor if ability == WHATS_UP_WASABI else points


@lean
def best_meals(rules, table, seat, hunting, params):
    """Return the worth of the best meal for ``seat``, as it is and for a Swelling Tongue."""
    plain = swapped = -FAR
    for what in range(CHEF + rules.chefs_on_table):
        if on_offer(table, seat, what):
            gold, penalty = expected_meal(rules, table, what, params)
            plain = max(plain, worth(gold, penalty, hunting, params))
            swapped = max(swapped, worth(penalty, gold, hunting, params))
    return plain, swapped


@lean
def guest_chance(rules, table, params):
    """Return the chance that one given rival chooses this player's plate.

    A rival that knows nothing chooses anything on offer alike; ``lure`` is the share of rivals
    that come in any case.
    """
    offers = table.plates - 1
    for place in range(rules.chefs_on_table):
        offers += table.chef[place] != GONE
    return params[LURE] + (1 - params[LURE]) / offers


@lean
def serve_worth(rules, table, grade, ability, guest, hunting, params):
    """Return the expected worth of having ``grade`` on the own plate, eaten by its owner or by guests."""
    alone = 1.0
    for _ in range(table.players - 1):
        alone *= 1 - guest
    gold, penalty = rules.owner_gold[grade], rules.owner_penalty[grade]
    if ability == SWELLING_TONGUE and rules.tongue_own_plate:
        gold, penalty = penalty, gold
    own = worth(gold, penalty, hunting, params)
    if ability == WHATS_UP_WASABI and rules.wasabi_own_plate:
        own *= rules.wasabi_factor
    guests = rules.eater_gold[grade] - params[PENALTY_WEIGHT] * rules.eater_penalty[grade]
    return alone * own - params[RIVALS] * guest * guests


@lean
def plays_chance(rules, table, rival, ability):
    """Return the chance that a rival plays ``ability``, if it plays any card or none alike."""
    cards = 1
    for other in range(ABILITIES):
        cards += rules.ability_cards[other] - table.used[rival, other]
    return (rules.ability_cards[ability] - table.used[rival, ability]) / cards


@lean
def few_chance(rules, table, seat, ability, at_most):
    """Return the chance that at most ``at_most`` rivals play ``ability``.

    ``p0 .. p5`` are the chances that 0 to 5 of the rivals looked at so far play it.
    """
    p0, p1, p2, p3, p4, p5 = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for rival in range(table.players):
        if rival != seat:
            p = plays_chance(rules, table, rival, ability)
            p5 += p * (p4 - p5)
            p4 += p * (p3 - p4)
            p3 += p * (p2 - p3)
            p2 += p * (p1 - p2)
            p1 += p * (p0 - p1)
            p0 -= p * p0
    total = 0.0
    for playing, chance in enumerate((p0, p1, p2, p3, p4, p5)):
        if playing <= at_most:
            total += chance
    return total


@lean
def ability_worth(rules, table, seat, ability, hunting, params):
    """Return the expected worth of what an ability gives apart from the sushi eaten."""
    if ability == FORTUNE_CAT:
        turns = float(rules.cat_converts)
        if rules.cat_counts_cats:
            for rival in range(table.players):
                if rival != seat:
                    turns += rules.cat_converts * plays_chance(rules, table, rival, FORTUNE_CAT)
        points = min(turns, 1.0 * table.penalty[seat])
        return worth(points, -points, hunting, params)
    if ability == WHERES_THE_SAUCE:
        chance = few_chance(rules, table, seat, ability, rules.sauce_at_most - 1)
        return chance * worth(rules.sauce_gold, 0, hunting, params)
    if ability == NINJUTSU_CHIN:
        chance = few_chance(rules, table, seat, ability, rules.chin_at_most - 1)
        own = worth(0, rules.chin_penalty, hunting, params)
        rivals = params[RIVALS] * params[PENALTY_WEIGHT] * rules.chin_penalty / (table.players - 1)
        return chance * max(own, rivals)
    return 0.0


@lean
def target_worth(rules, table, seat, target, hunting, params):
    """Return a number that is higher for the better Ninjutsu Chin target.

    Whoever hunts, or wins by the point, takes it. Otherwise it goes to the rival with the best
    score, but not to one whom it would make a penalty winner or give gold.
    """
    wins = 0 < rules.penalty_victory <= table.penalty[target] + rules.chin_penalty
    if target == seat:
        return FAR if hunting or wins else -FAR / 4
    if chin_swaps(rules, table, target):
        return -FAR / 2
    return -FAR if wins else 1.0 * (table.gold[target] - table.penalty[target])


@lean
def held(own, ability):
    """Return whether ``ability`` (``NOTHING``: none) can be played."""
    return ability == NOTHING or own.abilities[ability] > 0
