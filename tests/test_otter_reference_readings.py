"""Beyond the printed Otter, by the reference: other readings of doubtful text, inventions, unused words."""

import pytest
from otter_shown import RULES, after, cards, changed, formed, gain, numbers
from reference import otter
from reference.otter import Player

from sushibalance import load_rules

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
