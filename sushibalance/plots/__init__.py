"""Charts: ``f(frame, *, ax=None, ...) -> Axes``, one function a question.

Each takes a frame of `sushibalance.analysis`, draws the intervals, and says how many games they rest on.
Every text can be changed: ``title``, ``xlabel``, ``ylabel``, ``note`` (the line below the title; empty
for none) and ``labels`` (from a value in the frame, or a pair (column, value), to what is written for it).
"""

from sushibalance.plots.common import win_rates
from sushibalance.plots.nightmares import endings, penalty_victories, ways_to_win
from sushibalance.plots.otter import hand_frequencies, hands_by_round, pick_rates, picks_by_round, vp_ahead, vp_curves
from sushibalance.plots.style import use_style
from sushibalance.plots.sushi_go import points_by_kind, pudding_decides, wins_by_puddings

__all__ = [
    "endings",
    "hand_frequencies",
    "hands_by_round",
    "penalty_victories",
    "pick_rates",
    "picks_by_round",
    "points_by_kind",
    "pudding_decides",
    "use_style",
    "vp_ahead",
    "vp_curves",
    "ways_to_win",
    "win_rates",
    "wins_by_puddings",
]
