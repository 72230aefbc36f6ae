"""Sushi Go! by the book: every sentence of the pudding text by its section, and the public rules.

The pudding text has the sections Official Rule Breakdown, Example Play Situation, Common Misconceptions,
Quick Reference and Frequently Asked Questions. The rest are the public rules, and readings S1 to S3.
"""

import numpy as np
import pytest
from sushi_go_replay import logged

from sushibalance import Policy, load_rules, simulate
from sushibalance.games.sushi_go import score_maki, score_puddings, score_tableau
from sushibalance.games.sushi_go.engine import ENGINE
from sushibalance.games.sushi_go.kernel.state import CARDS, CHOPSTICKS, KINDS, PUDDING, SQUID_NIGIRI, WASABI
from sushibalance.games.sushi_go.policies import decision

RULES = load_rules("sushi_go")
EVERY_ROUND = load_rules("sushi_go/pudding_every_round")
PENALTY_FOR_TWO = load_rules("sushi_go/pudding_penalty_for_two")
TIES_LOSE_ALL = load_rules("sushi_go/pudding_ties_lose_all")
ALL_TIED = load_rules("sushi_go/pudding_all_tied")
NEXT_TURN = load_rules("sushi_go/wasabi_next_turn")


# Official Rule Breakdown


def test_breakdown_puddings_are_tallied_after_three_rounds_only():
    assert RULES.rounds == 3
    pudding = simulate(RULES, games=300, progress=False).rows["rounds"]["pudding"]
    assert not pudding[:, :2].any()
    assert pudding[:, 2].any()


def test_breakdown_most_puddings_score_6():
    assert score_puddings([2, 5, 1, 3])[1] == 6


def test_breakdown_ties_for_most_share_and_drop_the_remainder():
    assert score_puddings([4, 4, 1]) == [3, 3, -6]
    assert score_puddings([4, 4, 4, 1]) == [2, 2, 2, -6]
    assert score_puddings([4, 4, 4, 4, 1]) == [1, 1, 1, 1, -6]


def test_breakdown_fewest_puddings_lose_6_also_with_none():
    assert score_puddings([3, 1, 2]) == [6, -6, 0]
    assert score_puddings([3, 0, 2]) == [6, -6, 0]


def test_breakdown_ties_for_fewest_share_the_loss_and_drop_the_remainder():
    assert score_puddings([4, 1, 1]) == [6, -3, -3]
    assert score_puddings([4, 0, 0, 0]) == [6, -2, -2, -2]
    assert score_puddings([4, 1, 1, 1, 1]) == [6, -1, -1, -1, -1]


def test_breakdown_no_loss_with_two_players():
    assert score_puddings([3, 1]) == [6, 0]
    assert score_puddings([0, 2]) == [0, 6]


# Example Play Situation


def test_example_alice_4_bob_1():
    """Bob's loss tells that a third player, in between, sits at the table."""
    assert score_puddings([4, 1, 2])[:2] == [6, -6]


# Common Misconceptions: what each would do


def test_misconception_scored_every_round():
    assert EVERY_ROUND.differences(RULES) == [("pudding.scored", "end_of_game", "every_round")]
    rounds = simulate(EVERY_ROUND, games=100, progress=False).rows["rounds"]
    for game in rounds:
        for seats in game:
            assert seats["pudding"].tolist() == score_puddings(seats["puddings"].tolist())
    assert rounds["pudding"].any((0, 2)).all()


def test_misconception_negative_points_with_two_players():
    change = ("pudding.penalty_with_two_players", False, True)
    assert PENALTY_FOR_TWO.differences(RULES) == [change]
    assert score_puddings([4, 1], PENALTY_FOR_TWO) == [6, -6]
    assert score_puddings([4, 1, 2], PENALTY_FOR_TWO) == score_puddings([4, 1, 2])


