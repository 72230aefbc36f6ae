"""A base against its variants: the same numbers as two whole runs, honest verdicts, honest stopping."""

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sushibalance import compare, load_rules, simulate
from sushibalance.analysis import win_rates
from sushibalance.analysis.catch_up import CATCH_UP
from sushibalance.analysis.compare import FIRST_LOOK, MORE, _looks
from sushibalance.analysis.headlines import HEADLINES, by_name, headlines
from sushibalance.analysis.judged import Judged, Watched
from sushibalance.analysis.margins import KINDS, METRICS, Margins
from sushibalance.analysis.over import differences, over, question, questions
from sushibalance.analysis.saying import Said
from sushibalance.analysis.sides import Against, Side
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES
from sushibalance.simulation.request import Request
from sushibalance.stats import means, paired, rates, verdicts

HUNT = {"policies": "penalty_hunter", "progress": False}
MIXED = ["greedy", "penalty_hunter", "honest", "random"]
VARIANTS = {"otter": "flush_8", "nightmares": "penalty_victory_8", "sushi_go": "pudding_every_round"}


@pytest.mark.parametrize("game", GAMES)
def test_differences_are_those_of_two_whole_runs(game):
    games = 60 if game == "otter" else 2_500
    rules = f"{game}/{VARIANTS[game]}"
    found = compare(game, rules, games=games, seed=4, progress=False)
    base, variant = (simulate(name, policies="greedy", games=games, seed=4, progress=False) for name in (game, rules))
    expected = differences(base, variant, headlines(game), level=found.table().attrs["level"])
    assert list(found.frames) == list(expected) == list(HEADLINES[game])
    for name, frame in expected.items():
        columns = [key for key in frame.columns if name not in found.fixed or key not in ("low", "high")]
        pd.testing.assert_frame_equal(found.frames[name][columns], frame[columns], check_categorical=False)
    same = (base.players["total"] == variant.players["total"]).groupby(base.players["game"]).all().mean()
    assert found.unchanged[load_rules(rules).name]["estimate"][0] == pytest.approx(same)


def test_every_headline_has_words_a_kind_and_a_sourced_margin():
    every = [by_name(game) for game in HEADLINES]
    assert set(METRICS) == {name for asked in (*every, CATCH_UP) for name in asked}
    for asked in (*every, CATCH_UP):
        assert any(METRICS[name].main for name in asked)
        for name in asked:
            assert METRICS[name].words and METRICS[name].kind in KINDS
    assert all(kind.source and kind.margin > 0 for kind in KINDS.values())
    assert Margins(["win_points"], 4).of("win_points") == (-0.1, 0.1)
    assert Margins(["wins"], 5).of("wins") == pytest.approx((-0.02, 0.02))


def test_seats_are_rotated_where_policies_differ():
    """Every policy has every seat once with every deal, and a deal counts as one."""
    found = compare("nightmares", "penalty_victory_8", policies=MIXED, games=300, seed=2, progress=False)
    sides = []
    for name in ("nightmares", "penalty_victory_8"):
        turned = [MIXED[-step:] + MIXED[:-step] for step in range(4)]
        runs = [simulate(name, policies=seats, games=300, seed=2, progress=False) for seats in turned]
        sides.append([win_rates.win_points.observe(run.players, "policy") for run in runs])
    frame = found.frames["win_points"].set_index("policy").loc[MIXED]
    expected = paired(*sides).frame(found.table().attrs["level"]).set_index("policy").loc[MIXED]
    for column in ("base", "variant", "estimate", "low", "high", "games", "n", "reduction"):
        assert frame[column].to_numpy() == pytest.approx(expected[column].to_numpy()), column
    assert (found.rotations, found.games, set(frame["games"])) == (4, 300, {300})
    assert found.frames["win_points"]["base"].sum() == pytest.approx(4)
    assert "300 deals" in found.played() and "4 rotations" in found.played()
    # Seats alone say nothing any more: all policies had each of them.
    assert "vp_bands" not in found.frames


def test_tables_that_repeat_need_fewer_rotations():
    side = Side(Request.of("nightmares", 4, ["greedy", "random", "greedy", "random"], 0))
    assert len(side.requests) == 2
    assert len(Side(Request.of("nightmares", 4, "greedy", 0)).requests) == 1
    assert len(Side(Request.of("nightmares", 4, MIXED, 0), rotate=False).requests) == 1


