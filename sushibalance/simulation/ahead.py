"""An engine compiled in a process of its own, while this one compiles what the policies decide with.

numba compiles one function at a time in a process. With two cores the first run of a game begins in half the time;
what the other process has compiled is found in the cache. A game may say what else the other begins with.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import numba

from sushibalance.core.jit import GAMES, cache_folder
from sushibalance.games.game import Engine, Policy
from sushibalance.simulation.machine import cores

PLAY_ONE = """
from sushibalance.simulation.request import Request
asked = Request.of({game!r}, {players}, "random", 0)
policies = asked.engine.policies
asked.engine.compile_ahead(asked.rules, [policies[name].decisions[decision] for name, decision in {shipped!r}])
asked.play(0, asked.new_rows(1))
"""
LONGEST = 300.0  # seconds


@contextmanager
def engine_ahead(game: Engine, policies: Sequence[Policy]) -> Iterator[None]:
    """Let another process compile a game's engine if nobody has yet; wait for it at the end.

    It fails in silence: what is not in the cache then is compiled here. Where all play `random`, whose decisions take
    no time to compile, there is nothing to do meanwhile, and no other process.
    """
    simple = set(game.policies["random"].decisions.values())
    if (
        numba.config.DISABLE_JIT
        or cores() < 2
        or not sys.executable
        or all(function in simple for policy in policies for function in policy.decisions.values())
        or any(cache_folder(GAMES / game.name).rglob("*.play_games-*.nbi"))
    ):
        yield
        return
    used = {function for policy in policies for function in policy.decisions.values()}
    shipped = [
        (name, decision)
        for name, policy in game.policies.items()
        for decision, function in policy.decisions.items()
        if function in used
    ]
    code = PLAY_ONE.format(game=game.name, players=game.seats[0], shipped=shipped)
    silent = subprocess.DEVNULL
    # -P: no module of the user's folder comes before those installed
    other = subprocess.Popen([sys.executable, "-P", "-c", code], stdin=silent, stdout=silent, stderr=silent)
    try:
        yield
        with suppress(subprocess.TimeoutExpired):
            other.wait(LONGEST)
    finally:
        if other.poll() is None:
            other.kill()
            other.wait()
