"""Sentences and tables follow from the frames: change a number and the text changes."""

import html
import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance import load_rules, plots, simulate
from sushibalance.analysis import (
    draft_rates,
    hand_frequencies,
    leads,
    pick_rates,
    points_by_kind,
    puddings,
    tables,
    victory_odds,
    vp_curves,
    win_rates,
)
from sushibalance.reports import comparing, notebook, sentences
from sushibalance.reports.figures import digits, fixed, mean, number, share, signed, whole
from sushibalance.stats import verdicts


def row(estimate, low, high, n=2_000):
    return pd.DataFrame([{"estimate": estimate, "low": low, "high": high, "n": n, "games": n}]).iloc[0]


def plain(text):
    """Return HTML text as read."""
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\xa0", " ")


@pytest.fixture
def shown(monkeypatch):
    """Collect the HTML and the SVG that a notebook would show."""
    found = []

    def collect(item, raw=False, **options):
        found.append((item, options) if raw else item.data)

    monkeypatch.setattr(notebook, "display", collect)
    return found


# -- figures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("half", "expected"), [(12, 0), (4, 0), (2, 1), (0.4, 1), (0.2, 2), (0.04, 2), (1e-9, 3), (0, 1), (np.nan, 1)]
)
def test_digits_follow_the_interval(half, expected):
    assert digits(half) == expected


def test_numbers_are_written_with_their_interval():
    assert share(row(0.1234, 0.1189, 0.1278)) == "12.3% [11.9% to 12.8%]"
    assert number(row(3.14159, 3.05, 3.23), " VP") == "3.14 VP [3.05 to 3.23]"
    assert signed(row(0.4, 0.2, 0.6), " VP") == "+0.40 VP [+0.20 to +0.60]"
    assert signed(row(-0.4, -0.6, 0.2)) == "\N{MINUS SIGN}0.4 [\N{MINUS SIGN}0.6 to +0.2]"
    assert whole(row(22, 21, 22)) == "22 [21 to 22]"
    assert share(row(0.25, 0.25, 0.25)) == "25% [25% to 25%]"
    assert number(row(1.0, np.nan, np.nan)) == mean(row(1.0, np.nan, np.nan, n=1)) == "1.0 [no interval]"
    assert mean(row(1.0, np.nan, np.nan), " VP") == "1.0 VP [the same in every game]"
    assert mean(row(1.0, 0.8, 1.2)) == number(row(1.0, 0.8, 1.2))
    assert fixed(-0.0001, 2) == "0.00"


# -- sentences -------------------------------------------------------------------------------------------


def test_wins_say_who_is_above_and_below_and_change_with_the_frame():
    frame = pd.DataFrame(
        {
            "policy": ["tank", "saver", "greedy"],
            "estimate": [0.40, 0.30, 0.20],
            "low": [0.38, 0.24, 0.18],
            "high": [0.42, 0.36, 0.22],
            "n": 2_000,
            "games": 2_000,
            "fair": 1 / 3,
        }
    )
    text = plain(sentences.wins(frame))
    assert "More than that: tank 40.0% [38.0% to 42.0%] (n = 2,000)." in text
    assert "Less: greedy 20.0% [18.0% to 22.0%]" in text and "No clear difference from it: saver" in text
    changed = plain(sentences.wins(frame.assign(low=0.1, high=0.9)))
    assert "More than that" not in changed and "Less" not in changed


def test_picks_count_the_cards_above_and_below_chance():
    run = synthetic.otter(300, wanted=(7,))
    frame = pick_rates.against_chance(pick_rates.turns(run.offers, run.picks))
    text = plain(sentences.picks(frame, "power_up", {7: "7: the one"}))
    above, below = (frame["low"] > 1).sum(), (frame["high"] < 1).sum()
    assert f"Of 64 different power-ups, {above} are taken more often than by chance, {below} less often" in text
    top = frame.set_index("power_up").loc[7]
    assert f"Most wanted: 7: the one {number(top, ' times')} (n = {top['n']:.0f} turns), " in text
    assert "More than 5 times is impossible: that is a card always taken first of the 5 on offer." in text
    assert "Of 64 different power-ups, 64 are" in plain(sentences.picks(frame.assign(low=1.1), "power_up"))
    assert sentences.picks(frame.iloc[:0]) == "No power-up was on offer."


