"""The Nightmares rule files: what is shipped, where it comes from, and what is refused."""

import pytest

from sushibalance import RulesError, load_rules, rule_sets
from sushibalance.games.nightmares import resolve_round
from sushibalance.games.nightmares.tables import make_table

RULES = load_rules("nightmares")
BASE = 'extends = "nightmares"\n'


def test_shipped_variants_change_what_they_say():
    changed = {
        name.partition("/")[2]: [(key, value) for key, _, value in load_rules(name).differences(RULES)]
        for name in rule_sets()
        if name.startswith("nightmares/")
    }
    assert changed == {
        "penalty_victory_8": [("penalty_victory", 8)],
        "penalty_victory_12": [("penalty_victory", 12)],
        "no_penalty_victory": [("penalty_victory", "none")],
        "fortune_cat_one_each": [("readings.fortune_cat", "one_each")],
        "chefs_worth_1_more": [("chefs.points", [3, 2, -2, -3])],
    }
    assert all(load_rules(name).description for name in rule_sets() if name.startswith("nightmares"))


def test_every_value_has_a_source_and_the_unprinted_ones_are_assumed():
    assumed = {value.key for value in RULES.assumed()}
    assert {f"grades.{grade}.eater.gold" for grade in "ABDF"} <= assumed
    assert "chefs.points" in assumed and "readings.fortune_cat" in assumed
    printed = {value.key for value in RULES.values() if value.source == "rulebook"}
    assert {"rounds", "penalty_victory", "chefs.on_table", "abilities.wheres_the_sauce.gold"} <= printed
    assert {"grades.C.eater.gold", "grades.C.owner.gold"} <= printed


@pytest.mark.parametrize(
    ("text", "key", "found", "allowed"),
    [
        ("rounds = 5", "rounds", "5", "at most 4"),
        ('rounds = 6\n[readings]\nset_aside = "none"', "rounds", "6", "at most 5"),
        ("rounds = 0", "rounds", "0", "1"),
        ("[chefs]\non_table = 5", "chefs.on_table", "5", "at most 4, the chefs in chefs.points"),
        ("[chefs]\npoints = [2, 1, -1, -99]", "chefs.points", "-99", "-50"),
        ("penalty_victory = 20", "penalty_victory", "20", "at most 19"),
        ("penalty_victory = 0", "penalty_victory", "0", '1 to 1000, or "none"'),
        ('penalty_victory = "off"', "penalty_victory", '"off"', '1 to 1000, or "none"'),
        ("penalty_victory = true", "penalty_victory", "true", '1 to 1000, or "none"'),
        ("penalty_victory = 9.5", "penalty_victory", "9.5", '1 to 1000, or "none"'),
        ("[abilities.whats_up_wasabi]\nfactor = 1", "abilities.whats_up_wasabi.factor", "1", "2"),
        ("[abilities.ninjutsu_chin]\nat_most = 7", "abilities.ninjutsu_chin.at_most", "7", "6"),
        ("[abilities.wheres_the_sauce]\ngold = 0", "abilities.wheres_the_sauce.gold", "0", "1"),
        ("[abilities.wheres_sauce]\ngold = 3", "abilities.wheres_sauce", "wheres_sauce", "wheres_the_sauce"),
        ("[grades.A.eater]\ngolds = 3", "grades.A.eater.golds", "golds", "gold"),
        ("[grades.A]\ncards = 6", "grades.A.cards", "6", "5"),
        ("[grades.extraordinary]\ncards = 1\neater = { gold = 0, penalty = 0 }\nowner = { gold = 0, penalty = 0 }",
         "grades.extraordinary", "extraordinary", "at most 12 characters"),
        ('[readings]\nset_aside = "unsen"', "readings.set_aside", '"unsen"', "did you mean unseen"),
        ("penalty_victori = 8", "penalty_victori", "penalty_victori", "penalty_victory"),
        ('remove = ["grades.F"]', "grades.F", "taken out", "in rounds, at most 3"),
        ('remove = ["chefs.on_table"]', "chefs.on_table", "no on_table in chefs", "a whole number from 0 to 8"),
    ],
)  # fmt: skip
def test_bad_rules_are_refused_with_file_key_found_and_allowed(write, text, key, found, allowed):
    path = write(BASE + text, "mine.toml")
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    problem = caught.value.problems[0]
    assert problem.key.startswith(key)
    assert found in problem.found
    assert allowed in problem.allowed
    assert problem.file == str(path)


