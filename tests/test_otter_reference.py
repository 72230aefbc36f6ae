"""The rulebook of Sushi Otter, section by section, against the naive reference engine.

The names in quotes of the docstrings are the rulebook's headings. What holds here for the reference holds
for the kernel by the differential tests.
"""

from itertools import combinations, product

import pytest
from reference import otter
from reference.otter import Player

from sushibalance import load_rules

RULES = load_rules("otter")


def cards(text):
    """Return cards written as ``"tuna 4, squid 11"``."""
    return tuple((suit, int(number)) for suit, number in (card.split() for card in text.split(", ")))


def numbers(*values, suits=("shrimp", "salmon_roe", "tuna", "squid", "egg")):
    """Return cards with these numbers, in suits that form nothing."""
    return tuple((suits[place % len(suits)], value) for place, value in enumerate(values))


def formed(shown, power_ups=(), new_hands=(), rules=RULES):
    """Return the hands that a player may declare."""
    return set(otter.declarable(shown, rules, Player(power_ups=power_ups, new_hands=new_hands)))


def gain(number, shown, round_number=1, hand="no_hand", rules=RULES):
    """Return (score, VP) of a Score power-up."""
    return otter.gain(shown, hand, rules.power_ups[str(number)], rules, round_number)


def after(number, shown, rules=RULES, **options):
    """Return all results of a use of a Change card."""
    return otter.uses(shown, number, rules, **options)


# ---------------------------------------------------------------- II. Selection & Reveal Phase


GANMO = cards("tuna 4, shrimp 5, salmon_roe 5, squid 11, egg 2")
GANMO_POWER_UPS = (7, 21, 28, 49)


def test_example_of_ii_step_by_step():
    """Section "Example of II": Ganmo's four of a kind is 14 + 2 + 6 = 22 score and 2 VP."""
    first = cards("tuna 4, shrimp 5, salmon_roe 5, squid 5, egg 2")
    second = cards("tuna 5, shrimp 5, salmon_roe 5, squid 5, egg 2")
    assert otter.is_use(GANMO, first, 28, RULES)
    assert otter.is_use(first, second, 49, RULES)
    assert formed(second, GANMO_POWER_UPS) == {"four_of_a_kind"}
    assert otter.worth("four_of_a_kind", RULES) == (14, 2)
    assert otter.icons(GANMO, RULES) == 2
    assert gain(21, second) == (5, 0)
    assert gain(7, second) == (1, 0)
    assert otter.score(GANMO, second, "four_of_a_kind", RULES, Player(GANMO_POWER_UPS), 4) == (22, 2)


def test_example_of_ii_by_searching_all_uses():
    """Section "Example of II"; the two changes may come in either order."""
    outcomes = otter.outcomes(GANMO, RULES, Player(GANMO_POWER_UPS))
    assert ("four_of_a_kind", 22, 2) in outcomes
    assert max(score for _, score, _ in outcomes) == 22
    assert otter.is_use(GANMO, cards("tuna 5, shrimp 5, salmon_roe 5, squid 11, egg 2"), 49, RULES)


def test_icons_stay_with_the_printed_card():
    """Section "Example of II": Squid 11 still counts 1 after it became a 5."""
    changed = cards("tuna 4, shrimp 5, salmon_roe 5, squid 5, egg 2")
    assert otter.score(GANMO, changed, "three_of_a_kind", RULES) == (6 + 2, 0)
    assert otter.score(changed, changed, "three_of_a_kind", RULES) == (6 + 1, 0)


def test_cards_outside_the_hand_count_their_icons():
    """Section II, 3: the score of all revealed cards, in the hand or not."""
    shown = cards("tuna 4, shrimp 4, egg 9, squid 12")
    assert otter.score(shown, shown, "one_pair", RULES) == (1 + 1 + 1, 0)


