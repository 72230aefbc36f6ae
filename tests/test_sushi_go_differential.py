"""The compiled engine against the reference engine: the same deal and choices, the same game."""

import numpy as np
import pytest
from reference import sushi_go as reference
from sushi_go_replay import assert_same, logged

from sushibalance import RulesError, load_rules, rule_sets
from sushibalance.games.sushi_go import score_maki, score_puddings, score_tableau
from sushibalance.games.sushi_go.kernel.state import CARDS
from sushibalance.games.sushi_go.policies import POLICIES

BASE = load_rules("sushi_go")
SHIPPED = [name for name in rule_sets() if name.startswith("sushi_go")]


def compare(rules, policies, seed, first, games):
    """Play some games twice; return what decided each."""
    played = logged(rules, policies, seed, first, games)
    results = []
    for game in range(games):
        result = reference.play(rules, len(policies), played.deal(game), played.choices(game))
        assert_same(played.rows, game, result)
        results.append(result["ended_by"])
    picks = played.rows["picks"]
    assert np.array_equal(picks["card"], played.takes[..., 0])
    assert np.array_equal(picks["second"], played.takes[..., 1])
    return results


def some_policies(rng, players):
    """Return policies for a table: all alike, or mixed."""
    names = list(POLICIES)
    return [str(name) for name in (rng.choice(names, players) if rng.random() < 0.7 else [rng.choice(names)] * players)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_rules(name, players):
    rng = np.random.default_rng(players)
    for first in range(0, 120, 30):
        compare(load_rules(name), some_policies(rng, players), 21, first, 30)


def test_every_ending_and_wasabi_use_is_met():
    endings, wasabi = set(), np.zeros(2, int)
    for first in range(0, 300, 50):
        endings |= set(compare(BASE, ["random"] * 2, 3, first, 50))
        wasabi += logged(BASE, ["random"] * 2, 3, first, 50).takes[..., 2:].sum((0, 1, 2, 3))
    assert endings == {"points", "puddings", "shared"}
    assert (wasabi > 0).all()


def other_rules(rng):
    """Return the printed rules with many values changed at random, or None for impossible ones."""

    def points(low=-20, high=20):
        return int(rng.integers(low, high + 1))

    deal = {f"deal.{players}": int(rng.integers(1, 11)) for players in (2, 3, 4, 5)}
    changes = {
        "rounds": int(rng.integers(1, 5)),
        **{f"deck.{card}": int(rng.choice([0, 2, 8, 20], p=[0.1, 0.2, 0.4, 0.3])) for card in CARDS},
        **deal,
        "tempura.cards": int(rng.integers(1, 5)),
        "tempura.points": points(),
        "sashimi.cards": int(rng.integers(1, 5)),
        "sashimi.points": points(),
        "dumpling.points": [points() for _ in range(rng.integers(1, 8))],
        "maki.most": points(),
        "maki.second": points(),
        "maki.ties": str(rng.choice(["split", "full"])),
        "maki.second_after_tie": bool(rng.random() < 0.5),
        **{f"maki.icons.maki_{n}": int(rng.integers(0, 5)) for n in (1, 2, 3)},
        **{f"nigiri.{card}": points() for card in reference.NIGIRI},
        "wasabi.factor": int(rng.integers(0, 5)),
        "pudding.most": points(),
        "pudding.fewest": points(),
        "pudding.ties_most": str(rng.choice(["split", "full"])),
        "pudding.ties_fewest": str(rng.choice(["split", "full"])),
        "pudding.scored": str(rng.choice(["end_of_game", "every_round"])),
        "pudding.penalty_with_two_players": bool(rng.random() < 0.5),
        "readings.all_tied_on_puddings": str(rng.choice(["nobody_scores", "both_rules"])),
        "readings.wasabi_serves": str(rng.choice(["at_once", "next_turn"])),
        "readings.passing": str(rng.choice(["left", "right", "alternating"])),
    }
    try:
        return BASE.vary(changes)
    except RulesError:
        return None


@pytest.mark.parametrize("seed", range(6))
def test_rules_that_no_one_printed(seed):
    rng = np.random.default_rng(seed)
    played = 0
    while played < 50:
        rules = other_rules(rng)
        if rules is not None:
            players = int(rng.integers(2, 6))
            compare(rules, some_policies(rng, players), seed, 100, 10)
            played += 1


def test_queries_on_random_counts_and_cards():
    rng = np.random.default_rng(8)
    for _ in range(30):
        rules = other_rules(rng) or BASE
        for _ in range(40):
            counts = rng.integers(0, rng.integers(1, 12), rng.integers(2, 6)).tolist()
            assert score_puddings(counts, rules) == reference.pudding_points(counts, rules)
            assert score_maki(counts, rules) == reference.maki_points(counts, rules)
            cards = [str(card) for card in rng.choice(CARDS, rng.integers(0, 15))]
            assert score_tableau(cards, rules) == reference.tableau_points(cards, rules)
