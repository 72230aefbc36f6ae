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

from sushibalance import plots, simulate
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
from sushibalance.plots.style import COLOURS, DASHES, MARKERS
from sushibalance.stats import verdicts
from sushibalance.stats.groups import ColumnError

mpl.use("agg")
KINDS = ["tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding"]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def misread_frame():
    """Return what two misreadings change, by one measure."""
    keys = [(rule, choices) for rule in ("every_round", "ties_lose_all") for choices in ("as before", "as misread")]
    frame = pd.DataFrame(keys, columns=["rule", "choices"]).assign(measure="winners change")
    frame = frame.assign(estimate=[0.1, 0.2, 0.3, 0.45])
    frame = frame.assign(low=frame["estimate"] - 0.04, high=frame["estimate"] + 0.05, n=900, games=900)
    frame.attrs["level"] = 0.95
    return frame


def served_frame():
    """Return verdicts on what cards gain."""
    frame = pd.DataFrame({"card": ["A", "F", "chin"], "estimate": [1.4, -1.2, 0.1]})
    frame = frame.assign(low=frame["estimate"] - 0.3, high=frame["estimate"] + 0.2, n=900, games=900)
    frame.attrs["level"] = 0.95
    return frame.assign(verdict=["above", "below", "inside"], needed=0)


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
    drafted = draft_rates.hands(simulate("sushi_go", players=3, policies="greedy", games=40, progress=False).picks)
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
        "key_clients": pick_rates.key_clients(otter.picks),
        "ways_to_win": victory_odds.ways_to_win(one.players, one.games),
        "points_by_kind": points_by_kind.per_game(go.rounds, KINDS, go.players, "policy"),
        "pudding_decides": puddings.decide(collected.assign(**by_table), "table"),
        "wins_by_puddings": puddings.wins_by_count(collected),
        "competing_risks": victory_odds.incidence(one.games, by=()),
        "draft_rates": draft_rates.against_chance(drafted),
        "misreadings": misread_frame(),
        "served_values": served_frame(),
        "settled": leads.settled(leads.standings(otter.rounds, otter.players)),
        "win_points": win_rates.win_points(otter.players),
        "forest": verdicts(pick_rates.against_chance.tally(turns), (0.8, 1.2)),
    }


OPTIONS = {
    "vp_curves": {"hue": "policy"},
    "pudding_decides": {"hue": "table"},
    "wins_by_puddings": {"least": 1},
    "forest": {"y": "power_up"},
}
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
}  # neither rows of dots nor lines: tested below


def draw(name, **options):
    frame = frames()[name]
    return frame, getattr(plots, name)(frame, **OPTIONS.get(name, {}), **options)


def test_every_chart_is_tested():
    assert set(CHARTS) | SHAPED == set(plots.__all__) - {"use_style", "Options"}


def intervals(ax):
    """Return the (low, high) pairs that the axes show, along whichever axis the bars run."""
    found = []
    for line in ax.lines:
        if line.get_marker() == "None" and line.get_transform() is ax.transData:
            (x0, y0), (x1, y1) = line.get_xydata()
            found.append((x0, x1) if y0 == y1 else (y0, y1))
    return np.array(sorted(pair for pair in found if np.isfinite(pair).all()))


def points(ax, *, hollow=False):
    """Return the (x, y) of all points, or of the hollow ones."""
    lines = [line for line in ax.lines if line.get_marker() != "None"]
    kept = [line.get_xydata() for line in lines if (line.get_markerfacecolor() == "none") == hollow]
    return np.array([point for points in kept for point in points if np.isfinite(point).all()])


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


LONG = "a name that somebody made up, with rather a lot of words in it, and a number or two such as 1,234"


