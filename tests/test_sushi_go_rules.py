"""The rule file of Sushi Go!, its variants, bad rule files, and questions without an answer."""

import numpy as np
import pytest

from sushibalance import RulesError, load_rules, rule_sets, simulate, trace
from sushibalance.errors import UserError
from sushibalance.games.sushi_go import score_maki, score_puddings, score_tableau
from sushibalance.games.sushi_go.kernel import state
from sushibalance.games.sushi_go.policies import POLICIES
from sushibalance.games.sushi_go.rules import Deck, Readings
from sushibalance.games.sushi_go.tables import rules_table

RULES = load_rules("sushi_go")


def test_one_order_of_the_kinds():
    assert tuple(Deck.model_fields) == state.CARDS
    assert len(state.CARDS) == state.KINDS
    constants = [getattr(state, name.upper()) for name in state.CARDS]
    assert constants == list(range(state.KINDS))


def test_provenance():
    sources = {value.key: value.source for value in RULES.values()}
    assert {key for key, source in sources.items() if source == "rulebook"} == {
        "rounds", *(key for key in sources if key.startswith("pudding."))
    }  # fmt: skip
    assert {source for source in sources.values()} == {"rulebook", "public"}
    assert RULES.assumed() == []


def test_variants_change_one_value_each():
    changed = {
        name.partition("/")[2]: [key for key, _, _ in load_rules(name).differences(RULES)]
        for name in rule_sets()
        if name.startswith("sushi_go/")
    }
    assert changed == {
        "alternating": ["readings.passing"],
        "pudding_all_tied": ["readings.all_tied_on_puddings"],
        "pudding_every_round": ["pudding.scored"],
        "pudding_penalty_for_two": ["pudding.penalty_with_two_players"],
        "pudding_ties_lose_all": ["pudding.ties_fewest"],
        "wasabi_next_turn": ["readings.wasabi_serves"],
    }
    assert all(load_rules(name).description for name in rule_sets() if name.startswith("sushi_go"))


def test_every_reading_has_a_shipped_variant():
    defaults = RULES.readings.model_dump()
    changed = {}
    for name in rule_sets():
        if name.startswith("sushi_go/"):
            for key, value in load_rules(name).readings.model_dump().items():
                if value != defaults[key]:
                    changed.setdefault(key, set()).add(value)
    assert set(changed) == set(Readings.model_fields)


@pytest.mark.parametrize("kind", state.CARDS)
def test_a_kind_taken_out_of_the_game(kind):
    rules = RULES.vary({f"deck.{kind}": 0, "deal.5": None, "deal.4": 7})
    rows = simulate(rules, policies=list(POLICIES)[:4], games=50, progress=False).rows
    assert not (rows["picks"]["card"] == state.CARDS.index(kind)).any()
    assert not (rows["picks"]["second"] == state.CARDS.index(kind) + 1).any()


def test_a_number_of_players_without_a_deal():
    rules = RULES.vary({"deal.5": None})
    for ask in (simulate, trace):
        with pytest.raises(RulesError, match=r"deal\.5\n  found:   no deal for 5 players\n  allowed: .*: 2, 3, 4$"):
            ask(rules, players=5)
    assert simulate(rules, players=4, games=2, progress=False).n == 2


def test_the_largest_rules_fit():
    changes = {f"deck.{card}": 20 for card in state.CARDS} | {
        "rounds": 2, "deal.2": 20, "deal.3": 20, "deal.4": 20, "deal.5": 20, "dumpling.points": [100] * 20,
        "nigiri.squid_nigiri": 100, "nigiri.salmon_nigiri": 100, "nigiri.egg_nigiri": 100, "wasabi.factor": 10,
        "maki.most": 100, "pudding.most": 100, "tempura.cards": 1, "tempura.points": 100,
    }  # fmt: skip
    rules = RULES.vary(changes)
    run = simulate(rules, players=5, policies="greedy", games=50, progress=False)
    frame = run.rounds
    assert run.players["total"].to_numpy().tolist() == frame.groupby(["game", "seat"])["total"].sum().tolist()
    assert frame["total"].max() > 1000
    assert rules_table(rules)[0].deck_total == 240