def test_change_cards_are_optional_and_used_once():
    """Section II, 3: using Change cards is optional, one at a time, in any order."""
    shown = numbers(4, 6)
    reached = {final for final in otter.finals(shown, RULES, Player((49, 50)))}
    pairs = {tuple(sorted(number for _, number in final)) for final in reached}
    assert pairs == {(4, 6), (5, 6), (4, 7), (3, 6), (4, 5), (5, 5), (3, 7)}


def test_one_change_may_enable_another():
    """Section II, 3, one at a time in any order: No. 14 makes the third salmon roe that No. 45 asks for."""
    shown = cards("salmon_roe 1, salmon_roe 3, shrimp 6, egg 8, tuna 10")
    assert after(45, shown) == set()
    assert ("flush", 10 + 1, 1) in otter.outcomes(shown, RULES, Player((14, 45)))
    assert not any(hand == "flush" for hand, _, _ in otter.outcomes(shown, RULES, Player((14,))))


def test_score_power_ups_are_compulsory():
    """Section II, 3: a Score power-up that applies must be used, even to one's loss."""
    costly = RULES.vary({"power_ups.1.score": -3})
    shown = numbers(4, 6)
    assert otter.outcomes(shown, costly, Player((1, 2))) == {("no_hand", -2, 0)}


def test_score_power_ups_look_at_the_final_cards():
    """Section II, 3 and its example: No. 21 counts the fives after the changes."""
    outcomes = otter.outcomes(numbers(5, 4), RULES, Player((21, 49)))
    assert outcomes == {("no_hand", 0, 0), ("one_pair", 6, 0)}


def test_of_several_hands_the_player_declares_one():
    """Section II, 2: with several hands, choose one (O2)."""
    shown = cards("tuna 2, shrimp 2, squid 4, egg 6, tuna 8")
    assert formed(shown, new_hands=("all_even", "flush_even")) == {"one_pair", "all_even"}
    player = Player(new_hands=("all_even", "flush_even"))
    assert otter.outcomes(shown, RULES, player) == {("one_pair", 2, 0), ("all_even", 12, 1)}


def test_key_client_values_replace_the_summary_sheet():
    """Section "Key Client Card" and II, 3: an upgrade's values are used instead."""
    shown = numbers(4, 6)
    assert otter.outcomes(shown, RULES, Player(upgrades=("no_hand",))) == {("no_hand", 5, 1)}


def test_best_play_over_all_reveals():
    """Section II, 1: one to five cards of the hand."""
    hand = cards("tuna 4, shrimp 4, squid 12, egg 2")
    assert otter.best_play(hand, RULES) == (3, {(hand, "one_pair", 3, 0)})
    assert otter.best_play(hand, RULES, Player((64,))) == (5, {(hand[:3], "one_pair", 5, 0)})


def test_best_play_finds_changes_that_follow_each_other():
    """Section II, 3: No. 45 makes eggs salmon roe, No. 14 all of them shrimp, No. 8 counts those."""
    hand = cards("salmon_roe 2, tuna 6, egg 13, salmon_roe 5, salmon_roe 6, tuna 10, shrimp 9, egg 2")
    reveal = cards("salmon_roe 2, egg 13, salmon_roe 5, salmon_roe 6, egg 2")
    best = otter.best_play(hand, RULES, Player((14, 45, 8)), round_number=2, vp_weight=2)
    assert best == (19, {(reveal, "flush", 17, 1)})


# ---------------------------------------------------------------- Standard Hand Table


def test_no_hand_only_when_nothing_forms():
    """Section "Standard Hand Table": No Hand takes one card, and is for cards that form no other hand (O1)."""
    assert formed(numbers(7)) == {"no_hand"}
    assert formed(numbers(1, 3, 6, 9, 12)) == {"no_hand"}
    assert formed(numbers(7, 7)) == {"one_pair"}


def test_no_hand_looks_only_at_hands_the_player_may_use():
    """Section "New Hands": only players with the Key Client card can use them (O1)."""
    shown = numbers(2, 4, 8, 10, 12)
    assert formed(shown) == {"no_hand"}
    assert formed(shown, new_hands=("all_even", "flush_even")) == {"all_even"}