def test_it_does_not_depend_on_who_plays():
    asked = {"games": 4_500, "seed": 3, "policies": ["greedy", "penalty_hunter"], "players": 2, "progress": False}
    variants = ["penalty_victory_8", "fortune_cat_one_each"]
    one = compare("nightmares", variants, workers=1, **asked).table()
    assert compare("nightmares", variants, workers=2, **asked).table().equals(one)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert compare("nightmares", variants, executor=pool, **asked).table().equals(one)


def test_what_is_sent_to_other_processes_is_whole():
    sides = [Side(Request.of(name, 4, MIXED, 1)) for name in ("nightmares", "penalty_victory_8")]
    against = Against(sides[0], sides[1:], headlines("nightmares"))
    again = pickle.loads(pickle.dumps(against))
    assert [len(side) for side in again.variants] == [4] and len(again.base) == 3
    assert again.variants[0][1].policies[1].name == sides[1].requests[1].policies[1].name


def test_rules_are_taken_as_names_objects_paths_or_a_mapping(write):
    path = write('extends = "nightmares"\npenalty_victory = 9\n', "nine.toml")
    printed = load_rules("nightmares")
    given = [path, str(path), load_rules(path)]
    few = {"games": 20, "metrics": "points", **HUNT}
    tables = [compare(printed, one, **few).table() for one in given]
    assert tables[0].equals(tables[1]) and tables[0].equals(tables[2])
    assert list(tables[0]["change"]) == ["nine"]
    named = compare("nightmares", {"a": path, "b": "penalty_victory_8"}, **few)
    assert list(named.variants) == ["a", "b"] == list(named.table()["change"].unique())