# What is wrong: (lines of a variant, key, part of what is found, part of what is allowed).
BAD = {
    "deck too small": ("[deal]\n5 = 8", "deal.5", "8", "at most 7: the deck has 108 cards for 5 players in 3 rounds"),
    "fewer cards": ("[deck]\ntempura = 10", "deck.tempura", "10", "in deal.5, at most 6: the deck has 104 cards"),
    "more rounds": ("rounds = 5", "rounds", "5", "in deal.5, at most 4: the deck has 108 cards"),
    "too many cards": ("[deck]\ntempura = 60\nsashimi = 60\npudding = 60\nmaki_1 = 60\nwasabi = 9", "deck", "307 cards",
                       "at most 250 cards"),
    "count below 0": ("[deck]\nwasabi = -1", "deck.wasabi", "-1", "from 0 to 60"),
    "misspelt kind": ("[deck]\nwasabbi = 6", "deck.wasabbi", "unknown key wasabbi", "did you mean wasabi?"),
    "no such table": ("[pudings]\nmost = 3", "pudings", "unknown key pudings", "did you mean pudding?"),
    "six players": ("[deal]\n6 = 6", "deal.6", "unknown key 6", "2, 3, 4, 5"),
    "nobody plays": ('remove = ["deal.2", "deal.3", "deal.4", "deal.5"]', "deal", "no number of players", "2, 3, 4, 5"),
    "text for a number": ('[pudding]\nmost = "six"', "pudding.most", '"six"', "a whole number from -100 to 100"),
    "half points": ("[nigiri]\negg_nigiri = 0.5", "nigiri.egg_nigiri", "0.5", "a whole number"),
    "number for a word": ("[pudding]\nscored = 3", "pudding.scored", "3", '"end_of_game" or "every_round"'),
    "no such reading": ('[readings]\npassing = "rigth"', "readings.passing", '"rigth"', "did you mean right?"),
    "set never complete": ("[sashimi]\ncards = 11", "sashimi.cards", "11", "at most 10: no player could complete"),
    "set of more than there are": ("[deck]\ntempura = 1\nsashimi = 27", "deck.tempura", "1", "in tempura.cards, "),
    "wasabi for nothing": ("[deck]\nsalmon_nigiri = 0\nsquid_nigiri = 0\negg_nigiri = 0\npudding = 30",
                           "deck.salmon_nigiri", "0, with deck.squid_nigiri = 0, with deck.egg_nigiri = 0",
                           "in deck.wasabi, 0, as there is no nigiri in the deck"),
    "no dumpling points": ("[dumpling]\npoints = []", "dumpling.points", "[]", "a list of 1 to 20"),
    "no points": ('remove = ["dumpling.points"]', "dumpling.points", "no points in dumpling", "a list of 1 to 20"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_rule_files(what, write):
    lines, key, found, allowed = BAD[what]
    path = write(f'extends = "sushi_go"\n{lines}\n')
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    problems = {problem.key: problem for problem in caught.value.problems}
    assert key in problems, str(caught.value)
    assert found in problems[key].found
    assert allowed in problems[key].allowed
    assert {problem.file for problem in caught.value.problems} == {str(path)}


def test_a_base_file_needs_a_source_for_each_value(write):
    path = write('game = "sushi_go"\nrounds = 3\n')
    with pytest.raises(RulesError, match="source"):
        load_rules(path)


QUESTIONS = {
    "unknown card": (lambda: score_tableau(["squid"]), r"found 'squid'; did you mean squid_nigiri\? Known: tempura, "),
    "plural card": (lambda: score_tableau(["puddings"]), r"found 'puddings'; did you mean pudding\?"),
    "no card": (lambda: score_tableau([None]), "found None"),
    "one string": (lambda: score_tableau("tempura"), "found 'tempura', allowed a list of card names"),
    "no list": (lambda: score_tableau(3), "found 3, allowed a list of card names"),
    "endless": (lambda: score_tableau(["tempura"] * 2000), "found 2,000 cards, allowed at most 1,000"),
    "one player": (lambda: score_puddings([3]), r"puddings: found \[3\], allowed one count for each of 2 to 5 players"),
    "six players": (lambda: score_maki([1] * 6), "maki icons: found .* allowed one count for each of 2 to 5 players"),
    "negative": (lambda: score_puddings([3, -1]), "puddings: found -1, allowed a whole number from 0 to 1,000"),
    "half": (lambda: score_maki([3, 1.5]), "maki icons: found 1.5, allowed a whole number from 0 to 1,000"),
    "truth": (lambda: score_maki([3, True]), "maki icons: found True, allowed a whole number"),
    "text": (lambda: score_puddings("31"), "puddings: found '31', allowed one count"),
    "another game": (lambda: score_maki([3, 1], load_rules("otter")), "found a rule set of otter, allowed one of"),
    "no such rules": (lambda: score_maki([3, 1], "sushi_goo"), "did you mean sushi_go"),
}  # fmt: skip


@pytest.mark.parametrize("what", QUESTIONS)
def test_questions_without_an_answer(what):
    ask, message = QUESTIONS[what]
    with pytest.raises(UserError, match=message) as caught:
        ask()
    assert isinstance(caught.value, ValueError)


def test_answers_are_python_numbers_for_any_sequence():
    for counts in ((3, 1, 0), [3, 1, 0], np.array([3, 1, 0]), np.array([3, 1, 0], np.uint8)):
        for ask in (score_puddings, score_maki):
            answer = ask(counts)
            assert isinstance(answer, list)
            assert {type(points) for points in answer} == {int}
    assert type(score_tableau(("tempura", "tempura"))) is int
    assert score_puddings([2, 2], "sushi_go/pudding_all_tied") == [3, 3]
