"""Charts with shapes of their own: prices against rarity, verdicts, two points a card, the bar of luck."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import draw, intervals, points, served_frame

from sushibalance import plots
from sushibalance.analysis import hand_frequencies

pytestmark = pytest.mark.usefixtures("closed_figures")


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


# -- luck --------------------------------------------------------------------------------------------------------------


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
