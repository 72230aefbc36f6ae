"""What the balance report of each game asks every table."""

from __future__ import annotations

from sushibalance.analysis import (
    draft_rates,
    hand_frequencies,
    leads,
    pick_rates,
    points_by_kind,
    puddings,
    victory_odds,
    vp_curves,
    win_rates,
)
from sushibalance.analysis.over import Questions, question, questions
from sushibalance.games.sushi_go.frames import POINTS

EVERY = questions(
    wins=question(win_rates.of, "players"),
    win_points=question(win_rates.win_points, "players"),
)
BY_SEAT = questions(
    wins_by_seat=question(win_rates.of, "players", by="seat"),
    win_points_by_seat=question(win_rates.win_points, "players", by="seat"),
)
OTTER = questions(
    **EVERY,
    wins_by_seat=question(win_rates.of, "players", by="distance"),
    win_points_by_seat=question(win_rates.win_points, "players", by="distance"),
    picks=question(pick_rates.against_chance, "turns", by="card"),
    taken=question(pick_rates.taken, "offers", by="card"),
    first_picks=question(pick_rates.first_picks, "turns", by="card"),
    taken_at=question(pick_rates.taken_at, "turns", by="card"),
    last_seen=question(pick_rates.last_seen, "turns", by="card"),
    worths=question(pick_rates.worths, "turns", item="card"),
    picks_by_round=question(pick_rates.against_chance, "turns", by=["type", "round"]),
    picks_by_policy=question(pick_rates.against_chance, "turns", by=["type", "policy"]),
    clients=question(pick_rates.key_clients, "picks"),
    clients_by_policy=question(pick_rates.key_clients, "picks", by="policy"),
    hands=question(hand_frequencies.in_play, "rounds", by=()),
    hands_by_round=question(hand_frequencies.in_play, "rounds", by="round"),
    hands_by_policy=question(hand_frequencies.in_play, "rounds", by="policy"),
    vp=question(vp_curves.after_round, "rounds"),
    vp_quantiles=question(vp_curves.bands, "rounds"),
    vp_by_policy=question(vp_curves.after_round, "rounds", by="policy"),
    ahead=question(vp_curves.ahead, "rounds", by="policy"),
    ahead_by_seat=question(vp_curves.ahead, "rounds", by="distance"),
    places=question(leads.wins_by_place, "standings"),
    lead_changes=question(leads.lead_changes, "standings"),
    drama=question(leads.drama, "standings"),
    decisiveness=question(leads.decisiveness, "standings"),
    comebacks=question(leads.comebacks, "standings"),
    settled=question(leads.settled, "standings"),
)
NIGHTMARES = questions(
    **EVERY,
    **BY_SEAT,
    penalty_victories=question(victory_odds.penalty_victories, "games", by="players"),
    endings=question(victory_odds.endings, "games", by="players"),
    endings_by_round=question(victory_odds.endings, "games", by="players", rounds=True),
    incidence=question(victory_odds.incidence, "games", shared=True),
    ways_to_win=question(victory_odds.ways_to_win, "players", "games"),
    ways_by_seat=question(victory_odds.ways_to_win, "players", "games", by="seat"),
)
SUSHI_GO = questions(
    **EVERY,
    **BY_SEAT,
    points_by_kind=question(points_by_kind.per_game, "rounds", kinds=list(POINTS)),
    points_by_kind_and_policy=question(points_by_kind.per_game, "rounds", kinds=list(POINTS), by="policy"),
    drafted=question(draft_rates.against_chance, "hands"),
    drafted_by_turn=question(draft_rates.against_chance, "hands", by=["card", "turn"]),
    taken_at=question(draft_rates.taken_at, "hands"),
    last_seen=question(draft_rates.last_seen, "hands"),
    puddings_decide=question(puddings.decide, "collected"),
    wins_by_puddings=question(puddings.wins_by_count, "collected"),
    win_points_by_puddings=question(puddings.win_points_by_count, "collected"),
)
ASKED = {"otter": OTTER, "nightmares": NIGHTMARES, "sushi_go": SUSHI_GO}


def asked(game: str) -> Questions:
    """Return the questions of a game's balance report by name; add your own with ``questions(**asked(game), ...)``."""
    return ASKED[game]
