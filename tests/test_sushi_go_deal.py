"""Deals against closed forms, and every card accounted for."""

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom
from sushi_go_replay import logged

from sushibalance import load_rules, simulate
from sushibalance.games.sushi_go.kernel.state import CARDS, CHOPSTICKS, KINDS
from sushibalance.games.sushi_go.policies import POLICIES

RULES = load_rules("sushi_go")


def opening_hands(run, rules):
    """Return the hands dealt, as counts: int64[games, rounds, hand, kind].

    What was taken from a hand, less the chopsticks that were put into it, was dealt.
    """
    picks = run.rows["picks"]
    games, rounds, turns, players = picks.shape
    hands = np.zeros((games, rounds, players, KINDS), np.int16)
    game, number = np.ogrid[:games, :rounds]
    steps = {"left": (1, 1), "right": (-1, -1), "alternating": (1, -1)}[rules.readings.passing]
    direction = np.array([steps[n % 2] for n in range(rounds)])
    for turn in range(turns):
        for seat in range(players):
            hand = ((seat - direction * turn) % players)[None, :]
            pick = picks[:, :, turn, seat]
            hands[game, number, hand, pick["card"]] += 1
            second = pick["second"]
            used = second > 0
            hands[game, number, hand, np.maximum(second - 1, 0)] += used
            hands[game, number, hand, CHOPSTICKS] -= used
    return hands


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_opening_hands_are_hypergeometric(players):
    """P(k cards of a kind in a hand of h from 108) = C(K, k) C(108 - K, h - k) / C(108, h), in each round."""
    run = simulate(RULES, players=players, games=40_000, seed=7, progress=False)
    hands = opening_hands(run, RULES)
    size = RULES.hand_size(players)
    assert (hands.sum(-1) == size).all()
    worst = 0.0
    cells = 0
    for kind, count in enumerate(RULES.deck.counts):
        expected = run.n * hypergeom(108, count, size).pmf(np.arange(size + 1))
        for number in range(3):
            for hand in range(players):
                seen = np.bincount(hands[:, number, hand, kind], minlength=size + 1)
                likely = expected > 20
                z = (seen - expected)[likely] / np.sqrt(expected * (1 - expected / run.n))[likely]
                worst = max(worst, np.abs(z).max())
                cells += likely.sum()
    assert cells > 300
    assert worst < 4.8  # about 1 in 1000 for the most extreme of so many


def test_hands_and_rounds_depend_as_drawn_without_return():
    """Covariance of the counts of one kind in two hands, and of two kinds in one hand, in closed form."""
    run = simulate(RULES, players=4, games=60_000, seed=8, progress=False)
    hands = opening_hands(run, RULES).astype(float)
    deck, size, counts = 108, 8, np.array(RULES.deck.counts)
    share = counts / deck
    spread = (deck - size) / (deck - 1)
    means = hands.mean((0, 1, 2))
    assert np.allclose(means, size * share, atol=0.01)
    flat = hands.reshape(run.n, 12, KINDS) - size * share
    for kind in range(KINDS):
        variance = size * share[kind] * (1 - share[kind])
        between_hands = -size * size * share[kind] * (1 - share[kind]) / (deck - 1)
        for a, b, expected in ((0, 0, variance * spread), (0, 1, between_hands), (2, 9, between_hands)):
            products = flat[:, a, kind] * flat[:, b, kind]
            assert abs(products.mean() - expected) < 4.5 * products.std() / np.sqrt(run.n)
    for a, b in ((0, 1), (2, 9), (4, 11)):
        products = flat[:, 5, a] * flat[:, 5, b]
        expected = -size * share[a] * share[b] * spread
        assert abs(products.mean() - expected) < 4.5 * products.std() / np.sqrt(run.n)


def test_each_deal_order_is_equally_likely():
    """Three cards of three kinds in a deck of six: the 90 orders of the deck, by a chi-square test."""
    changes = {f"deck.{card}": 0 for card in CARDS} | {
        "deck.tempura": 2, "deck.dumpling": 2, "deck.pudding": 2, "rounds": 3,
        "deal.2": 1, "deal.3": None, "deal.4": None, "deal.5": None, "tempura.cards": 1,
    }  # fmt: skip
    games = 90_000
    dealt = logged(RULES.vary(changes), ["random"] * 2, 5, 0, games).dealt.reshape(games, 6)
    _, seen = np.unique(dealt @ 12 ** np.arange(6), return_counts=True)
    assert len(seen) == 90
    statistic = ((seen - games / 90) ** 2 / (games / 90)).sum()
    assert chi2(89).sf(statistic) > 1e-4


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("passing", ["left", "alternating"])
def test_every_card_is_dealt_once_and_taken_once(players, passing):
    rules = RULES.vary({"readings.passing": passing})
    names = list(POLICIES)
    mixed = [names[(seat * 2 + players) % len(names)] for seat in range(players)]
    for policies in (mixed, ["random"] * players):
        run = simulate(rules, players=players, policies=policies, games=2000, seed=3, progress=False)
        hands = opening_hands(run, rules)
        assert (hands >= 0).all()
        assert (hands.sum(-1) == rules.hand_size(players)).all()
        assert (hands.sum((1, 2)) <= rules.deck.counts).all()
        played = logged(rules, policies, 3, 0, 200)
        counted = np.stack([(played.dealt == kind).sum(-1) for kind in range(KINDS)], -1)
        assert np.array_equal(counted, hands[:200])


def test_the_same_seed_deals_the_same_cards_under_variants():
    base = logged(RULES, ["random"] * 4, 5, 0, 50)
    for name in ("pudding_every_round", "pudding_ties_lose_all", "wasabi_next_turn", "alternating"):
        other = logged(load_rules(f"sushi_go/{name}"), ["greedy", "denier", "random", "random"], 5, 0, 50)
        assert np.array_equal(other.dealt, base.dealt)
    scored = logged(load_rules("sushi_go/pudding_every_round"), ["random"] * 4, 5, 0, 50)
    assert np.array_equal(scored.takes, base.takes)
    assert not np.array_equal(logged(RULES, ["random"] * 4, 6, 0, 50).dealt, base.dealt)