def inside(ax):
    """Check that every text lies within the picture, and that no two names of rows touch."""
    figure = ax.figure
    figure.canvas.draw()
    parts = [ax._left_title, *ax.texts, ax.xaxis, ax.yaxis, *([ax.get_legend()] if ax.get_legend() else [])]
    boxes = [part.get_tightbbox() for part in parts]
    for box in boxes:
        assert box.x0 > -3 and box.x1 < figure.bbox.width + 3 and box.y0 > -3 and box.y1 < figure.bbox.height + 3
    names = sorted((text.get_window_extent() for text in ax.get_yticklabels()), key=lambda box: box.y0)
    assert all(above.y0 > below.y1 - 2 for below, above in pairwise(names))
    assert ax.bbox.width > 0.5 * figure.bbox.width and ax.bbox.height > 40


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


# -- heat maps: a number, its interval and its verdict in each cell ---------------------------------------------------


def judged(rows=("greedy", "tank", "saver"), columns=(2, 3, 4)):
    """Return verdicts on players of each policy at tables of each size."""
    cells = [
        (row, column, 0.8 + 0.1 * (at + column), 0.75 + 0.1 * (at + column), 0.87 + 0.1 * (at + column))
        for at, row in enumerate(rows)
        for column in columns
    ]
    frame = pd.DataFrame(cells, columns=["policy", "players", "estimate", "low", "high"])
    verdict = np.where(frame["low"] > 1.1, "above", "undecided")
    return frame.assign(n=4_000, games=1_000, verdict=verdict, margin_low=0.9, margin_high=1.1)


def cells(ax):
    """Return the texts of the cells by place (column, row): the number, and how far its interval reaches."""
    found = {}
    for text in ax.texts:
        x, y = text.get_position()
        if text.get_transform() == ax.transData:
            found.setdefault((int(x), int(y)), []).append(text.get_text().replace("\N{NO-BREAK SPACE}", " "))
    return found


def test_each_cell_has_its_number_its_interval_and_its_verdict():
    frame = judged()
    ax = plots.heat_map(frame, x="players", y="policy", reference=1.0, unit="players")
    rows = [text.get_text() for text in ax.get_yticklabels()]
    columns = [text.get_text() for text in ax.get_xticklabels()]
    assert rows == ["saver", "tank", "greedy"] and columns == ["2", "3", "4"]  # the highest on top
    found = cells(ax)
    assert len(found) == len(frame)
    for row in frame.itertuples():
        number, reach = found[columns.index(str(row.players)), rows.index(row.policy)]
        sign = {"above": "\N{BLACK UP-POINTING TRIANGLE}", "undecided": "\N{BLACK DIAMOND}"}[row.verdict]
        assert number == f"{sign} {row.estimate:.2f}" and reach == "\N{PLUS-MINUS SIGN}0.07"  # the longer side
    note = ax.texts[0].get_text() if ax.texts[0].get_transform() != ax.transData else ax.texts[-1].get_text()
    assert "n = 4,000 players in 1,000 games" in note and "how far the interval reaches" in note
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["above", "undecided"]


def test_what_a_place_is_worth_is_a_map_of_rounds_and_places():
    run = synthetic.otter(60)
    frame = leads.wins_by_place(leads.standings(run.rounds, run.players))
    ax = plots.wins_by_place(frame)
    found = cells(ax)
    assert len(found) == len(frame) and ax.get_ylabel() == "place by VP"
    last = frame[(frame["round"] == 8) & (frame["place"] == 1)].iloc[0]
    assert found[7, 0][0].startswith(f"{100 * last['estimate']:.0f}")


def test_colours_of_a_heat_map_part_at_the_reference_and_stay_readable():
    frame = judged().assign(estimate=[0.5, 1.0, 1.5] * 3)
    ax = plots.heat_map(frame, x="players", y="policy", reference=1.0)
    (mesh,) = (part for part in ax.collections if part.get_array() is not None)
    low, middle, high = (mesh.cmap(mesh.norm(value))[:3] for value in (0.5, 1.0, 1.5))
    assert min(middle) > 0.99 and low[2] > low[0] and high[0] > high[2]
    for colour in (low, high):  # black letters on it: WCAG's contrast, 4.5 at least
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        assert (np.dot(linear, [0.2126, 0.7152, 0.0722]) + 0.05) / 0.05 > 4.5


