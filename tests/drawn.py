"""A frame for each chart, and what the axes show of it; for the tests of plots."""

from functools import cache
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import synthetic

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
from sushibalance.stats import verdicts

mpl.use("agg")
KINDS = ["tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding"]


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
    """Return each chart with a frame of its question."""
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


def draw(name, **options):
    frame = frames()[name]
    return frame, getattr(plots, name)(frame, **OPTIONS.get(name, {}), **options)


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