def test_misconception_tied_players_lose_full_points():
    assert TIES_LOSE_ALL.differences(RULES) == [("pudding.ties_fewest", "split", "full")]
    assert score_puddings([4, 1, 1], TIES_LOSE_ALL) == [6, -6, -6]
    assert score_puddings([4, 4, 1], TIES_LOSE_ALL) == [3, 3, -6]


def test_tied_players_may_also_gain_full_points():
    rules = RULES.vary({"pudding.ties_most": "full"})
    assert score_puddings([4, 4, 1, 1], rules) == [6, 6, -3, -3]


# Quick Reference


def test_quick_reference_puddings_stay_in_front_after_each_round():
    rows = simulate(RULES, games=200, progress=False).rows
    taken = (rows["picks"]["card"] == PUDDING).astype(int) + (rows["picks"]["second"] == PUDDING + 1)
    held = taken.sum(2).cumsum(1)
    assert np.array_equal(rows["rounds"]["puddings"], held)


def test_quick_reference_split_ties_and_no_loss_for_two():
    assert score_puddings([2, 2, 0, 0]) == [3, 3, -3, -3]
    assert score_puddings([2, 0]) == [6, 0]


# Frequently Asked Questions


def test_faq_official_rule():
    assert score_puddings([0, 3, 1]) == [-6, 6, 0]
    assert score_puddings([0, 3]) == [0, 6]


def test_faq_one_opponent():
    for counts in ([5, 0], [0, 5], [2, 1], [0, 0], [3, 3]):
        assert min(score_puddings(counts)) == 0


def test_faq_two_tie_for_fewest():
    assert score_puddings([1, 3, 1]) == [-3, 6, -3]


def test_faq_when_puddings_score():
    rounds = simulate(RULES, players=3, games=50, progress=False).rows["rounds"]
    for game in rounds:
        assert game["pudding"][:2].ravel().tolist() == [0] * 6
        assert game["pudding"][2].tolist() == score_puddings(game["puddings"][2].tolist())


# S1


def test_s1_all_tied_nobody_scores():
    for players in (2, 3, 4, 5):
        for count in (0, 2):
            assert score_puddings([count] * players) == [0] * players


def test_s1_option_both_rules():
    assert score_puddings([2, 2], ALL_TIED) == [3, 3]
    assert score_puddings([2, 2, 2], ALL_TIED) == [0, 0, 0]
    assert score_puddings([2, 1, 2], ALL_TIED) == [3, -6, 3]


# Public rules


def test_deck_of_108_and_deal():
    assert RULES.deck.model_dump() == dict(zip(CARDS, [14, 14, 14, 6, 12, 8, 10, 5, 5, 10, 6, 4], strict=True))
    assert sum(RULES.deck.counts) == 108
    assert RULES.deal.sizes == {2: 10, 3: 9, 4: 8, 5: 7}


@pytest.mark.parametrize(("count", "points"), [(0, 0), (1, 0), (2, 5), (3, 5), (4, 10), (5, 10), (8, 20)])
def test_tempura(count, points):
    assert score_tableau(["tempura"] * count) == points


@pytest.mark.parametrize(("count", "points"), [(0, 0), (2, 0), (3, 10), (5, 10), (6, 20)])
def test_sashimi(count, points):
    assert score_tableau(["sashimi"] * count) == points


@pytest.mark.parametrize(("count", "points"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10), (5, 15), (6, 15), (14, 15)])
def test_dumplings(count, points):
    assert score_tableau(["dumpling"] * count) == points


def test_nigiri():
    assert [score_tableau([f"{kind}_nigiri"]) for kind in ("squid", "salmon", "egg")] == [3, 2, 1]


def test_wasabi_triples_the_next_nigiri():
    assert score_tableau(["wasabi", "squid_nigiri"]) == 9
    assert score_tableau(["wasabi", "egg_nigiri", "squid_nigiri"]) == 6
    assert score_tableau(["wasabi", "wasabi", "salmon_nigiri", "egg_nigiri", "egg_nigiri"]) == 10
    assert score_tableau(["wasabi", "tempura", "pudding", "salmon_nigiri"]) == 6
    assert score_tableau(["wasabi", "wasabi"]) == 0