def test_worths_name_the_highest_with_a_bound_and_follow_the_frame():
    frame = pd.DataFrame(
        {"card": ["a", "b", "c<d"], "estimate": [2.0, 90.0, 0.5], "low": [1.8, np.nan, 0.4], "high": [2.2, np.nan, 0.6]}
    ).assign(n=400, games=100)
    text = plain(sentences.worths(frame, most=2))
    assert "a 66.7% [64.3% to 68.8%] (n = 400 turns) and c<d 33% [29% to 37%]" in text and "90" not in text
    assert "1 of 3 have no bound" in text
    changed = plain(
        sentences.worths(frame.assign(estimate=[2.0, 90, 0.5], low=[1.8, 80, 0.4], high=[2.2, 99, 0.6]), most=1)
    )
    assert "b 98.90% [98.77% to 99.00%]" in changed and "bound" not in changed
    assert plain(sentences.worths(frame[1:2])).endswith("they always take one before another.")


def test_key_clients_name_the_most_and_the_least_wanted():
    frame = pick_rates.key_clients(synthetic.otter(300).picks)
    order = frame.sort_values("estimate", ascending=False)
    text = plain(sentences.key_clients(frame, most=1))
    top, last = order.iloc[0], order.iloc[-1]
    assert text == (
        f"Most wanted of the 5 Key Client cards: {top['key_client'].replace('_', ' ')} in {share(top)} of the games. "
        f"Least wanted: {last['key_client'].replace('_', ' ')} in {share(last)} (n = 300 games each)."
    )
    assert sentences.key_clients(frame.iloc[:0]) == "These rules have no Key Client cards."


def play(policies, players, rules="sushi_go"):
    return simulate(load_rules(rules), players=players, policies=policies, games=3, progress=False)


def luck_frame():
    """Return the parts of a variance, as `analysis.luck` gives them."""
    sources = ["deal", "seat", "policies", "interplay", "choices"]
    frame = pd.DataFrame({"source": sources, "estimate": [0.5, 0.01, 0.2, 0.19, 0.1], "n": 8_000, "games": 500})
    return frame.assign(low=frame["estimate"] - 0.01, high=frame["estimate"] + 0.01)


def checks_frame(*z):
    """Return checks with these distances."""
    cases = [f"seat {number}" for number in range(len(z))]
    return pd.DataFrame({"what": "games <won>", "case": cases, "z": z, "n": 500, "games": 500})


def misread_frame():
    """Return what two misreadings change."""
    keys = [
        (rule, choices, measure)
        for rule in ("pudding_every_round", "pudding_ties_lose_all")
        for choices in ("as before", "as misread")
        for measure in ("winners change", "points moved")
    ]
    frame = pd.DataFrame(keys, columns=["rule", "choices", "measure"]).assign(estimate=np.linspace(0.1, 0.8, 8))
    return frame.assign(low=frame["estimate"] - 0.04, high=frame["estimate"] + 0.04, n=900, games=900)


def turns_of(run):
    return pick_rates.turns(run.offers, run.picks)


LEADS = (leads.lead_changes, leads.drama, leads.decisiveness, leads.comebacks)


def match_frame(**changed):
    """Return who beats whom: scissors, paper, stone, and changes of win points by pair."""
    wins = {("a", "b"): 1.5, ("a", "c"): 0.5, ("b", "a"): 0.5, ("b", "c"): 1.5, ("c", "a"): 1.5, ("c", "b"): 0.5}
    wins |= {tuple(pair): value for pair, value in changed.items()}
    rows = [(one, other, value, value - 0.1, value + 0.1, 900, 900) for (one, other), value in wins.items()]
    return pd.DataFrame(rows, columns=["policy", "rivals", "estimate", "low", "high", "n", "games"])


