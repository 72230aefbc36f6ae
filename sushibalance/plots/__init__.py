"""Charts: ``f(frame, ...) -> Axes``, one function a question.

Each takes a frame of `sushibalance.analysis`, draws the intervals, and says how many games they rest on.
Besides its own keywords each takes those of `Options`:

``ax``
    Axes to draw on; by default those of a new figure, in the style of the reports.
``title, xlabel, ylabel``
    Texts in place of the chart's own.
``about``
    Which games these are (``"4 players, all greedy"``): the first line below the title.
``note``
    Text in place of all lines below the title; empty for none.
``labels``
    From a value in the frame, or a pair (column, value), to what is written for it.
"""

from sushibalance.plots.common import forest, luck, win_points, win_rates
from sushibalance.plots.heat import changes, heat_map, robustness
from sushibalance.plots.nightmares import competing_risks, endings, penalty_victories, served_values, ways_to_win
from sushibalance.plots.otter import (
    association_against_cause,
    hand_frequencies,
    hands_by_round,
    key_clients,
    pick_rates,
    picks_by_round,
    price_against_rarity,
    settled,
    vp_ahead,
    vp_curves,
    wins_by_place,
    worth_by_round,
)
from sushibalance.plots.style import use_style
from sushibalance.plots.sushi_go import (
    draft_by_turn,
    draft_rates,
    misreadings,
    points_by_kind,
    pudding_decides,
    wins_by_puddings,
)
from sushibalance.plots.texts import Options

__all__ = [
    "Options",
    "association_against_cause",
    "changes",
    "competing_risks",
    "draft_by_turn",
    "draft_rates",
    "endings",
    "forest",
    "hand_frequencies",
    "hands_by_round",
    "heat_map",
    "key_clients",
    "luck",
    "misreadings",
    "penalty_victories",
    "pick_rates",
    "picks_by_round",
    "points_by_kind",
    "price_against_rarity",
    "pudding_decides",
    "robustness",
    "served_values",
    "settled",
    "use_style",
    "vp_ahead",
    "vp_curves",
    "ways_to_win",
    "win_points",
    "win_rates",
    "wins_by_place",
    "wins_by_puddings",
    "worth_by_round",
]