def test_all_verdicts_are_corrected_together():
    """On one scale, metrics of any unit are one family: the verdicts of Benjamini and Hochberg over all of them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"game": np.repeat(np.arange(200), 30), "card": np.tile(np.arange(30), 200)})
    frame["vp"] = rng.normal(np.linspace(0, 1, 30)[frame["card"]], 1)
    some, others = frame[frame["card"] < 12], frame[frame["card"] >= 12].assign(vp=lambda rows: 5 * rows["vp"] + 10)
    judged = Judged([means.tally(some, "card", "vp"), means.tally(others, "card", "vp")], [(-0.5, 0.5), (7.5, 12.5)])
    first, second = judged.frames(0.9)
    at_once = verdicts(means.tally(frame, "card", "vp"), (-0.5, 0.5), level=0.9)
    assert first.attrs["level"] == at_once.attrs["level"] > 0.9
    alone = judged.frames(0.9, correct=False)[0]
    assert alone.attrs["level"] == 0.9 and set(alone["verdict"]) <= {"inside", "above", "below", "undecided"}
    assert Judged([], []).frames() == [] and Judged([], []).undecided() == 0
    for column in ("verdict", "needed"):
        assert [*first[column], *second[column]] == list(at_once[column])
    assert list(second["low"]) == pytest.approx(list(5 * at_once["low"][12:] + 10))
    assert set(second["margin_low"]) == {7.5} and judged.undecided(0.9) == (at_once["verdict"] == "undecided").sum()


def test_the_same_rules_differ_by_nothing():
    found = compare("nightmares", {"again": "nightmares"}, games=2_000, policies=MIXED, progress=False)
    table = found.table()
    assert (table["estimate"] == 0).all() and (table["verdict"] == "inside").all()
    assert found.unchanged["again"]["estimate"][0] == 1
    assert "The rules are the same, so every game is" in " ".join(found.sentences())


def test_sentences_follow_the_numbers():
    found = compare("nightmares", ["penalty_victory_8", "penalty_victory_12"], games=2_000, **HUNT)
    eight = next(line for line in found.sentences() if line.startswith("penalty_victory_8: games that end"))
    row = found.frames["penalty_victories"].iloc[0]
    assert f"{100 * row.base:.0f}% to {100 * row.variant:.0f}%" in eight and "above the margin of ±2." in eight
    twelve = next(line for line in found.sentences() if line.startswith("penalty_victory_12: games that end"))
    assert "below the margin of ±2." in twelve and "\N{MINUS SIGN}" in twelve
    told = " ".join(found.sentences())
    assert "2,000 games with 4 players, all penalty_hunter, seed 0" in told and "% of the deals end" in told


def test_what_came_up_under_one_rule_set_only_is_not_compared():
    """Rounds that a variant does not play are no open question, and nobody waits for them."""
    four = load_rules("otter").vary({"play.rounds": 4}, name="four rounds")
    found = compare("otter", four, metrics="vp", games="auto", seed=1, progress=False)
    frame = found.frames["vp"]
    assert frame["estimate"].notna().tolist() == [True] * 4 + [False] * 4
    assert (found.games, found.stopped) == (FIRST_LOOK, "all is decided")
    told = Said(found.table())
    last = list(found.table().itertuples())[-1]
    assert "4 of 4 differences are inside their margins; 4 more came up under one rule set only." in told.counted()
    assert told.row(last).endswith(" VP to none; not compared: it came up under the base only.")
    assert (told.before(last)[-3:], told.after(last), told.step(last), told.short(last)) == (
        " VP", "none", "", "not compared"
    )  # fmt: skip
    assert not re.search(r"nan|\?|NA", " ".join([*found.sentences(), *map(told.row, found.table().itertuples())]))


@pytest.mark.parametrize("games", [300, "auto"])
def test_what_one_rule_set_alone_has_is_told_with_its_interval(games):
    """A new power-up has no difference; its numbers are those of the variant's games alone, as is what has gone."""
    asked = {"policies": "random", "seed": 3, "progress": False, "metrics": ["picks", "offers_taken", "vp"]}
    four = load_rules("otter").vary({"play.rounds": 4}, name="four rounds")
    found = compare("otter", ["inventions", four], games=games, most=600, **asked)
    level = found.alone.attrs["level"]
    assert level == found.table().attrs["level"]
    new = found.alone[found.alone["change"] == "inventions"]
    assert list(new["metric"]) == ["picks", "picks", "offers_taken", "offers_taken"]
    assert set(new["under"]) == {"variant"} and list(new["unit"]) == ["times", "times", "share", "share"]
    run = simulate("inventions", policies="random", games=found.games, seed=3, progress=False)
    for metric, tally in over(run, questions(**{name: headlines("otter")[name] for name in ("picks", "offers_taken")}),
                              level=level).items():  # fmt: skip
        theirs, rows = tally[tally["power_up"].isin([65, 66])], new[new["metric"] == metric]
        for column in ("estimate", "n", "games"):
            assert rows[column].to_numpy(float) == pytest.approx(theirs[column].to_numpy(float)), column
        if games == "auto":  # watched, so wider
            assert (rows["low"].to_numpy() <= theirs["low"].to_numpy()).all()
        else:
            assert rows[["low", "high"]].to_numpy(float) == pytest.approx(theirs[["low", "high"]].to_numpy(float))
    gone = found.alone[found.alone["change"] == "four rounds"]
    assert list(gone["of"]) == [f"round {number}" for number in range(5, 9)] and set(gone["under"]) == {"base"}
    table = found.table()
    assert len(found.alone) == table["estimate"].isna().sum()
    row, text = next(new.itertuples()), load_rules("inventions").power_ups["65"].text
    told = [line for line in found.sentences(most=1) if line.startswith("only under inventions")]
    what = f"only under inventions: how often a power-up is taken, against chance, power-up 65: {text.rstrip('.')}; "
    assert told[0].startswith(f"{what}{row.estimate:.1f}") and told[0].endswith(f"), n = {row.n:,}.")
    assert told[1:] == [
        "only under inventions: 3 more numbers are in `alone`.",
        "only under inventions: `sushibalance report` tells more about these rules.",
    ]


def test_where_nothing_is_new_nothing_is_said_to_be():
    found = compare("nightmares", "penalty_victory_8", metrics="points", games=20, **HUNT)
    assert len(found.alone) == 0 and list(found.alone.columns) == [
        "change", "under", "metric", "name", "of", "unit", "estimate", "low", "high", "n", "games"
    ]  # fmt: skip
    assert "only under" not in " ".join(found.sentences())


@pytest.mark.parametrize("game", GAMES)
def test_what_players_of_one_policy_win_from_each_other_cannot_move(game):
    """It is the fair share under any rules: it is no verdict, and takes no part in the correction."""
    asked = {"games": 100, "seed": 2, "progress": False}
    found = compare(game, f"{game}/{VARIANTS[game]}", **asked)
    assert set(found.fixed) == {"wins", "win_points", "ahead"} & set(found.frames)
    for name, frame in found.frames.items():
        zero = (frame["estimate"] == 0).all() and (frame["low"] == 0).all() and (frame["high"] == 0).all()
        assert zero or name not in found.fixed, name
    assert list(found.frames) == list(HEADLINES[game])
    free = [name for name in found.frames if name not in found.fixed]
    without = compare(game, f"{game}/{VARIANTS[game]}", metrics=free, **asked)
    assert without.fixed == () and without.cannot_move() == ""
    for name in free:
        pd.testing.assert_frame_equal(without.frames[name], found.frames[name])
    told = found.sentences()
    assert told[-1] == found.cannot_move() and "Cannot move: games won, win points" in told[-1]
    assert "give the seats different policies" in told[-1]
    assert told[:-1] == without.sentences()