def test_wasabi_comes_too_late_for_a_nigiri_before_it():
    assert score_tableau(["squid_nigiri", "wasabi"]) == 3


def test_maki_puddings_and_chopsticks_score_nothing_by_themselves():
    assert score_tableau(["maki_1", "maki_2", "maki_3", "pudding", "chopsticks"]) == 0
    assert score_tableau([]) == 0


def test_maki_most_and_second():
    assert score_maki([5, 2, 3, 1]) == [6, 0, 3, 0]
    assert score_maki([1, 0]) == [6, 0]
    assert score_maki([2, 1]) == [6, 3]


def test_maki_ties_split_without_remainder():
    assert score_maki([5, 5, 3]) == [3, 3, 0]
    assert score_maki([5, 5, 5, 5, 1]) == [1, 1, 1, 1, 0]
    assert score_maki([5, 3, 3]) == [6, 1, 1]
    assert score_maki([5, 3, 3, 3, 3]) == [6, 0, 0, 0, 0]


def test_no_maki_icons_no_award():
    assert score_maki([0, 0, 0]) == [0, 0, 0]
    assert score_maki([4, 0, 0]) == [6, 0, 0]


def test_maki_icons_of_the_cards():
    assert RULES.maki.icons.model_dump() == {"maki_1": 1, "maki_2": 2, "maki_3": 3}
    played = logged(RULES, ["random"] * 3, 1, 0, 50)
    kinds = played.takes[..., 0], played.takes[..., 1] - 1
    icons = sum(np.select([taken == CARDS.index(f"maki_{n}") for n in (1, 2, 3)], [1, 2, 3]) for taken in kinds)
    assert np.array_equal(played.rows["rounds"]["maki_icons"], icons.sum(2))


def test_maki_options():
    assert score_maki([5, 5, 3, 3], RULES.vary({"maki.second_after_tie": True})) == [3, 3, 1, 1]
    assert score_maki([5, 5, 3], RULES.vary({"maki.ties": "full"})) == [6, 6, 0]


def test_hands_pass_left_and_are_played_out():
    """Hand h is dealt to seat h; in turn t seat h + t - 1 takes from it, until it is empty."""
    played = logged(RULES, ["greedy"] * 4, 1, 0, 20)
    check_passing(played, [1, 1, 1])


def test_s3_option_alternating_direction():
    check_passing(logged(load_rules("sushi_go/alternating"), ["greedy"] * 4, 1, 0, 20), [1, -1, 1])
    check_passing(logged(RULES.vary({"readings.passing": "right"}), ["greedy"] * 5, 1, 0, 20), [-1, -1, -1])


def check_passing(played, directions):
    games, rounds, players, turns = played.dealt.shape
    for game in range(games):
        for number in range(rounds):
            hands = [list(hand) for hand in played.dealt[game, number]]
            for turn in range(turns):
                for seat in range(players):
                    hand = hands[(seat - directions[number] * turn) % players]
                    first, second = played.takes[game, number, turn, seat, :2]
                    hand.remove(first)
                    if second:
                        hand.remove(second - 1)
                        hand.append(CHOPSTICKS)
            assert hands == [[]] * players


def test_tie_is_won_by_more_puddings_then_shared():
    rows = simulate(RULES, players=2, games=3000, progress=False).rows
    totals, wins = rows["players"]["total"], rows["players"]["won"]
    puddings = rows["rounds"]["puddings"][:, -1]
    tied = totals[:, 0] == totals[:, 1]
    more = tied & (puddings[:, 0] != puddings[:, 1])
    level = tied & ~more
    assert more.any() and level.any()
    assert np.array_equal(wins[more].argmax(1), puddings[more].argmax(1))
    assert (wins[more].sum(1) == 1).all()
    assert (wins[level] == 1).all()
    endings = [ENGINE.endings[code] for code in rows["games"]["ended_by"]]
    assert [ending != "points" for ending in endings] == tied.tolist()
    assert [ending == "puddings" for ending in endings] == more.tolist()


