"""How long the naive engines of ``tests/reference`` take over the same games.

They are told what was dealt and chosen, and work out the rest; the compiled engine deals and chooses, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.contest import SEED, Contest

TESTS = Path(__file__).resolve().parent.parent / "tests"
SECONDS = 0.5


def otter(contest: Contest) -> Iterator[Callable[[], Any]]:
    """Yield one game after another, ready to be played by the reference engine."""
    from otter_replay import logged, record
    from reference.otter_game import play

    for game in count():
        _, events = logged(contest.request.rules, [contest.policy] * contest.players, SEED, game)
        kept = record(contest.request.rules, contest.players, events)
        yield lambda kept=kept: play(contest.request.rules, contest.players, **kept)


def nightmares(contest: Contest) -> Iterator[Callable[[], Any]]:
    """Do it for Nightmares."""
    from nightmares_replay import decisions_of, logged
    from reference.nightmares import play

    for game in count():
        _, (events,) = logged(contest.request.rules, [contest.policy] * contest.players, SEED, game)
        decisions, _ = decisions_of(contest.request.rules, events)
        yield lambda decisions=decisions: play(contest.request.rules, contest.players, decisions)


def sushi_go(contest: Contest) -> Iterator[Callable[[], Any]]:
    """Do it for Sushi Go!."""
    from reference.sushi_go import play
    from sushi_go_replay import logged

    for game in count():
        played = logged(contest.request.rules, [contest.policy] * contest.players, SEED, game, 1)
        deal, choices = played.deal(0), played.choices(0)
        yield lambda deal=deal, choices=choices: play(contest.request.rules, contest.players, deal, choices)


REPLAYS = {"otter": otter, "nightmares": nightmares, "sushi_go": sushi_go}


def seconds_a_game(contest: Contest) -> float:
    """Return the CPU time that the reference engine takes over a game: the mean over half a second of games."""
    sys.path.insert(0, str(TESTS))
    try:
        games, taken = 0, 0.0
        for game in REPLAYS[contest.game](contest):
            began = time.thread_time()
            game()
            taken += time.thread_time() - began
            games += 1
            if taken >= SECONDS:
                break
        return taken / games
    finally:
        sys.path.remove(str(TESTS))