def test_parameters_tell_policies_apart():
    asked = {"players": 2, "metrics": "win_points", "games": 50, "progress": False}
    found = compare("nightmares", "penalty_victory_8", policies=["greedy", "greedy(penalty_weight=3)"], **asked)
    assert found.fixed == () and "greedy, greedy(penalty_weight=3)" in found.played()
    assert set(found.frames["win_points"]["policy"]) == {"greedy", "greedy(penalty_weight=3)"}
    alike = compare("nightmares", "penalty_victory_8", policies="greedy(penalty_weight=3)", **asked)
    assert alike.fixed == ("win_points",) and "all greedy(penalty_weight=3)" in alike.played()


def test_nobody_waits_for_what_cannot_move():
    asked = {"games": "auto", "metrics": "win_points", "progress": False}
    found = compare("sushi_go", "pudding_every_round", **asked)
    assert (found.games, found.stopped) == (FIRST_LOOK, "nothing that was asked for can move")
    assert "there is no difference to judge." in found.sentences()[1] and "decided" not in " ".join(found.sentences())
    assert Said(found.table(), fixed=found.fixed).short(next(found.table().itertuples())) == "cannot move"
    mixed = compare("sushi_go", "pudding_every_round", policies=["greedy", "random"], players=2, **asked)
    assert mixed.fixed == () and "decided" in mixed.stopped


def test_what_own_questions_of_several_tables_ask_can_move():
    by_seat = questions(seats=question(win_rates.win_points, "players", by=["policy", "seat"]))
    assert compare("sushi_go", "pudding_every_round", metrics=by_seat, games=20, progress=False).fixed == ()


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.00667, "0.67%"), (0, "0%"), (1, "100%"), (0.4, "40%"), (0.9999, "99.9%"), (0.996, "99.6%"), (0.0967, "9.7%")],
)
def test_shares_of_deals_have_two_digits(share, said):
    rows = pd.DataFrame({"reduction": [np.nan]})
    assert Said(rows).pairing(pd.Series({"estimate": share})) == f"{said} of the deals end with the same totals."


def test_power_ups_are_named_with_their_text():
    texts = Said.texts(load_rules("otter"), load_rules("inventions"))
    assert set(texts) == set(load_rules("inventions").power_ups) and not any(
        text.endswith(".") for text in texts.values() if not text.endswith(" ...")
    )
    assert Said.keys(["power_up", "round"], [65, 1], texts) == f"round 1, power-up 65: {texts['65']}"
    assert Said.keys(["power_up"], [1]) == "power-up 1" and Said.texts(load_rules("sushi_go")) == {}
    long = Said.keys(["power_up"], [32], texts)
    assert long.endswith(" ...") and len(long) <= len("power-up 32: ") + 60
    otter = load_rules("otter")
    texts = Said.texts(otter, otter.vary({"power_ups.32.run_cards": 3, "power_ups.21.text": "Nothing."}))
    assert texts["32"].endswith(" ... (changed)") and texts["21"] == "Two or more 5s: 5 score (changed)"
    assert texts["22"] == "One or more 6s: 1 VP"


def numbers(**changed):
    """Return one row of a comparison: win points of 1.3 under both, undecided."""
    row = {"unit": "times", "base": 1.3, "variant": 1.3, "estimate": 0.01, "low": -0.08, "high": 0.1,
           "margin_low": -0.09, "margin_high": 0.09, "verdict": "inside"}  # fmt: skip
    return SimpleNamespace(**(row | changed))


def plain(text):
    return text.replace("\N{MINUS SIGN}", "-")


