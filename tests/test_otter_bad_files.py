"""Bad rule files of Sushi Otter: each is refused when loaded, in words that a designer can act on."""

import pytest

from sushibalance import RulesError, load_rules

RULES = load_rules("otter")

SCORE = '[power_ups.65]\ntype = "score"\n'
CHANGE = '[power_ups.65]\ntype = "change"\n'
HAND = "[hands.test]\nscore = 5\nvp = 0\n"


def removed(paths):
    """Return the line of a rule file that removes these values."""
    return "remove = [" + ", ".join(f'"{path}"' for path in paths) + "]\n"


# What is wrong: (lines of a variant of Otter, key, part of what is found, part of what is allowed).
BAD = {
    "hand of six cards": ("[hands.flush]\ncards = 6", "hands.flush.cards", "6", "from 1 to 5"),
    "misspelt key": ("[hands.flush]\nscor = 8", "hands.flush.scor", "unknown key scor", "did you mean score?"),
    "misspelt table": ("[power_up.65]\nscore = 1", "power_up", "unknown key power_up", "did you mean power_ups?"),
    "misspelt hand": ("[hands.flsh]\nscore = 8", "hands.flsh.cards", "no cards in hands.flsh", "did you mean flush?"),
    "text for a number": (
        '[hands.flush]\nscore = "ten"',
        "hands.flush.score",
        '"ten"',
        "a whole number from -50 to 200",
    ),
    "score out of bounds": (SCORE + "score = 500", "power_ups.65.score", "500", "from -50 to 200"),
    "deck too small": ("[deck]\nnumbers = 7", "deck.numbers", "35 cards", "at least 42 cards, the hands of 5 players"),
    "no such suit in the deck": (
        '[deck]\nsuits = ["shrimp", "tuna", "squid", "egg"]',
        "card_scores.salmon_roe",
        "something for salmon_roe",
        "a value for each of shrimp, tuna, squid, egg, and for nothing else",
    ),
    "a suit twice": (
        '[deck]\nsuits = ["egg", "egg"]',
        "deck.suits",
        '["egg", "egg"]',
        "each once (egg stands there twice)",
    ),
    "icon of no card": (
        "[card_scores.egg]\n14 = 1",
        "card_scores.egg.14",
        "something for 14",
        "a value for each of 1 to 13",
    ),
    "icon missing": (
        'remove = ["card_scores.egg.7"]',
        "card_scores.egg",
        "nothing for 7",
        "a value for each of 1 to 13",
    ),
    "short round card": (
        "[round_cards.4]\n8 = [12, 8, 4]",
        "round_cards.4.8",
        "[12, 8, 4]",
        "4 values, one for each place",
    ),
    "short two-player card": ("[round_cards.2]\n8 = [9, 5]", "round_cards.2.8", "[9, 5]", "two_player_percent"),
    "round missing": ('remove = ["round_cards.4.8"]', "round_cards.4", "nothing for 8", "a value for each of 1 to 8"),
    "more rounds than rows": (
        "[play]\nrounds = 9",
        "round_cards.2",
        "nothing for 9",
        "a value for each of 1 to 9",
    ),
    "six players": ("[round_cards.6]\n1 = [5, 4, 3, 2, 1, 0]", "round_cards.6", "6 players", "2 to 5 players"),
    "reveal more than one holds": (
        "[play]\nhand_limit = 4",
        "play.reveal_at_most",
        "5",
        "at most hand_limit (4)",
    ),
    "reveal at least more than at most": (
        "[play]\nreveal_at_least = 4\nreveal_at_most = 3",
        "play.reveal_at_least",
        "4",
        "at most reveal_at_most (3)",
    ),
    "hands longer than reveals": ("[play]\nreveal_at_most = 4", "hands.straight.cards", "5", "play.reveal_at_most (4)"),
    "hand limit too high": (
        '[power_ups.65]\ntype = "passive"\nhand_limit = 3',
        "play.hand_limit",
        "8, and 13 with passive power-ups",
        "at most 12 with every passive",
    ),
    "hand limit too low": (
        '[play]\nreveal_at_least = 5\n[power_ups.65]\ntype = "passive"\nhand_limit = -4\n[hands.no_hand]\ncards = 5',
        "play.hand_limit",
        "8, and 4 with passive power-ups",
        "at least reveal_at_least (5)",
    ),
    "unknown pick order": ('[play]\npick_order = "worst"', "play.pick_order", '"worst"', "worst_rank_first"),
    "too few power-ups for the drafts": (
        removed(f"power_ups.{number}" for number in range(30, 65)),
        "power_ups",
        "29 power-ups",
        "at least 36: 6 on offer in round 7, after 5 players took theirs",
    ),
    "too few power-ups for the start": (
        removed(f"power_ups.{number}" for number in range(40, 65)) + "[play]\nstarting_power_ups = 8",
        "power_ups",
        "39 power-ups",
        "at least 40: 8 for each of 5 players",
    ),
    "unknown suit": (
        SCORE + 'marks = { suits = ["shrmp"] }\nscore_each = 2',
        "power_ups.65.marks.suits",
        '"shrmp"',
        "did you mean shrimp?",
    ),
    "misspelt key in marks": (
        SCORE + 'marks = { nubmers = "odd" }\nscore_each = 2',
        "power_ups.65.marks.nubmers",
        "unknown key nubmers",
        "did you mean numbers?",
    ),
    "numbers in words": (
        SCORE + 'marks = { numbers = "2 to 4" }\nscore_each = 1',
        "power_ups.65.marks.numbers",
        '"2 to 4"',
        '"odd", "even", a range like "2-4" or a list',
    ),
    "range beyond the deck": (
        SCORE + 'marks = { numbers = "9-14" }\nscore_each = 1',
        "power_ups.65.marks.numbers",
        '"9-14"',
        'within "1-13"',
    ),
    "range backwards": (
        SCORE + 'marks = { numbers = "7-4" }\nscore_each = 1',
        "power_ups.65.marks.numbers",
        '"7-4"',
        "from low to high",
    ),
    "number beyond the deck": (
        SCORE + "marks = { numbers = [3, 15] }\nscore_each = 1",
        "power_ups.65.marks.numbers",
        "[3, 15]",
        "from 1 to 13",
    ),
    "power-up without gain": (SCORE, "power_ups.65", '{ type = "score" }', "a gain: score, vp, score_each, vp_each"),
    "gain only for a count of zero": (
        SCORE + 'marks = { suits = ["egg"] }\nexactly = 0\nscore_each = 2',
        "power_ups.65",
        'type = "score"',
        "a gain: score",
    ),
    "power-up without type": ("[power_ups.65]\nscore = 1", "power_ups.65.type", "no type in power_ups.65", "score"),
    "unknown type": ('[power_ups.65]\ntype = "scoring"', "power_ups.65.type", '"scoring"', "did you mean score?"),
    "power-up with a name": (
        '[power_ups.seven]\ntype = "key_client"',
        "power_ups.seven",
        "the name seven",
        "from 1 to 999",
    ),
    "six marked cards": (SCORE + "exactly = 6\nscore = 1", "power_ups.65.exactly", "6", "a whole number from 0 to 5"),
    "three of two suits": (
        SCORE + 'count = "different_suits"\nmarks = { suits = ["tuna", "egg"] }\nat_least = 3\nscore = 1',
        "power_ups.65.at_least",
        "3",
        "at most 2, or it can never apply",
    ),
    "no card at all": (
        SCORE + "exactly = 0\nscore = 1",
        "power_ups.65.exactly",
        "0",
        "at least 1, or it can never apply",
    ),
    "more marked than revealed": (
        SCORE + "revealed = 2\nat_least = 3\nscore = 1",
        "power_ups.65.at_least",
        "3",
        "at most 2, or it can never apply",
    ),
    "bounds crossed": (
        SCORE + "at_least = 3\nat_most = 2\nscore = 1",
        "power_ups.65",
        "at_most = 2",
        "not above at_most",
    ),
    "exactly and at least": (
        SCORE + "exactly = 3\nat_least = 3\nscore = 1",
        "power_ups.65",
        "exactly = 3",
        "exactly alone",
    ),
    "rounds that never come": (
        SCORE + "rounds = [9, 10]\nscore = 1",
        "power_ups.65.rounds",
        "[9, 10]",
        "from 1 to 8, or it",
    ),
    "unknown hand in a power-up": (
        SCORE + 'hands = ["flsh"]\nscore = 1',
        "power_ups.65.hands",
        '"flsh"',
        "did you mean flush?",
    ),
    "hand without that category": (
        SCORE + 'hands = ["one_pair"]\ncategories = ["flush"]\nscore = 1',
        "power_ups.65.categories",
        '["flush"]',
        "a category of one of its hands",
    ),
    "hand of more cards than revealed": (
        SCORE + 'hands = ["full_house"]\nrevealed = 4\nscore = 1',
        "power_ups.65.revealed",
        "4",
        "at least 5, or no such hand",
    ),
    "change to itself": (
        CHANGE + "times = 1\nconversions = [{ cards = { numbers = [4] }, to = { numbers = [4] } }]",
        "power_ups.65.conversions.0.to",
        "{ numbers = [4] }",
        "another card than before, or it can never apply",
    ),
    "change of an egg to an egg": (
        CHANGE + 'times = 1\nconversions = [{ cards = { suits = ["egg"] }, to = { suits = ["egg"] } }]',
        "power_ups.65.conversions.0.to",
        '{ suits = ["egg"] }',
        "another card than before, or it can never apply",
    ),
    "change that must stay on printed numbers": (
        CHANGE + "times = 1\nconversions = [{ cards = { numbers = [13] }, to = { add = 1 } }]\n"
        '[readings]\nnumbers_by_change = "printed_numbers"',
        "power_ups.65.conversions.0.to",
        "{ add = 1 }",
        "another card than before, or it can never apply",
    ),
    "x without same_number": (
        CHANGE + 'times = 1\nconversions = [{ to = { numbers = "any", other_than_x = true } }]',
        "power_ups.65.conversions.0.to.other_than_x",
        "true",
        'count = "same_number"',
    ),
    "add nothing": (
        CHANGE + "times = 1\nconversions = [{ to = { add = 0 } }]",
        "power_ups.65.conversions.0.to",
        "{ add = 0 }",
        "numbers, add (not 0) or suits",
    ),
    "numbers and add": (
        CHANGE + 'times = 1\nconversions = [{ to = { add = 1, numbers = "any" } }]',
        "power_ups.65.conversions.0.to",
        '{ add = 1, numbers = "any" }',
        "numbers or add, not both",
    ),
    "change of no cards": (
        CHANGE + "times = 1\nconversions = []",
        "power_ups.65.conversions",
        "[]",
        "a list of 1 to 4",
    ),
    "times in words": (
        CHANGE + 'times = "all"\nconversions = [{ to = { add = 1 } }]',
        "power_ups.65.times",
        '"all"',
        'from 1 to 5 or "any"',
    ),
    "passive without effect": (
        '[power_ups.65]\ntype = "passive"',
        "power_ups.65",
        '{ type = "passive" }',
        "an effect: hand_limit",
    ),
    "key client power-ups without key clients": (
        removed(f"key_clients.{name}" for name in RULES.key_clients),
        "power_ups.52",
        "a Key Client power-up, and no key_clients",
        "at least one card in key_clients",
    ),
    "unknown hand in a client": (
        '[key_clients.new]\ntype = "new_hand"\nhands = ["all_evn"]',
        "key_clients.new.hands",
        '"all_evn"',
        "did you mean all_even?",
    ),
    "upgrade of a new hand": (
        '[key_clients.new]\ntype = "upgrade"\nhands = ["all_even"]',
        "key_clients.new.hands",
        '"all_even"',
        "a basic hand: new hands are never upgraded",
    ),
    "upgrade without values": (
        HAND + 'cards = 3\nsame_suit = true\n[key_clients.new]\ntype = "upgrade"\nhands = ["test"]',
        "key_clients.new.hands",
        '"test"',
        "a hand with upgraded_score and upgraded_vp",
    ),
    "half an upgrade": (
        HAND + "cards = 3\nsame_suit = true\nupgraded_vp = 1",
        "hands.test",
        "upgraded_vp = 1",
        "together, or neither",
    ),
    "two otherwise hands": (
        HAND + "cards = 1\notherwise = true",
        "hands",
        "otherwise = true in no_hand, test",
        "exactly one hand",
    ),
    "no otherwise hand": (
        'remove = ["hands.no_hand", "key_clients.upgrade_no_hand"]',
        "hands",
        "otherwise = true in no hand",
        "exactly one hand",
    ),
    "otherwise hand that is taught": (
        '[key_clients.new]\ntype = "new_hand"\nhands = ["no_hand"]',
        "key_clients.new.hands",
        '"no_hand"',
        "needs no Key Client card",
    ),
    "otherwise hand of two cards": (
        "[hands.no_hand]\ncards = 2",
        "hands.no_hand.cards",
        "2",
        "at most play.reveal_at_least (1)",
    ),
    "hand without condition": (HAND + "cards = 3", "hands.test", "cards = 3", "at least one of groups, run, same_suit"),
    "groups that do not add up": (
        HAND + "cards = 5\ngroups = [3, 3]",
        "hands.test.groups",
        "[3, 3]",
        "make up its 5 cards",
    ),
    "run of two cards": (HAND + 'cards = 2\nrun = "straight"', "hands.test.cards", "2", "at least 3 in a run"),
    "straight of even numbers": (
        HAND + 'cards = 5\nrun = "straight"\nnumbers = "even"',
        "hands.test",
        "run and numbers",
        "parts that 5 cards can show together, or it can never form",
    ),
    "pairs in different numbers": (
        HAND + 'cards = 4\ngroups = [2, 2]\ndifferent = "numbers"',
        "hands.test",
        "groups and different",
        "or it can never form",
    ),
    "one suit and different suits": (
        HAND + 'cards = 4\nsame_suit = true\ndifferent = "suits"',
        "hands.test",
        "same_suit and different suits",
        "parts that 5 cards can show together",
    ),
    "fibonacci row too short": (
        "fibonacci = [1, 2, 3]",
        "hands.fibonacci.cards",
        "5",
        "at most the 3 values of fibonacci",
    ),
    "fibonacci row beyond the deck": (
        "fibonacci = [1, 2, 3, 5, 8, 14]",
        "fibonacci",
        "[1, 2, 3, 5, 8, 14]",
        "numbers from 1 to 13",
    ),
    "three times the same in the fibonacci row": (
        "fibonacci = [1, 1, 1, 2, 3]",
        "fibonacci",
        "[1, 1, 1, 2, 3]",
        "each number at most twice",
    ),
    "unknown reading": ('[readings]\nkinds = "exactly"', "readings.kinds", '"exactly"', "did you mean exact?"),
    "reading that is no truth value": (
        '[readings]\ngap_in_lowered_run = "yes"',
        "readings.gap_in_lowered_run",
        '"yes"',
        "true or false",
    ),
    "unknown suit in a reading": (
        '[readings]\nnever_by_change = ["eggs"]',
        "readings.never_by_change",
        '"eggs"',
        "did you mean egg?",
    ),
    "no suit left to change to": (
        '[readings]\nnever_by_change = ["egg", "tuna", "squid", "shrimp", "salmon_roe"]',
        "power_ups.25.conversions.0.to.suits",
        '"any"',
        "a suit that readings.never_by_change does not leave out",
    ),
}

