"""Which parts a hand asks for, and which hands, Change cards could still bring: judged optimistically.

What each card could become by itself is known (reach.py); here cards share the uses that are left.
"""

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.alike import EVERY_NUMBER
from sushibalance.games.otter.kernel.learn import flush_need, run_gaps, run_need
from sushibalance.games.otter.kernel.matching import PLACES, fills_group, fills_groups, fills_run
from sushibalance.games.otter.kernel.state import (
    COUNT_NUMBERS,
    COUNT_SUITS,
    FIBONACCI,
    FIBONACCI_PART,
    FILTER_BIT,
    FILTER_PART,
    FLUSH_PART,
    NUMBERS_PART,
    SLOTS,
    STRAIGHT,
    STRAIGHT_PART,
    SUITS,
)
from sushibalance.games.otter.kernel.worth import (
    SUIT_EIGHTS,
    SUIT_NIBBLES,
    SUIT_ONES,
    group_pattern,
    has_run,
)


@lean
def grouped(reach, size, uses):
    """Return the numbers that ``size`` cards can have, all but ``uses`` of them without a limited Change card."""
    return reach.same[size - 1, 0] & (reach.same[size - uses - 1, 1] if size > uses else EVERY_NUMBER)


@lean
def group_within_reach(reach, first, second, uses):
    """Tell whether so many limited uses could make groups of ``first`` and ``second`` equal numbers."""
    if first > SLOTS:
        return False
    for spent in range(uses + 1):
        a = grouped(reach, first, spent)
        if a == 0:
            continue
        if second == 0:
            return True
        b = grouped(reach, second, uses - spent)
        if b and (a != b or a & (a - 1)):
            return True
    return False


@lean
def one_group_within_reach(own, work, n_cards, size, budget):
    """Tell whether at most five cards could be of ``size`` equal numbers, no limited use being spent twice."""
    reach, uses = work.reach, budget.limited_numbers
    numbers = grouped(reach, size, uses)
    while numbers:
        number = lowest(numbers)
        numbers &= numbers - 1
        but_x = -1
        if work.but_x and (budget.untold >> number) & 1 == 0:
            # It brings this number itself only while others share another X.
            if grouped(reach, work.share_x, max(uses - 1, 0)) & ~(1 << number) == 0:
                but_x = but_x_and(own, work, number)
        if fills_group(work, n_cards, number, size, but_x):
            return True
    return False


@lean
def but_x_and(own, work, number):
    """Return the sets (a bit each) of the use "any number but X" and another that can bring a number."""
    result = 0
    for k in range(own.n_changes):
        if (work.brings[k] >> number) & 1:
            for j in range(2):
                use = work.use[k, j]
                if use and use != work.but_x:
                    result |= 1 << (work.but_x | use)
    return result


@lean
def short_of(reach, size, number):
    """Return how many limited uses ``size`` cards of a number take at least."""
    short = 0
    for other in range(size):
        short += (reach.same[other, 1] >> number) & 1 == 0
    return short


@lean
def two_groups_within_reach(work, n_cards, first, second, uses):
    """Tell whether at most five cards could be of two groups of equal numbers, no card in both."""
    reach = work.reach
    ones = reach.same[first - 1, 0]
    while ones:
        one = lowest(ones)
        ones &= ones - 1
        rest = uses - short_of(reach, first, one)
        twos = reach.same[second - 1, 0] & ~(1 << one) if rest >= 0 else 0
        while twos:
            two = lowest(twos)
            twos &= twos - 1
            if short_of(reach, second, two) <= rest and fills_groups(work, n_cards, one, first, two, second, uses):
                return True
    return False


@lean
def run_within_reach(rules, work, row, n_cards, need, gaps, uses):
    """Tell whether so many limited uses could make a straight."""
    reach = work.reach
    width = need + gaps
    window = (1 << width) - 1
    present, reached = row.h[0] & rules.straight_numbers, reach.same[0, 0] & rules.straight_numbers
    free = reach.same[0, 1]
    rest = reached
    while popcount(rest) >= need:
        first = lowest(rest)
        rest &= rest - 1
        if popcount((present >> first) & window) >= need:
            return True
        missing = need - popcount((free >> first) & (rules.straight_numbers >> first) & window)
        if missing <= uses and popcount((reached >> first) & window) >= need:
            if width > PLACES or n_cards > SLOTS:
                return True
            allowed = (rules.straight_numbers >> first) & window
            if fills_run(work, n_cards, first, allowed, need, uses):
                return True
    return False