def test_numbers_that_would_contradict_each_other_get_one_digit_more():
    assert plain(Said.step(numbers(base=1.31, variant=1.32))) == "+0.01 (-0.08 to +0.10)"
    open_ = {"low": -0.104, "high": 0.104, "margin_low": -0.1, "margin_high": 0.1, "estimate": 0.0, "variant": 1.3}
    assert plain(Said.step(numbers(**open_))) == "0.0 (-0.1 to +0.1)"
    assert plain(Said.step(numbers(**open_, verdict="undecided"))) == "0.00 (-0.10 to +0.10)"
    share = {"unit": "share", "low": -0.0185, "high": 0.0222, "margin_low": -0.025, "margin_high": 0.025}
    moved = numbers(**share, base=0.2442, variant=0.2461, estimate=0.0019)
    assert plain(Said.change(moved)) == "24.4% to 24.6%, +0.2 percentage points (-1.8 to +2.2)"
    same = numbers(**share, base=0.2442, variant=0.2443, estimate=0.0001)
    assert plain(Said.change(same)) == "24% to 24%, 0 percentage points (-2 to +2)"


def test_a_margin_of_shares_is_less_than_all_of_them():
    for margin in (1, (-1, 0.1)):
        with pytest.raises(UserError, match=r"margin of hands: found .*, allowed less than 1: it is a"):
            Margins(["hands"], 4, {"hands": margin})
    assert Margins(["hands"], 4, {"hands": 0.99}).of("hands") == (-0.99, 0.99)
    assert Margins(["points"], 4, {"points": 3}).of("points") == (-3, 3)


def test_what_moved_and_is_open_is_told():
    found = compare("nightmares", "penalty_victory_8", metrics="win_points", policies=["greedy", "penalty_hunter"] * 2,
                    margin=0.5, games=60, progress=False)  # fmt: skip
    rows = found.table().assign(low=0.1, high=[0.6, 0.7], estimate=[0.3, 0.4], verdict="undecided", needed=900)
    first, *_ = Said(rows, "deals").open().itertuples()
    assert first.estimate == 0.4
    told = Said(rows, "deals").sentences(3)
    assert sum("900 more deals would likely settle it" in line for line in told) == 2
    none = Said(rows.assign(low=-0.1), "deals")
    assert none.open().empty


def test_what_is_too_rare_for_an_interval_is_said_to_be():
    row = pd.DataFrame(
        {
            "name": ["win points"], "of": ["puddings 5"], "unit": ["times"], "metric": ["win_points"], "base": [1.9],
            "variant": [2.6], "estimate": [0.7], "low": [np.nan], "high": [np.nan], "margin_low": [-0.1],
            "margin_high": [0.1], "verdict": ["undecided"], "needed": pd.array([None], "Int64"),
        }
    )  # fmt: skip
    told, one = Said(row, "deals"), next(row.itertuples())
    assert told.row(one) == (
        "win points, puddings 5: 1.90 to 2.60, +0.70 (no interval); undecided against the margin of ±0.1: "
        "it came up in too few deals for an interval."
    )
    assert told.short(one) == "undecided ±0.1, too few"
    assert told.counted() == "0 of 1 differences are inside their margins, 1 undecided."


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        ([70], "1 undecided (likely settled by 70 more games)"),
        ([70, None], "2 undecided (half of them would likely be settled by 70 more games)"),
        ([70, None, None], "3 undecided."),
        ([30, 20, 10], "3 undecided (half of them would likely be settled by 20 more games)"),
    ],
)
def test_half_of_the_open_ones_are_half_of_all(needed, said):
    """Those that no number of games settles are among them."""
    rows = pd.DataFrame({"verdict": "undecided", "estimate": 0.0, "needed": pd.array(needed, "Int64")})
    assert said in Said(rows).counted()


@pytest.mark.parametrize("games", [5, 40, "auto"])
def test_rules_with_the_same_values_are_told(games):
    """Of them nothing is undecided, nobody waits for them, and the correction leaves them out."""
    metrics = ["wins_by_seat", "points"]
    variants = {"same": "sushi_go", "other": "pudding_every_round"}
    found = compare("sushi_go", variants, metrics=metrics, games=games, progress=False)
    assert found.same == ("same",)
    told = [line for line in found.sentences() if line.startswith("same: ")]
    assert told == [
        "same: no value is other than in sushi_go. The rules are the same, so every game is, and no number of games "
        "would show a difference."
    ]
    rows = found.table().query("change == 'same'")
    assert (rows["verdict"] == "inside").all() and (rows["needed"] == 0).all()
    assert (rows[["estimate", "low", "high"]] == 0).all(axis=None)
    alone = compare("sushi_go", {"other": "pudding_every_round"}, metrics=metrics, games=games, progress=False)
    pd.testing.assert_frame_equal(
        alone.table().drop(columns="change"),
        found.table().query("change == 'other'").drop(columns="change").reset_index(drop=True),
    )
    assert found.stopped == alone.stopped