def test_match_ups_follow_the_numbers():
    first, *_ = map(plain, sentences.match_ups(match_frame()))
    assert first == (
        "a: best 1.50 [1.40 to 1.60] win points against b, worst 0.50 [0.40 to 0.60] against c (n = 900 games each)."
    )
    first, _, last = map(plain, sentences.match_ups(match_frame(ac=1.8, ca=0.7)))
    assert first == (
        "a: best 1.80 [1.70 to 1.90] win points against c, worst 1.50 [1.40 to 1.60] against b (n = 900 games each): "
        "more than its fair share against every other."
    )
    assert last.endswith("(n = 900 games each): less than its fair share against every other.")
    two = match_frame()
    two = two[two["policy"].ne("c") & two["rivals"].ne("c")]
    assert plain(sentences.match_ups(two)[0]).startswith("a: 1.50 [1.40 to 1.60] win points against b (n = 900 games")


def every_sentence():
    """Return the sentences of a report about small runs, by function."""
    otter = synthetic.otter(120, policies=["tank", "saver", "saver", "greedy"])
    go = synthetic.sushi_go(300)
    night = synthetic.nightmares(300)
    hands = hand_frequencies.in_play(otter.rounds, otter.players, "policy")
    collected = puddings.collected(go.players, go.rounds).assign(table="all")
    kinds = ["tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding"]
    standings = leads.standings(otter.rounds, otter.players)
    growth, bands = vp_curves.after_round(otter.rounds), vp_curves.bands(otter.rounds)
    odds = victory_odds.penalty_victories(tables.stack({"a": night}, "games", keys=["table"]), ["table", "players"])
    return {
        "picks": sentences.picks(pick_rates.against_chance(turns_of(otter)), "power_up"),
        "worths": sentences.worths(pick_rates.worths(turns_of(otter)), "power_up"),
        "key_clients": sentences.key_clients(pick_rates.key_clients(otter.picks)),
        "hands": sentences.hands(hands),
        "growth": sentences.growth(growth, bands),
        "ahead": sentences.ahead(vp_curves.ahead(otter.rounds, otter.players), "policy"),
        "leads": sentences.leads(*(ask(standings) for ask in LEADS)),
        "luck": sentences.luck(luck_frame()),
        "misreadings": sentences.misreadings(misread_frame()),
        "drafts": sentences.drafts(draft_rates.against_chance(draft_rates.hands(play("greedy", 3).picks))),
        "wins": sentences.wins(win_rates.of(otter.players)),
        "match_ups": sentences.match_ups(match_frame()),
        "moved": sentences.moved(changed()),
        "groups": sentences.groups(group_frame(), "card", "times"),
        "by_round": sentences.by_round(round_frame()),
        "bias": sentences.bias(bias_frame()),
        "penalty_victories": [
            *sentences.penalty_victories(odds),
            *sentences.penalty_victories(odds.assign(estimate=0)),
        ],
        "endings": sentences.endings(victory_odds.endings(night.games, []), "all"),
        "kinds": sentences.kinds(points_by_kind.per_game(go.rounds, kinds, go.players, "policy")),
        "pudding_decides": sentences.pudding_decides(puddings.decide(collected, "table")),
        "wins_by_puddings": sentences.wins_by_puddings(puddings.wins_by_count(collected), "all"),
    }


def changed(**moved):
    """Return how win points of two policies differ under two variants; margin 0.1."""
    steps = {("a", "x"): 0.3, ("a", "y"): -0.05, ("b", "x"): -0.02, ("b", "y"): 0.01}
    steps |= {tuple(pair): value for pair, value in moved.items()}
    rows = [
        (change, of, 1.0, 1 + step, step, step - 0.01, step + 0.01, 900, 300, "above" if step > 0.1 else "inside")
        for (change, of), step in steps.items()
    ]
    frame = pd.DataFrame(
        rows, columns=["change", "of", "base", "variant", "estimate", "low", "high", "n", "games", "verdict"]
    )
    frame.attrs["unit"] = "deals"
    return comparing.Change("win_points", "win points", frame, "times", "4 players")


def test_moves_follow_the_differences():
    text = plain(sentences.moved(changed()))
    assert text == (
        "win points: 1 of 4 differences lie beyond their margins. Farthest under each: a, x, +0.300 [+0.290 to +0.310] "
        "and b, x, \N{MINUS SIGN}0.020 [\N{MINUS SIGN}0.030 to \N{MINUS SIGN}0.010] (n = 300 deals each)."
    )
    more = plain(sentences.moved(changed(by=0.4)))
    assert more.startswith("win points: 2 of 4 differences") and "b, y, +0.400 [+0.390 to +0.410]" in more
    one = changed()
    one = replace(one, frame=one.frame.head(1).assign(of="all"), unit_of="share")
    assert "1 of 1 difference lies beyond its margin. Farthest under each: a +30.0 percentage points" in plain(
        sentences.moved(one)
    )
    none = replace(one, frame=one.frame.assign(estimate=np.nan))
    assert plain(sentences.moved(none)) == "win points: nothing came up under both rule sets."