# Rules that an edit elsewhere made impossible: the edit is named, and the printed value that must follow it.
EDITED = {
    "deck too small": "deck.numbers",
    "hands longer than reveals": "play.reveal_at_most",
    "more rounds than rows": "play.rounds",
    "no such suit in the deck": "deck.suits",
    "hand limit too high": "power_ups.65",
    "reveal more than one holds": "play.hand_limit",
    "fibonacci row too short": "fibonacci",
    "no suit left to change to": "readings.never_by_change",
    "key client power-ups without key clients": "key_clients",
    "hand limit too low": "play.reveal_at_least",  # together with power_ups.65
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rule_files(name, write):
    """Bad data gets file, key, what is found and allowed, when it is loaded; the printed game is never at fault."""
    text, key, found, allowed = BAD[name]
    path = write(f'extends = "otter"\n{text}\n')
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert {problem.file for problem in caught.value.problems} == {str(path)}
    (problem, *_) = (
        problem
        for problem in caught.value.problems
        if key == (problem.but.partition(" in ")[0] or problem.key) and found in (problem.but or problem.found)
    )
    assert allowed in problem.allowed
    if problem.but:
        assert problem.key == EDITED[name] and problem.undo.startswith(problem.key)
        assert problem.but.startswith(f"{key} in otter.toml: ")
    else:
        assert name not in EDITED or key == EDITED[name], str(caught.value)


def test_all_faults_are_told_at_once(write):
    """Two faults in one file give two problems."""
    path = write('extends = "otter"\n[hands.flush]\ncards = 6\n[play]\nrounds = 0\n')
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert {problem.key for problem in caught.value.problems} == {"hands.flush.cards", "play.rounds"}


def test_changes_from_python_are_named_in_the_error():
    """``vary`` tells its own name where a file would be named."""
    with pytest.raises(RulesError, match=r"vary\(six\): hands.flush.cards"):
        RULES.vary({"hands.flush.cards": 6}, name="six")


@pytest.mark.parametrize(
    "text",
    [
        SCORE + "at_most = 1\nscore = 2",
        SCORE + 'hands = ["full_house"]\nrevealed = 5\nscore = 1',
        SCORE + 'categories = ["fibonacci"]\nvp = 1',
        SCORE + 'count = "same_number"\nat_least = 4\nvp = 1',
        CHANGE + 'times = 5\nconversions = [{ cards = { suits = ["egg"] }, to = { suits = ["egg", "tuna"] } }]',
        CHANGE + 'times = 1\nwhen = { rounds = [1] }\nconversions = [{ to = { numbers = "even", suits = "any" } }]',
        HAND + 'cards = 3\nrun = "straight"\ngroups = [3]',
        HAND + 'cards = 3\nsame_suit = true\ndifferent = "suits"',
        HAND + 'cards = 3\nrun = "fibonacci"\nnumbers = "odd"',
        HAND + "cards = 4\nnumbers = [1, 13]\nupgraded_score = 9\nupgraded_vp = 2",
        "[play]\nreveal_at_least = 2\n[hands.no_hand]\ncards = 2",
        'remove = ["round_cards.3", "round_cards.4", "round_cards.5"]\n[deck]\nnumbers = 13',
    ],
)
def test_odd_but_possible_rules_are_taken(text, write):
    """What can be played is not refused: the checks above do not overshoot."""
    load_rules(write(f'extends = "otter"\n{text}\n'))


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({f"hands.few_{n}": {"cards": 4, "numbers": [n, n + 1], "score": 1, "vp": 0} for n in range(1, 9)}, "hands",
         "11 different choices of numbers"),
        ({"power_ups.39.run_gaps": 2, "power_ups.37": {"type": "passive", "run_gaps": 2}}, "power_ups", "4 gaps"),
        ({"power_ups.50.conversions": [{"to": {"add": -5}}]}, "power_ups", "7 steps (add)"),
    ],
)  # fmt: skip
def test_more_than_the_engine_holds(changes, key, words):
    with pytest.raises(RulesError) as error:
        load_rules("otter").vary(changes)
    assert any(fault.key == key and words in str(fault.found) for fault in error.value.problems)


def test_a_change_card_with_too_many_ways():
    """One use that could change the cards in millions of ways is refused, not played for hours."""
    with pytest.raises(RulesError) as error:
        load_rules("otter").vary({"power_ups.17.times": "any"})
    (fault,) = error.value.problems
    assert fault.key == "power_ups.17.times"
    assert "ways in one use" in str(fault.found)
    assert "at most 400,000" in fault.allowed