def test_where_all_rules_are_the_same_nobody_waits():
    found = compare("sushi_go", {"one": "sushi_go", "two": "sushi_go"}, games="auto", progress=False)
    assert found.games == 500 and found.stopped == "nothing that was asked for can move"


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("points", "final score is decided"),
        (["points", "points_by_kind"], "final score, points by kind of card are decided"),
    ],
)
def test_what_is_decided_is_told(until, said):
    found = compare("sushi_go", "pudding_every_round", games="auto", until=until, seed=1, progress=False)
    assert found.stopped == said


def test_where_another_deck_is_dealt_the_pairing_is_said_not_to_hold():
    """With other cards in the deck the same draws give other hands: independent games, and it says so."""
    other = load_rules("sushi_go").vary({"deck.tempura": 20, "deck.maki_1": 3}, name="tempura 20")
    found = compare("sushi_go", other, games=1_500, metrics=["wins_by_seat", "points"], progress=False)
    assert found.table()["reduction"].median() < 1.5
    assert "the pairing does not hold" in found.sentences()[-1]
    near = compare("sushi_go", "pudding_every_round", games=1_500, metrics=["points"], progress=False)
    assert "worth" in near.sentences()[-1]


def test_keys_and_metrics_of_ones_own():
    own = questions(over_ten=question(rates, "games", by=(), value="long"))
    with pytest.raises(UserError, match="long"):
        compare("nightmares", "penalty_victory_8", metrics=own, games=20, **HUNT)
    own = questions(rounds=question(means, "games", by=(), value="rounds"))
    found = compare(
        "nightmares", "penalty_victory_8", metrics=own, margin={"rounds": np.float32(0.25)}, games=500, **HUNT
    )
    row = found.table().iloc[0]
    assert (row["metric"], row["name"], row["of"], row["margin_high"]) == ("rounds", "rounds", "", 0.25)
    assert row["estimate"] < 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variants": "flush_8"}, "a rule set of otter, allowed one of nightmares"),
        ({"variants": []}, "variants: found none"),
        ({"variants": ["penalty_victory_8"] * 2}, 'found "penalty_victory_8" twice'),
        ({"variants": "penalty_victory"}, "did you mean"),
        ({"metrics": "winpoints"}, "did you mean win_points"),
        ({"metrics": []}, "metrics: found none"),
        ({"metrics": {"points": 3}}, r"allowed a question\(...\)"),
        ({"margin": 0.02}, "allowed one for each by name"),
        ({"margin": {"hands": 0.02}}, 'margin: found "hands", which is not asked'),
        ({"margin": {"points": 0}}, "margin of points: found 0"),
        ({"margin": {"points": (1, -1)}}, "margin of points"),
        ({"margin": {"points": "much"}}, "margin of points"),
        ({"margin": {"points": float("nan")}}, "margin of points"),
        ({"games": "many"}, 'found "many", allowed a number of games, or "auto"'),
        ({"games": 1}, "games: found 1"),
        ({"games": "auto", "most": 10}, "most: found 10"),
        ({"games": "auto", "seconds": 0}, "seconds: found 0"),
        ({"games": "auto", "until": "hands"}, 'until: found "hands"'),
        ({"level": 95}, "level: found 95"),
        ({"level": None}, "level: found None"),
        ({"variants": 5}, "variants: found 5, allowed a rule set"),
        ({"metrics": 5}, "metrics: found 5, allowed names"),
        ({"games": "auto", "until": 5}, "until: found 5"),
        ({"games": "auto", "seconds": "long"}, "seconds: found 'long'"),
        ({"margin": {"points": True}}, "margin of points: found true"),
        ({"policies": "greedyy"}, "did you mean greedy"),
        ({"policies": MIXED, "metrics": {"vp": headlines("otter")["vp_bands"]}}, "which are quantiles"),
    ],
)
def test_mistakes_are_told_before_a_game_is_played(arguments, message):
    asked = {"variants": "penalty_victory_8", "progress": False, **arguments}
    with pytest.raises(UserError, match=message):
        compare("nightmares", asked.pop("variants"), **asked)


# ------------------------------------------------------------------ until decided