@lean
def parts_near(rules, own, row, n_cards, numbers, suits, wanted):
    """Return the feature bits that so many changed numbers and suits might show, whatever the cards can become.

    Of the parts other than groups, only those in ``wanted``.
    """
    h1, word = row.h[0], row.word
    pattern = group_pattern(row.h[1], row.h[2], row.h[3], row.h[4])
    shown = rules.group_near[n_cards, pattern, numbers]
    for j in range(own.n_parts):
        kind, need = own.part_kind[j], own.part_need[j]
        if n_cards < need or (wanted >> own.part_bit[j]) & 1 == 0:
            continue
        if kind == FLUSH_PART:
            near = ((word & SUIT_NIBBLES) + (8 - need + min(suits, need)) * SUIT_ONES) & SUIT_EIGHTS != 0
        elif kind == STRAIGHT_PART:
            near = need <= numbers
            if not near:
                near = has_run(h1 & rules.straight_numbers, need - numbers, own.part_gaps[j] + numbers)
        elif kind == FILTER_PART:
            near = ((word >> (4 * (SUITS + own.part_bit[j] - FILTER_BIT))) & 15) + numbers >= need
        elif kind == FIBONACCI_PART:
            near = False
            for i in range(rules.n_fib[need, own.part_gaps[j]]):
                one, two = rules.fib_one[need, own.part_gaps[j], i], rules.fib_two[need, own.part_gaps[j], i]
                if popcount(one & h1) + popcount(two & row.h[1]) >= need - numbers:
                    near = True
                    break
        elif kind == NUMBERS_PART:
            near = popcount(h1) + numbers >= need
        else:
            near = popcount(((word & SUIT_NIBBLES) + 7 * SUIT_ONES) & SUIT_EIGHTS) + suits >= need
        if near:
            shown |= 1 << own.part_bit[j]
    return shown


@lean
def within_reach(rules, own, work, h, row, n_cards, budget):
    """Tell whether hand ``h`` might be formed by what ``work.reach`` and the budget allow.

    Never says no to a hand that can be formed; may say yes to one that cannot.
    """
    reach, numbers, suits, uses = work.reach, budget.numbers, budget.suits, budget.limited_numbers
    cards = rules.hand_cards[h]
    group = rules.hand_group[h]
    if group:
        bit = lowest(group)
        first, second = rules.group_first[bit], rules.group_second[bit]
        if not group_within_reach(reach, first, second, uses):
            return False
        if numbers > 0 and n_cards <= SLOTS:
            if second == 0 and not one_group_within_reach(own, work, n_cards, first, budget):
                return False
            if second and not two_groups_within_reach(work, n_cards, first, second, uses):
                return False
    if rules.hand_flush[h]:
        need = flush_need(own, cards)
        present = (reach.free_suits & SUIT_NIBBLES) + (8 - need + min(budget.limited_suits, need)) * SUIT_ONES
        possible = (reach.can & SUIT_NIBBLES) + (8 - need) * SUIT_ONES
        if present & possible & SUIT_EIGHTS == 0:
            return False
    if rules.hand_run[h] == STRAIGHT:
        need, gaps = run_need(own, cards), run_gaps(rules, own, cards)
        if n_cards < need or not has_run(reach.same[0, 0] & rules.straight_numbers, need, gaps):
            return False
        if not run_within_reach(rules, work, row, n_cards, need, gaps, uses):
            return False
    if rules.hand_run[h] == FIBONACCI:
        need, gaps = run_need(own, cards), run_gaps(rules, own, cards)
        found = False
        for i in range(rules.n_fib[need, gaps]):
            one, two = rules.fib_one[need, gaps, i], rules.fib_two[need, gaps, i]
            if one & ~reach.same[0, 0] == 0 and two & ~reach.same[1, 0] == 0:
                if popcount(one & row.h[0]) + popcount(two & row.h[1]) >= need - numbers:
                    found = True
                    break
        if n_cards < need or not found:
            return False
    if rules.hand_filter[h]:
        shift = 4 * rules.hand_filter[h]
        if (reach.can >> shift) & 15 < cards or ((row.word >> shift) & 15) + numbers < cards:
            return False
    if rules.hand_different[h] == COUNT_NUMBERS and (n_cards < cards or popcount(row.h[0]) + numbers < cards):
        return False
    if rules.hand_different[h] == COUNT_SUITS:
        sevens = 7 * SUIT_ONES
        if popcount(((row.word & SUIT_NIBBLES) + sevens) & SUIT_EIGHTS) + suits < cards:
            return False
        if popcount(((reach.can & SUIT_NIBBLES) + sevens) & SUIT_EIGHTS) < cards:
            return False
    return True
