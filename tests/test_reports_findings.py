"""Findings follow from the frames: change a value and the sentence changes."""

from __future__ import annotations

import html
import re

import pandas as pd
import pytest
import synthetic

from sushibalance import compare, load_rules
from sushibalance.analysis import hand_frequencies, win_rates
from sushibalance.analysis.robustness import robustness
from sushibalance.reports import findings
from sushibalance.stats import means, verdicts

MARGIN = (0.9, 1.1)


def plain(text):
    """Return HTML text as read, a line for each item."""
    text = text.replace("<li>", "\n")
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\xa0", " ")


def frame(**estimates):
    """Return verdicts on players whose interval is 0.04 wide, up and down."""
    rows = []
    for who, value in estimates.items():
        low, high = value - 0.04, value + 0.04
        verdict = "inside" if low >= 0.9 and high <= 1.1 else "above" if low > 1.1 else "below" if high < 0.9 else ""
        rows.append((who, value, low, high, 8_000, 2_000, verdict or "undecided", 0 if verdict else 12_345))
    columns = ["policy", "estimate", "low", "high", "n", "games", "verdict", "needed"]
    result = pd.DataFrame(rows, columns=columns)
    result["needed"] = result["needed"].astype("Int64")
    return result


def test_each_verdict_is_a_line_with_its_intervals_and_what_would_settle_it():
    found = plain(findings.judged(frame(tank=1.3, saver=0.7, greedy=1.0, hunter=1.08), "policy", "Win points", MARGIN))
    assert found.split("\n") == [
        "Win points (n = 8,000 players each)",
        "\N{BLACK UP-POINTING TRIANGLE} above 1.1, too strong: tank 1.30 [1.26 to 1.34].",
        "\N{BLACK DOWN-POINTING TRIANGLE} below 0.9, too weak: saver 0.70 [0.66 to 0.74].",
        "\N{BLACK CIRCLE} inside 0.9 to 1.1, as it should be: greedy 1.00 [0.96 to 1.04].",
        "\N{BLACK DIAMOND} undecided: hunter 1.08 [1.04 to 1.12] (12,000 games more would settle it).",
    ]


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.2, "above 1.1"), (0.8, "below 0.9"), (1.0, "inside"), (1.1, "undec")]
)
def test_another_value_makes_another_sentence(value, verdict):
    found = plain(findings.judged(frame(tank=value, saver=1.0), "policy", "Win points", MARGIN))
    (line,) = (line for line in found.split("\n") if "tank" in line)
    assert line[2:].startswith(verdict) and f"tank {value:.2f} [" in line


def test_verdicts_on_frames_of_games_are_said_as_they_are():
    players = synthetic.nightmares(3_000, policies=["honest", "tank", "saver", "greedy"]).players
    judged = verdicts(win_rates.win_points.tally(players), MARGIN)
    found = plain(findings.judged(judged, "policy", "Win points", MARGIN))
    for row in judged.itertuples():
        assert re.search(
            rf"{row.verdict}.*: .*{row.policy} {row.estimate:.2f} \[{row.low:.2f} to {row.high:.2f}\]", found
        )
    players = players.assign(win=players["policy"].eq("tank").astype(float))
    judged = verdicts(win_rates.win_points.tally(players), MARGIN)
    changed = plain(findings.judged(judged, "policy", "Win points", MARGIN))
    assert "above 1.1, too strong: tank 4.000 [3.995 to 4.000]" in changed and "below 0.9, too weak: honest" in changed


def test_of_many_the_outermost_are_named_and_all_are_counted():
    many = frame(**{f"p{number}": 1.2 + number / 100 for number in range(10)}, q=1.0)
    found = plain(findings.judged(many, "policy", "Win points", MARGIN, most=2))
    assert "above 1.1, too strong, 10 of 11: p9 1.29 [1.25 to 1.33], p8 1.28 [1.24 to 1.32] and 8 more." in found
    assert "inside 0.9 to 1.1, as it should be, 1 of 11: q" in found


def test_what_lies_on_the_edge_is_said_to_be_never_settled():
    edge = frame(tank=1.1).assign(needed=pd.array([pd.NA], dtype="Int64"))
    assert "no number of games would settle it" in plain(findings.judged(edge, "policy", "Win points", MARGIN))
    for needed, said in (
        (1_500_000, "(1,500,000 games more would settle it)"),
        (80_000_000, "(it lies on the edge: 10,000,000 games more would not settle it)"),
    ):
        near = edge.assign(games=2_000, needed=pd.array([needed], dtype="Int64"))
        assert said in plain(findings.judged(near, "policy", "Win points", MARGIN))


