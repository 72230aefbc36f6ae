"""The rule file of Sushi Otter: its values, where they come from, its variants, and bad files."""

import re
import tomllib
from collections import Counter
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest

from sushibalance import load_rules, rule_sets
from sushibalance.games.registry import find_rules

RULES = load_rules("otter")
SOURCES = {value.key: value.source for value in RULES.values()}

# (cards, category, score, vp, upgraded score, upgraded vp)
HANDS = {
    "no_hand": (1, [], 0, 0, 5, 1),
    "one_pair": (2, [], 1, 0, 6, 1),
    "two_pair": (4, [], 4, 0, 9, 1),
    "three_of_a_kind": (3, [], 6, 0, 11, 1),
    "straight": (5, ["straight"], 9, 1, 14, 2),
    "flush": (5, ["flush"], 10, 1, 15, 2),
    "full_house": (5, [], 12, 1, 17, 2),
    "four_of_a_kind": (4, [], 14, 2, 19, 3),
    "straight_flush": (5, ["straight", "flush"], 22, 5, 27, 6),
    "five_of_a_kind": (5, [], 24, 5, 29, 6),
    "all_even": (5, [], 11, 1, None, None),
    "flush_even": (5, ["flush"], 23, 5, None, None),
    "all_odd": (5, [], 10, 1, None, None),
    "flush_odd": (5, ["flush"], 21, 5, None, None),
    "fibonacci": (5, ["fibonacci"], 12, 1, None, None),
    "flush_fibonacci": (5, ["fibonacci", "flush"], 24, 5, None, None),
    "all_low": (5, [], 11, 1, None, None),
    "flush_low": (5, ["flush"], 23, 5, None, None),
    "five_suits": (5, [], 10, 1, None, None),
}
NEW_HANDS = list(HANDS)[10:]


# ---------------------------------------------------------------- values


def test_deck():
    """Section "Game Contents": 65 cards, five suits, numbers 1-13."""
    assert RULES.deck.suits == ["shrimp", "salmon_roe", "tuna", "squid", "egg"]
    assert RULES.deck.numbers == 13


def test_game_flow():
    """Sections "Setup" and "Game Flow": counts and orders."""
    assert RULES.play.model_dump() == {
        "rounds": 8,
        "hand_limit": 8,
        "reveal_at_least": 1,
        "reveal_at_most": 5,
        "offers_beyond_players": 1,
        "pick_order": "worst_rank_first",
        "two_player_percent": 50,
        "starting_power_ups": 0,
    }


def test_icons():
    """Section "Sushi Card" and assumptions: eggs and 11 to 13 score 1; the example of II shows five cards."""
    for suit, scores in RULES.card_scores.items():
        assert {int(number): score for number, score in scores.items()} == {
            number: int(suit == "egg" or number >= 11) for number in range(1, 14)
        }
    shown = {"tuna.4", "shrimp.5", "salmon_roe.5", "squid.11", "egg.2"}
    by_source = Counter(SOURCES[f"card_scores.{suit}.{number}"] for suit in RULES.deck.suits for number in range(1, 14))
    assert by_source == {"example": 5, "assumed": 60}
    assert all(SOURCES[f"card_scores.{card}"] == "example" for card in shown)


@pytest.mark.parametrize("name", HANDS)
def test_hand_values(name):
    """Sections "Standard Hand Table" and "New Hands", and what is assumed."""
    hand = RULES.hands[name]
    worth = (hand.score, hand.vp, hand.upgraded_score, hand.upgraded_vp)
    assert (hand.cards, hand.categories, *worth) == HANDS[name]


def test_all_hands_are_there():
    """Ten basic hands and nine new ones."""
    assert list(RULES.hands) == list(HANDS)
    assert RULES.new_hands == NEW_HANDS


@pytest.mark.parametrize(
    ("names", "base", "upgrade"),
    [
        (["no_hand", "one_pair", "two_pair"], "rulebook", "rulebook"),
        (["three_of_a_kind", "straight", "flush", "full_house"], "assumed", "assumed"),
        (["four_of_a_kind"], "example", "assumed"),
        (["straight_flush", "five_of_a_kind"], "assumed", "assumed"),
        (["all_even", "flush_even", "all_odd", "flush_odd"], "rulebook", None),
        (["fibonacci", "flush_fibonacci", "all_low", "flush_low", "five_suits"], "assumed", None),
    ],
)
def test_where_hand_values_come_from(names, base, upgrade):
    """What the text, its example, or nobody gives."""
    for name in names:
        assert {SOURCES[f"hands.{name}.score"], SOURCES[f"hands.{name}.vp"]} == {base}
        assert SOURCES.get(f"hands.{name}.upgraded_score") == SOURCES.get(f"hands.{name}.upgraded_vp") == upgrade