@pytest.mark.parametrize(
    ("values", "hand"),
    [
        ((5, 5), "one_pair"),
        ((5, 5, 9), "one_pair"),
        ((5, 5, 9, 2, 1), "one_pair"),
        ((5, 5, 9, 9), "two_pair"),
        ((5, 5, 9, 9, 1), "two_pair"),
        ((5, 5, 5), "three_of_a_kind"),
        ((5, 5, 5, 9, 1), "three_of_a_kind"),
        ((5, 5, 5, 9, 9), "full_house"),
        ((5, 5, 5, 5), "four_of_a_kind"),
        ((5, 5, 5, 5, 9), "four_of_a_kind"),
        ((5, 5, 5, 5, 5), "five_of_a_kind"),
        ((3, 4, 5, 6, 7), "straight"),
        ((7, 3, 5, 6, 4), "straight"),
        ((9, 10, 11, 12, 13), "straight"),
    ],
)
def test_hands_of_numbers(values, hand):
    """Section "Standard Hand Table": exactly so many of a number, so cards form one hand of that family (O1)."""
    assert formed(numbers(*values)) == {hand}


@pytest.mark.parametrize("values", [(3, 4, 5, 6), (3, 4, 5, 6, 8), (10, 11, 12, 13, 1)])
def test_not_a_straight(values):
    """Section "How to Interpret the Icons", STR: five cards in consecutive numbers, without a turn of the corner."""
    assert formed(numbers(*values)) == {"no_hand"}


@pytest.mark.parametrize("values", [(12, 13, 14, 15, 16), (0, 1, 2, 3, 4), (-4, -3, -2, -1, 0)])
def test_straights_beyond_the_printed_numbers(values):
    """Power-up details, Nos. 17, 28: numbers can be 0 or less, or 14 or more (O3)."""
    assert formed(numbers(*values)) == {"straight"}


def test_flush_takes_five_of_a_suit():
    """Section "How to Interpret the Icons", FLU: all five cards of one suit."""
    assert formed(cards("tuna 1, tuna 3, tuna 6, tuna 9, tuna 12")) == {"flush"}
    assert formed(cards("tuna 1, tuna 3, tuna 6, tuna 9, squid 12")) == {"no_hand"}
    assert formed(cards("tuna 1, tuna 3, tuna 6, tuna 9")) == {"no_hand"}


def test_straight_flush_is_also_both_of_its_parts():
    """Section II, 2 (O2): the cards form three hands; the player declares one."""
    assert formed(cards("tuna 3, tuna 4, tuna 5, tuna 6, tuna 7")) == {"straight", "flush", "straight_flush"}


@pytest.mark.parametrize("hand", ["no_hand", "one_pair", "two_pair"])
def test_printed_upgrades(hand):
    """Section "Standard Hand Table", column Upgrade: 5 score more, and 1 VP."""
    score, vp = otter.worth(hand, RULES)
    assert otter.worth(hand, RULES, Player(upgrades=(hand,))) == (score + 5, 1)
    assert vp == 0


# ---------------------------------------------------------------- New Hands


ALL_NEW = tuple(RULES.new_hands)


