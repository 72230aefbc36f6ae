"""Whole games of the compiled Otter engine: against the reference, against itself, against closed forms."""

from math import comb

import numpy as np
import pytest
from otter_replay import assert_same, logged
from scipy import stats

from sushibalance import Policy, PolicyError, load_rules, simulate, trace
from sushibalance.games.otter.kernel import search
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.policies import POLICIES, decision, draft_values

RULES = load_rules("otter")
MIXED = ("random", "greedy", "tank", "saver", "collector_flush")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_games_equal_the_reference(players, policy):
    """II to IV and Ending the Game, driven by the kernel's deals and choices."""
    for game in range(12 if policy == "random" else 6):
        assert_same(RULES, [policy] * players, 5, game)


def test_mixed_tables_equal_the_reference():
    for game in range(6):
        assert_same(RULES, MIXED, 6, game)


@pytest.mark.parametrize("variant", ["starting_power_ups", "no_catch_up", "flush_8", "inventions"])
def test_variants_equal_the_reference(variant):
    rules = load_rules(f"otter/{variant}")
    for game in range(6):
        assert_same(rules, ("greedy", "random", "greedy"), 7, game)


@pytest.mark.parametrize(
    "changes",
    [
        {"play.pick_order": "random"},
        {"play.hand_limit": 6, "play.reveal_at_least": 2, "play.reveal_at_most": 4},
        {"play.two_player_percent": 90},
        {
            "play.rounds": 2,
            **{f"round_cards.{n}": {r: [3, 2, 1, 1, 1][: max(n, 3)] for r in "12"} for n in range(2, 6)},
        },
    ],
)
def test_other_flows_equal_the_reference(changes):
    if changes.get("play.reveal_at_most") == 4:
        wide = [name for name, hand in RULES.hands.items() if hand.cards > 4]
        clients = {
            f"key_clients.{name}": None for name, client in RULES.key_clients.items() if set(client.hands) & set(wide)
        }
        cards = {
            f"power_ups.{number}": None
            for number, card in RULES.power_ups.items()
            if getattr(card, "exactly", None) == 5 or getattr(card, "at_least", None) == 5
        }
        passive = {f"power_ups.{number}": None for number in (16, 32, 39)}
        drop = {f"hands.{name}": None for name in wide}
        changes = {**changes, **drop, **clients, **cards, **passive}
    rules = RULES.vary(changes, name="other flow")
    for players in (2, 4):
        for game in range(4):
            assert_same(rules, ["greedy", "random"] * (players // 2), 9, game)


def test_cards_are_conserved():
    """I.3 to I.5: 65 cards, each in one place; hands filled to the limit; nobody draws a held card."""
    for game in range(20):
        _, events = logged(RULES, ("greedy", "random", "tank", "saver", "random"), 2, game)
        holder = {}
        for kind, seat, args in events:
            if kind == s.E_DRAW:
                assert args[0] not in holder
                holder[args[0]] = seat
            elif kind == s.E_REVEAL:
                for slot in range(args[0]):
                    assert holder.pop((args[1] >> (9 * slot)) & 511) == seat
        decks = [args[0] for kind, _, args in events if kind == s.E_DECK]
        assert sorted(decks) == list(range(64))


def test_frames():
    """Issue: the columns and their bounds; a game of 4 has 8 rounds, 7 drafts of 5."""
    run = simulate("otter", games=50, policies="greedy", seed=3, progress=False)
    assert list(run.rounds) == [
        "game", "round", "seat", "button", "n_cards", "hand", "score", "rank", "round_vp", "vp",
    ]  # fmt: skip
    assert len(run.rounds) == 50 * 8 * 4
    assert list(run.picks) == ["game", "round", "order", "seat", "power_up", "key_client"]
    assert len(run.picks) == 50 * 7 * 4
    assert list(run.offers) == ["game", "round", "slot", "power_up", "taken_by"]
    assert len(run.offers) == 50 * 7 * 5
    taken = run.offers[run.offers["taken_by"] >= 0]
    keys = ["game", "round", "seat", "power_up"]
    same = taken.rename(columns={"taken_by": "seat"})[keys].merge(run.picks[keys])
    assert len(same) == len(taken) == len(run.picks)
    last = run.rounds[run.rounds["round"] == 8]
    assert (last["vp"].to_numpy() == run.players["total"].to_numpy()).all()
    assert (run.rounds.groupby(["game", "round"])["rank"].sum() == 10).all()
    assert run.players.groupby("game")["win"].sum().eq(1).all()
    brought = run.picks["power_up"].between(52, 63)
    assert (run.picks["key_client"].notna() == brought).all()


def test_worst_rank_picks_first():
    """IV.1; and the variant without catching up turns it round."""
    for name, ascending in (("otter", False), ("otter/no_catch_up", True)):
        run = simulate(name, games=30, seed=1, progress=False)
        ranks = run.picks.merge(run.rounds[["game", "round", "seat", "rank"]]).sort_values(["game", "round", "order"])
        by_order = ranks["rank"].to_numpy().reshape(-1, 4)
        assert (np.sort(by_order, axis=1) == [1, 2, 3, 4]).all()
        assert ((np.diff(by_order, axis=1) > 0) == ascending).all()


def exact_hands():
    """Counts of the best hand of five cards of the 65, in closed form (no power-ups, no Key Clients)."""
    counts = {
        "five_of_a_kind": 13,
        "straight_flush": 9 * 5,
        "four_of_a_kind": 13 * comb(5, 4) * 60,
        "full_house": 13 * comb(5, 3) * 12 * comb(5, 2),
        "flush": 5 * comb(13, 5) - 45,
        "straight": 9 * 5**5 - 45,
        "three_of_a_kind": 13 * comb(5, 3) * comb(12, 2) * 25,
        "two_pair": comb(13, 2) * comb(5, 2) ** 2 * 11 * 5,
        "one_pair": 13 * comb(5, 2) * comb(12, 3) * 125,
    }
    return counts | {"no_hand": comb(65, 5) - sum(counts.values())}


def test_five_card_hands_against_closed_form():
    """Hand Details: what five random cards of the first deal form, against exact counts; |z| below 4.5."""
    run = simulate("otter", games=40_000, seed=8, progress=False)
    shown = run.rounds[(run.rounds["round"] == 1) & (run.rounds["n_cards"] == 5)]
    n = len(shown)
    assert n > 30_000
    for hand, count in exact_hands().items():
        p = count / comb(65, 5)
        seen = int((shown["hand"] == hand).sum())
        assert stats.binomtest(seen, n, p).pvalue > 1e-5, (hand, seen, n * p)


def test_random_reveals_are_uniform_subsets():
    """Issue: uniform over all 1-5 card subsets of the hand: sizes go as the binomials of 8."""
    run = simulate("otter", games=20_000, seed=4, progress=False)
    first = run.rounds[run.rounds["round"] == 1]
    sizes = first["n_cards"].value_counts().reindex(range(1, 6)).to_numpy()
    expected = np.array([comb(8, k) for k in range(1, 6)]) / 218 * len(first)
    assert stats.chisquare(sizes, expected).pvalue > 1e-5


def test_random_draft_is_uniform():
    """Issue: draft and Key Client uniform: every slot and every Key Client card equally often."""
    run = simulate("otter", games=20_000, seed=4, progress=False)
    taken = run.offers.assign(taken=run.offers["taken_by"] >= 0).groupby("slot")["taken"].sum()
    assert stats.chisquare(taken).pvalue > 1e-5
    first = run.picks[run.picks["key_client"].notna()].groupby("game").head(1)
    assert stats.chisquare(first["key_client"].value_counts()).pvalue > 1e-5


def test_jit_off_gives_the_same_rows(python):
    """The same seed, compiled and in plain Python (draft values given: sampling them takes plain Python minutes)."""
    code = """
import sys
from dataclasses import replace
import numpy as np
from sushibalance import simulate
from sushibalance.games.otter.policies import POLICIES
values = np.random.default_rng(0).random(78)
def drafting(name, *own):
    return replace(POLICIES[name], vector=lambda parameters, rules: np.array([2.0, *own, *values]))
table = ["random", drafting("greedy", 0, 0), drafting("tank", 3, 0), drafting("saver", 1, 18)]
run = simulate("otter", games=2, seed=12, policies=table, progress=False)
sys.stdout.write(run.rounds.to_csv() + run.picks.to_csv() + run.players.to_csv())
"""
    assert python(code) == python(code, NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
def test_within_bounds(python, tmp_path):
    """Array bounds checked, with a cache of its own (a warm one would skip the checks)."""
    code = """
from sushibalance import simulate
simulate("otter", games=20, players=5, policies=["random", "greedy", "tank", "saver", "greedy"], progress=False)
simulate("otter/starting_power_ups", games=5, players=2, progress=False)
"""
    python(code, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))


def test_a_users_policy_needs_no_new_engine():
    """Issue: a user's own policy plugs in without recompiling the engine."""
    from sushibalance.games.otter.kernel.game import play_games

    simulate("otter", games=2, progress=False)
    before = len(play_games.signatures)

    @decision
    def lowest_number(rules, table, own, seat, params, rng, choice):
        best = -1
        for slot in range(table.n_offers):
            p = table.offer[slot]
            if p >= 0 and (best < 0 or rules.number[p] < rules.number[table.offer[best]]):
                best = slot
        choice[0] = best

    mine = Policy("lowest_number", {"draft": lowest_number})
    run = simulate("otter", games=20, policies=[mine, "random", "random", "random"], progress=False)
    assert len(play_games.signatures) == before
    mine_first = run.picks[(run.picks["seat"] == 0) & (run.picks["order"] == 1)]
    lowest = run.offers.groupby(["game", "round"])["power_up"].min()
    joined = mine_first.join(lowest.rename("lowest"), on=["game", "round"])
    assert len(joined) > 20
    assert (joined["power_up"] == joined["lowest"]).all()


@pytest.mark.parametrize(
    ("decision_name", "words"),
    [
        ("reveal", "too few or too many cards"),
        ("draft", "not on offer"),
        ("client", "not left"),
        ("start", "not dealt"),
    ],
)
def test_illegal_choices_are_named(decision_name, words):
    """Issue: policy, seat, game index and seed in the error."""

    @decision
    def absurd(rules, table, own, seat, params, rng, choice):
        choice[0] = -3

    bad = Policy("absurd", {**POLICIES["random"].decisions, decision_name: absurd})
    variant = "otter/starting_power_ups" if decision_name == "start" else "otter"
    with pytest.raises(PolicyError, match=rf'"absurd".*{words}.*seat 1.*game \d+, seed 5'):
        simulate(variant, games=20, policies=["random", bad, "random"], players=3, seed=5, progress=False)


def test_illegal_uses_and_hands_are_refused():
    """II.2 and II.3: a declared hand must be formed, a Change card held and its arrow followed."""

    @decision
    def five_of_a_kind(rules, table, own, seat, params, rng, choice):
        choice[0] = 1
        choice[6] = 1 + 9

    @decision
    def unheld(rules, table, own, seat, params, rng, choice):
        choice[0] = 1
        choice[7] = 1
        choice[8] = 20
        choice[9] = own.hand[0]

    @decision
    def before_the_first_hand(rules, table, own, seat, params, rng, choice):
        choice[0] = 1
        choice[6] = -1

    refused = ((five_of_a_kind, "do not form"), (unheld, "does not hold"), (before_the_first_hand, "do not form"))
    for function, words in refused:
        with pytest.raises(PolicyError, match=words):
            simulate("otter", games=2, policies=Policy("bad", {"reveal": function}), progress=False)


@decision
def beyond_the_cards(rules, table, own, seat, params, rng, choice):
    """Use a Change card as it is allowed, but write the first card's code with ``params[0]`` more."""
    search.best_play(rules, own, table.round_number, 2.0, choice)
    if choice[s.CHOICE_USES]:
        choice[s.CHOICE_USE + 1] += np.int64(params[0])


@pytest.mark.parametrize("more", [s.CODES, -s.CODES, 2**40])
def test_a_use_that_writes_no_card_is_refused(more):
    """The kernel looks at 9 bits of a card's code: a trace must not tell of others."""
    fair, false = (
        Policy("mine", {"reveal": beyond_the_cards}, {"more": float(extra)}, limits={"more": (-1e13, 1e13)})
        for extra in (0, more)
    )
    assert "illegal" not in trace("otter", policies=fair, seed=3, game=2)
    with pytest.raises(PolicyError, match="in a way that the card does not allow"):
        simulate("otter", games=50, policies=false, seed=3, progress=False)
    assert "made an illegal choice" in trace("otter", policies=false, seed=3, game=2)


def test_greedy_beats_random_and_its_draft_values_are_sane():
    run = simulate("otter", games=300, policies=["greedy", "random", "random", "random"], progress=False)
    assert run.players.groupby("seat")["win"].mean()[0] > 0.8
    values = draft_values(RULES)
    assert set(values) == {*RULES.power_ups, *RULES.key_clients}
    assert 0.99 < values["1"] < 1.01
    assert min(values.values()) >= 0
    assert values["52"] == 0


def test_common_random_numbers():
    """DESIGN: the same seed under two variants deals the same cards, and the same offers while play agrees."""
    one, two = (simulate(name, games=40, seed=3, progress=False) for name in ("otter", "otter/flush_8"))
    first = [run.offers.query("round == 1").reset_index(drop=True) for run in (one, two)]
    assert (first[0]["power_up"] == first[1]["power_up"]).all()
    same = (one.rounds["hand"] == two.rounds["hand"]).mean()
    assert same > 0.97


def test_a_policy_that_borrows_a_decision_needs_its_parameters():
    """A decision function reads the parameters of the policy that it was written for."""
    borrowed = Policy("mine", dict(POLICIES["greedy"].decisions))
    with pytest.raises(PolicyError, match=r'"mine" borrows reveal from greedy without its parameters'):
        simulate("otter", games=2, policies=borrowed, progress=False)
    mine = POLICIES["greedy"].with_decisions("mine", draft=POLICIES["random"].decisions["draft"])
    runs = [simulate("otter", games=30, policies=policy, seed=1, progress=False) for policy in (mine, mine, "greedy")]
    first, again, greedy = (run.players["total"].tolist() for run in runs)
    assert first == again != greedy


def test_victory_points_beyond_sixteen_bits():
    """Running VP in the rounds are those of the end, however high the values of a rule file."""
    rich = {"type": "score", "score": 200, "vp": 200, "vp_each": 200}
    cards = {f"power_ups.{number}": rich for number in RULES.power_ups}
    hands = {f"hands.{hand}.vp": 200 for hand in RULES.hands}
    run = simulate(RULES.vary(cards | hands), players=2, games=400, seed=1, progress=False)
    last = run.rounds[run.rounds["round"] == 8]
    assert run.players["total"].max() > 2**15
    assert (last["vp"].to_numpy() == run.players["total"].to_numpy()).all()