def test_fortune_cat_is_refused_where_nothing_gives_penalty_points():
    changes = {f"grades.{grade}.{who}.penalty": 0 for grade in "DF" for who in ("eater", "owner")}
    changes |= {"chefs.points": [1, 1, 1, 1], "abilities.ninjutsu_chin.cards": 0, "penalty_victory": "none"}
    changes |= {"abilities.swelling_tongue.cards": 0}
    with pytest.raises(RulesError, match="nothing gives penalty points"):
        RULES.vary(changes)
    assert RULES.vary(changes | {"abilities.fortune_cat.cards": 0}).most_penalty() == 0
    assert RULES.vary(changes | {"abilities.swelling_tongue.cards": 1}).most_penalty() > 0


def test_the_bound_on_penalty_points_is_kept_by_all_games():
    """A hunter among hunters comes near, nobody comes over."""
    from nightmares_replay import play

    rules = RULES.vary({"penalty_victory": "none", "readings.swelling_tongue": "every_plate"})
    most = max(
        int(play(rules, policies, seed=1, games=2_000)["rounds"]["penalty"].max())
        for policies in (["random"] * 6, ["trickster"] * 6)
    )
    hunting = RULES.vary({"penalty_victory": 19})
    most = max(most, int(play(hunting, ["penalty_hunter(reach=100)"] * 5, games=2_000)["rounds"]["penalty"].max()))
    assert 12 <= most <= RULES.most_penalty() == 19


def test_a_grade_that_no_one_has_thought_of(write):
    path = write(
        BASE
        + """
rounds = 5
[grades.E]
cards = 1
eater = { gold = 3, penalty = 3 }
owner = { gold = 0, penalty = 1 }
""",
        "with_e.toml",
    )
    rules = load_rules(path)
    assert list(rules.grades) == ["A", "B", "C", "D", "F", "E"]
    assert make_table(rules)[0].grades == 6
    meals = [("player", 1), ("player", 0)]
    assert resolve_round(["C", "E"], [None, None], [None, None], meals, [0, 0], rules=rules) == ([3, 0], [3, 0])


ROUND = {
    "served": ["A", "B", "C"],
    "abilities": ["ninjutsu_chin", None, "fortune_cat"],
    "targets": [1, None, None],
    "eaten": [("player", 1), ("chef", 0), ("player", 0)],
    "penalties": [0, 0, 2],
    "chefs": [2],
}


def test_resolve_round_in_the_designers_words():
    """The chin gives seat 1 a point, the cat converts one, seat 2's own C is its own to eat."""
    assert resolve_round(**ROUND) == ([1, 2, 4], [0, 1, -1])
    assert all(type(value) is int for values in resolve_round(**ROUND) for value in values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"served": ["A", "B", "G"]}, r'served\[2\]: found "G"; one of: A, B, C, D, F'),
        ({"served": ["A", "B"]}, r"served: found 2 entries; allowed: 3"),
        ({"abilities": ["ninjutsu_chn", None, None]}, r"abilities\[0\]: .*did you mean ninjutsu_chin"),
        ({"abilities": [None], "served": ["A"]}, r"abilities: found 1 players, allowed 2 to 6"),
        ({"targets": [3, None, None]}, r"targets\[0\]: found 3, allowed a whole number from 0 to 2"),
        ({"targets": [None, None, None]}, r"targets\[0\]: found None, .* its Chin takes effect"),
        ({"targets": [True, None, None]}, r"targets\[0\]: found True"),
        ({"eaten": [("player", 0), ("chef", 0), ("player", 0)]}, r"eaten\[0\]: found the own plate"),
        ({"eaten": [("player", 3), ("chef", 0), ("player", 0)]}, r"eaten\[0\]: found 3, allowed .* 0 to 2"),
        ({"eaten": [("plyer", 1), ("chef", 0), ("player", 0)]}, r"eaten\[0\]: .*did you mean player"),
        ({"eaten": ["chef", ("chef", 0), ("player", 0)]}, r"eaten\[0\]: found 'chef', allowed"),
        ({"eaten": [("chef", 1), ("chef", 0), ("player", 0)]}, r"eaten\[0\]: found 1, allowed .* 0 to 0"),
        ({"chefs": []}, r"eaten\[1\]: found a chef, allowed another player's plate"),
        ({"chefs": [99]}, r"chefs\[0\]: found 99"),
        ({"chefs": [1] * 9}, r"chefs: found 9, allowed at most 8"),
        ({"penalties": [0, -1, 0]}, r"penalties\[1\]: found -1, allowed a whole number from 0"),
        ({"rules": "nightmares"}, r"rules: found 'nightmares', allowed rules of Nightmares of Sushi"),
    ],
)
def test_resolve_round_says_what_is_wrong(changes, message):
    with pytest.raises(ValueError, match=message):
        resolve_round(**(ROUND | changes))