def group_frame(most=2.0):
    rows = [("a", "greedy", 2, most), ("a", "random", 2, 1.0), ("b", "greedy", 4, 0.3), ("b", "random", 4, 1.1)]
    frame = pd.DataFrame(rows, columns=["card", "table", "players", "estimate"])
    return frame.assign(low=frame["estimate"] - 0.1, high=frame["estimate"] + 0.1, n=500, games=400)


def test_groups_follow_the_cells():
    assert plain(sentences.groups(group_frame(), "card", "times")) == (
        "Highest: a 2.00 [1.90 to 2.10] with greedy, 2 players (n = 400 games). "
        "Lowest: b 0.30 [0.20 to 0.40] with greedy, 4 players (n = 400 games)."
    )
    assert "Highest: b 1.10 [1.00 to 1.20] with random" in plain(sentences.groups(group_frame(0.5), "card", "times"))
    assert "Highest: a +200 percentage points [+190 to +210]" in plain(
        sentences.groups(group_frame(), "card", "share", sign=True)
    )
    assert sentences.groups(group_frame().iloc[:0], "card", "times").startswith("Nothing stands out")


def round_frame(early=9.0):
    frame = pd.DataFrame({"card": ["a", "a", "b"], "round": [1, 7, 1], "estimate": [early, 2.0, 1.0]})
    return frame.assign(low=frame["estimate"] - 0.2, high=frame["estimate"] + 0.2, n=[80, 90, 70], games=[80, 90, 70])


def test_what_a_card_is_worth_early_and_late_follows_the_rounds():
    text = plain(sentences.by_round(round_frame()))
    assert text == (
        "a: 9.00 VP [8.80 to 9.20] if it comes in round 1, 2.00 VP [1.80 to 2.20] in round 7 "
        "(n = 80 and n = 90 pairs of games)."
    )
    assert "a: 5.00 VP" in plain(sentences.by_round(round_frame(5.0)))


def bias_frame(gap=5.0):
    columns = {}
    for column, values in (("association", [gap + 1, 2.0]), ("over_pick", [1.0, 3.0]), ("gap", [gap, -1.0])):
        columns |= {column: values, f"{column}_low": np.array(values) - 0.3, f"{column}_high": np.array(values) + 0.3}
    return pd.DataFrame({"card": ["a", "b"], **columns, "holders": [1200, 900], "n": 500, "games": 500})


def test_what_only_goes_with_a_card_follows_the_gap():
    text = plain(sentences.bias(bias_frame(), most=1))
    assert text == (
        "Farthest apart: a: who took it ends +6.0 VP [+5.7 to +6.3] against the others (n = 1,200 players), "
        "given by lot it does +1.0 VP [+0.7 to +1.3] (n = 500 pairs of games)."
    )
    assert "Farthest apart: b: who took it ends +2.0 VP" in plain(sentences.bias(bias_frame(0.5)))
    assert sentences.bias(bias_frame().assign(gap_low=np.nan)).startswith("No card was taken")
    rare = plain(sentences.bias(bias_frame().assign(holders=[1, 900]), most=1))
    assert rare.startswith("Farthest apart: b: ")  # of one player there is no interval


NO_ESTIMATES = {"name", "listed", "of", "how_sure", "checks"}
EXACT = (
    r"If all won equally often, it would be \S+%|At the end \d+% of players|at most \S+%|More than \S+ times is|"
    r"about \d+ miss|of the \d+ kinds|Of \d+ different power-ups|first of the \d+ on|of the \d+ Key"
)


