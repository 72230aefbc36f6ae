"""What policies see, what they choose, and a designer's own."""

import numpy as np
import pytest
from reference import sushi_go as reference
from sushi_go_replay import logged

from sushibalance import Policy, PolicyError, load_rules, simulate
from sushibalance.games.sushi_go.engine import ENGINE
from sushibalance.games.sushi_go.kernel.game import play_games
from sushibalance.games.sushi_go.kernel.state import CARDS, CHOPSTICKS, KINDS, MAX_HAND, MAX_PLAYERS, OWN, TABLE
from sushibalance.games.sushi_go.policies import POLICIES, choose_random, decision

RULES = load_rules("sushi_go")

# The spy: plays at random, and copies all that it is shown into its parameters, turn after turn.
SEEN = sum(int(np.prod(kind[name].shape)) for kind in (TABLE, OWN) for name in kind.names)


@decision
def spy(rules, table, own, seat, params, rng, choice):
    """Choose like random; params[0] counts what was noted down after it."""
    at = int(params[0]) * SEEN + 1
    params[0] += 1
    for value in (table.players, table.round_number, table.turn, table.turns, table.direction):
        params[at] = value
        at += 1
    for s in range(MAX_PLAYERS):
        params[at] = table.points[s]
        at += 1
    for s in range(MAX_PLAYERS):
        for kind in range(KINDS):
            params[at] = table.front[s][kind]
            at += 1
    for s in range(MAX_PLAYERS):
        for i in range(MAX_HAND):
            params[at] = table.order[s][i]
            at += 1
    for open_counts in (table.free_wasabi, table.nigiri_points, table.maki, table.puddings):
        for s in range(MAX_PLAYERS):
            params[at] = open_counts[s]
            at += 1
    for kind in range(KINDS):
        params[at] = own.hand[kind]
        at += 1
    for hand in range(MAX_PLAYERS):
        for kind in range(KINDS):
            params[at] = own.seen[hand][kind]
            at += 1
    for hand in range(MAX_PLAYERS):
        params[at] = own.seen_turn[hand]
        at += 1
    params[at] = own.holding
    choose_random(rules, table, own, seat, params, rng, choice)


def expected_sights(rules, played, players, direction):
    """Yield (round, turn, seat, what the seat may know by field) of the first game, from the log alone."""
    totals, puddings = [0] * players, [0] * players
    for number, hands in enumerate(played.deal(0)):
        hands = [list(hand) for hand in hands]
        step = direction[number % 2]
        fronts = [reference.Front(rules) for _ in range(players)]
        seen = [[[] for _ in range(players)] for _ in range(players)]
        seen_turn = [[0] * players for _ in range(players)]
        for turn, chosen in enumerate(played.choices(0)[number]):
            before = [dict(counts=counts(front.cards), order=list(front.cards), wasabi=len(front.open_wasabi),
                           nigiri=front.nigiri, icons=front.icons()) for front in fronts]  # fmt: skip
            known = {
                "players": players, "round_number": number + 1, "turn": turn + 1,
                "turns": rules.hand_size(players), "direction": step,
                "points": totals, "front": [front["counts"] for front in before],
                "order": [[CARDS.index(card) for card in front["order"]] for front in before],
                "free_wasabi": [front["wasabi"] for front in before],
                "nigiri_points": [front["nigiri"] for front in before],
                "maki": [front["icons"] for front in before], "puddings": puddings,
            }  # fmt: skip
            for seat in range(players):
                held = (seat - step * turn) % players
                own = {
                    "hand": counts(hands[held]), "seen": [counts(cards) for cards in seen[seat]],
                    "seen_turn": seen_turn[seat], "holding": held,
                }  # fmt: skip
                yield number, turn, seat, {**known, **own}
            puddings = list(puddings)
            for seat in range(players):
                held = (seat - step * turn) % players
                first, second = chosen[seat]
                for card in filter(None, (first, second)):
                    hands[held].remove(card)
                if second:
                    fronts[seat].cards.remove("chopsticks")
                    hands[held].append("chopsticks")
                for card in filter(None, (first, second)):
                    fronts[seat].play(card, turn)
                    puddings[seat] += card == "pudding"
                if turn + 1 < rules.hand_size(players):
                    seen[seat][held] = list(hands[held])
                    seen_turn[seat][held] = turn + 1
        scored = played.rows["rounds"][0, number]
        totals = [totals[s] + sum(int(scored[s][k]) for k in scored.dtype.names[:6]) for s in range(players)]


def counts(cards):
    return [cards.count(card) for card in CARDS]