@pytest.mark.parametrize(
    ("shown", "hands"),
    [
        ("tuna 2, squid 4, egg 8, tuna 10, shrimp 12", {"all_even"}),
        ("tuna 2, tuna 4, tuna 8, tuna 10, tuna 12", {"all_even", "flush_even", "flush"}),
        ("tuna 1, squid 3, egg 7, tuna 11, shrimp 13", {"all_odd"}),
        ("tuna 1, tuna 3, tuna 7, tuna 11, tuna 13", {"all_odd", "flush_odd", "flush"}),
        ("tuna 1, squid 1, tuna 2, egg 3, egg 5", {"fibonacci", "one_pair", "all_low"}),
        ("tuna 13, squid 8, tuna 5, egg 3, egg 2", {"fibonacci"}),
        ("egg 1, egg 2, egg 3, egg 5, egg 8", {"fibonacci", "flush_fibonacci", "flush"}),
        ("tuna 1, squid 2, tuna 4, egg 6, egg 6", {"all_low", "one_pair"}),
        ("egg 1, egg 2, egg 4, egg 5, egg 6", {"all_low", "flush_low", "flush"}),
        ("shrimp 1, salmon_roe 3, tuna 8, squid 9, egg 13", {"five_suits"}),
        ("tuna 2, squid 4, egg 8, tuna 10, shrimp 14", {"no_hand"}),
        ("tuna 1, squid 3, egg 7, tuna 11, shrimp 15", {"no_hand"}),
        ("tuna 0, squid 2, egg 4, tuna 6, shrimp 5", {"no_hand"}),
        ("tuna 2, squid 4, egg 8, tuna 10", {"no_hand"}),
        ("tuna 1, squid 1, tuna 1, egg 2, egg 3", {"three_of_a_kind", "all_low"}),
        ("tuna 1, squid 1, tuna 3, egg 5, egg 8", {"one_pair"}),
        ("shrimp 1, salmon_roe 3, tuna 8, squid 9, squid 13", {"no_hand"}),
    ],
)
def test_new_hands(shown, hands):
    """Sections "New Hands", "How to Interpret the Icons" (odd, even, FIB); 14, 15, 0 are none of them (O3)."""
    assert formed(cards(shown), new_hands=ALL_NEW) == hands


def test_new_hands_need_their_own_key_client_card():
    """Section "New Hands": usable only with the matching card."""
    shown = cards("egg 1, egg 2, egg 3, egg 5, egg 8")
    assert formed(shown) == {"flush"}
    assert formed(shown, new_hands=("all_even", "flush_even")) == {"flush"}


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


def changed(shown, **places):
    """Return the cards with some replaced: ``changed(cards, at0=("tuna", 3))``."""
    result = list(shown)
    for place, card in places.items():
        result[int(place[2:])] = card
    return tuple(result)


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


# ---------------------------------------------------------------- Readings of doubtful text


def read(**readings):
    """Return the rules with other readings."""
    return RULES.vary({f"readings.{name}": value for name, value in readings.items()})


def test_reading_kinds_contained():
    """O1, other reading: three of a kind is also a pair."""
    rules = read(kinds="contained")
    assert formed(numbers(5, 5, 5), rules=rules) == {"one_pair", "three_of_a_kind"}
    full = {"one_pair", "two_pair", "three_of_a_kind", "full_house"}
    assert formed(numbers(5, 5, 5, 9, 9), rules=rules) == full
    assert formed(numbers(5, 5, 5, 5), rules=rules) == {"one_pair", "three_of_a_kind", "four_of_a_kind"}
    assert formed(numbers(5, 5, 9, 9), rules=rules) == {"one_pair", "two_pair"}


def test_reading_no_hand_always():
    """O1, other reading: no_hand may always be declared, with its upgrade, too."""
    rules = read(no_hand="always")
    assert formed(numbers(5, 5), rules=rules) == {"one_pair", "no_hand"}
    outcomes = otter.outcomes(numbers(5, 5), rules, Player(upgrades=("no_hand",)))
    assert outcomes == {("one_pair", 1, 0), ("no_hand", 5, 1)}


def test_reading_declared_hand_highest_score():
    """O2, other reading: the hand worth most score, then VP, upgrades counted."""
    rules = read(declared_hand="highest_score")
    shown = cards("tuna 3, tuna 4, tuna 5, tuna 6, tuna 7")
    assert formed(shown, rules=rules) == {"straight_flush"}
    player = Player(upgrades=("flush",))
    dear = rules.vary({"hands.flush.upgraded_score": 30})
    assert otter.declarable(shown, dear, player) == ["flush"]
    equal = rules.vary({"hands.flush.upgraded_score": 22, "hands.flush.upgraded_vp": 5})
    assert set(otter.declarable(shown, equal, player)) == {"flush", "straight_flush"}
    more_vp = equal.vary({"hands.flush.upgraded_vp": 6})
    assert otter.declarable(shown, more_vp, player) == ["flush"]