def test_conditions_the_text_gives():
    """Sections "Hand Details" and "How to Interpret the Icons": which conditions are printed."""
    assert SOURCES["hands.three_of_a_kind.groups"] == "rulebook"
    assert SOURCES["hands.straight.run"] == SOURCES["hands.flush.same_suit"] == "rulebook"
    assert SOURCES["hands.fibonacci.run"] == SOURCES["fibonacci"] == "rulebook"
    assert SOURCES["hands.all_low.numbers"] == SOURCES["hands.five_suits.different"] == "assumed"


def test_key_clients():
    """Section "Game Contents": nine upgrade cards and five new-hand cards; each hand on one card."""
    assert Counter(client.type for client in RULES.key_clients.values()) == {"upgrade": 9, "new_hand": 5}
    upgraded = [hand for client in RULES.key_clients.values() if client.type == "upgrade" for hand in client.hands]
    assert upgraded == list(HANDS)[:10]
    taught = [client.hands for client in RULES.key_clients.values() if client.type == "new_hand"]
    assert taught == [NEW_HANDS[0:2], NEW_HANDS[2:4], NEW_HANDS[4:6], NEW_HANDS[6:8], NEW_HANDS[8:]]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_round_cards(players):
    """Section "Round Card" and assumptions: a formula gives every row; the example of III prints one."""
    for number in range(1, 9):
        places = range(1, max(players, 3) + 1)
        share = [Fraction(players - place, players - 1) for place in places]
        if players == 2:
            share = [Fraction(1), Fraction(1, 2), Fraction(0)]
        row = [floor((number + 2) * part + Fraction(1, 2)) for part in share]
        assert RULES.round_cards[str(players)][str(number)] == row
        source = "example" if (players, number) == (4, 4) else "assumed"
        assert SOURCES[f"round_cards.{players}.{number}"] == source


def test_printed_round_card():
    """Section "Example of III": 6, 4, 2, 0."""
    assert RULES.round_cards["4"]["4"] == [6, 4, 2, 0]


def test_power_up_numbers_and_types():
    """Section "Power Up Card Details": 64 cards, their types by number."""
    types = {}
    for number, card in RULES.power_ups.items():
        types.setdefault(card.type, []).append(int(number))
    assert types == {
        "score": [*range(1, 14), 18, 20, 21, 22, 26, 27, 29, 30, *range(33, 37), 40, 41, 42, 46, 47, 48, 64],
        "change": [14, 15, 17, 19, 23, 24, 25, 28, 31, 43, 44, 45, 49, 50, 51],
        "passive": [16, 32, 37, 38, 39],
        "key_client": list(range(52, 64)),
    }
    assert sorted(int(number) for number in RULES.power_ups) == list(range(1, 65))


def test_where_power_ups_come_from():
    """Section "Power Up Card Details": No. 7 from the example, Nos. 8-13 assumed, all others printed."""
    for value in RULES.values():
        table, _, rest = value.key.partition(".")
        if table == "power_ups":
            number = int(rest.partition(".")[0])
            assert value.source == {7: "example"}.get(number, "assumed" if 8 <= number <= 13 else "rulebook")


def test_every_power_up_has_a_text():
    """Every card says in a sentence what it does."""
    assert all(card.text.endswith(".") for card in RULES.power_ups.values())


def test_default_readings():
    """The first reading of each (O1 to O7)."""
    assert RULES.readings.model_dump() == {
        "kinds": "exact",
        "no_hand": "only_when_nothing_forms",
        "declared_hand": "player_chooses",
        "straights": "any_whole_number",
        "lowered_parts": "apart",
        "gap_in_lowered_run": True,
        "change_conditions": "current",
        "never_by_change": ["egg"],
        "numbers_by_change": "any_whole_number",
    }


def test_up_to_and_any_number():
    """Reading O8: how many cards a use of each Change card may change."""
    times = {int(number): card.times for number, card in RULES.power_ups.items() if card.type == "change"}
    anything = dict.fromkeys([14, 15, 23, 25, 31, 43], "any")
    assert times == anything | {24: 2, 45: 2} | dict.fromkeys([17, 19, 28, 44, 49, 50, 51], 1)


