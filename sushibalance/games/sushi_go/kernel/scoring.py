"""What cards are worth.

Awards (maki, puddings) are asked for one seat with some cards more than it has: 0 more for the
score itself, 1 or so for a policy that weighs a card.
"""

from sushibalance.core.hints import natural
from sushibalance.core.jit import inlined, lean
from sushibalance.games.sushi_go.kernel.state import DUMPLING, SASHIMI, TEMPURA, WASABI


@inlined
def share(points, tied, split):
    """Return what one of ``tied`` players gets of an award: its part, the remainder dropped, or all of it."""
    if tied == 1 or split == 0:
        return points
    return points // tied if points >= 0 else -(-points // tied)


@inlined
def maki_award(rules, icons, players, seat, more):
    """Return the maki points of ``seat`` when it has ``more`` icons than ``icons[seat]``."""
    mine = icons[natural(seat)] + more
    if mine <= 0:
        return 0
    best = mine
    for other in range(players):
        best = max(best, icons[other])
    leaders = 0
    between = 0
    tied = 1 * (more > 0)  # the loop finds the seat itself as well, with the icons that it has
    for other in range(players):
        leaders += icons[other] == best
        between += mine < icons[other] < best
        tied += icons[other] == mine
    if mine == best:
        return share(rules.maki_most, tied, rules.maki_split)
    if between == 0 and (leaders == 1 or rules.maki_second_after_tie != 0):
        return share(rules.maki_second, tied, rules.maki_split)
    return 0


@inlined
def pudding_award(rules, puddings, players, seat, more):
    """Return the pudding points of ``seat`` when it has ``more`` puddings than ``puddings[seat]``."""
    mine = puddings[natural(seat)] + more
    above = 0
    tied = 1 * (more > 0)  # the loop finds the seat itself as well, with the puddings that it has
    below = -tied
    for other in range(players):
        above += puddings[other] > mine
        below += puddings[other] < mine
        tied += puddings[other] == mine
    if tied == players and rules.pudding_all_tied_score == 0:
        return 0
    points = 0
    if above == 0:
        points += share(rules.pudding_most, tied, rules.pudding_split_most)
    if below == 0 and (players > 2 or rules.pudding_penalty_for_two != 0):
        points += share(rules.pudding_fewest, tied, rules.pudding_split_fewest)
    return points


@inlined
def dumpling_points(rules, count):
    """Return the points of ``count`` dumplings."""
    return rules.dumpling_points[natural(min(count, rules.dumpling_top))]


@lean
def tempura_points(rules, front):
    """Return the points of the tempura in a front."""
    return natural(front[TEMPURA]) // natural(rules.tempura_cards) * rules.tempura_points


@lean
def sashimi_points(rules, front):
    """Return the points of the sashimi in a front."""
    return natural(front[SASHIMI]) // natural(rules.sashimi_cards) * rules.sashimi_points


@inlined
def nigiri_card_points(rules, kind, on_wasabi):
    """Return the points of a card as a nigiri, 0 for any other kind."""
    return rules.nigiri[kind] * (1 + (rules.wasabi_factor - 1) * on_wasabi)


@lean
def tableau_points(rules, cards, front):
    """Return the points of one player's cards in play order, without maki and pudding awards.

    ``front`` (``int64[KINDS]``) is a workspace, zeroed by the caller.
    """
    wasabi = 0
    points = 0
    for kind in cards:
        on_wasabi = min(wasabi, rules.is_nigiri[kind])
        points += nigiri_card_points(rules, kind, on_wasabi)
        wasabi += (kind == WASABI) - on_wasabi
        front[kind] += 1
    points += tempura_points(rules, front) + sashimi_points(rules, front)
    return points + dumpling_points(rules, front[DUMPLING])
