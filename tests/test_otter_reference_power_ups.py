"""The rulebook of Otter against the reference: "Power Up Card Details", Score, Change and Passive cards.

The names in quotes of the docstrings are the rulebook's headings.
"""

from itertools import combinations, product

import pytest
from otter_shown import ALL_NEW, RULES, after, cards, changed, formed, gain, numbers
from reference import otter
from reference.otter import Player

# ---------------------------------------------------------------- Score power-ups


FIVE = ("shrimp", "salmon_roe", "tuna", "squid", "egg")


@pytest.mark.parametrize(
    ("number", "shown", "expected"),
    [
        (1, numbers(9), (1, 0)),
        (2, numbers(9, 9, 9), (1, 0)),
        (3, numbers(1, 2, 3, 4, 5), (3, 0)),
        (3, numbers(1, 5), (0, 0)),
        (4, numbers(4, 5, 6, 7, 8), (3, 0)),
        (5, numbers(7, 8, 9, 10, 11), (3, 0)),
        (6, numbers(10, 11, 12, 13, 14), (3, 0)),
        (7, cards("salmon_roe 1, salmon_roe 9, tuna 3"), (2, 0)),
        (8, cards("shrimp 1, shrimp 9, tuna 3"), (2, 0)),
        (9, cards("squid 1, squid 9, tuna 3"), (2, 0)),
        (10, cards("tuna 1, tuna 9, squid 3"), (2, 0)),
        (11, cards("egg 1, egg 9, tuna 3"), (2, 0)),
        (12, numbers(1, 4, 6, 9, 13), (3, 0)),
        (12, numbers(1, 4, 6, 9), (0, 0)),
        (12, numbers(1, 4, 6, 9, 9), (0, 0)),
        (13, cards("egg 4, tuna 4"), (3, 0)),
        (13, cards("egg 4, egg 5"), (0, 0)),
        (13, cards("tuna 4"), (0, 0)),
        (18, numbers(3), (0, 0)),
        (18, numbers(2), (1, 0)),
        (18, numbers(2, 2, 3), (2, 0)),
        (18, numbers(2, 2, 2), (4, 0)),
        (18, numbers(2, 2, 2, 2), (8, 0)),
        (18, numbers(2, 2, 2, 2, 2), (16, 0)),
        (20, numbers(4, 4, 4, 5), (6, 0)),
        (20, numbers(5), (0, 0)),
        (21, numbers(5, 6), (0, 0)),
        (21, numbers(5, 5), (5, 0)),
        (21, numbers(5, 5, 5, 5), (5, 0)),
        (22, numbers(5), (0, 0)),
        (22, numbers(6), (0, 1)),
        (22, numbers(6, 6, 6), (0, 1)),
        (26, numbers(9, 9), (0, 0)),
        (26, numbers(9, 9, 9), (9, 0)),
        (26, numbers(9, 9, 9, 9, 9), (9, 0)),
        (27, numbers(11), (0, 0)),
        (27, numbers(10), (2, 0)),
        (27, numbers(10, 10), (2, 0)),
        (29, numbers(12), (0, 0)),
        (29, numbers(12, 12), (0, 2)),
        (29, numbers(12, 12, 12, 12), (0, 2)),
        (30, numbers(1, 12), (2, 0)),
        (30, numbers(1, 13), (0, 0)),
        (35, numbers(11, 12, 13, 13, 11), (6, 0)),
        (35, numbers(11, 12, 13, 13), (0, 0)),
        (35, numbers(11, 12, 13, 13, 14), (0, 0)),
        (36, numbers(2, 5, 5, 8, 10), (3, 0)),
        (36, numbers(2, 5, 5, 8), (0, 0)),
        (36, numbers(1, 5, 5, 8, 10), (0, 0)),
        (40, numbers(1, 3, 5, 11, 13), (5, 0)),
        (40, numbers(1, 3, 5, 11), (0, 0)),
        (40, numbers(1, 3, 5, 11, 15), (0, 0)),
        (41, numbers(2, 4, 6, 10, 12), (5, 0)),
        (41, numbers(2, 4, 6, 10, 14), (0, 0)),
        (41, numbers(2, 4, 6, 10, 0), (0, 0)),
        (42, cards("shrimp 1"), (0, 0)),
        (42, cards("shrimp 1, shrimp 3"), (0, 1)),
        (42, cards("shrimp 1, shrimp 3, shrimp 4, shrimp 6"), (0, 1)),
        (46, numbers(1, 1, 1, 1, 1, suits=FIVE), (5, 0)),
        (46, cards("shrimp 1, salmon_roe 2, tuna 3, squid 4"), (0, 0)),
        (46, cards("shrimp 1, salmon_roe 2, tuna 3, squid 4, squid 5"), (0, 0)),
        (47, numbers(1, 2, 3, 4, 5, suits=("shrimp", "salmon_roe")), (6, 0)),
        (47, numbers(1, 2, 3, 4, 5, suits=("shrimp",)), (6, 0)),
        (47, numbers(1, 2, 3, 4, suits=("shrimp", "salmon_roe")), (0, 0)),
        (48, numbers(1, 2, 3, 4, 5, suits=("squid", "tuna")), (0, 2)),
        (48, numbers(1, 2, 3, 4, 5, suits=("squid", "egg")), (0, 0)),
        (64, cards("tuna 4, squid 5"), (3, 0)),
        (64, cards("tuna 4, egg 5"), (0, 0)),
    ],
)
def test_score_power_ups(number, shown, expected):
    """Section "Power Up Card Details": each Score card, and what it says of more cards than it needs."""
    assert gain(number, shown) == expected


