"""Charts draw what the frame says: estimates, intervals, n; their texts belong to the caller."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import synthetic
from drawn import LONG, OPTIONS, draw, frames, inside, intervals, points
from matplotlib.colors import to_rgb

from sushibalance import plots
from sushibalance.plots.style import COLOURS, DASHES, MARKERS
from sushibalance.stats.groups import ColumnError

pytestmark = pytest.mark.usefixtures("closed_figures")


CHARTS = sorted(frames())
SHAPED = {
    "association_against_cause",
    "changes",
    "draft_by_turn",
    "heat_map",
    "luck",
    "price_against_rarity",
    "robustness",
    "wins_by_place",
    "worth_by_round",
}  # neither rows of dots nor lines: tested in test_plots_maps.py and test_plots_shapes.py


def test_every_chart_is_tested():
    assert set(CHARTS) | SHAPED == set(plots.__all__) - {"use_style", "Options"}


@pytest.mark.parametrize("name", CHARTS)
def test_each_estimate_and_interval_is_drawn(name):
    frame, ax = draw(name)
    if name == "hands_by_round":  # the most frequent ones only, here all
        assert frame["hand"].nunique() <= 7
    if name == "hand_frequencies":  # a scale of powers of ten has no 0
        frame = frame[frame["estimate"] > 0]
    known = frame[["low", "high"]].dropna()
    assert intervals(ax) == pytest.approx(np.array(sorted(known.itertuples(index=False, name=None))))
    value = 1 if "round" in frame or name in ("penalty_victories", "wins_by_puddings") else 0
    assert sorted(points(ax)[:, value]) == pytest.approx(sorted(frame["estimate"]))


@pytest.mark.parametrize("name", CHARTS)
def test_n_is_on_the_picture(name):
    frame, ax = draw(name)
    note = ax.texts[0].get_text()
    assert f"{frame['n'].max():,}" in note and f"{100 * frame.attrs.get('level', 0.95):.4g}% intervals" in note
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


@pytest.mark.parametrize("name", CHARTS)
def test_texts_stay_inside_the_picture_however_long(name):
    frame = frames()[name]
    inside(draw(name)[1])
    keys = list(frame.columns[: frame.columns.get_loc("estimate")])
    keys = [key for key in keys if key not in ("round", "players", "puddings") and len(set(frame[key])) > 1]
    labels = {(key, value): f"{value}: {LONG}" for key in keys for value in frame[key].unique()}
    _, ax = draw(name, labels=labels, title=f"Is this {LONG}?", about=LONG, xlabel=LONG)
    inside(ax)
    shown = " ".join(
        text.get_text() for text in [*ax.get_yticklabels(), *(ax.get_legend() or ax).findobj(mpl.text.Text)]
    )
    for text in labels.values():
        assert text in " ".join(shown.split())  # wrapped, not cut


@pytest.mark.parametrize("seed", range(8))
def test_legends_stay_inside_the_picture_whatever_the_lengths_of_their_names(seed):
    frame, rng = frames()["hands_by_round"], np.random.default_rng(seed)
    labels = {hand: "name "[: rng.integers(1, 5)] * rng.integers(1, 6) for hand in synthetic.HANDS}
    ax = plots.hands_by_round(frame, labels=labels)
    inside(ax)
    assert ax.bbox.width > 0.8 * ax.figure.bbox.width


def test_groups_differ_in_shape_dash_and_lightness():
    """Readable in grey: neighbours differ in lightness, and every group has a shape and a dash of its own."""
    light = [np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]) for colour in COLOURS]
    assert min(abs(a - b) for a, b in pairwise(light)) > 0.1
    assert len(set(MARKERS)) == len(set(map(str, DASHES))) == len(COLOURS)


def test_a_scale_over_many_powers_of_ten_can_be_read():
    frame = frames()["hand_frequencies"].copy()
    frame.loc[frame.index[0], ["estimate", "low", "high"]] = 1.6e-7, 2e-8, 9e-7
    ax = plots.hand_frequencies(frame)
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    shown = [label for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high and label.get_text()]
    boxes = sorted((label.get_window_extent() for label in shown), key=lambda box: box.x0)
    assert "0.0001%" in [label.get_text() for label in shown] and not any("e" in each.get_text() for each in shown)
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_a_hand_never_seen_is_an_open_triangle_at_the_end_of_its_interval():
    frame, ax = draw("hand_frequencies")
    row = [text.get_text() for text in ax.get_yticklabels()].index("five suits")
    edge = np.diff(ax.get_yticks()).min() / 2
    at = ax.get_yticks()[row]
    never = frame[frame["hand"] == "five_suits"]
    assert (never["estimate"] == 0).all() and len(never) == 3
    drawn = points(ax, hollow=True)
    assert sorted(drawn[:, 0]) == pytest.approx(sorted(never["high"])) and (abs(drawn[:, 1] - at) < edge).all()
    assert not (abs(points(ax)[:, 1] - at) < edge).any()
    assert "open triangle: never seen" in ax.texts[0].get_text()
    seen = frame[frame["hand"] != "five_suits"]
    assert "never" not in plots.hand_frequencies(seen).texts[0].get_text()


@pytest.mark.parametrize("rare", [1e-2, 1e-5, 3e-8])
def test_no_hand_is_too_rare_to_be_drawn(rare):
    """The scale begins where the rarest hand needs it."""
    frame = frames()["hand_frequencies"].copy()
    frame.loc[0, ["low", "estimate", "high"]] = [rare / 2, rare, rare * 2]
    ax = plots.hand_frequencies(frame)
    assert ax.get_xlim()[0] < rare / 2 and rare in points(ax)[:, 0]
    assert ax.get_xlim()[0] > 1e-3 * min(rare, frame["estimate"][frame["estimate"] > 0].min())


def test_the_ceiling_of_pick_rates_is_drawn_and_said():
    frame, ax = draw("pick_rates")
    assert (frame["ceiling"] == 5).all()
    assert [5.0, 5.0] in [list(line.get_xdata()) for line in ax.lines]
    assert "the most possible, 5 times (always the first taken of 5)" in ax.texts[0].get_text().replace("\n", " ")
    two = pd.concat([frame, frame.assign(power_up=99, ceiling=3.0)])
    assert "dotted" not in plots.pick_rates(two).texts[0].get_text()


def test_what_a_chart_rests_on_begins_with_what_it_is_about():
    _, ax = draw("win_rates", about="mixed: 4 players")
    lines = ax.texts[0].get_text().splitlines()
    assert lines[0] == "mixed: 4 players" and lines[1].startswith("each row: n = ")


def test_a_misspelt_option_or_column_is_told():
    with pytest.raises(TypeError, match=r"a chart has no titel; did you mean title\? Allowed besides its own"):
        draw("win_rates", titel="x")
    with pytest.raises(ColumnError, match=r'frame: no column "polcy", did you mean policy\? Known: policy, estimate'):
        draw("win_rates", y="polcy")
    assert not plt.get_fignums()


@pytest.mark.parametrize("name", CHARTS)
def test_a_frame_without_rows_draws_empty_axes(name):
    ax = getattr(plots, name)(frames()[name].iloc[:0], **OPTIONS.get(name, {}))
    assert ax.texts[0].get_text().startswith("no games") and not len(intervals(ax))
    ax.figure.canvas.draw()