def test_names_of_columns_keep_apart_and_a_nought_has_no_sign():
    frame = judged(columns=range(6)).assign(players=[f"random {at}" for at in range(6)] * 3, estimate=-1e-4)
    ax = plots.heat_map(frame, x="players", y="policy", percent=True)
    assert {number.split()[-1] for number, _ in cells(ax).values()} == {"0%"}
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert all(right.x0 - left.x1 > 2 for left, right in pairwise(boxes))


def test_cells_without_rows_stay_empty_and_an_empty_frame_draws():
    ax = plots.heat_map(judged().iloc[1:], x="players", y="policy")
    assert len(cells(ax)) == 8
    empty = plots.heat_map(judged().iloc[:0], x="players", y="policy")
    assert not cells(empty) and empty.texts[0].get_text().startswith("no games")
    empty.figure.canvas.draw()


def test_changes_are_a_map_of_variants_or_for_one_number_rows_with_the_margin():
    frame = judged().rename(columns={"policy": "change", "players": "of"}).assign(base=1.0, variant=1.1)
    ax = plots.changes(frame)
    assert len(cells(ax)) == 9 and "white: no difference" in " ".join(text.get_text() for text in ax.texts)
    one = plots.changes(frame[frame["of"] == 2])
    assert len(intervals(one)) == 3 and not cells(one) and "shaded: the margin" in one.texts[0].get_text()
    empty = plots.changes(frame.iloc[:0])
    assert not cells(empty) and not len(intervals(empty))


def test_texts_of_heat_maps_stay_inside_the_picture_and_belong_to_the_caller():
    inside(plots.heat_map(judged(), x="players", y="policy", labels={"tank": LONG}, title=f"Is {LONG}?", about=LONG))
    _, own = plt.subplots()
    ax = plots.heat_map(judged(), x="players", y="policy", ax=own, title="Mine", note="only mine", xlabel="across")
    assert ax is own and ax.get_title(loc="left") == "Mine" and ax.get_xlabel() == "across"


# -- prices against rarity --------------------------------------------------------------------------------------------


def names_and_points(ax):
    """Return the boxes of the names beside points, and the places of the points, in pixels."""
    ax.figure.canvas.draw()
    names = [text for text in ax.texts if isinstance(text, mpl.text.Annotation) and text.get_text()]
    dots = np.vstack([line.get_xydata() for line in ax.lines if line.get_marker() not in ("None", "", None)])
    return {text.get_text(): text.get_window_extent() for text in names}, ax.transData.transform(dots)


def check_names(ax):
    """Check that no name covers another one or a point, and that all are inside the axes."""
    boxes, dots = names_and_points(ax)
    listed = list(boxes.values())
    for at, box in enumerate(listed):
        assert not any(box.overlaps(other) for other in listed[at + 1 :])
        assert not any(box.contains(*dot) for dot in dots)
        assert box.x0 >= ax.bbox.x0 - 1 and box.x1 <= ax.bbox.x1 + 1
    return boxes


def test_every_hand_is_drawn_where_it_belongs_and_names_do_not_collide():
    frame = hand_frequencies.price_against_rarity()
    known = frame[frame["rarity"].notna()]
    ax = plots.price_against_rarity(frame, about="8 cards")
    boxes = check_names(ax)
    assert sorted(name for text in boxes for name in text.split(", ")) == sorted(
        hand.replace("_", " ") for hand in known["hand"]
    )
    drawn = np.vstack([line.get_xydata() for line in ax.lines if line.get_marker() not in ("None", "", None)])
    assert np.array(sorted(drawn.tolist())) == pytest.approx(
        np.array(sorted(known[["price", "rarity"]].to_numpy().tolist()))
    )
    assert "exact, all sets of cards counted: 18 of 19 hands" in ax.texts[0].get_text().replace("\n", " ")


@pytest.mark.parametrize("seed", range(4))
def test_names_do_not_collide_however_the_points_lie(seed):
    rng = np.random.default_rng(seed)
    hands = [f"hand number {number}" for number in range(16)]
    at = rng.integers(0, 6, (16, 2)) * [5.0, 0.7]
    frame = pd.DataFrame({"hand": hands, "new": rng.random(16) < 0.5, "price": at[:, 0], "rarity": at[:, 1]})
    boxes = check_names(plots.price_against_rarity(frame.assign(expected=frame["price"] / 10)))
    assert ", ".join(boxes).count("hand number") == 16


