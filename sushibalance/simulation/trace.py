"""One game as a readable log, from the same engine that simulates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sushibalance.core.log import new_log
from sushibalance.games.game import Policy
from sushibalance.rules import Rules
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.threads import aside

CAPACITY = 20_000


def trace(
    rules: Rules | str | Path,
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    seed: int = 0,
    game: int = 0,
) -> str:
    """Return game ``game`` of ``simulate(..., seed=seed)`` as text, round by round.

    Parameters and errors are those of `simulate`.
    """
    request = Request.of(rules, players, policies, seed)
    game = whole("game", game, 0, MAX_GAMES)
    engine, chosen = request.engine, request.policies
    log = new_log(CAPACITY)
    status = aside(lambda: request.play(game, request.new_rows(1), log))
    head = f"{engine.title}, {request.rules.name}, {len(chosen)} players, seed {request.seed}, game {game}"
    lines = [head, "=" * len(head), *engine.narrate(log[1 : log[0].kind + 1], request.rules, chosen)]
    if status[0]:
        lines.append(str(request.illegal(status)))
    return "\n".join(lines) + "\n"
