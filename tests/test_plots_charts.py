"""Charts draw what the frame says: estimates, intervals, n; their texts belong to the caller."""

from functools import cache
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import synthetic
from matplotlib.colors import to_rgb

from sushibalance import plots
from sushibalance.analysis import (
    hand_frequencies,
    pick_rates,
    points_by_kind,
    puddings,
    tables,
    victory_odds,
    vp_curves,
    win_rates,
)
from sushibalance.plots.style import COLOURS, DASHES, MARKERS

mpl.use("agg")
KINDS = ["tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding"]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@cache
def frames():
    """Return each chart with a frame of its question and the number of intervals to draw."""
    otter = synthetic.otter(60, policies=["tank", "saver", "saver", "greedy"])
    go = synthetic.sushi_go(200)
    runs = {
        (label, players): synthetic.nightmares(200, players, penalty=penalty)
        for label, penalty in (("hunters", 0.4), ("honest", 0.0))
        for players in (3, 4)
    }
    games = tables.stack(runs, "games", keys=["table", "players"])
    one = runs["hunters", 4]
    turns = pick_rates.turns(otter.offers, otter.picks)
    turns["type"] = turns["power_up"] % 3
    collected = puddings.collected(go.players, go.rounds)
    by_table = {"table": "all alike"}
    return {
        "pick_rates": pick_rates.against_chance(turns),
        "picks_by_round": pick_rates.against_chance(turns, ["type", "round"]),
        "hand_frequencies": hand_frequencies.in_play(otter.rounds, otter.players, "policy"),
        "hands_by_round": hand_frequencies.in_play(otter.rounds),
        "vp_curves": vp_curves.after_round(otter.rounds, otter.players, "policy"),
        "vp_ahead": vp_curves.ahead(otter.rounds, otter.players, "policy"),
        "win_rates": win_rates.of(otter.players),
        "penalty_victories": victory_odds.penalty_victories(games, ["table", "players"]),
        "endings": victory_odds.endings(games, "table"),
        "ways_to_win": victory_odds.ways_to_win(one.players, one.games),
        "points_by_kind": points_by_kind.per_game(go.rounds, KINDS, go.players, "policy"),
        "pudding_decides": puddings.decide(collected.assign(**by_table), "table"),
        "wins_by_puddings": puddings.wins_by_count(collected),
    }


OPTIONS = {
    "vp_curves": {"hue": "policy"},
    "pudding_decides": {"hue": "table"},
    "wins_by_puddings": {"least": 1},
}
CHARTS = sorted(frames())


def draw(name, **options):
    frame = frames()[name]
    return frame, getattr(plots, name)(frame, **OPTIONS.get(name, {}), **options)


def test_every_chart_is_tested():
    assert set(CHARTS) == set(plots.__all__) - {"use_style"}


def intervals(ax):
    """Return the (low, high) pairs that the axes show, along whichever axis the bars run."""
    found = []
    for collection in ax.collections:
        for segment in getattr(collection, "get_segments", list)():
            (x0, y0), (x1, y1) = segment
            found.append((x0, x1) if y0 == y1 else (y0, y1))
    return np.array(sorted(found))


@pytest.mark.parametrize("name", CHARTS)
def test_each_interval_is_drawn(name):
    frame, ax = draw(name)
    if name == "hands_by_round":  # the most frequent ones only, here all
        assert frame["hand"].nunique() <= 7
    expected = np.array(sorted(frame[["low", "high"]].itertuples(index=False, name=None)))
    if name == "hand_frequencies":  # a scale of powers of ten has no 0
        expected[:, 0] = np.maximum(expected[:, 0], 0.7e-4)
        expected = np.array(sorted(map(tuple, expected)))
    assert intervals(ax) == pytest.approx(expected)


@pytest.mark.parametrize("name", CHARTS)
def test_n_is_on_the_picture(name):
    frame, ax = draw(name)
    note = ax.texts[0].get_text()
    assert f"{frame['n'].max():,}" in note and "95% intervals" in note
    assert ax.get_title(loc="left").endswith("?")
    assert ax.get_xlabel()


@pytest.mark.parametrize("name", CHARTS)
def test_the_caller_changes_every_text_and_brings_axes(name):
    _, own = plt.subplots()
    texts = {"title": "Mine", "xlabel": "across", "ylabel": "up", "note": "only mine"}
    _, ax = draw(name, ax=own, **texts)
    assert ax is own
    assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()) == ("Mine", "across", "up")
    assert [text.get_text() for text in ax.texts] == ["only mine"]


@pytest.mark.parametrize("name", CHARTS)
def test_drawing_leaves_the_session_alone(name):
    before = dict(mpl.rcParams)
    draw(name)
    assert dict(mpl.rcParams) == before


def test_labels_name_values_and_pairs_of_column_and_value():
    _, ax = draw("vp_ahead", labels={("round", 1): "first", "tank": "The Tank", "policy": "Who"})
    assert ax.get_xticklabels()[0].get_text() == "first"
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "Who"
    assert [text.get_text() for text in legend.get_texts()] == ["The Tank", "saver", "greedy"]


def test_long_names_do_not_push_the_chart_out():
    """The texts of the y axis take their room; the plot keeps at least half of the width."""
    frame = frames()["pick_rates"]
    ax = plots.pick_rates(frame, labels={card: f"{card}: a card with rather a lot of text on it" for card in range(65)})
    ax.figure.canvas.draw()
    width = ax.figure.bbox.width
    assert ax.bbox.width > 0.5 * width
    title, note = ax._left_title.get_window_extent(), ax.texts[0].get_window_extent()
    assert min(title.x0, note.x0) > -2 and max(title.x1, note.x1) < width


def test_groups_differ_in_shape_dash_and_lightness():
    """Readable in grey: neighbours differ in lightness, and every group has a shape and a dash of its own."""
    light = [np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]) for colour in COLOURS]
    assert min(abs(a - b) for a, b in pairwise(light)) > 0.1
    assert len(set(MARKERS)) == len(set(map(str, DASHES))) == len(COLOURS)


def test_a_hand_never_seen_has_a_bar_and_no_dot():
    _, ax = draw("hand_frequencies")
    row = [text.get_text() for text in ax.get_yticklabels()].index("five suits")
    dots = [y for line in ax.lines for x, y in line.get_xydata() if np.isfinite(x) and x >= 1e-4]
    assert not [y for y in dots if abs(y - row) < 0.5]
    bars = [s for c in ax.collections for s in c.get_segments() if abs(s[0][1] - row) < 0.5]
    assert len(bars) == 3


def test_a_frame_without_rows_draws_empty_axes():
    empty = pd.DataFrame({"round": [], "policy": [], "estimate": [], "low": [], "high": [], "n": [], "games": []})
    assert plots.vp_ahead(empty).texts[0].get_text() == "no games"