def test_every_value_has_a_source_and_assumed_ones_a_note():
    """Provenance is a feature: what nobody has printed says so, and why."""
    assert set(SOURCES.values()) == {"rulebook", "example", "assumed"}
    assert [value.key for value in RULES.assumed() if not value.note and not value.key.startswith("hands.")] == []
    without = {value.key.split(".")[1] for value in RULES.assumed() if not value.note}
    assert without == {"straight", "flush"}  # assumed values beside a printed condition


# ---------------------------------------------------------------- variants


def test_shipped_variants():
    """Each changes what its name says, and nothing else."""
    changed = {
        name: [(key, new) for key, _, new in load_rules(name).differences(RULES)]
        for name in rule_sets()
        if name.startswith("otter/")
    }
    assert changed.pop("otter/flush_8") == [("hands.flush.score", 8)]
    assert changed.pop("otter/no_catch_up") == [("play.pick_order", "best_rank_first")]
    assert changed.pop("otter/starting_power_ups") == [("play.starting_power_ups", 3)]
    new = changed.pop("otter/inventions")
    assert {".".join(key.split(".")[:2]) for key, _ in new} == {
        "power_ups.65", "power_ups.66", "hands.four_suits", "key_clients.learn_four_suits",
    }  # fmt: skip
    assert changed == {}


def test_variants_say_what_they_are():
    """A variant has a description, and its changes are marked as such."""
    for name in rule_sets():
        if name.startswith("otter/"):
            rules = load_rules(name)
            assert rules.description.endswith(".")
            assert all(
                rules.document.sources[key] == "variant" for key, _, new in rules.differences(RULES) if new is not None
            )


def test_inventions_need_toml_only():
    """Three inventions: two power-ups and a taught hand, beyond the printed numbers and names."""
    rules = load_rules("otter/inventions")
    assert rules.new_hands == [*NEW_HANDS, "four_suits"]
    assert set(rules.power_ups) - set(RULES.power_ups) == {"65", "66"}
    assert (rules.hands["four_suits"].cards, rules.hands["four_suits"].different) == (4, "suits")


def test_vary_by_dotted_path():
    """Values change one by one, from Python too."""
    rules = RULES.vary({"hands.flush.score": 8, "round_cards.4.8": [12, 8, 4, 0]}, name="flush 8, dear end")
    assert rules.differences(RULES) == [
        ("round_cards.4.8", [10, 7, 3, 0], [12, 8, 4, 0]),
        ("hands.flush.score", 10, 8),
    ]
    assert rules.fingerprint != RULES.fingerprint


def test_the_file_is_the_whole_rule_set():
    """No value of a hand, round card or power-up comes from anywhere but the file."""
    tables = tomllib.loads(find_rules("otter").read_text(encoding="utf-8"))
    assert len(tables["power_ups"]) - 1 == len(RULES.power_ups) == 64
    assert set(tables["hands"]) - {"source"} == set(HANDS)


@pytest.mark.parametrize("rounds", [1, 4, 7])
def test_a_shorter_game_leaves_rows_of_the_round_cards_unused(rounds):
    """``play.rounds`` alone makes a shorter game."""
    changes = {"play.rounds": rounds} | ({"power_ups.33": None} if rounds == 1 else {})
    assert RULES.vary(changes).play.rounds == rounds


# ---------------------------------------------------------------- the documentation


PAGE = Path(__file__).resolve().parent.parent / "docs" / "otter-vocabulary.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_documentation_are_rules(example, write):
    """Every example can be copied into a variant."""
    rules = load_rules(write(f'extends = "otter"\n{example}'))
    assert rules.differences(RULES)


def test_the_documentation_explains_every_key():
    """No word of the vocabulary is left out, nor one of its values."""
    page = PAGE.read_text(encoding="utf-8")
    words = set()

    def collect(node):
        if isinstance(node, dict):
            words.update(node.get("properties", {}))
            words.update(word for word in node.get("enum", []) if isinstance(word, str))
            for part in node.values():
                collect(part)
        elif isinstance(node, list):
            for part in node:
                collect(part)

    collect(type(RULES).model_json_schema())
    assert len(words) > 60
    assert [word for word in words if not re.search(rf"\b{word}\b", page)] == []