def test_prices_take_the_callers_texts_and_labels():
    frame = hand_frequencies.price_against_rarity()
    _, own = plt.subplots()
    ax = plots.price_against_rarity(frame, ax=own, title="Mine", note="only", labels={"flush": "Same Suit"})
    assert ax is own and ax.get_title(loc="left") == "Mine" and ax.texts[0].get_text() == "only"
    assert any("Same Suit" in text for text in names_and_points(ax)[0])
    empty = plots.price_against_rarity(frame.iloc[:0])
    assert not names_and_points(empty)[0]


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_verdicts_are_told_by_their_shapes_and_the_margin_is_shaded():
    frame, ax = draw("forest", margin=(0.8, 1.2), reference=1.0)
    shapes = {"above": "^", "below": "v", "inside": "o", "undecided": "D"}
    for verdict, shape in shapes.items():
        drawn = np.array([p for line in ax.lines if line.get_marker() == shape for p in line.get_xydata()])
        drawn = drawn[np.isfinite(drawn).all(axis=1)] if len(drawn) else drawn
        wanted = sorted(frame.loc[frame["verdict"] == verdict, "estimate"])
        assert sorted(drawn[:, 0] if len(drawn) else []) == pytest.approx(wanted)
    (span,) = ax.patches
    assert span.get_extents().transformed(ax.transData.inverted()).intervalx == pytest.approx([0.8, 1.2])
    assert "shaded: the margin, 0.8 to 1.2" in ax.texts[0].get_text().replace("\n", " ")
    rows = {text.get_text(): at for text, at in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    order = [float(frame.set_index("power_up").loc[int(name), "estimate"]) for name in rows]
    assert order == sorted(order, reverse=True)
    assert set(rows) == set(map(str, frame["power_up"]))


def test_rows_whose_intervals_nobody_knows_leave_the_others_as_they_are():
    frame = served_frame()
    frame.loc[1, ["low", "high"]] = np.nan
    ax = plots.served_values(frame)
    assert intervals(ax) == pytest.approx(np.array([[-0.2, 0.3], [1.1, 1.6]]))
    assert -1.2 in points(ax)[:, 0]


# -- what a card causes, and what only goes with it -------------------------------------------------------------------


def caused():
    """Return rows as of `card_values`, one of them a card that hardly anybody took."""
    frame = pd.DataFrame(
        {
            "card": ["28: turn", "7: score", "learn_even", "rare"],
            "over_pick": [1.0, -0.5, -2.0, -1.0],
            "association": [-1.0, 0.5, 2.5, 40.0],
            "holders": [900, 700, 80, 3],
            "n": 300,
            "games": 300,
        }
    )
    for name in ("over_pick", "association"):
        frame[f"{name}_low"], frame[f"{name}_high"] = frame[name] - 0.4, frame[name] + 0.4
    frame.attrs["level"] = 0.95
    return frame


def test_two_points_a_card_and_the_line_between_them():
    frame = caused()
    ax = plots.association_against_cause(frame)
    rows = {text.get_text(): at for text, at in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    assert list(rows) == ["28: turn", "7: score", "rare", "learn even"]  # those that do most on top
    drawn = points(ax)
    assert len(drawn) == 7 and 40.0 not in drawn[:, 0]  # what goes with the rare one says nothing
    for row in frame.itertuples():
        at = drawn[np.isclose(drawn[:, 1], rows[row.card.replace("_", " ")])]
        wanted = [row.over_pick, row.association] if row.holders >= 30 else [row.over_pick]
        assert sorted(at[:, 0]) == pytest.approx(sorted(wanted))
    joins = [part for part in ax.collections if isinstance(part, mpl.collections.LineCollection)]
    lengths = sorted(float(np.ptp(segment[:, 0])) for part in joins for segment in part.get_segments())
    assert lengths == pytest.approx([0, 1, 2, 4.5])
    note = ax.texts[0].get_text().replace("\n", " ")
    assert "who took it: 30 to 900 players of an ordinary run" in note and "95% intervals" in note
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "given by lot, against a pick of one's own",
        "who took it, against others",
    ]


def test_only_the_cards_whose_points_lie_farthest_apart_if_asked():
    ax = plots.association_against_cause(caused(), most=2, labels={"association": "Others"})
    assert {text.get_text() for text in ax.get_yticklabels()} == {"28: turn", "learn even"}
    assert "the 2 cards whose two points lie farthest apart" in ax.texts[0].get_text().replace("\n", " ")
    assert ax.get_legend().get_texts()[1].get_text() == "Others"
    assert not len(intervals(plots.association_against_cause(caused().iloc[:0])))


def test_what_is_drafted_when_is_a_map_with_the_most_wanted_on_top():
    rows = [(card, turn, (1.0 + (card == "b")) / turn) for card in ("a", "b") for turn in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=["card", "turn", "estimate"]).assign(n=40, games=40)
    ax = plots.draft_by_turn(frame.assign(low=frame["estimate"] - 0.5, high=frame["estimate"] + 0.5))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b", "a"]
    assert cells(ax)[0, 0][0] == "2.0" and cells(ax)[1, 1][0] == "0.5"


def test_the_worth_of_cards_by_round_is_a_map():
    rows = [(card, number, 2.0 - number / 4) for card in ("a", "b") for number in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=["card", "round", "estimate"]).assign(n=40, games=40)
    found = cells(plots.worth_by_round(frame.assign(low=frame["estimate"] - 0.5, high=frame["estimate"] + 0.5)))
    assert found[0, 0] == ["1.8", "\N{PLUS-MINUS SIGN}0.5"] and len(found) == 6


# -- luck, robustness -------------------------------------------------------------------------------------------------


def parts():
    frame = pd.DataFrame({"source": ["deal", "seat", "policies"], "estimate": [0.55, 0.05, 0.4]})
    frame = frame.assign(low=frame["estimate"] - 0.02, high=frame["estimate"] + 0.03, n=800, games=100)
    frame.attrs["level"] = 0.9
    return frame


def test_luck_is_a_bar_whose_parts_are_the_shares_with_their_intervals():
    ax = plots.luck(parts(), labels={"deal": "the cards"})
    bars = [patch for patch in ax.patches if isinstance(patch, mpl.patches.Rectangle) and patch.get_height() == 0.8]
    assert [bar.get_width() for bar in bars] == pytest.approx([0.55, 0.05, 0.4])
    assert [bar.get_x() for bar in bars] == pytest.approx([0, 0.55, 0.6])
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in bars}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "the cards 55.0% [53.0% to 58.0%]",
        "seat 5.0% [3.0% to 8.0%]",
        "policies 40.0% [38.0% to 43.0%]",
    ]
    shown = [" ".join(text.get_text().split()) for text in ax.texts]
    assert "55%" in shown and "40%" in shown and "5%" not in shown  # too narrow for it
    assert any("n = 800 results of players in 100 games; in brackets: 90% intervals" in text for text in shown)
    assert plots.luck(parts().iloc[:0]).texts[0].get_text() == "no games"


def test_robustness_is_a_map_with_a_column_a_group():
    cell = [(card, table, size) for card in ("a", "b") for table in ("greedy", "random") for size in (2, 4)]
    frame = pd.DataFrame(cell, columns=["card", "table", "players"]).assign(n=50, games=50)
    frame = frame.assign(estimate=np.linspace(0.5, 1.9, 8), verdict="undecided", margin_low=0.9, margin_high=1.1)
    frame = frame.assign(low=frame["estimate"] - 0.2, high=frame["estimate"] + 0.2)
    ax = plots.robustness(frame, y="card", reference=1.0)
    heads = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
    assert heads == ["greedy 2", "greedy 4", "random 2", "random 4"]
    found = cells(ax)
    assert len(found) == 8 and found[3, 1][0].endswith("1.90") and found[0, 0][0].endswith("0.50")
    inside(ax)