def test_reading_straights_of_printed_numbers():
    """O3, other reading: 14 and 0 stand in no straight."""
    rules = read(straights="printed_numbers")
    assert formed(numbers(0, 1, 2, 3, 4), rules=rules) == {"no_hand"}
    assert formed(numbers(10, 11, 12, 13, 14), rules=rules) == {"no_hand"}
    assert formed(numbers(9, 10, 11, 12, 13), rules=rules) == {"straight"}
    assert formed(numbers(14, 10, 11, 12, 13), (32,), rules=rules) == {"straight"}


def test_reading_lowered_parts_on_the_same_cards():
    """O4, other reading: the four of the run must be the four of the suit."""
    rules = read(lowered_parts="same_cards")
    split = cards("tuna 3, tuna 4, tuna 5, squid 6, tuna 11")
    assert formed(split, (16, 32)) == {"straight", "flush", "straight_flush"}
    assert formed(split, (16, 32), rules=rules) == {"straight", "flush"}
    assert "straight_flush" in formed(changed(split, at3=("tuna", 6)), (16, 32), rules=rules)
    assert "straight_flush" in formed(cards("tuna 3, tuna 4, tuna 5, tuna 6, egg 7"), (16,), rules=rules)


def test_reading_no_gap_in_a_lowered_run():
    """O5, other reading: No. 39 does not combine with No. 32."""
    rules = read(gap_in_lowered_run=False)
    assert formed(numbers(2, 3, 5, 6), (32, 39), rules=rules) == {"no_hand"}
    assert formed(numbers(2, 3, 4, 5), (32, 39), rules=rules) == {"straight"}
    assert formed(numbers(2, 3, 5, 6, 7), (39,), rules=rules) == {"straight"}


def test_reading_conditions_as_revealed():
    """O6, other reading: a condition looks at the cards as they were revealed."""
    rules = read(change_conditions="as_revealed")
    shown = cards("salmon_roe 1, salmon_roe 3, shrimp 6, egg 8, tuna 10")
    assert not any(hand == "flush" for hand, _, _ in otter.outcomes(shown, rules, Player((14, 45))))
    three = cards("salmon_roe 1, salmon_roe 3, salmon_roe 6, egg 8")
    gone = tuple(("shrimp", number) if suit == "salmon_roe" else (suit, number) for suit, number in three)
    assert after(45, gone) == set()
    assert changed(gone, at3=("salmon_roe", 8)) in after(45, gone, rules=rules, revealed=three)
    fives = numbers(5, 5, 5, 9)
    now = numbers(5, 5, 4, 9)
    assert after(17, now) == set()
    assert numbers(5, 5, 4, 5) not in after(17, now, rules=rules, revealed=fives)
    assert numbers(5, 5, 4, 4) in after(17, now, rules=rules, revealed=fives)


def test_reading_never_by_change():
    """O7, other reading: suit changes may make an egg too."""
    rules = read(never_by_change=[])
    assert cards("egg 3") in after(51, cards("tuna 3"), rules=rules)
    assert cards("egg 8") in after(25, cards("tuna 8"), rules=rules)


def test_reading_numbers_by_change_printed():
    """O7, other reading: numbers stay on the printed cards."""
    rules = read(numbers_by_change="printed_numbers")
    assert after(49, numbers(1, 13), rules=rules) == {numbers(2, 13)}
    assert after(50, numbers(1, 13), rules=rules) == {numbers(1, 12)}
    values = {number for ((_, number),) in after(28, numbers(11), rules=rules)}
    assert values == set(range(1, 14)) - {11}
    values = {number for ((_, number),) in after(28, numbers(11))}
    assert values > set(range(-7, 22)) - {11}