def test_auto_stops_when_it_knows_and_not_before():
    asked = {"policies": "penalty_hunter", "games": "auto", "metrics": "penalty_victories", "progress": False}
    clear = compare("nightmares", "penalty_victory_8", **asked)
    assert (clear.games, clear.stopped) == (FIRST_LOOK, "all is decided")
    close = compare("nightmares", "penalty_victory_8", margin=(-0.37, 0.37), **asked)
    assert close.games > 2 * FIRST_LOOK and close.frames["penalty_victories"]["verdict"][0] == "above"
    assert close.table().equals(
        compare("nightmares", "penalty_victory_8", margin=(-0.37, 0.37), workers=1, **asked).table()
    )
    budget = compare("nightmares", "penalty_victory_8", margin=(-0.37, 0.37), most=1_000, **asked)
    assert (budget.games, budget.stopped) == (1_000, "1,000 games were played")
    assert budget.frames["penalty_victories"]["verdict"][0] == "undecided"
    assert 0 < budget.frames["penalty_victories"]["needed"][0] < 10**6
    hurry = compare("nightmares", "penalty_victory_8", margin=(-0.37, 0.37), seconds=1e-9, **asked)
    assert (hurry.games, hurry.stopped) == (FIRST_LOOK, "1e-09 seconds were over")


def test_auto_goes_on_until_the_main_numbers_are_decided():
    found = compare("nightmares", "penalty_victory_12", policies="penalty_hunter", games="auto", progress=False)
    table = found.table()
    main = table[[METRICS[name].main for name in table["metric"]]]
    assert found.stopped == "the main numbers are decided" and (main["verdict"] != "undecided").mean() >= 0.9
    wider = found.frames["penalty_victories"].iloc[0]
    plain = compare("nightmares", "penalty_victory_12", policies="penalty_hunter", games=found.games, progress=False)
    narrower = plain.frames["penalty_victories"].iloc[0]
    assert wider.estimate == narrower.estimate and wider.low < narrower.low and wider.high > narrower.high


def test_what_is_judged_together_needs_games_by_how_rare_each_is():
    """Differences in 40 of 400 pairs of games, and in all: only of the rare one the plan is ten times as long."""
    rng = np.random.default_rng(3)
    base = pd.DataFrame({"game": range(400), "rare": np.arange(400) % 10 == 0, "vp": 0.0})
    variant = base.assign(vp=rng.normal(0.45, 2.0, 400))
    some, alike = [base[base["rare"]], variant[variant["rare"]]], [base, variant]
    tallies = [paired(*(means.observe(side, [], "vp") for side in sides)) for sides in (some, alike)]
    margins = [(-0.5, 0.5)] * 2
    before, now = (
        [frame["needed"].iloc[0] for frame in Judged(each, margins).frames(correct=False)]
        for each in (tallies, [tally.of_games(400) for tally in tallies])
    )
    assert now[1] == before[1] > 0 and now[0] == pytest.approx(10 * before[0], abs=10) and before[0] > 0
    mixed = Judged([Watched(tallies[0].of_games(400)), tallies[1]], margins).frames(correct=False)
    assert mixed[1]["needed"].iloc[0] == before[1]


def test_a_comparison_counts_the_deals_in_which_a_group_does_not_occur():
    """Each frame is judged as if its rows were in every deal, and as they are: what is needed differs by that."""
    found = compare("sushi_go", "sushi_go/pudding_every_round", games=300, metrics="wins_by_puddings", progress=False)
    frame = found.frames["wins_by_puddings"]
    side, other = (
        simulate(rules, policies="greedy", games=300, progress=False)
        for rules in ("sushi_go", *found.variants.values())
    )
    tally = headlines("sushi_go")["wins_by_puddings"].paired(side, other)
    assert tally.played == 300
    tally = Judged([tally.of_games(0)], [(frame["margin_low"][0], frame["margin_high"][0])]).frames()[0]
    rare = frame["needed"].notna() & (frame["needed"] > 0) & (frame["games"] < 100)
    assert rare.any()
    held = frame["games"][rare].to_numpy(float)
    ratio = frame["needed"][rare].to_numpy(float) / (300 / held)
    assert (np.ceil(ratio - 1e-9) == tally["needed"][rare].to_numpy(float)).all()