@pytest.mark.parametrize("function", sorted(every_sentence()))
def test_each_estimate_in_a_sentence_has_an_interval_and_each_sentence_an_n(function):
    own = {
        key
        for key, value in vars(sentences).items()
        if getattr(value, "__module__", "") == sentences.__name__ and key[0] != "_"
    }
    assert set(every_sentence()) == own - NO_ESTIMATES
    found = every_sentence()[function]
    for text in [found] if isinstance(found, str) else found:
        text = plain(text)
        assert "n = " in text and ("]" in text or "at most" in text)
        bare = re.sub(
            r"\S+(?: times| VP)? \[(?:\S+ to \S+|no interval|the same in every game)\]", "", re.sub(EXACT, "", text)
        )
        assert not re.search(r"\d(?:%| times| VP)", bare), bare


def test_growth_and_ahead_follow_the_rounds():
    run = synthetic.otter(100, policies=["tank", "saver", "greedy", "random"])
    growth, bands = vp_curves.after_round(run.rounds), vp_curves.bands(run.rounds)
    text = plain(sentences.growth(growth, bands))
    assert f"after round 8 {number(growth.iloc[-1], ' VP')} (n = 400 players in 100 games)" in text
    assert "At the end 80% of players have" in text
    more = plain(sentences.growth(growth.assign(estimate=growth["estimate"] + 1), bands))
    assert more != text
    rounds = run.rounds.assign(vp=run.rounds["vp"] + 9 * (run.rounds["seat"] == 0))
    found = plain(sentences.ahead(vp_curves.ahead(rounds, run.players), "policy"))
    assert found.startswith("At the end, against the table's mean: tank +")
    one = vp_curves.ahead(run.rounds[run.rounds["game"] == 0], run.players)
    assert "None of these is a clear difference." in sentences.ahead(one, "policy")  # a single game says nothing


def test_sentences_on_leads_follow_the_standings():
    run = synthetic.otter(100)
    standings = leads.standings(run.rounds, run.players)
    text = plain(sentences.leads(*(ask(standings) for ask in LEADS)))
    changes, last = leads.lead_changes(standings).iloc[0], leads.comebacks(standings).iloc[-1]
    assert text.startswith(f"The lead changes {number(changes, ' times')} in a game (n = 100 games).")
    assert f"after round 7 behind in {share(last)} of the games" in text
    tame = standings.assign(takes_lead=False, behind=0)
    assert "The lead changes 0" in plain(sentences.leads(*(ask(tame) for ask in LEADS)))


def test_luck_names_the_largest_part_first_and_follows_the_frame():
    text = plain(sentences.luck(luck_frame()))
    assert "differ: deal 50.0% [49.0% to 51.0%], policies 20.0% [" in text and "in 500 deals" in text
    other = luck_frame().assign(estimate=[0.1, 0.01, 0.6, 0.19, 0.1])
    assert "differ: policies 60" in plain(sentences.luck(other))


def test_checks_say_what_is_farthest_off_and_what_fails():
    text = plain(sentences.checks(checks_frame(0.5, -2.25, np.nan)))
    assert text.startswith(
        "2 frequencies that can be calculated were held against 500 games of random players: all are"
    )
    assert (
        "farthest off: games <won>, seat 1, by 2.2 standard errors: of 2 sound ones chance alone puts one so far off "
        "in 4.8% of all runs; more than 4 would be an error" in text
    )
    assert "<won>" not in sentences.checks(checks_frame(0.5))
    assert "2 are not what they must be" in plain(sentences.checks(checks_frame(5.0, -6.0, 1.0)))
    assert "Nothing" in sentences.checks(checks_frame(np.nan))


def test_misreadings_tell_who_wins_and_how_far_scores_move():
    first, second = map(plain, sentences.misreadings(misread_frame()))
    assert first.startswith(
        "pudding every round: not the same players win in 10% [6% to 14%] with choices as before and"
    )
    assert "a player's score moves by 0.20 [0.16 to 0.24] points" in first and "(n = 900 games)" in second


def test_nightmares_sentences_name_the_extremes_and_the_nevers():
    frame = pd.DataFrame(
        {
            "table": pd.Categorical(["hunters", "hunters", "honest", "honest"], ["hunters", "honest"]),
            "players": [3, 4, 3, 4],
            "estimate": [0.2, 0.4, 0.0, 0.0],
            "low": [0.19, 0.39, 0.0, 0.0],
            "high": [0.21, 0.41, 0.001, 0.001],
            "n": 5_000,
            "games": 5_000,
        }
    )
    hunters, honest = map(plain, sentences.penalty_victories(frame))
    assert (
        hunters == "hunters: 40% [39% to 41%] of games with 4 players, 20% [19% to 21%] with 3 (n = 5,000 games each)."
    )
    assert honest == "honest: never (by the intervals at most 0.1%, n = 5,000 games each)."
    run = synthetic.nightmares(500)
    ends = victory_odds.endings(run.games, [])
    assert plain(sentences.endings(ends, "all")).startswith("all: gold victory ")


