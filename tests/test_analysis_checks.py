"""Games against what can be calculated, and that something wrong is found."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from test_cli import bad, good, shell  # noqa: F401

from sushibalance import fold, load_rules
from sushibalance.analysis.checks import (
    CheckError,
    _Asked,
    _by_chance,
    _detects,
    _errors,
    _held_against,
    _z,
    checks,
)
from sushibalance.analysis.closed_forms import Form, Forms
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES
from sushibalance.stats import lifts, means, rates, shares

GAMES_EACH = {"otter": 3_000, "nightmares": 10_000, "sushi_go": 4_000}


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_engines_agree_with_what_can_be_calculated(game, players):
    found = checks(game, players=players, games=GAMES_EACH[game], seed=3, progress=False)
    known = found["z"].dropna()
    assert len(known) > 30 and known.abs().max() < 4
    assert 0 < found.attrs["false_alarm"] < 0.03
    # Not only not too far: as far as chance has it. Cells that cannot come up, or always do, are exact.
    open_ = found[(found["exact"] > 0) & (found["exact"] < 1) & found["z"].notna()]
    assert 0.4 < (open_["z"] ** 2).mean() < 2.2
    assert (found.loc[found["exact"] == 0, "estimate"] == 0).all()


@pytest.mark.parametrize("name", ["otter/starting_power_ups", "otter/inventions", "sushi_go/alternating"])
def test_variants_agree_too(name):
    assert checks(name, games=2_000, seed=4, progress=False)["z"].abs().max() < 4


@pytest.mark.slow
@pytest.mark.parametrize(("game", "games"), [("otter", 60_000), ("nightmares", 400_000), ("sushi_go", 100_000)])
def test_the_engines_agree_over_many_games(game, games):
    for players in (2, 3, 4, 5):
        assert checks(game, players=players, games=games, seed=8, progress=False)["z"].abs().max() < 4.5


def held(forms_of, played, policies="random", players=4, games=4_000):
    """Return the checks of one rule set held against games of another."""
    forms = Forms(load_rules(forms_of) if isinstance(forms_of, str) else forms_of, players)
    tallies = fold(
        played, _Asked(forms.rules, players), players=players, policies=policies, games=games, progress=False
    )
    return _held_against(list(forms), tallies)


def far(frame):
    return set(frame.loc[frame["z"].abs() > 4, "what"])


def test_one_card_too_many_in_the_deck_is_found():
    tampered = load_rules("sushi_go").vary({"deck.pudding": 11, "deck.tempura": 13})
    found = far(held("sushi_go", tampered, games=20_000))
    assert {"cards of a kind in a hand dealt", "puddings of all players in a game"} <= found
    assert "kind of the first card taken of a round, against its share of the hand" not in found


def test_players_who_do_not_choose_at_random_are_found():
    found = far(held("sushi_go", "sushi_go", policies="greedy"))
    assert "kind of the first card taken of a round, against its share of the hand" in found
    assert "cards of a kind in a hand dealt" not in found and "games won by seat" not in found
    found = far(held("nightmares", "nightmares", policies="penalty_hunter"))
    assert {"grade set aside", "ability played in round 1"} <= found and "who starts" not in found
    found = far(held("otter", "otter", policies="greedy", games=300))
    assert {"cards revealed in round 1", "power-ups taken, against chance"} <= found
    assert "power-ups laid out" not in found and "first button" not in found


def test_one_seat_that_plays_better_is_found():
    seats = ["greedy", "random", "random", "random"]
    assert "games won by seat" in far(held("nightmares", "nightmares", policies=seats, games=1_000))


def test_hands_of_other_rules_are_found():
    """A deck of four suits has other hands, whatever is said of five."""
    four = load_rules("otter").vary({"hands.flush.cards": 4})
    assert "hands of so many cards in round 1" in far(held("otter", four, games=2_000))


def test_what_fails_is_told(monkeypatch):
    real = Forms.__iter__

    def tampered(self):
        for form in real(self):
            off = form.exact
            yield Form(form.what, form.why, form.ask, lambda rows, off=off: np.asarray(off(rows)) * 1.2)

    monkeypatch.setattr(Forms, "__iter__", tampered)
    with pytest.raises(CheckError) as error:
        checks("nightmares", games=5_000, progress=False)
    text = str(error.value)
    assert "frequencies are more than 4 standard errors from what they must be" in text
    assert "who starts, seat 0: found 0.2" in text and "calculated 0.3 (z = -" in text and "and " in text
    assert len(error.value.frame) > 40
    frame = checks("nightmares", games=5_000, loud=False, progress=False)
    assert (frame["z"].abs() > 4).sum() > 10


def test_z_is_that_of_the_binomial_where_each_game_gives_one():
    frame = pd.DataFrame({"game": range(1_000), "win": [True] * 290 + [False] * 710})
    tally = rates.tally(frame, [], "win")
    z = _z("rate", tally.frame(), tally.moments.variance, np.array([0.25]))
    assert z[0] == pytest.approx((0.29 - 0.25) / np.sqrt(0.25 * 0.75 / 1_000), rel=1e-3)
    assert np.isnan(_z("rate", tally.frame(), tally.moments.variance, np.array([0.02])))[0]
    assert _z("rate", tally.frame(), tally.moments.variance, np.array([0.0]))[0] == np.inf


def test_z_of_what_is_measured_is_students():
    frame = pd.DataFrame({"game": range(31), "icons": np.arange(31) % 5})
    tally = means.tally(frame, [], "icons")
    t = scipy_stats.ttest_1samp(frame["icons"], 1.2)
    z = _z("mean", tally.frame(), tally.moments.variance, np.array([1.2]))
    assert 2 * scipy_stats.norm.sf(z[0]) == pytest.approx(t.pvalue)
    few = means.tally(frame[:29], [], "icons")
    assert np.isnan(_z("mean", few.frame(), few.moments.variance, np.array([1.2])))[0]


@pytest.mark.parametrize(("chance", "judged"), [(0.05, False), (0.2, True), (0.8, True), (0.95, False)])
def test_lifts_of_few_cases_or_few_others_are_not_judged(chance, judged):
    frame = pd.DataFrame({"game": range(200), "taken": np.arange(200) % 2 == 0, "chance": chance})
    tally = lifts.tally(frame, [], "taken", "chance")
    z = _z("lift", tally.frame(), tally.moments.variance, np.ones(1), _by_chance(tally))
    assert np.isfinite(z[0]) == judged


def test_what_nearly_every_game_has_is_judged_by_the_games_that_have_not():
    """All but one of 37 power-ups are laid out in a game: the one that is not tells."""
    for games, judged in ((200, False), (2_000, True)):
        missing = np.random.default_rng(3).integers(0, 37, games)
        laid_out = np.arange(37) != missing[:, None]
        game, card = np.nonzero(laid_out)
        frame = pd.DataFrame({"game": game, "card": pd.Categorical.from_codes(card, range(37))})
        tally = shares.tally(frame, [], "card")
        z = _z("rate", tally.frame(), tally.moments.variance, np.full(37, 1 / 37))
        assert np.isfinite(z).all() if judged else np.isnan(z).all()
        assert not (np.abs(z) > 4).any()


def test_how_far_off_must_be_what_is_found():
    """From ``detects`` on ``z`` is above the limit, and below that it is not."""
    wins = rates.tally(pd.DataFrame({"game": range(1_000), "win": np.arange(1_000) % 4 == 0}), [], "win")
    icons = means.tally(pd.DataFrame({"game": range(60), "icons": np.arange(60) % 5}), [], "icons")
    for tally, exact in ((wins, 0.3), (icons, 2.4)):
        frame, variance, exact = tally.frame(), tally.moments.variance, np.array([exact])
        reach = _detects(tally.kind, frame, *_errors(tally.kind, frame, variance, exact, None), 4)
        for part, fails in ((1.001, True), (0.999, False)):
            moved = frame.assign(estimate=exact + part * reach)
            if tally.kind == "rate":  # its error is that at the exact value, whatever came up
                variance = (moved["estimate"] * (1 - moved["estimate"]) / moved["n"]).to_numpy()
            assert (np.abs(_z(tally.kind, moved, variance, exact))[0] > 4) == fails


@pytest.mark.parametrize("games", [1, 20])
def test_so_few_games_that_they_tell_nothing_are_not_said_to_agree(good, games):  # noqa: F811
    found = checks("nightmares", games=games, progress=False)
    assert not (found["detects"] > 0).any() and found.attrs["false_alarm"] == 0
    said = " ".join(good("check", "nightmares", "--games", games, "--quiet").split())
    assert (
        f"{games} game{'s tell' if games > 1 else ' tells'} next to nothing. Of {len(found)} frequencies 4 that" in said
    )
    assert "agree" not in said and "--games 20000" in said


def test_games_say_how_much_they_tell(good):  # noqa: F811
    few, many = (" ".join(good("check", "sushi_go", "--games", games, "--quiet").split()) for games in (100, 2_000))
    assert "of 132 frequencies in 100 games agree" in few and "64 more are too rare to be judged." in few
    off = [float(re.search(r"if they were off by ([0-9.]+)% of their value", said)[1]) for said in (few, many)]
    assert off[0] > 2 * off[1] > 0


def test_a_few_games_raise_no_alarm():
    """Deals and choices are right, however few are looked at."""
    for seed in range(40):
        checks("sushi_go", games=20, seed=seed, progress=False)


def test_z_is_standard_normal_by_simulation():
    """Over 2,000 frequencies of four dependent players a game."""
    rng = np.random.default_rng(0)
    cells, games = 2_000, 250
    own = np.clip(rng.beta(3, 9, (games, cells)), 0, 1)
    wins = rng.random((4, games, cells)) < own
    frame = pd.DataFrame(
        {
            "game": np.tile(np.repeat(np.arange(games), cells), 4),
            "cell": np.tile(np.arange(cells), 4 * games),
            "win": wins.ravel(),
        }
    )
    tally = rates.tally(frame, "cell", "win")
    z = _z("rate", tally.frame(), tally.moments.variance, np.full(cells, 0.25))
    assert abs(z.mean()) < 0.1 and z.std() == pytest.approx(1, abs=0.06) and (np.abs(z) > 4).mean() < 0.002


def test_the_shell_tells_how_far_off_it_is(good, bad):  # noqa: F811
    text = " ".join(good("check", "nightmares", "-p", 3, "-n", 3_000, "-q").split())
    assert text.startswith("nightmares: ") and "frequencies in 3,000 games agree with what can be calculated" in text
    assert "More than 4 would be an error" in text
    assert "players" in bad("check", "nightmares", "-p", 9, "-q")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"limit": 0}, "limit: found 0"), ({"players": 9}, "players"), ({"games": 0}, "games: found 0")],
)
def test_mistakes_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        checks("nightmares", progress=False, **arguments)