# S2: chopsticks


@decision
def both(rules, table, own, seat, params, rng, choice):
    """Take chopsticks at once, then the two kinds of the parameters when both are there, else the last kind."""
    first, second = int(params[0]), int(params[1])
    for kind in range(KINDS):
        if own.hand[kind] > 0 and kind not in (CHOPSTICKS, first, second):
            choice[0] = kind
    if own.hand[choice[0]] == 0:
        for kind in range(KINDS):
            if own.hand[kind] > 0:
                choice[0] = kind
    if table.turn == 1 and own.hand[CHOPSTICKS] > 0:
        choice[0] = CHOPSTICKS
    elif table.front[seat][CHOPSTICKS] > 0 and own.hand[first] > 0 and own.hand[second] > (first == second):
        choice[0] = first
        choice[1] = second + 1


PAIRS = {
    # nigiri points of the pair (default, wasabi serves from the next turn)
    (WASABI, SQUID_NIGIRI): (9, 3),
    (SQUID_NIGIRI, WASABI): (3, 3),
    (SQUID_NIGIRI, SQUID_NIGIRI): (6, 6),
}


@pytest.mark.parametrize(("pair", "expected"), PAIRS.items())
@pytest.mark.parametrize("reading", [0, 1])
def test_s2_two_cards_in_the_order_named(pair, expected, reading):
    """Two cards of the hand as it was; a wasabi named first serves at once (option: from the next turn)."""
    changes = {f"deck.{card}": 0 for card in CARDS} | {
        "deck.wasabi": 20, "deck.squid_nigiri": 20, "deck.chopsticks": 8, "deck.pudding": 60,
    }  # fmt: skip
    rules = (NEXT_TURN if reading else RULES).vary(changes)
    policy = Policy("both", {"choose": both}, dict(zip("ab", map(float, pair), strict=True)))
    played = logged(rules, [policy] * 3, 4, 0, 400)
    seconds = played.takes[..., 1]
    met = 0
    for game, number, seat in zip(*np.nonzero((seconds > 0).sum(2) == 1), strict=True):
        takes = played.takes[game, number, :, seat]
        turn = int(np.flatnonzero(takes[:, 1])[0])
        alone = np.delete(takes[:, 0], turn)
        if WASABI in alone or SQUID_NIGIRI in alone:
            continue
        met += 1
        row = played.rows["rounds"][game, number, seat]
        assert row["nigiri"] == expected[reading]
        assert takes[turn, 2:].tolist() == [0, int(pair[0] == WASABI and not reading)]
    assert met > 5


def test_s2_chopsticks_go_into_the_hand_passed_on():
    """They can be taken from it on a later turn, and count as a card of that hand."""
    played = logged(RULES, ["random"] * 2, 6, 0, 200)
    taken = (played.takes[..., 0] == CHOPSTICKS).sum((1, 2, 3)) + (played.takes[..., 1] == CHOPSTICKS + 1).sum(
        (1, 2, 3)
    )
    dealt = (played.dealt == CHOPSTICKS).sum((1, 2, 3))
    used = (played.takes[..., 1] > 0).sum((1, 2, 3))
    assert (taken >= dealt).all()
    assert (taken > dealt).any()
    assert (taken <= dealt + used).all()
    check_passing(played, [1, 1, 1])


def test_s3_a_nigiri_must_go_on_a_free_wasabi():
    played = logged(RULES, ["greedy", "random", "denier"], 2, 0, 200)
    for game, number, seat in np.ndindex(200, 3, 3):
        free = 0
        for first, second, on, second_on in played.takes[game, number, :, seat].tolist():
            for kind, used in ((first, on), (second - 1, second_on)):
                if kind == WASABI:
                    free += 1
                elif kind >= 0 and CARDS[kind].endswith("nigiri"):
                    assert used == (free > 0)
                    free -= used
                else:
                    assert not used