def test_sushi_go_sentences():
    run = synthetic.sushi_go(500)
    everyone = puddings.collected(run.players, run.rounds).assign(table="all")
    decided = plain(sentences.pudding_decides(puddings.decide(everyone, "table"))[0])
    assert re.match(r"all: without pudding points other players would have won \d+% \[\d+% to \d+%\]", decided)
    counted = puddings.wins_by_count(everyone)
    best = counted.loc[counted[counted["n"] >= 100]["estimate"].idxmax(), "puddings"]
    text = plain(sentences.wins_by_puddings(counted, "all"))
    assert text.startswith(f"all: most wins go with {best} puddings, ")
    assert "too few players" in sentences.wins_by_puddings(counted, "all", least=10_000)


def test_names_are_escaped():
    frame = win_rates.of(synthetic.nightmares(50, policies=["<script>", "a&b"] * 2).players)
    text = sentences.wins(frame)
    assert "<script>" not in text and "&lt;script&gt;" in text and "a&amp;b" in text


# -- what notebooks show --------------------------------------------------------------------------------------


def test_tables_show_every_estimate_with_interval_and_n(shown):
    frame = win_rates.of(synthetic.nightmares(200, policies=["honest", "<b>"] * 2).players)
    notebook.table("wins", frame, "games won", scale=100, unit="%")
    (data, options) = shown[0]
    text = data["text/html"]
    assert "<th>games won</th>" in text and "<th>95% interval</th>" in text and "&lt;b&gt;" in text
    assert text.count("<td>400</td>") == 2 and text.count("<td>200</td>") == 2
    assert "fair" not in text and "verdict" not in text
    assert options["metadata"]["text/csv"] == {"name": "wins"} and notebook.LINK in text
    numbers = pd.read_csv(io.StringIO(data["text/csv"]))
    assert list(numbers.columns) == [*frame.columns, "level"] and (numbers["level"] == 0.95).all()
    assert numbers["low"].to_numpy() == pytest.approx(frame["low"].to_numpy())


def test_tables_of_verdicts_say_them_and_what_would_settle_them(shown):
    players = synthetic.nightmares(200, policies=["honest", "tank", "saver", "greedy"]).players
    frame = verdicts(win_rates.win_points.tally(players), (0.9, 1.1))
    assert (frame["verdict"] == "undecided").all()
    notebook.table("points", frame, "win points")
    text = shown[0][0]["text/html"].replace("\N{NO-BREAK SPACE}", " ")
    assert text.count("<td>\N{BLACK DIAMOND} undecided</td>") == 4
    for needed in frame["needed"]:
        assert f"<td>{'?' if needed is pd.NA else f'{needed:,}'}</td>" in text
    assert f"<th>{100 * frame.attrs['level']:.4g}% interval</th>" in text


def test_assumed_values_are_all_shown(shown):
    rules = load_rules("nightmares")
    notebook.assumptions(rules)
    text = plain(" ".join(shown))
    assert f"{len(rules.assumed())} of the {len(rules.values())} values" in text
    for value in rules.assumed():
        assert value.key.rpartition(".")[0] in text and value.note in text


def test_changes_show_before_and_after(shown):
    rules = load_rules("otter")
    notebook.changes(rules)
    assert shown == []
    notebook.changes(rules.vary({"hands.flush.score": 8, "hands.straight.vp": 2}))
    assert "These rules differ from otter as shipped in 2 of 498 values." in plain(shown[0])
    assert "<td>hands.flush.score</td>\n      <td>10 -&gt; 8</td>" in shown[1]
    assert "<td>hands.straight.vp</td>\n      <td>1 -&gt; 2</td>" in shown[1]
    shown.clear()
    card = {"type": "score", "text": "A <new> one", "score": 3}
    notebook.changes(rules.vary({"power_ups.65": card, "power_ups.64": None}))
    assert '<td>power_ups.65.text</td>\n      <td>new: "A &lt;new&gt; one"</td>' in shown[1]
    assert '<td>power_ups.64.text</td>\n      <td>"No egg: 3 score." -&gt; taken out</td>' in shown[1]