# ---------------------------------------------------------------- inventions


def test_inventions():
    """The three inventions of the shipped variant, written in TOML only."""
    rules = load_rules("otter/inventions")
    assert gain(65, cards("shrimp 1, shrimp 7, shrimp 8, tuna 3"), rules=rules) == (4, 0)
    assert gain(65, cards("shrimp 15"), rules=rules) == (0, 0)
    shown = cards("egg 4, tuna 4, squid 4, squid 5")
    results = after(66, shown, rules=rules)
    assert len(results) == 4 + 3 + 3 + 4 * 3 + 4 * 3 + 3 * 3
    assert all(sum(one != other for one, other in zip(result, shown, strict=True)) <= 2 for result in results)
    assert not any(result[place][0] == "egg" for result in results for place in (1, 2, 3))
    assert formed(cards("shrimp 1, tuna 2, squid 3, egg 9"), rules=rules) == {"no_hand"}
    taught = ("four_suits",)
    assert formed(cards("shrimp 1, tuna 2, squid 3, egg 9"), new_hands=taught, rules=rules) == {"four_suits"}
    assert formed(cards("shrimp 1, tuna 2, squid 3, squid 9"), new_hands=taught, rules=rules) == {"no_hand"}


@pytest.mark.parametrize(
    ("power_up", "shown", "hand", "expected"),
    [
        ({"type": "score", "hands": ["flush"], "score": 3}, numbers(1), "flush", (3, 0)),
        ({"type": "score", "hands": ["flush"], "score": 3}, numbers(1), "straight_flush", (0, 0)),
        ({"type": "score", "categories": ["flush"], "vp": 1}, numbers(1), "straight_flush", (0, 1)),
        ({"type": "score", "categories": ["straight", "fibonacci"], "vp": 1}, numbers(1), "flush_fibonacci", (0, 1)),
        ({"type": "score", "categories": ["straight"], "vp": 1}, numbers(1), "flush", (0, 0)),
        ({"type": "score", "revealed": 3, "score": 4}, numbers(1, 2, 3), "no_hand", (4, 0)),
        ({"type": "score", "revealed": 3, "score": 4}, numbers(1, 2), "no_hand", (0, 0)),
        ({"type": "score", "at_most": 2, "score_each": 2}, numbers(1, 2), "no_hand", (4, 0)),
        ({"type": "score", "at_most": 2, "score_each": 2}, numbers(1, 2, 3), "no_hand", (0, 0)),
        (
            {"type": "score", "count": "same_number", "at_least": 3, "score_each": 2},
            numbers(4, 4, 4),
            "no_hand",
            (6, 0),
        ),
        ({"type": "score", "count": "same_number", "at_least": 3, "score": 2}, numbers(4, 4, 5), "no_hand", (0, 0)),
        ({"type": "score", "count": "different_suits", "vp_each": 1}, cards("egg 1, egg 2, tuna 3"), "no_hand", (0, 2)),
        ({"type": "score", "score_by_count": [1, 5]}, numbers(1, 2, 3), "no_hand", (5, 0)),
    ],
)
def test_words_that_no_printed_card_uses(power_up, shown, hand, expected):
    """The vocabulary beyond the printed cards (docs/otter-vocabulary.md)."""
    assert gain(65, shown, hand=hand, rules=RULES.vary({"power_ups.65": power_up})) == expected


def test_numbers_and_suits_change_together():
    """A conversion may set suit and number at once; equal to the card before, it is none."""
    rules = RULES.vary(
        {
            "power_ups.65": {
                "type": "change",
                "times": 1,
                "conversions": [{"cards": {"suits": ["egg"]}, "to": {"suits": ["tuna", "egg"], "numbers": [1, 2]}}],
            }
        }
    )
    assert after(65, cards("egg 2"), rules=rules) == {(card,) for card in cards("tuna 1, tuna 2, egg 1")}
