"""The rulebook of Otter against the reference: revealing cards, the Standard Hand Table, New Hands.

The names in quotes of the docstrings are the rulebook's headings. What holds here for the reference holds
for the kernel by the differential tests.
"""

import pytest
from otter_shown import ALL_NEW, RULES, after, cards, formed, gain, numbers
from reference import otter
from reference.otter import Player

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