def test_power_ups_that_are_alike_are_one_card():
    rules = load_rules("otter")
    frame = pd.DataFrame({"power_up": [64, 1, 2, 52, 63, 37, 32]})
    found = tables.with_cards(frame, rules)
    assert found["card"].tolist() == [
        "64: No egg: 3 score",
        "1, 2: 1 score",
        "1, 2: 1 score",
        "52 to 63: Take a Key Client card",
        "52 to 63: Take a Key Client card",
        "37, 38: Hand limit 1 higher, from the next round on",
        "32: A straight or a Fibonacci run takes four cards. The flush part of a hand stays at five",
    ]
    assert found["type"].tolist()[:4] == ["score", "score", "score", "key_client"]
    assert len(found["card"].cat.categories) == 51  # in the order of their numbers
    assert found["card"].cat.categories[0].startswith("1, 2:")
    other = rules.vary({"power_ups.2.score": 2})
    assert tables.with_cards(frame, other)["card"].tolist()[1:3] == ["1: 1 score", "2: 1 score (score = 2)"]
    told = rules.vary({"power_ups.2.score": 2, "power_ups.2.text": "2 score."})
    assert tables.with_cards(frame, told)["card"].iloc[2] == "2: 2 score"  # the text was written for it
    later = told.vary({"power_ups.2.rounds": [1]}, name="later")
    assert tables.with_cards(frame, later)["card"].iloc[2] == "2: 2 score (rounds = [1])"
    taken = rules.vary({"power_ups.32.run_cards": None, "power_ups.32.flush_cards": 4})
    assert tables.with_cards(frame, taken)["card"].iloc[-1].endswith(" at five (no run_cards, flush_cards = 4)")


def test_which_games_are_said_in_words():
    alike, mixed = play("greedy", 4), play(["greedy", "denier", "random"], 3)
    assert notebook.about({"all greedy": alike, "mixed": mixed}, "all greedy") == "all greedy, 4 players"
    assert notebook.about({"as given": alike}) == "as given, 4 players: all greedy"
    assert notebook.about({"mixed": mixed}) == "mixed, 3 players: greedy, denier, random"
    sizes = {("all greedy", 3): play("greedy", 3), ("all greedy", 4): alike}
    assert notebook.about(sizes) == "all greedy, 3 to 4 players"
    assert notebook.about(sizes | {("mixed", 3): mixed}) == "3 to 4 players at each table"
    keen = play(["greedy(pudding=9)", "greedy", "greedy"], 3)
    assert notebook.about({"as given": keen}) == "as given, 3 players: greedy (pudding 9), greedy, greedy"
    assert (notebook.told_apart(alike), notebook.told_apart(mixed)) == ("seat", "policy")


def test_a_summary_tells_the_number_of_players_and_every_policy(shown):
    rules = load_rules("sushi_go")
    runs = {("a", 2): play("greedy", 2), ("a", 3): play(["greedy(pudding=9)", "random", "greedy"], 3)}
    notebook.summary(rules, runs, 3)
    text = plain(" ".join(shown))
    assert "players at a table3; where a section says so, 2 to 3" in text
    policies = re.findall(r"<td>([^<]*)</td>\s*<td>[^<]*\.</td>", " ".join(shown))
    assert policies == ["greedy", "greedy (pudding 9)", "random"]


def test_a_chart_is_svg_with_its_title_for_those_who_do_not_see_it(shown):
    frame = win_rates.of(synthetic.nightmares(200).players)
    notebook.show(plots.win_rates(frame))
    (data, options) = shown[0]
    svg, alt = data["image/svg+xml"], options["metadata"]["image/svg+xml"]["alt"]
    assert svg.startswith("<svg") and "<metadata>" not in svg
    assert alt.startswith("How often does each player win?") and "200 games" in alt
    notebook.show(plots.win_rates(frame))
    assert shown[1][0]["image/svg+xml"] == svg  # same frame, same bytes