def watched(draw, repeats, most, watch=Watched):
    """Return the verdict of each of many comparisons that stop at their first verdict, as `compare` looks at them."""
    rng, total = np.random.default_rng(5), 0
    said, look = np.array(["undecided"] * repeats, object), FIRST_LOOK
    for start, games in _looks(most):
        game = np.repeat(np.arange(start, start + games), repeats)
        keys = pd.DataFrame({"game": game, "repeat": np.tile(np.arange(repeats), games)})
        base, variant, margin, ask = draw(rng, keys)
        total = total + paired(ask(base), ask(variant))
        if start + games < look:
            continue
        look = int((start + games) * MORE)
        now = verdicts(watch(total), margin, correct=False)["verdict"].to_numpy(object)
        said = np.where(said == "undecided", now, said)
    return said


def points(rng, keys):
    """Paired VP whose difference is exactly on the edge of the margin: no verdict is right."""
    shared = rng.gamma(4, 5, len(keys))
    base = keys.assign(vp=np.round(shared + rng.normal(0, 3, len(keys))).astype(int))
    variant = keys.assign(vp=np.round(shared + rng.normal(1, 3, len(keys))).astype(int))
    return base, variant, (-1.0, 1.0), lambda frame: means.observe(frame, "repeat", "vp")


def wins(rng, keys):
    """A thing that the base never has and the variant rarely: at 2% exactly on the edge."""
    base = keys.assign(win=False)
    return base, keys.assign(win=rng.random(len(keys)) < 0.02), (-0.02, 0.02), _rates


def _rates(frame):
    return rates.observe(frame, "repeat", "win")


def common(rng, keys):
    """Wins of which a part changes sides, two points of a hundred more one way."""
    before = rng.random(len(keys)) < 0.25
    after = np.where(before, rng.random(len(keys)) > 0.12, rng.random(len(keys)) < 0.2 / 3)
    return keys.assign(win=before), keys.assign(win=after), (-0.02, 0.02), _rates


@pytest.mark.parametrize("draw", [points, wins, common])
def test_stopping_when_decided_does_not_lie(draw):
    """On the edge both verdicts are wrong; looked at until decided, they come at most 5 times in 100."""
    said = watched(draw, 200, 5_000)
    wrong = (said != "undecided").mean()
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


def test_ordinary_intervals_looked_at_until_decided_would_fail_here():
    said = watched(points, 200, 5_000, watch=lambda tally: tally)
    assert (said != "undecided").mean() > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("draw", [points, wins, common])
def test_stopping_when_decided_does_not_lie_over_1000_repeats(draw):
    assert (watched(draw, 1_000, 20_000) != "undecided").mean() <= 0.05


@pytest.mark.slow
def test_false_verdicts_are_rare_over_many_numbers_that_are_watched():
    """Thirty numbers on the edge and ten inside, looked at until the ten are decided: of the verdicts 5% are wrong."""
    rng, repeats, cards = np.random.default_rng(6), 200, 40
    truth = np.array([1.0, -1.0] * 15 + [0.0] * 10)
    wrong = []
    for _ in range(repeats):
        total, look = 0, FIRST_LOOK
        for start, games in _looks(3_000):
            game = np.repeat(np.arange(start, start + games), cards)
            keys = pd.DataFrame({"game": game, "card": np.tile(np.arange(cards), games)})
            shared = rng.gamma(4, 5, len(keys))
            sides = [np.rint(10 * (shared + rng.normal(step, 6, len(keys)))) for step in (0.0, np.tile(truth, games))]
            tally = paired(*(means.observe(keys.assign(vp=side), "card", "vp") for side in sides))
            total = tally if start == 0 else total + tally
            if start + games < look:
                continue
            look = int((start + games) * MORE)
            judged = Judged([Watched(total)], [(-10.0, 10.0)])
            verdict = judged.frames()[0]["verdict"].to_numpy(object)
            if (verdict[30:] != "undecided").all():
                break
        given = verdict != "undecided"
        wrong.append(given[:30].sum() / max(given.sum(), 1))
    assert np.mean(wrong) <= 0.05 and given[30:].all()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_games(python):
    """The rows of 300,000 games at two tables would take 120 MB, their frames many times as much."""
    code = """
from pathlib import Path
from sushibalance import compare
for games in (30_000, 300_000):
    compare("nightmares", "penalty_victory_8", policies="penalty_hunter", games=games, workers=2, progress=False,
            metrics=["win_points", "penalty_victories"])
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(int(status["VmHWM"].split()[0]) // 1024)
"""
    few, many = map(int, python(code).split())
    assert many < 500 and many - few < 40