@pytest.mark.parametrize("round_number", range(1, 9))
def test_nos_33_and_34_look_at_the_round(round_number):
    """Section "Power Up Card Details", Nos. 33 (even rounds) and 34 (odd rounds)."""
    even = round_number % 2 == 0
    assert gain(33, numbers(1), round_number) == (3 * even, 0)
    assert gain(34, numbers(1), round_number) == (3 * (not even), 0)


def test_every_score_power_up_is_tested_above():
    """No Score card may be left out of these tables."""
    tested = {number for number, _, _ in test_score_power_ups.pytestmark[0].args[1]} | {33, 34}
    assert tested == {int(number) for number, card in RULES.power_ups.items() if card.type == "score"}


# ---------------------------------------------------------------- Change power-ups


@pytest.mark.parametrize(("number", "one", "other"), [(14, "shrimp", "salmon_roe"), (15, "squid", "tuna")])
def test_nos_14_and_15_turn_any_number_both_ways(number, one, other):
    """Section "Power Up Card Details", Nos. 14 and 15: any number of each, in both directions, in one use."""
    shown = ((one, 1), (other, 2), ("egg", 3), (one, 4))
    flips = [((suit, value), (other if suit == one else one, value)) for suit, value in shown]
    expected = {
        tuple(flips[place][place in chosen] for place in range(4))
        for size in (1, 2, 3)
        for chosen in combinations((0, 1, 3), size)
    }
    assert after(number, shown) == expected


def test_no_17_changes_one_card_to_any_number_but_x():
    """Section "Power Up Card Details", No. 17: X on three or more cards; one card gets any number but X."""
    shown = numbers(5, 5, 5, 9, 2)
    assert otter.is_use(shown, numbers(5, 5, 5, 9, 9), 17, RULES)  # makes a full house
    assert otter.is_use(shown, numbers(5, 5, -40, 9, 2), 17, RULES)
    assert otter.is_use(shown, numbers(5, 5, 5, 9, 77), 17, RULES)
    assert not otter.is_use(shown, numbers(5, 5, 5, 9, 5), 17, RULES)
    assert not otter.is_use(shown, numbers(5, 5, 5, 8, 8), 17, RULES)
    assert not otter.is_use(shown, shown, 17, RULES)
    assert after(17, numbers(5, 5, 9, 9, 2)) == set()