def test_shares_and_differences_are_written_as_such_and_keys_by_their_labels():
    rows = frame(tank=0.3, saver=-0.3).assign(verdict=["above", "below"], needed=pd.array([0, 0], dtype="Int64"))
    share = plain(findings.judged(rows, "policy", "Share", (-0.05, 0.05), percent=True, sign=True))
    assert "above 5%, too strong: tank +30% [+26 to +34]" in share
    minus = "\N{MINUS SIGN}"
    assert f"below {minus}5%, too weak: saver {minus}30% [{minus}34 to {minus}26]" in share
    rows = rows.assign(seat=[0, 1])
    found = plain(
        findings.judged(rows, ["policy", "seat"], "It", (-0.1, 0.1), unit=" VP", labels={("seat", 1): "Left"})
    )
    assert "tank, seat 0 0.30 VP" in found and "saver, Left" in found


def test_names_are_escaped_and_nothing_is_said_of_nothing():
    bad = findings.judged(frame(**{"<script>": 1.3}), "policy", "<b>", MARGIN)
    assert "<script>" not in bad and "&lt;script&gt;" in bad and "<b>&lt;b&gt;</b>" in bad
    assert plain(findings.judged(frame(tank=1).iloc[:0], "policy", "It", MARGIN)) == "It: there are none."


def test_prices_name_the_hands_that_stand_out_and_follow_the_rules():
    rules = load_rules("otter")
    printed = plain(findings.prices(hand_frequencies.price_against_rarity(rules=rules), 2.0))
    assert re.search(r"below, pays much .*full house for 14 \(2.8 times as common; 10.2 would fit\)", printed)
    assert "a price is the score and 2 for each VP. New hands cost a Key Client card as well" in printed
    dear = rules.vary({"hands.full_house.score": 4, "hands.full_house.vp": 0})
    changed = plain(findings.prices(hand_frequencies.price_against_rarity(rules=dear), 2.0))
    assert re.search(r"above, pays little for how rare it is: .*full house", changed) and changed != printed
    empty = hand_frequencies.price_against_rarity().assign(residual=float("nan"))
    assert "too few hands" in findings.prices(empty, 2.0)


def test_changes_of_variants_are_told_with_their_verdicts():
    found = compare(
        "nightmares", ["penalty_victory_8", "no_penalty_victory"], policies="penalty_hunter", games=400,
        metrics=["penalty_victories", "wins_by_seat"], progress=False,
    )  # fmt: skip
    eight, none = map(plain, findings.changes(found))
    assert eight.startswith("penalty victory 8 (Ten penalty points") or eight.startswith("penalty victory 8 (")
    row = found.frames["penalty_victories"].iloc[0]
    assert f"{100 * row['estimate']:+.0f} percentage points" in eight
    assert "\N{BLACK UP-POINTING TRIANGLE} above +2, games that end by the penalty victory" in eight
    assert "--variant penalty_victory_8" in eight
    assert none.startswith("no penalty victory") and "below \N{MINUS SIGN}2, " in none and "400 games" in none


def test_robustness_and_forced_choices_are_told():
    found = robustness("sushi_go", policies=["greedy", "random"], players=[3], ask="wins_by_seat", margin=(0.0, 0.5),
                       games=200, progress=False)  # fmt: skip
    text = plain(findings.robust(found, "Wins by seat"))
    assert (
        text.startswith("Wins by seat (2 groups of policies and players, 200 games each)")
        and "\N{BLACK CIRCLE} fine: 3 of 3" in text
    )
    worth = frame(tank=1.0, saver=2.0).assign(games=[200, 300])
    assert "2 cards, each in 200 to 300 pairs" in plain(findings.forced(worth, 1_000, 7))
    assert "ordinary run of 1,000 games. Seed 7." in findings.forced(worth, 1_000, 7)
    assert "ordinary" not in findings.forced(worth, 0, 7)


def test_how_to_read_says_every_verdict():
    text = plain(findings.how_to_read(0.9))
    assert all(verdict in text for verdict in ("inside", "above", "below", "undecided")) and "10%" in text


def test_an_interval_nobody_knows_is_no_verdict():
    one = pd.DataFrame({"game": [1], "seat": [0], "points": [3.0]})
    judged = verdicts(means.tally(one, "seat", "points"), MARGIN)
    found = plain(findings.judged(judged, "seat", "Points", MARGIN))
    assert "undecided: seat 0 3.0 [no interval] (too few games to tell)" in found
    same = verdicts(means.tally(pd.concat([one, one.assign(game=2)]), "seat", "points"), MARGIN)
    assert "3.0 [no interval] (the same in every game)" in plain(findings.judged(same, "seat", "Points", MARGIN))
