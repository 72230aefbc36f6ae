"""Experiments: several arms over the same games, on threads, processes and in any parts."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

from sushibalance import Policy, PolicyError
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.games.nightmares.policies import decision
from sushibalance.simulation.arms import STRIDE, Arms, unpacked
from sushibalance.simulation.executors import results
from sushibalance.simulation.progress import Progress
from sushibalance.simulation.request import Request

CAT, CHIN = Intervention("ability", "fortune_cat"), Intervention("ability", "ninjutsu_chin", False)
CASES = [(None, CAT), (CHIN, replace(CHIN, given=True)), (None, CHIN)]


def arms(policies="random"):
    return Arms(Request.of("nightmares", 3, policies, 7), CASES)


def rows_of(runs):
    """Return the bytes of a part's arms: which game is first, what is forced, all rows."""
    return [
        (run.first, str(run.intervention), run.seed, [run.rows[name].tobytes() for name in sorted(run.rows)])
        for run in runs
    ]


def asked(experiment, spans, **how):
    how = {"workers": 2, "executor": None, "progress": Progress()} | how
    return list(results(experiment, spans, rows_of, **how))


def test_each_arm_is_the_run_of_its_request():
    experiment = arms()
    for case, wanted in enumerate(CASES):
        (found,) = asked(experiment, Arms.spans(case, 40, 60, 100))
        for what, (first, forced, seed, tables) in zip(wanted, found, strict=True):
            request = replace(experiment.base, intervention=what)
            rows = request.new_rows(60)
            assert not request.play(40, rows).any()
            assert (first, forced, seed) == (40, str(what), 7)
            assert tables == [rows[name].tobytes() for name in sorted(rows)]


def test_the_same_on_threads_and_processes_and_in_any_parts():
    spans = [span for case in range(3) for span in Arms.spans(case, 0, 300, 100)]
    assert spans[3:5] == [(STRIDE, 100), (STRIDE + 100, 100)]
    expected = asked(arms(), spans, workers=1)
    with ThreadPoolExecutor(2) as pool:
        assert asked(arms(), spans, executor=pool) == expected
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert asked(arms(), spans, executor=pool) == expected
    whole = asked(arms(), Arms.spans(1, 0, 300, 300))[0]
    for arm in range(2):
        parts = [b"".join(part[arm][3][table] for part in expected[3:6]) for table in range(3)]
        assert parts == whole[arm][3]


def test_a_parcel_tells_all():
    again = unpacked(arms().parcel())
    assert again.cases == tuple(map(tuple, CASES)) and again.base.seed == 7
    assert again is unpacked(arms().parcel())
    plain = Request.of("nightmares", 3, "random", 7)
    assert unpacked(plain.parcel()).intervention is None


def test_an_illegal_choice_is_told_with_its_game():
    @decision
    def late(rules, table, own, seat, params, rng, choice):
        choice[0] = 99 if own.abilities[0] == 0 else 0 if seat else 1

    bad = Policy("bad", {"eat": late})
    with pytest.raises(PolicyError, match=r'"bad" made an illegal choice.*game \d{1,3}, seed 7'):
        asked(arms([bad, "random", "random"]), Arms.spans(1, 0, 300, 100))


def test_what_cannot_be_forced_is_refused_at_once():
    with pytest.raises(UserError, match="did you mean ninjutsu_chin"):
        Arms(Request.of("nightmares", 3, "random", 7), [(None, Intervention("ability", "ninjutsu_chn"))])


def test_progress_counts_each_game_once():
    class Counting(Progress):
        games = 0

        def advance(self, games):
            self.games += games

    told = Counting()
    asked(arms(), [span for case in range(3) for span in Arms.spans(case, 0, 250, 100)], progress=told)
    assert told.games == 750


def test_rows_are_zeroed_and_apart():
    rows = arms().new_rows(5)
    assert rows["games"] is rows["0 games"]
    assert not np.shares_memory(rows["0 players"], rows["1 players"])