def test_no_17_then_49_reaches_x():
    """No. 17 leaves out X only at its own moment (O6): 4, and No. 49 makes it X."""
    hands = {hand for hand, _, _ in otter.outcomes(numbers(5, 5, 5, 9), RULES, Player((17, 49)))}
    assert "four_of_a_kind" in hands
    assert "four_of_a_kind" not in {hand for hand, _, _ in otter.outcomes(numbers(5, 5, 5, 9), RULES, Player((17,)))}


def test_no_19_makes_a_three():
    """Section "Power Up Card Details", No. 19: with two or more 3s, one card becomes a 3."""
    shown = numbers(3, 3, 9, 10)
    assert after(19, shown) == {numbers(3, 3, 3, 10), numbers(3, 3, 9, 3)}
    assert after(19, numbers(3, 9, 10)) == set()


def test_no_23_turns_sixes_and_nines():
    """Section "Power Up Card Details", No. 23: any number of 6s to 9s and of 9s to 6s."""
    expected = {numbers(*values, 7) for values in product((6, 9), repeat=3)} - {numbers(6, 9, 6, 7)}
    assert after(23, numbers(6, 9, 6, 7)) == expected


def test_no_24_makes_up_to_two_sevens():
    """Section "Power Up Card Details", No. 24: with three 7s, up to two cards become 7s (O8)."""
    assert after(24, numbers(7, 7, 7, 1, 2)) == {numbers(7, 7, 7, 7, 2), numbers(7, 7, 7, 1, 7), numbers(7, 7, 7, 7, 7)}
    assert after(24, numbers(7, 7, 1, 2)) == set()


def test_no_25_moves_eights_to_any_suit_but_egg():
    """Section "Power Up Card Details", No. 25: any number of 8s, each to another suit; eggs leave, none arrive (O7)."""
    shown = cards("egg 8, tuna 8, egg 7")
    four = ("shrimp", "salmon_roe", "tuna", "squid")
    both = {((one, 8), (other, 8), ("egg", 7)) for one in (*four, "egg") for other in four}
    assert after(25, shown) == both - {shown}


def test_no_28_changes_one_eleven_to_any_number():
    """Section "Power Up Card Details", No. 28: one 11 (O8), any number, also 0 or less, 14 or more."""
    shown = numbers(11, 11, 3)
    for value in (-30, 0, 1, 3, 13, 14, 99):
        assert otter.is_use(shown, numbers(value, 11, 3), 28, RULES)
    assert not otter.is_use(shown, numbers(4, 4, 3), 28, RULES)
    assert not otter.is_use(shown, numbers(11, 11, 4), 28, RULES)


def test_no_31_changes_ones_to_two_to_ten():
    """Section "Power Up Card Details", No. 31: any number of 1s to 2-10, different ones if wanted."""
    expected = {numbers(*values, 12) for values in product(range(1, 11), repeat=2)} - {numbers(1, 1, 12)}
    assert after(31, numbers(1, 1, 12)) == expected


def test_no_43_raises_any_number_of_squid_once():
    """Section "Power Up Card Details", No. 43: each squid by 1, the same card not twice; beyond 13 too."""
    assert after(43, cards("squid 3, tuna 3, squid 13")) == {
        cards("squid 4, tuna 3, squid 13"),
        cards("squid 3, tuna 3, squid 14"),
        cards("squid 4, tuna 3, squid 14"),
    }
    assert after(43, cards("squid -1")) == {cards("squid 0")}


def test_no_44_changes_any_card_with_three_tuna():
    """Section "Power Up Card Details", No. 44: with three tuna, one card of any suit gets any number."""
    shown = cards("tuna 1, tuna 2, tuna 4, egg 9")
    assert otter.is_use(shown, cards("tuna 1, tuna 2, tuna 4, egg 3"), 44, RULES)
    assert otter.is_use(shown, cards("tuna -9, tuna 2, tuna 4, egg 9"), 44, RULES)
    assert not otter.is_use(shown, cards("tuna 2, tuna 2, tuna 4, egg 4"), 44, RULES)
    assert after(44, cards("tuna 1, tuna 2, egg 9")) == set()


