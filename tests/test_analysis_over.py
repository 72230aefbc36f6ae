"""Questions to whole runs: the same answers whatever the parts, from one run, several runs, or no rows at all."""

import pickle
import random
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance import fold, simulate
from sushibalance.analysis import over as module
from sushibalance.analysis import pick_rates, points_by_kind, puddings, victory_odds, vp_curves, win_rates
from sushibalance.analysis.headlines import HEADLINES, headlines
from sushibalance.analysis.over import Question, differences, over, question, questions, tallied
from sushibalance.analysis.tables import stack, with_cards, with_distance, with_policy
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES
from sushibalance.stats import means
from sushibalance.stats.groups import ColumnError
from sushibalance.stats.pairs import paired

POLICIES = {
    "otter": ["greedy", "tank", "saver", "random"],
    "nightmares": ["greedy", "penalty_hunter", "honest", "trickster"],
    "sushi_go": ["greedy", "denier", "pudding_lover", "random"],
}
GAMES_PLAYED = 200


@cache
def played(game, seed=1, policies=None, games=GAMES_PLAYED):
    chosen = policies or POLICIES[game]
    return simulate(game, policies=chosen, games=games, seed=seed, progress=False, workers=2)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(module, "PIECE", 23)


def identical(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found.attrs == expected.attrs


ASKED = [(game, name) for game in GAMES for name in HEADLINES[game]]


@pytest.mark.parametrize(("game", "name"), ASKED)
def test_many_parts_give_the_answer_of_the_whole(game, name, small_pieces):
    run, ask = played(game), headlines(game)[name]
    identical(over(run, ask), ask(run).frame())


@pytest.mark.parametrize(("game", "name"), ASKED)
def test_parts_add_up_in_any_order(game, name):
    run, ask, order = played(game), headlines(game)[name], random.Random(5)
    edges = sorted({0, run.n, *(order.randrange(run.n) for _ in range(9))})
    tallies = [ask(run.cut(*span)) for span in pairwise(edges)]
    while len(tallies) > 1:
        order.shuffle(tallies)
        tallies.append(tallies.pop() + tallies.pop())
    identical(tallies[0].frame(0.9), ask(run).frame(0.9))


@pytest.mark.parametrize("game", GAMES)
def test_all_headlines_in_one_pass_of_a_run_of_which_no_rows_are_kept(game, small_pieces):
    asked = headlines(game)
    folded = fold(game, asked, policies=POLICIES[game], games=GAMES_PLAYED, seed=1, progress=False).frame(0.8)
    answers = over(played(game), asked, level=0.8)
    assert list(folded) == list(answers) == list(HEADLINES[game])
    for name, frame in answers.items():
        identical(folded[name], frame)
        assert frame.attrs["level"] == 0.8 and {"estimate", "low", "high", "n", "games"} <= set(frame.columns)


@pytest.mark.parametrize("game", GAMES)
def test_headlines_of_a_stored_run(game, tmp_path):
    played(game).save(tmp_path / "run")
    stored = type(played(game)).load(tmp_path / "run")
    for name, frame in over(stored, headlines(game)).items():
        identical(frame, headlines(game)[name](played(game)).frame())


def test_the_answer_is_that_of_the_function_on_the_frames(small_pieces):
    run = played("otter")
    turns = pick_rates.turns(run.offers, run.picks)
    identical(over(run, pick_rates.against_chance, "turns"), pick_rates.against_chance(turns))
    identical(
        over(run, pick_rates.against_chance, "turns", by=["power_up", "policy"]),
        pick_rates.against_chance(with_policy(turns, run.players), ["power_up", "policy"]),
    )
    identical(
        over(run, pick_rates.key_clients, "picks", by="policy"),
        pick_rates.key_clients(with_policy(run.picks, run.players), "policy"),
    )
    identical(
        over(run, vp_curves.after_round, "rounds", "players", by="policy", band=(0.2, 0.8), level=0.9),
        vp_curves.after_round(run.rounds, run.players, "policy", band=(0.2, 0.8), level=0.9),
    )
    identical(
        over(run, win_rates.of, "players", by="distance"),
        win_rates.of(with_distance(run.players, run.rounds), "distance"),
    )
    identical(over(run, means, "rounds", by="round", value="score"), means(run.rounds, "round", "score"))
    go = played("sushi_go")
    identical(over(go, puddings.decide, "collected"), puddings.decide(puddings.collected(go.players, go.rounds)))
    kinds = ["maki", "pudding"]
    identical(
        over(go, points_by_kind.per_game, "rounds", kinds=kinds, by="policy"),
        points_by_kind.per_game(go.rounds, kinds, go.players, "policy"),
    )


def test_several_runs_are_told_apart_as_in_a_stack(small_pieces):
    runs = {"mixed": played("nightmares"), "alike": played("nightmares", 2, ("honest",) * 3 + ("greedy",), 130)}
    identical(
        over(runs, victory_odds.endings, "games", by="table", rounds=True),
        victory_odds.endings(stack(runs, "games"), "table", rounds=True),
    )
    identical(
        over(runs, victory_odds.ways_to_win, "players", "games", by=["table", "policy"]),
        victory_odds.ways_to_win(stack(runs, "players"), stack(runs, "games"), ["table", "policy"]),
    )
    identical(over(runs, win_rates.of, "players"), win_rates.of(stack(runs, "players")))
    keyed = {("mixed", 8): runs["mixed"], ("alike", 12): runs["alike"]}
    found = over(keyed, victory_odds.penalty_victories, "games", by=["table", "points"], keys=["table", "points"])
    expected = victory_odds.penalty_victories(stack(keyed, "games", keys=["table", "points"]), ["table", "points"])
    identical(found, expected)
    assert found["table"].cat.categories.tolist() == ["mixed", "alike"] and found["points"].tolist() == [8, 12]


def test_made_frames_are_told_apart_too(small_pieces):
    runs = {"one": played("otter"), "two": played("otter", 2, games=90)}
    found = over(runs, pick_rates.against_chance, "turns", by=["table", "round"])
    assert found.groupby("table", observed=True)["games"].max().to_dict() == {"one": 200, "two": 90}
    one = over(runs["one"], pick_rates.against_chance, "turns", by="round")
    pd.testing.assert_frame_equal(found.loc[found["table"] == "one"].drop(columns="table"), one, check_exact=True)


def test_frames_without_parts_are_one_part():
    run = synthetic.otter(20)
    identical(over(run, vp_curves.bands, "rounds", at=[0.5]), vp_curves.bands(run.rounds, at=[0.5]))


def test_a_question_of_ones_own(small_pieces):
    """A function that returns a tally, or rows that can be counted, asks like those of the house."""
    run = played("otter")
    found = over(run, lambda rounds: means.tally(rounds[rounds["rank"] == 1], "round", "score"), "rounds")
    identical(found, means(run.rounds[run.rounds["rank"] == 1], "round", "score"))


def test_frames_are_made_once_for_all_questions(monkeypatch):
    calls = []
    turns = pick_rates.turns
    monkeypatch.setitem(module.MADE, "turns", (lambda *a: calls.append(1) or turns(*a), ("offers", "picks")))
    asked = questions(a=question(pick_rates.taken_at, "turns"), b=question(pick_rates.taken_at, "turns", by="round"))
    over(played("otter"), asked)
    assert len(calls) == 1


def test_any_number_of_threads_gives_the_same(small_pieces):
    one, many = (over(played("sushi_go"), headlines("sushi_go"), workers=workers) for workers in (1, 3))
    for name in one:
        identical(one[name], many[name])


@pytest.mark.parametrize("game", GAMES)
def test_questions_and_tallies_can_be_sent_to_other_processes(game):
    asked = pickle.loads(pickle.dumps(headlines(game)))
    tallies = pickle.loads(pickle.dumps(asked(played(game))))
    for name, frame in tallies.frame().items():
        identical(frame, headlines(game)[name](played(game)).frame())


@pytest.mark.parametrize("game", GAMES)
def test_differences_of_two_runs_over_the_same_games(game, monkeypatch):
    """Every headline: additive over parts, and equal policies make equal games."""
    base, variant = played(game), played(game, policies=tuple(POLICIES[game][:3] + POLICIES[game][:1]))
    found = differences(base, variant, headlines(game), level=0.9)
    monkeypatch.setattr(module, "PIECE", 23)
    for name, frame in differences(base, variant, headlines(game), level=0.9).items():
        identical(frame, found[name])
        alone = over(variant, headlines(game)[name])
        keys = [key for key in alone.columns if key in frame.columns][: list(frame.columns).index("base")]
        both = frame.merge(alone, on=keys, suffixes=("", "_alone"))
        assert len(both) == len(alone) and both["variant"].to_numpy() == pytest.approx(both["estimate_alone"])
        assert ((frame["low"] <= frame["estimate"]) | frame["low"].isna()).all()
    if game == "sushi_go":
        assert found["points_by_kind"]["reduction"].max() > 1.5
    with pytest.raises(UserError, match="found more games in one run than in the other"):
        differences(base, played(game, games=90), win_rates.of, "players")


def test_differences_are_those_of_the_frames(small_pieces):
    base, variant = played("sushi_go"), played("sushi_go", policies=("greedy", "greedy", "denier", "random"))
    found = differences(base, variant, win_rates.points, "players", by="seat")
    sides = [win_rates.points.observe(run.players, "seat") for run in (base, variant)]
    identical(found, paired(*sides).frame())
    before, after = (run.players["total"].to_numpy().reshape(-1, 4) for run in (base, variant))
    assert found["estimate"].to_numpy() == pytest.approx((after - before).mean(axis=0))


def test_what_cannot_be_asked_is_told():
    run = played("nightmares")
    with pytest.raises(ColumnError, match='no column "table"'):
        over(run, win_rates.of, "players", by="table")
    with pytest.raises(UserError, match="over: found players beside a question"):
        over(run, headlines("nightmares"), "players")
    with pytest.raises(UserError, match="allowed one run at least"):
        over({}, win_rates.of, "players")
    with pytest.raises(UserError, match="workers: found 0, allowed"):
        over(run, win_rates.of, "players", workers=0)
    with pytest.raises(UserError, match="level: found 2"):
        over(run, win_rates.of, "players", level=2)
    with pytest.raises(UserError, match="game: did you mean otter"):
        headlines("oter")
    with pytest.raises(UserError, match="of: got an unexpected keyword argument 'seat'; allowed"):
        over(run, win_rates.of, "players", seat=1)
    with pytest.raises(UserError, match='has no frame "turn"'):
        over(run, win_rates.of, "turn")
    with pytest.raises(TypeError, match="tallies of different questions"):
        headlines("nightmares")(run) + headlines("sushi_go")(played("sushi_go"))


def test_a_tally_of_several_runs_adds_to_others():
    """Ten seeds, ten tallies: one answer."""
    ask = Question(win_rates.of, ("players",), {"by": "seat"})
    runs = [played("nightmares", seed, games=50) for seed in range(3)]
    found = sum(tallied(run, ask) for run in runs).frame()
    assert (found["games"] == 150).all()
    everything = stack(dict(enumerate(runs)), "players")
    identical(found, win_rates.of(everything, "seat"))
    assert np.isclose(found["estimate"].sum(), 1.0)


@pytest.mark.parametrize("by", ["power_up", ["card", "round"], ["policy", "type"], "order", ["table", "power_up"]])
def test_a_question_of_turns_is_asked_of_offers_where_they_say_as_much(by):
    """The answer is that of the turns; only no key may be lost."""
    run = played("otter")
    ask = question(pick_rates.against_chance, "turns", by=by)
    plain = pick_rates.turns(run.offers, run.picks).assign(table="one")
    told = with_cards(with_policy(plain, run.players), run.rules)
    identical(over({"one": run}, ask), pick_rates.against_chance(told.astype({"table": "category"}), by))


def test_a_tally_knows_the_games_that_were_played():
    """Those in which a group does not occur as well; of several runs each has its own number."""
    run = played("sushi_go")
    ask = questions(held=question(puddings.win_points_by_count, "collected"), wins=question(win_rates.of, "players"))
    for tallies in (tallied(run, ask), fold("sushi_go", ask, games=run.n, progress=False), ask.paired(run, run)):
        assert {tally.played for tally in tallies.values()} == {run.n}
    assert {tally.played for tally in tallied({"a": run, "b": run}, ask).values()} == {None}
