"""Heat maps: a number, its interval and its verdict in each cell."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import synthetic
from drawn import LONG, inside, intervals

from sushibalance import plots
from sushibalance.analysis import leads

pytestmark = pytest.mark.usefixtures("closed_figures")


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


def test_what_is_undecided_keeps_little_of_its_colour():
    frame = judged()
    ax = plots.heat_map(frame, x="players", y="policy", reference=1.0)
    drawn = ax.collections[0].get_alpha().ravel()
    verdicts = [frame.set_index(["policy", "players"]).loc[(row, column), "verdict"]
                for row in ("saver", "tank", "greedy") for column in (2, 3, 4)]  # fmt: skip
    assert {"above", "undecided"} == set(verdicts)
    assert [alpha == 1 for alpha in drawn] == [verdict != "undecided" for verdict in verdicts]
    assert 0 < drawn.min() < 0.5


@pytest.mark.parametrize("rows", [6, 40])
def test_heads_and_scales_stand_above_many_rows_too(rows):
    """Below the fortieth row nobody sees them from the first; title and note keep clear of them."""
    many = judged([f"card {row}" for row in range(rows)])
    one = many[many["players"] == 2]
    for ax in (plots.heat_map(many, x="players", y="policy"), plots.forest(one, y="policy", margin=(0.9, 1.1))):
        ax.figure.draw_without_rendering()
        above = [tick.label2 for tick in ax.xaxis.get_major_ticks() if tick.label2.get_visible()]
        assert bool(above) == (rows == 40)
        over = max((label.get_window_extent().y1 for label in above), default=ax.bbox.y1)
        (note,) = (text for text in ax.texts if "n = " in text.get_text())
        box = note.get_window_extent()
        assert over < box.y0 and box.y1 < ax._left_title.get_window_extent().y0


def test_a_long_word_in_a_head_makes_all_heads_smaller():
    columns = ["greedy 2", "collectorflush 4", "random 2", "random 4", "greedy 4", "tank 4"]
    ax = plots.heat_map(judged(columns=range(6)), x="players", y="policy", labels=dict(enumerate(columns)))
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