@pytest.mark.parametrize("passing", ["left", "right", "alternating"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_policy_sees_what_its_player_may_know_and_no_more(players, passing):
    """Every number that every seat is shown, in every turn, follows from what it saw before."""
    rules = RULES.vary({"readings.passing": passing})
    direction = {"left": (1, 1), "right": (-1, -1), "alternating": (1, -1)}[passing]
    turns = rules.hand_size(players)
    for game in range(6):
        notes = np.zeros((players, 1 + SEEN * 3 * turns))
        played = logged(rules, [Policy("spy", {"choose": spy})] * players, 17, game, 1, notes)
        assert notes[:, 0].tolist() == [3.0 * turns] * players
        for number, turn, seat, known in expected_sights(rules, played, players, direction):
            at = (number * turns + turn) * SEEN + 1
            shown = notes[seat, at : at + SEEN]
            for kind in (TABLE, OWN):
                for name in kind.names:
                    field = kind[name]
                    value, shown = shown[: int(np.prod(field.shape))].reshape(field.shape), shown[field.itemsize // 8 :]
                    expected = np.array(known[name]) if name != "order" else None
                    if name == "order":  # beyond the front there is nothing to read
                        for other in range(players):
                            assert value[other, :turn].tolist() == known[name][other]
                    elif field.shape == ():
                        assert value == expected, name
                    else:
                        assert np.array_equal(value[: len(expected)], expected), (name, number, turn, seat)
            assert len(shown) == 0


@decision
def nosy(rules, table, own, seat, params, rng, choice):
    """Take the kind that a number made of all that is seen points to."""
    total = 0
    for kind in range(KINDS):
        total = 31 * total + own.hand[kind]
    total = total % 1009
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
            total -= 101
            if total < 0:
                break


def test_choices_in_one_turn_are_unseen():
    """A seat chooses alike whatever the others choose in that turn."""
    mine = Policy("nosy", {"choose": nosy})
    for others in ("random", "greedy", "pudding_lover"):
        played = logged(RULES, [others, others, mine, others], 5, 0, 30)
        alone = logged(RULES, ["denier", "greedy", mine, "random"], 5, 0, 30)
        assert np.array_equal(played.takes[:, :, 0, 2], alone.takes[:, :, 0, 2])


def test_random_takes_any_card_or_any_ordered_pair():
    """Issue: uniform over single cards; with chopsticks in front, over those and all ordered pairs."""
    played = logged(RULES, ["random"] * 4, 12, 0, 4000)
    games, rounds, players, turns = played.dealt.shape
    hands = np.stack([(played.dealt == kind).sum(-1) for kind in range(KINDS)], -1)  # games, rounds, hand, kind
    front = np.zeros((games, rounds, players), int)  # chopsticks in front of each seat
    each = np.indices((games, rounds))
    first_z, second_z = np.zeros((2, KINDS)), np.zeros((2, KINDS))
    singles, pairs_seen = {}, 0
    for turn in range(turns):
        size = turns - turn
        for seat in range(players):
            hand = hands[each[0], each[1], (seat - turn) % players]
            first = played.takes[:, :, turn, seat, 0]
            second = played.takes[:, :, turn, seat, 1] - 1
            able = front[:, :, seat] > 0
            assert (second[~able] < 0).all()
            took = first[..., None] == np.arange(KINDS)
            chance = hand / size
            first_z += np.stack([(took - chance).sum((0, 1)), (chance * (1 - chance)).sum((0, 1))])
            used = second >= 0
            if able.any():
                alone = singles.setdefault(size, [0, 0])
                alone[0] += int((able & ~used).sum())
                alone[1] += int(able.sum())
            if size > 1:
                rest = (hand - took)[used] / (size - 1)
                took_second = second[used][:, None] == np.arange(KINDS)
                second_z += np.stack([(took_second - rest).sum(0), (rest * (1 - rest)).sum(0)])
                pairs_seen += used.sum()
            index = each[0], each[1], (seat - turn) % players
            hands[index] -= took
            hands[index] -= used[..., None] * (second[..., None] == np.arange(KINDS))
            hands[(*index, CHOPSTICKS)] += used
            front[:, :, seat] += (first == CHOPSTICKS).astype(int) + (second == CHOPSTICKS) - used
    assert not hands.any()
    assert pairs_seen > 3000
    for deviations, variances in (first_z, second_z):
        assert (np.abs(deviations) < 4 * np.sqrt(variances)).all()
    for size, (alone, asked) in singles.items():
        assert abs(alone - asked / size) <= 4 * np.sqrt(asked * (1 / size) * (1 - 1 / size)), size


def mean_total(policies, **changes):
    run = simulate(RULES, policies=policies, games=3000, seed=2, progress=False, **changes)
    return run.players.groupby("seat")["total"].mean().tolist()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("name", ["greedy", "pudding_lover", "pudding_avoider", "denier"])
def test_each_policy_beats_random(name, players):
    totals = mean_total([name] + ["random"] * (players - 1), players=players)
    assert totals[0] > max(totals[1:]) + 3


def test_policies_do_what_their_names_say():
    run = simulate(
        RULES, policies=["pudding_lover", "greedy", "pudding_avoider", "denier"], games=3000, seed=1, progress=False
    )
    last = run.rounds[run.rounds["round"] == 3].groupby("seat")["puddings"].mean()
    assert last[0] > last[1] + 0.5
    assert last[2] < 0.1
    # A denier leaves its left neighbour less than its right one.
    after, before = mean_total(["denier", "greedy", "random", "greedy"])[1::2]
    assert after < before - 1


def test_greedy_by_hand():
    """Two tempura in the hand, one in front, one turn to go: the second tempura scores 5, squid 3."""
    changes = {f"deck.{card}": 0 for card in CARDS} | {
        "deck.tempura": 30, "deck.squid_nigiri": 20, "rounds": 1, "deal.2": 2, "deal.3": 2, "deal.4": 2, "deal.5": 2,
    }  # fmt: skip
    played = logged(RULES.vary(changes), ["greedy"] * 2, 1, 0, 200)
    takes = played.takes[:, 0, :, :, 0]
    squid, tempura = CARDS.index("squid_nigiri"), CARDS.index("tempura")
    # First turn: squid 3 points now, tempura 5 x 0.45: squid goes first where there is one.
    has_squid = (played.dealt[:, 0] == squid).any(-1)
    assert (takes[:, 0][has_squid] == squid).all()
    assert (takes[:, 0][~has_squid] == tempura).all()
    hopeful = logged(RULES.vary(changes), ["greedy(hope=0.7)"] * 2, 1, 0, 200)  # 5 x 0.7 > 3
    has_tempura = (hopeful.dealt[:, 0] == tempura).any(-1)
    assert (hopeful.takes[:, 0, 0, :, 0][has_tempura] == tempura).all()


def test_parameters_by_name():
    assert ENGINE.policy("greedy(hope=0.3)").parameters["hope"] == 0.3
    assert {name: len(policy.parameters) for name, policy in POLICIES.items()} == {
        "random": 0, "greedy": 7, "pudding_lover": 7, "pudding_avoider": 7, "denier": 7,
    }  # fmt: skip
    assert all(policy.description for policy in POLICIES.values())
    with pytest.raises(PolicyError, match="did you mean hope"):
        ENGINE.policy("greedy(hop=0.3)")
    with pytest.raises(PolicyError, match="did you mean greedy"):
        ENGINE.policy("gredy")


def test_an_own_policy_does_not_compile_the_engine_again():
    simulate(RULES, policies="random", games=10, progress=False)
    compiled = len(play_games.signatures)
    mine = Policy("nosy", {"choose": nosy})
    run = simulate(RULES, policies=[mine, "greedy", mine, "random"], games=100, progress=False)
    assert compiled == len(play_games.signatures)
    assert run.players["policy"].unique().tolist() == ["nosy", "greedy", "random"]


@decision
def cheat(rules, table, own, seat, params, rng, choice):
    """Choose legally until the turn of params[0] and beyond; then as params[1], params[2] say."""
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
    if table.turn >= params[0]:
        for kind in range(KINDS):
            if params[1] == 0 and own.hand[kind] == 0:
                choice[0] = kind
            if params[1] == 1 and table.front[seat][CHOPSTICKS] == 0 and own.hand[kind] > (kind == choice[0]):
                choice[1] = kind + 1
            if params[1] == 2 and table.front[seat][CHOPSTICKS] > 0 and own.hand[kind] == (kind == choice[0]):
                choice[1] = kind + 1
            if params[1] == 4 and table.front[seat][CHOPSTICKS] > 0 and own.hand[kind] == 1:
                choice[0] = kind
                choice[1] = kind + 1
        if params[1] == 3:
            choice[int(params[2])] = int(params[3])


NO_CARD = "it takes a card that is not in its hand"
NO_STICKS = "it takes a second card without chopsticks in front of it"
NO_SECOND = "it takes a second card that is not in its hand"


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ((3, 0), NO_CARD),
        ((1, 3, 0, -1), NO_CARD),
        ((1, 3, 0, KINDS), NO_CARD),
        ((1, 3, 0, 10**6), NO_CARD),
        ((2, 1), NO_STICKS),
        ((2, 2), NO_SECOND),
        ((2, 4), NO_SECOND),  # the same card twice
        ((1, 3, 1, -1), NO_SECOND),
        ((1, 3, 1, KINDS + 1), NO_SECOND),
    ],
)
def test_illegal_choices_end_the_run(params, complaint):
    policy = Policy("cheat", {"choose": cheat}, {f"p{i}": float(value) for i, value in enumerate(params)})
    with pytest.raises(PolicyError) as caught:
        simulate(RULES, policies=["random", "random", policy, "greedy"], games=50, seed=9, progress=False)
    message = str(caught.value)
    assert message.startswith(f'policy "cheat" made an illegal choice: {complaint} (seat 2, round ')
    assert "seed 9" in message