def test_no_45_makes_up_to_two_salmon_roe():
    """Section "Power Up Card Details", No. 45: with three salmon roe, up to two cards become salmon roe."""
    shown = cards("salmon_roe 1, salmon_roe 2, salmon_roe 4, egg 9, tuna 9")
    assert after(45, shown) == {
        changed(shown, at3=("salmon_roe", 9)),
        changed(shown, at4=("salmon_roe", 9)),
        changed(shown, at3=("salmon_roe", 9), at4=("salmon_roe", 9)),
    }
    assert after(45, shown[1:]) == set()


@pytest.mark.parametrize(("number", "step"), [(49, 1), (50, -1)])
def test_nos_49_and_50_move_one_card(number, step):
    """Section "Power Up Card Details", Nos. 49 and 50: one card by 1, also to 14 or to 0."""
    assert after(number, numbers(1, 13)) == {numbers(1 + step, 13), numbers(1, 13 + step)}


def test_no_51_changes_one_suit_but_never_to_egg():
    """Section "Power Up Card Details", No. 51: to shrimp, salmon roe, squid or tuna."""
    suits = {"shrimp", "salmon_roe", "tuna", "squid"}
    assert after(51, cards("egg 3")) == {((suit, 3),) for suit in suits}
    assert after(51, cards("tuna 3")) == {((suit, 3),) for suit in suits - {"tuna"}}


def test_suit_changes_in_a_row_bring_an_egg_to_shrimp():
    """Nos. 45 and 14: no single card moves an egg to shrimp, both together do."""
    shown = cards("salmon_roe 1, salmon_roe 3, salmon_roe 6, egg 8, egg 10")
    shrimp = tuple(("shrimp", number) for _, number in shown)
    assert shrimp in otter.finals(shown, RULES, Player((14, 45)))


def test_uses_lists_what_is_use_allows():
    """`uses` and `is_use` agree, for every Change card, on numbers within reach."""
    for number, card in RULES.power_ups.items():
        if card.type != "change":
            continue
        shown = {"24": numbers(7, 7, 7, 2), "17": numbers(4, 4, 4, 1), "19": numbers(3, 3, 8)}.get(
            number, cards("salmon_roe 8, salmon_roe 1, salmon_roe 6") + cards("tuna 11, squid 9")
        )
        if number == "44":
            shown = cards("tuna 1, tuna 2, tuna 4, egg 9")
        results = after(int(number), shown)
        assert results, number
        assert all(otter.is_use(shown, result, int(number), RULES) for result in results)
        assert shown not in results


# ---------------------------------------------------------------- Passive power-ups


def test_no_16_flush_of_four():
    """Section "Power Up Card Details", No. 16: four cards of a suit, alone or beside a fifth card."""
    assert formed(cards("tuna 1, tuna 3, tuna 6, tuna 9"), (16,)) == {"flush"}
    assert formed(cards("tuna 1, tuna 3, tuna 6, tuna 9, egg 9"), (16,)) == {"flush", "one_pair"}
    assert formed(cards("tuna 1, tuna 3, tuna 6"), (16,)) == {"no_hand"}


def test_no_16_leaves_the_run_at_five_cards():
    """No. 16, its example: 3, 4, 5, 6, 7 with four of one suit is a straight flush; four cards in a row are not."""
    assert "straight_flush" in formed(cards("tuna 3, tuna 4, tuna 5, tuna 6, egg 7"), (16,))
    assert formed(cards("tuna 3, tuna 4, tuna 5, tuna 6, egg 9"), (16,)) == {"flush"}
    fibonacci = cards("tuna 1, tuna 2, tuna 3, tuna 5, egg 8")
    assert "flush_fibonacci" in formed(fibonacci, (16,), ALL_NEW)
    assert formed(fibonacci[:4], (16,), ALL_NEW) == {"flush"}


def test_no_16_leaves_the_five_numbers_of_a_new_hand():
    """No. 16 with flush_even and its like (O4): four of a suit, five even cards."""
    shown = cards("tuna 2, tuna 4, tuna 8, tuna 10, egg 12")
    assert "flush_even" in formed(shown, (16,), ALL_NEW)
    assert "flush_even" not in formed(changed(shown, at4=("egg", 13)), (16,), ALL_NEW)
    assert "flush_even" not in formed(shown, (), ALL_NEW)


