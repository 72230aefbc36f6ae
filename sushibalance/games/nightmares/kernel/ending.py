"""Who starts next, who has won, and the final ranks."""

from sushibalance.core.jit import inlined


@inlined
def away(table, seat):
    """Return how many seats clockwise from the present starter ``seat`` sits."""
    steps, players = seat - table.starter, table.players  # read in any case: to read it or not would be a branch
    return steps if steps >= 0 else steps + players


@inlined
def distance(rules, table, seat):
    """Return how far ``seat`` is from the present starter clockwise, as ties count it (reading N8)."""
    steps = away(table, seat)
    return table.players if steps == 0 and not rules.starter_first else steps


@inlined
def next_starter(rules, table):
    """Return the seat that gets the starting player token: most gold, then nearest clockwise."""
    best = 0
    for seat in range(1, table.players):
        more = table.gold[seat] - table.gold[best]
        if more > 0 or (more == 0 and distance(rules, table, seat) < distance(rules, table, best)):
            best = seat
    return best


@inlined
def penalty_winners(rules, table):
    """Return the seats with enough penalty points for the penalty victory, as bits."""
    winners = 0
    if rules.penalty_victory and (rules.victory_each_round or table.round_number == rules.rounds):
        for seat in range(table.players):
            if table.penalty[seat] >= rules.penalty_victory:
                winners |= 1 << seat
    return winners


@inlined
def standing(rules, table, seat, winners):
    """Return a number that is higher for the better placed player.

    Penalty winners are equal and above all; then the final score, the fewer penalty points, and
    the shorter way clockwise from the last starter decide.
    """
    if winners >> seat & 1:
        return 1 << 50
    total = table.gold[seat] - table.penalty[seat]
    return ((total + (1 << 20)) << 24) + (((1 << 20) - table.penalty[seat]) << 3) + 7 - distance(rules, table, seat)
