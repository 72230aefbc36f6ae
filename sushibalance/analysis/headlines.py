"""The headline questions of each game: what a change of its rules is judged by."""

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
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES
from sushibalance.games.sushi_go.frames import POINTS
from sushibalance.rules.problems import one_of

EVERY = questions(
    wins=question(win_rates.of, "players", by="policy"),
    win_points=question(win_rates.win_points, "players", by="policy"),
    wins_by_seat=question(win_rates.of, "players", by="seat"),
)
FINAL = question(win_rates.points, "players", by="policy")
HEADLINES = {
    "otter": questions(
        **EVERY,
        final_vp=FINAL,
        wins_by_distance=question(win_rates.of, "players", by="distance"),
        picks=question(pick_rates.against_chance, "turns", by="power_up"),
        picks_by_round=question(pick_rates.against_chance, "turns", by=["power_up", "round"]),
        picks_by_policy=question(pick_rates.against_chance, "turns", by=["power_up", "policy"]),
        offers_taken=question(pick_rates.taken, "offers", by="power_up"),
        key_clients=question(pick_rates.key_clients, "picks"),
        hands=question(hand_frequencies.in_play, "rounds", by=()),
        hands_by_round=question(hand_frequencies.in_play, "rounds", by="round"),
        hands_by_policy=question(hand_frequencies.in_play, "rounds", by="policy"),
        vp=question(vp_curves.after_round, "rounds"),
        vp_by_policy=question(vp_curves.after_round, "rounds", by="policy"),
        vp_by_distance=question(vp_curves.after_round, "rounds", by="distance"),
        vp_bands=question(vp_curves.bands, "rounds"),
        ahead=question(vp_curves.ahead, "rounds", by="policy"),
        ahead_by_distance=question(vp_curves.ahead, "rounds", by="distance"),
        wins_by_place=question(leads.wins_by_place, "standings"),
        lead_changes=question(leads.lead_changes, "standings", by="round"),
        drama=question(leads.drama, "standings", by="round"),
    ),
    "nightmares": questions(
        **EVERY,
        points=FINAL,
        penalty_victories=question(victory_odds.penalty_victories, "games", by="players"),
        endings=question(victory_odds.endings, "games", by="players"),
        endings_by_round=question(victory_odds.endings, "games", by="players", rounds=True),
        ways_to_win=question(victory_odds.ways_to_win, "players", "games", by="policy"),
    ),
    "sushi_go": questions(
        **EVERY,
        points=FINAL,
        points_by_kind=question(points_by_kind.per_game, "rounds", kinds=list(POINTS), by=()),
        points_by_kind_and_policy=question(points_by_kind.per_game, "rounds", kinds=list(POINTS), by="policy"),
        puddings_decide=question(puddings.decide, "collected"),
        wins_by_puddings=question(puddings.wins_by_count, "collected"),
        win_points_by_puddings=question(puddings.win_points_by_count, "collected"),
    ),
}
# Asked only by name: it takes eight times as long as all headlines of its game together.
LONG = {"sushi_go": questions(cards_taken=question(draft_rates.against_chance, "hands"))}


def by_name(game: str) -> Questions:
    """Return the questions that can be asked by name: the headlines, and those that take long."""
    return questions(**headlines(game), **LONG.get(game, questions()))


def final(game: str) -> str:
    """Return the name of the headline question about what players have at the end."""
    return next(name for name, asked in headlines(game).items() if asked == FINAL)


def headlines(game: str) -> Questions:
    """Return the headline questions of a game by name, to be asked in one pass with `over` or `fold`.

    Parameters
    ----------
    game : str
        ``"otter"``, ``"nightmares"``, ``"sushi_go"``.

    Raises
    ------
    UserError
        For a game that there is not.
    """
    if game not in HEADLINES:
        raise UserError(f"game: {one_of(game, GAMES)}")
    return HEADLINES[game]