def test_no_32_runs_of_four():
    """Section "Power Up Card Details", No. 32: four cards in a row, straight or Fibonacci."""
    assert formed(numbers(3, 4, 5, 6), (32,)) == {"straight"}
    assert formed(numbers(3, 4, 5, 6, 11), (32,)) == {"straight"}
    assert formed(numbers(3, 4, 5, 6, 6), (32,)) == {"straight", "one_pair"}
    assert formed(numbers(3, 4, 5, 9), (32,)) == {"no_hand"}
    assert "fibonacci" in formed(numbers(3, 5, 8, 13), (32,), ALL_NEW)
    assert "fibonacci" in formed(numbers(1, 1, 2, 3, 13), (32,), ALL_NEW)


def test_no_32_leaves_the_flush_at_five_cards():
    """No. 32, its example: 3, 4, 5, 6 and one more card, all five of one suit, is a straight flush."""
    shown = cards("tuna 3, tuna 4, tuna 5, tuna 6, tuna 11")
    assert formed(shown, (32,)) == {"straight_flush", "straight", "flush"}
    assert formed(changed(shown, at4=("egg", 11)), (32,)) == {"straight"}
    assert formed(shown[:4], (32,)) == {"straight"}


def test_nos_16_and_32_together():
    """Nos. 16 and 32 (O4): each part needs four cards, judged apart."""
    assert "straight_flush" in formed(cards("tuna 3, tuna 4, tuna 5, tuna 6"), (16, 32))
    assert "straight_flush" in formed(cards("tuna 3, tuna 4, tuna 5, squid 6, tuna 11"), (16, 32))


def test_no_39_skips_one_value():
    """No. 39, its example: 2, 3, 5, 6, 7 is a straight; one value, and inside only."""
    assert formed(numbers(2, 3, 5, 6, 7), (39,)) == {"straight"}
    assert formed(numbers(3, 4, 5, 6, 7), (39,)) == {"straight"}
    assert formed(numbers(2, 3, 6, 7, 8), (39,)) == {"no_hand"}
    assert formed(numbers(2, 4, 5, 7, 8), (39,)) == {"no_hand"}
    assert formed(numbers(2, 3, 5, 6), (39,)) == {"no_hand"}


def test_no_39_in_a_fibonacci_run():
    """No. 39 (O5): 1, 1, 3, 5, 8 skips the 2."""
    assert "fibonacci" in formed(numbers(1, 1, 3, 5, 8), (39,), ALL_NEW)
    assert "fibonacci" in formed(numbers(1, 2, 5, 8, 13), (39,), ALL_NEW)
    assert "fibonacci" not in formed(numbers(1, 1, 5, 8, 13), (39,), ALL_NEW)
    assert "fibonacci" not in formed(numbers(1, 1, 3, 5, 8), (), ALL_NEW)


def test_no_39_with_no_32():
    """Nos. 32 and 39 (O5): four cards with a gap."""
    assert formed(numbers(2, 3, 5, 6), (32, 39)) == {"straight"}
    assert formed(numbers(2, 3, 6, 7), (32, 39)) == {"no_hand"}
    assert "fibonacci" in formed(numbers(1, 3, 5, 8), (32, 39), ALL_NEW)


def test_two_passives_of_a_kind():
    """The vocabulary beyond the printed cards: gaps of several passives add up; the lower flush counts."""
    more = {"type": "passive", "run_gaps": 1, "flush_cards": 3}
    rules = RULES.vary({"power_ups.65": more})
    assert formed(numbers(2, 3, 6, 7, 8), (39, 65), rules=rules) == {"straight"}
    assert formed(numbers(2, 3, 7, 8, 9), (39, 65), rules=rules) == {"no_hand"}
    assert "flush" in formed(cards("tuna 2, tuna 6, tuna 12"), (65, 16), rules=rules)
