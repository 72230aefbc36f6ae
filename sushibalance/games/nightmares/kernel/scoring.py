"""What abilities and plates are worth: from revealed cards to gold and penalty points.

Each function adds to ``table.gold`` and ``table.penalty``. A round calls them in the order of the
reading N5; the query ``resolve_round`` calls the same ones.
"""

from sushibalance.core.hints import natural
from sushibalance.core.jit import inlined
from sushibalance.core.log import note
from sushibalance.games.nightmares.kernel.state import (
    CAT,
    CHEF,
    FORTUNE_CAT,
    MEAL,
    NINJUTSU_CHIN,
    NOTHING,
    SAUCE,
    SWELLING_TONGUE,
    WHATS_UP_WASABI,
    WHERES_THE_SAUCE,
)


@inlined
def times_played(table, ability):
    """Return how many players revealed ``ability`` this round."""
    count = 0
    for seat in range(table.players):
        count += table.ability[seat] == ability
    return count


@inlined
def chin_works(rules, table):
    """Return whether this round's Ninjutsu Chins take effect."""
    return 0 < times_played(table, NINJUTSU_CHIN) <= rules.chin_at_most


@inlined
def chin_swaps(rules, table, target):
    """Return whether a Chin point becomes gold at ``target`` (reading N5)."""
    return rules.chin_swapped != 0 and table.ability[target] == SWELLING_TONGUE


@inlined
def score_cats(rules, table, log):
    """Turn standing penalty points into gold for each Fortune Cat."""
    cats = times_played(table, FORTUNE_CAT)
    if cats == 0:
        return
    turns = rules.cat_converts * (cats if rules.cat_counts_cats else 1)
    for seat in range(table.players):
        if table.ability[seat] == FORTUNE_CAT:
            points = min(turns, table.penalty[seat])
            table.penalty[seat] -= points
            table.gold[seat] += points
            note(log, CAT, seat, points, cats)


@inlined
def score_chin(rules, table, target):
    """Give the points of one Ninjutsu Chin to ``target``."""
    if chin_swaps(rules, table, target):
        table.gold[target] += rules.chin_penalty
    else:
        table.penalty[target] += rules.chin_penalty


@inlined
def score_sauces(rules, table, log):
    """Give the gold of Where's the Sauce? when few enough played it."""
    sauces = times_played(table, WHERES_THE_SAUCE)
    if sauces == 0:
        return
    gold = rules.sauce_gold if sauces <= rules.sauce_at_most else 0
    for seat in range(table.players):
        if table.ability[seat] == WHERES_THE_SAUCE:
            table.gold[seat] += gold
            note(log, SAUCE, seat, gold)


@inlined
def dish_out(rules, table, own, hidden):
    """Write what each plate and each chef gives to one who chose it."""
    for plate in range(table.plates):
        served = natural(own[plate].served)
        hidden.dish_gold[plate] = rules.eater_gold[served]
        hidden.dish_penalty[plate] = rules.eater_penalty[served]
    for place in range(rules.chefs_on_table):
        points = rules.chef_points[natural(hidden.chef[place])]
        hidden.dish_gold[CHEF + place] = max(points, 0)
        hidden.dish_penalty[CHEF + place] = max(-points, 0)


@inlined
def score_plates(rules, table, own, hidden, log):
    """Let every player eat: the chosen plate, and the own one when nobody chose it.

    Written without branches: what is eaten is as good as random to the processor.

    Returns
    -------
    int
        The seats that ate their own sushi, as bits.
    """
    dish_out(rules, table, own, hidden)
    chosen = 0
    for seat in range(table.players):
        chosen |= 1 << table.ate[seat]
    # Read before the loop: what is read within, the compiler skips by a branch where it is not needed.
    more_by_wasabi, wasabi_own_plate = rules.wasabi_factor - 1, rules.wasabi_own_plate
    tongue_own_plate = rules.tongue_own_plate
    for seat in range(table.players):
        ate, served = natural(table.ate[seat]), natural(own[seat].served)
        wasabi = (table.ability[seat] == WHATS_UP_WASABI) * more_by_wasabi
        tongue = 1 * (table.ability[seat] == SWELLING_TONGUE)
        factor = 1 + wasabi
        gold, penalty = hidden.dish_gold[ate] * factor, hidden.dish_penalty[ate] * factor
        swap = tongue * (penalty - gold)

        alone = 1 - (chosen >> seat & 1)
        factor = alone * (1 + wasabi * wasabi_own_plate)
        own_gold, own_penalty = rules.owner_gold[served] * factor, rules.owner_penalty[served] * factor
        own_swap = tongue * tongue_own_plate * (own_penalty - own_gold)

        table.gold[seat] += gold + swap + own_gold + own_swap
        table.penalty[seat] += penalty - swap + own_penalty - own_swap
        card = hidden.chef[ate - CHEF] if ate >= CHEF else own[ate].served
        note(log, MEAL, seat, ate, card, gold + swap, penalty - swap)
        if alone:
            note(log, MEAL, seat, seat, served, own_gold + own_swap, own_penalty - own_swap)
    return ~chosen


@inlined
def settle(rules, table, own, hidden, log):
    """Score a round whose cards, targets and meals are all known; used by the query.

    Targets of Ninjutsu Chins without effect are ignored.
    """
    if rules.cat_first:
        score_cats(rules, table, log)
    if chin_works(rules, table):
        for seat in range(table.players):
            if table.ability[seat] == NINJUTSU_CHIN and table.target[seat] != NOTHING:
                score_chin(rules, table, table.target[seat])
    if not rules.cat_first:
        score_cats(rules, table, log)
    score_sauces(rules, table, log)
    return score_plates(rules, table, own, hidden, log)
